"""The law as a theorem, as the last stage of a verification: a constant for its remainder, and from which depth on.

Problem.  Every other check says of a law that it is the recursion's formal solution and that numbers agree with it; its
O(...) promises no constant.

Rule.  `law.certificate` proves |law - quantity| <= B monomial for all depths from l_0 on, for the orbit of one start:
c^1 = 1/10 for a network, for a recursion the start that the law is followed from (`orbits.inputs`).  It compares the
printed coefficients with those of the series as exact algebra first.  Within a budget of processor time.

Tiny case.  ReLU, correlation law of two terms: B = 332.098, l_0 = 2.

Known limits.  Those of the certificate: where there is none the reason is told, and the verdict is what it was without.
"""

import inspect
from collections.abc import Callable

from asympt.deadline import limited
from asympt.errors import AsymptError, UnsupportedError
from asympt.evidence.check import Check
from asympt.evidence.orbits.inputs import outer, starts

CORRELATION = "1/10"
SECONDS = 30.0


def theorem_of(law, start, report: Callable) -> tuple:
    """(the certificate, "") of a law, or (None, why there is none): a wrong printed coefficient is one reason."""
    report("the theorem", 0, 1)
    try:
        given = _start(law, start)
        with limited("the theorem", SECONDS):
            return law.certificate(**given), ""
    except (AsymptError, ArithmeticError, NotImplementedError) as error:
        return None, str(error)


def theorem_check(certificate) -> Check:
    """The theorem as a row among the checks: B, proved to bound the deviation over the monomial for all depths."""
    detail = f"proved in ball arithmetic, printed coefficients by exact algebra: {certificate.statement}"
    first = f"{certificate.law.depth_variable} >= {certificate.valid_from}"
    over = str(certificate.monomial).replace("**", "^")
    name = f"theorem for all {first}: the largest deviation over {over}"
    return Check(name, str(certificate.constant), str(certificate.constant), True, "proved", detail)


def _start(law, start) -> dict:
    known = inspect.signature(law.reader).parameters if law.reader is not None else {}
    if "correlation" in known:
        return {"correlation": CORRELATION}
    if "start" not in known:
        raise UnsupportedError("the law is neither one of correlations nor one of a recursion with a start")
    if start is not None:
        return {"start": start}
    return {"start": outer(law, next(starts(law)).value)}

"""The law as a theorem, as the last stage of a verification: a constant for its remainder, and from which depth on.

The start is c^1 = 1/10, or that from which a recursion's law is followed; a law that is refuted already is not tried.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass

from asympt.balls.arithmetic import Disproved
from asympt.deadline import limited
from asympt.errors import AsymptError, UnsupportedError
from asympt.evidence.check import Check
from asympt.evidence.orbits.inputs import outer, starts

CORRELATION = "1/10"
MOST = 24  # printed terms, times numbers known by a name in them: ELU's NTK to six terms has 24 and takes half a minute
SECONDS = 60.0  # in case something else is long


@dataclass(frozen=True)
class Outcome:
    """What became of the stage: the certificate, or why there is none, and the row among the checks."""

    certificate: object = None
    reason: str = ""
    checks: tuple[Check, ...] = ()


def theorem_of(law, start, report: Callable) -> Outcome:
    """The certificate of a law, or why there is none; a printed coefficient that is proved wrong is a failed check."""
    report("the theorem", 0, 1)
    try:
        with limited("the theorem", SECONDS):
            _ = law.asked  # what has no certificate at all says so
            _require_short(law)
            found = law.certificate(**start_of(law, start))
        report("the theorem", 1, 1)
        return Outcome(found, checks=(_row(found),))
    except Disproved as error:
        failed = Check("theorem: the printed coefficients are those of the series", str(error), 0, False, "proved")
        return Outcome(reason=str(error), checks=(failed,))
    except AsymptError as error:
        return Outcome(reason=str(error))


def _row(certificate) -> Check:
    """The theorem among the checks: B, proved to bound the deviation over the monomial for all depths."""
    detail = f"proved in ball arithmetic, printed coefficients by exact algebra: {certificate.statement}"
    first = f"{certificate.law.depth_variable} >= {certificate.valid_from}"
    over = str(certificate.monomial).replace("**", "^")
    name = f"theorem for all ${first}$: the largest deviation over ${over}$"
    return Check(name, str(certificate.constant), str(certificate.constant), True, "proved", detail)


def _require_short(law) -> None:
    """Refuses what would take minutes to derive once more: many terms in numbers that have names only."""
    terms, named = law.expansion.terms, law.summary().constants
    if len(terms) * len(named) > MOST:
        raise UnsupportedError(
            f"{len(terms)} terms in {len(named)} numbers known by a name take minutes to prove; derive fewer terms, or "
            "ask law.certificate(correlation='1/10')"
        )


def start_of(law, start) -> dict:
    """The start as the law's own reader takes it: the one that was given, or one that the law is followed from."""
    known = inspect.signature(law.reader).parameters if law.reader is not None else {}
    if "correlation" in known:
        return {"correlation": CORRELATION}
    if "start" not in known:
        raise UnsupportedError("the law is neither one of correlations nor one of a recursion with a start")
    if start is not None:
        return {"start": start}
    first = next(starts(law), None)
    if first is None:
        raise UnsupportedError("no start is known that the map brings closer to the fixed point; give start=...")
    return {"start": outer(law, first.value)}

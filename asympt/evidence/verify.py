"""`asympt.verify`: every check that a law allows, and the verdict they add up to.

Order: symbolic (the expansion solves the recursion and inverts A), mpmath (C and D are constant along the original
recursion), float64 (real pairs at great depth).  A check that cannot be done is reported as unknown.
"""

from collections.abc import Callable

from sympy import Rational

from asympt.errors import AsymptError
from asympt.evidence.check import Check, Verification
from asympt.evidence.constancy import constancy_checks
from asympt.evidence.inverse import inverse_checks
from asympt.evidence.specialisation import specialisation_check
from asympt.evidence.substitution import substitution_check
from asympt.numbers import check_depth, check_digits, symbol_names

NETWORK_STARTS = (("c^1 = 1/10", Rational(9, 10)), ("c^1 = -1/2", Rational(3, 2)))
PLAIN_STARTS = (("x_0 = 1/4", Rational(1, 4)),)


def verify(law, digits: int = 30, depth: int = 10**6, *, workers: int = 1,
           progress: Callable[[str, int, int], None] | None = None) -> Verification:
    """Check a law by routes that its derivation did not use.

    `digits`: to which C and D must be constant; `depth`: of the float64 comparison; `workers`: processes for it;
    `progress`: called as progress(what, done, total).  The verdict is 'checked' when all pass (the remainder of a
    law is formal, so it is never 'proved'), 'refuted' when one fails, 'unknown' when one could not be done: with
    symbols for slopes the symbolic checks hold for all slopes at once, but nothing is checked in numbers.
    Raises `InputError` for a depth below 1 or digits outside 1..200.

    >>> from asympt.networks import FeedForward
    >>> verify(FeedForward("relu").correlation_law(), depth=2000).verdict
    'checked'
    """
    depth, digits = check_depth(depth), check_digits(digits)
    report = progress or (lambda what, done, total: None)
    checks = list(_attempt("symbolic substitution", lambda: symbolic_checks(law), report))
    if law.parameters:
        return Verification(f"{law.quantity} = {law}", (*checks, _no_numbers(law)))
    starts = NETWORK_STARTS if law.layer is not None else PLAIN_STARTS
    for label, start in starts:
        checks += _attempt("constancy of C and D", lambda s=start, n=label: constancy_checks(law, s, n, digits, report))
    if law.layer is not None:
        checks += _attempt("float64 at depth", lambda: _at_depth(law, depth, workers, report))
    return Verification(f"{law.quantity} = {law}", tuple(checks))


def symbolic_checks(law) -> list[Check]:
    """The expansion solves the recursion and inverts A; with symbolic slopes, for free alpha and then specialised."""
    if not law.parameters:
        return [substitution_check(law), *inverse_checks(law)]
    family = law.universal()
    return [specialisation_check(law, family), substitution_check(family), *inverse_checks(family)]


def _no_numbers(law) -> Check:
    reason = f"needs numbers for {symbol_names(law.parameters)}"
    return Check("constancy in mpmath and float64 at depth", reason, "-", None)


def _attempt(name: str, work: Callable[[], list[Check]], report=None) -> list[Check]:
    """The checks, or one undone check that says why."""
    if report:
        report(name, 0, 1)
    try:
        return work()
    except (AsymptError, ArithmeticError) as error:
        return [Check(name, str(error), "-", None)]


def _at_depth(law, depth: int, workers: int, progress) -> list[Check]:
    from asympt.evidence.at_depth import depth_checks

    return depth_checks(law, depth, workers, progress)

"""The evidence for networks composed of primitives: their laws against the rules of the primitives.

Problem.  A compiled law knows a composition as (g, o, w).  Is that what the primitives do, and does the law follow it?

    check                     held against each other
    symbolic                  the printed law and its own recursion, as for any law of that kind
    the compiled layers       1 - c^l and K^l/q_l of the law at depths 2, 5 and 12, from two correlations, and the rules
                              of the primitives in mpmath (`precise.blocks`): covariances and NTKs alone, no map of
                              correlations, no weight of a branch
    the coordinate            its equation, and C and D along an orbit, as for any law of that kind

Tiny case.  residual(layer_norm, relu, dense(sqrt(2))): 1 - c^2 = 0.765...

Known limits.  Random networks of finite width are the referee's (`referee`).
"""

from collections.abc import Callable

from mpmath import mp, mpf
from sympy import Rational

from asympt.evidence.check import Check
from asympt.evidence.flow_time import drift_checks
from asympt.evidence.orbits.constancy import constancy_checks
from asympt.evidence.orbits.equations import functional_checks
from asympt.evidence.orbits.inputs import from_first
from asympt.evidence.orbits.printed import printed_check
from asympt.evidence.symbolic.checks import in_digits
from asympt.evidence.symbolic.generators import generic

Attempt = Callable[[str, Callable[[], list[Check]]], list[Check]]
DEPTHS, STARTS, DIGITS = (2, 5, 12), (Rational(1, 10), Rational(-1, 2)), 25
ONE_INPUT = "ntk diagonal"


def symbolic_checks(law) -> list[Check]:
    """As for any law of its coordinate; with symbols for its constants first."""
    if law.name == ONE_INPUT:
        return []
    if law.time is not None:
        return in_digits(law)
    found = in_digits(generic(law))
    return found if all(check.verdict == "proved" for check in found) else in_digits(law)


def numeric_checks(law, digits: int, depth: int, workers: int, progress, attempt: Attempt) -> list[Check]:
    """The law against the primitives, and its coordinate along an orbit; `depth` and `workers` are not used."""
    checks = attempt("the rules of the primitives", lambda: [primitives_check(law)])
    if law.name == ONE_INPUT:
        return checks
    if law.time is not None:
        return checks + (attempt("flow time along an orbit", lambda: drift_checks(law, None))
                         if law.name == "correlation" else [])
    checks += attempt("functional equation", lambda: functional_checks(law))
    checks += attempt("constancy of C and D", lambda: from_first(
        law, None, lambda s: constancy_checks(law, s.value, s.label, digits, progress, s.most)))
    return checks + attempt("printed law along an orbit", lambda: from_first(law, None, lambda s: [
        printed_check(law, s)]))


def primitives_check(law) -> Check:
    """The law's values at small depths against the primitives, one pair of inputs after the other."""
    with mp.workdps(DIGITS + 10):
        worst = max(abs(found / true - 1) for found, true in _values(law))
        bound = mpf(10) ** (3 - DIGITS)
    name = "the law at small depths against the rules of the primitives: relative deviation"
    where = f"mpmath, layers {', '.join(map(str, DEPTHS))}"
    return Check.measured(name, worst, bound, where)


def _values(law):
    """(the law's value, that of the primitives)."""
    network = law.coordinate.network
    if law.name == ONE_INPUT:
        for depth in DEPTHS:
            yield law.evaluate(depth=depth, digits=DIGITS), network.pair(depth, gap=0, digits=DIGITS)[1]
        return
    for start in STARTS:
        for depth in DEPTHS:
            gap, kernel, _ = network.pair(_layers(network, depth), correlation=start, digits=DIGITS)
            found = law.evaluate(depth=depth, correlation=start, digits=DIGITS)
            yield found, gap if law.name == "correlation" else kernel / _unit(law, network, depth)


def _layers(network, depth: int) -> int:
    """The layer that a law's depth stands for: it counts whole periods."""
    return 1 + len(network.blocks) * (depth - 1)


def _unit(law, network, depth: int):
    """What K^L/q_L is divided by."""
    if law.average:
        return depth
    return network.pair(depth, gap=0, digits=DIGITS)[1] if law.norm is not None else 1

"""The laws of a scaled residual network: every check that they allow.

    law                        symbolic                          in numbers
    1 - c^l, kappa = 1         T' = -1/h; T(printed x) = clock   T, printed law, C on orbits, iteration, float64
    1 - c^l, kappa < 1         T' = -1/h                         the same, and the printed law in one layer
    K^L(x, x')/K^L(x, x)       T' = -1/h                         T, P, H, printed law, C, D, s_0, iteration, float64
    K^L(x, x)/q_L, q^l         the recursion, for kappa = 1      printed law against the sum, iteration
"""

from collections.abc import Callable

from asympt.evidence.check import Check
from asympt.evidence.scaled.orbit import float_checks, number_checks, orbit_checks
from asympt.evidence.scaled.printed import printed_checks
from asympt.evidence.scaled.solution import solution_checks
from asympt.evidence.scaled.sums import sum_numbers, sum_symbolic
from asympt.evidence.symbolic.defect import EXACT
from asympt.evidence.symbolic.driven import TIME, Driven
from asympt.evidence.symbolic.zero import left_check


def symbolic_checks(law) -> list[Check]:
    """The flow time by SymPy's series of 1/h, and the law in it; a sum's formula in its recursion."""
    if law.time is None:
        return sum_symbolic(law)
    flow = Driven.of(law)
    checks = [left_check("T' = -1/h, every coefficient that is stated", EXACT, lambda: flow.stated_time_left(law))]
    if law.linear is None and flow.logarithmic:
        checks.append(left_check(TIME, EXACT, lambda: flow.time_left(law)))
    return checks


def numeric_checks(law, digits: int, depth: int, workers: int, progress, attempt: Callable) -> list[Check]:
    """Every check in numbers; `attempt` turns what cannot be done into an undone check."""
    if law.time is None:
        return attempt("the sum over the layers", lambda: sum_numbers(law, digits, depth))
    checks = attempt("T, P and H in the flow", lambda: solution_checks(law))
    checks += attempt("the printed law at enormous depth", lambda: printed_checks(law))
    checks += attempt("C and D along the original layers", lambda: orbit_checks(law, progress))
    checks += attempt("the law's numbers", lambda: number_checks(law, digits))
    return checks + attempt("float64 at depth", lambda: float_checks(law, depth, workers, progress))

"""Laws of one input that are a sum over the layers, held against the recursion that they are to solve."""

from collections.abc import Callable

from mpmath import mp, mpf
from sympy import Expr, Integer, gamma

from asympt.evidence.check import Check
from asympt.evidence.exact import solving_checks
from asympt.evidence.law_terms import rest_of, terms_of, value
from asympt.evidence.order import growth_check
from asympt.meanfield.statement import LAYER, at_layer
from asympt.numbers import to_mpf

GIVEN = Integer(3)  # q^1 in numbers
MOST_SUMMED = 3000  # layers of a sum in mpmath
POWERS = (6, 12, 24)  # of ten: layers at which a printed sum is looked at


def symbolic_checks(law) -> list[Check]:
    """The formula solves its recursion and starts where it should; nothing for a sum without a formula."""
    formula = formula_of(law)
    return [] if formula is None else solving_checks(law, formula, *_recursion(law))


def numeric_checks(law, digits: int, depth: int, workers: int, progress, attempt: Callable) -> list[Check]:
    """Against the sum over the layers; the other arguments are not used."""
    return attempt("the sum over the layers", lambda: sum_checks(law, digits, min(depth, MOST_SUMMED)))


def formula_of(law) -> Expr | None:
    """The quantity for every depth in the law's symbols; None when there is no formula."""
    return None if law.coordinate.formula is None else law.coordinate.formula.xreplace(law.symbols)


def _recursion(law) -> tuple[Expr, Expr, Expr]:
    """(factor, source, value at layer 1), from layer l to l + 1."""
    layer = law.layer
    branch_share, growth = (e.subs(LAYER, law.depth_variable + 1) for e in (layer.branch_share, layer.growth))
    if not law.of_variance:
        return Integer(1), branch_share, Integer(1)
    source = (layer.branch * layer.layer.bias_variance).subs(LAYER, law.depth_variable + 1)
    return growth, source, law.constant_symbols["C"] * gamma(2 + layer.layer.chi) - law.coordinate.shift


def sum_checks(law, digits: int, depth: int) -> list[Check]:
    """The law's numbers against the sum, and the printed law against its numbers."""
    return [_iterated(law, digits, depth), _printed(law)]


def _iterated(law, digits: int, depth: int) -> Check:
    with mp.workdps(digits + 15):
        if law.of_variance:
            start, shift = to_mpf(GIVEN), to_mpf(law.coordinate.shift)
            found, bias = start, to_mpf(law.layer.layer.bias_variance)
            for k in range(2, depth + 1):
                found = at_layer(law.layer.growth, k) * found + at_layer(law.layer.branch, k) * bias
            found = found if law.coordinate.grows else mp.log((found + shift) / (start + shift))
        else:
            found = 1 + mp.fsum(at_layer(law.layer.branch_share, k) for k in range(2, depth + 1))
        figure = abs(_evaluated(law, depth, digits) / found - 1) if found else mpf(0)
        bound = mpf(10) ** -digits
    name = f"the law evaluated at layer {depth} against the sum over the layers: relative deviation"
    return Check.measured(name, figure, bound, "mpmath, layer by layer")


def _evaluated(law, depth: int, digits: int):
    return law.evaluate(depth=depth, digits=digits, **({"variance": GIVEN} if law.coordinate.grows else {}))


def _printed(law) -> Check:
    rest, left, sizes = rest_of(law.expansion), [], []
    for power in POWERS:
        digits = min(int(power * (float(rest.order) + 3)) + 20, 200)
        with mp.workdps(digits):
            depth, grows = mpf(10) ** power, law.coordinate.grows
            constants = {"C": law.connection_constant(digits=digits, variance=GIVEN) if grows else mpf(0)}
            stated = value(terms_of(law.expansion, constants), depth)
            missing = abs(_evaluated(law, 10**power, digits) - stated)
            left.append(missing if missing > mpf(10) ** (8 - digits) * abs(stated) else mpf(0))
            sizes.append(depth ** -to_mpf(rest.order) * mp.log(depth) ** rest.logs)
    where = f"layers 10^{', 10^'.join(map(str, POWERS))}"
    return growth_check("printed law against its numbers", left, sizes, where)

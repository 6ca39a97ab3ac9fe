"""Laws known at every depth, as a formula E(l) or as a sum over the layers, held against their recursion.

E(l + 1) - factor E(l) - source = 0 and E(1) = first value must vanish identically, with symbols for constants that are
known by their digits; in numbers stand the original layer, the sum layer by layer, and the law's own numbers far out.
"""

from collections.abc import Iterator

import numpy as np
from mpmath import mp, mpf
from sympy import Expr, Integer, S, expand_func, gamma, polygamma

from asympt import depth as engine
from asympt.architectures.scaled import SumOverLayers
from asympt.evidence.check import Check, Effort, Work, growth_check
from asympt.evidence.law_terms import number, printed_at, rest_of
from asympt.evidence.symbolic.checks import Generators
from asympt.evidence.symbolic.zero import Left
from asympt.meanfield.correlation import CorrelationMap
from asympt.meanfield.layer import LAYER, at_layer
from asympt.numbers import to_mpf
from asympt.precise.dense import DenseStep, image
from asympt.symbols import Reserved

START = Reserved("q_1", positive=True)  # q^1
TINY_GAP, DIGITS = mpf(10) ** -30, 12
FLOATS, RANGE = 1e-11, 250  # bound of the float64 check, decimal powers that the diagonal may grow by
MOST = 10_000  # layers in float64
DETAIL = "symbolic: identically in the depth and in the constants"


def symbolic_checks(law) -> list[Check]:
    """E solves its recursion and starts where it should; nothing for a sum without a formula."""
    if not isinstance(law.coordinate, SumOverLayers):
        return solving_checks(law, law.to_sympy(), *_recursion(law))
    formula = formula_of(law)
    return [] if formula is None else solving_checks(law, formula, *_sum_recursion(law))


def numeric_checks(law, effort: Effort) -> Iterator[Work]:
    """Against the original layer, or the sum over the layers."""
    if isinstance(law.coordinate, SumOverLayers):
        yield "the sum over the layers", lambda: sum_checks(law, effort.digits, min(effort.depth, MOST_SUMMED))
    else:
        yield "the original layer", lambda: original_layer(law, effort.depth)


def solving_checks(law, formula: Expr, factor: Expr, source: Expr, first: Expr) -> list[Check]:
    """formula(l + 1) = factor formula(l) + source and formula(1) = first."""
    found, depth = Generators(set(), 1), law.depth_variable
    factor, source, first, formula = (found(e) for e in (factor, source, first, formula))
    start = formula.subs(depth, 1) - first
    return [
        identity_check(formula, depth, factor, source),
        Left.of([(Integer(1), start)]).check("the formula holds in layer 1", DETAIL),
    ]


def identity_check(formula: Expr, depth, factor: Expr = S.One, source: Expr = S.Zero) -> Check:
    """formula(l + 1) - factor formula(l) - source, for every l."""
    step = formula.subs(depth, depth + 1) - factor * formula
    for term in step.atoms(polygamma):  # psi(z + 1) as psi(z) + 1/z, where z is the argument at the depth before
        z = term.args[1] - 1
        if depth in z.free_symbols and step.has(polygamma(0, z)):
            step = step.subs(term, polygamma(0, z) + 1 / z)
    step = expand_func(step) - source
    return Left.of([(Integer(1), step)]).check("the formula solves the recursion for every depth", DETAIL)


def _recursion(law) -> tuple[Expr, Expr, Expr]:
    """(factor, source, value at layer 1), from layer l to l + 1."""
    layer = law.layer
    if law.of_variance:
        return layer.growth, layer.branch * layer.layer.bias_variance, _start_of(law)
    if layer.is_plain:
        return _chi(law), Integer(1), Integer(1)
    return _chi(law), layer.source, layer.first.weight_rate / layer.first.weight


def _start_of(law) -> Expr:
    """q^1 as the law's own constant has it: C(q^1) solved for q^1."""
    constant = law.coordinate.constant(START).expand()  # linear in q^1
    slope, rest = constant.coeff(START), constant.subs(START, 0)
    return (law.constant_symbols["C"] - rest) / slope


def _chi(law) -> Expr:
    """The factor by which a diagonal grows, as the printed scale has it: the base, or its inverse."""
    base = law.expansion.scale.base
    if base is None:
        return Integer(1)
    return base if law.expansion.leading[0].order >= 0 else 1 / base


def original_layer(law, depth: int) -> list[Check]:
    """chi (or V) by the original map, and the float64 engine."""
    return [_variance_map(law)] if law.of_variance else [_slope(law), _diagonal(law, depth)]


def _slope(law) -> Check:
    layer = law.layer
    with mp.workdps(30):  # the factor of k in one original layer at gap 10^-30
        if layer.is_plain:  # at its own variance, which may be another one than 1
            slope = CorrelationMap.of(layer.layer).gap_slope(TINY_GAP)
        else:
            one, none = (DenseStep(layer)((1, mpf(1), mpf(1), TINY_GAP, mpf(k)))[-1] for k in (1, 0))
            slope = one - none
        figure, bound = abs(slope / number(_chi(law)) - 1), mpf(10) ** -DIGITS
    detail = "f'(1 - 10^-30) of the original layer in mpmath; f' differs from chi by the order of the root of the gap"
    return Check.measured("$chi$ against $f'$ next to $c = 1$", figure, bound, detail)


def _diagonal(law, depth: int) -> Check:
    chi = float(number(_chi(law)))
    last = min(depth, MOST)
    if chi != 1:
        last = min(last, max(2, int(RANGE / abs(np.log10(chi)))))
    with mp.workdps(30):
        stated = float(number(law.to_sympy().subs(law.depth_variable, last)))
    gap, kernel = engine.pairs(law.layer, np.zeros(1), last)
    figure = abs(float(kernel[0]) / stated - 1) + float(gap[0])
    name = f"the diagonal against float64 iteration of gap 0 at depth {last}: relative deviation"
    return Check.measured(name, figure, FLOATS, "the engine's own tables and its own chi")


def _variance_map(law) -> Check:
    layer = law.layer
    with mp.workdps(30):
        chi, bias = map(to_mpf, (layer.growth, layer.branch * layer.layer.bias_variance))
        skip, branch, places = int(layer.skip), to_mpf(layer.branch), (mpf(1) / 3, mpf(1), mpf(5))
        pairs = [(skip * q + branch * image(layer.layer, q), bias + chi * q) for q in places]
        figure, bound = max(abs(one / two - 1) for one, two in pairs), mpf(10) ** -20
    return Check.measured("$V(q) = sigma_b^2 + chi q$ against a quadrature", figure, bound, "q = 1/3, 1 and 5")


GIVEN = Integer(3)  # q^1 in numbers
MOST_SUMMED = 3000  # layers of a sum in mpmath
POWERS = (6, 12, 24)  # of ten: layers at which a printed sum is checked


def formula_of(law) -> Expr | None:
    """The quantity for every depth in the law's symbols; None when there is no formula."""
    return None if law.coordinate.formula is None else law.coordinate.formula.xreplace(law.symbols)


def _sum_recursion(law) -> tuple[Expr, Expr, Expr]:
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
    left, sizes = [], []
    for power in POWERS:
        digits = min(int(power * (float(rest_of(law.expansion).order) + 3)) + 20, 200)
        with mp.workdps(digits):
            grows = law.coordinate.grows
            constants = {"C": law.connection_constant(digits=digits, variance=GIVEN) if grows else mpf(0)}
            stated, size = printed_at(law.expansion, 10**power, constants)
            missing = abs(_evaluated(law, 10**power, digits) - stated)
            left.append(missing if missing > mpf(10) ** (8 - digits) * abs(stated) else mpf(0))
            sizes.append(size)
    where = f"layers 10^{', 10^'.join(map(str, POWERS))}"
    return growth_check("printed law against its numbers", left, sizes, where)

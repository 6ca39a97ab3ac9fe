"""Laws known at every depth, as a formula E(l) or as a sum over the layers, held against their recursion.

E(l + 1) - factor E(l) - source = 0 and E(1) = first value must vanish identically, with symbols for constants that are
known by their digits; in numbers stand the original layer, the sum layer by layer, and the law's own numbers far out.
"""

from collections.abc import Callable

import numpy as np
from mpmath import mp, mpf
from sympy import Expr, Integer, S, expand_func, polygamma

from asympt import depth as engine
from asympt.evidence.check import Check
from asympt.evidence.law_terms import number
from asympt.evidence.symbolic.generators import Generators
from asympt.evidence.symbolic.zero import Left
from asympt.meanfield.correlation import CorrelationMap
from asympt.meanfield.statement import Statement
from asympt.numbers import to_mpf
from asympt.precise.dense import DenseStep
from asympt.precise.layer import image
from asympt.symbols import Reserved

START = Reserved("q_1", positive=True)  # q^1
TINY_GAP, DIGITS = mpf(10) ** -30, 12
FLOATS, RANGE = 1e-11, 250  # bound of the float64 check, decimal powers that the diagonal may grow by
MOST = 10_000  # layers in float64
DETAIL = "symbolic: identically in the depth and in the constants"


def symbolic_checks(law) -> list[Check]:
    """E solves its recursion and starts where it should."""
    return solving_checks(law, law.to_sympy(), *_recursion(law))


def numeric_checks(law, digits: int, depth: int, workers: int, progress, attempt: Callable) -> list[Check]:
    """Against the original layer; the other arguments are not used."""
    return attempt("the original layer", lambda: original_layer(law, depth))


# ---- the recursion and the formula ------------------------------------------------------------------


def solving_checks(law, formula: Expr, factor: Expr, source: Expr, first: Expr) -> list[Check]:
    """formula(l + 1) = factor formula(l) + source and formula(1) = first."""
    found, depth = Generators(set(), 1), law.depth_variable
    factor, source, first, formula = (found(e) for e in (factor, source, first, formula))
    start = formula.subs(depth, 1) - first
    return [
        identity_check(formula, depth, factor, source),
        Left.of([(Integer(1), start)]).check("the formula is right in layer 1", DETAIL),
    ]


def identity_check(formula: Expr, depth, factor: Expr = S.One, source: Expr = S.Zero) -> Check:
    """formula(l + 1) - factor formula(l) - source, for every l."""
    step = _shifted(formula.subs(depth, depth + 1) - factor * formula, depth) - source
    return Left.of([(Integer(1), step)]).check("the formula solves the recursion for every depth", DETAIL)


def _shifted(difference: Expr, depth) -> Expr:
    """psi(z + 1) written as psi(z) + 1/z, where z is the argument at the depth before."""
    for term in difference.atoms(polygamma):
        z = term.args[1] - 1
        if depth in z.free_symbols and difference.has(polygamma(0, z)):
            difference = difference.subs(term, polygamma(0, z) + 1 / z)
    return expand_func(difference)


def _recursion(law) -> tuple[Expr, Expr, Expr]:
    """(factor, source, value at layer 1), from layer l to l + 1."""
    layer = law.layer
    if law.of_variance:
        return *_line(layer), _start_of(law)
    if layer.is_plain:
        return _chi(law), Integer(1), Integer(1)
    return _chi(law), layer.source, layer.first.weight_rate / layer.first.weight


def _line(layer: Statement) -> tuple[Expr, Expr]:
    """(slope, intercept) of the variance of a ReLU-like network."""
    return layer.growth, layer.branch * layer.layer.bias_variance


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


# ---- the original layer -----------------------------------------------------------------------------


def original_layer(law, depth: int) -> list[Check]:
    """chi (or V) by the original map, and the float64 engine."""
    return [_variance_map(law)] if law.of_variance else [_slope(law), _diagonal(law, depth)]


def _slope(law) -> Check:
    """chi against f' next to c = 1."""
    with mp.workdps(30):
        figure, bound = abs(_slope_near_one(law.layer) / number(_chi(law)) - 1), mpf(10) ** -DIGITS
    detail = "f'(1 - 10^-30) of the original layer in mpmath; f' differs from chi by the order of the root of the gap"
    return Check.measured("$chi$ against $f'$ next to $c = 1$", figure, bound, detail)


def _slope_near_one(layer: Statement):
    """The factor of k in one original layer at gap 10^-30."""
    if layer.is_plain:  # at its own variance, which may be another one than 1
        return CorrelationMap.of(layer.layer).gap_slope(TINY_GAP)
    one, none = (DenseStep(layer)((1, mpf(1), mpf(1), TINY_GAP, mpf(k)))[-1] for k in (1, 0))
    return one - none


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
    """One layer of the variance by quadrature against the formula, at three variances."""
    layer = law.layer
    with mp.workdps(30):
        chi, bias = map(to_mpf, _line(layer))
        pairs = [(_variance(layer, q), bias + chi * q) for q in (mpf(1) / 3, mpf(1), mpf(5))]
        figure, bound = max(abs(one / two - 1) for one, two in pairs), mpf(10) ** -20
    return Check.measured("$V(q) = sigma_b^2 + chi q$ against a quadrature", figure, bound, "q = 1/3, 1 and 5")


def _variance(layer: Statement, q):
    """V(q) of the original layer."""
    return int(layer.skip) * q + to_mpf(layer.branch) * image(layer.layer, q)

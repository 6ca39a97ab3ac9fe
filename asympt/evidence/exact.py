"""Laws that are identities: a finite expansion E(l), held against the recursion that it is to solve for every l.

Rule.  A diagonal NTK obeys k' = chi k + 1, k^1 = 1, with chi = f'(1); the variance of a ReLU-like network obeys
q' = sigma_b^2 + chi q.  In a residual network k' = k + delta, or 2 delta (`at_depth.increments`), and
q' = q + sigma_b^2 + chi q.  With symbols for constants that are known by their digits,

    E(l + 1) - chi E(l) - source = 0        E(1) = first value

must vanish identically.  In numbers: chi against f' at a gap of 10^-30 (f' differs from chi by a power of the
gap), V against a quadrature, and the engine's float64 diagonal.

Tiny case.  E = L: L + 1 - L - 1 = 0.
"""

from collections.abc import Callable

import mpmath
import numpy as np
from mpmath import mp, mpf, nstr
from sympy import Expr, Integer, simplify

from asympt import depth as engine
from asympt.evidence.check import Check
from asympt.evidence.floats.at_depth import increments
from asympt.evidence.reading import number
from asympt.evidence.symbolic.generators import Generators
from asympt.evidence.symbolic.zero import Left
from asympt.meanfield.correlation import CorrelationMap
from asympt.meanfield.statement import Statement
from asympt.numbers import to_mpf
from asympt.precise.dense import DenseStep
from asympt.precise.variance import image
from asympt.symbols import Reserved

START = Reserved("q_1", positive=True)
TINY_GAP, DIGITS = mpf(10) ** -30, 12
FLOATS, RANGE = 1e-11, 250  # bound of the float64 check, decimal powers that the diagonal may grow by
MOST = 10_000  # layers of the float64 check
DETAIL = "symbolic: identically in the depth and in the constants"


def symbolic_checks(law) -> list[Check]:
    """E solves its recursion and starts where it should."""
    found = Generators(set(), 1)
    chi, source, first = (found(e) for e in _recursion(law))
    total, depth = found(law.to_sympy()), law.depth_variable
    step = simplify(total.subs(depth, depth + 1) - chi * total - source)
    start = simplify(total.subs(depth, 1) - first)
    return [
        Left.of([(Integer(1), step)]).check("the formula solves the recursion for every depth", DETAIL),
        Left.of([(Integer(1), start)]).check("the formula is right in layer 1", DETAIL),
    ]


def _recursion(law) -> tuple[Expr, Expr, Expr]:
    """(chi, source, value at layer 1)."""
    layer = law.layer
    if law.name == "variance":
        return *_line(layer), _start_of(law)
    first, more = (Integer(1), Integer(1)) if layer.is_plain else increments(layer)
    return _chi(law), more, first


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
    base = getattr(law.expansion.scale, "base", None)
    if base is None:
        return Integer(1)
    return base if law.expansion.leading[0].order >= 0 else 1 / base


def numeric_checks(law, digits: int, depth: int, workers: int, progress, attempt: Callable) -> list[Check]:
    """`original_layer`, undone if it cannot be done; the other arguments are not used."""
    return attempt("the original layer", lambda: original_layer(law, depth))


def original_layer(law, depth: int) -> list[Check]:
    """chi (or V) by the original map, and the float64 engine."""
    return [_variance_map(law)] if law.name == "variance" else [_slope(law), _diagonal(law, depth)]


def _slope(law) -> Check:
    """chi against f' next to c = 1."""
    with mp.workdps(30):
        stated = number(_chi(law))
        seen = _slope_near_one(law.layer)
        figure = abs(seen / stated - 1)
        bound = mpf(10) ** -DIGITS
    detail = "f'(1 - 10^-30) of the original layer in mpmath; f' differs from chi by the order of the root of the gap"
    name = "chi against f' next to c = 1"
    return Check(name, nstr(figure, 3), nstr(bound, 3), bool(figure <= bound), "checked", detail)


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
        stated = float(mpmath.mpf(number(law.to_sympy().subs(law.depth_variable, last))))
    gap, kernel = engine.pairs(law.layer, np.zeros(1), last)
    figure = abs(float(kernel[0]) / stated - 1) + float(gap[0])
    name = f"the diagonal against float64 iteration of gap 0 at depth {last}: relative deviation"
    return Check.compare(name, float(f"{figure:.3g}"), FLOATS, "the engine's own tables and its own chi")


def _variance_map(law) -> Check:
    """One layer of the variance by quadrature against the formula, at three variances."""
    layer = law.layer
    with mp.workdps(30):
        chi, bias = map(to_mpf, _line(layer))
        pairs = [(_variance(layer, q), bias + chi * q) for q in (mpf(1) / 3, mpf(1), mpf(5))]
        figure = max(abs(one / two - 1) for one, two in pairs)
        bound = mpf(10) ** -20
    name = "V(q) = sigma_b^2 + chi q against a quadrature"
    return Check(name, nstr(figure, 3), nstr(bound, 3), bool(figure <= bound), "checked", "q = 1/3, 1 and 5")


def _variance(layer: Statement, q):
    """V(q) of the original layer."""
    return int(layer.skip) * q + to_mpf(layer.branch) * image(layer.layer, q)

"""The figure of a law on the Edge of Chaos: the layer recursion in float64 and the law's partial sums, from one start.

Problem.  The decaying part of K^L/(qL) may start with log(L)/L or with 1/sqrt(L); on a log-log plot they look alike.

Rule.  Above, L^p times the distance from the limit, p the order of the first decaying term, beside the partial sums of
the law; below, the relative error of these sums.  A term that is missing shows as a line that does not fall.

Tiny case.  tanh: L (K^L/(qL) - 1/3) climbs like log L.
"""

from collections.abc import Sequence

import numpy as np
from sympy import Expr, Symbol

from asympt.depth import pairs
from asympt.expansions import Monomial
from asympt.expansions.printing import latex_expr
from asympt.plots.data import Curve, LawData, Points, depths_to
from asympt.plots.drawing import (
    _canvas,
    _draw_law,
    _draw_points,
    _finish,
    _relative_errors,
    _source_handles,
    _sum_handle,
    _sum_look,
    mark_stability,
)
from asympt.plots.style import GREY, styled
from asympt.recursions.law import Law

_ONE = Monomial(0)


def edge_data(law: Law, correlation: Expr, constants: dict, depth: int = 10**5) -> LawData:
    """The orbit of one c^1, L^p times its distance from the limit; `constants`: C and D by name."""
    order = float(next(m.order for m, _ in law.expansion.terms if m != _ONE))
    depths = depths_to(depth)
    values = [_scaled(law, float(1 - correlation), layer, order) for layer in depths]
    points = Points(np.array(depths, dtype=float), np.array(values), np.full(len(depths), True))
    named = {Symbol(name, real=True): value for name, value in constants.items()}
    symbols = {s: named[t] for _, c in law.expansion.terms for s in c.free_symbols for t in named if s.name == t.name}
    return LawData(law, (Curve(correlation, points, law.expansion.subs(symbols), order),))


def _scaled(law: Law, gap: float, layer: int, order: float) -> float:
    found, kernel = pairs(law.layer, gap, layer)
    if law.linear is None:
        return float(found) * layer**order
    return (float(kernel) - float(law.limit) * layer) * layer ** (order - 1)


@styled
def edge_figure(law: Law, correlation: Expr, constants: dict, depth: int = 10**5, width: float = 5.0):
    """The law of a network on the Edge of Chaos against the layer recursion, from one start."""
    data = edge_data(law, correlation, constants, depth)
    figure, (above, below) = _canvas(width, [0.9 + 0.25 * width] * 2)
    curve, counts = data.curves[0], _counts(law)
    _draw_points(above, curve, None)
    for count in counts:
        _draw_law(above, curve, first=10, terms=count, **_sum_look(count))
        below.plot(*_relative_errors(curve, count), **_sum_look(count), marker=".", markersize=3)
    _frame(above, below, data)
    mark_stability(figure, law)
    handles = [*_source_handles(data, GREY), *(_sum_handle(data, count) for count in counts)]
    return _finish(figure, handles, columns=3)


def _counts(law: Law) -> Sequence[int]:
    """1, 2, ... terms, without the sum that is only the limit."""
    first = 2 if law.expansion.terms[0][0] == _ONE else 1
    return range(first, len(law.expansion.terms) + 1)


def _frame(above, below, data: LawData) -> None:
    """The values set the frame; at small depth the sums may shoot off."""
    from matplotlib.ticker import NullLocator

    curve, law = data.curves[0], data.law
    values = curve.points.values[curve.points.depths >= 10]
    span = float(np.ptp(values)) or 1.0
    above.set_ylim(float(values.min()) - 0.3 * span, float(values.max()) + 0.3 * span)
    above.set_xlim(left=8)
    depth = law.depth_variable
    power = {1.0: str(depth), 0.5: rf"\sqrt{{{depth}}}"}.get(curve.order, rf"{depth}^{{{curve.order:g}}}")
    name = "1-c^l" if law.linear is None else rf"K^L/(q\,L)-{latex_expr(law.limit)}"
    above.set_ylabel(rf"${power}\,\left({name}\right)$")
    below.set_ylabel("relative error")
    below.set_xlabel(f"layer ${depth}$")
    below.set_yscale("log")
    below.yaxis.set_minor_locator(NullLocator())

"""What the figures show, as arrays: the recursion's own values beside the law's partial sums.

Problem.  A log is invisible in K^L/(qL) itself: 1/L and log(L)/L look alike on a log-log plot.  Multiplied by L, the
distance to the limit is bounded for the one and climbs along a straight line in log L for the other.

Rule.  With k = K^L/q,

    L (K^L/(qL) - limit) = k - limit L,       l^p (1 - c^l), p the order of the law's leading term.

Up to layer `ITERATED` the points come from the layer recursion in float64 (`asympt.depth.pairs`), which knows no
law.  Beyond it they come from `law.evaluate`, certified and as fast at 10^12 as at 10^6; they are marked as such.

Tiny case.  ReLU, c^1 = 1/10: k - L/4 is 4.2356 at L = 10^4 and 5.1008 at L = 10^5, and the difference is
(3/8) log 10 = 0.8635 but for the terms that vanish.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from mpmath import mp
from sympy import Expr, Float

from asympt.depth import pairs
from asympt.errors import InputError
from asympt.expansions import Expansion, Monomial
from asympt.numbers import check_depth, exact
from asympt.recursions.inversion import C, D
from asympt.recursions.law import Law

Progress = Callable[[str, int, int], None]

STARTS = ("1/10", "1/2", "9/10")
ITERATED = 10**5
SHALLOWEST = 100
_ONE = Monomial(0)


@dataclass(frozen=True)
class Points:
    """Values at depths; `iterated` is True where the layer recursion was run, False where `law.evaluate` was."""

    depths: np.ndarray
    values: np.ndarray
    iterated: np.ndarray


@dataclass(frozen=True)
class Curve:
    """The points of one start c^1, and the law with its constants put in, times depth^order."""

    correlation: Expr
    points: Points
    expansion: Expansion
    order: float

    def law(self, depths: np.ndarray, terms: int | None = None) -> np.ndarray:
        """depth^order times the first `terms` terms of the law (default: all), without its limit."""
        total = np.zeros_like(depths)
        for monomial, coefficient in self.expansion.terms[:terms]:
            if monomial != _ONE:
                power = depths ** (self.order - float(monomial.order))
                total += float(coefficient) * power * np.log(depths) ** monomial.logs
        return total

    def slope(self, first: float) -> float:
        """The slope of the points in log(depth) from depth `first` on, by least squares."""
        far = self.points.depths >= first
        return float(np.polyfit(np.log(self.points.depths[far]), self.points.values[far], 1)[0])


@dataclass(frozen=True)
class LawData:
    """Everything a figure draws: the law and one curve for each start."""

    law: Law
    curves: tuple[Curve, ...]


def ntk_data(
    net, correlations: Sequence = STARTS, depth: int = 10**6, terms: int = 4, progress: Progress | None = None
) -> LawData:
    """L (K^L/(qL) - limit) for every c^1 in `correlations`, at depths 1, 2, 5, 10, ... up to `depth`.

    `progress(name, done, total)` is called as layers are done.
    The slope of the points in log L is the law's coefficient of log(L)/L, 3/8 for every ReLU-like activation:

    >>> from asympt import FeedForward
    >>> round(ntk_data(FeedForward("relu"), ["1/10"], depth=10**4).curves[0].slope(first=1000), 2)
    0.38
    """
    law, depths = net.ntk_law(terms), depths_to(depth)
    starts = _starts(correlations)
    limit = law.limit

    def certified(layer: int, start: Expr) -> float:
        with mp.workdps(len(str(layer)) + 25):
            average = law.evaluate(layer, digits=len(str(layer)) + 16, correlation=start)
            return float(layer * (average - mp.mpf(limit.p) / limit.q))

    constants = [_constants(law, start) for start in starts]
    iterated = _iterated(net, starts, depths, lambda layer, gap, kernel: kernel - float(limit) * layer, progress)
    return _law_data(law, starts, constants, depths, iterated, certified, order=1)


def correlation_data(
    net, correlations: Sequence = STARTS[:1], depth: int = 10**5, terms: int = 4, progress: Progress | None = None
) -> LawData:
    """l^p (1 - c^l) for every c^1 in `correlations`, p the order of the law's leading term (2 for ReLU).

    >>> from asympt import FeedForward
    >>> curve = correlation_data(FeedForward("relu"), depth=1000).curves[0]
    >>> round(float(curve.points.values[-1]), 8)        # 1000^2 * 4.3194119238e-05
    43.19411924
    """
    law, depths = net.correlation_law(terms), depths_to(depth)
    starts = _starts(correlations)
    order = law.expansion.leading[0].order

    def certified(layer: int, start: Expr) -> float:
        gap = law.evaluate(layer, digits=20, correlation=start)
        with mp.workdps(30):
            return float(mp.mpf(layer) ** (mp.mpf(order.p) / order.q) * gap)

    constants = [_constants(law, start) for start in starts]
    iterated = _iterated(net, starts, depths, lambda layer, gap, kernel: float(layer) ** float(order) * gap, progress)
    return _law_data(law, starts, constants, depths, iterated, certified, order)


def depths_to(depth) -> list[int]:
    """1, 2, 5, 10, 20, 50, ... up to `depth`, which is the last.

    >>> depths_to(150)
    [1, 2, 5, 10, 20, 50, 100, 150]
    """
    depth = check_depth(depth)
    if depth < SHALLOWEST or depth > 10**100:
        raise InputError(f"depth = {depth} is no range to plot a law over; take one from {SHALLOWEST} to 10^100")
    steps = [step * 10**decade for decade in range(len(str(depth))) for step in (1, 2, 5)]
    return [step for step in steps if step < depth] + [depth]


def _starts(correlations: Sequence) -> list[Expr]:
    starts = [exact(c, "correlation") for c in correlations]
    if not starts:
        raise InputError("correlations is empty; give at least one c^1, for example 1/10")
    return starts


def _constants(law: Law, start: Expr) -> dict:
    """{C: its value, D: its value} for one start; raises for a start that has none (c^1 = 1)."""
    values = {C: Float(law.connection_constant(30, correlation=start), 30)}
    if law.linear is not None:
        values[D] = Float(law.second_constant(30, correlation=start), 30)
    return values


def _iterated(net, starts: Sequence[Expr], depths: Sequence[int], observe, progress: Progress | None) -> np.ndarray:
    """observe(layer, gap, k) at the depths up to ITERATED, a row for each start; progress counts layers."""
    gaps = np.array([float(1 - start) for start in starts])
    layers, columns, done = [layer for layer in depths if layer <= ITERATED], [], 0
    for layer in layers:
        columns.append(observe(layer, *pairs(net, gaps, layer)))
        done += layer
        if progress is not None:
            progress("recursion", done, sum(layers))
    return np.array(columns).T


def _law_data(law: Law, starts, constants, depths, iterated, certified, order) -> LawData:
    beyond = [layer for layer in depths if layer > ITERATED]
    sources = np.array([layer <= ITERATED for layer in depths])
    curves = []
    for start, values, row in zip(starts, constants, iterated, strict=True):
        far = [certified(layer, start) for layer in beyond]
        points = Points(np.array(depths, dtype=float), np.concatenate([row, far]), sources)
        curves.append(Curve(start, points, law.expansion.subs(values), float(order)))
    return LawData(law, tuple(curves))

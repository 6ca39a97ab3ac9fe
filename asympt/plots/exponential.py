"""What the figures of the ordered and the chaotic phase show: the distance from the limit at every depth.

Problem.  Off the Edge of Chaos correlation and NTK reach their limits like chi^l or l chi^l: on a logarithmic scale the
first is a straight line, and the factor l of the second bends it.

Rule.  |1 - c^l - limit| and |K^L/q - limit| from the layer recursion in float64, and the law's terms beside them.  A
distance is shown as far as float64 can tell it from the rounding of limit and value.

Tiny case.  ReLU, sigma_w = sigma_b = 1, c^1 = 1/10: K^30/q = 1.99994326, limit 2.

Known limits.  No points below `TOLD`; in the ordered phase 1 - c^l itself has all its digits, and no such bound.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from asympt.errors import InputError
from asympt.expansions import Monomial
from asympt.numbers import check_depth
from asympt.plots.constants import constants_of, pairs_at
from asympt.plots.data import STARTS, Curve, LawData, Points, Progress, first_decaying, starts_of
from asympt.recursions.law import Law

TOLD = 1e-12
CLOSE = 1e-11  # the distance at which a figure ends
MOST, DOTS = 5_000, 40
_ONE = Monomial(0)


@dataclass(frozen=True)
class ExponentialCurve(Curve):
    """The distances from the limit of one start, and the law with its constants put in."""

    def law(self, depths: np.ndarray, terms: int | None = None) -> np.ndarray:
        """|the first `terms` terms of the law, without its limit|."""
        scale, total = self.expansion.scale, np.zeros_like(depths, dtype=float)
        for monomial, coefficient in self.expansion.terms[:terms]:
            if monomial != _ONE:
                total += float(coefficient) * sizes(scale, monomial, depths)
        return np.abs(total)


def sizes(scale, monomial: Monomial, depths: np.ndarray) -> np.ndarray:
    """base^(p l) second^(w l) l^j for the monomial of an exponential scale."""
    times = 0 if scale.second is None else monomial.order.coeff(scale.weight)
    order = monomial.order - times * scale.weight if times else monomial.order
    powers = float(scale.base) ** (float(order) * depths) * depths**monomial.logs
    return powers * float(scale.second) ** (float(times) * depths) if times else powers


def exponential_data(
    net,
    kind: str,
    correlations: Sequence = STARTS,
    depth: int | None = None,
    terms: int = 4,
    progress: Progress | None = None,
) -> LawData:
    """The distance of `kind` ('ntk' or 'correlation') from its limit, for every c^1 in `correlations`.

    `net` is in the ordered or in the chaotic phase.  Without `depth` the figure ends where the distance is 1e-11.

    >>> from asympt import FeedForward
    >>> curve = exponential_data(FeedForward("relu", sigma_w=1, sigma_b=1), "ntk", ["1/10"], depth=30).curves[0]
    >>> round(float(curve.points.values[-1]), 8)
    5.674e-05
    """
    law = net.ntk_law(terms) if kind == "ntk" else net.correlation_law(terms)
    starts = starts_of(correlations)
    depths = depths_of(law, depth)
    constants = [constants_of(net, law, start) for start in starts]
    gaps = np.array([float(1 - start) for start in starts])
    rows = []
    for done, layer in enumerate(depths, start=1):
        rows.append(np.abs(pairs_at(net, gaps, layer)[kind == "ntk"] - float(law.limit)))
        if progress is not None:
            progress("recursion", done, len(depths))
    curves = (
        ExponentialCurve(start, _points(law, depths, values), law.expansion.subs(known), 0.0)
        for start, known, values in zip(starts, constants, np.array(rows).T, strict=True)
    )
    return LawData(law, tuple(curves))


def depths_of(law: Law, depth: int | None) -> list[int]:
    """About `DOTS` depths up to `depth`, or up to where the first decaying monomial is `CLOSE`."""
    if depth is None:
        every = np.arange(1, MOST + 1)
        below = sizes(law.expansion.scale, first_decaying(law), every.astype(float)) < CLOSE
        last = int(every[np.argmax(below)]) if below[-1] else MOST
    else:
        last = check_depth(depth)
    if not 2 <= last <= MOST:
        raise InputError(f"depth = {last} is no range to plot an exponential law over; take one from 2 to {MOST}")
    step = -(-last // DOTS)
    return [*range(1, last, step), last]


def _points(law: Law, depths: Sequence[int], values: np.ndarray) -> Points:
    """The distances that float64 can tell."""
    told = values > (TOLD * abs(float(law.limit)) if law.limit != 0 else 0)
    kept = np.array(depths, dtype=float)[told]
    return Points(kept, values[told], np.full(kept.shape, True))

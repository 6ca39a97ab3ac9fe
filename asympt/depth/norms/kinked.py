"""One layer of an activation with breakpoints, or a steep one, for pairs of inputs with variances of their own.

Problem.  As in `tiles`; near c = 1 and near c = -1 the maps of a phi with breakpoints have square roots, and where q
and q' are nearly alike a boundary layer.

Rule.  b^2 = (1 - |c|)/2 <= REACH^2 is near c = 1 (`near`), or near c = -1 (`near` with phi(-x) beside phi); all else is
`far`.  With S(b) the sum over crossings, what different variances alone take (`spread`) is, G smooth,
(q - q')^2/(q + q')^2 G - r S(0), and

    near c = 1:     spread + drop = (q - q')^2/(q + q')^2 G + r (2 b^2 A - S(b)),
    near c = -1:    E(c) = E(c_0) - r [2 b_0^2 A(b_0) - 2 b^2 A(b) - S(b_0) + S(b)],   c_0 = 2 REACH^2 - 1, from `far`.

S(0) cancels, and what remains keeps its digits for gaps and differences of variances of any size.

Tiny case.  Two inputs of one variance: 1 - c' = sigma_w^2 r (2 b^2 A - S)/W.

Known limits.  Ranges of log2 q of at most `widest` octaves on either side: `together` cuts wider ones.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from asympt.depth.cells import SMALLEST
from asympt.depth.norms.far import Far
from asympt.depth.norms.near import REACH, Near, is_resolvable, near_of, plan
from asympt.depth.norms.pairing import Paired, Tile
from asympt.depth.norms.spread import kinked_ratios
from asympt.depth.norms.strips import parity
from asympt.depth.norms.tiles import Sides, apart
from asympt.gaussian.piecewise import PiecewiseSmooth

EDGE = 1.0 - 2.0 * REACH**2
FEW = 1 / 16  # of the pairs of a tile: so few are taken one by one
WIDEST = 2.1  # octaves


def widest(phi: PiecewiseSmooth) -> float:
    """How many octaves of q share tables: with breakpoints at 0, or none, there are no crossings to be resolved."""
    return WIDEST if any(point != 0 for point in phi.breaks) else 2 * WIDEST


@dataclass(frozen=True)
class KinkedSides(Sides):
    """Inputs whose variances are within some octaves of one another, on either side."""

    @cached_property
    def is_tabled(self) -> bool:
        """Whether phi is not too steep for these tables."""
        phi, q, other = self.layer.phi, self.q, self.other
        return min(q.min(), other.min()) >= SMALLEST and all(
            is_resolvable(phi, q, other, reflected) for reflected in (False, True)[: 1 if parity(phi) else 2]
        )

    @cached_property
    def near(self) -> Near:
        """Around c = 1."""
        return near_of(self.layer.phi, plan(self.layer.phi, self.q, self.other, False), False)

    @cached_property
    def opposite(self) -> Near:
        """Around c = -1; of an odd or even phi the same but for the sign."""
        if parity(self.layer.phi):
            return self.near
        return near_of(self.layer.phi, plan(self.layer.phi, self.q, self.other, True), True)

    @cached_property
    def far(self) -> Far:
        """Elsewhere."""
        return Far.of(self.layer.phi, self.q, self.other, EDGE)

    @cached_property
    def apart(self) -> tuple[np.ndarray, np.ndarray]:
        """Products of (G and Lagrange's sum)/sqrt(W W')."""
        one, two = self.near.ends
        ratios = kinked_ratios(self.layer.phi, one.nodes, two.nodes)
        ratios[0] += self.near.excess()
        return one.features @ apart(self.layer, one.nodes, two.nodes, ratios), two.features.T

    def image(self, where: Tile | Paired, gap: np.ndarray, rest: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(1 - c', what the branch multiplies k by) at pairs of inputs."""
        close, opposite = gap < 1.0 - EDGE, gap > 1.0 + EDGE
        found = [(mask, of) for mask, of in ((close, self._close), (opposite, self._opposite),
                                             (~(close | opposite), self._far)) if mask.any()]  # fmt: skip
        if len(found) == 1:
            return found[0][1](where, gap, rest)
        moved, slope = np.empty_like(gap), np.empty_like(gap)
        for mask, of in found:
            if isinstance(where, Paired) or mask.mean() < FEW:
                moved[mask], slope[mask] = of(where.only(mask), gap[mask], rest[mask])
            else:
                inside = (np.where(mask, values, values[mask][0]) for values in (gap, rest))
                for target, values in zip((moved, slope), of(where, *inside), strict=True):
                    np.copyto(target, values, where=mask)
        return moved, slope

    def _close(self, where: Tile | Paired, gap: np.ndarray, _rest: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        q, other = where.first(self.q), where.second(self.other)
        slope, drop = self.near.at(where, q, other, np.sqrt(0.5 * gap))
        return self.fallen(where, self.apart, drop, slope, self.tilted(where, self.layer.weight), gap)

    def _far(self, where: Tile | Paired, gap: np.ndarray, _rest: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        value, slope = self.far.at(where, 1.0 - gap, self._mean(where))
        return self.plain(where, value, slope, self.over_norms(where, self.layer.weight), gap)

    def _opposite(self, where: Tile | Paired, gap: np.ndarray, rest: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        q, other = where.first(self.q), where.second(self.other)
        slope, drop = self.opposite.at(where, q, other, np.sqrt(np.maximum(0.5 * rest, 0.0)))
        drop -= self.opposite.at(where, q, other, np.full_like(gap, REACH))[1]
        if parity(self.layer.phi) < 0:
            np.negative(drop, out=drop)
            np.negative(slope, out=slope)
        r = self._mean(where)
        drop += self.far.at(where, np.full_like(gap, -EDGE), r)[0] / r
        return self.plain(where, drop, slope, self.tilted(where, self.layer.weight), gap)

    def _mean(self, where: Tile | Paired) -> np.ndarray:
        """r."""
        return where.first(np.sqrt(self.q)) * where.second(np.sqrt(self.other))

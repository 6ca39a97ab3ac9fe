"""Layers that differ from one another but are the same for all pairs: run on the nodes of a table, not on the pairs.

Problem.  With weights that depend on the layer, or a variance that moves but is the same for all inputs, there is
nothing to square; yet the gap after L layers is still a function of the first gap alone.

Rule.  The loop over the layers runs on the nodes of a grid, some ten thousand of them; then every pair is a look-up.
Fewer pairs than nodes run through the loop themselves, and so do the few whose distance from gap 2 a float64 node would
round (below 2^-16).

Tiny case.  Half a million pairs through 1,000 layers: the loop sees 5,000 nodes.

Known limits.  The accuracy of the loop itself.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass

import numpy as np

from asympt.depth.squaring.panels import LOWEST, PanelGrid, tail
from asympt.depth.squaring.whole import CUTS, KEPT, MOST_CUTS, WholeMap, bucket

NEAREST = -16  # octave of 2 - gap
ROUGH = 1e-11  # last Chebyshev coefficients; a loop has noise of its own
Run = Callable[..., tuple[np.ndarray, np.ndarray]]  # of (gap, tick), and of 2 - gap where more of it is known

_kept: OrderedDict[Hashable, WholeMap] = OrderedDict()


def by_nodes(run: Run, gap: np.ndarray, tick: Callable[[int], None], rest=None) -> tuple[np.ndarray, np.ndarray]:
    """(gap_L, k_L) of flat gaps by a hashable function `run(gap, tick, rest)`, on the pairs or on fewer nodes.

    `tick(layers)` is called as layers are done.
    """
    inside = is_tabulated(gap)
    low = bucket(float(np.min(gap, where=inside, initial=1.0)), LOWEST)
    if gap.size <= PanelGrid(low, NEAREST, CUTS).nodes[0].size:
        return run(gap, tick, rest)
    after, kernel = _table(run, low, tick)(gap)
    others = np.flatnonzero(~inside)
    if others.size:
        rest = 2.0 - gap if rest is None else rest
        values, places = np.unique(np.stack([gap[others], rest[others]]), axis=1, return_inverse=True)
        one, two = run(values[0], lambda layers: None, values[1])
        places = places.ravel()
        after[others], kernel[others] = one[places], two[places]
    return after, kernel


def is_tabulated(gap):
    """Whether the table serves a gap, in arrays of any library: 0 and what is near 2 go through the loop."""
    return (gap > 0) & (2.0 - gap >= 2.0**NEAREST)


@dataclass(frozen=True)
class OnNodes:
    """A run as a function of the gap alone, by `by_nodes`."""

    run: Run

    def __call__(self, gap: np.ndarray, tick: Callable[[int], None], rest=None) -> tuple[np.ndarray, np.ndarray]:
        """(gap_L, k_L) of flat gaps."""
        return by_nodes(self.run, gap, tick, rest)

    def table(self, least: float, closest: float) -> WholeMap:
        """For gaps from `least` on that are tabulated."""
        return _table(self.run, bucket(least, LOWEST), lambda layers: None)

    def is_tabulated(self, gap):
        """All but 0 and those near 2."""
        return is_tabulated(gap)


def _table(run: Run, low: int, tick: Callable[[int], None]) -> WholeMap:
    if (run, low) not in _kept:
        _kept[run, low] = _built(run, low, tick)
    _kept.move_to_end((run, low))
    while len(_kept) > KEPT:
        _kept.popitem(last=False)
    return _kept[run, low]


def _built(run: Run, low: int, tick: Callable[[int], None]) -> WholeMap:
    for cuts in range(CUTS, MOST_CUTS + 1):
        grid = PanelGrid(low, NEAREST, cuts)
        gap = grid.nodes[0]
        after, kernel = (v.reshape(gap.shape) for v in run(gap.ravel(), tick))
        shrink = np.divide(after, gap, out=np.ones_like(gap), where=gap > 0)
        tables = grid.fit(shrink), grid.fit(kernel)
        if max(tail(tables[0]), tail(tables[1], 1.0)) < ROUGH:
            break
    return WholeMap(grid, 1.0, tables[0], None, tables[1], False)

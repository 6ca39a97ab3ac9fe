"""All pairs of two sets of inputs, layer after layer, while their variances move.

Problem.  What a layer needs of N inputs is worth computing once for all their pairs; so all pairs move together.

Rule.  Tiles of pairs are parts of two arrays that become the answer.  Before a layer the properties of all inputs
(`tiles.Side`), then tile after tile.  Pairs of an input of zeros, and activations with breakpoints or too steep for a
series, go pair by pair (`moving`).

Tiny case.  Three inputs compared with themselves: one tile, the pairs (0, 1), (0, 2), (1, 2) of which count.

Known limits.  One process.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from asympt.depth.cells import SMALLEST
from asympt.depth.inputs import Inputs, first_pairs
from asympt.depth.moving import Moving, Pairs, require_finite
from asympt.depth.norms.tiles import TileSide, moves_in_tiles, tile_layer
from asympt.depth.recipe import Recipe
from asympt.depth.workers import Progress


@dataclass(frozen=True)
class Tiles:
    """(rows, columns) of the tiles of two sets of inputs, and arrays (N, M) for gaps and k."""

    one: Inputs
    two: Inputs
    places: Iterable[tuple[slice, slice]]
    gap: np.ndarray
    kernel: np.ndarray

    @property
    def is_square(self) -> bool:
        """Whether the inputs are compared with themselves: then only pairs above the diagonal count."""
        return self.two is self.one

    @property
    def variances(self) -> np.ndarray:
        """q^1 of all inputs, those of the columns after those of the rows."""
        return self.one.variance if self.is_square else np.concatenate([self.one.variance, self.two.variance])

    def first(self, recipe: Recipe) -> list[tuple]:
        """(rows, columns, gap, k) of layer 1; the last two are parts of the arrays."""
        found = []
        for rows, columns in self.places:
            gap, variances = first_pairs(self.one[rows], self.two[columns], 0 if self.is_square else None)
            mean = np.sqrt(variances.first) * np.sqrt(variances.second)
            state = self.gap[rows, columns], self.kernel[rows, columns]
            state[0][:] = gap.reshape(state[0].shape)
            state[1][:] = recipe.first_kernel(gap, mean).reshape(state[0].shape)
            found.append((rows, columns, *state))
        return found

    def moved(self, layer: Moving, number: int, q: np.ndarray, states: list[tuple], report: Progress) -> np.ndarray:
        """Moves all tiles into layer `number`, in place; returns the variances there."""
        after = layer.variances(q)[0]
        require_finite(after, number)
        silent = q < SMALLEST  # where they stay so, whatever the tile says of their angle meets a norm of 0
        awake = silent & (after > 0)
        safe = np.where(silent, np.min(q, where=~silent, initial=1.0), q)
        side = TileSide.of(layer, safe) if moves_in_tiles(layer.phi, safe) else None
        for rows, columns, gap, kernel in states:
            i, j = np.arange(len(self.one))[rows], np.arange(len(self.two))[columns] + len(q) - len(self.two)
            wanted = j > i[:, None] if self.is_square else np.ones(gap.shape, dtype=bool)
            alone = np.flatnonzero(wanted if side is None else wanted & (awake[i][:, None] | awake[j]))
            pairs = Pairs(*(v.ravel()[alone] for v in np.broadcast_arrays(i[:, None], j)),
                          gap.ravel()[alone], kernel.ravel()[alone])  # fmt: skip
            if side is not None:
                tile_layer(side, i, j, gap, kernel)
            if alone.size:
                layer.layer(pairs, q, lambda done: None)
                gap[np.unravel_index(alone, gap.shape)] = pairs.gap
                kernel[np.unravel_index(alone, gap.shape)] = pairs.kernel
            report.add(int(wanted.sum()))
        return after

"""All pairs of two sets of inputs, layer after layer, while their variances move: tiles are parts of the answer.

What a layer needs of N inputs (`tiles.Sides`) is computed once for all their pairs; with breakpoints inputs are in
groups of alike variances, with tables for every two groups.  Pairs of an input of zeros, few pairs of a phi with
breakpoints, and a phi too steep for tables go pair by pair (`moving`).
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from asympt.depth.cells import SMALLEST
from asympt.depth.inputs import Inputs, first_gaps, gaps_and_rests
from asympt.depth.moving import Moving, Pairs, require_finite
from asympt.depth.norms.kinked import KinkedSides, widest
from asympt.depth.norms.products import SmoothSides, closed_form, is_tabled
from asympt.depth.norms.tiles import Paired, Sides, Tile, move
from asympt.depth.stack import DenseStack
from asympt.depth.workers import Progress

FEW_PAIRS = 200  # of two groups of inputs, which cost less one by one (2 ms) than tables do
SOME_PAIRS = 5000  # of a smooth phi without closed form, likewise (some microseconds)
MANY = 2**15  # pairs in a list that are moved at once
NONE = Pairs(np.empty(0, dtype=int), np.empty(0, dtype=int), np.empty(0), np.empty(0))


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

    def first(self, stack: DenseStack) -> list[tuple]:
        """(rows, columns, gap, k) of layer 1; the last two are parts of the arrays."""
        found = []
        for rows, columns in self.places:
            one, two = self.one[rows], self.two[columns]
            gap = first_gaps(one, two, 0 if self.is_square else None)
            state = self.gap[rows, columns], self.kernel[rows, columns]
            state[0][:] = gap
            state[1][:] = stack.first_kernel(gap, np.sqrt(one.variance)[:, None] * np.sqrt(two.variance))
            found.append((rows, columns, *state))
        return found

    def _rest(self, rows: slice, columns: slice) -> np.ndarray:
        """2 - gap in layer 1, found once more rather than kept."""
        return gaps_and_rests(self.one[rows], self.two[columns], 0 if self.is_square else None)[1]

    def moved(self, layer: Moving, number: int, q: np.ndarray, states: list[tuple], report: Progress) -> np.ndarray:
        """Moves all tiles into layer `number`, in place; returns the variances there."""
        after = layer.variances(q)[0]
        require_finite(after, number)
        mover = Mover.of(layer, q, after, [gap for _, _, gap, _ in states])
        for rows, columns, gap, kernel in states:
            rest = None if number > 2 else self._rest(rows, columns)
            i, j = np.arange(len(self.one))[rows], np.arange(len(self.two))[columns] + len(q) - len(self.two)
            mover.move_tile(i, j, self.is_square, gap, kernel, rest)
            report.add(gap.size - self.is_square * len(i) * (len(i) + 1) // 2)
        return after


@dataclass(frozen=True)
class Mover:
    """One layer for pairs of inputs of variances `q`, in groups of alike variances with tables for every two of them.

    `groups` is empty where there are no tables: all goes pair by pair.  `alone`: inputs whose pairs do so in any case,
    those of variance 0 that do not stay there; a silent input that stays so meets a norm of 0, whatever its angle is.
    """

    layer: Moving
    q: np.ndarray
    alone: np.ndarray
    group: np.ndarray
    sides: dict[tuple[int, int], Sides | None]
    members: list[np.ndarray]

    @classmethod
    def of(cls, layer: Moving, q: np.ndarray, after: np.ndarray, gaps: list[np.ndarray]) -> "Mover":
        silent = q < SMALLEST
        safe = np.where(silent, np.min(q, where=~silent, initial=1.0), q)
        alone, group = silent & (after > 0), np.zeros(len(q), dtype=int)
        if is_tabled(layer.phi, safe):
            side = replace(SmoothSides.of(layer, safe, safe), most=_largest(gaps))
            return cls(layer, q, alone, group, {(0, 0): side}, [np.arange(len(q))])
        count = sum(gap.size for gap in gaps)
        group = _groups(safe, widest(layer.phi))
        members = [np.flatnonzero(group == at) for at in range(group.max() + 1)]
        parts, sides = [safe[some] for some in members], {}
        for one in range(len(parts)):
            for two in range(one, len(parts)):
                pairs = count * (len(parts[one]) / len(q)) * (len(parts[two]) / len(q))
                side = KinkedSides.of(layer, parts[one], parts[two]) if pairs > FEW_PAIRS else None
                sides[one, two] = side if side is not None and side.is_tabled else None
        return cls(layer, q, alone, group, sides, members)

    def move_tile(self, i, j, above: bool, gap: np.ndarray, kernel: np.ndarray, rest: np.ndarray | None) -> None:
        """The pairs i x j, in place; of those that go one by one only i < j where `above`."""
        left = self.alone[i][:, None] | self.alone[j] if self.alone.any() else None
        parts = [(at, np.flatnonzero(self.group[i] == at), np.flatnonzero(self.group[j] == at))
                 for at in range(len(self.members))]  # fmt: skip
        for one, rows, _ in parts:
            for two, _, columns in parts:
                if not (rows.size and columns.size):
                    continue
                if self.sides[min(one, two), max(one, two)] is None:
                    left = np.zeros(gap.shape, dtype=bool) if left is None else left
                    left[np.ix_(rows, columns)] = True
                else:
                    self._part(one, two, i, j, rows, columns, gap, kernel, rest)
        if left is not None:
            self._one_by_one(i, j, left & (j > i[:, None]) if above else left, gap, kernel, rest)

    def _one_by_one(self, i, j, left: np.ndarray, gap: np.ndarray, kernel: np.ndarray, rest) -> None:
        """The pairs i x j that are `left`, in place."""
        i, j = (v[left] for v in np.broadcast_arrays(i[:, None], j))
        pairs = Pairs(i, j, gap[left], kernel[left], None if rest is None else rest[left])
        self.layer.layer(pairs, self.q, lambda done: None)
        gap[left], kernel[left] = pairs.gap, pairs.kernel

    def move_list(self, pairs: Pairs) -> None:
        i, j = pairs.first, pairs.second
        left = self.alone[i] | self.alone[j]
        code = self.group[i] * len(self.members) + self.group[j]
        for at in np.unique(code):
            one, two = divmod(int(at), len(self.members))
            side, chosen = self.sides[min(one, two), max(one, two)], np.flatnonzero(code == at)
            if side is None:
                left[chosen] = True
                continue
            rows, columns = np.searchsorted(self.members[one], i[chosen]), np.searchsorted(self.members[two], j[chosen])
            where = Paired(rows, columns) if one <= two else Paired(columns, rows)
            gap, kernel, rest = pairs.part(chosen)
            move(side, where, gap, kernel, rest)
            some = ~left[chosen]
            pairs.gap[chosen[some]], pairs.kernel[chosen[some]] = gap[some], kernel[some]
        if left.any():
            some = Pairs(i[left], j[left], *pairs.part(left))
            self.layer.layer(some, self.q, lambda done: None)
            pairs.gap[left], pairs.kernel[left] = some.gap, some.kernel

    def _part(self, one: int, two: int, i, j, rows, columns, gap, kernel, rest) -> None:
        """A group of rows and a group of columns."""
        first, second = (np.searchsorted(self.members[at], v) for at, v in ((one, i[rows]), (two, j[columns])))
        whole = rows.size == len(i) and columns.size == len(j)
        place = (slice(None), slice(None)) if whole else np.ix_(rows, columns)
        some, kernels, rest = gap[place], kernel[place], None if rest is None else rest[place]
        if one <= two:
            move(self.sides[one, two], Tile(first, second), some, kernels, rest)
        else:
            move(self.sides[two, one], Tile(second, first), some.T, kernels.T, None if rest is None else rest.T)
        if not whole:
            gap[place], kernel[place] = some, kernels


def move_pairs(layer: Moving, pairs: Pairs, q: np.ndarray, progress: Callable[[int], None]) -> tuple:
    """`Moving.with_source`, by tables where these cost less than one pair after the other."""
    if not _are_worth(layer, pairs, q):
        return layer.with_source(pairs, q, progress)
    found = layer.with_source(NONE, q, progress)
    for start in range(0, pairs.gap.size, MANY):
        part = slice(start, start + MANY)
        i, j, (gap, kernel, rest) = pairs.first[part], pairs.second[part], pairs.part(part)
        places, index = np.unique(np.stack([i, j]), return_inverse=True)
        index = index.reshape(2, -1)
        some = Pairs(index[0], index[1], gap, kernel, rest)
        Mover.of(layer, q[places], found[0][places], [gap]).move_list(some)
        pairs.gap[part], pairs.kernel[part] = some.gap, some.kernel
        progress(gap.size)
    pairs.rest = None
    return found


def _are_worth(layer: Moving, pairs: Pairs, q: np.ndarray) -> bool:
    count, safe = pairs.gap.size, np.maximum(q, SMALLEST)
    if not np.isfinite(layer.variances(q)[0]).all():
        return False
    if not is_tabled(layer.phi, safe) or closed_form(layer.phi) is not None:
        return count > FEW_PAIRS
    return count > SOME_PAIRS


def _largest(gaps: list[np.ndarray]) -> float:
    return min(1.0, max(max(1.0 - gap.min(initial=1.0), gap.max(initial=1.0) - 1.0) for gap in gaps))


def _groups(q: np.ndarray, width: float) -> np.ndarray:
    """The group of every variance: groups of at most `width` octaves, the fewest of equal width."""
    logs = np.log2(q)
    low, high = logs.min(), logs.max()
    count = max(1, int(np.ceil((high - low) / width)))
    found = np.minimum((logs - low) * (count / max(high - low, 1e-300)), count - 1).astype(int)
    return np.unique(found, return_inverse=True)[1]

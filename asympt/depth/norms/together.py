"""All pairs of two sets of inputs, layer after layer, while their variances move; layers of a phi with breakpoints.

b^2 = (1 - |c|)/2 <= REACH^2 is near c = 1 (`near`), or near c = -1 (`near` with phi(-x) beside phi).  With S(b) the sum
over crossings and (q - q')^2/(q + q')^2 G - r S(0) what different variances alone take (`products`), G smooth,

    near c = 1:     spread + drop = (q - q')^2/(q + q')^2 G + r (2 b^2 A - S(b)),
    near c = -1:    E(c) = E(c_0) - r [2 b_0^2 A(b_0) - 2 b^2 A(b) - S(b_0) + S(b)],   c_0 = 2 REACH^2 - 1, from far.

All else is `Far`: with B_k = b_k b_k' (Hermite coefficients of phi'), x = c^2 and s = sqrt(1 - x) in Chebyshev points,

    E = a_0 a_0' + r (c V_0(x) + V_1(x)),        V_0 = sum_(k even) B_k x^(k/2)/(k+1),
    dE/dc = r (P_0(x) + c P_1(x)),               V_1 = sum_(k odd) B_k x^((k+1)/2)/(k+1).
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.polynomial import chebyshev

from asympt.depth.gaps import Inputs, gaps_and_rests
from asympt.depth.moving import SMALLEST, Moving, Pairs, hermite_rows, require_finite
from asympt.depth.norms.near import REACH, Near, is_resolvable, near_of, parity, plan
from asympt.depth.norms.products import (
    ABSENT,
    Part,
    Parts,
    SmoothSides,
    basis,
    closed_form,
    factored,
    is_tabled,
    kinked_ratios,
    sampled,
    transform,
)
from asympt.depth.norms.tiles import Paired, Sides, Tile, apart, move
from asympt.depth.psi import NODES, FloatPsi, numpy_derivative, panels
from asympt.depth.workers import Progress
from asympt.gaussian.piecewise import PiecewiseSmooth

# ---- away from c = 1 -------------------------------------------------------------------------------------------------

DEGREES = 40
NEGLIGIBLE = 1e-16
FINEST = 3e-16  # of the largest value: what is left out
BEYOND, WIDTH = 13.5, 0.5  # of the base panels


@dataclass(frozen=True)
class Far(Parts):
    """P and V of all inputs, and a_0: what tiles need where |c| <= `most`."""

    mean: tuple[np.ndarray, np.ndarray]

    @classmethod
    def of(cls, phi: PiecewiseSmooth, q: np.ndarray, other: np.ndarray, most: float) -> "Far":
        """From the series at a few variances."""
        one = _side(phi, q, most)
        two = one if other is q else _side(phi, other, most)
        mean = tuple(features @ columns[:, :1] for columns, features in (one, two))
        parts = [_part(one, two, parity, most) for parity in (0, 1)]
        return cls(np.sqrt(1.0 - most**2), *parts, (mean[0], mean[1].T))

    def image(self, where: Tile | Paired, c: np.ndarray, r: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(E, dE/dc) at pairs of inputs."""
        value, slope = self.at(where, self.place(1.0 - c * c), c)
        value *= r
        slope *= r
        value += where.product(*self.mean)
        return value, slope


def _side(phi: PiecewiseSmooth, q: np.ndarray, most: float) -> tuple[np.ndarray, np.ndarray]:
    """(a_0 and most^(k/2) b_k at Chebyshev points of the range of q, the matrix from values there to the inputs)."""
    columns, low, high = sampled(lambda points: damped_hermite(phi, points, most), q)
    return columns, basis(q, low, high, len(columns)) @ transform(len(columns))


def _part(one: tuple, two: tuple, parity: int, most: float) -> Part | None:
    """One part from the damped coefficients at the variances of the points."""
    left, right = (columns[:, 1 + parity :: 2] for columns, _ in (one, two))
    whole = max(np.abs(columns).max() for columns, _ in (one, two))
    if min(np.abs(left).max(), np.abs(right).max()) <= ABSENT * whole:
        return None
    count = left.shape[1]
    products = (left[:, None, :] * right[None, :, :]).reshape(-1, count)
    k = 2 * np.arange(count) + parity
    least = np.sqrt(1.0 - most**2)
    s = least + (1 - least) * (1 + chebyshev.chebpts1(DEGREES)) / 2
    c = np.sqrt((1 - s) * (1 + s))
    powers = (c / most)[:, None] ** (k - parity) * most ** -float(parity)
    values = powers @ products.T
    integrals = (powers * (c[:, None] ** (2 * parity) / (k + 1))) @ products.T
    features = one[1], two[1]
    fine = FINEST * len(left) * np.abs(products).sum(axis=1).max()
    return Part(*(factored(v, features, fine) for v in (values, integrals)))


# ---- Hermite coefficients ---------------------------------------------------------------------------------


def damped_hermite(phi: PiecewiseSmooth, variances: np.ndarray, most: float) -> np.ndarray:
    """a_0 and most^(k/2) b_k, k = 0, 1, ..., while most^k counts: shape (len(variances), columns)."""
    count = int(np.ceil(np.log(NEGLIGIBLE) / np.log(most)))
    edges, x, w, base = _base(phi, count, int(np.ceil(np.log2(variances.max()))))
    roots = np.sqrt(variances)[:, None]
    value, derivative = numpy_derivative(phi, 0), numpy_derivative(phi, 1)
    breaks = [float(point) for point in phi.breaks] / roots
    broken = np.zeros((len(variances), len(edges) - 1), dtype=bool)
    place = np.clip(np.searchsorted(edges, breaks) - 1, 0, len(edges) - 2)
    np.put_along_axis(broken, place, True, axis=1)
    whole = ~np.repeat(broken, NODES, axis=1)
    with np.errstate(over="ignore", invalid="ignore"):
        found = (np.where(whole, derivative(roots * x), 0.0) * w) @ base.T
        mean = (np.where(whole, value(roots * x), 0.0) * w) @ _density(x)
    if not phi.breaks:
        return np.concatenate([mean[:, None], found * most ** (np.arange(count) / 2)], axis=1)
    parts = [_cut_panels(edges, breaks[i], place[i]) for i in range(len(variances))]
    y, wy = (np.concatenate([part[at] for part in parts]) for at in (0, 1))
    starts = np.cumsum([0] + [len(part[0]) for part in parts[:-1]])
    root = np.repeat(roots[:, 0], [len(part[0]) for part in parts])
    rows = np.array(list(hermite_rows(y, _density(y), count)))
    rows *= wy * derivative(root * y)
    found += np.add.reduceat(rows, starts, axis=1).T
    mean += np.add.reduceat(wy * _density(y) * value(root * y), starts)
    return np.concatenate([mean[:, None], found * most ** (np.arange(count) / 2)], axis=1)


@lru_cache(maxsize=4)
def _base(phi: PiecewiseSmooth, count: int, octave: int) -> tuple[np.ndarray, ...]:
    """(ends of panels, nodes, weights, rows he_k(x) times the density) for variances up to 2^octave."""
    edges = np.linspace(-BEYOND, BEYOND, int(np.ceil(2 * BEYOND / WIDTH)) + 1)
    edges = np.unique(np.concatenate([edges, FloatPsi(phi, 2.0**octave).marks]))
    x, w = panels(edges[np.abs(edges) <= BEYOND])
    return edges[np.abs(edges) <= BEYOND], x, w, np.array(list(hermite_rows(x, _density(x), count)))


def _cut_panels(edges: np.ndarray, breaks: np.ndarray, place: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights on the panels `place`, each cut at the breakpoints in it."""
    ends = np.unique(np.concatenate([edges[place], edges[place + 1], breaks]))
    inside = np.isin(np.searchsorted(edges, (ends[1:] + ends[:-1]) / 2) - 1, place)
    y, w = panels(np.stack([ends[:-1], ends[1:]], axis=1)[inside])
    return y.ravel(), w.ravel()


def _density(x: np.ndarray) -> np.ndarray:
    return np.exp(-x * x / 2) / np.sqrt(2 * np.pi)


# ---- one layer -------------------------------------------------------------------------------------------------------

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
        return near_of(self.layer.phi, plan(self.layer.phi, self.q, self.other, False), False)

    @cached_property
    def opposite(self) -> Near:
        """Around c = -1; of an odd or even phi the same but for the sign."""
        if parity(self.layer.phi):
            return self.near
        return near_of(self.layer.phi, plan(self.layer.phi, self.q, self.other, True), True)

    @cached_property
    def far(self) -> Far:
        return Far.of(self.layer.phi, self.q, self.other, EDGE)

    @cached_property
    def apart(self) -> tuple[np.ndarray, np.ndarray]:
        """Products of (G and Lagrange's sum)/sqrt(W W')."""
        one, two = self.near.ends
        ratios = kinked_ratios(self.layer.phi, one.nodes, two.nodes)
        ratios[0] += self.near.excess()
        return one.features @ apart(self.layer, one.nodes, two.nodes, ratios), two.features.T

    def image(self, where: Tile | Paired, gap: np.ndarray, rest: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
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
        value, slope = self.far.image(where, 1.0 - gap, self._mean(where))
        return self.plain(where, value, slope, self.over_norms(where, self.layer.weight), gap)

    def _opposite(self, where: Tile | Paired, gap: np.ndarray, rest: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        q, other = where.first(self.q), where.second(self.other)
        slope, drop = self.opposite.at(where, q, other, np.sqrt(np.maximum(0.5 * rest, 0.0)))
        drop -= self.opposite.at(where, q, other, np.full_like(gap, REACH))[1]
        if parity(self.layer.phi) < 0:
            np.negative(drop, out=drop)
            np.negative(slope, out=slope)
        r = self._mean(where)
        drop += self.far.image(where, np.full_like(gap, -EDGE), r)[0] / r
        return self.plain(where, drop, slope, self.tilted(where, self.layer.weight), gap)

    def _mean(self, where: Tile | Paired) -> np.ndarray:
        """r."""
        return where.first(np.sqrt(self.q)) * where.second(np.sqrt(self.other))


# ---- all pairs together ----------------------------------------------------------------------------------------------

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

    def first(self, begun: Callable) -> list[tuple]:
        """(rows, columns, gap, k, turned) of layer 1, by `BlockNetwork.begun`; gap and k are parts of the arrays."""
        found = []
        for rows, columns in self.places:
            one, two = self.one[rows], self.two[columns]
            gap, kernel = self.gap[rows, columns], self.kernel[rows, columns]
            mean = np.sqrt(one.variance)[:, None] * np.sqrt(two.variance)
            gap[:], _, kernel[:], turned = begun(*self._pair(rows, columns), mean)
            found.append((rows, columns, gap, kernel, turned if turned is None else turned.ravel()))
        return found

    def _pair(self, rows: slice, columns: slice) -> tuple[np.ndarray, np.ndarray]:
        """Gap and 2 - gap in layer 1; the latter is found once more rather than kept."""
        return gaps_and_rests(self.one[rows], self.two[columns], 0 if self.is_square else None)

    def moved(self, layer: Moving, number: int, q: np.ndarray, states: list[tuple], report: Progress) -> np.ndarray:
        """Moves all tiles into layer `number`, in place; returns the variances there."""
        after = layer.variances(q)[0]
        require_finite(after, number)
        mover = Mover.of(layer, q, after, [gap for _, _, gap, _, _ in states])
        for rows, columns, gap, kernel, turned in states:
            rest = None if number > 2 or turned is not None else self._pair(rows, columns)[1]
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
        self.layer.with_source(pairs, self.q, lambda done: None)
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
            self.layer.with_source(some, self.q, lambda done: None)
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

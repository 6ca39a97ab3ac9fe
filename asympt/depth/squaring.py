"""L equal layers as one table: gaps and NTK of any number of pairs at the cost of a look-up, whatever L is.

Over n layers gamma_n = r gamma and k_n = a k + b, r and a with 1 - r and 1 - a (`Factor`); two maps in a row are

    1 - r r' = (1-r) + (1-r') - (1-r)(1-r'),     likewise a,     b'' = a' b + b',

r r' itself 1 minus that while |1 - r r'| < 1/2 and the product after that, so that no error doubles at a squaring.  The
binary digits of L, from the left, square the map and add the exact layer.  Panels reach down to the smallest gap met on
the way: t_n^-p = t^-p + (p/2) A n (A the largest (1-r)/t^p), or a constant factor in the ordered phase; below the gap
where n layers are linear to 1e-17 the limit at 0 serves.  Where chi <= 1, panels between the largest image after n
layers and the smallest requested gap are left out.  Relative errors: some 1e-15, plus 1e-16 |log r|.

Layers that differ but are the same for all pairs run on the nodes of a grid, some ten thousand (`by_nodes`).
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from math import floor, frexp, log2
from typing import ClassVar, NamedTuple, Protocol

import mpmath
import numpy as np
from numpy.polynomial.chebyshev import cheb2poly

from asympt.depth.stack import VANISHED, LayerConstants, bend_and_slope
from asympt.depth.tables import Factor, look_up

__all__ = ["HomogeneousLayer", "OneLayer", "WholeMap", "many_layers"]
__dir__ = __all__.copy


# ---- panels of gaps, and one settled layer on them: how it shrinks a gap, what it does to the NTK
#
# gamma' = r gamma and k' = a k + source, r with 1 - r and a with 1 - a (`Factor`), each to full relative accuracy,
# divided by chi in the ordered phase (`unit`).  A ReLU-like phi without bias, with w, bend and slope of a step and the
# share delta of its branch (other layers: `composed.run.RepeatedLayer`):
#
#     1 - r = delta (kappa over + bend)/w,     1 - a = delta (1 - f').


DEGREE = 8
BITS = 52  # of a float64 behind the point
BIAS = 1023  # of its exponent
LOWEST, HIGHEST, CLOSEST = -1000, -52, -160  # octaves; the last where 2 - gap is known by itself
BLOCK = 16384  # gaps looked up at once: what fits the cache


@dataclass(frozen=True)
class PanelGrid:
    """Panels down to 2^low at gap 0 and to 2 - 2^high at gap 2, 2^cuts an octave; both of sqrt(w) where `root`.

    With w = min(gamma, 2 - gamma) the leading bits of w are the number of the panel, the others the place in it:

        0, or below the lowest octave             0: a constant, the limit at gap 0
        2^low <= gamma <= 1                       1, 2, ...
        exactly 2 (or nearer than 2^high)         `first_far`: a constant, the value at gap 2
        1 < gamma, 2 - gamma >= 2^high            those after it
    """

    low: int
    high: int
    cuts: int
    root: bool = False

    @property
    def first_far(self) -> int:
        return ((-self.low) << self.cuts) + 2

    @property
    def size(self) -> int:
        return self.first_far + 1 + ((-self.high) << self.cuts)

    @cached_property
    def nodes(self) -> tuple[np.ndarray, np.ndarray]:
        """(gamma, 2 - gamma), each exact by itself, shape (panels, DEGREE + 1); all entries of a limit are equal."""
        near, far = self._small(self.low, 1), self._small(self.high, 0)
        flat = np.ones((1, DEGREE + 1))
        return (
            np.concatenate([0 * flat, near, 2 * flat, 2 - far]),
            np.concatenate([2 * flat, 2 - near, 0 * flat, far]),
        )

    def _small(self, lowest: int, more: int) -> np.ndarray:
        panels = np.arange(((-lowest) << self.cuts) + more)
        octave, place = lowest + (panels >> self.cuts), panels & ((1 << self.cuts) - 1)
        offset = (1 + inverse()[0]) / 2
        found = np.ldexp(1 + np.ldexp(place[:, None] + offset, -self.cuts), octave[:, None])
        return found * found if self.root else found

    def places(self, gap: np.ndarray, rest: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """(panel, place in [-1, 1)) of every gap; `rest` is 2 - gap where more of it is known."""
        far, shift = gap > 1, BITS - self.cuts
        small = np.where(far, 2.0 - gap if rest is None else rest, gap)
        bits = (np.sqrt(small) if self.root else small).view(np.int64)
        base_near = ((BIAS + self.low) << self.cuts) - 1
        base_far = ((BIAS + self.high) << self.cuts) - 1
        panel = bits >> shift
        panel -= np.where(far, base_far, base_near)
        np.maximum(panel, 0, out=panel)
        panel += far * self.first_far
        bits &= (1 << shift) - 1
        bits |= BIAS << BITS
        place = bits.view(float)
        place -= 1.0 + 2.0 ** -(self.cuts + 1)
        place *= 2.0 ** (self.cuts + 1)
        return panel, place

    def fit(self, values: np.ndarray, panels: np.ndarray | None = None) -> np.ndarray:
        """The table of values at the nodes (of some panels): shape (DEGREE + 1, all panels), highest power first."""
        panels = np.arange(self.size) if panels is None else panels
        curved = (panels != 0) & (panels != self.first_far)  # all but the two limits
        middle = values[:, DEGREE // 2]
        table = np.zeros((DEGREE + 1, self.size))
        table[:, panels[curved]] = inverse()[1] @ (values - middle[:, None])[curved].T
        table[-1, panels] += middle
        return table

    def holds(self, gap: np.ndarray) -> bool:
        """Whether every gap lies on a panel of its own: none but 0 and 2 is taken for a limit."""
        return bool(np.all((gap == 0) | (gap == 2) | ((gap >= 2.0**self.low) & (2 - gap >= 2.0**self.high))))


@lru_cache(maxsize=1)
def inverse() -> tuple[np.ndarray, np.ndarray]:
    """(Chebyshev points in (-1, 1), the matrix from values there to powers, highest first), rounded once.

    The coefficient of T_k is the mean of values times T_k at the points, twice that for k > 0.
    """
    size = DEGREE + 1
    with mpmath.workdps(30):
        cosines = [mpmath.cospi(mpmath.mpf(place) / (2 * size)) for place in range(4 * size)]
        values = [[cosines[k * (2 * j + 1) % (4 * size)] for j in reversed(range(size))] for k in range(size)]
        powers = [cheb2poly([0] * k + [1]).tolist() + [0] * (DEGREE - k) for k in range(size)]
        matrix = [[sum((2 - (k == 0)) * int(powers[k][power]) * values[k][j] for k in range(power, size, 2)) / size
                   for j in range(size)] for power in reversed(range(size))]  # fmt: skip
        return np.array([float(x) for x in values[1]]), np.array(matrix, dtype=float)


def tail(table: np.ndarray, least: float = 0.0) -> float:
    """The largest last Chebyshev coefficient of a panel, relative to its value or to `least`, if that is more.

    It is what one degree less would leave.
    """
    scale = np.maximum(np.abs(table).max(axis=0), least)
    live = np.isfinite(scale) & (scale > 0)
    return float((np.abs(table[0, live]) / scale[live]).max(initial=0.0) / 2.0 ** (DEGREE - 1))


class Moved(NamedTuple):
    """gamma' = shrink gamma and k' = slope k + source."""

    shrink: Factor
    slope: Factor
    source: np.ndarray


class OneLayer(Protocol):
    """A layer at arrays (gap, 2 - gap) of one shape; hashable, so that its tables can be kept.

    `excess` is chi - 1 of the map of c, `power` p where gap' = chi gap - O(gap^(1+p/2)).
    """

    excess: float
    power: int

    def __call__(self, gap: np.ndarray, rest: np.ndarray) -> Moved: ...

    def unit(self, layers: int) -> float:
        """What r and a of `layers` layers are given in units of: chi^layers in the ordered phase, else 1."""


@dataclass(frozen=True)
class HomogeneousLayer:
    """A layer of a ReLU-like phi without bias, its branch of share delta; k' = a k + rate f(c), f the map of phi."""

    numbers: LayerConstants
    share: float = 1.0
    rate: float = 1.0
    excess: ClassVar[float] = 0.0
    power: ClassVar[int] = 1

    def __call__(self, gap: np.ndarray, rest: np.ndarray) -> Moved:
        kink_weight, linear_weight = self.numbers.kink_weight, self.numbers.linear_weight
        share = self.share
        small, over = np.minimum(gap, rest) / 2, np.where(gap > 1, 1.0 - rest, 0.0)
        bend, slope = bend_and_slope(small, self.numbers)
        half = np.where(gap > 0, gap / 2, 1.0)
        drop = (kink_weight * over + bend) / half
        keep = np.where(gap > 0, (small + linear_weight * over - bend) / half, 1.0)
        turn = np.where(gap > 1, 2 * kink_weight - slope, slope)
        steep = np.where(gap > 1, linear_weight - kink_weight + slope, 1.0 - slope)
        shrink = Factor((1 - share) + share * keep, share * drop)
        turned = Factor((1 - share) + share * steep, share * turn)
        return Moved(shrink, turned, self.rate * (1.0 - gap * keep))

    def unit(self, layers: int) -> float:
        return 1.0


CUTS, MOST_CUTS = 4, 6
ROUGH = 2e-13  # last Chebyshev coefficients of a panel; the first one left out is some 30 times smaller
NEGLIGIBLE = 57  # bits: 2^-57 of a gap does not change it
STRIDE = 8  # octaves by which the domain is rounded outwards, so that similar gaps share a table
KEPT = 24  # tables


@dataclass(frozen=True)
class WholeMap:
    """`layers` layers: gamma_n = unit r gamma, k_n = a k + b, with r, a and b as tables on a grid."""

    grid: PanelGrid
    unit: float
    shrink: np.ndarray
    slope: np.ndarray | None
    source: np.ndarray

    def __call__(
        self, gap: np.ndarray, kernel: np.ndarray | None = None, rest: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """(gamma_n, k_n) of flat arrays; the arrays given are not changed.  Without `slope` k_n is b itself.

        `rest` is 2 - gap where more of it is known.
        """
        after, learned = np.empty_like(gap), np.empty_like(gap)
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            for start in range(0, gap.size, BLOCK):
                part = slice(start, start + BLOCK)
                after[part], learned[part] = self._block(
                    gap[part], *(None if values is None else values[part] for values in (kernel, rest))
                )
        return after, learned

    def _block(self, gap: np.ndarray, kernel, rest) -> tuple[np.ndarray, np.ndarray]:
        panel, place = self.grid.places(gap, rest)
        after = look_up(self.shrink, panel, place)
        after *= gap
        after *= self.unit
        after[(gap == 0) | (after < VANISHED)] = 0.0
        learned = look_up(self.source, panel, place)
        if kernel is not None:
            turned = look_up(self.slope, panel, place)
            turned *= kernel
            learned += turned
        return after, learned


@dataclass(frozen=True)
class Composed:
    """A map over some layers at the nodes of some panels of a grid; gamma_n = unit r gamma and k_n = unit a k + b."""

    grid: PanelGrid
    panels: np.ndarray
    moved: Moved
    layer: OneLayer
    layers: int

    @classmethod
    def once(cls, layer: OneLayer, grid: PanelGrid) -> "Composed":
        return cls(grid, np.arange(grid.size), layer(*grid.nodes), layer, 1)

    def tables(self) -> tuple:
        """Tables of shrink, slope and source; the first two with the panels on which they hold r, not 1 - r."""
        return (*self._factor_table(self.moved.shrink), *self._factor_table(self.moved.slope),
                self.grid.fit(self.moved.source, self.panels))  # fmt: skip

    def _factor_table(self, factor: Factor) -> tuple[np.ndarray, np.ndarray]:
        """The table of 1 - r on panels where all of it is small, of r on the others; which panels are the former."""
        mild = np.all(np.abs(factor.rest) < 0.5, axis=1)
        near = np.zeros(self.grid.size, dtype=bool)
        near[self.panels] = mild
        return self.grid.fit(np.where(mild[:, None], factor.rest, factor.value), self.panels), near

    def squared(self, low: int) -> "Composed":
        """The map after itself, on those panels that the map of more layers for gaps from 2^low on has need of."""
        kept = self._needed(low)
        return kept._then(self.read(kept.image()), self.layers)

    def _needed(self, low: int) -> "Composed":
        """Without the panels between the largest image of 2^low and beyond, and 2^low: no later gap lies there."""
        if self.layer.excess > 0:
            return self
        own = (self.panels == 0) | (self.panels > (low // 2 - self.grid.low) << self.grid.cuts)
        return self._on(own | (self.panels <= self.grid.places(np.array([self.image()[own].max()]))[0]))

    def on(self, grid: PanelGrid) -> "Composed":
        if self.layers == 1:
            return Composed.once(self.layer, grid)
        return replace(self, grid=grid, panels=np.arange(grid.size), moved=self.read(*grid.nodes))

    def read(self, gap: np.ndarray, rest: np.ndarray | None = None) -> Moved:
        shrink, near, slope, mild, source = self.tables()
        panel, place = self.grid.places(gap, rest)
        return Moved(
            _looked_up(shrink, near, panel, place), _looked_up(slope, mild, panel, place),
            look_up(source, panel, place),
        )  # fmt: skip

    def _on(self, kept: np.ndarray) -> "Composed":
        shrink, slope, source = self.moved
        parts = (Factor(*(v[kept] for v in shrink)), Factor(*(v[kept] for v in slope)), source[kept])
        return replace(self, panels=self.panels[kept], moved=Moved(*parts))

    def one_more(self) -> "Composed":
        image = self.image()
        return self._then(self.layer(image, 2.0 - image), 1)

    def _then(self, second: Moved, layers: int) -> "Composed":
        first, unit = self.moved, self.layer.unit(layers)
        moved = Moved(
            _product(first.shrink, second.shrink),
            _product(first.slope, second.slope),
            unit * second.slope.value * first.source + second.source,
        )
        return replace(self, moved=moved, layers=self.layers + layers)

    def image(self) -> np.ndarray:
        return image_of(self.grid.nodes[0][self.panels], self.moved, self.layer.unit(self.layers))

    def values(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """r, a and b."""
        return self.moved.shrink.value, self.moved.slope.value, self.moved.source

    def roughness(self) -> float:
        """What the polynomials leave out, as far as their last coefficients tell."""
        shrink, slope, _ = self.values()
        return max(tail(self.grid.fit(shrink)), tail(self.grid.fit(slope), 1.0))


def image_of(gap: np.ndarray, moved: Moved, unit: float) -> np.ndarray:
    """unit r gamma."""
    small = gap - gap * moved.shrink.rest
    kept = np.where(np.abs(moved.shrink.rest) < 0.5, small, gap * moved.shrink.value)
    return np.clip(unit * np.where(gap == 0, 0.0, kept), 0.0, 2.0)  # in the chaotic phase r is infinite at gap 0


def _product(one: Factor, two: Factor) -> Factor:
    rest = one.rest + two.rest - one.rest * two.rest
    value = one.value * two.value
    mild = np.abs(rest) < 0.5
    return Factor(np.where(mild, 1.0 - rest, value), np.where(mild, rest, 1.0 - value))


def _looked_up(table: np.ndarray, near: np.ndarray, panel: np.ndarray, place: np.ndarray) -> Factor:
    found = look_up(table, panel, place)
    other, close = 1.0 - found, near[panel]
    return Factor(np.where(close, other, found), np.where(close, found, other))


def composed(layer: OneLayer, layers: int, least: int, high: int, cuts: int, low: int) -> Composed:
    """`layers` layers (at least one) for gaps from 2^low to 2 - 2^high; none met on the way is below 2^least."""
    found = Composed.once(layer, PanelGrid(least // 2, high // 2, cuts, root=True))
    for digit in bin(layers)[3:]:
        found = found.squared(low)
        if digit == "1":
            found = found.one_more()
    return found


def lowest_octave(layer: OneLayer, layers: int, low: int, high: int) -> int:
    """Where panels must begin so that none of the gaps met on the way from 2^low and beyond is missing."""
    probe = PanelGrid(low, high, 2)
    moved, gap = layer(*probe.nodes), probe.nodes[0]
    near = (gap > 0) & (gap <= 1)
    image = image_of(gap, moved, layer.unit(1))
    least = float(np.min(image, where=image > 0, initial=2.0**low))
    if layer.excess > 0:
        wanted = min(log2(least), _rising_below(layer, high))
    else:
        start, p = log2(least), layer.power
        steepest = float(np.max(moved.shrink.rest[near] / gap[near] ** (p / 2), initial=1e-300))
        slowest = layer.unit(1) * float(np.min(moved.shrink.value[near]))
        wanted = start + layers * log2(max(slowest, 2.0**-60))
        if layer.excess == 0:
            wanted = max(wanted, -2 / p * log2(2.0 ** (-p / 2 * start) + p * steepest * layers))
    return min(low, max(LOWEST, floor(max(wanted - 2, linear_octave(layer, layers)))))


def _rising_below(layer: OneLayer, high: int) -> float:
    """log2 of a gap below which all gaps grow: none falls below it from above (the fixed point c* lies between)."""
    grid = PanelGrid(LOWEST, high, 0)
    falling = np.flatnonzero((layer(*grid.nodes).shrink.rest >= 0).any(axis=1) & (grid.nodes[0][:, 0] > 0))
    return float(LOWEST + falling[0] - 2) if falling.size else 0.0


def linear_octave(layer: OneLayer, layers: int) -> float:
    """The octave below which `layers` layers are linear."""
    more = log2(layers) if layer.excess == 0 else min(log2(layers), log2(1 + 1 / abs(layer.excess)))
    growth = layers * log2(1 + layer.excess) if layer.excess > 0 else 0.0
    return -2 / layer.power * (NEGLIGIBLE + more + 4) - min(growth, 2000.0)


@lru_cache(maxsize=KEPT)
def farthest_octave(layer: OneLayer, high: int) -> int:
    """The octave of 2 - gap down to which panels are needed for gaps up to 2 - 2^high and their images."""
    grid = PanelGrid(-1, high, 2)
    far = grid.nodes[0] > 1
    image = image_of(grid.nodes[0], layer(*grid.nodes), layer.unit(1))
    nearest = 2.0 - np.max(image, where=far & (grid.nodes[1] > 0), initial=0.0)
    return high if nearest >= 2.0**high else min(high, HIGHEST)


def bucket(value: float, least: int) -> int:
    """The octave of a number in (0, 1], rounded down so that similar gaps share their tables."""
    return max(least, -STRIDE * (-(frexp(value)[1] - 1) // STRIDE + 1))


def many_layers(
    layer: OneLayer, layers: int, gap: np.ndarray, kernel: np.ndarray | float, rest: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Gaps and NTK of flat arrays after `layers` equal layers; the arrays given are not changed.

    `kernel` may be the number u of a first NTK u (1 - gap): one look-up less.  `rest` as in `WholeMap`.
    """
    start = kernel if isinstance(kernel, float) else None
    if layers == 0 or gap.size == 0:
        return gap.copy(), kernel.copy() if start is None else start * (1.0 - gap)
    least = float(np.min(gap, where=gap > 0, initial=1.0))
    far, end = (2.0 - gap, HIGHEST) if rest is None else (rest, CLOSEST)
    closest = float(np.min(far, where=far > 0, initial=1.0))
    table = whole_map(layer, layers, start, bucket(least, LOWEST), farthest_octave(layer, bucket(closest, end)))
    return table(gap, kernel if start is None else None, rest)


def repeated(layer: OneLayer, layers: int, start: float, gap: np.ndarray, tick: Callable[[int], None], rest=None):
    """Equal layers as a function of the gap alone, from K/q = start (1 - gap)."""
    found = many_layers(layer, layers, gap, start, rest)
    tick(layers)
    return found


@lru_cache(maxsize=KEPT)
def whole_map(layer: OneLayer, layers: int, start: float | None, low: int, high: int) -> WholeMap:
    """The table of `layers` layers for gaps from 2^low to 2 - 2^high, and for 0 and 2."""
    least = lowest_octave(layer, layers, low, high)
    with np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore"):
        for cuts in range(CUTS, MOST_CUTS + 1):
            found = composed(layer, layers, least, high, cuts, low).on(PanelGrid(low, high, cuts))
            if found.roughness() < ROUGH:
                break
        grid, (shrink, slope, source) = found.grid, found.values()
        slope = layer.unit(layers) * slope
        if start is not None:
            source = source + slope * (start * (1.0 - grid.nodes[0]))
        turned = None if start is not None else grid.fit(slope)
        return WholeMap(grid, layer.unit(layers), grid.fit(shrink), turned, grid.fit(source))


NEAREST = -16  # octave of 2 - gap
NOISY = 1e-11  # last Chebyshev coefficients; a loop has noise of its own
Run = Callable[..., tuple[np.ndarray, np.ndarray]]  # (1 - c^L, K^L/q_L) of (gap, tick), and of 2 - gap if known better

_kept: OrderedDict[Hashable, WholeMap] = OrderedDict()


def by_nodes(run: Run, gap: np.ndarray, tick: Callable[[int], None], rest=None) -> tuple[np.ndarray, np.ndarray]:
    """(gap_L, k_L) of flat gaps by a hashable function `run(gap, tick, rest)`, on the pairs or on fewer nodes.

    `tick(layers)` is called as layers are done.
    """
    inside = (gap > 0) & (2.0 - gap >= 2.0**NEAREST)  # 0 and what is near 2 go through the loop
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
        if max(tail(tables[0]), tail(tables[1], 1.0)) < NOISY:
            break
    return WholeMap(grid, 1.0, tables[0], None, tables[1])

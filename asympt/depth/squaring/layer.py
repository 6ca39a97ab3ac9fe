"""Panels of gaps, and one settled layer on them: how it shrinks a gap, what it does to the NTK, without cancellation.

    gamma' = r gamma,        k' = a k + constant + rate (image of c),

r with 1 - r and a with 1 - a (`Factor`), each to full relative accuracy, divided by chi in the ordered phase (`unit`):

    ReLU-like phi    with w, bend and slope of `step`, share delta, chi: x = (kappa over + bend)/w,
                     1 - r = delta (1 - chi + chi x),     1 - a = delta (1 - chi + chi (1 - f'));
    any other phi    1 - r = t^p A - (chi - 1),           1 - a = t^p D - (chi - 1)              (`tables`).
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import ClassVar, NamedTuple, Protocol

import mpmath
import numpy as np
from numpy.polynomial.chebyshev import cheb2poly

from asympt.depth.stack import LayerConstants
from asympt.depth.step import bend_and_slope
from asympt.depth.tables import TURN, Factor, Tables, far_curves, near_curves, near_factors

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


def look_up(table: np.ndarray, panel: np.ndarray, place: np.ndarray) -> np.ndarray:
    """The polynomials at any gaps."""
    found = table[0].take(panel, mode="clip")
    spare = np.empty_like(found)
    for row in table[1:]:
        found *= place
        np.take(row, panel, mode="clip", out=spare)
        found += spare
    return found


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

    `excess` is chi - 1 of the map of c, `power` p where gap' = chi gap - O(gap^(1+p/2)); `is_odd`: the map of c is odd,
    so that gap 2 is as fixed as gap 0 and only gaps up to 1 are looked up.
    """

    excess: float
    power: int
    is_odd: bool

    def __call__(self, gap: np.ndarray, rest: np.ndarray) -> Moved: ...

    def unit(self, layers: int) -> float:
        """What r and a of `layers` layers are given in units of: chi^layers in the ordered phase, else 1."""


def power_of(chi: float, log_chi: float, layers: int) -> float:
    """chi^layers for chi < 1, as accurate as chi and its logarithm allow; 1 for other chi."""
    if log_chi >= 0:
        return 1.0
    with mpmath.workdps(40):
        return float(mpmath.mpf(chi) ** layers if log_chi < -1 else mpmath.exp(layers * mpmath.mpf(log_chi)))


@dataclass(frozen=True)
class HomogeneousLayer:
    """A layer of a ReLU-like phi whose branch has the share delta.

    `chi_excess` is chi - 1 where a bias is mixed in, else 0; k' = a k + constant + rate f(c), f the map of phi itself.
    """

    numbers: LayerConstants
    share: float = 1.0
    chi_excess: float = 0.0
    constant: float = 0.0
    rate: float = 1.0
    power: ClassVar[int] = 1
    is_odd: ClassVar[bool] = False

    @property
    def excess(self) -> float:
        return self.share * self.chi_excess

    def __call__(self, gap: np.ndarray, rest: np.ndarray) -> Moved:
        kink_weight, linear_weight = self.numbers.kink_weight, self.numbers.linear_weight
        share, chi = self.share, 1.0 + self.chi_excess
        small, over = np.minimum(gap, rest) / 2, np.where(gap > 1, 1.0 - rest, 0.0)
        bend, slope = bend_and_slope(small, self.numbers)
        half = np.where(gap > 0, gap / 2, 1.0)
        drop = (kink_weight * over + bend) / half
        keep = np.where(gap > 0, (small + linear_weight * over - bend) / half, 1.0)
        turn = np.where(gap > 1, 2 * kink_weight - slope, slope)
        steep = np.where(gap > 1, linear_weight - kink_weight + slope, 1.0 - slope)
        source = self.constant + self.rate * (1.0 - gap * keep)
        if self.excess < 0:
            return Moved(Factor(keep, drop), Factor(steep, turn), source)
        return Moved(
            Factor((1 - share) + share * chi * keep, share * (chi * drop - self.chi_excess)),
            Factor((1 - share) + share * chi * steep, share * (chi * turn - self.chi_excess)),
            source,
        )

    def unit(self, layers: int) -> float:
        return power_of(self.numbers.chi, self.numbers.log_chi if self.chi_excess else 0.0, layers)


@dataclass(frozen=True)
class Tabulated:
    """A layer of any phi at the fixed point of its variance: k' = a k + constant + rate (image of c)."""

    tables: Tables
    constant: float = 0.0
    rate: float = 1.0
    is_odd: bool = False

    @property
    def excess(self) -> float:
        return self.tables.excess

    @property
    def power(self) -> int:
        return self.tables.power

    def __call__(self, gap: np.ndarray, rest: np.ndarray) -> Moved:
        chi, excess = self.tables.chi, self.excess
        unit = min(1.0, chi)
        near = np.minimum(gap, TURN)
        shrink, turned = near_factors(self.tables, near)
        image = 1.0 - gap * shrink.value
        if excess < 0:
            shrink, turned = (Factor(1.0 - part / chi, part / chi) for part in near_curves(self.tables, near))
        far = gap > TURN
        if far.any():
            after, steep = far_curves(self.tables, rest[far])
            image[far] = 1.0 - after
            for factor, value in ((shrink, after / gap[far] / unit), (turned, steep / unit)):
                factor.value[far], factor.rest[far] = value, 1.0 - value
        return Moved(shrink, turned, self.constant + self.rate * image)

    def unit(self, layers: int) -> float:
        return power_of(self.tables.chi, float(np.log1p(self.excess)), layers)

"""Functions of a gap in [0, 2] as piecewise polynomials on panels that are fine, relatively, towards both ends.

With w = min(gamma, 2 - gamma), each octave 2^e <= w < 2^(e+1) is cut into 2^cuts equal panels with a polynomial of
degree 8 on each: the leading bits of w are the number of the panel, the remaining ones the place in it, exactly.

    gaps        panel
    0, or below the lowest octave             0: a constant, the limit at gap 0
    2^low <= gamma <= 1                       1, 2, ...
    exactly 2 (or nearer than 2^high)         `first_far`: a constant, the value at gap 2
    1 < gamma, 2 - gamma >= 2^high            those after it

With `root` all this is said of sqrt(w): correlation maps are analytic in it, and an octave of it is two of the gap.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import mpmath
import numpy as np
from numpy.polynomial.chebyshev import cheb2poly

DEGREE = 8
BITS = 52  # of a float64 behind the point
BIAS = 1023  # of its exponent
LOWEST, HIGHEST, CLOSEST = -1000, -52, -160  # octaves; the last where 2 - gap is known by itself
BLOCK = 16384  # gaps looked up at once: what fits the cache


@dataclass(frozen=True)
class PanelGrid:
    """Panels down to 2^low at gap 0 and to 2 - 2^high at gap 2, 2^cuts an octave; both of sqrt(w) where `root`."""

    low: int
    high: int
    cuts: int
    root: bool = False

    @property
    def first_far(self) -> int:
        """The panel of gap 2."""
        return ((-self.low) << self.cuts) + 2

    @property
    def size(self) -> int:
        """How many panels."""
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

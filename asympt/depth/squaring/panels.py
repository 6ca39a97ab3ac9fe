"""Functions of a gap in [0, 2] as piecewise polynomials on panels that are fine, relatively, towards both ends.

Problem.  A composed correlation map has square roots at gaps 0 and 2 and bends wherever a gap has the size at which L
layers begin to act, anywhere between 1e-300 and 2; it is looked up for millions of gaps at once.

Rule.  With w = min(gamma, 2 - gamma), each octave 2^e <= w < 2^(e+1) is cut into 2^cuts equal panels with a polynomial
of degree 8 on each.  The leading bits of w, read as an integer, are the number of the panel, the remaining ones the
place in it, exactly: no logarithm, no root, no search.  The polynomial is found from deviations from the value in the
middle of the panel, so that what interpolation rounds away is small against the value.

    gaps        panel
    0, or below the lowest octave             0: a constant, the limit at gap 0
    2^low <= gamma <= 1                       1, 2, ...
    exactly 2 (or nearer than 2^high)         `first_far`: a constant, the value at gap 2
    1 < gamma, 2 - gamma >= 2^high            those after it

Tiny case.  cuts = 0, low = high = -1: panels [1/2, 1), [1, 2) in w for small gaps, [1/2, 1) for large ones.

Known limits.  2 - gamma is a multiple of 2^-52, so `high` never needs to be below -52.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import mpmath
import numpy as np

DEGREE = 8
BITS = 52  # of a float64 behind the point
BIAS = 1023  # of its exponent
LOWEST, HIGHEST = -1000, -52  # octaves
BLOCK = 16384  # gaps looked up at once: what fits the cache


@dataclass(frozen=True)
class PanelGrid:
    """Panels down to 2^low at gap 0 and to 2 - 2^high at gap 2, 2^cuts an octave."""

    low: int
    high: int
    cuts: int

    @property
    def first_far(self) -> int:
        """The panel of gap 2."""
        return ((-self.low) << self.cuts) + 2

    @property
    def size(self) -> int:
        """How many panels."""
        return self.first_far + 1 + ((-self.high) << self.cuts)

    @cached_property
    def curved(self) -> np.ndarray:
        """Which panels have a polynomial of their own: all but the two limits."""
        return np.delete(np.arange(self.size), [0, self.first_far])

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
        return np.ldexp(1 + np.ldexp(place[:, None] + offset, -self.cuts), octave[:, None])

    def places(self, gap: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(panel, place in [-1, 1)) of every gap."""
        far, shift = gap > 1, BITS - self.cuts
        bits = np.where(far, 2.0 - gap, gap).view(np.int64)
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

    def fit(self, values: np.ndarray) -> np.ndarray:
        """The table of values at the nodes: shape (DEGREE + 1, panels), highest power first."""
        middle = values[:, DEGREE // 2]
        table = np.zeros((DEGREE + 1, self.size))
        deviations = (values - middle[:, None])[self.curved]
        table[:, self.curved] = inverse()[1] @ deviations.T
        table[-1] += middle
        return table

    def holds(self, gap: np.ndarray) -> bool:
        """Whether every gap lies on a panel of its own: none but 0 and 2 is taken for a limit."""
        return bool(np.all((gap == 0) | (gap == 2) | ((gap >= 2.0**self.low) & (2 - gap >= 2.0**self.high))))


@lru_cache(maxsize=1)
def inverse() -> tuple[np.ndarray, np.ndarray]:
    """(Chebyshev points in (-1, 1), the matrix from values there to powers, highest first), rounded once."""
    with mpmath.workdps(40):
        points = [mpmath.cos(mpmath.pi * (2 * k + 1) / (2 * DEGREE + 2)) for k in range(DEGREE, -1, -1)]
        points[DEGREE // 2] = mpmath.mpf(0)
        matrix = mpmath.matrix([[x**power for power in range(DEGREE, -1, -1)] for x in points]) ** -1
        return np.array([float(x) for x in points]), np.array(matrix.tolist(), dtype=float)


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

"""The gaps 1 - cos(x, y) of all pairs of rows of X, to full relative accuracy.

Blocks of pairs whose gaps are all above 1/4 take a product of matrices; elsewhere |u - v|^2/2 of the unit rows, with a
relative error of 1e-16/sqrt(gap).  Where a gap, or 2 less it, is below 1e-4, the rows are compared exactly: with p the
place of the largest |x_p|,

    z_i = (y_i x_p - x_i y_p)/x_p,      v = z - (<z, x>/|x|^2) x,      sin^2 = |v|^2/|y|^2,

products with their rounding errors (Dekker), so that z_i has full relative accuracy and is 0 for proportional rows.
So 1 - c = sin^2/(1 + sqrt(1 - sin^2)) for c > 0, and 2 minus that for c < 0.  Example: x = (1, 1), y = (1, 1 + 2^-52),
z = (0, 2^-52), v = (-2^-53, 2^-53), gap = 2^-107.  A row of zeros has no angle: its gaps are 1.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from asympt.errors import UnsupportedError

WIDE = 0.25  # gaps this far from 0 and 2 have their digits from a product of matrices
NEAR = 1e-4  # gaps this close to 0 or 2 are computed from the rows themselves
SAFE = 400  # powers of 2 whose squares, with 53 bits and a factor to spare, float64 holds
SMALLEST = float(np.finfo(float).tiny)  # what is smaller has lost digits, or all of them
WORK = 2**18  # entries of an array of compared rows


@dataclass(frozen=True)
class Directions:
    """Rows in units of powers of 2, and divided by their norms; which rows are zeros."""

    rows: np.ndarray
    units: np.ndarray
    silent: np.ndarray

    @classmethod
    def of(cls, rows: np.ndarray) -> "Directions":
        rows = scaled(rows)
        norms = np.sqrt(np.einsum("nd,nd->n", rows, rows))
        return cls(rows, rows / np.where(norms == 0, 1.0, norms)[:, None], norms == 0)

    def __getitem__(self, part: slice) -> "Directions":
        return Directions(self.rows[part], self.units[part], self.silent[part])


def tile_gaps(one: Directions, two: Directions, skipped: int | None = None, signed: bool = False) -> np.ndarray:
    """1 - cos of all pairs of a row of `one` and one of `two`, shape (N, M).

    `skipped`: the column of the diagonal; entries on and below it are 1 and cost nothing.  `signed`: -(2 - gap), -0.0
    included, where rows nearly opposite were compared exactly.
    """
    gaps = one.units @ two.units.T
    np.subtract(1.0, gaps, out=gaps)
    _set_unwanted(gaps, one, two, skipped)
    if gaps.min() < WIDE or gaps.max() > 2.0 - WIDE:
        from scipy.spatial.distance import cdist  # slow to import, and `pairs` does without

        gaps = np.minimum(0.5 * cdist(one.units, two.units, "sqeuclidean"), 2.0)
        _set_unwanted(gaps, one, two, skipped)
        _compare(gaps, one.rows, two.rows, lambda flat: np.divmod(flat, gaps.shape[1]), signed)
    return gaps


def _set_unwanted(gaps: np.ndarray, one: Directions, two: Directions, skipped: int | None) -> None:
    """1 where there is no angle, or none is wanted."""
    gaps[one.silent] = 1.0
    gaps[:, two.silent] = 1.0
    if skipped is not None:
        width = min(gaps.shape[1], len(gaps) + skipped)
        gaps[:, :width][np.tri(len(gaps), width, skipped, dtype=bool)] = 1.0


def angular_gaps(rows: np.ndarray) -> np.ndarray:
    """1 - cos of all pairs i < j, flat, in the order (0, 1), (0, 2), ..., (1, 2), ...

    >>> angular_gaps(np.array([[3.0, 4.0], [6.0, 8.0], [-3.0, -4.0], [4.0, -3.0]]))
    array([0., 2., 1., 2., 1., 1.])
    """
    from scipy.spatial.distance import pdist

    found = Directions.of(rows)
    gaps = np.minimum(0.5 * pdist(found.units, "sqeuclidean"), 2.0)
    if found.silent.any():
        gaps[touching(found.silent)] = 1.0
    _compare(gaps, found.rows, found.rows, lambda flat: indices(flat, len(rows)))
    return gaps


def _compare(gaps: np.ndarray, one: np.ndarray, two: np.ndarray, places: Callable, signed: bool = False) -> None:
    """Replaces gaps near 0 and 2 by those of the rows themselves; `places` gives the rows of flat indices."""
    flat = gaps.reshape(-1)
    close = np.flatnonzero((flat < NEAR) | (flat > 2.0 - NEAR))
    opposite = flat[close] > 1
    small = compared_pairs(one, two, *places(close))
    flat[close] = np.where(opposite, -small if signed else 2.0 - small, small)


def compared_pairs(one: np.ndarray, two: np.ndarray, first, second) -> np.ndarray:
    """`compared` of row first[n] of `one` and second[n] of `two`, in portions."""
    parts = np.array_split(np.arange(first.size), 1 + first.size * one.shape[1] // WORK)
    return np.concatenate([compared(one[first[part]], two[second[part]]) for part in parts])


def scaled(rows: np.ndarray) -> np.ndarray:
    """Every row times the power of 2 that brings its largest entry into [1/2, 1)."""
    _, exponents = np.frexp(np.abs(rows).max(axis=1))
    return np.ldexp(rows, -exponents[:, None])


def exponent_of(rows: np.ndarray) -> int:
    """The power of 2 that brings the largest entry of all rows into [1/2, 1) where squares would leave the range, or 0.

    >>> exponent_of(np.array([[3.0, 1e-9]])), exponent_of(np.array([[2.0**-600]]))
    (0, -599)
    """
    exponent = int(np.frexp(np.abs(rows).max())[1])
    return exponent if abs(exponent) > SAFE else 0


def require_visible(first: np.ndarray, variance: np.ndarray, depth: int, what: str = "input") -> None:
    """An error where a variance that is not 0 in layer 1 is, at layer `depth`, less than a float64 can hold."""
    lost = np.flatnonzero((first > 0) & (variance < SMALLEST))
    if lost.size:
        raise UnsupportedError(
            f"the variance of {what} {int(lost[0])} at layer {depth} is below the float64 range ({SMALLEST:.3g}); "
            "multiply X by a common factor, or use asympt.depth.pairs, which returns values normalised by the variance"
        )


def indices(flat: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """(i, j) of places in the flat order of `size` rows."""
    row = np.arange(size)
    starts = row * (2 * size - row - 1) // 2
    first = np.searchsorted(starts[:-1], flat, side="right") - 1
    return first, flat - starts[first] + first + 1


def touching(marked: np.ndarray) -> np.ndarray:
    """Which pairs, in the flat order, have a marked row."""
    return np.concatenate([marked[i] | marked[i + 1 :] for i in range(len(marked))])


def compared(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """1 - |cos| of row i of `x` and row i of `y`, nearly parallel or nearly antiparallel."""
    pivot = np.abs(x).argmax(axis=1)[:, None]
    x_pivot, y_pivot = np.take_along_axis(x, pivot, 1), np.take_along_axis(y, pivot, 1)
    one, one_error = exact_product(y, x_pivot)
    two, two_error = exact_product(x, y_pivot)
    z = ((one - two) + (one_error - two_error)) / x_pivot
    share = np.einsum("nd,nd->n", z, x) / np.einsum("nd,nd->n", x, x)
    v = z - share[:, None] * x
    sine2 = np.minimum(np.einsum("nd,nd->n", v, v) / np.einsum("nd,nd->n", y, y), 1.0)
    return sine2 / (1.0 + np.sqrt(1.0 - sine2))


def exact_product(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """a b = product + error exactly (Dekker 1971), for entries of moderate size."""
    product = a * b
    a_high, b_high = _high(a), _high(b)
    a_low, b_low = a - a_high, b - b_high
    return product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


def _high(a: np.ndarray) -> np.ndarray:
    """The leading 26 bits (Veltkamp's splitting)."""
    big = 134217729.0 * a
    return big - (big - a)

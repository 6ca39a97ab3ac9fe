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
from typing import NamedTuple

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
        _compare(gaps, one.rows, two.rows, signed)
    return gaps


def _set_unwanted(gaps: np.ndarray, one: Directions, two: Directions, skipped: int | None) -> None:
    """1 where there is no angle, or none is wanted."""
    gaps[one.silent] = 1.0
    gaps[:, two.silent] = 1.0
    if skipped is not None:
        width = min(gaps.shape[1], len(gaps) + skipped)
        gaps[:, :width][np.tri(len(gaps), width, skipped, dtype=bool)] = 1.0


def angular_gaps(rows: np.ndarray) -> np.ndarray:
    """1 - cos of all pairs of rows, shape (N, N); 0 on the diagonal.

    >>> angular_gaps(np.array([[3.0, 4.0], [6.0, 8.0], [-3.0, -4.0]])).tolist()
    [[0.0, 0.0, 2.0], [0.0, 0.0, 2.0], [2.0, 2.0, 0.0]]
    """
    found = Directions.of(rows)
    gaps = np.triu(tile_gaps(found, found, 0), 1)
    return gaps + gaps.T


def _compare(gaps: np.ndarray, one: np.ndarray, two: np.ndarray, signed: bool) -> None:
    """Replaces gaps near 0 and 2 by those of the rows themselves."""
    flat = gaps.reshape(-1)
    close = np.flatnonzero((flat < NEAR) | (flat > 2.0 - NEAR))
    opposite = flat[close] > 1
    portions = np.array_split(close, 1 + close.size * one.shape[1] // WORK)
    places = (np.divmod(part, gaps.shape[1]) for part in portions)
    small = np.concatenate([compared(one[i], two[j]) for i, j in places])
    flat[close] = np.where(opposite, -small if signed else 2.0 - small, small)


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


def first_beyond(low: int, high: int, is_finite: Callable[[int], bool]) -> int:
    """The first layer after `low`, at most `high`, in which something is not finite, by bisection."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if is_finite(middle) else (low, middle)
    return high


def require_visible(first: np.ndarray, variance: np.ndarray, depth: int, what: str = "input") -> None:
    """An error where a variance that is not 0 in layer 1 is, at layer `depth`, less than a float64 can hold."""
    lost = np.flatnonzero((first > 0) & (variance < SMALLEST))
    if lost.size:
        raise UnsupportedError(
            f"the variance of {what} {int(lost[0])} at layer {depth} is below the float64 range ({SMALLEST:.3g}); "
            "multiply X by a common factor, or use asympt.depth.pairs, which returns values normalised by the variance"
        )


def require_held(first: np.ndarray, variance: np.ndarray, ntk: np.ndarray, depth: int, what: str, other: str = "pairs",
                 remedy: str = "", is_finite: Callable[[int], bool] | None = None) -> None:  # fmt: skip
    """`require_visible`, and an error where K is beyond a float64: with `is_finite`, a layer's, from which layer on."""
    if not (np.isfinite(variance).all() and np.isfinite(ntk).all()):
        where = "" if is_finite is None else f", from layer {first_beyond(0, depth, is_finite)} on"
        raise UnsupportedError(
            f"the NTK of layer {depth} exceeds the float64 range{where}; use asympt.depth.{other}, which returns "
            f"values normalised by the variance{remedy}"
        )
    require_visible(first, variance, depth, what)


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


# ---- variances -------------------------------------------------------------------------------------------------------


def single(variances: np.ndarray) -> float | None:
    """The variance that all have, or None."""
    return float(variances.flat[0]) if variances.size and np.ptp(variances) == 0 else None


class Variances(NamedTuple):
    """The variances q, q' of every pair in layer 1, and q - q', which may be far smaller than either."""

    first: np.ndarray
    second: np.ndarray
    difference: np.ndarray


def mixed_gap(gap: np.ndarray, bias: float, kept, apart, after) -> np.ndarray:
    """(e + chi r gap)/R: one layer's 1 - c' from 1 - f = gap,  e = b (sqrt q - sqrt q')^2/(R + b + chi r)."""
    found = bias * apart
    found /= after + (bias + kept)
    found += kept * gap
    found /= after
    return found


PART = 2**14  # entries of the rows squared at once
ALIKE = 4e-15  # variances that differ by less count as equal: gaps of 1e-15 do not notice


@dataclass(frozen=True)
class Inputs:
    """One set of inputs: `share` = w_1/d and |x|^2 = squares + rest."""

    bias: float
    share: float
    squares: np.ndarray
    rest: np.ndarray
    directions: Directions
    name: str = "X"

    @classmethod
    def through(cls, bias: float, weight: float, rows: np.ndarray, name: str, remedy: str) -> "Inputs":
        """From inputs of shape (N, d) and the two variances of layer 1; `remedy` for squares that leave the range."""
        squares, rest = squared_norms(rows, name, remedy)
        found = cls(bias, weight / rows.shape[1], squares, rest, Directions.of(rows), name)
        if bias == 0:
            require_visible(np.abs(rows).max(axis=1), found.variance, 1, found.what)
        return found

    @property
    def variance(self) -> np.ndarray:
        """q^1 of every input."""
        return self.bias + self.share * self.squares

    @property
    def what(self) -> str:
        """How a message calls one of the inputs."""
        return "input" if self.name == "X" else f"input of {self.name}"

    def __len__(self) -> int:
        return len(self.squares)

    def __getitem__(self, part: slice) -> "Inputs":
        return Inputs(self.bias, self.share, self.squares[part], self.rest[part], self.directions[part], self.name)


def squared_norms(rows: np.ndarray, name: str, remedy: str) -> tuple[np.ndarray, np.ndarray]:
    """|x|^2 of every row, as a float64 and what it lacks: exact products, added with their rounding errors."""
    parts = np.array_split(rows, 1 + rows.size // PART)
    with np.errstate(over="ignore", invalid="ignore"):
        high, low = (np.concatenate(values) for values in zip(*map(_summed_squares, parts), strict=True))
    if not np.isfinite(high + low).all():
        raise UnsupportedError(
            f"{name} has entries up to {np.abs(rows).max():.3g}, whose squares exceed the float64 range; {remedy}"
        )
    total = high + low
    return total, low - (total - high)


def _summed_squares(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(the sum as it is rounded, the sum of all rounding errors)."""
    products, errors = exact_product(rows, rows)
    high, low = np.zeros(len(rows)), errors.sum(axis=1)
    for column in products.T.copy():
        total = high + column
        shifted = total - high
        low += (high - (total - shifted)) + (column - shifted)
        high = total
    return high, low


def common_variance(*sides: Inputs) -> float | None:
    """The variance of layer 1 if all inputs have the same one."""
    variances = np.concatenate([side.variance for side in sides])
    return float(variances[0]) if np.ptp(variances) <= ALIKE * variances.max() else None


def gaps_and_rests(one: Inputs, two: Inputs, skipped: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """1 - c^1 of all pairs of an input of `one` and one of `two`, and 2 minus that, with digits of its own.

    `skipped`: the column of `two` that is the first row of `one`; pairs on and below that diagonal are not wanted.

    With r = sqrt(q q') and m = r without the bias b: r (1 + c) = b + (r - m) + m (1 + cos), where
    (r - m)(r + m) = b (q + q' - b).
    """
    found = tile_gaps(one.directions, two.directions, skipped, signed=True)
    opposite = np.signbit(found)
    angles, rest = np.where(opposite, 2.0 + found, found), np.where(opposite, -found, 2.0 - found)
    if one.bias == 0:
        return angles, rest
    roots = np.sqrt(one.variance)[:, None] * np.sqrt(two.variance)
    mean = (one.share * np.sqrt(one.squares)[:, None]) * np.sqrt(two.squares)
    total = one.share * (one.squares[:, None] + two.squares)
    rest = (one.bias * (1.0 + (total + one.bias) / (roots + mean)) + mean * rest) / roots
    total += 2 * mean
    apart = _differences(one, two)
    apart *= apart
    np.divide(apart, total, out=apart, where=total > 0)
    return mixed_gap(angles, one.bias, mean, apart, roots), rest


def pair_variances(one: Inputs, two: Inputs) -> Variances:
    """The variances of layer 1 of all pairs, flat."""
    shape = len(one), len(two)
    first, second = (np.broadcast_to(q, shape).ravel() for q in (one.variance[:, None], two.variance))
    return Variances(first, second, _differences(one, two).ravel())


def _differences(one: Inputs, two: Inputs) -> np.ndarray:
    """q - q' of all pairs, without cancellation."""
    found = one.squares[:, None] - two.squares
    found += one.rest[:, None] - two.rest
    found *= one.share
    return found

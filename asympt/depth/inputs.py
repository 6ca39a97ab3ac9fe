"""Layer 1, Sigma^1 = b_1 + w_1 X Y^T/d: variances of the inputs and gaps of all pairs, a tile at a time.

|x|^2 is known as a sum of two float64, so that nearly equal norms keep the digits of their difference; gaps of angles
are mixed with the bias as in any layer (`mixed_gap`).
"""

from dataclasses import dataclass
from math import exp, expm1

import numpy as np

from asympt.depth.gaps import Directions, exact_product, require_visible, tile_gaps
from asympt.errors import UnsupportedError

# ---- variances -------------------------------------------------------------------------------------------------------


def single(variances: np.ndarray) -> float | None:
    """The variance that all have, or None."""
    return float(variances.flat[0]) if variances.size and np.ptp(variances) == 0 else None


class Line:
    """q_l/S_l = at(l)[0] q_1 + at(l)[1] and at(l)[2] = bias/S_l, with the scale S_l = max(1, growth^(l-1)).

    q' = growth q + bias; the excess of growth over 1 and its logarithm have digits of their own.
    """

    def __init__(self, bias: float, growth: float, excess: float, log: float):
        self.bias, self.excess, self.log = bias, excess, log
        self.gain = min(1.0, growth)  # growth S_l/S_(l+1)

    def at(self, layer: int) -> tuple[float, float, float]:
        """(slope, intercept, bias) of layer `layer` in units of its scale."""
        if self.excess == 0:
            return 1.0, self.bias * (layer - 1), self.bias
        exponent = -abs((layer - 1) * self.log)  # of the power of chi that stays finite
        total = self.bias * -expm1(exponent) / abs(self.excess)
        return (1.0, total, self.bias * exp(exponent)) if self.log > 0 else (exp(exponent), total, self.bias)

    def unit(self, layer: int) -> float:
        """1/S_l."""
        return exp(-max(0.0, (layer - 1) * self.log))


@dataclass(frozen=True)
class Variances:
    """The variances q, q' of every pair in one layer, times `unit` (arrays of one value when all pairs share it).

    `difference` is q - q', given apart because it may be far smaller than either.
    """

    first: np.ndarray
    second: np.ndarray
    difference: np.ndarray
    unit: float = 1.0

    @property
    def shared(self) -> "Variances | None":
        """One value for each where all pairs have the same two, else None."""
        parts = self.first, self.second, self.difference
        return None if None in map(single, parts) else Variances(*(part[:1] for part in parts))

    def __getitem__(self, part) -> "Variances":
        shared = self.first.size == 1
        return self if shared else Variances(self.first[part], self.second[part], self.difference[part])

    @property
    def mean(self) -> np.ndarray:
        """sqrt(q q')."""
        return np.sqrt(self.first) * np.sqrt(self.second)

    @property
    def apart(self) -> np.ndarray:
        """(sqrt q - sqrt q')^2 without cancellation."""
        return self.difference**2 / (self.first + self.second + 2 * self.mean)

    def moved(self, slope: float, intercept: float, unit: float) -> "Variances":
        """A later layer."""
        first, second = (slope * q + intercept for q in (self.first, self.second))
        return Variances(first, second, slope * self.difference, unit)

    def next(self, growth: float, bias: float) -> tuple["Variances", float, float]:
        """The next layer, and in its unit the bias and the growth."""
        unit, gain = self.unit / max(1.0, growth), min(1.0, growth)
        return self.moved(gain, bias * unit, unit), bias * unit, gain


def mixed_gap(gap: np.ndarray, bias: float, kept, apart, after) -> np.ndarray:
    """(e + chi r gap)/R: one layer's 1 - c' from 1 - f = gap, in the names of `relu_like.biased`."""
    found = bias * apart
    found /= after + (bias + kept)
    found += kept * gap
    found /= after
    return found


# ---- layer 1 ---------------------------------------------------------------------------------------------------------


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
    """`first_gaps` and 2 minus those, which keeps its digits for inputs that are nearly opposite.

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
    more = one.share * (one.squares[:, None] + two.squares) + one.bias
    rest = (one.bias * (1.0 + more / (roots + mean)) + mean * rest) / roots
    return _with_bias(one, two, angles), rest


def first_gaps(one: Inputs, two: Inputs, skipped: int | None = None) -> np.ndarray:
    """1 - c^1 of all pairs of an input of `one` and one of `two`, shape (N, M).

    `skipped`: the column of `two` that is the first row of `one`; pairs on and below that diagonal are not wanted.
    """
    angles = tile_gaps(one.directions, two.directions, skipped)
    return angles if one.bias == 0 else _with_bias(one, two, angles)


def _with_bias(one: Inputs, two: Inputs, angles: np.ndarray) -> np.ndarray:
    x, y = one.squares[:, None], two.squares
    mean = (one.share * np.sqrt(x)) * np.sqrt(y)
    total = one.share * (x + y)
    total += 2 * mean
    apart = _differences(one, two)
    apart *= apart
    np.divide(apart, total, out=apart, where=total > 0)
    roots = np.sqrt(one.variance)[:, None] * np.sqrt(two.variance)
    return mixed_gap(angles, one.bias, mean, apart, roots)


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

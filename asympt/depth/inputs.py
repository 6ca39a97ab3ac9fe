"""Layer 1: variances of the inputs, and gaps of all pairs of two sets of inputs, a tile at a time.

Rule.  Sigma^1 = b_1 + w_1 X Y^T/d.  With cos = 1 - g the gap of layer 1 is the angle's g mixed with the bias as in any
layer (`blocks.Mixture`), and |x|^2 is known as a sum of two float64, so that nearly equal norms keep the digits of
their difference.

Tiny case.  b_1 = w_1 = d = 1, x = 1, y = 3: variances 2 and 10, gap 1 - 4/sqrt(20).
"""

from dataclasses import dataclass

import numpy as np

from asympt.depth.constants import precise
from asympt.depth.gaps import Directions, exact_product, require_visible, tile_gaps
from asympt.depth.loops.blocks import Mixture
from asympt.depth.variance import Variances
from asympt.errors import UnsupportedError
from asympt.meanfield.statement import Statement

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
    def of(cls, statement: Statement, rows: np.ndarray, name: str = "X") -> "Inputs":
        """From inputs of shape (N, d); an error where the square of one that is not 0 is lost beside no bias."""
        bias, weight = float(precise(statement.first.bias)), float(precise(statement.first.weight))
        squares, rest = squared_norms(rows, name, _remedy(statement))
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
        """Some of the inputs."""
        return Inputs(self.bias, self.share, self.squares[part], self.rest[part], self.directions[part], self.name)


def squared_norms(rows: np.ndarray, name: str, remedy: str) -> tuple[np.ndarray, np.ndarray]:
    """|x|^2 of every row, as a float64 and what it lacks: exact products, added with their rounding errors."""
    with np.errstate(over="ignore", invalid="ignore"):
        products, errors = exact_product(rows, rows)
        high, low = np.zeros(len(rows)), errors.sum(axis=1)
        for column in products.T:
            total = high + column
            shifted = total - high
            low += (high - (total - shifted)) + (column - shifted)
            high = total
    if not np.isfinite(high + low).all():
        raise UnsupportedError(
            f"{name} has entries up to {np.abs(rows).max():.3g}, whose squares exceed the float64 range; {remedy}"
        )
    total = high + low
    return total, low - (total - high)


def _remedy(statement: Statement) -> str:
    """What to do about inputs whose squares leave the range: only a network without a scale can be rescaled."""
    if statement.is_scale_free and statement.bias_rate == 0:
        return "divide X by a common factor and multiply Sigma and K by its square"
    return "give smaller inputs (with this activation or these biases the kernels do not scale with X)"


def common_variance(*sides: Inputs) -> float | None:
    """The variance of layer 1 if all inputs have the same one."""
    variances = np.concatenate([side.variance for side in sides])
    return float(variances[0]) if np.ptp(variances) <= ALIKE * variances.max() else None


def first_pairs(one: Inputs, two: Inputs, skipped: int | None = None) -> tuple[np.ndarray, Variances]:
    """(gaps of layer 1, their variances), flat, for all pairs of an input of `one` and one of `two`.

    `skipped`: the column of `two` that is the first row of `one`; pairs on and below that diagonal are not wanted.
    """
    angles = tile_gaps(one.directions, two.directions, skipped)
    x, y = one.squares[:, None], two.squares
    difference = one.share * ((x - y) + (one.rest[:, None] - two.rest))
    first, second = (np.broadcast_to(q, angles.shape).ravel() for q in (one.variance[:, None], two.variance))
    if one.bias == 0:
        return angles.ravel(), Variances(first, second, difference.ravel())
    mean, total = one.share * np.sqrt(x) * np.sqrt(y), one.share * (x + y)
    apart = difference**2 / np.where(total > 0, total + 2 * mean, 1.0)
    roots = np.sqrt(one.variance)[:, None] * np.sqrt(two.variance)
    mixture = Mixture(one.bias, mean, apart, roots)
    w, _ = mixture.apply(0.5 * angles, 0.0, mixture.source, 0.0)
    return 2.0 * w.ravel(), Variances(first, second, difference.ravel())

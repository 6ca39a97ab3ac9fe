"""One layer for pairs of inputs with variances of their own: what does not depend on the activation.

With W = skip q + beta_l (sigma_b^2 + sigma_w^2 E) = v.v, v = (sqrt(skip q), sqrt(beta_l) sigma_b,
sqrt(beta_l E) sigma_w), and spread and drop as in `products`, by Lagrange's identity

    sqrt(W W') (1 - c') = sum_(i<j) (v_i v_j' - v_j v_i')^2/(sqrt(W W') + v.v') + beta_l sigma_w^2 spread
                          + skip r g + beta_l sigma_w^2 drop,                        r = sqrt(q q'),

all terms positive; the first line over sqrt(W W') (q - q')^2/(q + q')^2 is a sum of a few products (`apart`).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from asympt.depth.moving import Moving, cells


class Tile(NamedTuple):
    """All pairs of the inputs `rows` and `columns`."""

    rows: np.ndarray
    columns: np.ndarray

    def first(self, values: np.ndarray) -> np.ndarray:
        """The values of the first input of every pair."""
        return values[self.rows, None]

    def second(self, values: np.ndarray) -> np.ndarray:
        return values[self.columns]

    def product(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """left (N, rank) times right (rank, M) at the pairs."""
        return left[self.rows] @ right[:, self.columns]

    def only(self, mask: np.ndarray) -> "Paired":
        i, j = np.nonzero(mask)
        return Paired(self.rows[i], self.columns[j])


class Paired(NamedTuple):
    """The pairs (rows[n], columns[n]) of inputs."""

    rows: np.ndarray
    columns: np.ndarray

    def first(self, values: np.ndarray) -> np.ndarray:
        return values[self.rows]

    def second(self, values: np.ndarray) -> np.ndarray:
        return values[self.columns]

    def product(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        if len(left) * right.shape[1] <= len(self.rows):  # few inputs: all their pairs are fewer
            return (left @ right)[self.rows, self.columns]
        return np.einsum("nr,nr->n", left[self.rows], right.T[self.columns])

    def only(self, mask: np.ndarray) -> "Paired":
        return Paired(self.rows[mask], self.columns[mask])


@dataclass(frozen=True)
class Sides:
    """The inputs of the rows and of the columns before a layer, by their variances; the same ones where identical.

    `images` are the variances W after the layer.
    """

    layer: Moving
    q: np.ndarray
    other: np.ndarray
    images: tuple[np.ndarray, np.ndarray]

    @classmethod
    def of(cls, layer: Moving, q: np.ndarray, other: np.ndarray) -> "Sides":
        one = layer.variances(q)[0]
        return cls(layer, q, other, (one, one if other is q else layer.variances(other)[0]))

    def image(self, where: Tile | Paired, gap: np.ndarray, rest: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(1 - c', up to rounding beyond 0 and 2, what the branch multiplies k by) at pairs; `rest` is 2 - gap."""
        raise NotImplementedError

    @cached_property
    def norms(self) -> tuple[np.ndarray, np.ndarray]:
        """1/sqrt(W) of both sides."""
        one, two = (1 / np.sqrt(image) for image in self.images)
        return one, two

    @cached_property
    def shares(self) -> tuple[np.ndarray, np.ndarray]:
        """sqrt(q/W) of both sides."""
        return self.norms[0] * np.sqrt(self.q), self.norms[1] * np.sqrt(self.other)

    def over_norms(self, where: Tile | Paired, factor: float) -> np.ndarray:
        """factor/sqrt(W W')."""
        return where.first(factor * self.norms[0]) * where.second(self.norms[1])

    def tilted(self, where: Tile | Paired, factor: float) -> np.ndarray:
        """factor r/sqrt(W W')."""
        return where.first(factor * self.shares[0]) * where.second(self.shares[1])

    def skipped(self, where: Tile | Paired) -> np.ndarray | None:
        """skip r/sqrt(W W')."""
        added = self.layer.added
        return self.tilted(where, added.skip) if added is not None and added.skip else None

    def plain(self, where: Tile | Paired, value, slope, unit, gap) -> tuple[np.ndarray, np.ndarray]:
        """`image` from E and dE/dc as they stand, `unit` times which are what the branch adds; both are overwritten."""
        value *= unit
        slope *= unit
        if self.layer.bias:
            value += self.over_norms(where, self.layer.bias)
        skipped = self.skipped(where)
        if skipped is not None:
            value += skipped * (1.0 - gap)
        return np.subtract(1.0, value, out=value), slope

    def fallen(self, where: Tile | Paired, apart, drop, slope, unit, gap) -> tuple[np.ndarray, np.ndarray]:
        """`image` from what different variances alone take (products of `apart`) and from the fall of E; as `plain`."""
        q, other = where.first(self.q), where.second(self.other)
        found = where.product(*apart)
        difference = q - other
        difference /= q + other
        found *= difference
        found *= difference
        drop *= unit
        slope *= unit
        found += drop
        skipped = self.skipped(where)
        if skipped is not None:
            found += skipped * gap
        return found, slope


def apart(layer: Moving, q: np.ndarray, other: np.ndarray, ratios: np.ndarray) -> np.ndarray:
    """What different variances take from 1 - c', over (q - q')^2/(q + q')^2: spread and Lagrange's sum.

    `ratios` are G and R of `products` at all pairs.
    """
    spread, ratio = ratios
    skip = 0.0 if layer.added is None else layer.added.skip
    root, root_other = np.sqrt(q)[:, None], np.sqrt(other)
    moment, moment_other = (np.sqrt(cells(layer.phi).moments(v)[:, 0]) for v in (q, other))
    norm = np.sqrt(layer.variances(q)[0])[:, None] * np.sqrt(layer.variances(other)[0])
    crossed = (layer.bias * layer.weight) * ratio**2
    if skip:
        means = (q[:, None] + other) / (root + root_other)
        tilted = moment[:, None] * means - root * ratio
        crossed = crossed + skip * layer.bias * means**2 + skip * layer.weight * tilted**2
    products = skip * root * root_other + layer.bias + layer.weight * moment[:, None] * moment_other
    return (layer.weight * spread + crossed / (norm + products)) / norm


def move(side: Sides, where: Tile | Paired, gap: np.ndarray, kernel: np.ndarray, rest=None) -> None:
    """Moves `gap` and `kernel` of some pairs through the layer, in place; `rest` is 2 - gap where more is known."""
    layer = side.layer
    moved, slope = side.image(where, gap, 2.0 - gap if rest is None else rest)
    skipped = side.skipped(where)
    if skipped is not None:
        slope += skipped
        skipped *= 1.0 - gap
    kernel *= slope
    np.clip(moved, 0.0, 2.0, out=gap)
    if layer.added is None:
        kernel += 1.0
        kernel -= gap
    else:
        kernel += _source(side, where, gap, skipped)


def _source(side: Sides, where: Tile | Paired, gap: np.ndarray, skipped: np.ndarray | None) -> np.ndarray:
    """(lambda_b + lambda_W E)/sqrt(W W'), from c' = skipped + (beta_l sigma_b^2 + beta_l sigma_w^2 E)/sqrt(W W')."""
    layer, added = side.layer, side.layer.added
    share = added.weight_rate / layer.weight
    image = 1.0 - gap if skipped is None else 1.0 - gap - skipped
    return share * image + side.over_norms(where, added.bias_rate - share * layer.bias)

"""Pairs of inputs, as tiles or one by one: how a property of an input is read for all of them."""

from typing import NamedTuple

import numpy as np


class Tile(NamedTuple):
    """All pairs of the inputs `rows` and `columns`."""

    rows: np.ndarray
    columns: np.ndarray

    def first(self, values: np.ndarray) -> np.ndarray:
        """The values of the first input of every pair."""
        return values[self.rows, None]

    def second(self, values: np.ndarray) -> np.ndarray:
        """Those of the second."""
        return values[self.columns]

    def product(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """left (N, rank) times right (rank, M) at the pairs."""
        return left[self.rows] @ right[:, self.columns]

    def only(self, mask: np.ndarray) -> "Paired":
        """Some of the pairs."""
        i, j = np.nonzero(mask)
        return Paired(self.rows[i], self.columns[j])


class Paired(NamedTuple):
    """The pairs (rows[n], columns[n]) of inputs."""

    rows: np.ndarray
    columns: np.ndarray

    def first(self, values: np.ndarray) -> np.ndarray:
        """The values of the first input of every pair."""
        return values[self.rows]

    def second(self, values: np.ndarray) -> np.ndarray:
        """Those of the second."""
        return values[self.columns]

    def product(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """left (N, rank) times right (rank, M) at the pairs."""
        if len(left) * right.shape[1] <= len(self.rows):  # few inputs: all their pairs are fewer
            return (left @ right)[self.rows, self.columns]
        return np.einsum("nr,nr->n", left[self.rows], right.T[self.columns])

    def only(self, mask: np.ndarray) -> "Paired":
        """Some of the pairs."""
        return Paired(self.rows[mask], self.columns[mask])

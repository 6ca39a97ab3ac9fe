"""Gaussian weight matrices of many networks: drawn outright, or revealed in the directions that are needed.

`Revealed` keeps an orthonormal basis Q of the columns seen so far on the right and P of those on the left, with W Q and
P^T W; a new direction q on the right (orthogonal to Q) has

    W q = P (P^T W q) + (I - P P^T) z,        z a fresh standard normal vector,

on the left likewise: W itself in distribution, in O(n p^2) for p columns.  `Drawn` holds 4 n^2 bytes (float32).

Source: the conditioning of Gaussian matrices on their products is due to Bolthausen (2014), Commun. Math. Phys. 325.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from asympt.errors import InputError, UnsupportedError
from asympt.meanfield.activations import Activation, activation


@dataclass(frozen=True)
class Nonlinear:
    """phi and phi' as functions of float64 arrays; at a breakpoint the right-hand value."""

    value: Callable
    slope: Callable


def nonlinear(phi: Activation | str) -> Nonlinear:
    """phi and phi'; `UnsupportedError` when phi jumps, because phi' is then not a function.

    >>> import numpy as np
    >>> relu = nonlinear("relu")
    >>> relu.value(np.array([-1.0, 0.0, 2.0])).tolist(), relu.slope(np.array([-1.0, 0.0, 2.0])).tolist()
    ([0.0, 0.0, 2.0], [0.0, 1.0, 1.0])
    """
    return _compiled(activation(phi))


@lru_cache(maxsize=64)
def _compiled(phi: Activation) -> Nonlinear:
    symbols = phi.expression.free_symbols - {phi.symbol}
    if symbols:
        raise InputError(f"activation {phi.name!r} holds {min(map(str, symbols))}; give numbers in its place")
    if phi.ntk_obstacle is not None:
        raise UnsupportedError(phi.ntk_obstacle)
    return Nonlinear(phi.piecewise.vectorised, phi.piecewise.derivative().vectorised)


Array = np.ndarray


def pairings(columns: Array) -> Array:
    """The products of all pairs of columns, for every network: (networks, columns, columns)."""
    return np.swapaxes(columns, 1, 2) @ columns


class Drawn:
    """W of shape (networks, rows, columns), held; float32 unless an array is given.

    >>> w = Drawn(np.array([[[1.0, 2.0]]]))
    >>> w.times(np.array([[[3.0], [4.0]]])).tolist(), w.transposed(np.array([[[2.0]]])).tolist()
    ([[[11.0]]], [[[2.0], [4.0]]])
    """

    def __init__(self, entries: Array):
        self.entries = entries

    @classmethod
    def new(cls, random: np.random.Generator, networks: int, rows: int, columns: int) -> "Drawn":
        return cls(random.standard_normal((networks, rows, columns), dtype=np.float32))

    def times(self, right: Array) -> Array:
        """W H for H of shape (networks, columns, p), in float64."""
        return self._product(self.entries, right)

    def transposed(self, left: Array) -> Array:
        """W^T D for D of shape (networks, rows, p), in float64."""
        return self._product(np.swapaxes(self.entries, 1, 2), left)

    def _product(self, matrix: Array, columns: Array) -> Array:
        return (matrix @ columns.astype(self.entries.dtype)).astype(float)


class Revealed:
    """W of shape (networks, rows, columns), known in the directions requested so far.

    >>> w = Revealed(np.random.default_rng(0), 1, 5, 4)
    >>> h, d = np.ones((1, 4, 2)), np.ones((1, 5, 3))
    >>> seen, back = w.times(h), w.transposed(d)
    >>> bool(np.allclose(np.swapaxes(d, 1, 2) @ seen, np.swapaxes(back, 1, 2) @ h))
    True
    """

    def __init__(self, random: np.random.Generator, networks: int, rows: int, columns: int):
        self._random = random
        self._sides = (_SeenSide(networks, columns, rows), _SeenSide(networks, rows, columns))

    def times(self, right: Array) -> Array:
        return self._product(*self._sides, right)

    def transposed(self, left: Array) -> Array:
        return self._product(*reversed(self._sides), left)

    def _product(self, near: "_SeenSide", far: "_SeenSide", columns: Array) -> Array:
        known = near.basis.shape[2]
        basis = np.linalg.qr(np.concatenate([near.basis, columns], axis=2))[0]
        new = basis[:, :, known:]  # orthogonal to the old ones, even where columns depend on one another
        if new.shape[2]:
            fresh = self._random.standard_normal((new.shape[0], far.basis.shape[1], new.shape[2]))
            fresh += far.basis @ (np.swapaxes(far.image, 1, 2) @ new - np.swapaxes(far.basis, 1, 2) @ fresh)
            near.basis = np.concatenate([near.basis, new], axis=2)
            near.image = np.concatenate([near.image, fresh], axis=2)
        return near.image @ (np.swapaxes(near.basis, 1, 2) @ columns)


class _SeenSide:
    """An orthonormal `basis` of the directions seen on one side, and the `image` of each on the other side."""

    def __init__(self, networks: int, near: int, far: int):
        self.basis, self.image = np.zeros((networks, near, 0)), np.zeros((networks, far, 0))

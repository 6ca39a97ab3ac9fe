"""Fits on the unit circle by the NTK of an infinitely wide network: the experiment of TBG.

Problem.  TBG draw the kernel regression of ten points on a circle for an MLP and for residual networks with several
alpha and depths, and say how smooth each fit is.

Rule.  f = K(grid, X) K(X, X)^-1 y with K the NTK of the network (`depth.gram`); mu as in `smoothness`.

Tiny case.  One training point: f = y K(x, x_1)/K(x_1, x_1).

Known limits.  The slides give neither the ten points nor their targets nor the width of the Gaussian kernel.  Here the
points are on the grid and `product_targets` is y = x_1 x_2, as in Jacot et al. (2018).
"""

from dataclasses import dataclass

import numpy as np

from asympt.arrays import finite_array, whole
from asympt.depth import gram
from asympt.errors import InputError
from asympt.training.prediction import mean_prediction
from asympt.training.smoothness import circle_grid, gaussian_kernel, smoothness, training_indices

SIZE, POINTS, WIDTH = 40, 10, 0.5


@dataclass(frozen=True)
class CircleFit:
    """A fit: `values` at `circle_grid(len(values))`, through the targets at the indices `training`."""

    values: np.ndarray
    training: np.ndarray

    def smoothness(self, width=WIDTH) -> float:
        """mu on the grid, for a Gaussian kernel of this width."""
        return smoothness(self.values, self.training, width)


def equally_spaced(points: int = POINTS, size: int = SIZE) -> np.ndarray:
    """The indices of `points` equally spaced points on a grid of `size`.

    >>> equally_spaced(3, 12)
    array([0, 4, 8])
    """
    points, size = whole(points, "points", "how many points"), whole(size, "size", "the points of the grid")
    if size % points:
        raise InputError(f"{size} grid points cannot hold {points} equally spaced ones; take a multiple of {points}")
    return np.arange(points) * (size // points)


def product_targets(training, size: int = SIZE) -> np.ndarray:
    """y = x_1 x_2 at grid points (Jacot et al. 2018, section 6).

    >>> product_targets([0, 1], 8).round(12)
    array([0. , 0.5])
    """
    points = circle_grid(size)[training_indices(training, size)]
    return points.prod(axis=1)


def ntk_fit(net, training, targets, depth: int, size: int = SIZE) -> CircleFit:
    """The kernel regression by the NTK of layer `depth`, on the grid.

    Parameters
    ----------
    net : a network, Statement or Layer that `asympt.depth.gram` takes.
    training : indices of the training points on the grid; targets : y, one for each.
    depth : L; a residual network of L - 1 blocks, an MLP of L - 1 hidden layers.

    Raises
    ------
    InputError : indices, shapes, or an NTK that is singular on the points (with the points): one hidden layer without
        biases cannot tell x from -x beyond the sign of a linear function.

    >>> from asympt import FeedForward
    >>> ntk_fit(FeedForward("relu"), [0, 1], [1.0, 0.0], 3, size=4).values.round(6)[:2]
    array([1., 0.])
    """
    chosen, grid = training_indices(training, size), circle_grid(size)
    _, kernel = gram(net, grid, depth=depth)
    return CircleFit(mean_prediction(kernel[:, chosen], kernel[np.ix_(chosen, chosen)], _targets(targets)), chosen)


def gaussian_fit(training, targets, width=WIDTH, size: int = SIZE) -> CircleFit:
    """f_Gauss, the smoothest fit: mu = 1.

    >>> round(gaussian_fit([0, 3], [1.0, -1.0], size=12).smoothness(), 9)
    1.0
    """
    chosen, grid = training_indices(training, size), circle_grid(size)
    kernel = gaussian_kernel(grid, grid[chosen], width)
    return CircleFit(mean_prediction(kernel, kernel[chosen], _targets(targets)), chosen)


def _targets(values) -> np.ndarray:
    array = finite_array(values, "targets")
    if array.ndim != 1:
        raise InputError(f"targets has shape {array.shape}; give one number per training point")
    return array

r"""How smooth a fit is, measured by the Gaussian kernel's norm: TBG's mu(f) = |f_Gauss|/|f|.

Problem.  Two kernels fit the same points; which fit is smoother?  TBG compare norms in the Hilbert space H of the
Gaussian kernel k(x, x') = exp(-|x - x'|^2/(2 w^2)), with f_Gauss the fit of smallest norm through the same points.

Rule.  f_Gauss = sum a_i k(., x_i) with K a = y has |f_Gauss|^2 = y.K^-1 y.  Any f in H through the points is
f_Gauss + g with g orthogonal to it, so 0 < mu <= 1, and mu does not see the scale of f.  In R^d

    |f|^2 = (2 pi)^-d int |F f|^2/F k,   F f(w) = int f(x) e^(-i w.x) dx.

Functions in H are analytic, and the NTK of a ReLU network makes fits with kinks: their norm is infinite.  What can be
compared is the norm of the smoothest function of H that agrees with f on a grid that contains the points, which has the
three properties above and grows without bound as the grid is refined.  On M equally spaced points of the unit circle
the kernel is circulant, with eigenvalues M sum_j e^(-1/w^2) I_(m + jM)(1/w^2), so the norm is a sum over frequencies.

Tiny case.  M = 1: |f| = |f(x_1)|, mu = 1.

Known limits.  Unit circle; mu depends on M and w, so compare fits at the same M and w.
"""

import numpy as np
from scipy.special import ive

from asympt.arrays import finite_array, whole
from asympt.errors import InputError
from asympt.training.kernels import invertible_kernel, solve
from asympt.training.parsing import positive, targets_of

ALIASES = 40  # most turns of the circle that are summed
SMALLEST = 1e-300


def gaussian_kernel(first, second, width) -> np.ndarray:
    """exp(-|x - x'|^2/(2 w^2)), shape (N, M), for points (N, d) and (M, d) (PDLT eq. 10.133, with w = sigma).

    >>> gaussian_kernel([[0.0]], [[0.0], [1.0]], width=1).round(4)
    array([[1.    , 0.6065]])
    """
    left, right, scale = finite_array(first, "first"), finite_array(second, "second"), _width(width)
    if left.ndim != 2 or right.ndim != 2 or left.shape[1] != right.shape[1]:
        raise InputError(f"points have shapes {left.shape} and {right.shape}; give (N, d) and (M, d) with the same d")
    distances = ((left[:, None] - right[None]) ** 2).sum(axis=-1)
    return np.exp(-distances / (2 * scale**2))


def interpolant_norm(kernel, targets) -> float:
    """sqrt(y.K^-1 y): the norm of the kernel interpolant in the kernel's own Hilbert space, the smallest possible.

    Raises `InputError` for shapes and for a kernel that is not positive definite (with the points that make it so).

    >>> interpolant_norm([[4.0]], [1.0])
    0.5
    """
    square = invertible_kernel(kernel)
    values = targets_of(targets, len(square))
    if values.ndim != 1:
        raise InputError(f"targets has shape {values.shape}; give one number per point")
    size = np.abs(values).max() or 1.0  # a norm scales with the values, whose squares float64 may not hold
    return float(size * np.sqrt(max(values / size @ solve(square, values / size), 0.0)))


def circle_grid(size: int) -> np.ndarray:
    """`size` equally spaced points of the unit circle, shape (size, 2), the first at (1, 0).

    >>> circle_grid(4).round(12) + 0.0
    array([[ 1.,  0.],
           [ 0.,  1.],
           [-1.,  0.],
           [ 0., -1.]])
    """
    size = whole(size, "size", "the number of points, 1 or more")
    angles = 2 * np.pi * np.arange(size) / size
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def circle_spectrum(size: int, width) -> np.ndarray:
    """The eigenvalues of the Gaussian kernel on `circle_grid(size)`, by frequency 0, ..., size - 1.

    Sums of positive terms, so small eigenvalues keep their digits.  Raises `InputError` where some are below 1e-300.

    >>> circle_spectrum(1, 1.0).round(12)
    array([1.])
    """
    concentration, orders = (1 / max(_width(width), 1e-150)) ** 2, np.arange(len(circle_grid(size)))
    turns = np.arange(-ALIASES, ALIASES + 1) * size
    found = size * ive(np.abs(orders[:, None] + turns), concentration).sum(axis=1)
    if size * ALIASES < 10 * np.sqrt(concentration) or not (found > SMALLEST).all():
        raise InputError(f"size = {size} and width = {width} do not go together; take a width nearer to 4/size")
    return found


def circle_norm(values, width) -> float:
    """The norm of the smoothest function of H with these values at `circle_grid(len(values))`.

    >>> round(circle_norm([3.0], 0.5), 12)
    3.0
    """
    array = finite_array(values, "values")
    if array.ndim != 1 or array.size == 0:
        raise InputError(f"values has shape {array.shape}; give the fit on the grid, shape (M,)")
    size = np.abs(array).max() or 1.0  # as in `interpolant_norm`
    power = np.abs(np.fft.fft(array / size)) ** 2 / array.size
    return float(size * np.sqrt((power / circle_spectrum(array.size, width)).sum()))


def smoothness(values, training, width) -> float:
    """mu on the grid: |f_Gauss|/|f|, in (0, 1]; larger is smoother.

    Parameters
    ----------
    values : the fit f at `circle_grid(M)`, shape (M,).
    training : the indices of the training points on the grid.
    width : w, the width of the Gaussian kernel.

    Raises
    ------
    InputError : shapes, indices outside the grid or twice, a fit that is 0 at all training points.

    Source: TBG = Tirer, Bruna and Giryes (2020), the measure mu, on a grid.

    >>> smoothness([1.0, 1.0, 1.0, 1.0], [0, 1, 2, 3], 1.0)
    1.0
    """
    array = finite_array(values, "values")
    if array.ndim != 1:
        raise InputError(f"values has shape {array.shape}; give the fit at every point of the grid, shape (M,)")
    chosen = training_indices(training, array.size)
    targets = array[chosen]
    if not targets.any():
        raise InputError("values is 0 at every training point, so mu is 0/0; give a fit of other targets")
    points = circle_grid(array.size)[chosen]
    return interpolant_norm(gaussian_kernel(points, points, width), targets) / circle_norm(array, width)


def training_indices(values, size: int) -> np.ndarray:
    """Different whole numbers from 0 to size - 1."""
    array = finite_array(values, "training")
    if array.ndim != 1 or array.size == 0 or (np.floor(array) != array).any() or len(set(array.tolist())) != array.size:
        raise InputError(f"training = {array.tolist()} are not different whole numbers; give indices on the grid")
    if array.min() < 0 or array.max() >= size:
        raise InputError(f"training holds {array.max():g} or {array.min():g}; give indices from 0 to {size - 1}")
    return array.astype(int)


def _width(value) -> float:
    return positive(value, "width", "the width w of the Gaussian kernel")

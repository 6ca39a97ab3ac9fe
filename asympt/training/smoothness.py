"""How smooth a fit is, measured by the Gaussian kernel's norm: TBG's mu(f) = |f_Gauss|/|f|, and bounds on slopes.

f_Gauss = sum a_i k(., x_i), k(x, x') = exp(-|x - x'|^2/(2 w^2)), has the smallest norm, y.K^-1 y, through the points.
The NTK of a ReLU network fits with kinks, whose norm is infinite: compared is the smoothest function that agrees with f
on a grid that contains the points.  With |phi'| <= C, |df/dx| is at most, once sqrt(n) >= t + C',

    B_res = 2 sigma_w (1 + 2 sqrt(n/d)) (1 + 9 alpha C sigma_v sigma_w)^L;
    B_MLP = 2 sigma_w (1 + 2 sqrt(n/d)) sigma_w C (3 sigma_w C)^(L-1).     TBG drop sigma_v, sigma_w and a factor 3.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import ive
from sympy import Expr, ceiling, log, sqrt

from asympt.arrays import finite_array, whole
from asympt.depth import gram
from asympt.errors import InputError
from asympt.numbers import positive as exact_positive
from asympt.training.kernels import invertible_kernel, positive, shaped, solve, targets_of
from asympt.training.prediction import mean_prediction

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
    values = targets_of(_targets(targets), len(square))
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
        raise InputError(f"size = {size} and width = {width} do not fit each other; take a width nearer to 4/size")
    return found


def circle_norm(values, width) -> float:
    """The Gaussian kernel's norm of the smoothest function with these values at `circle_grid(len(values))`.

    >>> round(circle_norm([3.0], 0.5), 12)
    3.0
    """
    array = shaped(values, "values", lambda a: a.ndim == 1 and a.size > 0, "give the fit on the grid, shape (M,)")
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

    Raises `InputError` for shapes, indices outside the grid or twice, a fit that is 0 at all training points.

    Source: TBG = Tirer, Bruna and Giryes (2020), the measure mu, on a grid.

    >>> smoothness([1.0, 1.0, 1.0, 1.0], [0, 1, 2, 3], 1.0)
    1.0
    """
    array = shaped(values, "values", lambda a: a.ndim == 1, "give the fit at every point of the grid, shape (M,)")
    chosen = training_indices(training, array.size)
    targets = array[chosen]
    if not targets.any():
        raise InputError("values are 0 at every training point, so mu is 0/0; give a fit of other targets")
    points = circle_grid(array.size)[chosen]
    return interpolant_norm(gaussian_kernel(points, points, width), targets) / circle_norm(array, width)


def training_indices(values, size: int) -> np.ndarray:
    array = finite_array(values, "training")
    if array.ndim != 1 or array.size == 0 or (np.floor(array) != array).any() or len(set(array.tolist())) != array.size:
        raise InputError(f"training = {array.tolist()} are not different whole numbers; give indices on the grid")
    if array.min() < 0 or array.max() >= size:
        raise InputError(f"training holds {array.max():g} or {array.min():g}; give indices from 0 to {size - 1}")
    return array.astype(int)


def _width(value) -> float:
    return positive(value, "width", "the width w of the Gaussian kernel")


# ---- fits on the unit circle by the NTK of an infinitely wide network: the experiment of TBG ---------------------


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

    Raises `InputError` for indices, shapes, or an NTK that is singular on the points (with the points): one hidden
    layer without biases cannot tell x from -x beyond the sign of a linear function.

    >>> from asympt import FeedForward
    >>> ntk_fit(FeedForward("relu"), [0, 1], [1.0, 0.0], 3, size=4).values.round(6)[:2]
    array([1., 0.])
    """
    chosen, grid = training_indices(training, size), circle_grid(size)
    _, kernel = gram(net, grid, depth=depth)
    return CircleFit(mean_prediction(kernel[:, chosen], kernel[np.ix_(chosen, chosen)], _targets(targets)), chosen)


def gaussian_fit(training, targets, width=WIDTH, size: int = SIZE) -> CircleFit:
    """f_Gauss, the smoothest fit of the targets at the training indices: mu = 1.

    >>> round(gaussian_fit([0, 3], [1.0, -1.0], size=12).smoothness(), 9)
    1.0
    """
    chosen, grid = training_indices(training, size), circle_grid(size)
    kernel = gaussian_kernel(grid, grid[chosen], width)
    return CircleFit(mean_prediction(kernel, kernel[chosen], _targets(targets)), chosen)


def _targets(values) -> np.ndarray:
    return shaped(values, "targets", lambda a: a.ndim == 1, "give one number per training point")


# ---- bounds on the slope of a trained network's output -----------------------------------------------------------


def residual_bound(depth, alpha, width, dimension, sigma_w=1, sigma_v=1, slope=1) -> Expr:
    """B_res, TBG's bound on |df/dx| for L = `depth` blocks of n = `width` neurons, inputs in R^d, |phi'| <= `slope`.

    Numbers or SymPy symbols.  Raises `InputError` for values that are not positive.

    >>> residual_bound(2, "1/10", 100, 100)
    1083/50
    """
    depth, alpha, sigma_w, sigma_v, slope = _positive(
        depth=depth, alpha=alpha, sigma_w=sigma_w, sigma_v=sigma_v, slope=slope
    )
    return _ends(width, dimension, sigma_w) * (1 + 9 * alpha * slope * sigma_v * sigma_w) ** depth


def mlp_bound(depth, width, dimension, sigma_w=1, slope=1) -> Expr:
    """B_MLP, TBG's bound on |df/dx| for a perceptron of L = `depth` hidden layers, |phi'| <= `slope`.

    >>> mlp_bound(2, 100, 100)
    18
    """
    depth, sigma_w, slope = _positive(depth=depth, sigma_w=sigma_w, slope=slope)
    return _ends(width, dimension, sigma_w) * sigma_w * slope * (3 * sigma_w * slope) ** (depth - 1)


def largest_alpha(depth, slope=1, sigma_w=1, sigma_v=1) -> Expr:
    """The largest alpha with B_res <= B_MLP at L = `depth`; `InputError` where there is no alpha > 0.

    With C = slope sigma_w it is (3^(1 - 1/L) C - 1)/(9 C sigma_v).

    >>> largest_alpha(3).evalf(6)
    0.120009
    """
    depth, slope, sigma_w, sigma_v = _positive(depth=depth, slope=slope, sigma_w=sigma_w, sigma_v=sigma_v)
    rate = slope * sigma_w
    found = (3 ** (1 - 1 / depth) * rate - 1) / (9 * rate * sigma_v)
    if found.is_number and not found > 0:
        raise InputError(
            f"depth = {depth} has B_res > B_MLP at every alpha > 0, since 3^(1 - 1/L) C <= 1 there; take a larger depth"
        )
    return found


def smallest_depth(alpha, slope=1) -> int:
    """The smallest L from which on B_res <= B_MLP at this alpha (sigma_w = sigma_v = 1).

    (1 + 9 alpha C)^L <= C (3 C)^(L-1) holds for L >= log 3/log(3 C/(1 + 9 alpha C)).  Raises `InputError` where the
    right-hand side never catches up, alpha >= (3 - 1/C)/9.

    >>> smallest_depth("1/10")
    3
    """
    alpha, slope = _positive(alpha=alpha, slope=slope)
    if not (alpha.is_number and slope.is_number):
        raise InputError(f"alpha = {alpha}, slope = {slope} hold symbols; give numbers")
    ratio = 3 * slope / (1 + 9 * alpha * slope)
    if not ratio > 1:
        raise InputError(
            f"alpha = {alpha} has B_res > B_MLP at every depth; take alpha below (3 - 1/C)/9 = {(3 - 1 / slope) / 9}"
        )
    return max(1, int(ceiling(log(3) / log(ratio))))


def width_needed(tail, movement) -> Expr:
    """(t + C')^2, the width from which on the operator norms are as the bounds take them.

    `tail` is t; the parameters moved by at most `movement` = C'.  TBG ask for n > C'^2 only.

    >>> width_needed(3, 7)
    100
    """
    tail, movement = _positive(tail=tail, movement=movement)
    return (tail + movement) ** 2


def _ends(width, dimension, sigma_w: Expr) -> Expr:
    """sigma_w |w| |U|/sqrt(n d): what readout and first layer contribute to both bounds."""
    width, dimension = _positive(width=width, dimension=dimension)
    return 2 * sigma_w * (1 + 2 * sqrt(width / dimension))


def _positive(**values) -> list[Expr]:
    return [exact_positive(value, name, "a positive number") for name, value in values.items()]

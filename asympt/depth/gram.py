"""The NNGP kernel and the NTK of a set of inputs after L layers.

Problem.  Sigma and K of N inputs, of any norms, without a loss of digits for inputs that are nearly the same.
Rule.     The gaps 1 - c^1 of the N(N-1)/2 pairs (`gaps`) run through the layers (`blocks`), while the variances
          and the diagonal of K come from their closed form (`variance`):

    Sigma_ij = sqrt(q_i q_j) (1 - gap_ij),     K_ij = sqrt(q_i q_j) k_ij,     Sigma_ii = q_i.

With a bias, layer 1 mixes the angle of the inputs with the bias exactly as a layer mixes f with it: the same
formula with sigma_w^2 and |x|^2/d in the places of chi and q.

Example.  X = [[1, 0], [0, 2]], sigma_b = 0, sigma_w^2 = 2: q = (1, 4), c^1 = 0; ReLU, layer 2: Sigma_12 = 2/pi.
"""

from collections.abc import Callable
from math import fsum

import numpy as np

from asympt.depth.activations import general_gram, moving_of
from asympt.depth.blocks import Block, Mixture, cut
from asympt.depth.constants import Constants, constants, layer_of
from asympt.depth.gaps import angular_gaps, exact_product, indices
from asympt.depth.moving import Pairs
from asympt.depth.reading import depth_of, inputs_of, progress_of, workers_of
from asympt.depth.variance import Variances, diagonal
from asympt.depth.workers import Progress, run
from asympt.errors import UnsupportedError


def gram(
    net,
    X,
    depth: int,
    *,
    workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """(Sigma, K): the covariance of the preactivations of layer L and the NTK, for all pairs of inputs.

    Parameters
    ----------
    net : a FeedForward network (or its Layer) with numbers in it, of any continuous activation.
    X : inputs, shape (N, d), of any norms.  Layer 1 has Sigma^1 = sigma_b^2 + sigma_w^2 X X^T/d = K^1.
    depth : L, the layer asked for; ``depth=1`` returns Sigma^1 twice.
    workers, progress : as in `pairs`.

    Returns
    -------
    (Sigma, K), two symmetric float64 arrays of shape (N, N), not normalised.  The diagonal is exact to rounding at
    any depth; elsewhere the error is a few 1e-16 of sqrt(Sigma_ii Sigma_jj), so take `pairs` for tiny gaps.  An
    input of zeros has zero rows when sigma_b = 0.  For activations that are not ReLU-like errors are below 1e-9; the
    layers in which the variances move cost about 1 microsecond a pair, or, when phi has breakpoints, 2 milliseconds.

    Raises
    ------
    InputError : X not of shape (N, d), NaN or infinity, a depth below 1, symbolic slopes.
    UnsupportedError : variances beyond the float64 range (chi > 1 at great depth).

    Nearly opposite inputs: a gap near 2 is held as such, which for slopes of opposite sign, where the next gap is about
    2 minus that, leaves the next gap with an error of 2e-16 (exactly opposite inputs are exact).

    Source: HDR = Hayou, Doucet and Rousseau (2020), Lemma 2; K as defined in their Theorem 1, not divided by L.

    >>> from asympt.meanfield.activations import activation
    >>> from asympt.meanfield.layer import Layer
    >>> Sigma, K = gram(Layer(activation("relu"), 2, 0), [[1.0, 0.0], [0.0, 2.0]], depth=2)
    >>> print(Sigma.round(6), K.round(6), sep=chr(10))
    [[1.      0.63662]
     [0.63662 4.     ]]
    [[2.      0.63662]
     [0.63662 8.     ]]
    """
    layer, depth, workers = layer_of(net), depth_of(depth), workers_of(workers)
    inputs = inputs_of(X)
    if not layer.activation.is_relu_like:
        return _of_any_activation(layer, inputs, depth, workers, progress_of(progress))
    numbers = constants(layer)
    squares, rest = _norms(inputs)
    share = numbers.weight / inputs.shape[1]
    first = numbers.bias + share * squares
    ends = _diagonals(diagonal(layer, depth), first, depth)
    gaps, kernels = angular_gaps(inputs), np.empty(len(inputs) * (len(inputs) - 1) // 2)

    def keep(part, end, kernel):
        gaps[part], kernels[part] = end, kernel

    def block(part):
        if numbers.bias == 0:
            return Block(numbers, depth, gaps[part])
        return _first_layer(part, gaps[part], squares, rest, share, numbers, depth)

    parts = list(cut(gaps.size))
    tasks = ((part, block(part)) for part in parts)
    run(tasks, max(1, min(workers, len(parts))), Progress(progress_of(progress), gaps.size * (depth - 1)), keep)
    return _square(1.0 - gaps, ends[0], ends[0]), _square(kernels, ends[0], ends[1])


def _of_any_activation(layer, inputs: np.ndarray, depth: int, workers: int, progress) -> tuple[np.ndarray, np.ndarray]:
    """Layer 1 as for ReLU-like activations, then `general_gram`."""
    (squares, rest), moving, gaps = _norms(inputs), moving_of(layer), angular_gaps(inputs)
    share = moving.weight / inputs.shape[1]
    first = moving.bias + share * squares
    if moving.bias > 0:
        numbers = Constants(0.0, 1.0, 1.0, 0.0, 0.0, moving.weight, moving.bias)  # layer 1 has no activation
        for part in cut(gaps.size):
            gaps[part] = _first_layer(part, gaps[part], squares, rest, share, numbers, 1).gap
    pairs = Pairs(*indices(np.arange(gaps.size), len(inputs)), gaps, 1.0 - gaps)
    gaps, kernels, variance, diagonal_values = general_gram(layer, pairs, first, depth, workers, progress)
    if not (np.isfinite(diagonal_values).all() and np.isfinite(variance).all()):
        raise UnsupportedError(
            f"the NTK of layer {depth} exceeds the float64 range; "
            "use asympt.depth.pairs, which returns values normalised by the variance"
        )
    return _square(1.0 - gaps, variance, variance), _square(kernels, variance, diagonal_values)


def _norms(inputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """|x|^2 of every row, as a float64 and what it lacks, summed without rounding."""
    with np.errstate(over="ignore", invalid="ignore"):
        products, errors = exact_product(inputs, inputs)
    if not np.isfinite(products.sum()) or not np.isfinite(errors).all():
        raise UnsupportedError(
            f"X has entries up to {np.abs(inputs).max():.3g}, whose squares exceed the float64 range; "
            "divide X by a common factor and multiply Sigma and K by its square (sigma_b = 0)"
        )
    terms = np.hstack([products, errors]).tolist()
    high = [fsum(row) for row in terms]
    low = [fsum([*row, -total]) for row, total in zip(terms, high, strict=True)]
    return np.array(high), np.array(low)


def _diagonals(scalars: tuple, first: np.ndarray, depth: int) -> tuple[np.ndarray, np.ndarray]:
    """The diagonals (q_L, K^L(x, x)) from the variances of layer 1."""
    slope, intercept, kernel = scalars
    with np.errstate(over="ignore"):
        variance, ntk = slope * first + intercept, depth * (slope * first) + kernel
    if not np.isfinite(ntk).all():
        raise UnsupportedError(
            f"the NTK of layer {depth} exceeds the float64 range; "
            "use asympt.depth.pairs, which returns values normalised by the variance"
        )
    return variance, ntk


def _first_layer(part: slice, gap, squares, rest, share: float, numbers: Constants, depth: int) -> Block:
    """The block of the pairs `part` with a bias: gaps and variances of layer 1 from the angles of the inputs.

    `share` = sigma_w^2/d; |x|^2 = squares + rest, so that nearly equal norms keep the digits of their difference.
    """
    i, j = indices(np.arange(part.start, part.stop), len(squares))
    bias, difference = numbers.bias, (squares[i] - squares[j]) + (rest[i] - rest[j])
    first, second = bias + share * squares[i], bias + share * squares[j]
    mean, total = np.sqrt(squares[i]) * np.sqrt(squares[j]), squares[i] + squares[j]
    apart = difference**2 / np.where(total > 0, total + 2 * mean, 1.0)
    mixture = Mixture(bias, share * mean, share * apart, np.sqrt(first) * np.sqrt(second))
    w, _ = mixture.apply(0.5 * gap, 0.0, mixture.source, 0.0)
    return Block(numbers, depth, 2.0 * w, Variances(first, second, share * difference))


def _square(flat: np.ndarray, variance: np.ndarray, diagonal_values: np.ndarray) -> np.ndarray:
    """The symmetric matrix with sqrt(q_i q_j) flat_ij off the diagonal."""
    size, roots, stop = len(variance), np.sqrt(variance), 0
    square = np.diag(diagonal_values)
    for i in range(size - 1):
        start, stop = stop, stop + size - i - 1
        square[i, i + 1 :] = square[i + 1 :, i] = roots[i] * roots[i + 1 :] * flat[start:stop]
    return square

"""The NNGP kernel and the NTK of a set of inputs after L layers.

Problem.  Sigma and K of N inputs, of any norms, without a loss of digits for inputs that are nearly the same.
Rule.     The gaps 1 - c^1 of the N(N-1)/2 pairs (`gaps`) run through the layers (`pairs.block_of`), while the
          variances and the diagonal of K come from their closed form (`diagonal`):

    Sigma_ij = sqrt(q_i q_j) (1 - gap_ij),     K_ij = sqrt(q_i q_j) k_ij,     Sigma_ii = q_i.

With a bias, layer 1 mixes the angle of the inputs with the bias exactly as a layer mixes f with it: the same
formula with sigma_w^2 and |x|^2/d in the places of chi and q.

Example.  X = [[1, 0], [0, 2]], sigma_b = 0, sigma_w^2 = 2: q = (1, 4), c^1 = 0; ReLU, layer 2: Sigma_12 = 2/pi.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import fsum

import numpy as np

from asympt.depth.activations import general_gram
from asympt.depth.blocks import Mixture, cut
from asympt.depth.constants import constants, precise
from asympt.depth.diagonal import diagonal_map
from asympt.depth.gaps import angular_gaps, exact_product, exponent_of, indices, require_visible
from asympt.depth.moving import Pairs
from asympt.depth.pairs import block_of
from asympt.depth.reading import depth_of, inputs_of, progress_of, workers_of
from asympt.depth.recipe import Recipe, statement_of
from asympt.depth.variance import Variances
from asympt.depth.workers import Progress, run
from asympt.errors import UnsupportedError
from asympt.meanfield.statement import Statement


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
    net : a dense network of any architecture (or its Statement, or a Layer) with numbers in it, phi continuous.
    X : inputs, shape (N, d), of any norms.  Layer 1 has Sigma^1 = sigma_b^2 + sigma_w^2 X X^T/d = K^1, unless the
        statement says otherwise of it.
    depth : L, the layer asked for; ``depth=1`` returns Sigma^1 and K^1.
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
    UnsupportedError : variances beyond the float64 range, above it (chi > 1, or a skip connection, at great depth) or
        below (chi < 1, or tiny inputs, without bias); an input of zeros whose variance stays 0 while biases learn,
        where K depends on phi'(0).

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
    depth, workers, inputs = depth_of(depth), workers_of(workers), inputs_of(X)
    recipe = Recipe(statement_of(net, depth), depth)
    shift = 0 if recipe.has_scale or not recipe.statement.activation.is_relu_like else exponent_of(inputs)
    first = InputLayer.of(recipe.statement, np.ldexp(inputs, -shift))
    if not recipe.statement.activation.is_relu_like:
        return _of_any_activation(recipe, first, workers, progress_of(progress))
    numbers = constants(recipe.statement.layer)
    if recipe.has_scale and (first.variance == 0).any() and recipe.statement.layer.bias_variance == 0:
        raise UnsupportedError(
            "X has a row of zeros, whose variance stays 0 while biases learn: its NTK depends on the slope of phi at "
            "0; leave the row out, or take sigma_b > 0"
        )
    ends = _diagonals(diagonal_map(recipe), first.variance, depth, shift)
    gaps, kernels = first.angles, np.empty(first.angles.size)

    def keep(part, end, kernel):
        gaps[part], kernels[part] = end, kernel

    def block(part):
        if not recipe.has_scale:
            return block_of(recipe, numbers, gaps[part], None)
        return block_of(recipe, numbers, *first.pairs(part))

    parts = list(cut(gaps.size))
    tasks = ((part, block(part)) for part in parts)
    run(tasks, max(1, min(workers, len(parts))), Progress(progress_of(progress), gaps.size * (depth - 1)), keep)
    return _square(1.0 - gaps, ends[0], ends[0], shift), _square(kernels, ends[0], ends[1], shift)


def _of_any_activation(recipe: Recipe, first: "InputLayer", workers: int, progress) -> tuple[np.ndarray, np.ndarray]:
    """Layer 1 as for ReLU-like activations, then `general_gram`."""
    gaps = first.angles
    if first.bias > 0:
        for part in cut(gaps.size):
            gaps[part] = first.pairs(part)[0]
    i, j = indices(np.arange(gaps.size), len(first.variance))
    root = np.sqrt(first.variance)
    pairs = Pairs(i, j, gaps, recipe.first_kernel(gaps, root[i] * root[j]))
    gaps, kernels, variance, diagonal_values = general_gram(recipe, pairs, first.variance, workers, progress)
    if not (np.isfinite(diagonal_values).all() and np.isfinite(variance).all()):
        raise UnsupportedError(
            f"the NTK of layer {recipe.depth} exceeds the float64 range; "
            "use asympt.depth.pairs, which returns values normalised by the variance"
        )
    require_visible(first.variance, variance, recipe.depth)
    return _square(1.0 - gaps, variance, variance), _square(kernels, variance, diagonal_values)


def _norms(inputs: np.ndarray, remedy: str) -> tuple[np.ndarray, np.ndarray]:
    """|x|^2 of every row, as a float64 and what it lacks, summed without rounding."""
    with np.errstate(over="ignore", invalid="ignore"):
        products, errors = exact_product(inputs, inputs)
    if not np.isfinite(products.sum()) or not np.isfinite(errors).all():
        raise UnsupportedError(
            f"X has entries up to {np.abs(inputs).max():.3g}, whose squares exceed the float64 range; "
            f"{remedy}"
        )
    terms = np.hstack([products, errors]).tolist()
    high = [fsum(row) for row in terms]
    low = [fsum([*row, -total]) for row, total in zip(terms, high, strict=True)]
    return np.array(high), np.array(low)


def _remedy(statement: Statement) -> str:
    """What to do about inputs whose squares leave the range: only a network without a scale can be rescaled."""
    if statement.is_scale_free and statement.bias_rate == 0:
        return "divide X by a common factor and multiply Sigma and K by its square"
    return "give smaller inputs (with this activation or these biases the kernels do not scale with X)"


def _diagonals(scalars: tuple, first: np.ndarray, depth: int, shift: int) -> tuple[np.ndarray, np.ndarray]:
    """The diagonals (q_L, K^L(x, x)) over 4^shift, from the variances of layer 1 in the same unit."""
    slope, intercept, factor, kernel = scalars
    with np.errstate(over="ignore"):
        variance, ntk = slope * first + intercept, factor * (slope * first) + kernel
        largest = np.ldexp(np.maximum(variance, ntk), 2 * shift)
    if not np.isfinite(largest).all():
        raise UnsupportedError(
            f"the NTK of layer {depth} exceeds the float64 range; "
            "use asympt.depth.pairs, which returns values normalised by the variance, or divide X by a common factor"
        )
    require_visible(first, np.ldexp(variance, 2 * shift), depth)
    return variance, ntk


@dataclass(frozen=True)
class InputLayer:
    """Layer 1: its bias b_1, `share` = w_1/d, `angles` = 1 - cos of all pairs of inputs, the variances of the inputs.

    |x|^2 = squares + rest, so that nearly equal norms keep the digits of their difference.
    """

    bias: float
    share: float
    squares: np.ndarray
    rest: np.ndarray
    angles: np.ndarray

    @classmethod
    def of(cls, statement: Statement, inputs: np.ndarray) -> "InputLayer":
        """From inputs of shape (N, d); an error where the square of one that is not 0 is lost beside no bias."""
        bias, weight = float(precise(statement.first.bias)), float(precise(statement.first.weight))
        found = cls(bias, weight / inputs.shape[1], *_norms(inputs, _remedy(statement)), angular_gaps(inputs))
        if bias == 0:
            require_visible(np.abs(inputs).max(axis=1), found.variance, 1)
        return found

    @property
    def variance(self) -> np.ndarray:
        """q^1 of every input."""
        return self.bias + self.share * self.squares

    def pairs(self, part: slice) -> tuple[np.ndarray, Variances]:
        """Gaps and variances of layer 1 from the angles of the inputs: the bias mixes with them as in any layer."""
        i, j = indices(np.arange(part.start, part.stop), len(self.squares))
        difference = (self.squares[i] - self.squares[j]) + (self.rest[i] - self.rest[j])
        first, second = self.bias + self.share * self.squares[i], self.bias + self.share * self.squares[j]
        mean, total = np.sqrt(self.squares[i]) * np.sqrt(self.squares[j]), self.squares[i] + self.squares[j]
        apart = difference**2 / np.where(total > 0, total + 2 * mean, 1.0)
        mixture = Mixture(self.bias, self.share * mean, self.share * apart, np.sqrt(first) * np.sqrt(second))
        w, _ = mixture.apply(0.5 * self.angles[part], 0.0, mixture.source, 0.0)
        return 2.0 * w, Variances(first, second, self.share * difference)


def _square(flat: np.ndarray, variance: np.ndarray, diagonal_values: np.ndarray, shift: int = 0) -> np.ndarray:
    """The symmetric matrix with sqrt(q_i q_j) flat_ij off the diagonal, times 4^shift."""
    size, roots, stop = len(variance), np.sqrt(variance), 0
    square = np.diag(diagonal_values)
    for i in range(size - 1):
        start, stop = stop, stop + size - i - 1
        square[i, i + 1 :] = square[i + 1 :, i] = roots[i] * roots[i + 1 :] * flat[start:stop]
    return np.ldexp(square, 2 * shift) if shift else square

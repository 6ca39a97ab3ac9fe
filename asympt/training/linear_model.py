r"""Linear regression on features, and the same prediction in the language of kernels.

With Phi the rows phi(x_a), N x n_f, M = Phi^T Phi, k = Phi Phi^T and the penalty a sum W^2 on the loss
(1/2) sum |y - z|^2 (PDLT 10.120, 10.127), for every a > 0 and whatever N and n_f are,

    W^T = (2a + M)^-1 Phi^T y = Phi^T (2a + k)^-1 y        since  (2a + M) Phi^T = Phi^T (2a + k).

As a -> 0+ both tend to the pseudo-inverse, the fit of smallest |W|; at a = 0, with features of full rank, n_f < N has M
invertible and k singular (primal only), n_f > N the reverse (dual only, training loss 0), n_f = N both.  PDLT 10.129
passes from primal to dual with M^-1 M = 1 for n_f >= N: that needs n_f = N, or the limit.
"""

import numpy as np

from asympt.arrays import finite_array, real, whole
from asympt.depth.gaps import exponent_of
from asympt.errors import InputError
from asympt.training.kernels import EPS, targets_of


def regime(features) -> str:
    """'underparametrised', 'square' or 'overparametrised' (PDLT footnote 44); `features` has shape (N, n_f).

    Raises `InputError` when the features are not of full rank, as far as float64 can tell (then neither M nor k is
    invertible).

    >>> regime([[1.0, 1.0]])
    'overparametrised'
    """
    matrix = _features(features)
    points, count = matrix.shape
    sizes = np.linalg.svd(matrix, compute_uv=False)
    resolved = int(np.count_nonzero(sizes > sizes[0] * max(points, count) * EPS))
    if resolved < min(points, count):
        raise InputError(
            f"features have rank {resolved} as far as float64 can tell, below min(N, n_f) = {min(points, count)} "
            f"(singular values {sizes[0]:.3g} to {sizes[-1]:.3g}); drop dependent features or points, or take a "
            "penalty > 0"
        )
    return "square" if points == count else ("underparametrised" if count < points else "overparametrised")


def fit(features, targets, penalty: float = 0.0) -> np.ndarray:
    """The weights W^T of the least-squares fit.

    Parameters
    ----------
    features : phi(x_a), shape (N, n_f); put a column of ones in for a bias.
    targets : y, shape (N,) or (N, outputs).
    penalty : a >= 0; 0 takes the limit a -> 0+, the fit of smallest |W|.

    Returns
    -------
    float64 array (n_f,) or (n_f, outputs), so that z = phi(x) @ result.

    Raises
    ------
    InputError : shapes, NaN, a negative penalty.

    Source: PDLT eqs. (10.123) and (10.127).

    >>> fit([[1.0, 1.0]], [1.0]).round(12)
    array([0.5, 0.5])
    """
    matrix = _features(features)
    values, amount = targets_of(targets, len(matrix)), _penalty(penalty)
    if amount == 0:
        return np.linalg.lstsq(matrix, values, rcond=None)[0]
    size = matrix.shape[1]  # augmented rows: the condition number of Phi, not its square
    rows = np.vstack([matrix, np.sqrt(2 * amount) * np.eye(size)])
    padded = np.concatenate([values, np.zeros((size, *values.shape[1:]))])
    return np.linalg.lstsq(rows, padded, rcond=None)[0]


def primal_prediction(test_features, features, targets, penalty: float = 0.0) -> np.ndarray:
    """phi(x) W: shape (M,) or (M, outputs) for `test_features` of shape (M, n_f) (PDLT eq. 10.124).

    >>> primal_prediction([[1.0, 3.0]], [[1.0, 1.0], [1.0, 2.0]], [1.0, 2.0]).round(12)
    array([3.])
    """
    matrix = _features(features)
    return _features(test_features, matrix.shape[1]) @ fit(matrix, targets, penalty)


def dual_prediction(test_features, features, targets, penalty: float = 0.0) -> np.ndarray:
    """k(x, X) (2a + k)^-1 y: the same by inner products alone (PDLT eq. 10.131).

    Shapes as in `primal_prediction`.  Raises `InputError` at penalty 0 with fewer features than points, where k is
    singular; take a penalty or the primal form.

    >>> dual_prediction([[1.0, 3.0]], [[1.0, 1.0], [1.0, 2.0]], [1.0, 2.0]).round(12)
    array([3.])
    """
    matrix, amount = _features(features), _penalty(penalty)
    values = targets_of(targets, len(matrix))
    if amount == 0 and regime(matrix) == "underparametrised":
        raise InputError(
            f"penalty = 0 with {matrix.shape[1]} features for {len(matrix)} points makes the kernel singular; give a "
            "penalty > 0 or call primal_prediction"
        )
    # features over 2^s with the penalty over 4^s predict the same, and have squares in the range of float64
    shift = 0 if exponent_of(matrix) < 0 < amount else exponent_of(matrix)
    scaled, test = np.ldexp(matrix, -shift), np.ldexp(_features(test_features, matrix.shape[1]), -shift)
    kernel = scaled @ scaled.T + 2 * np.ldexp(amount, -2 * shift) * np.eye(len(matrix))
    return test @ scaled.T @ np.linalg.solve(kernel, values)


def random_features(inputs, phi, width: int, seed: int = 0, weight_variance: float = 1.0, bias_variance: float = 0.0):
    """Features of one random hidden layer: their inner products are PDLT's stochastic kernel (eq. 10.135).

    Parameters
    ----------
    inputs : X, shape (N, d).
    phi : the activation as a NumPy function.
    width : n, hidden neurons, with weights N(0, C_W/d) and biases N(0, C_b).
    weight_variance, bias_variance : C_W > 0 and C_b >= 0, for the hidden layer and for the output.

    Returns
    -------
    array (N, n + 1): sqrt(C_b), then sqrt(C_W/n) phi(z_j).  Its Gram matrix tends to K^2 as n grows.

    >>> random_features([[1.0], [2.0]], np.tanh, 3).shape
    (2, 4)
    """
    matrix = _features(inputs, name="inputs")
    width = whole(width, "width", "the number of neurons, 1 or more")
    weight, bias = real(weight_variance, "weight_variance"), real(bias_variance, "bias_variance")
    if not (weight > 0 and bias >= 0):
        raise InputError(
            f"variances {weight:g} and {bias:g} are not allowed; give weight_variance > 0, bias_variance >= 0"
        )
    if not callable(phi):
        raise InputError(f"phi = {phi!r} is not a function; give the activation for arrays, such as numpy.tanh")
    random = np.random.default_rng(whole(seed, "seed", "a seed, 0 or more", least=0))
    weights = random.standard_normal((matrix.shape[1], width)) * np.sqrt(weight / matrix.shape[1])
    hidden = phi(matrix @ weights + np.sqrt(bias) * random.standard_normal(width))
    return np.hstack([np.full((len(matrix), 1), np.sqrt(bias)), np.sqrt(weight / width) * hidden])


def _features(values, columns: int | None = None, name: str = "features") -> np.ndarray:
    array = finite_array(values, name)
    if array.ndim != 2 or array.size == 0 or columns not in (None, array.shape[1]):
        wanted = "(N, n_f)" if columns is None else f"(M, {columns})"
        raise InputError(f"{name} has shape {array.shape}; give one row per point, shape {wanted}")
    return array


def _penalty(value) -> float:
    amount = real(value, "penalty")
    if amount < 0:
        raise InputError(f"penalty = {value!r} is not allowed; give a >= 0")
    return amount

"""What a fully trained network predicts: mean and covariance over initialisations, and the limits at infinite depth.

z(T) = z_* - Theta_* Theta^-1 (z - y) with A = Theta_* Theta^-1, x the training points and * the test points has

    mean        A y                                                  PDLT eq. (10.40)
    covariance  K_** - A K_x* - (A K_x*)^T + A K_xx A^T              PDLT eq. (10.41)

Kernels that become constant, Theta = p 11^T + eps A, have by Sherman and Morrison a limit that depends on the data; in
the ordered phase with smooth phi A is -C(x, x') up to a factor, C the connection constants of 1 - c^L = C chi^L + ...
"""

from typing import Any

import numpy as np
from sympy import Matrix, MatrixBase, ones

from asympt import depth as engine
from asympt.arrays import finite_array, real, whole
from asympt.depth.gaps import exponent_of
from asympt.errors import InputError, UnsupportedError
from asympt.meanfield.activations import activation
from asympt.meanfield.edge import phase_of
from asympt.meanfield.layer import is_plain_network
from asympt.parsing import as_sympy
from asympt.training import kernels
from asympt.training.kernels import EPS, cross_of, exact_or_array, invertible_kernel, solve, targets_of, training_kernel


def mean_prediction(cross, kernel, targets) -> np.ndarray:
    """Theta(x, X) Theta(X, X)^-1 y: kernel regression.

    Parameters
    ----------
    cross : array (M, N), Theta(x, X).
    kernel : array (N, N), Theta(X, X), invertible.
    targets : y, shape (N,) or (N, outputs).

    Returns a float64 array (M,) or (M, outputs).
    Raises `InputError` for shapes, a kernel that is not positive definite (a singular one: with the training points).

    Source: PDLT eq. (10.40); XPS P(Theta) y; JGH "Kernel Ridge Regression".

    >>> mean_prediction([[1.0, 1.0]], [[2.0, 1.0], [1.0, 2.0]], [1.0, 0.0])
    array([0.33333333])
    """
    square = invertible_kernel(kernel)
    values = targets_of(targets, len(square))
    return cross_of(cross, len(square)) @ solve(square, values)


def prediction(nngp, ntk, targets) -> tuple[np.ndarray, np.ndarray]:
    """Mean and covariance of the outputs at test points after full training.

    Parameters
    ----------
    nngp, ntk : arrays (N + M, N + M), K and Theta of the N training points followed by the M test points, for
        example from `asympt.depth.gram`.
    targets : y, shape (N,) or (N, outputs).

    Returns (mean, covariance): shapes (M,) or (M, outputs), and (M, M), the same for every output.
    Raises `InputError` for shapes, kernels that are not positive semi-definite, a singular Theta of the training points
    (with the points that make it so).

    Source: PDLT eqs. (10.40) and (10.41).

    >>> kernel = [[1.0, 0.6], [0.6, 1.0]]
    >>> mean, covariance = prediction(kernel, kernel, [2.0])
    >>> print(mean, covariance.round(12))
    [1.2] [[0.64]]
    """
    start, moving = training_kernel(nngp, "nngp"), training_kernel(ntk, "ntk")
    if start.shape != moving.shape:
        raise InputError(f"nngp has shape {start.shape} and ntk {moving.shape}; give both for the same points")
    targets = finite_array(targets, "targets")
    size, total = targets.shape[0] if targets.ndim else 0, len(start)
    if not 1 <= size < total:
        raise InputError(
            f"targets has shape {targets.shape} and the kernels {total} points; give targets for the training points, "
            "which come first, and at least one test point after them"
        )
    values = targets_of(targets, size)
    block = invertible_kernel(moving[:size, :size], "ntk of the training points")
    weights = solve(block, moving[:size, size:]).T
    across = weights @ start[:size, size:]
    spread = weights @ start[:size, :size] @ weights.T
    covariance = start[size:, size:] - across - across.T + spread
    return weights @ values, (covariance + covariance.T) / 2


# ---- what infinitely deep kernels predict: P(Theta) y in the three phases ----------------------------------------


SMALL = 1e-120  # gaps at which constants are read: far below the next order, far above what float64 can hold
MOST_LAYERS = 10**5
ILL = 1e14  # condition number beyond which nothing is solved


def equal_prediction(diagonal: Any, off: Any, inputs: Any) -> Any:
    """o/(d + (n-1) o), the weight of sum y in P(Theta) y at a test point as far away as the others are.

    Numbers, arrays or SymPy expressions.

    >>> from sympy import Rational, symbols
    >>> equal_prediction(1, Rational(1, 4), symbols("n"))
    1/(4*(n/4 + 3/4))
    """
    diagonal, off, inputs = exact_or_array(diagonal=diagonal, off=off, inputs=inputs)
    total = diagonal + (inputs - 1) * off
    if np.any(np.asarray(total == 0)):
        raise InputError("diagonal + (inputs-1) off is 0, so the kernel is singular; take off > -diagonal/(inputs-1)")
    return off / total


def rank_one_inverse(constant, scale, matrix) -> Matrix:
    """(p 11^T + eps A)^-1 by Sherman and Morrison, exact: `matrix` is a symmetric invertible SymPy matrix A.

    Source: XPS slides, "Ordered regime" (finite depth); the sign there is minus.

    >>> from sympy import eye
    >>> rank_one_inverse(1, 1, eye(2))
    Matrix([
    [ 2/3, -1/3],
    [-1/3,  2/3]])
    """
    if not isinstance(matrix, MatrixBase):
        raise InputError("matrix is not a SymPy matrix; give A as sympy.Matrix")
    inverse, one = matrix.inv(), ones(matrix.rows, 1)
    weights = inverse * one
    share = 1 / (as_sympy(scale) / constant + (one.T * weights)[0])
    return (inverse - share * weights * weights.T) / scale


def collapsed_prediction(matrix, cross, targets) -> np.ndarray:
    """lim (p 1^T + eps A_z)(p 11^T + eps A)^-1 y as eps -> 0: A_z A^-1 y + (1 - A_z a) a^T y/(1^T a), a = A^-1 1.

    Parameters
    ----------
    matrix : A, symmetric, shape (N, N); any sign, any factor.
    cross : A_z, shape (M, N).
    targets : y, shape (N,) or (N, outputs).

    Returns a float64 array (M,) or (M, outputs).
    Raises `InputError` for shapes, or A singular on the vectors orthogonal to 1, when the limit does not exist.

    Source: XPS slides, "Ordered regime: predictive function", their limit of p^ put in.

    >>> collapsed_prediction([[0.0, 2.0], [2.0, 0.0]], [[0.5, 1.5]], [1.0, 0.0])
    array([0.75])
    """
    square = finite_array(matrix, "matrix")
    if square.ndim != 2 or square.shape[0] != square.shape[1] or not np.allclose(square, square.T, rtol=1e-10):
        raise InputError(f"matrix, of shape {square.shape}, is not a symmetric square matrix; give A, shape (N, N)")
    size = len(square)
    values, rows = targets_of(targets, size), cross_of(cross, size)
    unit = np.abs(square).max() or 1.0
    bordered = np.block([[square / unit, np.ones((size, 1))], [np.ones((1, size)), np.zeros((1, 1))]])
    if np.linalg.cond(bordered) > ILL:
        raise InputError(f"matrix is singular on vectors that sum to 0{_coinciding(square)}; leave training points out")
    both = np.concatenate([values, np.zeros((1, *values.shape[1:]))])
    return np.hstack([rows / unit, np.ones((len(rows), 1))]) @ np.linalg.solve(bordered, both)


def _coinciding(square: np.ndarray) -> str:
    """The first two points at distance A_ii + A_jj - 2 A_ij = 0, if there are any."""
    diagonal = np.diag(square)
    apart = np.abs(diagonal[:, None] + diagonal[None, :] - 2 * square) > np.abs(square).max() / ILL
    pairs = np.argwhere(np.triu(~apart, 1))
    return f" (training points {pairs[0][0]} and {pairs[0][1]} coincide)" if len(pairs) else ""


def ordered_prediction(net, gaps, test_gaps, targets) -> np.ndarray:
    """P(Theta^L) y at infinite depth in the ordered phase, smooth phi.

    Parameters
    ----------
    net : a `FeedForward` network in the ordered phase, the variance at its fixed point q; `net.stability` says whether
        inputs with another q^1 converge to q, and so to this prediction.
    gaps : 1 - c^1 of the training points, shape (N, N), zero on the diagonal.
    test_gaps : 1 - c^1 of test and training points, shape (M, N).
    targets : y, shape (N,) or (N, outputs).

    Returns a float64 array (M,) or (M, outputs).
    Raises `InputError` for shapes; training points that coincide; `UnsupportedError` for another phase or a phi
    with a kink.

    Source: XPS slides, "Non-trivial generalization possible", with their A made explicit (module header).

    >>> from asympt.architectures import FeedForward
    >>> net = FeedForward("erf", sigma_w=1, sigma_b=1)
    >>> print(ordered_prediction(net, [[0, 1], [1, 0]], [[0.5, 0.5]], [1.0, 0.0]))
    [0.5]
    """
    if not is_plain_network(net):
        raise UnsupportedError(f"net = {net!r} is not a FeedForward network; give one in the ordered phase")
    phase = phase_of(net.statement.layer)
    if phase != "ordered":
        raise UnsupportedError(f"the phase is {phase!r}, where kernels do not become constant; take the ordered phase")
    if not net.activation.is_smooth:
        raise UnsupportedError(
            f"activation {net.activation.name!r} has a kink, so the NTK tends to a constant like chi^(L/2); take a "
            "smooth activation"
        )
    square = 1 - training_kernel(1 - finite_array(gaps, "gaps"), "1 - gaps")
    size = len(square)
    rows = cross_of(test_gaps, size, "test_gaps")
    layers = _deep_enough(net)
    ends, _ = engine.pairs(net, np.vstack([square, rows]), layers)
    unit = ends.max() or 1.0
    return collapsed_prediction(ends[:size] / unit, ends[size:] / unit, targets)


def _deep_enough(net) -> int:
    """Layers after which gaps are below `SMALL`: C chi^L is all there is of them."""
    chi = float(net.statement.layer.chi)
    layers = int(np.log(SMALL) / np.log(chi)) + 1 if chi > 0 else 0
    if not 0 < layers <= MOST_LAYERS:
        raise UnsupportedError(f"chi = {chi:.6g}: gaps take {layers} layers to vanish; take chi further from 0 and 1")
    return layers


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
    """The weights W^T = (2a + Phi^T Phi)^-1 Phi^T y = Phi^T (2a + Phi Phi^T)^-1 y of the least-squares fit.

    The second form holds for every a > 0, whatever N, n_f are, since (2a + Phi^T Phi) Phi^T = Phi^T (2a + Phi Phi^T).
    PDLT 10.129 passes from one to the other at a = 0 for n_f >= N: that needs n_f = N, or the limit a -> 0+.

    Parameters
    ----------
    features : phi(x_a), shape (N, n_f); put a column of ones in for a bias.
    targets : y, shape (N,) or (N, outputs).
    penalty : a >= 0; 0 takes the limit a -> 0+, the fit of smallest |W|.

    Returns a float64 array (n_f,) or (n_f, outputs), so that z = phi(x) @ result.
    Raises `InputError` for shapes, NaN, a negative penalty.

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
    phi : the activation: a NumPy function, or as `asympt.activation` takes it.
    width : n, hidden neurons, with weights N(0, C_W/d) and biases N(0, C_b).
    weight_variance, bias_variance : C_W > 0 and C_b >= 0, for the hidden layer and for the output.

    Returns an array (N, n + 1): sqrt(C_b), then sqrt(C_W/n) phi(z_j).  Its Gram matrix tends to K^2 as n grows.

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
    phi = phi if callable(phi) else activation(phi).vectorised
    random = np.random.default_rng(whole(seed, "seed", "a seed, 0 or more", least=0))
    weights = random.standard_normal((matrix.shape[1], width)) * np.sqrt(weight / matrix.shape[1])
    hidden = phi(matrix @ weights + np.sqrt(bias) * random.standard_normal(width))
    return np.hstack([np.full((len(matrix), 1), np.sqrt(bias)), np.sqrt(weight / width) * hidden])


def _features(values, columns: int | None = None, name: str = "features") -> np.ndarray:
    wanted = f"give one row per point, shape {'(N, n_f)' if columns is None else f'(M, {columns})'}"
    return kernels.shaped(values, name, lambda a: a.ndim == 2 and a.size > 0 and columns in (None, a.shape[1]), wanted)


def _penalty(value) -> float:
    amount = real(value, "penalty")
    if amount < 0:
        raise InputError(f"penalty = {value!r} is not allowed; give a >= 0")
    return amount

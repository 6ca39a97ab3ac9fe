"""Gradient flow under a kernel that does not move: in closed form for the quadratic loss, integrated for others.

df_t(X) = -(1/N) K (f_t(X) - Y) dt and df_t(x) = -(1/N) K(x, X) (f_t(X) - Y) dt (HDR eq. 7), K = V diag(lambda) V^T:

    f_t(X) = Y + V e^(-lambda t/N) V^T (f_0(X) - Y)                                         HDR eq. (8)
    f_t(x) = f_0(x) + K(x, X) V [(1 - e^(-lambda t/N))/lambda] V^T (Y - f_0(X))             HDR eq. (9)

The bracket is t/N at lambda = 0, so neither line needs an inverse; what the error has along the null space stays (HDR
Lemma 1).  Eigenvalues below 4 N eps lambda_1, or N times the asymmetry of the kernel, count as 0.  Other losses,
df_t(X) = -scale K grad l(f_t(X)) dt (HDR eq. 5, JGH), are integrated by LSODA.
"""

from collections.abc import Callable

import numpy as np
from scipy.integrate import solve_ivp

from asympt.arrays import finite_array
from asympt.errors import InputError, PrecisionError
from asympt.training.kernels import (
    EPS,
    ROUNDING,
    asymmetry,
    cross_of,
    dependence,
    increasing_of,
    scale_of,
    start_of,
    targets_of,
    times_of,
    training_kernel,
)

OUTSIDE = 1e-7  # share of K(x, X) along the null space that rounding may leave


def flow(kernel, targets, times, *, start=None, normalisation: str = "mean") -> np.ndarray:
    """f_t(X), the outputs on the training set.

    Parameters
    ----------
    kernel : array (N, N), the kernel K(X, X), positive semi-definite.
    targets : Y, shape (N,) or (N, outputs).
    times : t >= 0, array of any shape; ``np.inf`` is the end of training.
    start : f_0(X), the shape of `targets`; zero when left out.
    normalisation : 'mean' for the loss (1/2N) sum |f - y|^2 (HDR), 'sum' for (1/2) sum |f - y|^2 (JGH, XPS), or the
        number that divides the kernel.

    Returns
    -------
    float64 array of shape ``times.shape + targets.shape``.

    Raises
    ------
    InputError : shapes that do not fit, a negative time, a kernel that is not symmetric positive semi-definite.

    Source: HDR = Hayou, Doucet and Rousseau (2020), eq. (8); JGH, "Closed Form Solution (II)".

    >>> flow([[2.0]], [1.0], [0, np.log(2), np.inf])
    array([[0.  ],
           [0.75],
           [1.  ]])
    """
    square = training_kernel(kernel)
    values = targets_of(targets, len(square))
    begin, moments = start_of(start, values), times_of(times)
    modes, basis = eigenmodes(square, asymmetry(kernel))
    left = np.exp(-_products(modes, moments) * scale_of(normalisation, len(square)))
    return values + _spread(basis, left, begin - values)


def flow_at(
    cross, kernel, targets, times, *, start=None, test_start=None, normalisation: str = "mean"
) -> np.ndarray:
    """f_t(x) at M test points.

    Parameters
    ----------
    cross : array (M, N), K(x, X).
    kernel, targets, times, start, normalisation : as in `flow`.
    test_start : f_0(x), shape (M,) or (M, outputs); zero when left out.

    Returns
    -------
    float64 array of shape ``times.shape + (M,)`` or ``times.shape + (M, outputs)``.

    Raises
    ------
    InputError : as in `flow`; at t = infinity also a singular kernel that the test points do not share, since f_t(x)
        then grows for ever (with the training points that make it singular).

    Source: HDR eq. (9); JGH, "Closed Form Solution (I)".

    >>> flow_at([[1.0]], [[2.0]], [1.0], [0, np.log(2), np.inf])
    array([[0.   ],
           [0.375],
           [0.5  ]])
    """
    square = training_kernel(kernel)
    values, rows = targets_of(targets, len(square)), cross_of(cross, len(square))
    begin, moments = start_of(start, values), times_of(times)
    first = start_of(test_start, np.empty((len(rows), *values.shape[1:])), "test_start")
    modes, basis = eigenmodes(square, asymmetry(kernel))
    left = _shared(rows @ basis, modes, square, np.isinf(moments).any())
    weights = learnt(modes, moments, scale_of(normalisation, len(square)))
    return first + _spread(left, np.where(left.any(axis=0), weights, 0.0), values - begin, basis)


def eigenmodes(square: np.ndarray, error: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """(lambda, V); eigenvalues that rounding alone, or an `error` of that size in every entry, explains are 0."""
    modes, basis = np.linalg.eigh(square)
    return np.where(modes > len(square) * max(ROUNDING * EPS * modes[-1], error), modes, 0.0), basis


def _products(modes: np.ndarray, times: np.ndarray) -> np.ndarray:
    """lambda t, shape times.shape + (N,); 0 infinity = 0."""
    with np.errstate(invalid="ignore"):
        return np.where(modes > 0, times[..., None] * modes, 0.0)


def learnt(modes: np.ndarray, times: np.ndarray, scale: float) -> np.ndarray:
    """(1 - e^(-lambda t scale))/lambda, t scale at lambda = 0; shape times.shape + modes.shape."""
    moments = times.reshape(times.shape + (1,) * modes.ndim) * scale
    with np.errstate(invalid="ignore"):
        exponent = np.where(modes > 0, moments * modes, 0.0)
    return np.where(modes > 0, -np.expm1(-exponent) / np.where(modes > 0, modes, 1.0), moments)


def _spread(left: np.ndarray, weights: np.ndarray, error: np.ndarray, basis: np.ndarray | None = None) -> np.ndarray:
    """left diag(weights) basis^T error for every time."""
    right = (left if basis is None else basis).T @ error.reshape(len(error), -1)
    found = left @ (weights[..., :, None] * right)
    return found.reshape(*found.shape[:-1], *error.shape[1:]) if error.ndim == 2 else found[..., 0]


def _shared(left: np.ndarray, modes: np.ndarray, square: np.ndarray, for_ever: bool) -> np.ndarray:
    """K(x, X) V without what rounding left along the null space; an error where more than that grows `for_ever`.

    |K(x, X) v|^2 <= K(x, x) lambda for a kernel function, so rounding errors of lambda appear here as their root.
    """
    null = modes == 0
    outside = np.where(null, np.abs(left), 0.0)
    real = outside > OUTSIDE * np.abs(left).max(axis=1, keepdims=True, initial=0.0)
    if for_ever and real.any():
        raise InputError(
            f"kernel is singular: {dependence(square)}, and K(x, X) of a test point does not treat them so; give "
            "cross and kernel of one and the same kernel function, or finite times"
        )
    return np.where(null & ~real, 0.0, left)


# ---- gradient flow under a kernel that does not move, any loss: integrated numerically ---------------------------


RELATIVE, ABSOLUTE = 1e-10, 1e-12
EVALUATIONS = 100_000  # of the gradient; a flow of moderate size takes hundreds


def flow_of_loss(
    kernel,
    gradient: Callable[[np.ndarray], np.ndarray],
    start,
    times,
    *,
    cross=None,
    test_start=None,
    normalisation: str = "mean",
) -> np.ndarray:
    """f_t on the training set (or, with `cross`, at test points) for any loss.

    Parameters
    ----------
    kernel : array (N, N), positive semi-definite.
    gradient : a function of f, shape (N,) or (N, outputs), that returns dl/df_i at every training point, same shape.
    start : f_0(X), shape (N,) or (N, outputs).
    times : increasing times t >= 0, shape (T,).
    cross, test_start : K(x, X), shape (M, N), and f_0(x), as in `flow_at`.
    normalisation : as in `flow`.

    Returns
    -------
    float64 array (T, N) or (T, N, outputs); with `cross` M instead of N.  Relative error about 1e-8.

    Raises
    ------
    InputError : bad shapes, times that do not increase or are infinite.  PrecisionError : the integrator gave up.

    Source: JGH, "Function Space Dynamics (II)"; HDR eq. (5).

    >>> end = flow_of_loss([[1.0]], lambda f: -1 / (1 + np.exp(f)), [0.0], [np.e])
    >>> print(end.round(9))
    [[1.]]
    """
    square = training_kernel(kernel)
    begin, moments = _start(start, len(square)), increasing_of(times)
    scale = scale_of(normalisation, len(square))
    rows = np.empty((0, len(square))) if cross is None else cross_of(cross, len(square))
    test = start_of(test_start, np.empty((len(rows), *begin.shape[1:])), "test_start")
    both = -scale * np.vstack([square, rows])

    left = iter(range(EVALUATIONS))

    def slope(time, state):
        if next(left, None) is None:
            raise PrecisionError(
                f"the integration has come to t = {time:.3g} only after {EVALUATIONS} evaluations of the gradient; "
                "give shorter times, or a kernel and a gradient of moderate size"
            )
        error = finite_array(gradient(state[: begin.size].reshape(begin.shape)), "gradient(f)")
        if error.shape != begin.shape:
            raise InputError(f"gradient(f) has shape {error.shape}; return dl/df in the shape of f, {begin.shape}")
        return (both @ error).ravel()

    state = np.concatenate([begin.ravel(), test.ravel()])
    states = _integrated(slope, state, moments)
    part, shape = (states[:, : begin.size], begin.shape) if cross is None else (states[:, begin.size :], test.shape)
    return part.reshape(len(moments), *shape)


def _integrated(slope, state: np.ndarray, moments: np.ndarray) -> np.ndarray:
    """The states at the times asked for; time 0 is the start."""
    if moments[-1] == 0:
        return np.repeat(state[None, :], len(moments), axis=0)
    found = solve_ivp(
        slope, (0.0, moments[-1]), state, method="LSODA", t_eval=moments, rtol=RELATIVE, atol=ABSOLUTE
    )
    if not found.success:
        raise PrecisionError(f"the integration of the flow stopped: {found.message}; give shorter times")
    return found.y.T


def _start(values, size: int) -> np.ndarray:
    array = finite_array(values, "start")
    if array.ndim not in (1, 2) or array.shape[0] != size:
        raise InputError(f"start has shape {array.shape}; give f_0(X), shape ({size},) or ({size}, outputs)")
    return array

"""Gradient flow under a kernel that does not move, any loss: integrated numerically.

Problem.  df_t(X) = -scale K grad l(f_t(X)) dt and df_t(x) = -scale K(x, X) grad l(f_t(X)) dt (HDR eq. 5, JGH) have no
closed form unless the loss is quadratic.

Rule.  The training outputs and the test outputs are one system of ordinary differential equations; SciPy integrates it,
with an implicit method where the eigenvalues of K lie far apart (LSODA).

Tiny case.  Logistic loss l = log(1 + e^(-f)), one point, K = 1: f' = 1/(1 + e^f), so f + e^f = t + 1 from f_0 = 0.

Known limits.  Finite times.  The gradient is the caller's: what is not the gradient of a loss is integrated as well.
"""

from collections.abc import Callable

import numpy as np
from scipy.integrate import solve_ivp

from asympt.arrays import finite_array
from asympt.errors import InputError, PrecisionError
from asympt.training.kernels import training_kernel
from asympt.training.parsing import cross_of, increasing_of, scale_of, start_of

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

"""What a fully trained network predicts: mean and covariance over initialisations.

Problem.  The outputs at initialisation are Gaussian with the NNGP kernel K; full training moves them by the NTK Theta
(`descent.newton`).  Which Gaussian are they afterwards?

Rule.  z(T) = z_* - Theta_* Theta^-1 (z - y) is linear in the start, so with A = Theta_* Theta^-1

    mean        A y                                                  PDLT eq. (10.40)
    covariance  K_** - A K_x* - (A K_x*)^T + A K_xx A^T              PDLT eq. (10.41)

where x stands for the training points and * for the test points.  Theta = K gives the posterior of a Gaussian process
without noise, K_** - K_*x K_xx^-1 K_x*.

Tiny case.  One training point, one test point, K = Theta = 1 at each and c between them: mean c y, variance 1 - c^2.

Known limits.  Outputs are independent of one another; the covariance is that of each.
"""

import numpy as np

from asympt.arrays import finite_array
from asympt.errors import InputError
from asympt.training.kernels import invertible_kernel, solve, training_kernel
from asympt.training.parsing import cross_of, targets_of


def mean_prediction(cross, kernel, targets) -> np.ndarray:
    """Theta(x, X) Theta(X, X)^-1 y: kernel regression.

    Parameters
    ----------
    cross : array (M, N), Theta(x, X).
    kernel : array (N, N), Theta(X, X), invertible.
    targets : y, shape (N,) or (N, outputs).

    Returns
    -------
    float64 array (M,) or (M, outputs).

    Raises
    ------
    InputError : shapes, a kernel that is not positive definite (a singular one: with the training points).

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

    Returns
    -------
    (mean, covariance): shapes (M,) or (M, outputs), and (M, M), the same for every output.

    Raises
    ------
    InputError : shapes, kernels that are not positive semi-definite, a singular Theta of the training points (with
        the points that make it so).

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
    size = _size_of(targets, len(start))
    values = targets_of(targets, size)
    block = invertible_kernel(moving[:size, :size], "ntk of the training points")
    weights = solve(block, moving[:size, size:]).T
    across = weights @ start[:size, size:]
    spread = weights @ start[:size, :size] @ weights.T
    covariance = start[size:, size:] - across - across.T + spread
    return weights @ values, (covariance + covariance.T) / 2


def _size_of(targets, total: int) -> int:
    """N, the number of training points, from the targets."""
    shape = np.shape(targets)
    if not shape or not 1 <= shape[0] < total:
        raise InputError(
            f"targets has shape {shape} and the kernels {total} points; give targets for the training points, which "
            "come first, and at least one test point after them"
        )
    return shape[0]

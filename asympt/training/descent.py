"""Gradient descent under a kernel that does not move: steps, Newton's step, and which learning rates are stable.

With learning rate eta, Newton tensor kappa and error factor eps = dl/dz (PDLT eqs. 10.18, 10.33)

    z(t+1) = z(t) - Theta eta(t) kappa(t) eps(t)           Theta: K(x, X) for test points, K(X, X) for training points,

and Newton's step, eta kappa = K(X, X)^-1, eps = z - y, has z(X) = y at once (10.28): after any steps z(T) = z(0) +
K(x, X) K(X, X)^-1 (y - z(0)) (10.35).  Without kappa a mode of eigenvalue lambda is multiplied by 1 - eta lambda: all
shrink exactly when eta < 2/lambda_1.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from asympt.arrays import finite_array
from asympt.errors import InputError
from asympt.training.kernels import (
    EPS,
    ROUNDING,
    cross_of,
    invertible_kernel,
    positive,
    scale_of,
    solve,
    start_of,
    targets_of,
    training_kernel,
)


@dataclass(frozen=True)
class Update:
    """One update: `rate` eta, `newton` kappa (N, N) (None: identity), `error` z -> eps, None for z - y."""

    rate: float
    newton: np.ndarray | None = None
    error: Callable[[np.ndarray], np.ndarray] | None = None


def descend(
    kernel, targets, steps: Iterable[Update], *, start=None, cross=None, test_start=None, unstable: bool = False
) -> np.ndarray:
    """The outputs after every step, on the training set or, with `cross`, at test points.

    Parameters
    ----------
    kernel : array (N, N), K(X, X), positive semi-definite.
    targets : y, shape (N,) or (N, outputs).
    steps : the updates, in order.
    start : z(0) on the training set, the shape of `targets`; zero when left out.
    cross, test_start : K(x, X), shape (M, N), and z(0) at the test points; zero when left out.
    unstable : True, to follow plain steps under which together some mode of the error grows.

    Returns
    -------
    float64 array, shape (len(steps) + 1, N) or (..., N, outputs), the start first; with `cross` M instead of N.

    Raises
    ------
    InputError : shapes that do not fit, a kernel that is not symmetric positive semi-definite, a rate <= 0, plain
        steps that make the error grow (with the largest stable rate).

    Source: PDLT = Roberts, Yaida and Hanin (2022), eqs. (10.18) and (10.33).

    >>> descend([[2.0]], [1.0], [Update(0.25), Update(0.25)]).ravel()
    array([0.  , 0.5 , 0.75])
    """
    square, steps = training_kernel(kernel), list(steps)
    values = targets_of(targets, len(square))
    here = start_of(start, values)
    if not unstable and all(step.newton is None and step.error is None for step in steps):
        _require_shrinking(square, [_rate(step.rate) for step in steps])
    rows = square if cross is None else cross_of(cross, len(square))
    first = here if cross is None else start_of(test_start, np.empty((len(rows), *values.shape[1:])), "test_start")
    path = [first]
    for step in steps:
        force = _force(step, here, values)
        here = here - square @ force
        path.append(path[-1] - rows @ force)
    return np.array(path)


def newton(kernel, targets, *, start=None, cross=None, test_start=None) -> np.ndarray:
    """The outputs after one Newton's step: z - Theta K(X, X)^-1 (z(X) - y), fully trained.

    Parameters and shapes as in `descend`; returns shape (N,) or (N, outputs), with `cross` M instead of N.

    Raises
    ------
    InputError : as in `descend`, and a singular kernel (with the training points that make it so).

    Source: PDLT eqs. (10.28) and (10.35).

    >>> newton([[2.0, 1.0], [1.0, 2.0]], [1.0, 0.0], cross=[[1.0, 1.0]])
    array([0.33333333])
    """
    square = invertible_kernel(kernel)
    values = targets_of(targets, len(square))
    here = start_of(start, values)
    force = solve(square, here - values)
    if cross is None:
        return here - square @ force
    rows = cross_of(cross, len(square))
    return start_of(test_start, np.empty((len(rows), *values.shape[1:])), "test_start") - rows @ force


def descent(
    kernel, targets, steps, rate, *, start=None, normalisation: str = "mean", unstable: bool = False
) -> np.ndarray:
    """The training outputs after numbers of plain steps, in closed form: y + (I - eta K/N)^t (z(0) - y).

    Parameters
    ----------
    kernel, targets, start, normalisation : as in `flow`.
    steps : whole numbers t >= 0, array of any shape.
    rate : eta > 0, at most `largest_rate`.
    unstable : True, to follow a larger rate, under which some mode of the error grows without end.

    Returns
    -------
    float64 array of shape ``steps.shape + targets.shape`` (infinity or NaN where an unstable mode exceeds float64).

    Raises
    ------
    InputError : as in `flow`, and a rate above the largest stable one (with that one).

    >>> descent([[2.0]], [1.0], [0, 1, 2], rate=0.25).ravel()
    array([0.  , 0.5 , 0.75])
    """
    square = training_kernel(kernel)
    values = targets_of(targets, len(square))
    begin, counts = start_of(start, values), _counts(steps)
    modes, basis = np.linalg.eigh(square)
    scale = scale_of(normalisation, len(square))
    step = _rate(rate) * scale
    if not unstable:
        _require_shrinking(square, [step], scale)
    factors = 1 - step * np.maximum(modes, 0.0)
    error = basis.T @ (begin - values).reshape(len(square), -1)
    with np.errstate(over="ignore", invalid="ignore"):
        left = np.power(factors, counts[..., None])
        found = basis @ (left[..., :, None] * error)
    return values + found.reshape(*counts.shape, *values.shape)


def largest_rate(kernel, *, normalisation: str = "mean") -> float:
    """2/lambda_1 (times N for 'mean'): gradient descent on the quadratic loss converges for every smaller rate.

    Source: XPS, "Maximum feasible learning rate".

    >>> largest_rate([[2.0, 1.0], [1.0, 2.0]], normalisation="sum")
    0.6666666666666666
    """
    square = training_kernel(kernel)
    return 2 / (_largest(square) * scale_of(normalisation, len(square)))


def fastest_rate(kernel, *, normalisation: str = "mean") -> float:
    """2/(lambda_1 + lambda_N): the rate whose slowest mode shrinks fastest, by (kappa - 1)/(kappa + 1) a step.

    Raises `InputError` for a singular kernel, which has a mode that never shrinks.

    >>> fastest_rate([[2.0, 1.0], [1.0, 2.0]], normalisation="sum")
    0.5
    """
    square = invertible_kernel(kernel)
    modes = np.linalg.eigvalsh(square)
    return float(2 / ((modes[0] + modes[-1]) * scale_of(normalisation, len(square))))


def _largest(square: np.ndarray) -> float:
    largest = float(np.linalg.eigvalsh(square)[-1])
    if not largest > 0:
        raise InputError("kernel is zero, so nothing is learnt at any rate; give a kernel with an eigenvalue above 0")
    return largest


def _rate(value) -> float:
    return positive(value, "rate", "the learning rate, greater than 0")


def _require_shrinking(square: np.ndarray, rates: list[float], scale: float = 1.0) -> None:
    """An error where steps of these rates (times `scale`) together make a mode of the error grow, beyond rounding."""
    modes = np.maximum(np.linalg.eigvalsh(square), 0.0)
    factors = np.ones(len(modes))
    for rate in rates:
        with np.errstate(over="ignore"):
            factors = factors * np.abs(1 - rate * modes)
    if rates and factors.max() > 1 + ROUNDING * len(square) * EPS * (1 + len(rates)):
        told = f"rate = {rates[0] / scale:.6g}" if len(rates) == 1 else f"the {len(rates)} rates together"
        worst = modes[np.argmax(factors)]
        verb = "make" if len(rates) > 1 else "makes"
        raise InputError(
            f"{told} {verb} the mode of eigenvalue {worst:.6g} grow; give a rate of at most the largest stable one, "
            f"2/lambda_1 = {float(2 / (modes[-1] * scale))!r}, or unstable=True to follow it all the same"
        )


def _force(step: Update, here: np.ndarray, values: np.ndarray) -> np.ndarray:
    """eta kappa eps."""
    rate = _rate(step.rate)
    error = here - values if step.error is None else finite_array(step.error(here), "error(z)")
    if error.shape != here.shape:
        raise InputError(f"error(z) has shape {error.shape}; return dl/dz in the shape of z, {here.shape}")
    if step.newton is None:
        return rate * error
    tensor = finite_array(step.newton, "newton")
    if tensor.shape != (len(here), len(here)):
        raise InputError(f"newton has shape {tensor.shape}; give the Newton tensor, shape ({len(here)}, {len(here)})")
    return rate * (tensor @ error)


def _counts(steps) -> np.ndarray:
    array = finite_array(steps, "steps")
    wrong = (array < 0) | (array != np.round(array))
    if wrong.any():
        raise InputError(f"steps holds {array[wrong].flat[0]}; give whole numbers of steps, 0 or more")
    return array

"""Training under a kernel that does not move: gradient flow, in closed form or integrated, and steps of descent.

df_t(X) = -(1/N) K (f_t(X) - Y) dt and df_t(x) = -(1/N) K(x, X) (f_t(X) - Y) dt (HDR eq. 7), K = V diag(lambda) V^T:

    f_t(X) = Y + V e^(-lambda t/N) V^T (f_0(X) - Y)                                         HDR eq. (8)
    f_t(x) = f_0(x) + K(x, X) V [(1 - e^(-lambda t/N))/lambda] V^T (Y - f_0(X))             HDR eq. (9)

The bracket is t/N at lambda = 0.  Eigenvalues below 4 N eps lambda_1, or N times the kernel's asymmetry, count as 0.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp

from asympt.arrays import finite_array
from asympt.errors import InputError, PrecisionError
from asympt.training import kernels
from asympt.training.kernels import elsewhere, invertible_kernel, positive, scale_of, shaped, times_of, training_kernel

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
    A float64 array of shape ``times.shape + targets.shape``.

    Raises
    ------
    InputError : shapes that do not match, a negative time, a kernel that is not symmetric positive semi-definite.

    Source: HDR = Hayou, Doucet and Rousseau (2020), eq. (8); JGH, "Closed Form Solution (II)".

    >>> flow([[2.0]], [1.0], [0, np.log(2), np.inf])
    array([[0.  ],
           [0.75],
           [1.  ]])
    """
    (square, values, begin), moments = _problem(training_kernel(kernel), targets, start), times_of(times)
    modes, basis = eigenmodes(square, kernels.asymmetry(kernel))
    left = np.exp(-_products(modes, moments) * scale_of(normalisation, len(square)))
    return values + _spread(basis, left, begin - values)


def flow_at(cross, kernel, targets, times, *, start=None, test_start=None, normalisation: str = "mean") -> np.ndarray:
    """f_t(x) at M test points.

    Parameters
    ----------
    cross : array (M, N), K(x, X).
    kernel, targets, times, start, normalisation : as in `flow`.
    test_start : f_0(x), shape (M,) or (M, outputs); zero when left out.

    Returns
    -------
    A float64 array of shape ``times.shape + (M,)`` or ``times.shape + (M, outputs)``.

    Raises
    ------
    InputError : as in `flow`, and at t = infinity for a singular kernel that the test points do not share, since f_t(x)
        then grows without bound (with the training points that make it so).

    Source: HDR eq. (9); JGH, "Closed Form Solution (I)".

    >>> flow_at([[1.0]], [[2.0]], [1.0], [0, np.log(2), np.inf])
    array([[0.   ],
           [0.375],
           [0.5  ]])
    """
    (square, values, begin), moments = _problem(training_kernel(kernel), targets, start), times_of(times)
    rows, first = elsewhere(cross, test_start, values)
    modes, basis = eigenmodes(square, kernels.asymmetry(kernel))
    left = _shared(rows @ basis, modes, square, np.isinf(moments).any())
    weights = learnt(modes, moments, scale_of(normalisation, len(square)))
    return first + _spread(left, np.where(left.any(axis=0), weights, 0.0), values - begin, basis)


def _problem(square: np.ndarray, targets, start) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The kernel, Y and f_0(X)."""
    values = kernels.targets_of(targets, len(square))
    return square, values, kernels.start_of(start, values)


def eigenmodes(square: np.ndarray, error: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """(lambda, V); eigenvalues that rounding alone, or an `error` of that size in every entry, explains are 0."""
    modes, basis = np.linalg.eigh(square)
    return np.where(modes > len(square) * max(kernels.ROUNDING * kernels.EPS * modes[-1], error), modes, 0.0), basis


def _products(modes: np.ndarray, times: np.ndarray) -> np.ndarray:
    """lambda t, shape times.shape + modes.shape; 0 infinity = 0."""
    with np.errstate(invalid="ignore"):
        return np.where(modes > 0, np.multiply.outer(times, modes), 0.0)


def learnt(modes: np.ndarray, times: np.ndarray, scale: float) -> np.ndarray:
    """(1 - e^(-lambda t scale))/lambda, t scale at lambda = 0; shape times.shape + modes.shape."""
    exponent, moments = _products(modes, times * scale), times.reshape(times.shape + (1,) * modes.ndim) * scale
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
            f"kernel is singular: {kernels.dependence(square)}, and K(x, X) of a test point tells them apart; "
            "give cross and kernel of one and the same kernel function, or finite times"
        )
    return np.where(null & ~real, 0.0, left)


# ---- gradient flow under a kernel that does not move, any loss: integrated numerically ---------------------------


RELATIVE, ABSOLUTE = 1e-10, 1e-12
EVALUATIONS = 100_000  # of the gradient; a flow of moderate size takes hundreds


def flow_of_loss(
    kernel, gradient: Callable[[np.ndarray], np.ndarray], start, times, *, cross=None, test_start=None,
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
    A float64 array (T, N) or (T, N, outputs); with `cross` M instead of N.  Relative error about 1e-8.
    Raises `InputError` for bad shapes, times that do not increase or are infinite; `PrecisionError` where the
    integrator gives up.

    Source: JGH, "Function Space Dynamics (II)"; HDR eq. (5).

    >>> end = flow_of_loss([[1.0]], lambda f: -1 / (1 + np.exp(f)), [0.0], [np.e])
    >>> print(end.round(9))
    [[1.]]
    """
    square = training_kernel(kernel)
    wanted = f"give f_0(X), shape ({len(square)},) or ({len(square)}, outputs)"
    begin = shaped(start, "start", lambda a: a.ndim in (1, 2) and len(a) == len(square), wanted)
    moments = kernels.increasing_of(times)
    scale = scale_of(normalisation, len(square))
    rows, test = elsewhere(np.empty((0, len(square))) if cross is None else cross, test_start, begin)
    both = -scale * np.vstack([square, rows])

    left = iter(range(EVALUATIONS))

    def slope(time, state):
        if next(left, None) is None:
            raise PrecisionError(
                f"the integration reached t = {time:.3g} after {EVALUATIONS} evaluations of the gradient; "
                "give shorter times, or a kernel and a gradient of moderate size"
            )
        wanted, f = f"return dl/df in the shape of f, {begin.shape}", state[: begin.size].reshape(begin.shape)
        return (both @ shaped(gradient(f), "gradient(f)", lambda a: a.shape == begin.shape, wanted)).ravel()

    state = np.concatenate([begin.ravel(), test.ravel()])
    states = _integrated(slope, state, moments)
    part, shape = (states[:, : begin.size], begin.shape) if cross is None else (states[:, begin.size :], test.shape)
    return part.reshape(len(moments), *shape)


def _integrated(slope, state: np.ndarray, moments: np.ndarray) -> np.ndarray:
    """The states at the requested times; time 0 is the start."""
    if moments[-1] == 0:
        return np.repeat(state[None, :], len(moments), axis=0)
    found = solve_ivp(slope, (0.0, moments[-1]), state, method="LSODA", t_eval=moments, rtol=RELATIVE, atol=ABSOLUTE)
    if not found.success:
        raise PrecisionError(f"the integration of the flow stopped: {found.message}; give shorter times")
    return found.y.T


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

    With learning rate eta, Newton tensor kappa and eps = dl/dz, z(t+1) = z(t) - Theta eta(t) kappa(t) eps(t).

    Parameters
    ----------
    kernel : array (N, N), K(X, X), positive semi-definite.
    targets : y, shape (N,) or (N, outputs).
    steps : the updates, in order.
    start : z(0) on the training set, the shape of `targets`; zero when left out.
    cross, test_start : K(x, X), shape (M, N), and z(0) at the test points; zero when left out.
    unstable : True, to follow plain steps that together make some mode of the error grow.

    Returns
    -------
    A float64 array, shape (len(steps) + 1, N) or (..., N, outputs), the start first; M for N with `cross`.
    Raises `InputError` for bad shapes, a kernel that is not symmetric positive semi-definite, a rate <= 0,
    plain steps that make the error grow (with the largest stable rate).

    Source: PDLT = Roberts, Yaida and Hanin (2022), eqs. (10.18) and (10.33).

    >>> descend([[2.0]], [1.0], [Update(0.25), Update(0.25)]).ravel()
    array([0.  , 0.5 , 0.75])
    """
    (square, values, here), steps = _problem(training_kernel(kernel), targets, start), list(steps)
    if not unstable and all(step.newton is None and step.error is None for step in steps):
        _require_shrinking(square, [_rate(step.rate) for step in steps])
    rows, first = (square, here) if cross is None else elsewhere(cross, test_start, values)
    path = [first]
    for step in steps:
        force = _force(step, here, values)
        here = here - square @ force
        path.append(path[-1] - rows @ force)
    return np.array(path)


def newton(kernel, targets, *, start=None, cross=None, test_start=None) -> np.ndarray:
    """The outputs after one Newton step: z - Theta K(X, X)^-1 (z(X) - y), fully trained.

    Parameters and shapes as in `descend`; returns shape (N,) or (N, outputs), with `cross` M instead of N.

    Raises `InputError` as in `descend`, and for a singular kernel (with the training points that make it so).

    Source: PDLT eqs. (10.28) and (10.35).

    >>> newton([[2.0, 1.0], [1.0, 2.0]], [1.0, 0.0], cross=[[1.0, 1.0]])
    array([0.33333333])
    """
    square, values, here = _problem(invertible_kernel(kernel), targets, start)
    rows, first = (square, here) if cross is None else elsewhere(cross, test_start, values)
    return first - rows @ kernels.solve(square, here - values)


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
    A float64 array of shape ``steps.shape + targets.shape`` (infinity or NaN where an unstable mode exceeds
    float64).
    Raises `InputError` as in `flow`, and for a rate above the largest stable one (with that one).

    >>> descent([[2.0]], [1.0], [0, 1, 2], rate=0.25).ravel()
    array([0.  , 0.5 , 0.75])
    """
    (square, values, begin), counts = _problem(training_kernel(kernel), targets, start), finite_array(steps, "steps")
    if (wrong := (counts < 0) | (counts != np.round(counts))).any():
        raise InputError(f"steps holds {counts[wrong].flat[0]}; give whole numbers of steps, 0 or more")
    modes, basis = np.linalg.eigh(square)
    scale = scale_of(normalisation, len(square))
    step = _rate(rate) * scale
    if not unstable:
        _require_shrinking(square, [step], scale)
    with np.errstate(over="ignore", invalid="ignore"):
        left = np.power(1 - step * np.maximum(modes, 0.0), counts[..., None])
        return values + _spread(basis, left, begin - values)


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
    if rates and factors.max() > 1 + kernels.ROUNDING * len(square) * kernels.EPS * (1 + len(rates)):
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
    wanted, error = f"return dl/dz in the shape of z, {here.shape}", here - values
    if step.error is not None:
        error = shaped(step.error(here), "error(z)", lambda a: a.shape == here.shape, wanted)
    if step.newton is None:
        return rate * error
    square = len(here), len(here)
    wanted = f"give the Newton tensor, shape {square}"
    return rate * (shaped(step.newton, "newton", lambda a: a.shape == square, wanted) @ error)

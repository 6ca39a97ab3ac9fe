"""Test points under SGD: mean and covariance, with the formula that HDR eq. (35) should have been.

Problem.  `sgd.StochasticFlow` moves the training outputs; a test point x is pulled by their errors and kicked by the
same gradient noise.  Where is f_t(x), and how far does it scatter?

Rule.  With h(u) = K(x, X) K^-1 (1 - e^(-K u/N)), which is an integral over time and needs no inverse,

    E f_t(x)   = f_0(x) + h(t)(Y - f_0) + (eta/2S) int_0^t [Gamma(x) - h(u) Gamma(X)] du,
    Cov f_t(x) = (eta/S) int_0^t [G(x) - h(u) G(X)] [G(x) - h(u) G(X)]^T du.

The integrands vary on all time scales 1/lambda_i, so [0, t] is cut at t/2, t/4, ... and every piece gets a Gauss rule;
a covariance that is a sum of squares stays positive semi-definite.

Tiny case.  K = 0 (a test point that shares nothing): f_t(x) = f_0(x) + (eta/2S) Gamma(x) t, variance (eta/S) G(x)^2 t.

Known limits.  Finite times: the variance of f_t(x) grows for ever unless G(x) lies in what the training points feel.
"""

import numpy as np

from asympt.arrays import finite_array
from asympt.errors import InputError
from asympt.training.flow import eigenmodes, flow_at, learnt
from asympt.training.parsing import cross_of, start_of, times_of
from asympt.training.sgd import StochasticFlow

PIECES, NODES = 45, 16


def sgd_mean_at(flow: StochasticFlow, cross, times, *, curvature=None, start=None) -> np.ndarray:
    """E[f_t(x)] at M test points.

    Parameters
    ----------
    flow : the training points under SGD.
    cross : K(x, X), shape (M, N).
    times : finite times t >= 0, array of any shape.
    curvature, start : Gamma(x) and f_0(x), shape (M,); zero when left out.

    Returns
    -------
    float64 array of shape ``times.shape + (M,)``.

    Raises `InputError` for shapes that do not fit and for infinite times.

    Source: HDR eq. (35), with t for t - s in the first term and - for + in Z_t.

    >>> sgd = StochasticFlow([[1.0]], [0.0], noise=[[1.0]], rate=2.0, batch=1.0)
    >>> sgd_mean_at(sgd, [[0.0]], [3.0], curvature=[1.0])
    array([[3.]])
    """
    rows, moments = cross_of(cross, len(flow.targets)), _finite(times)
    force = start_of(curvature, np.empty(len(rows)), "curvature")
    quiet = flow_at(
        rows, flow.kernel, flow.targets, moments, start=flow.start, test_start=start, normalisation=flow.normalisation
    )
    parts = np.array([_integral(flow, rows, force[:, None], flow.curvature[:, None], t) for t in moments.ravel()])
    return quiet + flow.rate / (2 * flow.batch) * parts.reshape(*moments.shape, len(rows))


def sgd_covariance_at(flow: StochasticFlow, cross, noise, times) -> np.ndarray:
    """Cov[f_t(x)] of M test points.

    Parameters
    ----------
    flow, cross, times : as in `sgd_mean_at`.
    noise : G(x) = grad f(x) Sigma^(1/2), shape (M, p), p as in the noise of the training points.

    Returns
    -------
    float64 array of shape ``times.shape + (M, M)``.

    Source: HDR eq. (35), with e^(-(t-s) K/N) for e^(-t K/N) in R_t.

    >>> sgd = StochasticFlow([[1.0]], [0.0], noise=[[1.0]], rate=1.0, batch=1.0)
    >>> sgd_covariance_at(sgd, [[1.0]], [[1.0]], [1.0]).round(9)  # the training point itself: (1 - e^-2)/2
    array([[[0.43233236]]])
    """
    rows, moments = cross_of(cross, len(flow.targets)), _finite(times)
    kicks = finite_array(noise, "noise")
    if kicks.shape != (len(rows), flow.noise.shape[1]):
        raise InputError(f"noise has shape {kicks.shape}; give G(x), shape ({len(rows)}, {flow.noise.shape[1]})")
    parts = [_squares(flow, rows, kicks, moment) for moment in moments.ravel()]
    return flow.rate / flow.batch * np.array(parts).reshape(*moments.shape, len(rows), len(rows))


def _felt(flow: StochasticFlow, rows: np.ndarray, own: np.ndarray, shared: np.ndarray, spans: np.ndarray) -> np.ndarray:
    """own - h(u) shared at the times u, shape (U, M, p)."""
    scale = flow.scale
    modes, basis = eigenmodes(flow.kernel * scale, flow._error * scale)
    weights = learnt(modes, spans, 1.0)
    return own - (rows * scale @ basis) @ (weights[:, :, None] * (basis.T @ shared))


def _integral(flow: StochasticFlow, rows, own, shared, time: float) -> np.ndarray:
    spans, weights = _rule(time)
    return np.tensordot(weights, _felt(flow, rows, own, shared, spans)[..., 0], 1)


def _squares(flow: StochasticFlow, rows, own, time: float) -> np.ndarray:
    spans, weights = _rule(time)
    felt = _felt(flow, rows, own, flow.noise, spans) * np.sqrt(weights)[:, None, None]
    return np.einsum("umi,uni->mn", felt, felt)


def _rule(time: float) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights on [0, time], Gauss on every piece between time/2^k and time/2^(k+1)."""
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    edges = time * np.append(0.5 ** np.arange(PIECES), 0.0)
    middle, half = (edges[:-1] + edges[1:]) / 2, (edges[:-1] - edges[1:]) / 2
    return (middle[:, None] + half[:, None] * nodes).ravel(), (half[:, None] * weights).ravel()


def _finite(times) -> np.ndarray:
    moments = times_of(times)
    if np.isinf(moments).any():
        raise InputError("times holds inf; give finite times: the scatter of a test point grows for ever")
    return moments

"""Stochastic gradient descent as a diffusion: the Ornstein-Uhlenbeck process of the outputs (HDR eq. 33, Appendix C).

    df = [-(1/N) K (f - Y) + (eta/2S) Gamma] dt + sqrt(eta/S) G dW,     G = grad f Sigma^(1/2),    E_t = e^(-K t/N):
    f_t = E_t f_0 + (1 - E_t) Y + (eta/2S) int_0^t E_(t-s) Gamma ds + sqrt(eta/S) int_0^t E_(t-s) G dW_s.

HDR eq. (34) has the Gamma term with the other sign, and eq. (35), at a test point, errs likewise (docs/bounds.md).  One
output; Gamma and G constant in time, as HDR assume of K.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from asympt.arrays import whole
from asympt.errors import InputError
from asympt.training import kernels
from asympt.training.flow import eigenmodes, flow, flow_at, learnt
from asympt.training.kernels import cross_of, positive, scale_of, start_of, targets_of, times_of, training_kernel


@dataclass(frozen=True, eq=False)
class StochasticFlow:
    """The outputs on the training set under SGD.

    Parameters
    ----------
    kernel : array (N, N), K(X, X), positive semi-definite.
    targets : Y, shape (N,).
    noise : G = grad f Sigma^(1/2), shape (N, p).
    rate, batch : eta > 0 and S > 0.
    curvature : Gamma, shape (N,), Tr(Sigma^(1/2) Hess f Sigma^(1/2)) at every training point; zero when left out.
    start : f_0(X), shape (N,); zero when left out.
    normalisation : 'mean' (K/N, HDR) or 'sum'.

    Raises `InputError` for shapes that do not match and for a kernel that is not symmetric positive semi-definite.

    Source: HDR = Hayou, Doucet and Rousseau (2020), Appendix C, eqs. (30) to (34).

    >>> sgd = StochasticFlow([[1.0]], [0.0], noise=[[1.0]], rate=1.0, batch=1.0)
    >>> sgd.covariance([np.inf]).ravel()
    array([0.5])
    """

    kernel: np.ndarray
    targets: np.ndarray
    noise: np.ndarray
    rate: float
    batch: float
    curvature: np.ndarray | None = None
    start: np.ndarray | None = None
    normalisation: str = "mean"

    def __post_init__(self):
        square = training_kernel(self.kernel)
        size = len(square)
        object.__setattr__(self, "_error", kernels.asymmetry(self.kernel))
        wanted = "the diffusion is that of one output, give shape (N,)"
        read = {"kernel": square}
        read["targets"] = kernels.shaped(targets_of(self.targets, size), "targets", lambda a: a.ndim == 1, wanted)
        wanted = f"give G = grad f Sigma^(1/2), shape ({size}, p)"
        read["noise"] = kernels.shaped(self.noise, "noise", lambda a: a.ndim == 2 and len(a) == size, wanted)
        read["rate"] = positive(self.rate, "rate", "the learning rate, greater than 0")
        read["batch"] = positive(self.batch, "batch", "the batch size, greater than 0")
        read["curvature"] = start_of(self.curvature, read["targets"], "curvature")
        read["start"] = start_of(self.start, read["targets"])
        scale_of(self.normalisation, size)
        for name, value in read.items():
            object.__setattr__(self, name, value)

    def mean(self, times) -> np.ndarray:
        """E[f_t(X)], shape ``times.shape + (N,)``; at t = infinity infinite along a null mode that Gamma drives."""
        moments = times_of(times)
        quiet = flow(self.kernel, self.targets, moments, start=self.start, normalisation=self.normalisation)
        return quiet + self._drift_sum(moments)

    def covariance(self, times) -> np.ndarray:
        """Cov[f_t(X)], shape ``times.shape + (N, N)``."""
        moments = times_of(times)
        modes, basis = self._modes
        factor = basis.T @ self._factor  # factor factor^T is (eta/S) G G^T in the eigenbasis
        return basis @ _weighted(learnt(modes[:, None] + modes, moments, 1.0), factor @ factor.T) @ basis.T

    def simulate(self, times, paths: int, seed: int = 0) -> np.ndarray:
        """Paths with the exact law of the solution at increasing finite times, shape (paths, T, N)."""
        moments, rng = kernels.increasing_of(times), _generator(seed)
        state = np.tile(self.start, (_whole(paths, "paths"), 1))
        found, before = np.empty((len(state), len(moments), len(self.targets))), 0.0
        modes, basis = self._modes
        for index, moment in enumerate(moments):
            span = np.asarray(moment - before)
            decay = (basis * np.exp(-modes * span)) @ basis.T
            values, vectors = np.linalg.eigh(self.covariance(span))
            root = vectors * np.sqrt(np.maximum(values, 0.0))
            rest = self.targets + (state - self.targets) @ decay + self._drift_sum(span)
            state = rest + rng.standard_normal(state.shape) @ root.T
            found[:, index], before = state, moment
        return found

    def euler(self, step: float, steps: int, paths: int, seed: int = 0) -> np.ndarray:
        """Paths of the Euler-Maruyama scheme after every step (the start first), shape (paths, steps + 1, N).

        With `step` = eta this is SGD itself with Gaussian gradient noise (HDR eq. 30).  `InputError` for a step above
        2/lambda_1, from which on the scheme blows up.
        """
        size, rng = positive(step, "step", "the time of one step, greater than 0"), _generator(seed)
        state = np.tile(self.start, (_whole(paths, "paths"), 1))
        pull = self.kernel * self.scale
        most = np.linalg.eigvalsh(pull)[-1]
        if size * most > 2:
            raise InputError(f"step = {size:.6g} makes the scheme blow up; give at most 2/lambda_1 = {2 / most:.6g}")
        path = [state]
        for _ in range(_whole(steps, "steps")):
            kick = rng.standard_normal((len(state), self.noise.shape[1])) @ self._factor.T
            state = state - size * (state - self.targets) @ pull + size * self._drift + np.sqrt(size) * kick
            path.append(state)
        return np.stack(path, axis=1)

    @property
    def scale(self) -> float:
        """1/N or 1, what multiplies the kernel."""
        return scale_of(self.normalisation, len(self.targets))

    @property
    def _drift(self) -> np.ndarray:
        """(eta/2S) Gamma."""
        return self.rate / (2 * self.batch) * self.curvature

    @property
    def _factor(self) -> np.ndarray:
        """sqrt(eta/S) G."""
        return np.sqrt(self.rate / self.batch) * self.noise

    @cached_property
    def _modes(self) -> tuple[np.ndarray, np.ndarray]:
        """Eigenvalues and eigenvectors of K/N."""
        return eigenmodes(self.kernel * self.scale, self._error * self.scale)

    def _drift_sum(self, moments: np.ndarray) -> np.ndarray:
        """int_0^t E_(t-s) (eta/2S) Gamma ds."""
        modes, basis = self._modes
        return _weighted(learnt(modes, moments, 1.0), basis.T @ self._drift) @ basis.T


def _weighted(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """weights values; what rounding left of a value is no reason for infinity."""
    real = np.abs(values) > kernels.EPS * values.size * np.abs(values).max(initial=0.0)
    return np.where(real, weights, 0.0) * values


def _whole(value, name: str) -> int:
    return whole(value, name, "how many, 1 or more")


def _generator(seed) -> np.random.Generator:
    return np.random.default_rng(whole(seed, "seed", "a seed, 0 or more", least=0))


# ---- test points under SGD: mean and covariance, with the formula that HDR eq. (35) should have been -------------


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
    A float64 array of shape ``times.shape + (M,)``.
    Raises `InputError` for shapes that do not match and for infinite times.

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
    parts = []
    for spans, weights in map(_rule, moments.ravel()):
        felt = _felt(flow, rows, force[:, None], flow.curvature[:, None], spans)
        parts.append(np.tensordot(weights, felt[..., 0], 1))
    return quiet + flow.rate / (2 * flow.batch) * np.array(parts).reshape(*moments.shape, len(rows))


def sgd_covariance_at(flow: StochasticFlow, cross, noise, times) -> np.ndarray:
    """Cov[f_t(x)] of M test points.

    Parameters
    ----------
    flow, cross, times : as in `sgd_mean_at`.
    noise : G(x) = grad f(x) Sigma^(1/2), shape (M, p), p as in the noise of the training points.

    Returns
    -------
    A float64 array of shape ``times.shape + (M, M)``.

    Source: HDR eq. (35), with e^(-(t-s) K/N) for e^(-t K/N) in R_t.

    >>> sgd = StochasticFlow([[1.0]], [0.0], noise=[[1.0]], rate=1.0, batch=1.0)
    >>> sgd_covariance_at(sgd, [[1.0]], [[1.0]], [1.0]).round(9)  # the training point itself: (1 - e^-2)/2
    array([[[0.43233236]]])
    """
    rows, moments = cross_of(cross, len(flow.targets)), _finite(times)
    shape = len(rows), flow.noise.shape[1]
    kicks = kernels.shaped(noise, "noise", lambda a: a.shape == shape, f"give G(x), shape {shape}")
    parts = []
    for spans, weights in map(_rule, moments.ravel()):
        felt = _felt(flow, rows, kicks, flow.noise, spans) * np.sqrt(weights)[:, None, None]
        parts.append(np.einsum("umi,uni->mn", felt, felt))
    return flow.rate / flow.batch * np.array(parts).reshape(*moments.shape, len(rows), len(rows))


def _felt(flow: StochasticFlow, rows: np.ndarray, own: np.ndarray, shared: np.ndarray, spans: np.ndarray) -> np.ndarray:
    """own - h(u) shared at the times u, shape (U, M, p)."""
    modes, basis = flow._modes
    weights = learnt(modes, spans, 1.0)
    return own - (rows * flow.scale @ basis) @ (weights[:, :, None] * (basis.T @ shared))


def _rule(time: float) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights on [0, time], Gauss on every piece between time/2^k and time/2^(k+1)."""
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    edges = time * np.append(0.5 ** np.arange(PIECES), 0.0)
    middle, half = (edges[:-1] + edges[1:]) / 2, (edges[:-1] - edges[1:]) / 2
    return (middle[:, None] + half[:, None] * nodes).ravel(), (half[:, None] * weights).ravel()


def _finite(times) -> np.ndarray:
    moments = times_of(times)
    if np.isinf(moments).any():
        raise InputError("times holds inf; give finite times: the scatter of a test point grows without bound")
    return moments

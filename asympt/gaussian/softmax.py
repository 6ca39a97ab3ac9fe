"""Softmax attention at initialisation: what two rows of attention weights have in common.

A row is A_k = e^(tau X_k)/sum_l e^(tau X_l), k = 1, ..., T, with independent X_k from N(0, 1); another row has Y_k, and
corr(X_k, Y_k) = rho.  With 1/S = int e^(-u S) du for either sum,

    D(tau, rho, T) = E sum_k A_k B_k = T iint psi_uv psi^(T-1) du dv,     psi(u, v) = E exp(-u e^(tau X) - v e^(tau Y)),

and D(tau, 1, T) = T int u phi'' phi^(T-1) du, phi(u) = psi(u, 0).  The trapezoidal rule in log u, log v and in the
Gaussians converges exponentially: exp(-e^z) is bounded for |Im z| <= pi/2.

D(tau, 1, T) - D(tau, rho, T) is wanted to as many digits where rho is near 1.  X = sqrt(rho) Z + sqrt(1 - rho) W, so

    psi_1 - psi_rho = E_Z Cov_W(e^(-u E), e^(-v E)),     E = e^(tau X),

in which deviations from W = 0 come from expm1, and nothing cancels.
"""

from functools import lru_cache

import numpy as np

from asympt.errors import UnsupportedError

Array = np.ndarray

STEP = 0.25  # of the grids
WIDEST = 4.0  # tau; a wider spread of logits needs more nodes than fit
WIDE = 1.0  # largest deviation of a grid for which e^x - 1 needs no care
REACH, LEAST = 8.3, 36.0  # of a Gaussian, in standard deviations; -log of the least u that counts


@lru_cache(maxsize=4096)
def overlap(tau: float, gap: float, tokens: int, step: float = STEP) -> tuple[float, float]:
    """(D(tau, 1, T), D(tau, 1, T) - D(tau, rho, T)), rho = 1 - gap, in float64 to 12 digits.

    `step` of the grids: two of them tell how many digits there are.  Raises `UnsupportedError` for tau > 4.

    >>> same, apart = overlap(1.0, 0.5, 4)
    >>> print(f"{same:.12f} {same - apart:.12f}")
    0.391971443576 0.315818080069
    """
    if tau > WIDEST:
        raise UnsupportedError(
            f"logits of standard deviation {tau:.6g} between tokens: integrals over softmax weights are computed up to "
            f"{WIDEST:g}; take a smaller logit_variance"
        )
    u = np.exp(np.arange(-LEAST - tau**2, 4 + REACH * tau, step))
    x, density = _gaussian(tau, step)
    plain = _values(u, x)
    same, same_uv = ((part * density) @ part.T for part in plain)
    (_, near_uv), (apart, apart_uv) = _correlated(u, tau, gap, step, (same, same_uv))
    share = np.minimum(np.divide(apart, same, out=np.zeros_like(same), where=same > 0), 1)
    with np.errstate(divide="ignore"):  # share 1: nothing is left
        power = -np.expm1((tokens - 1) * np.log1p(-share))  # 1 - (psi_rho/psi_1)^(T-1)
    difference = np.sum(same ** (tokens - 1) * (apart_uv + near_uv * power))
    phi, second = plain[0] @ density, (u[:, None] * np.exp(x) * plain[1]) @ density
    return tokens * step * float(np.sum(second * phi ** (tokens - 1))), tokens * step**2 * float(difference)


def _correlated(u: Array, tau: float, gap: float, step: float, same: tuple) -> tuple[list, list]:
    """psi and u v psi_uv at rho = 1 - gap, and what they lack to those at 1, `same`."""
    own = min(gap, 2 - gap)
    (z, at_z), (w, at_w) = (_gaussian(tau * np.sqrt(part), step) for part in (1 - own, own))
    moved = _deviations(u, z, w)
    means = [part @ at_w for part in moved]
    whole = [start + mean for start, mean in zip(_values(u, z), means, strict=True)]
    sign = -1 if gap > 1 else 1  # Y = -sqrt(|rho|) Z + ..., on a symmetric grid
    near = [(part * at_z) @ part[:, ::sign].T for part in whole]
    if gap >= 1:
        return near, [one - two for one, two in zip(same, near, strict=True)]
    weights = (at_z[:, None] * at_w).ravel()
    spread = [(part - mean[:, :, None]).reshape(len(u), -1) for part, mean in zip(moved, means, strict=True)]
    return near, [(part * weights) @ part.T for part in spread]


def _gaussian(deviation: float, step: float) -> tuple[Array, Array]:
    """Nodes of N(0, deviation^2), symmetric, and their weights."""
    h = min(2 * step, step / deviation) if deviation else 1.0
    count = int(REACH / h) if deviation else 0
    x = h * np.arange(-count, count + 1)
    weights = np.exp(-(x**2) / 2)
    return deviation * x, weights / weights.sum()


def _values(u: Array, x: Array) -> tuple[Array, Array]:
    """e^(-u E) and u E e^(-u E), E = e^x: shape (u, x)."""
    y = u[:, None] * np.exp(x)
    return np.exp(-y), y * np.exp(-y)


def _deviations(u: Array, z: Array, w: Array) -> tuple[Array, Array]:
    """The same at x = z + w, less those at z: shape (u, z, w)."""
    y = (u[:, None] * np.exp(z))[:, :, None]
    start = np.exp(-y)
    near = np.minimum(-y * np.expm1(w), 700)  # beyond e^700 `start` is 0
    moved = np.exp(-y * np.exp(w)) - start if w[-1] > WIDE else start * np.expm1(near)
    return moved, y * (np.exp(w) * moved + start * np.expm1(w))

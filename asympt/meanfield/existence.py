"""Whether an activation has an Edge of Chaos at all: a (sigma_b >= 0, sigma_w > 0, q > 0) with q = V(q) and chi = 1.

There is one at q exactly when s(q) = q - M_0(q)/M_1(q) >= 0 (`edge`).  So look at s(q)/q for q from 10^-40 to 10^40.  A
positive value is proof, and is computed again in mpmath.  Where all are negative the two ends decide: there |s| follows
a power of q over three decades, so it does not turn (no interval proof).  Where phi jumps M_1 is infinite: none.

softplus: M_0 = q/2 + O(q^(-1/2)) and M_1 = 1/2 - (2 pi q)^(-1/2) + ... for q -> oo, s < 0.  sigmoid: M_0 -> 1/2 and
M_1 = (2 pi q)^(-1/2)/6 + ..., so s = q - 3 sqrt(2 pi q) + ... > 0 for large q (against HDR Section 6.2).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from mpmath import mp
from scipy.optimize import minimize_scalar

from asympt.errors import InputError
from asympt.gaussian.moments import square_moments
from asympt.gaussian.piecewise import PiecewiseSmooth
from asympt.meanfield.activations import Activation, activation
from asympt.meanfield.roots import NOISE, grid, square_means, zeros
from asympt.meanfield.variance import jumps

TOLD = 1e-8  # |s|/q above it has at least three digits
STEADY = 0.05  # by how much the exponent of a power may change over the last decades
CHECKED, TINY = 20, 1e-300


@dataclass(frozen=True)
class EdgeExistence:
    """The answer.  `figure` is the largest s(q)/q found, `q` its place; `certified` is s/q > 0 at one q, from mpmath.
    Where phi jumps `figure` is -oo, and nothing else is given.

    `bias_range` and `weight_range` are the smallest and largest values of s = sigma_b^2 and of sigma_w where s >= 0
    (None without an Edge of Chaos), 0 and oo where they keep falling or growing as far as q is looked at; `ends` the
    exponents of |s| at both ends; `changes` the q at which s changes sign.
    """

    exists: bool
    figure: float
    q: float | None
    certified: object
    changes: tuple[float, ...]
    bias_range: tuple[float, float] | None
    weight_range: tuple[float, float] | None
    ends: tuple[float, float] | None
    explanation: str


def edge_exists(phi: str | Activation) -> EdgeExistence:
    """Whether the Edge of Chaos of phi contains a point with q > 0; raises `InputError` when the moments diverge.

    >>> edge_exists("relu").exists
    True
    """
    phi = activation(phi)
    if phi.is_relu_like:
        why = f"activation {phi.name!r} is ReLU-like: with sigma_b = 0 and chi = 1 every q is on the Edge of Chaos"
        return EdgeExistence(True, 0.0, None, mp.zero, (), (0.0, 0.0), None, None, why)
    if jumps(phi.piecewise):
        why = f"activation {phi.name!r} jumps, so f'(1) is infinite and it has no Edge of Chaos; take a continuous one"
        return EdgeExistence(False, -np.inf, None, None, (), None, None, None, why)
    return _decide(phi.piecewise, phi.name)


def offset(phi: PiecewiseSmooth, q) -> np.ndarray:
    """s(q)/q = 1 - M_0/(q M_1) in float64; NaN where a moment is not known or M_1 = 0."""
    q = np.asarray(q, dtype=float)
    zeroth, first = square_means(phi, 0)(q), square_means(phi, 1)(q)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.where(first > 0, 1 - zeroth / (q * first), np.nan)


@lru_cache(maxsize=64)
def _decide(phi: PiecewiseSmooth, name: str) -> EdgeExistence:
    q = grid()
    s = offset(phi, q)
    known = np.isfinite(s)
    if not known.any():
        raise InputError(_unknown(phi, name))
    q, s = q[known], s[known]
    best = int(np.argmax(s))
    if s[best] > NOISE:
        return _positive(phi, name, q, s)
    powers = tuple(_power(q[::step], (s * q)[::step], s[::step]) for step in (1, -1))
    told = None not in powers
    low, high = map(_said, powers)
    why = (
        f"activation {name!r} has no Edge of Chaos: sigma_b^2 = q - M_0(q)/M_1(q) is negative for every q > 0 (at most "
        f"{s[best]:.4g} q for q from {q[0]:.0e} to {q[-1]:.0e}, and its size goes like {low} for q -> 0 and "
        f"{high} for q -> oo)"
    )
    if not told:
        why = f"no Edge of Chaos of activation {name!r} was found, but the ends q -> 0 and q -> oo are not decided"
    return EdgeExistence(False, float(s[best]), float(q[best]), None, (), None, None, powers if told else None, why)


def _positive(phi: PiecewiseSmooth, name: str, q: np.ndarray, s: np.ndarray) -> EdgeExistence:
    place = _convenient(q, s)
    with mp.workdps(CHECKED):
        zeroth, first = square_moments(phi, 2, mp.mpf(place), CHECKED)
        certified = 1 - zeroth / (mp.mpf(place) * first)
    changes = tuple(zeros(lambda places: offset(phi, places)))
    inside = np.sort(np.concatenate([q[s > NOISE], changes]))
    bias = _extremes(lambda places: np.maximum(offset(phi, places), 0) * places, inside, set(changes))
    weight = _extremes(lambda places: 1 / np.sqrt(square_means(phi, 1)(places)), inside, set(changes))
    where = f"changes sign at q = {', '.join(f'{c:.8g}' for c in changes)} and is" if changes else "is"
    why = (
        f"activation {name!r} has an Edge of Chaos: sigma_b^2 = q - M_0(q)/M_1(q) {where} positive at q = {place:.6g}, "
        f"with sigma_b = {np.sqrt(float(certified) * place):.6g} and sigma_w = {1 / np.sqrt(float(first)):.6g}"
    )
    return EdgeExistence(
        bool(certified > 0), float(s.max()), float(q[np.argmax(s)]), certified, changes, bias, weight, None, why
    )


def _extremes(of: Callable, q: np.ndarray, closed: set[float]) -> tuple[float, float]:
    """The least and largest value of `of` over the q given; `closed`: those at which the domain ends.

    An extreme at the last q looked at is 0 or oo where the values still follow a power of q there.

    >>> low, high = _extremes(lambda q: 1 / (1 + (q - 3) ** 2), np.geomspace(0.1, 2e4, 30), set())
    >>> low, round(high, 9)
    (0.0, 1.0)
    """
    values = of(q)
    found = []
    for sign, unbounded in ((1, 0.0), (-1, np.inf)):
        k = int(np.argmin(sign * values))
        if k in (0, len(q) - 1) and q[k] not in closed:
            beside = int(np.argmin(np.abs(np.abs(np.log(q / q[k])) - np.log(10))))
            steady = abs(np.log(max(values[k], TINY) / max(values[beside], TINY))) < STEADY
            found.append(float(values[k]) if steady else unbounded)
        elif q[k] in closed:
            found.append(float(values[k]))
        else:
            ends = np.log(q[[k - 1, k + 1]])
            near = minimize_scalar(lambda log, sign=sign: sign * of(np.exp([log]))[0], bounds=ends, method="bounded")
            found.append(float(sign * min(near.fun, sign * values[k])))
    return found[0], found[1]


def _convenient(q: np.ndarray, s: np.ndarray) -> float:
    """A q with a clearly positive s, as near to 1 as there is one: there mpmath is fast."""
    clear = q[s > min(1e-3, float(s.max()) / 2)]
    return float(f"{clear[np.argmin(np.abs(np.log(clear)))]:.4g}")


def _power(q: np.ndarray, size: np.ndarray, relative: np.ndarray) -> float | None:
    """p with |s| ~ q^p at the end where the arrays begin; None when three decades do not agree on it."""
    told = np.abs(relative) > TOLD
    logs, values = np.log(q[told]), np.log(np.abs(size[told]))
    ends = [np.argmin(np.abs(np.abs(logs - logs[0]) - decades * np.log(10))) for decades in (0, 1.5, 3)]
    first, second = ((values[b] - values[a]) / (logs[b] - logs[a]) for a, b in pairwise(ends))
    return float(first) if abs(first - second) < STEADY else None


def _said(power: float | None) -> str:
    """A power of q in a sentence."""
    if power is None:
        return "no power"
    return "a constant" if abs(power) < STEADY else f"q^{power:.3g}"


def _unknown(phi: PiecewiseSmooth, name: str) -> str:
    if all(piece == 0 for piece in phi.derivative().pieces):
        return f"activation {name!r} is constant between its breakpoints, so chi is 0 or oo; take one with a slope"
    return f"the second moments of activation {name!r} diverge; take an activation that grows less than exp(x^2)"

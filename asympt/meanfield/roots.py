"""All zeros of a function of the variance: found in float64, certified to any number of digits.

h on a grid of log q; values below the rounding error have no sign.  Each change of sign is a zero, and so are two when
an extremum between grid points pokes through 0.  Brent's method gives 12 digits, secant steps on certified moments the
rest.  The certificate is a change of sign: h(q(1 - e)) h(q(1 + e)) < 0 with e = 10^-(digits + 1).  A double zero
changes no sign and is not found.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import pairwise

import numpy as np
import scipy  # its parts are loaded when first used: they take longer than a law
from mpmath import mp

from asympt.errors import PrecisionError
from asympt.gaussian.piecewise import PiecewiseSmooth

# ---- second moments in float64, for thousands of variances at once -----------------------------------
#
# E[g(sqrt(q) Z)] = int g(x) p(x/sqrt q)/sqrt q dx.  Nodes x and weights do not depend on q: Gauss-Legendre panels
# between 2^k and 2^(k+1) on both sides, cut at the breakpoints, halved until g is integrated to 10^-13.  Then one
# matrix product gives every q.  A side ends where panels stop being resolved (sin far out) or g leaves float64 (exp);
# variances to which the rest could matter get NaN.


LOWEST, HIGHEST = 1e-40, 1e40
_INNERMOST, _OUTERMOST = -72, 72
_RESOLVED, _ROUGHLY, _NEGLIGIBLE = 1e-13, 1e-10, 1e-15  # roughly: after a few halvings, rounding is what is left
_FAR = 39  # standard deviations, from where on the normal density is 0 in float64
_PATIENCE, _HALVINGS, _MOST_PANELS, _BLOCK = 4, 12, 600, 64
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)


@dataclass(frozen=True)
class GaussianMeans:
    """E[g(sqrt(q) Z)] from nodes, g times weights, and the two ends (place, |g| there, or 0 when all is covered)."""

    nodes: np.ndarray
    weighted: np.ndarray
    ends: tuple[tuple[float, float], ...]

    def __call__(self, q) -> np.ndarray:
        """The means for an array of variances; NaN where the nodes do not reach far enough."""
        q = np.atleast_1d(np.asarray(q, dtype=float))
        found = np.concatenate([self._block(part) for part in np.array_split(q, -(-q.size // _BLOCK))])
        rest = sum(size * place * _density(place, q) for place, size in self.ends)
        return np.where(rest <= _NEGLIGIBLE * found, found, np.nan)

    def _block(self, q: np.ndarray) -> np.ndarray:
        near = np.abs(self.nodes) <= _FAR * np.sqrt(q.max())
        return _density(self.nodes[near], q[:, None]) @ self.weighted[near]


def _density(x, q):
    with np.errstate(under="ignore", over="ignore"):
        return np.exp(-(x * x) / (2 * q)) / np.sqrt(2 * np.pi * q)


@lru_cache(maxsize=64)
def square_means(phi: PiecewiseSmooth, order: int) -> GaussianMeans:
    """The means of the square of phi's `order`-th derivative (regular part).

    >>> from sympy import Symbol
    >>> x = Symbol("x", real=True)
    >>> square_means(PiecewiseSmooth.of(x**2, x), 1)([1.0, 2.0]).round(10).tolist()  # E[(2x)^2] = 4q
    [4.0, 8.0]
    """
    derivative = phi.derivative(order)
    edges = [float(point) for point in phi.breaks]
    sides = [_side(partial(_square, derivative), edges, sign) for sign in (-1, 1)]
    nodes, weighted, ends = zip(*sides, strict=True)
    return GaussianMeans(np.concatenate(nodes), np.concatenate(weighted), ends)


def _square(phi: PiecewiseSmooth, x: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        return phi.vectorised(x) ** 2


def _side(square: Callable, edges: list[float], sign: int) -> tuple:
    """Nodes, g times weights, and the end of one half-line; shell after shell outwards."""
    nodes, weighted, inside, place, panels = [np.empty(0)], [np.empty(0)], 0.0, 0.0, 0
    for low, high in pairwise([0.0, *(2.0**k for k in range(_INNERMOST, _OUTERMOST + 1))]):
        inner = sorted(sign * e for e in edges if low < sign * e < high)
        x, w = _shell(square, np.array([low, *inner, high]), sign, inside)
        panels += 0 if x is None else x.size // _NODES.size
        if x is None or panels > _MOST_PANELS:
            size = float(square(np.array([sign * place]))[0])
            return np.concatenate(nodes), np.concatenate(weighted), (place, size if np.isfinite(size) else np.inf)
        nodes.append(x)
        weighted.append(w)
        inside, place = inside + w.sum(), high
    return np.concatenate(nodes), np.concatenate(weighted), (place, 0.0)


def _shell(square: Callable, cuts: np.ndarray, sign: int, inside: float) -> tuple:
    """Panels between the cuts, halved until resolved; (None, None) when that does not happen."""
    low, high = cuts[:-1], cuts[1:]
    kept_x, kept_w = [], []
    for halving in range(_HALVINGS):
        middle = (low + high) / 2
        whole = _panel(square, low, high, sign)
        left, right = _panel(square, low, middle, sign), _panel(square, middle, high, sign)
        sums = [part[1].sum(axis=1) for part in (whole, left, right)]
        if not np.isfinite(sums).all():
            return None, None
        tolerance = _RESOLVED if halving < _PATIENCE else _ROUGHLY
        done = np.abs(sums[0] - sums[1] - sums[2]) <= tolerance * (sums[0] + inside)
        kept_x.append(whole[0][done].ravel())
        kept_w.append(whole[1][done].ravel())
        if done.all():
            return np.concatenate(kept_x), np.concatenate(kept_w)
        low, high = np.concatenate([low[~done], middle[~done]]), np.concatenate([middle[~done], high[~done]])
        if low.size > _MOST_PANELS:
            break
    return None, None


def _panel(square: Callable, low: np.ndarray, high: np.ndarray, sign: int) -> tuple:
    """Signed nodes and g times weights, one row for each panel."""
    half = ((high - low) / 2)[:, None]
    x = sign * ((low + high)[:, None] / 2 + half * _NODES)
    with np.errstate(over="ignore"):
        return x, square(x) * half * _WEIGHTS


GRID = 2286
NOISE = 1e-11
FIRST, SPARE = 12, 6  # digits that Brent's method gives, and more than requested that the residual gets
BLOCK, TRIES = 15, 3  # moments are computed to multiples of 15 digits
WRONG = 3  # digits by which a step may be worse than the product of the last two distances from the zero


def grid() -> np.ndarray:
    """Variances from 10^-40 to 10^40, evenly spaced in log q."""
    return np.geomspace(LOWEST, HIGHEST, GRID)


def zeros(function: Callable) -> list[float]:
    """Approximate zeros of `function` (arrays of q to arrays of values relative to terms of size 1), in order.

    >>> [round(q, 9) for q in zeros(lambda q: 1 - 2 / q)]
    [2.0]
    """
    logs = np.log(grid())
    values = function(np.exp(logs))
    told = np.isfinite(values) & (np.abs(values) > NOISE)
    logs, values = logs[told], values[told]

    def at(log: float) -> float:
        return float(function(np.exp([log]))[0])

    signs = np.sign(values)  # a product of values may overflow
    changes = [(a, b) for (a, u), (b, v) in pairwise(zip(logs, signs, strict=True)) if u * v < 0]
    changes += _hidden(at, logs, values)
    return sorted(float(np.exp(scipy.optimize.brentq(at, a, b, xtol=1e-14, rtol=1e-14))) for a, b in changes)


def _hidden(at: Callable, logs: np.ndarray, values: np.ndarray) -> list[tuple[float, float]]:
    """Pairs of zeros between three neighbouring points of one sign: the middle one is closest to 0."""
    found = []
    for k in range(1, len(values) - 1):
        before, here, after = values[k - 1 : k + 2]
        sign, ends = np.sign(here), (logs[k - 1], logs[k + 1])
        if np.sign(before) == sign == np.sign(after) and abs(here) < min(abs(before), abs(after)):
            least = scipy.optimize.minimize_scalar(lambda log, sign=sign: sign * at(log), bounds=ends, method="bounded")
            if least.fun < -NOISE:
                found += [(ends[0], float(least.x)), (float(least.x), ends[1])]
    return found


class Zero:
    """One zero of `residual` near `guess` (12 digits); `residual(q, digits)` is good to its digits.

    >>> root = Zero(lambda q, digits: q * q - 2, 1.4142135623731)
    >>> mp.nstr(root.to_digits(25), 20)
    '1.4142135623730950488'
    """

    def __init__(self, residual: Callable, guess: float):
        self.residual, self._known, self._best = residual, FIRST, mp.mpf(guess)
        self._slope, self._trusted = None, 0  # of the residual near the zero, and the digits it is good to

    def to_digits(self, digits: int):
        """The zero to `digits` digits; raises `PrecisionError` when the change of sign is not found."""
        if digits > self._known:
            self.to_digits(digits * 5 // 8)  # from where one step of a secant leads to all of them
            self._best, self._known = self._refined(digits), digits
        return self._best

    def _refined(self, digits: int):
        for attempt in range(TRIES):
            precision = -(-(digits + SPARE) // BLOCK) * BLOCK + attempt * 2 * BLOCK
            with mp.workdps(precision + 5):
                for way in (self._by_slope, self._by_secants, partial(self._by_secants, foreseen=False)):
                    found = way(digits, precision)
                    if found is not None and self._is_certain(found, digits, precision):
                        return found
        raise PrecisionError(
            f"the zero near q = {mp.nstr(self._best, 6)} could not be certified to {digits} digits; ask for fewer, or "
            "move away from the point where two zeros meet"
        )

    def _by_slope(self, digits: int, precision: int):
        """One step with the slope of an earlier search, where its digits and those of the zero make up `digits`."""
        if self._slope is None or self._known + self._trusted < digits + 2:
            return None
        return self._best - self.residual(self._best, precision) / self._slope

    def _by_secants(self, digits: int, precision: int, foreseen: bool = True):
        nearby = self._best * (1 + mp.mpf(10) ** -self._known)
        tolerance = self._best * mp.mpf(10) ** -(digits + 2)
        found = _secant(lambda q: self.residual(q, precision), self._best, nearby, tolerance, foreseen)
        if found is None:
            return None
        zero, self._slope, apart = found
        self._trusted = int(-mp.log10(apart / zero)) if apart else 0
        return zero

    def _is_certain(self, q, digits: int, precision: int) -> bool:
        width = q * mp.mpf(10) ** -(digits + 1)
        return bool(self.residual(q - width, precision) * self.residual(q + width, precision) < 0)


def _secant(residual: Callable, before, here, tolerance, foreseen: bool) -> tuple | None:
    """Secant steps until one is below the tolerance: the zero, the last slope, how far apart its points were.

    `foreseen`: or until the next one would be.  None when they lead nowhere.
    """
    low, value = residual(before), residual(here)
    for _ in range(20):
        if value == low:
            return (here, None, 0) if value == 0 else None
        slope = (value - low) / (here - before)
        following = here - value / slope
        if not mp.isfinite(following) or following <= 0:
            return None
        step, apart = abs(following - here), abs(here - before)
        if step < tolerance or (foreseen and step * apart < tolerance * following * mp.mpf(10) ** -WRONG):
            return following, slope, apart
        before, low, here, value = here, value, following, residual(following)
    return None

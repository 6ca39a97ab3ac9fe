"""Second moments E[phi^(n)(sqrt(q) Z)^2] in float64, for thousands of variances q at once.

E[g(sqrt(q) Z)] = int g(x) p(x/sqrt q)/sqrt q dx.  Nodes x and weights do not depend on q: Gauss-Legendre panels between
2^k and 2^(k+1) on both sides, cut at the breakpoints, halved until g is integrated to 10^-13.  Then one matrix product
gives every q.  A side ends where panels stop being resolved (sin far out) or g leaves float64 (exp); variances to which
the rest could matter get NaN.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

from asympt.gaussian.piecewise import PiecewiseSmooth

LOWEST, HIGHEST = 1e-40, 1e40
_INNERMOST, _OUTERMOST = -72, 72
_RESOLVED, _ROUGHLY, _NEGLIGIBLE = 1e-13, 1e-10, 1e-15  # roughly: after a few halvings, rounding is what is left
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
        return _density(self.nodes[None, :], q[:, None]) @ self.weighted


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
    sides = [_side(_square(derivative), edges, sign) for sign in (-1, 1)]
    nodes, weighted, ends = zip(*sides, strict=True)
    return GaussianMeans(np.concatenate(nodes), np.concatenate(weighted), ends)


def _square(phi: PiecewiseSmooth) -> Callable:
    """phi^2 on arrays."""

    def square(x: np.ndarray) -> np.ndarray:
        with np.errstate(all="ignore"):
            return phi.vectorised(x) ** 2

    return square


def _side(square: Callable, edges: list[float], sign: int) -> tuple:
    """Nodes, g times weights, and the end of one half-line; shell after shell outwards."""
    nodes, weighted, inside, place, panels = [], [], 0.0, 0.0, 0
    for low, high in pairwise([0.0, *(2.0**k for k in range(_INNERMOST, _OUTERMOST + 1))]):
        x, w = _shell(square, _cuts(edges, sign, low, high), sign, inside)
        panels += 0 if x is None else x.size // _NODES.size
        if x is None or panels > _MOST_PANELS:
            size = square(np.array([sign * place]))[0]
            return _joined(nodes), _joined(weighted), (place, float(size) if np.isfinite(size) else np.inf)
        nodes.append(x)
        weighted.append(w)
        inside, place = inside + w.sum(), high
    return _joined(nodes), _joined(weighted), (place, 0.0)


def _joined(parts: list[np.ndarray]) -> np.ndarray:
    return np.concatenate(parts) if parts else np.empty(0)


def _cuts(edges: list[float], sign: int, low: float, high: float) -> np.ndarray:
    return np.array([low, *sorted(sign * e for e in edges if low < sign * e < high), high])


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

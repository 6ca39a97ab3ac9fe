"""The same kernels in float64: gaps by vectorised quadrature, in milliseconds.

As in `kernel`: U, V = a X +- b Y, X cut at (x_i -+ bY)/a, Y cut where cuts meet, Gauss-Legendre panels.  Within a strip
of Y the cuts keep their order, so a whole strip is one NumPy array.  A difference psi(U) - psi(V) within one piece
loses digits like 1/b; for small b it is (U - V) times the mean of psi' between V and U, and nothing is lost.  The
relative error is some 1e-15, up to 1e-13 where psi has strips of analyticity below 0.1.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import pairwise
from math import sqrt

import mpmath
import numpy as np
from mpmath import mp

from asympt.compiling import as_function
from asympt.gaussian.piecewise import PiecewiseSmooth
from asympt.gaussian.quadrature.profile import mirrored, profile
from asympt.gaussian.quadrature.rules import legendre_rule, lookup, panels

DIGITS = 17
STRIP = 3.5
BETWEEN = np.polynomial.legendre.leggauss(12)  # the mean of psi' between V and U
NEAR = 0.5  # panel lengths between V and U up to which that mean is used


@dataclass(frozen=True)
class _SidedPsi:
    """psi, or its mirror image, in float64."""

    breaks: tuple[float, ...]
    pieces: tuple[Callable, ...]
    slopes: tuple[Callable, ...]
    spacing: Callable[[float], float]
    finest: float
    reach: float

    def index(self, x: float) -> int:
        return sum(x >= point for point in self.breaks)

    def mirrored(self) -> "_SidedPsi":
        pieces = tuple(mirrored(piece) for piece in reversed(self.pieces))
        return _SidedPsi(
            tuple(-x for x in reversed(self.breaks)), pieces, (), lambda x: self.spacing(-x), self.finest, self.reach
        )


def gap_float(phi: PiecewiseSmooth, q: float, gammas) -> np.ndarray:
    """M_0(q) - E[phi(sqrt(q) U) phi(sqrt(q) V)] at correlations 1 - gammas, gammas in [0, 2], in float64.

    Raises `InputError` when q is not positive or the second moment diverges.

    >>> from sympy import Max, Symbol
    >>> x = Symbol("x", real=True)
    >>> gap_float(PiecewiseSmooth.of(Max(x, 0), x), 2.0, [1e-20, 1.0]).round(22)
    array([1.00000000e-20, 6.81690114e-01])
    """
    side, even = _side(phi, float(q))
    return np.array([_gap(side, float(gamma), even) for gamma in np.atleast_1d(gammas)])


# ---- the gap ------------------------------------------------------------------------------------------


def _gap(side: _SidedPsi, gamma: float, even: bool) -> float:
    if gamma == 0:
        return 0.0
    if gamma > 1 and even:
        return _gap(side, 2 - gamma, even)
    second = side.mirrored() if gamma > 1 else side
    nearest = 2 - gamma if gamma > 1 else gamma
    a, b = sqrt(1 - nearest / 2), sqrt(nearest / 2)
    total = sum(_strip(side, second, a, b, strip) for strip in _strips(side, second, b))
    return total / (4 * np.pi) * (2 if second is side else 1)


def _strips(first: _SidedPsi, second: _SidedPsi, b: float) -> list[tuple[float, float]]:
    """Panels in Y, cut where two breakpoints change places; Y > 0 is enough when both sides are the same."""
    start = 0.0 if first is second else -first.reach
    crossings = [(x - y) / (2 * b) for x in first.breaks for y in second.breaks] if b else []
    inside = sorted({y for y in crossings if start < y < first.reach})
    longest = min(STRIP, first.finest / max(b, 1e-300))
    ends = pairwise([start, *inside, first.reach])
    return [panel for low, high in ends for panel in panels(low, high, lambda y: longest)]


def _strip(first: _SidedPsi, second: _SidedPsi, a: float, b: float, strip: tuple[float, float]) -> float:
    """The integral of p-weighted squared differences over one strip of Y and all X (factor 2 pi left out)."""
    nodes, weights = _rule()
    low, high = strip
    y = (low + high) / 2 + (high - low) / 2 * nodes
    outer, middle = (high - low) / 2 * weights * np.exp(-(y**2) / 2), (low + high) / 2
    reach, total = first.reach, 0.0
    cuts = [(-reach * a, 0.0), *((x, -b) for x in first.breaks), *((x, b) for x in second.breaks), (reach * a, 0.0)]
    cuts = [cut for cut in cuts if abs(cut[0] + cut[1] * middle) <= reach * a]
    for left, right in pairwise(sorted(cuts, key=lambda cut: cut[0] + cut[1] * middle)):
        centre = (left[0] + right[0] + (left[1] + right[1]) * middle) / 2
        pair = first.index(centre + b * middle), second.index(centre - b * middle)
        start = (left[0] + left[1] * y) / a
        width = (right[0] - left[0] + (right[1] - left[1]) * y) / a
        for share, length in _shares(first, second, a, b, left, right, strip):
            x = start[:, None] + width[:, None] * (share + length * (nodes + 1) / 2)[None, :]
            inner = width[:, None] * (length / 2 * weights)[None, :] * np.exp(-(x**2) / 2)
            total += np.sum(outer[:, None] * inner * _difference(first, second, pair, a * x, (b * y)[:, None], b) ** 2)
    return float(total)


def _shares(first: _SidedPsi, second: _SidedPsi, a: float, b: float, left, right, strip) -> list[tuple[float, float]]:
    """Panels between two moving cuts, (start, length) in shares of their distance, that fit at both ends."""
    best: list[tuple[float, float]] = []
    for y in strip:
        low, high = ((cut[0] + cut[1] * y) / a for cut in (left, right))
        if high - low < 1e-9:
            continue
        found = panels(low, high, partial(_allowed, first, second, a, b * y))
        if len(found) > len(best):
            best = [((p - low) / (high - low), (r - p) / (high - low)) for p, r in found]
    return best or [(0.0, 1.0)]


def _allowed(first: _SidedPsi, second: _SidedPsi, a: float, shift: float, x: float) -> float:
    """How long a panel in X may be at x."""
    return min(first.spacing(a * x + shift), second.spacing(a * x - shift)) / a


def _difference(first: _SidedPsi, second: _SidedPsi, pair: tuple[int, int], along, shift, b: float):
    """psi_1(U) - psi_2(V), U, V = along +- shift."""
    one_piece = first is second and pair[0] == pair[1]
    if one_piece and 2 * b * first.reach < NEAR * first.finest:
        slope = first.slopes[pair[0]]
        mean = sum(w / 2 * slope(along + node * shift) for node, w in zip(*BETWEEN, strict=True))
        return 2 * shift * mean
    return first.pieces[pair[0]](along + shift) - second.pieces[pair[1]](along - shift)


# ---- preparation ----------------------------------------------------------------------------------------


@lru_cache(maxsize=128)
def _side(phi: PiecewiseSmooth, q: float) -> tuple[_SidedPsi, bool]:
    """psi in float64 and whether it is even."""
    found, root = profile(phi, mpmath.mpf(q), DIGITS), sqrt(q)
    breaks = tuple(float(point) / root for point in phi.breaks)
    pieces = tuple(_scaled(phi.symbol, piece, root, 1.0) for piece in phi.pieces)
    slopes = tuple(_scaled(phi.symbol, piece, root, root) for piece in phi.derivative().pieces)
    spacing, finest = lookup(found.edges, found.lengths), min(found.lengths)
    side = _SidedPsi(breaks, pieces, slopes, spacing, finest, found.reach)
    return side, _is_even(phi)


def _is_even(phi: PiecewiseSmooth) -> bool:
    """Whether phi(-x) = phi(x), at some points."""
    points = np.array([0.013, 0.21, 0.57, 0.93, 1.7, 3.1, 6.3])
    left, right = phi.vectorised(-points), phi.vectorised(points)
    return bool(np.all(np.abs(left - right) <= 1e-14 * (np.abs(left) + np.abs(right))))


def _scaled(symbol, piece, root: float, factor: float) -> Callable:
    function = as_function(symbol, piece, ["scipy", "numpy"])

    def value(x):
        with np.errstate(over="ignore", under="ignore"):
            return factor * np.broadcast_to(function(root * x), np.shape(x))

    return value


@lru_cache(maxsize=1)
def _rule() -> tuple[np.ndarray, np.ndarray]:
    with mp.workdps(20):
        count = len(legendre_rule(DIGITS))
    return np.polynomial.legendre.leggauss(count)

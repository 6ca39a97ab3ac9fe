"""The gap of a kernel in float64, in milliseconds, for the search in floats of the correlation that a layer keeps.

As in `kernel`: U, V = a X +- b Y, X cut where U or V meets a breakpoint or a bend of psi, Y where two cuts meet.  On
each piece the trapezoidal rule after z = 1/(1 + exp(-pi sinh u)) (Takahasi and Mori 1974): it sees any scale at its
ends.
"""

from math import sqrt

import mpmath
import numpy as np
from mpmath import mp

from asympt.gaussian.piecewise import PiecewiseSmooth, bends
from asympt.gaussian.quadrature.profile import gaussian_reach, scaled_side

DIGITS = 17
_U = np.linspace(-3.4, 3.4, 137)
SHARES = 1 / (1 + np.exp(-np.pi * np.sinh(_U)))
WEIGHTS = 0.05 * np.pi * np.cosh(_U) / (2 + 2 * np.cosh(np.pi * np.sinh(_U)))


def gap_float(phi: PiecewiseSmooth, q: float, gamma: float) -> float:
    """M_0(q) - E[phi(sqrt(q) U) phi(sqrt(q) V)] at the correlation 1 - gamma, 0 < gamma <= 1.

    The relative error is about 1e-17/gamma^(1/2); more where phi is steep on the scale sqrt(gamma).

    >>> from sympy import Max, Symbol
    >>> x = Symbol("x", real=True)
    >>> round(gap_float(PiecewiseSmooth.of(Max(x, 0), x), 2.0, 1.0), 12)
    0.681690113816
    """
    a, b, root = sqrt(1 - gamma / 2), sqrt(gamma / 2), sqrt(q)
    with mp.workdps(20):
        reach = gaussian_reach(scaled_side(phi, mpmath.mpf(q)), DIGITS, phi)
    places = {*phi.breaks, *(place for piece in phi.pieces for place, _ in bends(piece, phi.symbol))}
    ends = sorted({float(place) / root for place in places})
    meetings = {(x - y) / (2 * b) for x in ends for y in ends}
    y, outer = _nodes([0.0, *sorted(m for m in meetings if 0 < m < reach), reach])
    rows = [_nodes(sorted({-reach, reach, *(c for c in _cuts(ends, a, b * height) if abs(c) < reach)})) for height in y]
    counts = [len(x) for x, _ in rows]
    x, inner = (np.concatenate(parts) for parts in zip(*rows, strict=True))
    heights = np.repeat(y, counts)
    apart = phi.vectorised(root * (a * x + b * heights)) - phi.vectorised(root * (a * x - b * heights))
    weights = np.repeat(outer, counts) * inner * np.exp(-(x**2 + heights**2) / 2)
    return float(np.sum(weights * apart**2)) / (2 * np.pi)


def _cuts(ends: list[float], a: float, shift: float) -> list[float]:
    return [(end + sign * shift) / a for end in ends for sign in (-1, 1)]


def _nodes(ends: list[float]) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights between all neighbours."""
    low, high = np.array(ends[:-1])[:, None], np.array(ends[1:])[:, None]
    nodes = np.where(SHARES < 0.5, low + (high - low) * SHARES, high - (high - low) * SHARES[::-1])
    return nodes.ravel(), ((high - low) * WEIGHTS).ravel()

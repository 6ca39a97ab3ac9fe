"""E[phi phi] of a phi with breakpoints for two variances, c neither near 1 nor near -1: a few matrix products.

Problem.  Hermite coefficients of a phi with breakpoints fall like a power of k only, but c^k falls geometrically.

Rule.  a_0 = E[phi] and b_k, the Hermite coefficients of phi', are as in `tensor`; B_k = b_k b_k', r = sqrt(q q'):

    E = a_0 a_0' + r (c V_0(x) + V_1(x)),        V_0 = sum_(k even) B_k x^(k/2)/(k+1),
    dE/dc = r (P_0(x) + c P_1(x)),               V_1 = sum_(k odd) B_k x^((k+1)/2)/(k+1),         x = c^2,

up to c = `most`: functions of s = sqrt(1 - x) in [s(most), 1], log q and log q', Chebyshev points as in `tensor`.  The
coefficients come from Gauss rules on panels that end at the breakpoints, narrow where phi is steep; all variances share
those without a breakpoint.

Tiny case.  |x|: b_k = E[sign he_k], b_1 = sqrt(2/pi), P_1 = 2/pi + O(x).

Known limits.  No gap form: 1 - c' has errors of 1e-15.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.polynomial import chebyshev

from asympt.depth.norms.pairing import Paired, Tile
from asympt.depth.norms.spread import basis, sampled, transform
from asympt.depth.norms.tensor import ABSENT, Products, factored
from asympt.depth.psi import NODES, FloatPsi, numpy_derivative, panels
from asympt.gaussian.piecewise import PiecewiseSmooth

DEGREES = 40
NEGLIGIBLE = 1e-16
FINEST = 3e-16  # of the largest value: what is left out
EDGE, WIDTH = 13.5, 0.5  # of the base panels


class FarPart(NamedTuple):
    """The odd or the even part of phi: P and V."""

    slope: Products
    value: Products


@dataclass(frozen=True)
class Far:
    """What tiles need where |c| <= `most`."""

    most: float
    mean: tuple[np.ndarray, np.ndarray]
    odd: FarPart | None
    even: FarPart | None

    @classmethod
    def of(cls, phi: PiecewiseSmooth, q: np.ndarray, other: np.ndarray, most: float) -> "Far":
        """From the series at a few variances."""
        one = _side(phi, q, most)
        two = one if other is q else _side(phi, other, most)
        mean = tuple(features @ columns[:, :1] for columns, features in (one, two))
        parts = [_part(one, two, parity, most) for parity in (0, 1)]
        return cls(most, (mean[0], mean[1].T), *parts)

    def at(self, where: Tile | Paired, c: np.ndarray, r: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(E, dE/dc) at pairs of inputs."""
        place = self._place(c)
        value, slope = np.zeros_like(c), np.zeros_like(c)
        if self.odd is not None:
            value += self.odd.value.at(where, place)
            value *= c
            slope += self.odd.slope.at(where, place)
        if self.even is not None:
            value += self.even.value.at(where, place)
            slope += c * self.even.slope.at(where, place)
        value *= r
        slope *= r
        value += where.product(*self.mean)
        return value, slope

    def _place(self, c: np.ndarray) -> np.ndarray:
        """s in [s(most), 1] brought to [-1, 1]."""
        least = np.sqrt(1.0 - self.most**2)
        place = np.sqrt(1.0 - c * c)
        place -= least
        place *= 2 / (1 - least)
        place -= 1.0
        return place


def _side(phi: PiecewiseSmooth, q: np.ndarray, most: float) -> tuple[np.ndarray, np.ndarray]:
    """(a_0 and most^(k/2) b_k at Chebyshev points of the range of q, the matrix from values there to the inputs)."""
    columns, low, high = sampled(lambda points: damped_hermite(phi, points, most), q)
    return columns, basis(q, low, high, len(columns)) @ transform(len(columns))


def _part(one: tuple, two: tuple, parity: int, most: float) -> FarPart | None:
    """One part from the damped coefficients at the variances of the points."""
    left, right = (columns[:, 1 + parity :: 2] for columns, _ in (one, two))
    whole = max(np.abs(columns).max() for columns, _ in (one, two))
    if min(np.abs(left).max(), np.abs(right).max()) <= ABSENT * whole:
        return None
    count = left.shape[1]
    products = (left[:, None, :] * right[None, :, :]).reshape(-1, count)
    k = 2 * np.arange(count) + parity
    least = np.sqrt(1.0 - most**2)
    s = least + (1 - least) * (1 + chebyshev.chebpts1(DEGREES)) / 2
    c = np.sqrt((1 - s) * (1 + s))
    powers = (c / most)[:, None] ** (k - parity) * most ** -float(parity)
    values = powers @ products.T
    integrals = (powers * (c[:, None] ** (2 * parity) / (k + 1))) @ products.T
    features = one[1], two[1]
    fine = FINEST * len(left) * np.abs(products).sum(axis=1).max()
    return FarPart(*(factored(v, features, fine) for v in (values, integrals)))


# ---- Hermite coefficients ---------------------------------------------------------------------------------


def damped_hermite(phi: PiecewiseSmooth, variances: np.ndarray, most: float) -> np.ndarray:
    """a_0 and most^(k/2) b_k, k = 0, 1, ..., while most^k counts: shape (len(variances), columns)."""
    count = int(np.ceil(np.log(NEGLIGIBLE) / np.log(most)))
    edges, x, w, base = _base(phi, count, int(np.ceil(np.log2(variances.max()))))
    roots = np.sqrt(variances)[:, None]
    value, derivative = numpy_derivative(phi, 0), numpy_derivative(phi, 1)
    breaks = [float(point) for point in phi.breaks] / roots
    broken = np.zeros((len(variances), len(edges) - 1), dtype=bool)
    place = np.clip(np.searchsorted(edges, breaks) - 1, 0, len(edges) - 2)
    np.put_along_axis(broken, place, True, axis=1)
    whole = ~np.repeat(broken, NODES, axis=1)
    with np.errstate(over="ignore", invalid="ignore"):
        found = (np.where(whole, derivative(roots * x), 0.0) * w) @ base.T
        mean = (np.where(whole, value(roots * x), 0.0) * w) @ _density(x)
    if not phi.breaks:
        return np.concatenate([mean[:, None], found * most ** (np.arange(count) / 2)], axis=1)
    parts = [_cut_panels(edges, breaks[i], place[i]) for i in range(len(variances))]
    y, wy = (np.concatenate([part[at] for part in parts]) for at in (0, 1))
    starts = np.cumsum([0] + [len(part[0]) for part in parts[:-1]])
    root = np.repeat(roots[:, 0], [len(part[0]) for part in parts])
    rows = hermite_rows(y, count)
    rows *= wy * derivative(root * y)
    found += np.add.reduceat(rows, starts, axis=1).T
    mean += np.add.reduceat(wy * _density(y) * value(root * y), starts)
    return np.concatenate([mean[:, None], found * most ** (np.arange(count) / 2)], axis=1)


@lru_cache(maxsize=4)
def _base(phi: PiecewiseSmooth, count: int, octave: int) -> tuple[np.ndarray, ...]:
    """(ends of panels, nodes, weights, `hermite_rows`) for variances up to 2^octave."""
    edges = np.linspace(-EDGE, EDGE, int(np.ceil(2 * EDGE / WIDTH)) + 1)
    edges = np.unique(np.concatenate([edges, FloatPsi(phi, 2.0**octave).marks]))
    x, w = panels(edges[np.abs(edges) <= EDGE])
    return edges[np.abs(edges) <= EDGE], x, w, hermite_rows(x, count)


def _cut_panels(edges: np.ndarray, breaks: np.ndarray, place: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights on the panels `place`, each cut at the breakpoints in it."""
    ends = np.unique(np.concatenate([edges[place], edges[place + 1], breaks]))
    inside = np.isin(np.searchsorted(edges, (ends[1:] + ends[:-1]) / 2) - 1, place)
    y, w = panels(np.stack([ends[:-1], ends[1:]], axis=1)[inside])
    return y.ravel(), w.ravel()


def _density(x: np.ndarray) -> np.ndarray:
    return np.exp(-x * x / 2) / np.sqrt(2 * np.pi)


def hermite_rows(x: np.ndarray, count: int) -> np.ndarray:
    """he_k(x) times the normal density, k < count, orthonormal: shape (count, len(x))."""
    found = np.empty((count, len(x)))
    before, here = np.zeros_like(x), _density(x)
    for k in range(count):
        found[k] = here
        before, here = here, (x * here - np.sqrt(k) * before) / np.sqrt(k + 1)
    return found

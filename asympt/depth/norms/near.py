"""E[phi' phi'] of a phi with breakpoints for two variances where c is near 1 (or -1): a smooth part and crossings.

Problem.  Near c = 1 the Hermite series is too long, and in c, q and q' together nothing is smooth (`crossings`).

Rule.  With U = x + w, V = x - w, w = bY, and C(w) the mean of phi'(sqrt(q) U) phi'(sqrt(q') V) over x,

    dE/dc = r P,       P = E[C(bY)] = N(b) - sum k_mn b^(2n) W_m,
                       E_1 - E = r [2 b^2 A(b) - sum l_mn b^(2n) W_m + ...],

N = E[C + crossings] smooth in b, log q, log q', A(b) = int_0^1 2s N(bs) ds, and ... the sum at b = 0, which
goes with what different variances alone take (`spread`).  C comes from Gauss rules between the lines' places, at
Chebyshev points of w > 0 and w < 0, for Chebyshev points of the ranges of q and q'; then everything is a sum of
products of functions of q and of q' (`tensor.Products`).  Near c = -1 the second phi is phi(-x).

Tiny case.  ELU: its only breakpoint is 0, both lines meet at w = 0 for all q: no crossings, N is smooth in b > 0.

Known limits.  b up to `REACH`; a phi so steep at sqrt(q) that `GRIDS` do not resolve C is left to `moving`.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.polynomial import chebyshev

from asympt.depth.norms.pairing import Paired, Tile
from asympt.depth.norms.spread import basis, is_resolved, transform
from asympt.depth.norms.strips import ORDER, KinkCrossing, crossings, folded, integrated, moments, parity
from asympt.depth.norms.tensor import FINE, Products, factored
from asympt.depth.psi import FloatPsi, legendre, panels
from asympt.errors import PrecisionError
from asympt.gaussian.piecewise import PiecewiseSmooth

REACH = 0.12  # b up to which pairs are near
TAIL = 8.0  # standard deviations of Y
SPREADS = 6  # Chebyshev points in b^2 for the density of x
NODES, WIDE, FAR = 14, 1.6, 9.5  # panels in x
MOST = 40  # Chebyshev points of a range of variances
FINEST, FINEST_IN_Q = 1e-12, 4e-12  # last coefficients in w and in log q, of the largest
NARROW = 1e-3  # octaves


@dataclass(frozen=True)
class Near:
    """What tiles of pairs need: N, A and for every crossing the products k_mn and l_mn, for (b/REACH)^(2n)."""

    smooth: Products
    mean: Products
    crossings: list[tuple[KinkCrossing, dict, dict]]
    ends: tuple["Ends", "Ends"]

    def at(self, where: Tile | Paired, q, other, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(P, (E_1 - E)/r without the value of the sum at b = 0) for variances q and `other`."""
        place = b * (2 / REACH) - 1.0
        slope, drop = self.smooth.at(where, place), self.mean.at(where, place)
        square = b * b
        drop *= square
        drop *= 2.0
        square /= REACH**2
        for crossing, one, two in self.crossings:
            found = moments(b, crossing.distance(q, other), crossing.less, max([1, *two]))
            slope -= combined(one, found, where, square)
            drop -= combined(two, found, where, square)
        return slope, drop

    def excess(self) -> np.ndarray:
        """r S(0) (q + q')^2/(q - q')^2 at the nodes of both ends, 0 where these are equal."""
        q, other = self.ends[0].nodes[:, None], self.ends[1].nodes
        total = np.zeros(np.broadcast(q, other).shape)
        for crossing, _, _ in self.crossings:
            d = crossing.distance(q, other)
            found = moments(np.zeros_like(d), d, crossing.less, 2 * ORDER)
            for (m, n), value in integrated(crossing.coefficients(q, other)).items():
                if n == 0:
                    total += value * found[m]
        apart = (q - other) / (q + other)
        return np.sqrt(q * other) * np.divide(total, apart**2, out=np.zeros_like(total), where=apart != 0)


def combined(parts: dict, found: list[np.ndarray], where: Tile | Paired, square: np.ndarray) -> np.ndarray:
    """sum over (m, n) of product times square^n W_m."""
    total = np.zeros_like(square)
    for m, powers in parts.items():
        value = where.product(*powers[-1])
        for left, right in powers[-2::-1]:
            value *= square
            if left.shape[1]:
                value += where.product(left, right)
        value *= found[m]
        total += value
    return total


# ---- tables ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class KinkGrid:
    """Points of the tables: of b in [0, REACH], of w on either side."""

    degrees: int
    places: int

    @cached_property
    def b(self) -> np.ndarray:
        """Chebyshev points of [0, REACH]."""
        return REACH * (1 + chebyshev.chebpts1(self.degrees)) / 2

    @cached_property
    def w(self) -> np.ndarray:
        """Those of [0, TAIL REACH], and of the other side."""
        half = TAIL * REACH * (1 + chebyshev.chebpts1(self.places)) / 2
        return np.concatenate([half, -half])

    @cached_property
    def weights(self) -> np.ndarray:
        """E[f(bY)] at spread b^2 from values of f at `w` and `spreads()`: shape (degrees, 2 places, SPREADS)."""
        y, wy = panels(np.linspace(0.0, TAIL, 13))
        density = wy * np.exp(-y * y / 2) / np.sqrt(2 * np.pi)
        inside = np.clip(self.b[:, None] * y / (TAIL * REACH) * 2 - 1, -1, 1)
        half = np.einsum("byk,y->bk", chebyshev.chebvander(inside, self.places - 1), density) @ transform(self.places)
        inner = chebyshev.chebvander(2 * (self.b / REACH) ** 2 - 1, SPREADS - 1) @ transform(SPREADS)
        return np.concatenate([half, half], axis=1)[:, :, None] * inner[:, None, :]

    @cached_property
    def mean(self) -> np.ndarray:
        """From values of N at `b` to those of A."""
        node, weight = legendre(32)
        x = (1 + node) / 2
        values = chebyshev.chebvander(2 * (self.b / REACH)[:, None] * x - 1, self.degrees - 1)
        return np.einsum("bxk,x->bk", values, weight * x) @ transform(self.degrees)

    def resolves(self, c: np.ndarray) -> bool:
        """Whether values of a function of w are known by their Chebyshev coefficients."""
        matrix = transform(self.places)
        return all(is_resolved(matrix @ side, FINEST) for side in np.split(c, len(c) // self.places))


GRIDS = tuple(KinkGrid(*sizes) for sizes in ((20, 28), (28, 44), (40, 72), (60, 120)))


def spreads() -> np.ndarray:
    """Chebyshev points of b^2, for the density of x."""
    return REACH**2 * (1 + chebyshev.chebpts1(SPREADS)) / 2


@dataclass(frozen=True)
class Ends:
    """The inputs on one side of a tile: variances, and Chebyshev points of their range."""

    q: np.ndarray
    count: int

    @cached_property
    def range(self) -> tuple[float, float]:
        """Of log2 q."""
        return tuple(np.log2([self.q.min(), self.q.max()]))

    @cached_property
    def nodes(self) -> np.ndarray:
        """Variances."""
        low, high = self.range
        return 2.0 ** ((low + high) / 2 + (high - low) / 2 * chebyshev.chebpts1(self.count))

    @cached_property
    def features(self) -> np.ndarray:
        """From values at the nodes to values at the inputs."""
        return basis(self.q, *self.range, self.count) @ transform(self.count)


class KinkPlan(NamedTuple):
    """How fine the tables of a range of variances on either side have to be."""

    ends: tuple[Ends, Ends]
    found: list[KinkCrossing]
    grid: KinkGrid


def is_resolvable(phi: PiecewiseSmooth, q: np.ndarray, other: np.ndarray, reflected: bool) -> bool:
    """Whether phi is not too steep, and does not grow too fast, for tables of such variances."""
    if max(FloatPsi(phi, v.max()).reach for v in (q, other)) > FAR + 1:
        return False
    one, two = Ends(q, 2), Ends(other, 2)
    found = crossings(phi, (one.range, two.range), reflected, 2 * TAIL * REACH)
    return _fitting_grid(phi, one, two, reflected, found) is not None


def plan(phi: PiecewiseSmooth, q: np.ndarray, other: np.ndarray, reflected: bool) -> KinkPlan:
    """For all pairs of the inputs; `PrecisionError` where `MOST` points in log q are too few."""
    count = int(np.ceil(4 + 6 * max(np.log2(v.max() / v.min()) for v in (q, other)) ** 0.7))
    while count <= MOST:
        one = Ends(q, count)
        two = one if other is q else Ends(other, count)
        found = crossings(phi, (one.range, two.range), reflected, 2 * TAIL * REACH)
        grid = _fitting_grid(phi, one, two, reflected, found) or GRIDS[-1]
        orders = [(one, two)] if two is one else [(one, two), (two, one)]
        if all(_resolves(phi, *sides, reflected, found, grid) for sides in orders):
            return KinkPlan((one, two), found, grid)
        count = int(np.ceil(1.4 * count))
    low, high = (float(f([f(q), f(other)])) for f in (np.min, np.max))
    raise PrecisionError(
        f"the tables of phi = {phi.pieces[-1]} for variances from {low:.3g} to {high:.3g} do not reach 1e-11; give "
        "inputs whose norms are more alike, or fewer at once"
    )


def _resolves(phi, one: Ends, two: Ends, reflected: bool, found: list, grid: KinkGrid) -> bool:
    """Whether N as a function of q is known from its values at the nodes of `one`, for the outermost ones of `two`."""
    if one.range[1] - one.range[0] < NARROW:
        return True
    if two is not one:
        found = crossings(phi, (one.range, two.range), reflected, 2 * TAIL * REACH)
    values = smooth_part(phi, one.nodes, two.nodes[[0, -1]], reflected, found, grid)
    return is_resolved(np.tensordot(transform(one.count), values, (1, 1)), FINEST_IN_Q)


def near_of(phi: PiecewiseSmooth, planned: KinkPlan, reflected: bool) -> Near:
    """The tables of a plan."""
    one, two = planned.ends
    values = smooth_part(phi, one.nodes, two.nodes, reflected, planned.found, planned.grid)
    return _tables(values, one, two, folded(phi, planned.found), planned.grid)


def _fitting_grid(phi, one: Ends, two: Ends, reflected: bool, found: list) -> KinkGrid | None:
    """The first that resolves C for the largest and the smallest variances."""
    for grid in GRIDS:
        corners = (_smoothed(phi, one.nodes[at], two.nodes[at], reflected, found, grid) for at in (0, -1))
        if all(grid.resolves(c) for c in corners):
            return grid
    return None


def _tables(values: np.ndarray, one: Ends, two: Ends, found: list, grid: KinkGrid) -> Near:
    features = one.features, two.features
    least = FINE * np.abs(values).max() * one.count
    parts = []
    for crossing in found:
        k = crossing.coefficients(one.nodes[:, None], two.nodes)
        size = 3 * REACH + np.abs(crossing.distance(one.nodes[:, None], two.nodes)).max()
        parts.append((crossing, *(_scaled(c, features, size, least) for c in (k, integrated(k)))))
    mean = np.tensordot(grid.mean, values, 1)
    return Near(*(factored(v, features, least) for v in (values, mean)), parts, (one, two))


def _scaled(coefficients: dict, features: tuple, largest: float, least: float) -> dict:
    """By m a list over n of products for (b/REACH)^2n; what W_m, at most some `largest`^m, makes negligible is cut."""
    found = {}
    for (m, n), value in coefficients.items():
        size = REACH ** (2 * n)
        scale = size * largest**m
        left, weights, right = np.linalg.svd(value)
        kept = int(np.sum(weights * scale > least))
        one = features[0] @ (left[:, :kept] * (weights[:kept] * size)), right[:kept] @ features[1].T
        rows = found.setdefault(m, [])
        rows += [(np.zeros((len(one[0]), 0)),) * 2] * (n + 1 - len(rows))
        rows[n] = one
    for rows in found.values():
        while rows and not rows[-1][0].shape[1]:
            rows.pop()
    return {m: rows for m, rows in found.items() if rows}


def smooth_part(phi, q: np.ndarray, other: np.ndarray, reflected: bool, found: list, grid: KinkGrid) -> np.ndarray:
    """N, shape (degrees, len(q), len(other)), at the Chebyshev points of b."""
    result = np.empty((grid.degrees, len(q), len(other)))
    lacking = [crossing.coefficients(q[:, None], other) for crossing in found]
    for i, j in np.ndindex(len(q), len(other)):
        if q is other and j < i:
            result[:, i, j] = result[:, j, i]
            continue
        c = _given(phi, q[i], other[j], reflected, grid)
        for crossing, k in zip(found, lacking, strict=True):
            c += _crossed(crossing, {at: value[i, j] for at, value in k.items()}, q[i], other[j], grid.w[: len(c)])
        result[:, i, j] = np.tensordot(grid.weights, c if len(c) == len(grid.w) else np.tile(c, (2, 1)), 2)
    return result


def _smoothed(phi, q: float, other: float, reflected: bool, found: list, grid: KinkGrid) -> np.ndarray:
    """C and what crossings take from it, on one or both sides."""
    c = _given(phi, q, other, reflected, grid)
    for crossing in found:
        c += _crossed(crossing, crossing.coefficients(np.array(q), np.array(other)), q, other, grid.w[: len(c)])
    return c


def _given(phi, q: float, other: float, reflected: bool, grid: KinkGrid) -> np.ndarray:
    """C(w) for every spread b^2: shape (2 places, SPREADS), only for w > 0 where it is even."""
    one, two = FloatPsi(phi, q), FloatPsi(phi, other, -1 if reflected else 1)
    w = grid.w[: grid.places] if parity(phi) else grid.w
    base = np.linspace(-FAR, FAR, int(np.ceil(2 * FAR / WIDE)) + 1)
    edges = [np.broadcast_to(base, (len(w), len(base)))]
    edges += [np.clip(one.marks - w[:, None], -FAR, FAR), np.clip(two.marks + w[:, None], -FAR, FAR)]
    x, wx = panels(np.sort(np.concatenate(edges, axis=1), axis=1), NODES)
    values = one(x + w[:, None], 1) * two(x - w[:, None], 1)
    values *= wx
    x *= x
    total = np.empty((len(w), SPREADS))
    for at, variance in enumerate(1.0 - spreads()):
        density = np.exp(x * (-0.5 / variance))
        total[:, at] = np.einsum("wx,wx->w", values, density) / np.sqrt(2 * np.pi * variance)
    return total


def _crossed(crossing: KinkCrossing, k: dict, q: float, other: float, w: np.ndarray) -> np.ndarray:
    """What C lacks, T (1(e > 0) - less)."""
    e = 2 * w - crossing.distance(q, other)
    crossed, found = (e > 0) - crossing.less, np.zeros((len(w), SPREADS))
    for (m, n), value in k.items():
        found += value * (e**m * crossed)[:, None] * spreads() ** n
    return found

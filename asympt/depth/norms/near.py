"""E[phi' phi'] of a phi with breakpoints for two variances where c is near 1 (or -1): a smooth part and crossings.

U = x + w, V = x - w with independent normal x, w of variances 1 - b^2 and b^2 = (1-c)/2, p = x_i/sqrt(q), d = p - p',
e = 2w - d.  Given w = bY, the mean C(w) of phi'(sqrt(q) U) phi'(sqrt(q') V) over x, continued smoothly from e < 0 lacks

    -T(e) = -int_0^e D_i(s) D_j(s - e) gamma(X - e/2 + s) ds = -sum k_mn b^(2n) e^m,      X = (p + p')/2,

D_i(s) = jump of phi' continued to x_i + sqrt(q) s, gamma the density of x; k_mn by Taylor's series of D and of
gamma(X + y) = sum_(n,t) (-b^2/2)^n/n! (-y)^t/t! He_(2n+t)(X) phi(X).  With W_m = E[e^m 1(e > 0)], z = d/2b, N smooth,

    W_0 = Phi(-z), W_1 = 2b phi(z) - d W_0, W_m = -d W_(m-1) + (m-1) (2b)^2 W_(m-2),   P = N(b) - sum k_mn b^(2n) W_m,
    E_1 - E = r [2 b^2 A(b) - sum l_mn b^(2n) W_m + (the sum at b = 0)],   A(b) = int_0^1 2s N(bs) ds   (`integrated`);

W_0 is less by 1 where the continuation starts from the other side, by 1/2 where it is the mean of both (i = j).
"""

from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from math import comb, factorial
from typing import NamedTuple

import numpy as np
import scipy  # its parts are loaded when first used: they take longer than a law
from numpy.polynomial import chebyshev, hermite_e

from asympt.depth.norms.products import FINE, Products, basis, factored, is_resolved, transform
from asympt.depth.norms.tiles import Paired, Tile
from asympt.depth.psi import FloatPsi, legendre, panels, parity_of
from asympt.errors import PrecisionError
from asympt.gaussian.piecewise import PiecewiseSmooth

ORDER = 10


@lru_cache(maxsize=64)
def jumps(phi: PiecewiseSmooth) -> tuple[np.ndarray, np.ndarray]:
    """(x_i, jumps of phi', phi'', ... there), the latter of shape (breakpoints, ORDER)."""
    found = [
        [float(right - left) for right, left in zip(*(phi.taylor(i, side, ORDER + 1) for side in (1, -1)), strict=True)]
        for i in range(len(phi.breaks))
    ]
    return np.array([float(point) for point in phi.breaks]), np.array(found).reshape(-1, ORDER + 1)[:, 1:]


@dataclass(frozen=True)
class KinkCrossing:
    """One pair of breakpoints: x_i and x_j, the jumps at them, how much less W_0 is, and how many pairs are like it."""

    here: float
    there: float
    first: np.ndarray
    second: np.ndarray
    less: float
    times: int = 1

    def distance(self, q, other):
        """d; also without cancellation where x_i = x_j."""
        one, two = np.sqrt(q), np.sqrt(other)
        if self.here == self.there:
            return self.here * (other - q) / (one * two * (one + two))
        return self.here / one - self.there / two

    def orders(self) -> list[tuple[int, int]]:
        """The (m, n) that are not 0."""
        steps = [k + 1 for k in range(ORDER) for side in (self.first, self.second) if side[k]]
        least = min((k for k in range(ORDER) if self.first[k]), default=ORDER)
        least += min((k for k in range(ORDER) if self.second[k]), default=ORDER)
        even = all(not side[1:].any() for side in (self.first, self.second))
        return [
            (m, n) for m in range(least + 1, ORDER + 1) for n in range((ORDER - m) // 2 + 1)
            if steps and not (even and m % 2 == 0)
        ]  # fmt: skip

    def coefficients(self, q: np.ndarray, other: np.ndarray) -> dict[tuple[int, int], np.ndarray]:
        """k_mn for arrays of variances."""
        one, two = np.sqrt(q), np.sqrt(other)
        middle = (self.here / one + self.there / two) / 2
        density = np.exp(-(middle**2) / 2) / np.sqrt(2 * np.pi)
        he = [density * hermite_e.hermeval(middle, [0] * n + [1]) for n in range(ORDER + 1)]
        found = {}
        for m, n in self.orders():
            total = np.zeros(np.broadcast(one, two).shape)
            for k in range(m):
                for j in range(m - k):
                    t = m - 1 - k - j
                    share = self.first[k] * self.second[j] * _weight(k, j, t)
                    if share:
                        total = total + share * one**k * two**j * he[2 * n + t]
            found[m, n] = self.times * (-0.5) ** n / factorial(n) * total
        return found


@cache
def _weight(k: int, j: int, t: int) -> float:
    """int_0^1 s^k (s-1)^j (1/2-s)^t ds/(k! j! t!): the power e^(k+j+t+1) of T, -y = e (1/2 - s)."""
    total = 0.0
    for a in range(j + 1):
        for b in range(t + 1):
            total += comb(j, a) * (-1) ** (j - a) * comb(t, b) * 0.5 ** (t - b) * (-1) ** b / (k + a + b + 1)
    return total / (factorial(k) * factorial(j) * factorial(t))


def integrated(coefficients: dict[tuple[int, int], np.ndarray]) -> dict[tuple[int, int], np.ndarray]:
    """The coefficients of int_0^b 4s (sum k_mn s^(2n) W_m) ds, up to its value at b = 0."""
    found = {}
    for (m, n), value in coefficients.items():
        while True:
            value = value / ((m + 2) * (m + 1))
            found[m + 2, n] = found.get((m + 2, n), 0.0) + value
            if n == 0:
                break
            value, m, n = -n / 2 * value, m + 2, n - 1
    return found


def crossings(phi: PiecewiseSmooth, ranges: tuple, reflected: bool, farthest: float) -> list[KinkCrossing]:
    """The pairs of breakpoints whose lines come within `farthest` for some variances of the two ranges of log2 q.

    Two at 0 meet for all variances alike and are left out.
    """
    points, heights = jumps(phi)
    there, second = points, heights
    if reflected:
        there, second = -points, -heights * (-1.0) ** np.arange(ORDER)
    centre = [2.0 ** (-sum(ends) / 4) for ends in ranges]
    found = []
    for i, here in enumerate(points):
        for j, place in enumerate(there):
            ends = [here * 2.0 ** (-one / 2) - place * 2.0 ** (-two / 2) for one in ranges[0] for two in ranges[1]]
            closest = 0.0 if min(ends) <= 0 <= max(ends) else min(map(abs, ends))
            d = here * centre[0] - place * centre[1]
            if closest < farthest and (here or place):
                less = 0.0 if d > 1e-12 else 1.0 if d < -1e-12 else 0.5
                found.append(KinkCrossing(here, place, heights[i], second[j], less))
    return found


def folded(phi: PiecewiseSmooth, found: list[KinkCrossing]) -> list[KinkCrossing]:
    """Half of them, twice each, for an odd or even phi: the mean over w is that over -w."""
    return [replace(c, times=2) for c in found if (c.here, c.there) > (0.0, 0.0)] if parity(phi) else found


@lru_cache(maxsize=64)
def parity(phi: PiecewiseSmooth) -> int:
    """s = 1 where phi'(-x) = phi'(x), -1 where it is -phi'(x) (phi odd or even, up to a constant), else 0.

    The mean C(w) of `near` is then even in w, and near c = -1 it is s times that near c = 1.
    """
    return parity_of(phi.derivative(1).vectorised)


def moments(b: np.ndarray, d: np.ndarray, less: float, highest: int) -> list[np.ndarray]:
    """W_0, W_1, ..., W_highest."""
    width = 2.0 * b
    with np.errstate(divide="ignore", invalid="ignore"):
        z = d / width
    z[np.isnan(z)] = 0.0
    found = [scipy.special.ndtr(-z) - less, width * (np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi))]
    found[1] = found[1] - d * found[0]
    width *= width
    for m in range(2, highest + 1):
        step = ((m - 1) * width) * found[m - 2]
        step -= d * found[m - 1]
        found.append(step)
    return found


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
        return tuple(np.log2([self.q.min(), self.q.max()]))

    @cached_property
    def nodes(self) -> np.ndarray:
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

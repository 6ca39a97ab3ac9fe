"""E[phi phi] of any smooth phi for two variances, for a tile of pairs: a few matrix products of small rank.

With b_k the Hermite coefficients of phi' (`cells`), B_k = b_k b_k', r = sqrt(q q'), g = 1 - c, x = c^2,

    dE/dc = r [P_0(x) + c P_1(x)],                   P_0 = sum B_k x^(k/2),   P_1 = sum B_k x^((k-1)/2),
    E_1 - E = r [g Q + c (1 - x) N_0(x) + (1 - x) N_1(x)],      Q = sum_(k even) B_k/(k+1),
    N = sum_m x^m sum_(j > m) B_k/(k+1),             j = k/2 (k even, N_0) or (k+1)/2 (k odd, N_1):

analytic in (s, log q, log q'), s = sqrt(1 - x); each Chebyshev coefficient in s is of small rank in (q, q').  With
D the divided difference of phi(e^(u/2) Z) in u = log q, what different variances alone take is, G and R analytic,

    spread = (u - u')^2/2 [E[D^2] - E[D (phi + phi')]^2/(sqrt E + sqrt E')^2] = (q - q')^2/(q + q')^2 G(u, u'),
    sqrt E - sqrt E' = (u - u') E[D (phi + phi')]/(sqrt E + sqrt E')          = (q - q')/(q + q') R(u, u');

of unlike variances spread is sqrt(E E')/2 E[(phi/sqrt E - phi'/sqrt E')^2], without cancellation.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.polynomial import chebyshev

from asympt.depth.moving import MOST, SMALLEST, cells
from asympt.depth.norms.tiles import Paired, Sides, Tile, apart
from asympt.depth.psi import FloatPsi, legendre, line, numpy_derivative, panels
from asympt.gaussian.piecewise import PiecewiseSmooth
from asympt.meanfield.activations import activation

# ---- what different variances take -----------------------------------------------------------------------------------

POINTS = (12, 18, 26, 36)
MOST_POINTS = 100  # of a range
NEGLIGIBLE = 1e-15
RESOLVED = 2e-12  # last coefficients, of the largest
WIDEST = 24.0  # octaves
EDGE = 10.0  # standard deviations
UNLIKE = 1.0  # log q - log q'


def basis(q: np.ndarray, low: float, high: float, count: int) -> np.ndarray:
    """Chebyshev polynomials at log2 q."""
    half = max(high - low, 1e-300) / 2
    return chebyshev.chebvander(np.clip((np.log2(q) - (low + high) / 2) / half, -1.0, 1.0), count - 1)


def sampled(
    function: Callable[[np.ndarray], np.ndarray], q: np.ndarray, fine: float = RESOLVED
) -> tuple[np.ndarray, float, float]:
    """(`function` at Chebyshev points of the range of log2 q, its ends): as many points as it needs.

    The points are the first axis of what `function` gives.
    """
    low, high = np.log2([q.min(), q.max()])
    count = int(np.ceil(5 + 7 * (high - low) ** 0.7))
    while True:
        values = function(2.0 ** ((low + high) / 2 + (high - low) / 2 * chebyshev.chebpts1(count)))
        if is_resolved(np.tensordot(transform(count), values, 1), fine) or count >= MOST_POINTS:
            return values, low, high
        count = int(np.ceil(1.4 * count))


def is_resolved(coefficients: np.ndarray, fine: float = RESOLVED) -> bool:
    """Whether the last ones along the first axis are rounding errors."""
    return np.abs(coefficients[-2:]).max() <= fine * np.abs(coefficients).max()


def transform(count: int) -> np.ndarray:
    """The matrix from values at Chebyshev points to coefficients; angles are reduced as integers, hence exact zeros."""
    degree, point = np.arange(count)[:, None], np.arange(count)
    turns = (degree * (2 * point + 1 + 2 * count)) % (4 * count)  # T_n(x_j) = cos(n (pi - pi (2j + 1)/(2 count)))
    matrix = 2 / count * np.cos(np.pi * turns / (2 * count))
    matrix[0] /= 2
    return matrix


def factors(values: np.ndarray, features: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows and columns whose product is a function of (q, q'), from values at two sets of Chebyshev points.

    `features` lead from Chebyshev polynomials to inputs; what is below `NEGLIGIBLE` of the largest is left out.
    """
    matrix = transform(len(values))
    left, weights, right = np.linalg.svd(matrix @ values @ matrix.T)
    kept = max(1, int(np.sum(weights > NEGLIGIBLE * max(weights[0], 1e-300))))
    return features @ (left[:, :kept] * weights[:kept]), right[:kept] @ features.T


@dataclass
class SpreadTable:
    """G and R for one phi, by pairs of octaves."""

    phi: PiecewiseSmooth
    known: dict = field(default_factory=dict)

    def __call__(self, q: np.ndarray) -> np.ndarray:
        """(G, R) at all pairs of some variances."""
        logs = np.log2(q)
        octave = np.floor(logs).astype(int)
        bases = chebyshev.chebvander(2 * (logs - octave) - 1, POINTS[-1] - 1)
        result = np.empty((2, len(q), len(q)))
        for one in np.unique(octave):
            for two in np.unique(octave):
                rows, columns = np.flatnonzero(octave == one), np.flatnonzero(octave == two)
                table = self._octaves(one, two)
                left, right = (bases[places, : table.shape[-1]] for places in (rows, columns))
                result[:, rows[:, None], columns] = left @ table @ right.T
        return result

    def _octaves(self, one: int, two: int) -> np.ndarray:
        if (one, two) not in self.known:
            for count in POINTS:
                nodes, matrix = (1 + chebyshev.chebpts1(count)) / 2, transform(count)
                table = matrix @ _ratios(self.phi, 2.0 ** (one + nodes), 2.0 ** (two + nodes)) @ matrix.T
                if all(is_resolved(part, 2e-13) and is_resolved(part.T, 2e-13) for part in table):
                    break
            self.known[one, two], self.known[two, one] = table, table.transpose(0, 2, 1)
        return self.known[one, two]


spread_table = lru_cache(maxsize=64)(SpreadTable)


def _ratios(phi: PiecewiseSmooth, one: np.ndarray, two: np.ndarray) -> np.ndarray:
    """(G, R) at all pairs, for smooth phi: one rule for all of them."""
    every = [FloatPsi(phi, q) for q in (one.min(), one.max(), two.min(), two.max())]
    return _by_rule(phi, one, two, max(1.0, *(psi.steepness for psi in every)), *line(*every))


def _by_rule(phi: PiecewiseSmooth, one, two: np.ndarray, steep: float, x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """(G, R) at all pairs, by one rule; no breakpoint lies between sqrt(q) x and sqrt(q') x, or D is a difference
    quotient there."""
    value, slope = numpy_derivative(phi, 0), numpy_derivative(phi, 1)
    breaks, result = np.array([float(point) for point in phi.breaks]), np.empty((2, len(one), len(two)))
    places = np.sqrt(two)[:, None] * x
    second, sides = value(places), np.searchsorted(breaks, places)
    others = np.sqrt(second**2 @ w)
    for i, q in enumerate(one):
        first, apart = value(np.sqrt(q) * x), np.log(q / two)
        root, near, safe = np.sqrt(first**2 @ w), np.abs(apart) * steep < 1, np.where(apart == 0, 1.0, apart)
        divided, within = (first - second) / safe[:, None], np.searchsorted(breaks, np.sqrt(q) * x) == sides[near]
        divided[near] = np.where(within, _mean_slope(slope, x, q, apart[near]), divided[near])
        crossed = (divided * (first + second)) @ w / (root + others)
        unit = np.where(apart == 0, 2.0, safe / np.tanh(safe / 2))  # (u - u') (q + q')/(q - q')
        result[:, i] = unit**2 / 2 * (divided**2 @ w - crossed**2), unit * crossed
        far = np.abs(apart) > UNLIKE
        turned = (first / root - second[far] / others[far, None]) ** 2 @ w
        result[0, i, far] = root * others[far] * turned / (2 * np.tanh(apart[far] / 2) ** 2)
    return result


def _mean_slope(derivative: Callable, x: np.ndarray, q: float, apart: np.ndarray) -> np.ndarray:
    """The means of d phi(e^(u/2) x)/du between log q - `apart` and log q."""
    node, weight = legendre(8)
    total = np.zeros((len(apart), len(x)))
    for s, share in zip((1 + node) / 2, weight / 2, strict=True):
        here = np.sqrt(q * np.exp(-s * apart))[:, None] * x
        total += share / 2 * here * derivative(here)
    return total


# ---- with breakpoints -----------------------------------------------------------------------------------------


def kinked_ratios(phi: PiecewiseSmooth, one: np.ndarray, two: np.ndarray) -> np.ndarray:
    """(G, R) at all pairs, for a phi with breakpoints: panels end where sqrt(q) x or sqrt(q') x meets one."""
    result = np.empty((2, len(one), len(two)))
    for i, j in np.ndindex(len(one), len(two)):
        if one is two and j < i:
            result[:, i, j] = result[:, j, i]
        else:
            result[:, i, j] = _kinked_ratio(phi, one[i], two[j])
    return result


def _kinked_ratio(phi: PiecewiseSmooth, q: float, other: float) -> np.ndarray:
    psi = FloatPsi(phi, q), FloatPsi(phi, other)
    x, w = panels(np.unique(np.concatenate([*(part.marks for part in psi), np.linspace(-EDGE, EDGE, 14)])))
    w = w * np.exp(-x * x / 2) / np.sqrt(2 * np.pi)
    return _by_rule(phi, [q], np.array([other]), max(1.0, *(part.steepness for part in psi)), x, w)[:, 0, 0]


# ---- a smooth phi ----------------------------------------------------------------------------------------------------

DEGREES = 48
NARROWEST = 0.9  # the range of s begins there at the latest
FINE = 4e-15  # of the largest value: rounding of the series
ABSENT = 1e-13  # Hermite coefficients of a part that phi does not have, of the largest


class Fall(NamedTuple):
    """E_1 - E, E_1 the value at c = 1, and dE/dc."""

    drop: np.ndarray
    slope: np.ndarray


class Products(NamedTuple):
    """A function of (s, q, q'): for every degree in s rows (N, rank) and columns (rank, N)."""

    parts: list[tuple[np.ndarray, np.ndarray]]

    def at(self, where: Tile | Paired, place: np.ndarray) -> np.ndarray:
        """At the pairs of inputs `where`, place = s brought to [-1, 1]."""
        before, here = np.zeros_like(place), np.zeros_like(place)
        double, spare = 2.0 * place, np.empty_like(place)
        for left, right in self.parts[:0:-1]:
            np.multiply(double, here, out=spare)
            spare -= before
            if left.shape[1]:
                spare += where.product(left, right)
            before, here, spare = here, spare, before
        here *= place
        here -= before
        here += where.product(*self.parts[0])
        return here


class Part(NamedTuple):
    """The odd or the even part of phi: P, and N or V; `whole`: Q of the odd one."""

    slope: Products
    value: Products
    whole: Products | None = None


@dataclass(frozen=True)
class Parts:
    """The odd part and the even part of phi, None where phi has none, for all inputs of a layer, s >= `least`."""

    least: float
    odd: Part | None
    even: Part | None

    def place(self, square: np.ndarray) -> np.ndarray:
        """s in [least, 1] brought to [-1, 1], from its square."""
        place = np.sqrt(square)
        place -= self.least
        place *= 2.0 / (1.0 - self.least)
        place -= 1.0
        return place

    def at(self, where: Tile | Paired, place: np.ndarray, c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(c value + value, slope + c slope) of the odd and the even part at pairs of inputs."""
        value, slope = np.zeros_like(c), np.zeros_like(c)
        if self.odd is not None:
            value += self.odd.value.at(where, place)
            value *= c
            slope += self.odd.slope.at(where, place)
        if self.even is not None:
            value += self.even.value.at(where, place)
            slope += c * self.even.slope.at(where, place)
        return value, slope


class Tensor(Parts):
    """P, N and Q of all inputs."""

    @classmethod
    def of(cls, phi: PiecewiseSmooth, q: np.ndarray, most: float = 1.0) -> "Tensor":
        """From the series at a few variances, for |c| <= `most`."""
        least = min(NARROWEST, np.sqrt((1.0 - most) * (1.0 + most)))
        b, low, high = sampled(lambda points: cells(phi)(points)[:, 3:], q)
        features = basis(q, low, high, len(b)) @ transform(len(b))
        return cls(least, *(_part(b, parity, features, least) for parity in (0, 1)))

    def fall(self, where: Tile | Paired, gap: np.ndarray, rest: np.ndarray) -> Fall:
        """(E_1 - E, dE/dc)/r at pairs of inputs."""
        far = rest * gap  # 1 - x
        place = self.place(far)
        drop, slope = self.at(where, place, 1.0 - gap)
        drop *= far
        if self.odd is not None:
            drop += gap * self.odd.whole.at(where, place)
        return Fall(drop, slope)


def _part(b: np.ndarray, parity: int, features: np.ndarray, low: float) -> Part | None:
    """P, N and Q of one part from the coefficients at the variances of the points."""
    some, count = b[:, parity::2], len(b)
    if np.abs(some).max() <= ABSENT * np.abs(b).max():
        return None
    kept = np.flatnonzero(np.abs(some).max(axis=0) > 1e-18 * np.abs(some).max())[-1] + 1
    some = some[:, :kept]
    products = (some[:, None, :] * some[None, :, :]).reshape(count * count, -1)
    shares = products / (2 * np.arange(kept) + 1 + parity)
    tails = np.cumsum(shares[:, ::-1], axis=1)[:, ::-1]
    later = tails if parity else np.concatenate([tails[:, 1:], np.zeros((len(tails), 1))], axis=1)
    s = low + (1 - low) * (1 + chebyshev.chebpts1(DEGREES)) / 2
    powers = ((1 - s) * (1 + s))[:, None] ** np.arange(kept)
    least = FINE * count * np.abs(b).max() ** 2
    slope, rest = (factored(powers @ values.T, (features, features), least) for values in (products, later))
    whole = None
    if not parity:
        whole = factored(np.repeat(tails[None, :, 0], DEGREES, axis=0), (features, features), least)
    return Part(slope, rest, whole)


def factored(values: np.ndarray, features: tuple[np.ndarray, np.ndarray], least: float) -> Products:
    """From values (points, q, q') degree by degree, what is above `least`; `features` lead from points to inputs."""
    one, two = features
    coefficients = (transform(len(values)) @ values.reshape(len(values), -1)).reshape(-1, one.shape[1], two.shape[1])
    left, weights, right = np.linalg.svd(coefficients, full_matrices=False)
    ranks = np.sum(weights > least, axis=1)
    degrees = max(2, 1 + int(np.flatnonzero(ranks)[-1])) if ranks.any() else 2
    return Products([
        (one @ (left[n][:, : ranks[n]] * weights[n][: ranks[n]]), right[n][: ranks[n]] @ two.T) for n in range(degrees)
    ])  # fmt: skip


# ---- closed forms ----------------------------------------------------------------------------------------------------

PLAIN = 1e-2


class Closed(NamedTuple):
    """Functions of (q, q', gap), the variances broadcast against the gaps: `fall` (of 2 - gap as well), and `value`
    (E, dE/dc), both divided by s s', s = `root`(q).
    """

    fall: Callable[..., Fall]
    value: Callable[..., tuple[np.ndarray, np.ndarray]]
    root: Callable[[np.ndarray], np.ndarray]


@lru_cache(maxsize=64)
def closed_form(phi: PiecewiseSmooth) -> Closed | None:
    """The functions of phi, if it is one of those here.

    With g = 1 - c, P = p p', y = P c, r_0^2 = 1 - P^2, r_1^2 = r_0^2 + P^2 g (2 - g), without cancellation,

        asin P - asin y = atan2(P^2 g (2 - g)/(P r_1 + y r_0), r_0 r_1 + P y)   (numerator P r_1 - y r_0 where c < 0)
        erf    p^2 = 2q/(1 + 2q), s^2 = 2/pi:   E/(s s') = asin y                                       (Williams 1997)
        GELU   p^2 = q/(1 + q), s^2 = q/(2 pi), m = 1/((1 + q)(1 + q')), d = P^2 g (2 - g)/(r_0 + r_1):
               E/(s s')         = c (pi/2 + asin y + m y/r_1) + P r_1
               (E_1 - E)/(s s') = P [d (m/(r_0 r_1) - 1) + g (2 - g) m/r_1] + g (pi/2 + asin y) + asin P - asin y
    """
    known = {
        "erf": Closed(erf_fall, erf_value, lambda q: np.full_like(q, np.sqrt(2 / np.pi))),
        "gelu": Closed(gelu_fall, gelu_value, lambda q: np.sqrt(q / (2 * np.pi))),
    }
    return next((form for name, form in known.items() if activation(name).piecewise.pieces == phi.pieces), None)


class _Angles(NamedTuple):
    """P, y, g (2 - g), P^2 g (2 - g), r_0, r_1, asin P - asin y."""

    top: np.ndarray
    here: np.ndarray
    wide: np.ndarray
    apart: np.ndarray
    first: np.ndarray
    second: np.ndarray
    turned: np.ndarray


def _angles(p: np.ndarray, other: np.ndarray, first: np.ndarray, gap: np.ndarray, rest: np.ndarray) -> _Angles:
    """From the p of both inputs, r_0, g and 2 - g."""
    top = p * other
    here = 1.0 - gap
    here *= top
    wide = rest * gap
    apart = wide * top
    apart *= top
    second = first * first
    second += apart
    np.sqrt(second, out=second)
    total = np.abs(here)
    total *= first
    total += top * second
    sine = apart / total
    if gap.max() >= 1:
        np.copyto(sine, total, where=gap >= 1)
    cosine = first * second
    cosine += top * here
    return _Angles(top, here, wide, apart, first, second, np.arctan2(sine, cosine))


def _reciprocal_roots(q: np.ndarray, factor: float) -> np.ndarray:
    return 1 / np.sqrt(1 + factor * q)


# ---- erf ------------------------------------------------------------------------------------------------------


def erf_fall(q: np.ndarray, other: np.ndarray, gap: np.ndarray, rest: np.ndarray) -> Fall:
    """(E_1 - E)/(s s') = asin P - asin y."""
    p, p_other = (np.sqrt(2 * v / (1 + 2 * v)) for v in (q, other))
    first = (0.5 + 2 * q) + (0.5 + 2 * other)
    np.sqrt(first, out=first)
    first *= _reciprocal_roots(q, 2.0)
    first *= _reciprocal_roots(other, 2.0)
    found = _angles(p, p_other, first, gap, rest)
    return Fall(found.turned, found.top / found.second)


def erf_value(q: np.ndarray, other: np.ndarray, gap: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(E, dE/dc)/(s s') as they are."""
    slope = np.sqrt(2 * q / (1 + 2 * q)) * np.sqrt(2 * other / (1 + 2 * other))
    here = 1.0 - gap
    here *= slope
    rest = here * here
    np.subtract(1.0, rest, out=rest)
    np.sqrt(rest, out=rest)
    slope /= rest
    return np.arcsin(here, out=here), slope


# ---- GELU -----------------------------------------------------------------------------------------------------


def gelu_fall(q: np.ndarray, other: np.ndarray, gap: np.ndarray, rest: np.ndarray) -> Fall:
    """(E_1 - E, dE/dc)/(s s'), term by term."""
    p, p_other = (np.sqrt(v / (1 + v)) for v in (q, other))
    root_m = _reciprocal_roots(q, 1.0) * _reciprocal_roots(other, 1.0)
    first = (0.5 + q) + (0.5 + other)
    np.sqrt(first, out=first)
    first *= root_m
    top, here, wide, apart, first, second, turned = _angles(p, p_other, first, gap, rest)
    m, angle = root_m * root_m, np.arcsin(here)
    angle += np.pi / 2
    drop = apart / (first + second)
    drop *= m / (first * second) - 1.0
    wide *= m
    wide /= second
    drop += wide
    drop *= top
    turned += gap * angle
    drop += turned
    here /= second
    return Fall(drop, _gelu_slope(q, other, here, here * m, angle))


def gelu_value(q: np.ndarray, other: np.ndarray, gap: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(E, dE/dc)/(s s') as they are: c (pi/2 + asin y + m y/r_1) + P r_1."""
    top = np.sqrt(q / (1 + q)) * np.sqrt(other / (1 + other))
    c = 1.0 - gap
    angle = c * top
    second = angle * angle
    np.subtract(1.0, second, out=second)
    np.sqrt(second, out=second)
    ratio = angle / second
    np.arcsin(angle, out=angle)
    angle += np.pi / 2
    tilted = 1 / (1 + q) * (1 / (1 + other))
    tilted *= ratio
    slope = _gelu_slope(q, other, ratio, tilted, angle)
    angle += tilted
    angle *= c
    top *= second
    angle += top
    return angle, slope


def _gelu_slope(q, other, ratio: np.ndarray, tilted: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """dE/dc/(s s') = angle + m (y/r_1) (3 + q + q' + (y/r_1)^2); `angle` is pi/2 + asin y, `ratio` y/r_1, overwritten,
    `tilted` m y/r_1.
    """
    ratio *= ratio
    ratio += 3.0 + q
    ratio += other
    ratio *= tilted
    ratio += angle
    return ratio


# ---- one layer -------------------------------------------------------------------------------------------------------


def is_tabled(phi: PiecewiseSmooth, q: np.ndarray) -> bool:
    """Whether layers of inputs with these variances have such tables."""
    if phi.breaks or q.min() < SMALLEST or np.log2(q.max() / q.min()) > WIDEST:
        return False
    return closed_form(phi) is not None or cells(phi).count(int(np.floor(np.log2(q.max())))) <= MOST


@dataclass(frozen=True)
class SmoothSides(Sides):
    """The inputs, rows and columns alike; `most` is the largest |c| of their pairs."""

    most: float = 1.0

    @cached_property
    def apart(self) -> tuple[np.ndarray, np.ndarray]:
        """What different variances take from 1 - c', over (q - q')^2/(q + q')^2."""
        table = spread_table(self.layer.phi)
        values, *ends = sampled(lambda points: apart(self.layer, points, points, table(points)), self.q, 1e-13)
        return factors(values, basis(self.q, *ends, len(values)))

    @cached_property
    def tensor(self) -> Tensor:
        return Tensor.of(self.layer.phi, self.q, self.most)

    @cached_property
    def roots(self) -> tuple[np.ndarray, np.ndarray]:
        """s/sqrt(W) of a closed form, sigma_w^2 in the first."""
        one = closed_form(self.layer.phi).root(self.q) * self.norms[0]
        return self.layer.weight * one, one

    def image(self, where: Tile | Paired, gap: np.ndarray, rest: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        form, q, other = closed_form(self.layer.phi), where.first(self.q), where.second(self.q)
        if form is None:
            unit = self.tilted(where, self.layer.weight)
            return self.fallen(where, self.apart, *self.tensor.fall(where, gap, rest), unit, gap)
        unit = where.first(self.roots[0]) * where.second(self.roots[1])
        if gap.min() > PLAIN and rest.min() > PLAIN:
            return self.plain(where, *form.value(q, other, gap), unit, gap)
        return self.fallen(where, self.apart, *form.fall(q, other, gap, rest), unit, gap)

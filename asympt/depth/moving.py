"""Layers in which the two inputs have variances of their own, q and q', for any activation.

With V the variance map, r = sqrt(q q'), R = sqrt(V(q) V(q')), and P(c) = E[phi'(sqrt(q) U) phi'(sqrt(q') V)],

    1 - c' = S + sigma_w^2 (r/R) int_0^gamma P(1 - s) ds,        k' = sigma_w^2 (r/R) P(c) k + c',
    2 S = sigma_w^2 E[(phi(sqrt(q) Z)/sqrt(V) - phi(sqrt(q') Z)/sqrt(V'))^2] + sigma_b^2 (1/sqrt(V) - 1/sqrt(V'))^2

with V = V(q), V' = V(q'): a distance of two unit vectors, which has all digits for alike and for unlike norms.
Elsewhere beta_l sigma_w^2 and beta_l sigma_b^2 take the places of sigma_w^2, sigma_b^2, a skip adds gamma r to the
integral and (sqrt(q/V) - sqrt(q'/V'))^2/2 to S, and c' in k' is (lambda_b + lambda_W E[phi phi])/R, with E[phi phi]
from 1 - c'.  Smooth phi: P = sum_k B_k c^k with B_k = b_k b_k' (`cells`) and int_0^gamma P = gamma sum_m c^m
sum_{k>=m} B_k/(k+1) by Horner's rule; with breakpoints, or a phi too steep, a quadrature over the plane, 2 to 20 ms a
pair and layer, gaps then known to 1e-15 only.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.polynomial import chebyshev

from asympt.depth.psi import FloatPsi, line, points_along, require_resolvable
from asympt.errors import UnsupportedError
from asympt.gaussian.piecewise import PiecewiseSmooth

POINTS = 24
SMALLEST = 1e-60
STEP = 0.02  # of the trapezoidal rule
MODERATE = 8.0  # steepness up to which it has all digits of second moments
AGREED = 1e-13  # what a series may lack of E[phi'^2] and q E[phi''^2], which panels that fit phi give
BEYOND = 5.0  # Hermite polynomials shift the weight outwards by this
MOST = 8000
NEGLIGIBLE = 1e-18


class Cells:
    """Values at any variances: columns E[phi^2], E[phi'^2], then a_0 = E[phi], b_0, b_1, ... for smooth phi,

        b_k(q) = E[phi'(sqrt(q) Z) He_k(Z)]/sqrt(k!),     E[phi'(sqrt(q) U) phi'(sqrt(q') V)] = sum_k b_k b'_k c^k,

    by the trapezoidal rule until k b_k^2 is negligible.  All are analytic in log q, also with breakpoints: every octave
    that occurs gets one Chebyshev interpolation.  Variances below 1e-60 count as 1e-60.
    """

    def __init__(self, phi: PiecewiseSmooth):
        self.phi, self._known, self._counts = phi, {}, {}

    @cached_property
    def smooth(self) -> bool:
        return not self.phi.breaks

    def moments(self, variances: np.ndarray) -> np.ndarray:
        """The first two columns; the last few are kept, for a layer is asked for its own several times."""
        return _moments_of(self, np.asarray(variances, dtype=float).tobytes()).copy()

    def __call__(self, variances: np.ndarray) -> np.ndarray:
        """Shape (len(variances), columns)."""
        return self._at(variances, self._row)

    def _at(self, variances: np.ndarray, row: Callable) -> np.ndarray:
        logs = np.log2(np.maximum(variances, SMALLEST))
        octave = np.floor(logs).astype(int)
        fits = {at: self._cell(at, row) for at in np.unique(octave)}
        result = np.zeros((len(logs), max(fit.shape[1] for fit in fits.values())))
        for at, fit in fits.items():
            chosen = octave == at
            basis = chebyshev.chebvander(2 * (logs[chosen] - at) - 1, POINTS - 1)
            with np.errstate(over="ignore", invalid="ignore"):  # as in `_cell`
                result[chosen, : fit.shape[1]] = basis @ fit
        return result

    def _cell(self, at: int, row: Callable) -> np.ndarray:
        if (at, row.__name__) not in self._known:
            nodes = chebyshev.chebpts1(POINTS)
            with np.errstate(over="ignore", invalid="ignore"):  # whoever reads the values sees what is not finite
                rows = np.array([row(2.0 ** (at + (1 + z) / 2), at) for z in nodes])
                transform = 2 / POINTS * chebyshev.chebvander(nodes, POINTS - 1).T
                transform[0] /= 2
                self._known[at, row.__name__] = transform @ rows
        return self._known[at, row.__name__]

    def _row(self, variance: float, at: int) -> np.ndarray:
        psi = FloatPsi(self.phi, variance)
        if self.smooth and self.count(at) <= MOST:
            x, w = trapezoid(psi)
            first = [np.sum(w * psi(x, n) ** 2) for n in (0, 1)]
            return np.array([*first, np.sum(w * psi(x)), *hermite(psi, self.count(at))])
        return np.concatenate([self._moments(variance, at), np.zeros(2 + MOST if self.smooth else 0)])

    def _moments(self, variance: float, at: int) -> np.ndarray:
        psi = FloatPsi(self.phi, variance)
        x, w = trapezoid(psi) if self.smooth and psi.steepness < MODERATE else line(psi)
        return np.array([np.sum(w * psi(x, n) ** 2) for n in (0, 1)])

    def count(self, at: int) -> int:
        """How many b_k count in an octave; MOST + 1 when the series is too long."""
        if at not in self._counts:
            self._counts[at] = self.terms(2.0 ** (at + 1))
        return self._counts[at]

    def terms(self, variance: float) -> int:
        """How many b_k count at this variance; MOST + 1 when the series is too long.

        Small coefficients prove nothing: the rule may not see a phi that bends sharply.  All of them are enough where
        sum b_k^2 and sum k b_k^2 are E[phi'^2] and q E[phi''^2].
        """
        psi, count = FloatPsi(self.phi, variance), 32
        while count <= MOST:
            squares = hermite(psi, count) ** 2
            if np.max(np.arange(count - 8, count) * squares[-8:]) < NEGLIGIBLE * np.sum(squares):
                return count if _are_all(psi, squares) else MOST + 1
            count = count * 3 // 2
        return MOST + 1


cells = lru_cache(maxsize=64)(Cells)


@lru_cache(maxsize=32)
def _moments_of(found: Cells, variances: bytes) -> np.ndarray:
    """By the bytes of the variances; whoever changes the array takes a copy."""
    return found._at(np.frombuffer(variances), found._moments)


def _are_all(psi: FloatPsi, squares: np.ndarray) -> bool:
    """Whether nothing is missing in the squares of the coefficients, not even at c = 1."""
    x, w = line(psi)
    whole = [np.sum(w * psi(x, 1) ** 2), psi.variance * np.sum(w * psi(x, 2) ** 2)]
    found = [np.sum(squares), np.sum(np.arange(len(squares)) * squares)]
    return all(abs(a - b) <= AGREED * max(whole) for a, b in zip(found, whole, strict=True))


def series_of(psi: FloatPsi) -> np.ndarray | None:
    """b_k^2 for smooth phi; None for phi with breakpoints, or so steep that the series is too long."""
    if psi.phi.breaks:
        return None
    terms = cells(psi.phi).terms(psi.variance)
    return None if terms > MOST else hermite(psi, terms) ** 2


def trapezoid(psi: FloatPsi) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of a normal variable, equally spaced."""
    far = psi.reach + BEYOND
    x = STEP * np.arange(-np.ceil(far / STEP), np.ceil(far / STEP) + 1)
    return x, STEP * np.exp(-x * x / 2) / np.sqrt(2 * np.pi)


def hermite(psi: FloatPsi, count: int) -> np.ndarray:
    """b_0, ..., b_(count-1) of phi' at x -> sqrt(q) x, for smooth phi."""
    x, w = trapezoid(psi)
    weighted = w * psi(x, 1)
    return np.array([np.sum(weighted * row) for row in hermite_rows(x, np.ones_like(x), count)])


def hermite_rows(x: np.ndarray, first: np.ndarray, count: int) -> Iterator[np.ndarray]:
    """he_k(x) times `first`, k < count, the orthonormal Hermite polynomials."""
    before, here = np.zeros_like(x), first
    for k in range(count):
        yield here
        before, here = here, (x * here - np.sqrt(k) * before) / np.sqrt(k + 1)


CHUNK = 8192
CLOSE = 0.5  # gaps below which a quadrature takes differences of phi


class Added(NamedTuple):
    """What an architecture other than the plain one adds to a layer: the skip connection, lambda_W and lambda_b."""

    skip: float
    weight_rate: float
    bias_rate: float


@dataclass(frozen=True)
class Moving:
    """One layer of any activation: phi, beta_l sigma_w^2, beta_l sigma_b^2; `added` is None for a plain network."""

    phi: PiecewiseSmooth
    weight: float
    bias: float
    added: Added | None = None

    def variances(self, q: np.ndarray, series: bool = False) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(V(q), the factor of K(x, x), the columns of `cells`, those of the series only if asked for)."""
        columns, silent = cells(self.phi)(q) if series else cells(self.phi).moments(q), q < SMALLEST
        columns[silent, 0] = self.phi.vectorised(np.zeros(1))[0] ** 2
        with np.errstate(over="ignore", invalid="ignore"):  # `require_finite` sees it
            after, factor = self.bias + self.weight * columns[:, 0], self.weight * columns[:, 1]
            if self.added is not None:
                after, factor = self.added.skip * q + after, self.added.skip + factor
        return after, factor, columns

    def with_source(self, pairs: "Pairs", q: np.ndarray, progress: Callable[[int], None]) -> tuple[np.ndarray, ...]:
        """Move the pairs through a layer: the new variances, the factor of K(x, x), and what the layer adds to that."""
        after, factor, columns = self.variances(q, series=pairs.gap.size > 0)
        for start in range(0, pairs.gap.size, CHUNK):
            with np.errstate(over="ignore", invalid="ignore"):  # `require_finite` sees it
                self._move(pairs, slice(start, start + CHUNK), q, after, columns)
            progress(len(pairs.gap[start : start + CHUNK]))
        pairs.rest = None
        if self.added is None:
            return after, factor, after
        with np.errstate(over="ignore"):
            return after, factor, self.added.bias_rate + self.added.weight_rate * columns[:, 0]

    def _move(self, pairs: "Pairs", part: slice, q, after, columns) -> None:
        i, j = pairs.first[part], pairs.second[part]
        before, _, rest = pairs.part(part)
        over = 1 / np.sqrt(np.where(after == 0, 1.0, after))
        apart, mean, slope = self._chunk(q, columns, over, i, j, before, 2.0 - before if rest is None else rest)
        one, two = np.sqrt(q[i]) * over[i], np.sqrt(q[j]) * over[j]
        ratio, skip = one * two, 0.0 if self.added is None else self.added.skip
        spread = self.weight * apart + self.bias * (over[i] - over[j]) ** 2 + skip * (one - two) ** 2
        moved, kept = ratio * (self.weight * mean + skip * before), ratio * (self.weight * slope + skip)
        gap = np.clip(spread / 2 + moved, 0.0, 2.0)
        gap[(after[i] == 0) | (after[j] == 0)] = 1.0  # an input of zeros without bias has no angle
        source = 1.0 - gap
        if self.added is not None:
            share = self.added.weight_rate / self.weight
            learnt = self.added.bias_rate - share * self.bias
            source = share * (source - skip * ratio * (1.0 - before)) + learnt * over[i] * over[j]
        pairs.kernel[part] = kept * pairs.kernel[part] + source
        pairs.gap[part] = gap

    def _chunk(self, q, columns, over, i, j, gap, rest):
        """(E[(phi - phi)^2] at c = 1 of phi times `over` of its input, int_0^gamma P, P)."""
        if self.phi.breaks or columns.shape[1] > MOST + 3:
            safe = np.maximum(q, SMALLEST)
            values = [by_quadrature(self.phi, safe[m], safe[n], *g, (over[m], over[n]))
                      for m, n, *g in zip(i, j, gap, rest, strict=True)]  # fmt: skip
            return np.array(values).reshape(-1, 3).T
        return by_series(np.ascontiguousarray(columns[:, 2:].T), np.sqrt(q), over, i, j, gap)


@dataclass
class Pairs:
    """Gaps and normalised NTK of the pairs (first[n], second[n]) of inputs; 2 - gap where more is known, in layer 1."""

    first: np.ndarray
    second: np.ndarray
    gap: np.ndarray
    kernel: np.ndarray
    rest: np.ndarray | None = None

    def part(self, places) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """Gap, NTK and 2 - gap of some of them."""
        return self.gap[places], self.kernel[places], None if self.rest is None else self.rest[places]


def by_series(coefficients: np.ndarray, root: np.ndarray, over: np.ndarray, i, j, gap):
    """(E[(phi - phi)^2], int_0^gamma P, P) from a_0, b_0, b_1, ... of every input (rows of `coefficients`).

    `over`: what phi of every input is multiplied by in the first.
    """
    c, one, two = 1.0 - gap, (root * over)[i], (root * over)[j]
    apart = ((coefficients[0] * over)[i] - (coefficients[0] * over)[j]) ** 2
    slope, mean, tail = np.zeros_like(c), np.zeros_like(c), np.zeros_like(c)
    for k in range(len(coefficients) - 2, -1, -1):
        left, right = coefficients[k + 1][i], coefficients[k + 1][j]
        product = left * right
        apart += (one * left - two * right) ** 2 / (k + 1)
        tail += product / (k + 1)
        slope *= c
        slope += product
        mean *= c
        mean += tail
    return apart, gap * mean, slope


def by_quadrature(
    phi: PiecewiseSmooth, q: float, other: float, gap: float, rest: float | None = None, over: tuple = (1.0, 1.0)
) -> tuple:
    """The three integrals of one pair over the plane; for gaps below `CLOSE` the first is 0 and all is in the second.

    With `over` = (s, t) as in `by_series`, E[(s phi(sqrt(q) U) - t phi(sqrt(q') V))^2]/2 = (the first)/2 + s t r
    int_0^gamma P is an integral without cancellation.
    """
    one, two = FloatPsi(phi, q), FloatPsi(phi, other)
    require_resolvable(one, two)
    if 0.0 < gap < CLOSE:
        u, v, weight = points_along(np.sqrt(gap / 2), one, two)
        half = float(np.sum(weight * (over[0] * one(u) - over[1] * two(v)) ** 2)) / 2
        return 0.0, half / (one.factor * over[0] * two.factor * over[1]), float(np.sum(weight * one(u, 1) * two(v, 1)))
    apart = _on_line(one, two, lambda a, b: (over[0] * a - over[1] * b) ** 2, 0)
    together = _on_line(one, two, np.multiply, 0)
    if gap > 1.0:
        two, gap = two.reflected(), 2.0 - gap if rest is None else rest
    b = np.sqrt(gap / 2)
    if b == 0.0:
        value, slope = (_on_line(one, two, np.multiply, order) for order in (0, 1))
    else:
        u, v, weight = points_along(b, one, two)
        value, slope = (float(np.sum(weight * one(u, order) * two(v, order))) for order in (0, 1))
    return apart, (together - value) / (one.factor * abs(two.factor)), slope


def _on_line(one: FloatPsi, two: FloatPsi, combined, order: int) -> float:
    """E[combined(phi(sqrt(q) Z), phi(sqrt(q') Z))] of the derivatives of one order."""
    x, w = line(one, two)
    return float(np.sum(w * combined(one(x, order), two(x, order))))


def require_finite(q: np.ndarray, layer: int) -> None:
    """An error where a variance has left the float64 range in this layer."""
    if not np.isfinite(q).all():
        raise UnsupportedError(
            f"the variance of layer {layer} exceeds the float64 range; give a smaller depth or smaller standard "
            "deviations"
        )

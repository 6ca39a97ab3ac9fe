"""The gap map and its slope as tables of small polynomials, for any activation at a fixed point of its variance.

With t = sqrt(gamma), u = sqrt(2 - gamma), p = 1 when phi' jumps and 2 otherwise, four functions analytic in t or u:

    f'  = chi - t^p D(t),      1 - f = gamma (chi - t^p A(t)),        A(t) = int_0^1 2 s^(p+1) D(t s) ds,
    f'  = e(u),                1 - f = G_2 - u^2 B(u),                B(u) = int_0^1 2 s e(u s) ds,

the first line for gamma <= 3/2, the second beyond; G_2 = 1 - f(-1).  Where chi > 5 f' itself and R = int_0^1 2 s
f'(1 - t^2 s^2) ds, 1 - f = gamma R, take the places of D and A (`direct`).  D, f' and e come at Chebyshev points from
Hermite series, from phi' smoothed (`smoothing`) or over the plane (`plane`), on pieces that shrink towards t = 0; then
panels with a polynomial of degree 5 each.  Errors are measured when a table is built (last coefficients, where the two
lines meet, chi at c = 1): more than 1e-13 is a `PrecisionError`.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import NamedTuple

import mpmath
import numpy as np
from numpy.polynomial import chebyshev
from numpy.polynomial.polynomial import polyval

from asympt.depth.moving import series_of
from asympt.depth.psi import FloatPsi, Smoothed, legendre, line, product, shortfall
from asympt.depth.stack import DIGITS, LayerChange
from asympt.errors import PrecisionError
from asympt.gaussian.closed.moments import moments_at
from asympt.gaussian.piecewise import PiecewiseSmooth

TURN = 1.5  # gaps up to here are tables in t, beyond in u
DEGREE = 5
STRONG = 4.0  # chi - 1 from which on differences from chi lose digits
CUTS, MOST_CUTS, BITS, BIAS = 8, 12, 52, 1023  # an octave has 2^cuts panels; of a float64
POINTS = 24  # Chebyshev points of one piece of D or e
STEP, SPLIT = 16.0, 4.0  # ratio of the ends of a first piece; where a piece at 0 is split
NARROWEST, LEAST = 1.1, 1e-40
TOLERANCE = 1e-13
ROUNDING = 3e-15  # what interpolation may leave of a piece
FINE = 1e-14  # and of a panel


@dataclass(frozen=True)
class RootPanels:
    """Panels of t >= 0: with w = t + `offset`, a power of 2, every octave of w is cut into 2^cuts equal ones.

    The leading bits of w are the number of the panel, the others the place in it.
    """

    offset: float = 1.0
    cuts: int = CUTS

    def located(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(panel, place in [0, 1)); the place overwrites t."""
        shift = BITS - self.cuts
        t += self.offset
        bits = t.view(np.int64)
        index = (bits >> shift) - self._first
        bits &= (1 << shift) - 1
        bits |= BIAS << BITS
        t -= 1.0
        t *= 2.0**self.cuts
        return index, t

    @cached_property
    def _first(self) -> int:
        return int(np.array(self.offset).view(np.int64)) >> (BITS - self.cuts)

    def at(self, z: np.ndarray, high: float) -> np.ndarray:
        """t at the places z of all panels up to `high`: shape (len(z), panels)."""
        last = int(np.array(high + self.offset).view(np.int64)) >> (BITS - self.cuts)
        number = np.arange(last - self._first + 1)
        octave, place = number >> self.cuts, number & ((1 << self.cuts) - 1)
        return self.offset * (np.ldexp(1 + (place + z[:, None]) * 2.0**-self.cuts, octave) - 1)


@dataclass(frozen=True, eq=False)
class Tables:
    """Everything the NumPy engine knows of a layer at its fixed point.

    `chi`, `excess` chi - 1, `power` p, `opposite` G_2; `step`, `slope` tables of A and D, of R and f' if `direct`,
    `far_step`, `far_slope` of B and e: arrays (DEGREE + 1, panels), highest power first; `error` the largest relative
    error found when the tables were built.
    """

    chi: float
    excess: float
    power: int
    opposite: float
    step: np.ndarray
    slope: np.ndarray
    far_step: np.ndarray
    far_slope: np.ndarray
    near: RootPanels
    far: RootPanels
    error: float

    @property
    def direct(self) -> bool:
        """Whether the tables near c = 1 are those of R and f' themselves."""
        return self.excess > STRONG


@lru_cache(maxsize=64)
def tables_at(phi: PiecewiseSmooth, variance: float) -> tuple[Tables, float]:
    """The tables of phi by itself, at any variance, for a map that is divided by E phi^2; and E phi^2."""
    with mpmath.workdps(DIGITS):
        second, slope = moments_at(phi, 2, mpmath.mpf(variance), DIGITS)
        weight = mpmath.mpf(variance) / second
        return _built(FloatPsi(phi, variance), float(weight), float(weight * slope - 1)), float(second)


def power_of(phi: PiecewiseSmooth) -> int:
    """p: 1 where phi' jumps, else 2."""
    return 1 if any(jump != 0 for jump in phi.jumps(1)) else 2


def _built(psi: FloatPsi, weight: float, excess: float) -> Tables:
    power, chi, root = power_of(psi.phi), 1.0 + excess, 1 if len(psi.breaks) else 2  # smooth phi: even functions of t
    high, low, maps = np.sqrt(TURN), np.sqrt(2 - TURN), _maps(psi, weight, power)
    first = min(1.0, 1 / psi.steepness)
    curve = ChebyshevPieces.of(maps.slope if excess > STRONG else maps.deficit, high, root, first)
    far = ChebyshevPieces.of(lambda u: maps.slope_at(u * u - 1, u), low, root, first)
    if excess > STRONG:
        factor = chi / curve(0.0)  # tiny gaps grow by chi itself, layer after layer
        curve = replace(curve, coefficients=[factor * c for c in curve.coefficients])
    mean, far_mean = curve.mean(1 if excess > STRONG else power + 1), far.mean(1)
    near_panels, (step, slope) = panels_of((mean, curve), high)
    far_panels, (far_step, far_slope) = panels_of((far_mean, far), low)
    opposite, whole = _opposite(psi, weight), (0.0, 1.0) if excess > STRONG else (chi, -(TURN ** (power / 2)))
    image = TURN * (whole[0] + whole[1] * mean(high)) / (opposite - (2 - TURN) * far_mean(low))
    seam = abs(whole[0] + whole[1] * curve(high) - far(low)) / max(1.0, abs(far(low)))
    error = float(max(curve.error, far.error, seam, abs(image - 1), abs(maps.second / chi - 1)))
    if not error <= TOLERANCE:
        raise PrecisionError(
            f"the tables of the correlation map at q = {psi.variance:.6g} disagree by {error:.1e}; give smaller "
            "standard deviations, or use the mpmath maps (CorrelationMap.gap)"
        )
    return Tables(chi, excess, power, opposite, step, slope, far_step, far_slope, near_panels, far_panels, error)


@dataclass(frozen=True)
class Maps:
    """sigma_w^2 times: `second` E[phi'^2], `deficit` D(t), `slope_at` E[phi' phi'] at (c, sqrt(1 - |c|))."""

    second: float
    deficit: Callable[[float], float]
    slope_at: Callable[[float, float], float]

    def slope(self, t: float) -> float:
        """f' at c = 1 - t^2."""
        c = 1.0 - t * t
        return self.slope_at(c, np.sqrt(1.0 + c) if c < 0 else t)


def _maps(psi: FloatPsi, weight: float, power: int) -> Maps:
    """By the Hermite series, by smoothing, or over the plane."""
    squares = series_of(psi)
    if squares is not None:
        slope = lambda c, t: weight * polyval(c, squares)  # noqa: E731
        return Maps(weight * squares.sum(), lambda t: weight * _shortfall_of_series(squares, t), slope)
    if not psi.phi.breaks:
        found = Smoothed(psi)
        slope = lambda c, t: weight * found.product(c, t)  # noqa: E731
        return Maps(weight * found.second, lambda t: weight * found.shortfall(t), slope)
    mirror = psi.reflected()
    slope = lambda c, t: weight * product(psi, mirror if c < 0 else psi, t / np.sqrt(2))  # noqa: E731
    return Maps(slope(1.0, 0.0), lambda t: weight * shortfall(psi, t, power), slope)


def _shortfall_of_series(squares: np.ndarray, t: float) -> float:
    """sum b_k^2 (1 - c^k)/(1 - c): positive terms for c >= 0, and harmless ones for c >= -1/2."""
    gap, k = t * t, np.arange(len(squares))
    if gap < 0.5:
        return float(np.sum(squares * -np.expm1(k * np.log1p(-gap))) / gap)
    return float(np.sum(squares * (1.0 - (1.0 - gap) ** k)) / gap)


def _opposite(psi: FloatPsi, weight: float) -> float:
    """G_2 = 1 - f(-1) = (sigma_w^2/2q) E[(phi(sqrt(q) Z) - phi(-sqrt(q) Z))^2]."""
    x, w = line(psi, psi.reflected())
    return float(weight / (2 * psi.variance) * np.sum(w * (psi(x) - psi(-x)) ** 2))


@dataclass(frozen=True)
class ChebyshevPieces:
    """A function of x in [0, high], analytic in x^root, by Chebyshev interpolation on as many pieces as it needs.

    The first piece, at 0, is one of x^root, the others of log x: what bends at x = 1e-6 is smooth in it beyond.
    `edges` are those of x^root.
    """

    edges: np.ndarray
    coefficients: list[np.ndarray]
    root: int
    error: float

    @classmethod
    def of(cls, function: Callable[[float], float], high: float, root: int, first: float = 1.0) -> "ChebyshevPieces":
        """`function` is called at single points of (0, high]; it is first looked at for a change up to `first`."""
        ends = [min(first**root, high**root)]
        while STEP * ends[-1] < high**root:
            ends.append(STEP * ends[-1])
        ends = [0.0, *ends, high**root] if ends[-1] < high**root else [0.0, high**root]
        inner, least = lambda z: function(z ** (1 / root)), min(1.0, abs(function(high)))
        parts = [part for low, up in pairwise(ends) for part in _pieces(inner, low, up, least)]
        error = max(np.abs(c[-2:]).max() / max(np.abs(c).sum(), least, 1e-300) for _, _, c in parts)
        return cls(np.array([0.0] + [end for _, end, _ in parts]), [c for _, _, c in parts], root, float(error))

    def __call__(self, x) -> np.ndarray:
        """Values, x of any shape."""
        z = np.asarray(x, dtype=float) ** self.root
        place = np.clip(np.searchsorted(self.edges, z, side="right") - 1, 0, len(self.coefficients) - 1)
        result = np.empty_like(z)
        for index, c in enumerate(self.coefficients):
            chosen = place == index
            result[chosen] = chebyshev.chebval(_inside(z[chosen], *self.edges[index : index + 2]), c)
        return result[()]

    def mean(self, power: int) -> "ChebyshevPieces":
        """x -> int_0^1 2 s^power f(x s) ds: the integral up to each piece, and the rest of it by Gauss's rule."""
        node, weight = legendre(48)
        total, found, ends = 0.0, [], self.edges ** (1 / self.root)
        for index, (low, high) in enumerate(pairwise(ends)):
            z = _outside(chebyshev.chebpts1(POINTS), *self.edges[index : index + 2])
            x = np.append(z ** (1 / self.root), high)
            share = (low + (x - low)[:, None] * (1 + node) / 2) / x[:, None]
            inner = np.minimum((share * x[:, None]) ** self.root, self.edges[index + 1])
            values = chebyshev.chebval(_inside(inner, *self.edges[index : index + 2]), self.coefficients[index])
            means = 2 * total / x ** (power + 1) + (1 - low / x) * np.sum(weight * share**power * values, axis=1)
            found.append(chebyshev.chebfit(chebyshev.chebpts1(POINTS), means[:-1], POINTS - 1))
            total = means[-1] * high ** (power + 1) / 2
        return ChebyshevPieces(self.edges, found, self.root, self.error)


def _inside(z: np.ndarray, low: float, high: float) -> np.ndarray:
    """[low, high] brought to [-1, 1], by the logarithm unless low = 0."""
    return 2 * z / high - 1 if low == 0 else 2 * np.log(np.maximum(z, low) / low) / np.log(high / low) - 1


def _outside(place: np.ndarray, low: float, high: float) -> np.ndarray:
    """The inverse."""
    return high * (1 + place) / 2 if low == 0 else low * (high / low) ** ((1 + place) / 2)


def _pieces(function, low: float, high: float, least: float):
    """(low, high, coefficients) of consecutive pieces, split until the last coefficients are rounding errors.

    Those are relative to the largest one, or to `least`: what is tiny beside 1 needs no digits.
    """
    c = chebyshev.chebinterpolate(lambda s: np.array([function(z) for z in _outside(s, low, high)]), POINTS - 1)
    narrow = high < LEAST if low == 0 else high < NARROWEST * low
    if np.abs(c[-3:]).max() < ROUNDING * max(np.abs(c).max(), least) or narrow:
        yield low, high, c
    else:
        middle = high / SPLIT if low == 0 else np.sqrt(low * high)
        yield from _pieces(function, low, middle, least)
        yield from _pieces(function, middle, high, least)


def panels_of(functions: tuple[ChebyshevPieces, ...], high: float) -> tuple[RootPanels, tuple[np.ndarray, ...]]:
    """Panels, and for each function polynomials in the place in [0, 1) on each, highest power first."""
    first = functions[0].edges[1] ** (1 / functions[0].root)
    offset = min(1.0, 2.0 ** np.floor(np.log2(first)))
    for cuts in range(CUTS, MOST_CUTS + 1):
        panels = RootPanels(offset, cuts)
        found, errors = zip(*(_panel(function, high, panels) for function in functions), strict=True)
        if max(errors) < FINE:
            break
    return panels, found


def _panel(function, high: float, panels: RootPanels) -> tuple[np.ndarray, float]:
    """The table of one function and its largest error between the nodes, relative to its values nearby."""
    z, probe = (1 + chebyshev.chebpts1(DEGREE + 1)) / 2, np.array([0.02, 0.31, 0.5, 0.77, 0.98])
    powers = np.linalg.solve(np.vander(z), function(panels.at(z, high)))
    exact = function(panels.at(probe, high))
    size = np.abs(exact).max(axis=0)
    apart = np.abs(np.vander(probe, DEGREE + 1) @ powers - exact).max(axis=0)
    return np.ascontiguousarray(powers), float((apart / np.maximum(size, min(1.0, size.max()))).max())


MILD = 0.5


def table_change(gap: np.ndarray, kernel: np.ndarray, tables: Tables) -> LayerChange:
    """One application of the gap map and of f' by tables."""
    near, far = np.minimum(gap, TURN), gap > TURN
    shrink, slope = near_factors(tables, near)
    if abs(tables.excess) <= MILD:
        change = LayerChange(gap.copy(), near * shrink.rest, kernel.copy(), slope.rest * kernel)
    else:
        change = LayerChange(near * shrink.value, np.zeros_like(gap), kernel * slope.value, np.zeros_like(gap))
    if far.any():
        image, steep = far_curves(tables, 2.0 - gap[far])
        change.base[far], change.drop[far] = image, 0.0
        change.kernel[far], change.turn[far] = steep * kernel[far], 0.0
    return change


def look_up(table: np.ndarray, panel: np.ndarray, place: np.ndarray) -> np.ndarray:
    """The polynomials of some panels at places in these."""
    found = table[0].take(panel, mode="clip")
    spare = np.empty_like(found)
    for row in table[1:]:
        found *= place
        np.take(row, panel, mode="clip", out=spare)
        found += spare
    return found


class Factor(NamedTuple):
    """A number to multiply by and 1 minus it, both to full relative accuracy."""

    value: np.ndarray
    rest: np.ndarray


def near_curves(tables: Tables, gap: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(t^p A, t^p D) for gaps up to 3/2: how far (1 - f)/gamma and f' are below chi."""
    if tables.direct:
        return tuple(tables.chi - factor.value for factor in near_factors(tables, gap))
    power = np.sqrt(gap) if tables.power == 1 else gap
    step, slope = looked_up(tables.near, np.sqrt(gap), tables.step, tables.slope)
    return power * step, power * slope


def near_factors(tables: Tables, gap: np.ndarray) -> tuple[Factor, Factor]:
    """(1 - f)/gamma and f' for gaps up to 3/2."""
    if tables.direct:
        found = looked_up(tables.near, np.sqrt(gap), tables.step, tables.slope)
        return tuple(Factor(value, 1.0 - value) for value in found)
    return tuple(Factor(tables.chi - part, part - tables.excess) for part in near_curves(tables, gap))


def far_curves(tables: Tables, rest: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(1 - f, f') for gaps above 3/2, given as 2 - gap."""
    step, slope = looked_up(tables.far, np.sqrt(rest), tables.far_step, tables.far_slope)
    return tables.opposite - rest * step, slope


def looked_up(panels: RootPanels, root: np.ndarray, *curves: np.ndarray) -> list[np.ndarray]:
    """Tables at t or u, which is overwritten."""
    index, place = panels.located(root)
    return [look_up(table, index, place) for table in curves]

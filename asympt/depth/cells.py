"""One-point functions of the variance: moments and Hermite coefficients of phi, for whole arrays of variances.

As functions of log q all of them are analytic, also for phi with breakpoints: every octave 2^j <= q < 2^(j+1) that
occurs gets one Chebyshev interpolation, when it is first met.  The coefficients

    b_k(q) = E[phi'(sqrt(q) Z) He_k(Z)]/sqrt(k!),     E[phi'(sqrt(q) U) phi'(sqrt(q') V)] = sum_k b_k b'_k c^k

come from the trapezoidal rule, which converges geometrically for analytic phi, until k b_k^2 is negligible.
Tiny case: phi = x^2/2 has b_1 = sqrt(q), all others 0.  Variances below 1e-60 count as 1e-60.
"""

from collections.abc import Callable
from functools import cached_property, lru_cache

import numpy as np
from numpy.polynomial import chebyshev

from asympt.depth.psi import FloatPsi, line
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
    """Values at any variances: columns E[phi^2], E[phi'^2], then a_0 = E[phi], b_0, b_1, ... for smooth phi."""

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


@lru_cache(maxsize=64)
def cells(phi: PiecewiseSmooth) -> Cells:
    return Cells(phi)


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


def trapezoid(psi: FloatPsi, step: float = STEP) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of a normal variable, equally spaced."""
    far = psi.reach + BEYOND
    x = step * np.arange(-np.ceil(far / step), np.ceil(far / step) + 1)
    return x, step * np.exp(-x * x / 2) / np.sqrt(2 * np.pi)


def hermite(psi: FloatPsi, count: int) -> np.ndarray:
    """b_0, ..., b_(count-1) of phi' at x -> sqrt(q) x, for smooth phi."""
    x, w = trapezoid(psi)
    weighted, found = w * psi(x, 1), np.empty(count)
    before, here = np.zeros_like(x), np.ones_like(x)
    for k in range(count):
        found[k] = np.sum(weighted * here)
        before, here = here, (x * here - np.sqrt(k) * before) / np.sqrt(k + 1)
    return found

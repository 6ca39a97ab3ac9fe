"""The gap map and its slope as tables of small polynomials, for any activation at a fixed point of its variance.

Problem.  f has no closed form that NumPy evaluates quickly, and near c = 1 the gap map must keep the digits of gaps
of 1e-15 for a million layers.

Rule.  With t = sqrt(gamma), u = sqrt(2 - gamma), p = 1 when phi' jumps and 2 otherwise, four functions analytic in t or
u say everything:

    f'  = chi - t^p D(t),      1 - f = gamma (chi - t^p A(t)),        A(t) = int_0^1 2 s^(p+1) D(t s) ds,
    f'  = e(u),                1 - f = G_2 - u^2 B(u),                B(u) = int_0^1 2 s e(u s) ds,

the first line for gamma <= 3/2, the second beyond; chi = f'(1) is exactly 1 on the Edge of Chaos, and G_2 = 1 - f(-1)
exactly 0 for even phi.  D and e come at Chebyshev points from Hermite series (smooth phi) or integrals over the
plane (`plane`); A and B are
means of them, so every digit of D is one of A.  Then [0, 1] is cut into `panels` equal parts with a polynomial of
degree 5 each, which NumPy evaluates in 6 look-ups for any mixture of gaps.

Tiny case.  phi = x^2/2 at q = 1, sigma_w = 1: f' = c, D = 1, A = 1/2: 1 - f = gamma - gamma^2/2.

Known limits.  Errors are measured when a table is built: by the last Chebyshev coefficients, and where the two lines
meet; more than 1e-13 is a `PrecisionError`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import mpmath
import numpy as np
from numpy.polynomial import chebyshev
from numpy.polynomial.polynomial import polyval

from asympt.depth.cells import series_of
from asympt.depth.constants import DIGITS, precise
from asympt.depth.plane import FloatPsi, legendre, line, product, shortfall
from asympt.errors import PrecisionError, UnsupportedError
from asympt.gaussian.closed.moment_numbers import moments_at
from asympt.gaussian.piecewise import PiecewiseSmooth
from asympt.meanfield.activations import Activation
from asympt.meanfield.layer import Layer

TURN = 1.5  # gaps up to here are tables in t, beyond in u
DEGREE = 5
FEWEST, MOST = 256, 4096  # panels per unit of t
POINTS = 24  # Chebyshev points of one piece of D or e
NARROWEST = 1 / 256
TOLERANCE = 1e-13
ROUNDING = 3e-15  # what interpolation may leave of a piece
FINE = 1e-14  # and of a panel


@dataclass(frozen=True, eq=False)
class Tables:
    """Everything the NumPy engine knows of a layer at its fixed point.

    `chi`, `excess` chi - 1, `power` p, `opposite` G_2; `step`, `slope` tables of A and D, `far_step`, `far_slope`
    of B and e: arrays (DEGREE + 1, panels), highest power first; `scale` panels per unit of t; `error` the
    largest relative error found when the tables were built.
    """

    chi: float
    excess: float
    power: int
    opposite: float
    step: np.ndarray
    slope: np.ndarray
    far_step: np.ndarray
    far_slope: np.ndarray
    scale: float
    error: float


@lru_cache(maxsize=64)
def tables(layer: Layer) -> Tables:
    """The tables of a layer with numbers in it; built once, in about a second, then kept."""
    require_continuous(layer.activation)
    variance, weight = (float(precise(value)) for value in (layer.fixed_variance, layer.weight_variance))
    excess = 0.0 if layer.is_critical else float(precise(layer.chi - 1))
    return _built(FloatPsi(layer.activation.piecewise, variance), weight, excess)


def tables_at(phi: PiecewiseSmooth, variance: float) -> tuple[Tables, float]:
    """The tables of phi by itself, at any variance, for a map that is divided by E phi^2; and E phi^2."""
    with mpmath.workdps(DIGITS):
        second, slope = moments_at(phi, 2, mpmath.mpf(variance), DIGITS)
        weight = mpmath.mpf(variance) / second
        return _built(FloatPsi(phi, variance), float(weight), float(weight * slope - 1)), float(second)


def require_continuous(phi: Activation) -> None:
    """An error for a phi with jumps."""
    if any(jump != 0 for jump in phi.piecewise.jumps(0)):
        raise UnsupportedError(
            f"activation {phi.name!r} is not continuous: f' is infinite at c = 1 and there is no NTK; "
            "take a continuous activation, or asympt.depth.random_network for its correlations"
        )


def power_of(phi: PiecewiseSmooth) -> int:
    """p: 1 where phi' jumps, else 2."""
    return 1 if any(jump != 0 for jump in phi.jumps(1)) else 2


def _built(psi: FloatPsi, weight: float, excess: float) -> Tables:
    turn, mirror, power = np.sqrt(TURN), psi.reflected(), power_of(psi.phi)
    root = 1 if len(psi.breaks) else 2  # smooth activations give even functions of t
    squares = series_of(psi)
    if squares is None:
        deficit = ChebyshevPieces.of(lambda t: weight * shortfall(psi, t, power), turn, root)
        slope = ChebyshevPieces.of(lambda u: weight * product(psi, mirror, u / np.sqrt(2)), np.sqrt(2 - TURN), root)
    else:
        deficit = ChebyshevPieces.of(lambda t: weight * _shortfall_of_series(squares, t), turn, root)
        slope = ChebyshevPieces.of(lambda u: weight * polyval(u * u - 1, squares), np.sqrt(2 - TURN), root)
    chi = 1.0 + excess
    scale, (step, low) = panels_of((Mean(deficit, power + 1), deficit), turn)
    _, (far_step, far_slope) = panels_of((Mean(slope, 1), slope), np.sqrt(2 - TURN), scale)
    opposite = _opposite(psi, weight)
    seam = abs((chi - TURN ** (power / 2) * deficit(turn)) - slope(np.sqrt(2 - TURN))) / max(chi, 1.0)
    image = TURN * (chi - TURN ** (power / 2) * Mean(deficit, power + 1)(turn))
    other = opposite - (2 - TURN) * Mean(slope, 1)(np.sqrt(2 - TURN))
    error = float(max(deficit.error, slope.error, seam, abs(image / other - 1)))
    if error > TOLERANCE:
        raise PrecisionError(
            f"the tables of the correlation map at q = {psi.variance:.6g} disagree by {error:.1e}; give smaller "
            "standard deviations, or use the mpmath maps (CorrelationMap.gap)"
        )
    return Tables(chi, excess, power, opposite, step, low, far_step, far_slope, float(scale), error)


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


# ---- functions of t by Chebyshev pieces ---------------------------------------------------------------


@dataclass(frozen=True)
class ChebyshevPieces:
    """A function of x in [0, high], analytic in x^root, by Chebyshev interpolation on as many pieces as it needs."""

    edges: np.ndarray
    coefficients: list[np.ndarray]
    root: int
    error: float

    @classmethod
    def of(cls, function: Callable[[float], float], high: float, root: int) -> "ChebyshevPieces":
        """`function` is called at single points inside (0, high)."""
        parts = list(_pieces(lambda z: function(z ** (1 / root)), 0.0, high**root))
        largest = max(np.abs(c).sum() for _, _, c in parts)
        tails = max(np.abs(c[-2:]).max() for _, _, c in parts)
        edges = np.array([0.0] + [end for _, end, _ in parts])
        return cls(edges, [c for _, _, c in parts], root, float(tails / largest))

    def __call__(self, x) -> np.ndarray:
        """Values, x of any shape."""
        x = np.asarray(x, dtype=float) ** self.root
        place = np.clip(np.searchsorted(self.edges, x, side="right") - 1, 0, len(self.coefficients) - 1)
        result = np.empty_like(x)
        for index, c in enumerate(self.coefficients):
            chosen = place == index
            low, high = self.edges[index : index + 2]
            result[chosen] = chebyshev.chebval((2 * x[chosen] - low - high) / (high - low), c)
        return result[()]


def _pieces(function, low: float, high: float):
    """(low, high, coefficients) of consecutive pieces, halved until the last coefficients are rounding errors."""
    middle, half = (low + high) / 2, (high - low) / 2
    c = chebyshev.chebinterpolate(lambda z: np.array([function(middle + half * s) for s in z]), POINTS - 1)
    if np.abs(c[-3:]).max() < ROUNDING * np.abs(c).max() or high - low < NARROWEST:
        yield low, high, c
    else:
        yield from _pieces(function, low, middle)
        yield from _pieces(function, middle, high)


@dataclass(frozen=True)
class Mean:
    """x -> int_0^1 2 s^power inner(x s) ds."""

    inner: Callable
    power: int

    def __call__(self, x) -> np.ndarray:
        node, weight = legendre(48)
        s = (1 + node) / 2
        return self.inner(np.multiply.outer(x, s)) @ (weight * s**self.power)


# ---- panels of degree 5 -------------------------------------------------------------------------------


def panels_of(functions, high: float, scale: int | None = None) -> tuple[int, tuple[np.ndarray, ...]]:
    """Panels per unit, and for each function polynomials in z = x scale - panel in [0, 1), highest power first."""
    chosen = FEWEST if scale is None else scale
    while True:
        found, errors = zip(*(_panel(function, high, chosen) for function in functions), strict=True)
        if scale is not None or max(errors) < FINE or chosen == MOST:
            return chosen, found
        chosen *= 2


def _panel(function, high: float, scale: int) -> tuple[np.ndarray, float]:
    """The table of one function and its largest error between the nodes, relative to its largest value nearby."""
    places = np.arange(int(np.ceil(high * scale)) + 1)
    z = (1 + chebyshev.chebpts1(DEGREE + 1)) / 2
    values = function((places + z[:, None]) / scale)
    powers = np.linalg.solve(np.vander(z), values)
    probe = np.array([0.02, 0.31, 0.5, 0.77, 0.98])
    exact = function((places + probe[:, None]) / scale)
    error = np.abs(np.vander(probe, DEGREE + 1) @ powers - exact).max() / np.abs(exact).max()
    return np.ascontiguousarray(powers), float(error)

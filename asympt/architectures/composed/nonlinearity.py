"""One activation at one variance, as every number system wants it: its kernel takes lost = 1 - c to 1 - E[phi phi]/M.

M = E[phi(sqrt(q) Z)^2].  `radial` is x phi'(x), whose kernel a norm with trained gain asks for.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import factorial

from mpmath import mp
from sympy import Expr, Integer, oo

from asympt.expansions.opaque import RealConstant
from asympt.expansions.series import power
from asympt.gaussian.closed.moments import exact_moment
from asympt.gaussian.kernel import kernel_of
from asympt.gaussian.moments import moment
from asympt.gaussian.piecewise import PiecewiseSmooth
from asympt.gaussian.price.expansion import default_moment, price_expansion, price_numbers
from asympt.meanfield.activations import Activation
from asympt.meanfield.correlation import ReluLikeMap
from asympt.numbers import to_mpf

STEP, SPARE = 10, 3  # digits of numeric series, rounded up so that requests share them


class VarianceMoves(Exception):
    """The map of an activation depends on a variance that is not known yet."""


@dataclass(frozen=True)
class Nonlinearity:
    """phi at the variance q."""

    phi: Activation
    q: Expr

    def __post_init__(self):
        if not self.is_scale_free and self.q.free_symbols:
            raise VarianceMoves

    @property
    def is_scale_free(self) -> bool:
        """Whether the map is the same at every q."""
        return self.phi.is_relu_like

    @cached_property
    def square(self) -> Expr:
        """M."""
        if self.is_scale_free:
            return self.phi.second_moment * self.q
        return default_moment(self.phi.piecewise, 0, self.q)

    @cached_property
    def mean(self) -> Expr:
        """m = E[phi(sqrt(q) Z)]."""
        found = exact_moment(self.phi.piecewise, self.q)
        if found is not None:
            return found
        phi, q = self.phi.piecewise, self.q
        if q.free_symbols:
            raise VarianceMoves
        return RealConstant("m", lambda: moment(phi, to_mpf(q), mp.dps), ("mean", phi, q), "m")

    @property
    def slope_at_one(self) -> Expr:
        """d(1 - kernel)/d(lost) at c = 1: q E[phi'^2]/M."""
        if self.is_scale_free:
            return Integer(1)
        if self.phi.ntk_obstacle:
            return oo
        return self.q * default_moment(self.phi.piecewise, 1, self.q) / self.square

    @cached_property
    def radial(self) -> PiecewiseSmooth:
        """x phi'(x)."""
        slope = self.phi.piecewise.derivative()
        return PiecewiseSmooth(slope.symbol, slope.breaks, tuple(slope.symbol * piece for piece in slope.pieces))

    @property
    def has_odd_powers(self) -> bool:
        """Whether odd powers of sqrt(1 - c) occur in the kernel."""
        return not self.phi.is_smooth

    # ---- numbers --------------------------------------------------------------------------------

    def gap(self, lost):
        """1 - kernel at 1 - c = lost, an mpmath number."""
        if not lost:
            return lost
        if self.is_scale_free:
            return self._map.gap(lost)
        return kernel_of(self.phi.piecewise).gap(to_mpf(self.q), lost) / to_mpf(self.square)

    def slope(self, lost):
        """The derivative of `gap`."""
        if not lost:
            return to_mpf(self.slope_at_one)
        if self.is_scale_free:
            return self._map.gap_slope(lost)
        q = to_mpf(self.q)
        return q * kernel_of(self.phi.piecewise).slope(q, lost) / to_mpf(self.square)

    def radial_value(self, lost):
        """E[x phi' x' phi']/M."""
        q, square = self._units
        return kernel_of(self.radial).value(q, q, 1 - lost) / square

    @property
    def _units(self) -> tuple:
        """q and M as numbers; q = 1 will do for a phi without a scale."""
        if self.is_scale_free:
            return mp.one, to_mpf(self.phi.second_moment)
        return to_mpf(self.q), to_mpf(self.square)

    @cached_property
    def _map(self) -> ReluLikeMap:
        return ReluLikeMap(self.phi.kink_weight, self.phi.linear_weight)

    # ---- series ---------------------------------------------------------------------------------

    def exact_series(self, order: int) -> list[Expr]:
        """The coefficients of 1 - kernel in sqrt(lost), up to that order."""
        if self.is_scale_free:
            return _coefficients(1 - self._map.expansion(order + 1), order)
        expansion = price_expansion(self.phi.piecewise, self.q, order + 1)
        found = [-c / self.square for c in _coefficients(expansion, order)]
        return [Integer(0), *found[1:]]

    def exact_radial(self, order: int) -> list[Expr]:
        """The coefficients of E[x phi' x' phi']/M in sqrt(lost)."""
        return [c / self.square for c in _coefficients(price_expansion(self.radial, self.q, order + 1), order)]

    def series(self, order: int) -> list:
        """The same as numbers, at mpmath's precision."""
        if self.is_scale_free:
            return [to_mpf(c) for c in _relu_like_series(self._map, order)]
        found = _numbers(self.phi.piecewise, self.q, order, STEP * -(-(mp.dps + SPARE) // STEP))
        return [mp.zero, *(-c / found[0] for c in found[1:])]

    def radial_series(self, order: int) -> list:
        """The coefficients of E[x phi' x' phi']/M as numbers."""
        digits, square = STEP * -(-(mp.dps + SPARE) // STEP), to_mpf(self.square)
        return [c / square for c in _numbers(self.radial, self.q, order, digits)]

    def taylor(self, lost, count: int, radial: bool = False) -> list:
        """Coefficients about a place with |c| < 1, as numbers: of 1 - kernel in lost, or of E[x phi' x' phi']/M."""
        if self.is_scale_free and not radial:
            return self._relu_like_taylor(lost, count)
        q, square = self._units
        kernel = kernel_of(self.radial if radial else self.phi.piecewise)
        found = [(-1) ** n * kernel.derivative(q, lost, n) / factorial(n) / square for n in range(1, count)]
        if radial:
            return [self.radial_value(lost), *found]
        return [self.gap(lost), *(-c for c in found)]

    def _relu_like_taylor(self, lost, count: int) -> list:
        """From f''(c) = rho/sqrt(1 - c^2), integrated twice."""
        c, rho = 1 - lost, to_mpf(self._map.asymmetry)
        rest = 1 - c * c
        inside = [mp.one, 2 * c / rest, -1 / rest] + [mp.zero] * count
        second = [-rho / mp.sqrt(rest) * a for a in power(inside[:count], mp.mpf(-1) / 2, count)]
        slopes = [self.slope(lost), *(a / (k + 1) for k, a in enumerate(second))]
        return [self.gap(lost), *(a / (k + 1) for k, a in enumerate(slopes))][:count]

def _coefficients(expansion, order: int) -> list[Expr]:
    known = {int(m.order): c for m, c in expansion.terms}
    return [known.get(k, Integer(0)) for k in range(order + 1)]


@lru_cache(maxsize=64)
def _relu_like_series(f: ReluLikeMap, order: int) -> list[Expr]:
    return _coefficients(1 - f.expansion(order + 1), order)


@lru_cache(maxsize=64)
def _numbers(phi: PiecewiseSmooth, q: Expr, order: int, digits: int) -> list:
    return price_numbers(phi, q, order, digits)

"""The correlation map f of a ReLU-like activation, in the three forms the toolkit uses.

f takes the correlation c of two preactivations to that of the next layer, normalised so that f(1) = 1 and
f'(1) = 1 (a positively homogeneous activation without bias has this map whatever sigma_w is).  It depends on
the slopes through the asymmetry rho = (a+ - a-)^2/(pi (a+^2 + a-^2)) alone:

    closed form   f(c) = c + rho (sqrt(1 - c^2) - c arccos c)
    expansion     f = 1 - t^2 + (2 sqrt(2)/3) rho t^3 + ...,  t = sqrt(1 - c)
    numbers       to any number of digits, computed in the gap 1 - c
"""

from dataclasses import dataclass

import mpmath
from mpmath import mp
from sympy import Expr, Symbol, asin, pi, sqrt

from asympt.errors import InputError, UnsupportedError
from asympt.expansions import Expansion
from asympt.gaussian import arccosine, ladder
from asympt.meanfield.activations import Activation
from asympt.numbers import check_digits, exact, symbol_names, to_mpf


@dataclass(frozen=True)
class CorrelationMap:
    """f, with `fold` = kappa = pi rho/2 and `unfolded` = 1 - kappa (both exact).

    >>> from asympt.meanfield.activations import activation
    >>> f = CorrelationMap.of(activation("relu"))
    >>> f.closed_form
    c + (-c*acos(c) + sqrt(1 - c**2))/pi
    >>> print(f.expansion(order=5))
    1 - t^2 + 2*sqrt(2)*t^3/(3*pi) + sqrt(2)*t^5/(30*pi) + O(t^7)
    >>> print(mpmath.nstr(f("1/10", digits=20), 20))
    0.36990276590263576927
    """

    fold: Expr
    unfolded: Expr

    @classmethod
    def of(cls, phi: Activation) -> "CorrelationMap":
        """The map of a ReLU-like activation."""
        return cls(phi.fold, phi.unfolded)

    @classmethod
    def with_asymmetry(cls, rho: Expr) -> "CorrelationMap":
        """The map with a given (possibly symbolic) rho."""
        return cls(pi * rho / 2, 1 - pi * rho / 2)

    @property
    def asymmetry(self) -> Expr:
        """rho, the coefficient of arccos in f'(c) = 1 - rho arccos(c)."""
        return 2 * self.fold / pi

    @property
    def closed_form(self) -> Expr:
        """f(c) as a SymPy expression in c (HDR, proof of Appendix Lemma 7, for ReLU)."""
        return arccosine.closed_form(self.asymmetry)

    @property
    def closed_slope(self) -> Expr:
        """f'(c) as a SymPy expression in c."""
        return arccosine.closed_slope(self.asymmetry)

    def in_angle(self, theta: Symbol) -> Expr:
        """f(cos theta) for theta in [0, pi]."""
        return arccosine.angle_form(self.asymmetry, theta)

    def gap_in_uniformiser(self, t: Symbol) -> Expr:
        """1 - f as a closed form in t = sqrt(1 - c): theta = 2 asin(t/sqrt 2), sin theta = t sqrt(2 - t^2)."""
        theta = 2 * asin(t / sqrt(2))
        return t**2 - self.asymmetry * (t * sqrt(2 - t**2) - theta * (1 - t**2))

    def slope_in_uniformiser(self, t: Symbol) -> Expr:
        """f' as a closed form in t."""
        return 1 - 2 * self.asymmetry * asin(t / sqrt(2))

    def expansion(self, order: int = 9) -> Expansion:
        """f as an expansion in t = sqrt(1 - c), up to t^order, exact."""
        return ladder.value_level(self.asymmetry, _order(order))

    def slope_expansion(self, order: int = 9) -> Expansion:
        """f' as an expansion in t = sqrt(1 - c), up to t^order, exact."""
        return ladder.slope_level(self.asymmetry, _order(order))

    def __call__(self, c, digits: int = 30):
        """f(c) as an mpmath number; -1 <= c <= 1."""
        value, digits = exact(c, "correlation"), check_digits(digits)
        check_correlation(value)
        for guard in (10, 2 * digits + 20, 20 * digits + 20):  # more when 1 - (1 - f) cancels: f is small near a zero
            with mp.workdps(digits + guard):
                image = 1 - self.gap(to_mpf(1 - value), *self._weights())
                if image == 0 or abs(image) > mpmath.mpf(10) ** (5 - guard):
                    return image
        return image

    def _weights(self):
        self.require_numbers()
        return to_mpf(self.fold), to_mpf(self.unfolded)

    def require_numbers(self) -> None:
        """An error when the slopes are symbols and a number is asked for."""
        if self.fold.free_symbols:
            names = symbol_names(self.fold.free_symbols)
            raise UnsupportedError(f"the slopes contain the symbols {names}; give numbers to evaluate")

    gap = staticmethod(arccosine.gap_map)
    gap_slope = staticmethod(arccosine.gap_slope)


def check_correlation(value: Expr, name: str = "correlation") -> None:
    """An error unless -1 <= value <= 1."""
    if not value.is_number:
        raise InputError(f"{name} = {value} is not a number; give a number in [-1, 1]")
    if not bool(abs(value) <= 1):
        raise InputError(f"{name} = {value} is outside [-1, 1]; give the correlation of two inputs")


def _order(order: int) -> int:
    if not isinstance(order, int) or order < 2:
        raise InputError(f"order = {order} is not a whole number of at least 2; ask for a power of t to stop at")
    return order

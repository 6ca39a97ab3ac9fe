"""The correlation map of a ReLU-like activation, in the three forms the toolkit uses.

f takes the correlation c of two preactivations to that of the next layer, normalised so that f(1) = 1 and
f'(1) = 1 (a positively homogeneous activation without bias has this map whatever sigma_w is).  It depends on
the slopes through the asymmetry rho = (a+ - a-)^2/(pi (a+^2 + a-^2)) alone:

    closed form   f(c) = c + rho (sqrt(1 - c^2) - c arccos c)
    expansion     f = 1 - t^2 + (2 sqrt(2)/3) rho t^3 + ...,  t = sqrt(1 - c)
    numbers       to any number of digits, computed in the gap 1 - c
"""

from dataclasses import dataclass

from sympy import Expr, Integer, Symbol, asin, pi, sqrt, sstr

from asympt.errors import UnsupportedError
from asympt.expansions import Expansion
from asympt.gaussian.closed import arccosine
from asympt.gaussian.price import relu_like as price_expansion
from asympt.meanfield.correlation import SCALE_FREE, CorrelationMap, check_order
from asympt.numbers import symbol_names, to_mpf
from asympt.symbols import named


@dataclass(frozen=True, repr=False)
class ReluLikeMap(CorrelationMap, serves=SCALE_FREE):
    """f, with `kink_weight` = kappa = pi rho/2 and `linear_weight` = 1 - kappa (both exact).

    >>> f = ReluLikeMap.with_asymmetry(1 / pi)
    >>> f.closed_slope
    -acos(c)/pi + 1
    """

    kink_weight: Expr
    linear_weight: Expr

    @classmethod
    def of_source(cls, source) -> "ReluLikeMap":
        """The map of a layer without bias, or of a ReLU-like activation."""
        return cls(source.kink_weight, source.linear_weight)

    @classmethod
    def with_asymmetry(cls, rho: Expr) -> "ReluLikeMap":
        """The map with a given (possibly symbolic) rho."""
        return cls(pi * rho / 2, 1 - pi * rho / 2)

    def _source(self) -> str:
        return f"f({self.variable}) = {sstr(self.closed_form)}"

    @property
    def multiplier(self) -> Expr:
        """f'(1) = 1."""
        return Integer(1)

    @property
    def asymmetry(self) -> Expr:
        """rho, the coefficient of arccos in f'(c) = 1 - rho arccos(c)."""
        return 2 * self.kink_weight / pi

    @property
    def closed_form(self) -> Expr:
        """f(c) as a SymPy expression in c (HDR, proof of Appendix Lemma 7, for ReLU)."""
        return arccosine.closed_form(self.asymmetry, self.variable)

    @property
    def closed_slope(self) -> Expr:
        """f'(c) as a SymPy expression in c."""
        return arccosine.closed_slope(self.asymmetry, self.variable)

    @property
    def variable(self) -> Symbol:
        """c, the variable of the closed forms; c_0 where a slope is called c."""
        return named([arccosine.C], self.asymmetry.free_symbols)[arccosine.C]

    def gap_in_uniformiser(self, t: Symbol) -> Expr:
        """1 - f as a closed form in t = sqrt(1 - c): theta = 2 asin(t/sqrt 2), sin theta = t sqrt(2 - t^2)."""
        theta = 2 * asin(t / sqrt(2))
        return t**2 - self.asymmetry * (t * sqrt(2 - t**2) - theta * (1 - t**2))

    def slope_in_uniformiser(self, t: Symbol) -> Expr:
        """f' as a closed form in t."""
        return 1 - 2 * self.asymmetry * asin(t / sqrt(2))

    def expansion(self, order: int = 9) -> Expansion:
        """f as an expansion in t = sqrt(1 - c), up to t^order, exact."""
        return price_expansion.value_level(self.asymmetry, check_order(order))

    def slope_expansion(self, order: int = 9) -> Expansion:
        """f' as an expansion in t = sqrt(1 - c), up to t^order, exact."""
        return price_expansion.slope_level(self.asymmetry, check_order(order))

    def gap(self, gamma):
        """1 - f(1 - gamma)."""
        return arccosine.gap_map(gamma, *self._weights())

    def gap_slope(self, gamma):
        """f'(1 - gamma)."""
        return arccosine.gap_slope(gamma, *self._weights())

    def _weights(self):
        return to_mpf(self.kink_weight), to_mpf(self.linear_weight)

    def require_numbers(self) -> None:
        """An error when the slopes are symbols and a number is asked for."""
        if self.kink_weight.free_symbols:
            names = symbol_names(self.kink_weight.free_symbols)
            raise UnsupportedError(f"the slopes contain the symbols {names}; give numbers to evaluate")

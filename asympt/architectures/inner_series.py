"""The correlation map at its fixed point c* < 1 as the solvers want it.

Rule.  In the distance y = (1 - c) - (1 - c*) the map is y' = -sum_n f^(n)(c*) (-y)^n/n!, so

    y'/y = f'(c*) - f''(c*)/2 y + f'''(c*)/6 y^2 - ...,    f' = sum_n f^(n+1)(c*) (-y)^n/n!,    f = c* + ...

The derivatives are constants chi_*, f''(c*), ..., known by their digits (`CorrelationMap.derivative`).  Inside (-1, 1)
f is analytic whatever phi is, so there are no half powers.

A derivative of which the first DIGITS digits vanish is taken to be 0, as those of even order of an odd f at c* = 0.

Tiny case.  f(c) = (c + c^3)/2 has c* = 0 and chi* = 1/2.

Known limits.  Whether a derivative vanishes is decided by digits.
"""

from functools import cached_property

import mpmath
from mpmath import mp
from sympy import Expr, Integer, factorial

from asympt.architectures.map_series import derivative_latex
from asympt.architectures.named_constants import Coefficient, key_of
from asympt.expansions.opaque import RealConstant
from asympt.meanfield.correlation import CorrelationMap
from asympt.meanfield.layer import Layer

DIGITS = 40  # by which a number that vanishes is told
WORKING = 60  # digits at which all constants are computed first: whoever decides signs asks for as many
CHECKED = 12  # derivatives for which that is looked at


class InnerSeries:
    """Coefficients at c*."""

    def __init__(self, layer: Layer):
        self.layer, self.map, self._found = layer, CorrelationMap.of(layer), {}

    @cached_property
    def fixed_gap(self) -> Expr:
        """1 - c*: 1 when c* = 0, else 1 minus the constant c_*."""
        with mp.workdps(WORKING + 20):
            if abs(self.map.gap(mpmath.mpf(1)) - 1) < mpmath.mpf(10) ** (10 - DIGITS):
                return Integer(1)
        digits = lambda: 1 - self.map.fixed_gap()  # noqa: E731
        return 1 - RealConstant("c_star", digits, f"c* of {self._key}", "c_{*}")

    @property
    def point(self) -> Expr:
        """c*."""
        return 1 - self.fixed_gap

    def ratio(self, count: int) -> list[Expr]:
        """The first `count` coefficients of y'/y."""
        return [(-1) ** k * self.derivative(k + 1) / factorial(k + 1) for k in range(count)]

    def slope(self, count: int) -> list[Expr]:
        """The first `count` coefficients of f' in y."""
        return [(-1) ** k * self.derivative(k + 1) / factorial(k) for k in range(count)]

    def value(self, count: int) -> list[Expr]:
        """The first `count` coefficients of f in y."""
        rest = [(-1) ** k * self.derivative(k) / factorial(k) for k in range(1, count)]
        return [self.point, *rest][:count]

    def derivative(self, n: int) -> Expr:
        """f^(n)(c*)."""
        if n not in self._found:
            self._found[n] = self._fresh(n)
        return self._found[n]

    def _fresh(self, n: int) -> Expr:
        if n <= CHECKED and self._vanishes(n):
            return Integer(0)
        name, latex = ("chi_star", r"\chi_{*}") if n == 1 else (f"f{n}_star", derivative_latex(n, "c_{*}"))
        return Coefficient(name, lambda: self._number(n), f"f^({n})(c*) of {self._key}", latex)

    def _number(self, n: int):
        return self.map.derivative(self.point, n, mp.dps)

    def _vanishes(self, n: int) -> bool:
        with mp.workdps(WORKING):
            return abs(self._number(n)) < mpmath.mpf(10) ** -DIGITS

    @cached_property
    def _key(self) -> str:
        return key_of(self.layer)

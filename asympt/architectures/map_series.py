"""The variance map at its fixed point as the solvers want it: coefficients of x'/x.

Rule.  at q = 0     V = sigma_w^2 sum_k (s_k^+ + s_k^-)/2 E|Z|^k q^(k/2), s_k^+- the coefficients of phi^2 on
                    either side of 0; breakpoints elsewhere contribute exp(-const/q), beyond all orders
       at q* > 0    V_k = V^(k)(q*)/k!

Tiny case.  tanh, sigma_w = 1: V = q - 2 q^2 + ...

Known limits.  At q = 0 phi must be a power series on either side of 0.
"""

from functools import cached_property

from sympy import Expr, Integer, Rational, factorial, gamma, pi, sqrt

from asympt.architectures.named_constants import Coefficient, derivative_latex, key_of
from asympt.expansions.formulas.puiseux import Y, puiseux
from asympt.expansions.series import product
from asympt.gaussian.piecewise import PiecewiseSmooth
from asympt.meanfield.layer import Layer
from asympt.precise import VarianceDerivatives


class VarianceAtZero:
    """V at q = 0."""

    def __init__(self, layer: Layer):
        self.phi, self.weight = layer.activation.piecewise, layer.weight_variance
        self._known: list[Expr] = []

    @cached_property
    def root(self) -> int:
        """1 when V is a power series in q, 2 when it has half-integer powers."""
        return 2 if any(c != 0 for c in self._in_root(12)[1::2]) else 1

    def ratio(self, count: int) -> list[Expr]:
        """The first `count` coefficients of V(q)/q in q^(1/root)."""
        return self._in_root(2 * count + 1)[2:: 2 // self.root][:count]

    def _in_root(self, count: int) -> list[Expr]:
        """Coefficients of V in sqrt(q)."""
        if len(self._known) < count:
            right, left = (_squared(piece, count) for piece in self._sides)
            halves = [(a + b) / 2 for a, b in zip(right, left, strict=True)]
            self._known = [self.weight * half * absolute_moment(k) for k, half in enumerate(halves)]
        return self._known[:count]

    @property
    def _sides(self) -> tuple[Expr, Expr]:
        """phi(y) and phi(-y) as formulas for y > 0."""
        phi: PiecewiseSmooth = self.phi
        index = sum(bool(point < 0) for point in phi.breaks)
        at_zero, x = 0 in phi.breaks, phi.symbol
        return phi.pieces[index + at_zero].subs(x, Y), phi.pieces[index].subs(x, -Y)


def _squared(formula: Expr, count: int) -> list[Expr]:
    """The coefficients of the square of a formula in y."""
    if formula == 0:
        return [Integer(0)] * count
    series = puiseux(formula, Y, count)
    plain = [Integer(0)] * series.valuation + list(series.coefficients)
    return [c.expand() for c in product(plain[:count], plain[:count], count)]


def absolute_moment(k: int) -> Expr:
    """E|Z|^k = 2^(k/2) Gamma((k + 1)/2)/sqrt(pi).

    >>> absolute_moment(4), absolute_moment(1)
    (3, sqrt(2)/sqrt(pi))
    """
    return (2 ** Rational(k, 2) * gamma(Rational(k + 1, 2)) / sqrt(pi)).expand()


class VarianceAtFixedPoint:
    """V at q* > 0, in y = q - q*."""

    root = 1

    def __init__(self, layer: Layer, q: Expr):
        self.q, self.key, self.numbers = q, key_of(layer), VarianceDerivatives(layer, q)

    def ratio(self, count: int) -> list[Expr]:
        """The first `count` coefficients of y'/y in y."""
        self.numbers.reach = max(self.numbers.reach, count)
        return [self._derivative(n) / factorial(n) for n in range(1, count + 1)]

    def _derivative(self, n: int) -> Expr:
        def digits():
            return int(factorial(n)) * self.numbers(n)

        return Coefficient(f"V{n}", digits, ("derivative of V", n, self.q, self.key), derivative_latex(n, "q", "V"))

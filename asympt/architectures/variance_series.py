"""The variance map as the solvers want it: at q = 0 exactly, at a fixed point q > 0 by named derivatives.

Rule.  At 0, with phi(x) = sum p_k x^k for x > 0 and the same in |x| to the left, s_k^+- the coefficients of phi^2,

    V(q) = sigma_w^2 sum_k (s_k^+ + s_k^-)/2 E|Z|^k q^(k/2),     E|Z|^k = 2^(k/2) Gamma((k + 1)/2)/sqrt(pi);

odd k cancel where phi is smooth (root 1), otherwise the uniformiser is sqrt(q) (root 2).  Breakpoints away from 0
contribute exp(-const/q), beyond all orders.  At q* > 0 in y = q - q*

    y'/y = V'(q*) + V''(q*)/2 y + ...,

with derivatives known by their digits (`precise.variance`).

Tiny case.  tanh, sigma_w = 1: x^2 - (2/3) x^4 + ... gives V = q - 2 q^2 + ...

Known limits.  phi must be a power series on either side of 0.
"""

from functools import cached_property

from sympy import Expr, Integer, Rational, factorial, gamma, pi, sqrt

from asympt.architectures.named_constants import Coefficient, key_of
from asympt.expansions.puiseux import Y, puiseux
from asympt.expansions.series import product
from asympt.gaussian.piecewise import PiecewiseSmooth
from asympt.meanfield.layer import Layer
from asympt.precise import VarianceDerivatives


class SeriesAtZero:
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
            right, left = (_squared(piece, sign, count) for piece, sign in self._sides)
            halves = [(a + b) / 2 for a, b in zip(right, left, strict=True)]
            self._known = [self.weight * half * absolute_moment(k) for k, half in enumerate(halves)]
        return self._known[:count]

    @property
    def _sides(self) -> tuple:
        """The formulas of phi to the right and to the left of 0."""
        phi: PiecewiseSmooth = self.phi
        index = sum(bool(point < 0) for point in phi.breaks)
        at_zero = 0 in phi.breaks
        x = phi.symbol
        return (phi.pieces[index + at_zero].subs(x, Y), 1), (phi.pieces[index].subs(x, -Y), -1)


def _squared(piece: Expr, sign: int, count: int) -> list[Expr]:
    """The coefficients of phi(sign y)^2 in y; the formula has been written in y already."""
    if piece == 0:
        return [Integer(0)] * count
    series = puiseux(piece, Y, count)
    plain = [Integer(0)] * series.valuation + list(series.coefficients)
    return [c.expand() for c in product(plain[:count], plain[:count], count)]


def absolute_moment(k: int) -> Expr:
    """E|Z|^k.

    >>> absolute_moment(4), absolute_moment(1)
    (3, sqrt(2)/sqrt(pi))
    """
    return (2 ** Rational(k, 2) * gamma(Rational(k + 1, 2)) / sqrt(pi)).expand()


class SeriesAtFixedPoint:
    """V at q* > 0."""

    root = 1

    def __init__(self, layer: Layer, q: Expr):
        self.layer, self.q, self.numbers = layer, q, VarianceDerivatives(layer, q)

    def ratio(self, count: int) -> list[Expr]:
        """The first `count` coefficients of y'/y in y."""
        self.numbers.reach = max(self.numbers.reach, count)
        return [self._derivative(n) / factorial(n) for n in range(1, count + 1)]

    def _derivative(self, n: int) -> Expr:
        name, latex = f"V{n}", f"V{chr(39) * n}(q)" if n <= 3 else f"V^{{({n})}}(q)"
        digits = lambda: int(factorial(n)) * self.numbers(n)  # noqa: E731
        return Coefficient(name, digits, f"V^({n})({self.q}) of {self._key}", latex)

    @cached_property
    def _key(self) -> str:
        return key_of(self.layer)

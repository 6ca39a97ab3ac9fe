"""The law of the variance q^l of one input, q^(l+1) = V(q^l), where it is not constant.

    q* > 0               V'(q*) < 1:    q^l = q* + C V'(q*)^l + ...                     hyperbolic
    q* = 0, V'(0) < 1    sigma_b = 0, sigma_w |phi'(0)| < 1:  q^l = C V'(0)^l + ...     hyperbolic, exact coefficients
    q* = 0, V'(0) = 1    PDLT's class K* = 0:  q^l = -1/(a_1 l) + ...                   parabolic, exact coefficients
    ReLU-like phi        q' = g q + sigma_b^2 with g = chi, or 1 + alpha with a skip connection: solved for every l
"""

from dataclasses import replace
from functools import cached_property, lru_cache

from sympy import Expr, Integer, Rational, factorial, gamma, pi, sqrt

from asympt.architectures.law_parts import Coefficient, derivative_latex, exact_law, key_of, read_variance
from asympt.architectures.relu_like import LAYER
from asympt.errors import UnsupportedError
from asympt.expansions import Expansion, Monomial, Scale
from asympt.expansions.formulas.puiseux import Y, puiseux
from asympt.expansions.scale import Exponential
from asympt.expansions.series import product
from asympt.gaussian.piecewise import PiecewiseSmooth
from asympt.meanfield.layer import Layer
from asympt.meanfield.statement import Statement
from asympt.precise import VarianceDerivatives, VarianceStep
from asympt.recursions.autonomous import hyperbolic_law, parabolic_law
from asympt.recursions.coordinates.abel_inversion import CONNECTION
from asympt.recursions.fixed_point import FixedPoint
from asympt.recursions.law import Law
from asympt.recursions.protocol import Dynamics

QUANTITY = "q^{l}"


class VarianceFixedPoint(FixedPoint):
    """The fixed point of the variance, read as q^l."""

    quantity, shapes = QUANTITY, ("q^{{{}}}", "q^{}")


def variance_law(statement: Statement, terms: int) -> Law:
    """The law of q^l, no skip connection."""
    layer = statement.layer
    if layer.activation.is_relu_like:
        return affine_variance_law(statement)
    q = layer.fixed_variance
    fixed, dynamics = VarianceFixedPoint(q), _dynamics(layer, q)
    reader = read_variance if q == 0 else lambda variance=None: read_variance(variance) - q
    derive = parabolic_law if dynamics.ratio(1)[0] == 1 else hyperbolic_law
    return replace(derive(dynamics, fixed, terms, reader, LAYER), name="variance", layer=statement)


@lru_cache(maxsize=256)
def _dynamics(layer: Layer, q: Expr) -> Dynamics:
    series = VarianceAtZero(layer) if q == 0 else VarianceAtFixedPoint(layer, q)
    return Dynamics(series.ratio, VarianceStep(layer, q), root=series.root, first=1, costly=q != 0)


def affine_variance_law(statement: Statement) -> Law:
    """q' = g q + sigma_b^2 of a ReLU-like phi: q* + g^(l-1) (q^1 - q*), or q^1 + (l - 1) sigma_b^2 for g = 1."""
    growth, bias = statement.growth.factor(), statement.layer.bias_variance
    if growth == 1 and bias == 0:
        raise UnsupportedError(
            f"activation {statement.activation.name!r} with sigma_w = {sqrt(statement.layer.weight_variance)} and no "
            "bias keeps the variance of every input, q^l = q^1; there is no law of its approach"
        )
    if growth == 1:
        expansion = Expansion.build(Scale.at_infinity(LAYER), {(-1, 0): bias, (0, 0): CONNECTION})
        return _exact(statement, expansion, lambda start: start - bias)
    is_growing = statement.skip or growth > 1
    fixed = -bias / (growth - 1) if is_growing else bias / (1 - growth)
    moving, resting = (Monomial(-1 if is_growing else 1), CONNECTION), (Monomial(0), fixed)
    terms = (moving, resting) if is_growing else (resting, moving)
    scale, kept = Exponential(LAYER, base=1 / growth if is_growing else growth), tuple(t for t in terms if t[1] != 0)
    return _exact(statement, Expansion(scale, kept), lambda start: (start - fixed) / growth)


def _exact(statement: Statement, expansion: Expansion, constant) -> Law:
    return exact_law(QUANTITY, expansion, read_variance, "variance", constant=constant, layer=statement)


# ---- the variance map at its fixed point as the solvers want it: coefficients of x'/x ------------------
#
# at q = 0     V = sigma_w^2 sum_k (s_k^+ + s_k^-)/2 E|Z|^k q^(k/2), s_k^+- the coefficients of phi^2 on
#                     either side of 0; breakpoints elsewhere contribute exp(-const/q), beyond all orders
#        at q* > 0    V_k = V^(k)(q*)/k!


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

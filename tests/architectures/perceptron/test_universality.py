"""Universality classes: PDLT's constants a_1, b_1 against quadrature, and what belongs to neither class."""

import pytest
from mpmath import mp, mpf, quad
from sympy import Rational, Symbol, cos, lambdify, sin, sqrt, tanh

from asympt.architectures.perceptron.components import (
    SCALE_INVARIANT,
    VANISHING,
    universality_of,
)
from asympt.errors import UnsupportedError
from asympt.meanfield.activations import Activation, activation

X = Symbol("x", real=True)
MIXED = Activation(sin(X) + (1 - cos(X)) / 2, X)


@pytest.mark.parametrize("phi", [activation("tanh"), activation("sin"), activation("arctan"), MIXED], ids=str)
def test_a1_and_b1_by_quadrature(phi):
    """C_W <s s>/K - 1 and C_W <s' s'> - 1 over K at K = 1e-8, by mpmath.quad."""
    found, slope = universality_of(phi), phi.expression.diff(X)
    with mp.workdps(30):
        small = mpf(10) ** -8
        weight = mpf(found.weight_variance.evalf(30)._mpf_)

        def mean(expression):
            function = lambdify(X, expression, "mpmath")
            return quad(lambda z: function(mp.sqrt(small) * z) ** 2 * mp.npdf(z), [-13, -6, 0, 6, 13], maxdegree=5)

        second = (weight * mean(phi.expression) / small - 1) / small
        first = (weight * mean(slope) - 1) / small
    assert float(second) == pytest.approx(float(found.a1), rel=1e-6)
    assert float(first) == pytest.approx(float(found.b1), rel=1e-6)


def test_classes():
    assert universality_of(activation("leaky_relu", slope="1/10")).name == SCALE_INVARIANT
    assert universality_of(activation("leaky_relu", slope="1/10")).exponent is None
    assert universality_of(activation("tanh")).name == VANISHING
    assert universality_of(activation("tanh")).exponent == 1
    assert universality_of(MIXED).exponent == Rational(12, 13)


@pytest.mark.parametrize(
    ("phi", "words"),
    [
        (activation("silu"), "a_1 = 3/4"),
        (activation("cos"), r"phi\(0\) = 1"),
        (activation("hard_tanh"), "breakpoints"),
        (Activation(X * tanh(X), X), r"phi'\(0\) = 0"),
        (Activation(sin(X) + (1 - cos(X)) * 2 / sqrt(3), X), "a_1 = 0"),
    ],
)
def test_neither_class(phi, words):
    with pytest.raises(UnsupportedError, match=words):
        universality_of(phi)

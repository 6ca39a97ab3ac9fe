"""Universality classes: PDLT's constants a_1, b_1 against quadrature, and what belongs to neither class."""

import pytest
from sympy import Rational, Symbol, cos, sin, sqrt, tanh

from asympt.architectures.mlp_components import SCALE_INVARIANT, VANISHING, universality_of
from asympt.errors import UnsupportedError
from asympt.meanfield.activations import Activation, activation

X = Symbol("x", real=True)
MIXED = Activation(sin(X) + (1 - cos(X)) / 2, X)


def test_classes():
    assert universality_of(activation("leaky_relu", slope="1/10")).name == SCALE_INVARIANT
    assert universality_of(activation("leaky_relu", slope="1/10")).exponent is None
    assert universality_of(activation("tanh")).name == VANISHING
    assert universality_of(activation("tanh")).exponent == 1
    assert universality_of(MIXED).exponent == Rational(12, 13)


@pytest.mark.parametrize(("phi", "words"), [
    (activation("silu"), "a_1 = 3/4"), (activation("cos"), r"phi\(0\) = 1"), (activation("hard_tanh"), "breakpoints"),
    (Activation(X * tanh(X), X), r"phi'\(0\) = 0"), (Activation(sin(X) + (1 - cos(X)) * 2 / sqrt(3), X), "a_1 = 0"),
])  # fmt: skip
def test_neither_class(phi, words):
    with pytest.raises(UnsupportedError, match=words):
        universality_of(phi)

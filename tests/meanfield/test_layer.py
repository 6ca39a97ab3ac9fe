"""The statement of a layer: gain and weights, by hand."""

import pytest
from sympy import Rational, Symbol, simplify, symbols

from asympt import FeedForward, activation
from asympt.meanfield import Layer


def test_gain_and_weights_by_hand():
    # chi = sigma_w^2 (a^2 + b^2)/2, kappa = (a - b)^2/(2 (a^2 + b^2)) at a = 2, b = -3/7
    layer = Layer(activation("relu_like", right=2, left="-3/7"), Rational(9, 4), Rational(1, 4))
    assert layer.chi == Rational(9, 4) * (4 + Rational(9, 49)) / 2
    assert layer.kink_weight == (2 + Rational(3, 7)) ** 2 / (2 * (4 + Rational(9, 49)))
    assert layer.kink_weight + layer.linear_weight == 1


def test_weights_add_up_for_symbols():
    a, b = symbols("a b", real=True)
    layer = Layer(activation("relu_like", right=a, left=b), Symbol("w"), Rational(0))
    assert simplify(layer.kink_weight + layer.linear_weight) == 1


@pytest.mark.parametrize("slope", ["0", "1/10", "-1", "9/10", "-7"])
def test_the_fold_is_a_weight(slope):
    assert 0 <= activation("leaky_relu", slope=slope).kink_weight <= 1


def test_a_network_states_its_variances():
    layer = FeedForward("relu", sigma_w="3/2", sigma_b="1/5").layer
    assert (layer.weight_variance, layer.bias_variance) == (Rational(9, 4), Rational(1, 25))

"""Residual networks with biases or with a phi that has two straight lines far out."""

import pytest
from mpmath import mp, mpf
from sympy import Rational, Symbol, sqrt

from asympt.architectures.resnet import ResNet
from asympt.architectures.tails import tails
from asympt.errors import InputError, UnsupportedError
from asympt.meanfield.activations import Activation, activation

X = Symbol("x", real=True)


def relu_with_bias(depth: int):
    """(1 - c, K/(q L)) of ReLU with sigma_w = sigma_b = 1, q^1 = 2, c^1 = 1/10, in covariances."""
    q, s = mpf(2), mpf(1) / 5
    kernel = s
    for _ in range(depth - 1):
        angle = mp.acos(s / q)
        value, slope = q * (mp.sin(angle) + (mp.pi - angle) * s / q) / (2 * mp.pi), (mp.pi - angle) / (2 * mp.pi)
        kernel = (1 + slope) * kernel + 1 + value
        q, s = q + 1 + q / 2, s + 1 + value
    return 1 - s / q, kernel / (q * depth), q


@pytest.mark.parametrize("depth", [1, 3, 60, 150, 3000])
def test_relu_with_bias_against_a_plain_iteration(depth):
    net = ResNet("relu", sigma_w=1, sigma_b=1)
    start = {"variance": 2, "correlation": "1/10"}
    gap = net.correlation_law(2).evaluate(depth=depth, digits=30, **start)
    kernel = net.ntk_law(2).evaluate(depth=depth, digits=30, **start)
    with mp.workdps(60):
        expected = relu_with_bias(depth)
        assert abs(gap / expected[0] - 1) < mpf(10) ** -29
        assert abs(kernel / expected[1] - 1) < mpf(10) ** -29


def test_the_formula_is_that_of_the_two_slopes():
    elu, relu = ResNet("elu", sigma_w=2, sigma_b=1), ResNet("relu", sigma_w=2)
    assert str(elu.ntk_law(4)) == str(relu.ntk_law(4))
    assert str(elu.correlation_law(3)) == str(relu.correlation_law(3))
    assert elu.ntk_law(2).kind == "growing"
    assert elu.phase == "edge of chaos"


def test_the_variance_against_a_plain_iteration():
    """phi = |x| + x/2 - 1/2: E[phi^2] = 5 q/4 - sqrt(2 q/pi) + 1/4, so q_l/g^l settles like g^(-l/2), g = 9/4."""
    law = ResNet(Activation(abs(X) + X / 2 - Rational(1, 2), X, name="tilted")).variance_law(3)
    assert str(law) == "(9/4)^l*C + O((3/2)^l)"
    with mp.workdps(40):
        q = mpf(3)
        for _ in range(59):
            q += 5 * q / 4 - mp.sqrt(2 * q / mp.pi) + mpf(1) / 4
        assert abs(law.evaluate(depth=60, variance=3, digits=30) / q - 1) < mpf(10) ** -29
    assert law.evaluate(depth=1, variance=3) == 3


@pytest.mark.parametrize(("name", "kind", "fast"), [
    ("gelu", "growing", True), ("softplus", "growing", True), ("tanh", "bounded", True), ("arctan", "bounded", False),
    ("sin", "other", False), ("exp", "other", False), ("gaussian", "other", True), ("linear", "line", True),
])  # fmt: skip
def test_tails(name, kind, fast):
    found = tails(activation(name))
    assert (found.kind, found.is_fast) == (kind, fast)


def test_what_is_refused(refused):
    refused(lambda: ResNet("monomial").ntk_law(), "neither straight lines nor limits", UnsupportedError)
    with pytest.raises(UnsupportedError, match="one straight line far from 0"):
        ResNet(Activation(X + 1 / (1 + X**2), X, name="bump")).correlation_law()
    refused(lambda: ResNet("elu").ntk_diagonal_law(), "maps of its own", UnsupportedError)
    with pytest.raises(UnsupportedError, match="contains the symbols a"):
        ResNet(Activation(Symbol("a", positive=True) * X + abs(X) + 1, X, name="free")).ntk_law()
    law = ResNet("relu", sigma_b=1).ntk_law(2)
    refused(lambda: law.evaluate(depth=3, gap=0, variance=1), "one input twice", InputError)
    free = ResNet("elu", sigma_w=Symbol("w", positive=True), sigma_b=Symbol("b", positive=True))
    refused(lambda: free.ntk_law(2).evaluate(depth=3, correlation="1/2", variance=1), "symbols b, w", UnsupportedError)
    refused(lambda: law.evaluate(depth=3, correlation="1/10"), "variance", InputError)
    with pytest.raises(UnsupportedError, match="no closed form at large"):
        slow = Activation(abs(X) + X**2 / (1 + X**2), X, name="slow")
        ResNet(slow, sigma_w=sqrt(2)).ntk_law(2).evaluate(depth=100, correlation="1/10", variance=1)

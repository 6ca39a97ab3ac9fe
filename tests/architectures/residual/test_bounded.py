"""Residual networks with a bounded activation: leading orders of the laws of variance and kernels."""

import math

import pytest
from mpmath import mp, mpf
from sympy import Heaviside, Symbol

from asympt.architectures.residual import exponent, fixed_correlation
from asympt.architectures.resnet import ResNet
from asympt.errors import UnsupportedError
from asympt.meanfield.activations import Activation
from tests.architectures.plain import residual_erf_orbit

X = Symbol("x", real=True)
TANH_EXPONENT = 1 - 2 / math.pi


def test_the_variance_of_erf_against_a_plain_iteration():
    law = ResNet("erf").variance_law(4)
    with mp.workdps(40):
        q = mpf(1)
        for _ in range(299):
            q += 2 / mp.pi * mp.asin(2 * q / (1 + 2 * q))
    assert abs(law.evaluate(300, variance=1, digits=12) / q - 1) < mpf(10) ** -12
    assert str(law) == "l + O(sqrt(l))"


def test_a_step_adds_the_same_in_every_layer():
    law = ResNet(Activation(Heaviside(X), X, name="step"), sigma_w=2, sigma_b=1).variance_law()
    assert law.kind == "exact"
    assert law.evaluate(depth=11, variance=5) == 35


def test_the_exponent_of_erf_without_bias():
    net = ResNet("erf")
    assert str(net.correlation_law(2)) == "1 - D*l^(-1 + 2/pi) + O(1/l^(3/2 - 2/pi))"
    found = residual_erf_orbit(0.0, 0.5, (10**3, 10**4, 10**5))
    rates = [math.log10(found[10 * d][0] / found[d][0]) for d in (10**3, 10**4)]
    assert rates[1] == pytest.approx(-TANH_EXPONENT, abs=2e-3)
    # the rest is of relative order l^(-1/2): it falls by about sqrt(10) a decade
    assert 2 < (rates[0] + TANH_EXPONENT) / (rates[1] + TANH_EXPONENT) < 5


def test_the_log_of_the_kernel_without_bias():
    """K/q = (2 D/pi) log(L)/L^p + E L^(-p): over c, its growth per unit of log L tends to 2/pi."""
    found = residual_erf_orbit(0.0, 0.5, (10**4, 10**5))
    ratios = [found[d][1] / found[d][0] for d in (10**4, 10**5)]
    assert (ratios[1] - ratios[0]) / math.log(10) == pytest.approx(2 / math.pi, rel=0.02)


def test_limits_with_bias():
    """From two sides towards c*, and K/q towards c*/p."""
    net = ResNet("erf", sigma_b=1)
    limit = float(fixed_correlation(net.statement).evalf(15))
    theta = math.acos(limit)
    assert 1 - math.cos(theta) == pytest.approx(theta / math.pi, rel=1e-12)  # a = 1/2
    law = net.ntk_law(2)
    assert float(law.limit.evalf(15)) == pytest.approx(limit / float(exponent(net.statement).evalf(15)), rel=1e-12)
    left = {c: residual_erf_orbit(1.0, c, (10**3, 10**5)) for c in (0.0, 0.5)}
    for found in left.values():
        assert 3 < (found[10**3][0] - limit) / (found[10**5][0] - limit) < 12  # 100^p = 9.2, and l^(-1/2) beside it
        assert abs(found[10**5][1] - float(law.limit)) < 0.75 * abs(found[10**3][1] - float(law.limit))


def test_slow_tails():
    assert str(ResNet("arctan").correlation_law(2)) == "1 - D*l^(-1 + 2/pi) + O(l^(-3/2 + 2/pi)*log(l))"
    assert str(ResNet("softsign").variance_law()) == "l + O(sqrt(l)*log(l))"


def test_what_is_refused(refused):
    with pytest.raises(UnsupportedError, match="same limit"):
        ResNet(Activation(X**2 / (1 + X**4) + 1, X, name="bump")).correlation_law()
    refused(lambda: ResNet("erf", sigma_w=Symbol("w", positive=True)).correlation_law(), "symbols w", UnsupportedError)
    with pytest.raises(UnsupportedError, match="no formula"):
        ResNet("erf").correlation_law().connection_constant(correlation="1/2", variance=1)
    refused(lambda: ResNet("step").ntk_law(), "jumps at", UnsupportedError)
    refused(lambda: ResNet("gaussian").correlation_law(), "neither straight lines", UnsupportedError)

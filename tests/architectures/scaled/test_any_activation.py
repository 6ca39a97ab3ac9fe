"""Scaled residual networks in which the variance moves the map: against plain recursions in covariances, float64."""

import math
from dataclasses import replace
from itertools import pairwise

import pytest
from mpmath import mp, mpf
from sympy import Rational, pi

import asympt as asy
from asympt.architectures.resnet import ScaledResNet
from asympt.errors import InputError, UnsupportedError
from asympt.evidence.growing import symbolic_checks, variance_check
from tests.architectures.plain import residual_erf_orbit


def test_biases_keep_the_law_of_relu_without():
    net = ScaledResNet("relu", sigma_w=2, sigma_b=1)
    assert str(net.ntk_law(2)) == "log(L)/2 + C/4 + O(1/log(L))"
    assert net.correlation_law(3).expansion == ScaledResNet("relu", sigma_w=2).correlation_law(3).expansion


def test_the_variance_with_biases_is_exact():
    """alpha = 1/2: q + 2 is multiplied by 1 + 1/(2 l)."""
    law, q = ScaledResNet("relu", sigma_b=1).variance_law(2), Rational(3)
    for layer in range(2, 31):
        q += (q / 2 + 1) / layer
    assert law.evaluate(depth=30, variance=3, digits=25) == pytest.approx(float(q), rel=1e-14)
    assert str(law) == "C*sqrt(l) - 2 + O(1/sqrt(l))"
    assert asy.verify(law).verdict == "checked"


def test_the_power_of_the_clock():
    """kappa = 1/2 and no bias: c falls like l^(-p/2), p = 1 - 2/pi; the rest is of relative order l^(-1/4)."""
    net = ScaledResNet("erf", kappa="1/2")
    assert str(net.correlation_law(2)) == "1 - D*l^(-1/2 + 1/pi) + O(1/l^(3/4 - 1/pi))"
    assert str(net.ntk_law(1)) == "D*L^(-1/2 + 1/pi)*log(L)/pi + O(1/L^(1/2 - 1/pi))"
    found = residual_erf_orbit(0.0, 0.5, (10**3, 10**4, 10**5), kappa=0.5)
    rates = [math.log10(found[10 * d][0] / found[d][0]) + (1 - 2 / math.pi) / 2 for d in (10**3, 10**4)]
    assert 1.4 < rates[0] / rates[1] < 2.4  # 10^(1/4) = 1.78
    ratios = [found[d][1] / found[d][0] for d in (10**3, 10**4, 10**5)]
    excess = [(b - a) / math.log(10) - 1 / math.pi for a, b in pairwise(ratios)]
    assert 1.4 < excess[0] / excess[1] < 2.4


def test_logarithms():
    """kappa = 1: everything in log l."""
    net = ScaledResNet("erf", sigma_b=1)
    assert str(net.correlation_law(2)) == "1 - c_* - D/log(l)^p + O(1/sqrt(log(l)))"
    assert net.variance_law(2).expansion.leading[1] == 2
    assert variance_check(net.variance_law(2)).passed
    assert {m.order for m in ScaledResNet("tanh").correlation_law(2).expansion.coefficients} == {0, 1 - 2 / pi}


def precise_erf_orbit(bias, last: int) -> tuple:
    """(1 - c, q) at layer `last` of erf, sigma_w = 1, kappa = 1, from q^1 = 1, c^1 = 1/10, by Williams' kernel."""
    q, s = mpf(1), mpf(1) / 10
    for layer in range(2, last + 1):
        same, other = (2 / mp.pi * mp.asin(2 * cov / (1 + 2 * q)) for cov in (q, s))
        q, s = q + (bias + same) / layer, s + (bias + other) / layer
    return 1 - s / q, q


def test_more_digits_than_before_are_all_right():
    """Every request has an orbit of its own precision, whatever was asked for first."""
    net, start = ScaledResNet("erf", sigma_b=1), {"correlation": "1/10", "variance": 1}
    laws = (net.correlation_law(2), start), (net.variance_law(2), {"variance": 1})
    with mp.workdps(70):
        for (law, given), known in zip(laws, precise_erf_orbit(1, 8), strict=True):
            for digits in (12, 40, 25):
                assert abs(law.evaluate(depth=8, digits=digits, **given) / known - 1) < mpf(10) ** -digits


def test_verified():
    assert asy.verify(ScaledResNet("erf", sigma_b=1, sigma_w=2).ntk_law(2)).verdict == "checked"


def test_a_wrong_law_is_seen():
    """The law of sigma_w = 2 is none of sigma_w = 1, and the variance of sigma_b = 1 none of sigma_b = 2."""
    nets = [ScaledResNet("relu", sigma_w=w, sigma_b=1) for w in (2, 1)]
    mixed = replace(nets[0].correlation_law(2), layer=nets[1].statement)
    assert not all(check.passed for check in symbolic_checks(mixed))
    nets = [ScaledResNet("erf", sigma_b=b) for b in (1, 2)]
    mixed = replace(nets[0].variance_law(1), layer=nets[1].statement)
    assert not variance_check(mixed).passed


def test_what_is_refused(refused):
    refused(lambda: ScaledResNet("tanh", kappa=2).correlation_law(), "finite step", UnsupportedError)
    refused(lambda: ScaledResNet("sin").correlation_law(), "neither straight lines", UnsupportedError)
    with pytest.raises(UnsupportedError, match="followed one by one"):
        ScaledResNet("erf").correlation_law().evaluate(depth=10**6, correlation="1/2", variance=1)
    with pytest.raises(UnsupportedError, match="no formula"):
        ScaledResNet("gelu").ntk_law().connection_constant(correlation="1/2", variance=1)
    refused(lambda: ScaledResNet("gelu").ntk_law().evaluate(depth=10, correlation="1/2"), "variance", InputError)

"""Falling weights and g'(1) > 1: where c goes and how fast, against plain iteration; limits of networks scaled by L."""

import math
import warnings
from itertools import pairwise

import pytest

import asympt as asy
from asympt.errors import PrecisionError, UnsupportedError


def erf_orbit(depths: tuple, weight: float = 16.0) -> dict:
    """{l: (c, K/q)} of x + W erf(LN x), c^1 = 1/10, q_1 = 1, by Williams' arcsine kernel in float64."""
    q, s, kernel, found = 1.0, 0.1, 0.1, {}
    for layer in range(1, max(depths) + 1):
        if layer in depths:
            found[layer] = s / q, kernel / q
        c = s / q
        value, slope = 2 / math.pi * math.asin(2 * c / 3), 4 / math.pi / math.sqrt(9 - 4 * c * c)
        kernel = kernel * (1 + weight * slope / q) + weight * value
        q, s = q + weight * 2 / math.pi * math.asin(2 / 3), s + weight * value
    return found


def test_a_power_towards_zero():
    """p = 1 - g'(0), g(c) = arcsin(2 c/3)/arcsin(2/3); K/q = (1 - p) D log(L)/L^p + O(L^(-p))."""
    net, found = asy.Network("residual(layer_norm, erf, dense(4))"), erf_orbit((10**3, 10**4, 10**5))
    law, p = net.correlation_law(2), 1 - 2 / 3 / math.asin(2 / 3)
    assert float(law.expansion.terms[1][0].order.evalf(15)) == pytest.approx(p, rel=1e-12)
    assert law.limit == 1
    for d in (10**3, 10**4):
        assert math.log10(found[d][0] / found[10 * d][0]) == pytest.approx(p, abs=3e-4)
        growth = (found[10 * d][1] / found[10 * d][0] - found[d][1] / found[d][0]) / math.log(10)
        assert growth == pytest.approx(1 - p, rel=5e-3)
    ((monomial, _),) = net.ntk_law(1).expansion.terms
    assert monomial.logs == 1
    assert float(net.ntk_law(1).evaluate(depth=1000, correlation="1/10", digits=10)) == pytest.approx(found[1000][1])


@pytest.mark.parametrize("text", [
    "residual(layer_norm, erf, dense(4))",
    "residual(layer_norm, relu, dropout(4/5), dense(1))",
    "residual(layer_norm, gated(dense(1), serial(dense(1), relu)), dense(1), scale=1/sqrt(LAYER))",
])  # fmt: skip
def test_verified(text):
    net = asy.Network(text)
    for law in (net.correlation_law(2), net.ntk_law(2)):
        assert asy.verify(law).verdict == "checked"


def test_what_has_no_number(refused):
    law = asy.Network("residual(layer_norm, erf, dense(4))").correlation_law(2)
    refused(lambda: law.evaluate(depth=10**7, correlation="1/2"), "come from the layers", PrecisionError)
    refused(lambda: law.connection_constant(correlation="1/2"), "no formula", UnsupportedError)


def test_the_limit_of_a_pre_norm_network_scaled_with_its_depth():
    """L^(-1/2) in a pre-norm block: T = log(1 + v/q_1); Richardson's extrapolation of L = 100, 200, 400."""
    net = asy.Network("residual(layer_norm, relu, dense(sqrt(2)), scale=1/sqrt(DEPTH))")
    gap, kernel = net.limit(correlation="1/10", digits=12)
    rows = [net.pair(depth, correlation="1/10", digits=15)[:2] for depth in (100, 200, 400)]
    for found, values in ((gap, [row[0] for row in rows]), (kernel, [row[1] for row in rows])):
        once = [2 * b - a for a, b in pairwise(values)]
        assert abs((4 * once[1] - once[0]) / 3 - found) < 1e-7


def test_a_variance_that_overflows_settles_nowhere_and_says_so_alone():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UnsupportedError, match="settles at no positive number"):
            asy.Network("serial(exp, dense(1/2), silu, dense(2, 1))").correlation_law()

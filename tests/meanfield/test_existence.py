"""On which standard deviations an activation has its Edge of Chaos: extremes are of the curve, not of a grid."""

import math

import pytest

from asympt import edge_exists


@pytest.mark.parametrize(
    ("name", "biases", "weights"),
    [
        # exp: M_0 = M_1 = e^(2q), so sigma_b^2 = q - 1 from q = 1 on and sigma_w = e^(-q), by hand
        ("exp", (0, math.inf), (0, math.exp(-1))),
        # sin: M_1 = (1 + e^(-2q))/2, so sigma_w goes from 1 to sqrt(2), and sigma_b^2 = q - tanh(q) grows like q
        ("sin", (0, math.inf), (1, math.sqrt(2))),
        # cos: sigma_b^2 = q - coth(q), sigma_w^2 = 2/(1 - e^(-2q)), which falls from its value at q = coth(q)
        ("cos", (0, math.inf), (math.sqrt(2), math.sqrt(2 / (1 - math.exp(-2 * 1.1996786402577338))))),
        # tanh: sigma_w from 1 (q -> 0), and like q^(1/4) for q -> oo, where tanh is a step
        ("tanh", (0, math.inf), (1, math.inf)),
    ],
)
def test_the_range_of_the_curve(name, biases, weights):
    found = edge_exists(name)
    assert found.bias_range == pytest.approx(biases, abs=1e-12)
    assert found.weight_range == pytest.approx(weights, rel=1e-5)

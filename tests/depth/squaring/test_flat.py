"""Any number of layers at the price of one, against mpmath: the map iterated plainly, and the laws at great depth.

Two independent routes: up to a few thousand layers the recursion of HDR Lemma 2 in gaps, with closed forms (arccosine
kernel; Williams 1997 for erf) and 60 to 150 digits; at 10^12 layers and above the asymptotic law (`law.evaluate`).
"""

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from sympy import Rational, sqrt

import asympt as asy
from asympt.depth import pairs
from asympt.meanfield.layer import LAYER
from asympt.numbers import to_mpf
from tests import statements
from tests.depth.layers import dense, off, relu
from tests.depth.recursions import by_layers, relu_like

GAPS = [1e-15, 1e-12, 1e-8, 1e-4, 0.03, 0.4, 1.0, 1.3, 1.9, 2 - 1e-12, 2.0]


def true_relu_like(layer, slopes, gap, depth):
    """(1 - c, K/q) at the fixed point q of the variance; chi^300 = 2^-300 needs digits."""
    with mpmath.workdps(200):
        q = to_mpf(layer.fixed_variance) if layer.bias_variance else 1
    return by_layers(layer, relu_like(*slopes), gap, depth, (q, q), 200)


@pytest.mark.parametrize(("weight", "bias"), [("3/2", "1/10"), ("1", "1/5")])
@pytest.mark.parametrize("depth", [2, 30, 300])
def test_relu_with_a_bias_in_the_ordered_phase(weight, bias, depth):
    gaps, kernels = pairs(relu(weight, bias), GAPS, depth)
    for start, gap, kernel in zip(GAPS, gaps, kernels, strict=True):
        true_gap, true_kernel = true_relu_like(relu(weight, bias), (1, 0), start, depth)
        assert off(gap, true_gap) < 1e-13 and abs(kernel - true_kernel) < 1e-14 * abs(true_kernel) + 1e-15


@pytest.mark.parametrize("seed", range(6))
def test_random_layers_depths_and_gaps(seed):
    """chi = 1, and 9/10 with a bias at the fixed point."""
    random = np.random.default_rng(seed)
    left, chi = [Rational(0), Rational(1, 8), Rational(-1, 2)][seed % 3], [Rational(1), Rational(9, 10)][seed // 3]
    layers = int(random.integers(1, 300))
    gaps = np.concatenate([np.exp(random.uniform(-30, 0, 6)), 2 - np.exp(random.uniform(-20, 0, 3)), [0.5, 2.0]])
    layer = relu(2 * chi / (1 + left**2), int(chi != 1), left=left)
    for start, gap, kernel in zip(gaps, *pairs(layer, gaps, layers + 1), strict=True):
        true_gap, true_kernel = true_relu_like(layer, (1, left), start, layers + 1)
        assert off(gap, true_gap) < 1e-13
        assert abs(kernel - true_kernel) < 1e-13 * abs(true_kernel) + 1e-15


def test_equal_and_opposite_inputs_at_any_depth():
    """chi > 1 and an odd map: K^L/q of equal inputs grows like chi^L, until it is infinite; the gap stays 0, or 2."""
    for depth, finite in ((10, True), (10**12, False), (10**30, False)):
        gap, kernel = pairs(dense("erf", 2, 0), [0.0, 2.0, 0.5], depth)
        assert gap[0] == 0.0 and gap[1] == 2.0 and kernel[0] == -kernel[1] and np.isfinite(kernel[0]) == finite
        assert np.isfinite(kernel[2]) and 0.5 <= gap[2] <= 1.0000001
    for net in (dense("erf", 2, 0), asy.Network("tanh, dense(3/2)", first="dense(1, 1)")):
        gap, kernel = pairs(net, [2.0, 0.0], 300, variance=(1, 2))
        assert gap[0] == 2.0 - gap[1] and kernel[0] == -kernel[1]
    for depth in (2, 10**12):  # |x| does not see signs
        assert pairs(relu(2, 0, 1, -1), [0.0, 2.0], depth)[1].tolist() == pytest.approx([depth, depth], rel=1e-14)


LAWS = {
    "relu": (asy.FeedForward("relu", sigma_w=sqrt(2), sigma_b=0), relu()),
    "resnet": (asy.ResNet("relu", sigma_w=1, sigma_b=0), statements.residual(relu(1))),
}


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("depth", [10**12, 10**30])
def test_the_laws_at_great_depth(name, depth):
    law, net = LAWS[name]
    gaps, kernels = pairs(net, [0.9, 1.9, 1e-3], depth)
    for start, gap, kernel in zip([0.9, 1.9, 1e-3], gaps, kernels, strict=True):
        c = 1 - mpf(start)
        assert off(gap, law.correlation_law(terms=4).evaluate(depth=depth, correlation=c, digits=25)) < 1e-13
        k = law.ntk_law(terms=4).evaluate(depth=depth, correlation=c, digits=25)
        assert off(kernel / depth, k) < 1e-13 or off(kernel, k) < 1e-13


def test_rates_that_learn_differently_are_squared_too():
    statement = statements.with_rates(relu(2), Rational(3), Rational(0))
    gap, kernel = pairs(statement, [0.5], 10**9)
    plain = pairs(relu(2), [0.5], 10**9)
    assert gap == plain[0] and kernel == pytest.approx(1.5 * plain[1], rel=1e-13)
    falling = statements.with_rates(relu(2), 1 / LAYER, Rational(0))
    assert pairs(falling, [0.5], 50)[0] == pytest.approx(pairs(relu(2), [0.5], 50)[0], rel=1e-14)

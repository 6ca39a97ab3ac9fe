"""Laws along one offset against plain iterations of HDR Proposition 1 and Lemma 4 (known_values/convolution.toml)."""

import numpy as np
import pytest
from mpmath import mp
from sympy import Rational, symbols

from asympt.architectures.convolution import ConvNet, ConvResNet
from asympt.architectures.feedforward import FeedForward
from asympt.architectures.resnet import ResNet
from asympt.depth.convolution import conv_pairs
from asympt.errors import InputError, PrecisionError, UnsupportedError

FOUR = ("1/10", "1/2", 0, "-1/2")
RELU = ConvNet("relu", positions=4, reach=1)
RESIDUAL = ConvResNet("relu", positions=3, reach=1)


@pytest.mark.parametrize("depth", [20, 1000])
def test_relu_against_plain_iteration(known, agrees, depth):
    where = {"correlation": FOUR, "position": 2 if depth == 20 else 0, "digits": 35}
    assert agrees(RELU.correlation_law().evaluate(depth, **where), known(f"convolution.relu_gap_{depth}"), 35)
    assert agrees(RELU.ntk_law().evaluate(depth, **where), known(f"convolution.relu_ntk_{depth}"), 35)


def test_depth_one_is_the_start():
    assert RELU.correlation_law().evaluate(1, correlation=FOUR, position=3) == 1.5
    assert RELU.ntk_law().evaluate(1, correlation=FOUR, position=1) == 0.5


@pytest.mark.parametrize("which", ["correlation_law", "ntk_law"])
def test_equal_correlations_are_the_dense_network(which, agrees):
    for net, dense in ((RELU, FeedForward("relu")), (RESIDUAL, ResNet("relu"))):
        found = getattr(net, which)().evaluate(10**9, correlation="1/3")
        assert agrees(found, getattr(dense, which)().evaluate(10**9, correlation="1/3"), 29)


def test_a_filter_over_the_whole_circle_is_dense_from_layer_two_on(agrees):
    """M = 2k+1: every position of layer 2 holds the mean of 1 - f."""
    f = FeedForward("relu").correlation_map
    with mp.workdps(60):
        start = sum(f.gap(1 - mp.mpf(c)) for c in (0.1, 0.5, 0)) / 3
        expected = FeedForward("relu").correlation_law().evaluate(10**6 - 1, gap=start)
    assert agrees(ConvNet("relu", 3, 1).correlation_law().evaluate(10**6, correlation=(0.1, 0.5, 0)), expected, 15)


def test_variances_of_their_own(agrees):
    """Positions of different variances: the engine iterates what the law jumps over."""
    q, other = (1, 2, 3, 4), (2, 1, 5, 1)
    gap, kernel = conv_pairs(RELU, [0.9, 0.5, 1.0, 1.5], 600, variance=(np.array(q, float), np.array(other, float)))
    start = {"correlation": FOUR, "variance": (q, other), "digits": 20}
    assert agrees(RELU.correlation_law().evaluate(600, position=1, **start), gap[1], 13)
    assert agrees(RELU.ntk_law().evaluate(600, position=1, **start), kernel[1] / 600, 13)


def test_same_input_offset_zero():
    assert str(RELU.ntk_diagonal_law()) == "L"
    assert RELU.correlation_law().evaluate(10**6, correlation=1) == 0
    assert RELU.ntk_law().evaluate(10**6, correlation=1) == 1


@pytest.mark.parametrize(("sigma_w", "depth"), [(1, 12), (2, 12)])
def test_smooth_off_the_edge_of_chaos(sigma_w, depth, agrees):
    net = ConvNet("erf", 5, 2, sigma_w, Rational(1, 5))
    gap, kernel = conv_pairs(net, [0.9, 0.5, 1.0, 1.5, 0.1], depth)
    start = {"correlation": (0.1, 0.5, 0, -0.5, 0.9), "digits": 15, "position": 4}
    assert agrees(net.correlation_law(2).evaluate(depth, **start), gap[4], 9)
    assert agrees(net.ntk_law(2).evaluate(depth, **start), kernel[4], 9)


def test_what_a_network_says_of_itself():
    assert RELU.phase == RESIDUAL.phase == "edge of chaos"
    assert RELU.activation.name == "relu"
    assert RELU.sigma_w**2 == 2
    assert RELU.statement.reach == 1
    assert RELU.correlation_law().kind == "convolution"
    assert ConvNet("relu", 4, 1) == RELU
    assert ConvNet("relu", 4, 1, sigma_w=1, sigma_b=1).phase == "ordered"
    assert "q_{L}" in RESIDUAL.ntk_law().latex()
    assert str(RESIDUAL.ntk_diagonal_law()) == "L/3 + 2/3"
    assert str(RELU.correlation_law(2)) == str(FeedForward("relu").correlation_law(2))


@pytest.mark.parametrize(("start", "said"), [
    ({}, "give either"), ({"correlation": (0, 0)}, "2 entries"), ({"correlation": (0, 0, 0, 2)}, "outside"),
    ({"correlation": FOUR, "gap": FOUR}, "give either"), ({"correlation": FOUR, "position": 4}, "position"),
    ({"correlation": FOUR, "position": 1.0}, "position"), ({"correlation": FOUR, "variance": 0}, "variance"),
    ({"correlation": FOUR, "variance": (1, 2, 3)}, "3 entries"),
    ({"variances": 1, "correlation": FOUR}, "unknown argument"),
])  # fmt: skip
def test_bad_starts(start, said):
    with pytest.raises(InputError, match=said):
        RELU.correlation_law().evaluate(10, **start)


def test_what_has_no_law(refused):
    refused(lambda: ConvNet("relu", 4, 0).correlation_law(), "reach = 0", UnsupportedError)
    refused(lambda: ConvNet("relu", 2, 1), "less than", InputError)
    with pytest.raises(InputError, match="variance is given"):
        ConvNet("erf", 3, 1, sigma_b="1/5").correlation_law(1).evaluate(5, correlation=0, variance=2)
    with pytest.raises(PrecisionError, match="conv_pairs"):
        ConvNet("relu", 256, 1).correlation_law(1).evaluate(10**9, correlation=[0] * 255 + [1])
    a = symbols("a", positive=True)
    with pytest.raises(UnsupportedError, match="symbols"):
        ConvNet("leaky_relu", 4, 1, slope=a).correlation_law(1).evaluate(5, correlation=0)


def test_variances_that_fall_to_0(refused):
    """K^1 = q^1 c^1 was 2/3 for c^1 = 1/3: the dense law's numbers belong to two variances, not to the gap alone."""
    net = ConvNet("tanh", 3, 1, sigma_w=1, sigma_b=0)
    for law in (net.correlation_law, net.ntk_law):
        refused(law, "variance tends to 0 and moves the map", UnsupportedError)
    assert str(net.variance_law(terms=1)) == "1/(2*l) + O(log(l)/l^2)"

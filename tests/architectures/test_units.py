"""The unit of a kernel is q where the variance of the layers stays and q_L where it moves; K^1 is Sigma^1 in both."""

import pytest
from mpmath import mp
from sympy import Rational, sqrt

import asympt as asy

NETWORKS = {
    "critical": lambda: asy.FeedForward("relu"),
    "chi < 1": lambda: asy.FeedForward("relu", sigma_w=1),
    "chi > 1": lambda: asy.FeedForward("leaky_relu", slope=Rational(1, 5), sigma_w=2),
    "a settled variance": lambda: asy.FeedForward("relu", sigma_w=1, sigma_b=1),
    "residual": lambda: asy.ResNet("relu", sigma_w=1),
    "two matrices": lambda: asy.BlockResNet("relu", alpha=Rational(1, 2)),
    "two layers a block": lambda: asy.Network("serial(relu, dense(sqrt(2)), relu, dense(sqrt(2)))"),
    "a norm behind": lambda: asy.Network("serial(residual(relu, dense(1)), layer_norm)"),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_the_unit_of_both_ntk_laws(name):
    """q_2 and q_3 by the rules of the primitives, from the variance at which layer 1 stays if it can."""
    net = NETWORKS[name]()
    composition = getattr(net, "composition", net)
    stays = "q_{L}" not in net.ntk_law(1).quantity
    assert stays == ("q_{L}" not in net.ntk_diagonal_law().quantity)
    second, third = (composition.pair(depth, correlation="1/10", digits=15)[2] for depth in (2, 3))
    assert stays == (name == "a settled variance" or abs(third / second - 1) < 1e-12)


@pytest.mark.parametrize("sigma_w", [1, sqrt(2)])
def test_positions_have_the_unit_of_their_mean(sigma_w):
    dense, conv = asy.FeedForward("relu", sigma_w=sigma_w), asy.ConvNet("relu", positions=3, reach=1, sigma_w=sigma_w)
    unit = dense.ntk_law(1).plain.partition("/")[2]
    assert conv.ntk_law(1).plain == f"K^L(alpha, alpha')/{unit}"


@pytest.mark.parametrize(
    "block", ["residual(relu, dense(1, weight_rate=2))", "serial(relu, dense(sqrt(2), weight_rate=6))"]
)
def test_a_block_with_rates_of_its_own_begins_with_sigma(block):
    """K^1 = Sigma^1 of a layer 1 that is trained as drawn, whatever the blocks learn; against the primitives' rules."""
    net = asy.Network(block, first=asy.blocks.dense(1))
    _, kernel, _ = net.pair(3, correlation="1/10", digits=20)
    with mp.workdps(25):
        assert abs(net.ntk_law(2).evaluate(depth=3, correlation="1/10", digits=20) * 3 / kernel - 1) < 1e-18

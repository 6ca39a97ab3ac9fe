"""What every network keeps, preset or composed: its laws and its arrays are the rules of its primitives.

Expected: `Network.pair`, the recursion of (q, q', s, K) in mpmath by `precise.blocks`, which forms no map of
correlations, derives no law and shares no code with the NumPy engine.
"""

from functools import cache

import numpy as np
import pytest
from mpmath import mp, mpf
from sympy import Rational, sqrt

import asympt as asy

HALF, FIFTH, THIRD = Rational(1, 2), Rational(1, 5), Rational(1, 3)
PRESETS = {
    "relu": lambda: asy.FeedForward("relu"),
    "relu, ordered": lambda: asy.FeedForward("relu", sigma_w=1, sigma_b=1),
    "leaky relu, falling": lambda: asy.FeedForward("leaky_relu", sigma_w=1, slope="1/10"),
    "erf, ordered": lambda: asy.FeedForward("erf", sigma_w=HALF, sigma_b=FIFTH),
    "erf, chaotic": lambda: asy.FeedForward("erf", sigma_w=2, sigma_b=FIFTH),
    "erf, edge": lambda: asy.FeedForward.on_edge_of_chaos("erf", sigma_b=FIFTH),
    "gelu, edge": lambda: asy.FeedForward.on_edge_of_chaos("gelu", sigma_b=FIFTH),
    "residual": lambda: asy.ResNet("relu", sigma_w=1),
    "scaled": lambda: asy.ScaledResNet("leaky_relu", sigma_w=2, slope="1/10"),
    "scaled, kappa": lambda: asy.ScaledResNet("relu", sigma_w=2, kappa="2/3"),
    "blocks": lambda: asy.BlockResNet("relu", alpha=HALF, sigma_w=3, sigma_v=THIRD),
}
COMPOSITIONS = [
    "residual(layer_norm, relu, dense(sqrt(2)))",
    "serial(residual(relu, dense(sqrt(2))), layer_norm)",
    "serial(relu, dense(sqrt(2)), relu, dense(sqrt(2)))",
    "dense_connection(1, relu, dense(sqrt(2)))",
    "dense_connection(1, layer_norm, relu, dense(sqrt(2)))",
    "dense_connection(1/2, relu, dense(sqrt(2)))",
    "dense_connection(3, rms_norm, abs, dense(1))",
    "serial(residual(layer_norm, relu, dense(1)), residual(layer_norm, dense(1), relu, dense(1)))",
    "serial(residual(rms_norm, abs, dense(2)), residual(layer_norm, leaky_relu(slope=1/2), dense(1)))",
    "residual(layer_norm(affine=True), relu, dense(sqrt(2)))",
    "serial(layer_norm(affine=True), dense(1), relu, dense(sqrt(2)))",
    "residual(rms_norm, relu, dense(1), skip=1/2, scale=2)",
    "residual(layer_norm, leaky_relu(slope=1/5), dense(1, 1/2))",
    "residual(layer_norm, gelu, dense(1, 1))",
    "serial(layer_norm, erf, dense(1, 1))",
    "serial(layer_norm, erf, dense(3, 1/10))",
    "serial(relu, layer_norm, dense(1, 1/2))",
    "serial(rms_norm, relu, dropout(9/10), dense(sqrt(2)))",
    "serial(layer_norm, gated(dense(1/sqrt(2), 1/sqrt(2)), serial(dense(1/sqrt(2), 1/sqrt(2)), relu)), dense(2))",
    "serial(layer_norm, gated(dense(1), serial(dense(1), relu)), dense(2))",
    "serial(relu, dense(1, 1/2), erf, dense(1, 1/3))",
    "serial(residual(dense(1), erf, dense(1)), layer_norm)",
    "residual(erf, dense(1), skip=1/2)",
    "serial(scale(2), relu, dense(1), relu, dense(sqrt(3)))",
    "dense_connection(2, relu, dense(1, 1/sqrt(2)))",
    "serial(residual(relu, dense(1, 1)), layer_norm)",
    "serial(residual(relu, dense(1)), layer_norm)",
    "serial(relu, layer_norm, dense(1))",
]
MOVING = {  # the variance moves the map: laws of a start at q = 1, and none of one input
    "residual, biased": lambda: asy.ResNet("relu", sigma_w=1, sigma_b=1),
    "residual, smooth": lambda: asy.ResNet("gelu", sigma_b=HALF),
    "residual, bounded": lambda: asy.ResNet("erf", sigma_b=1),
    "scaled, biased": lambda: asy.ScaledResNet("relu", sigma_b=1),
    "scaled, biased, kappa": lambda: asy.ScaledResNet("relu", sigma_b=1, kappa=HALF),
    "scaled, bounded": lambda: asy.ScaledResNet("erf", kappa=HALF),
}
NAMES = [*PRESETS, *COMPOSITIONS]
START, DEPTHS, DIGITS = Rational(1, 10), (2, 7), 14


@cache
def network(name: str):
    return {**PRESETS, **MOVING}[name]() if name in PRESETS or name in MOVING else asy.Network(name)


@cache
def by_primitives(name: str, depth: int, gap) -> tuple:
    """(1 - c^L, K^L/q_L) from the variance at which the laws hold."""
    net = network(name)
    typed = net
    if not isinstance(net, asy.Network):
        parts = net.composition
        q = net.layer.fixed_variance if isinstance(net, asy.FeedForward) and not net.statement.is_scale_free else 1
        typed = asy.Network(parts.block, first=parts.first, readout=parts.readout, variance=q)
    return typed.pair(depth, gap=gap, digits=DIGITS + 2)[:2]


def unit_of(net, law, depth: int):
    """What the law's quantity is multiplied by to give K^L/q_L."""
    if law.average:
        return mpf(depth)
    return net.ntk_diagonal_law().evaluate(depth=depth, digits=35) if "K^{L}(x,x)" in law.quantity else mpf(1)


def agree(found, expected, digits: int) -> bool:
    with mp.workdps(30):
        return abs(found / expected - 1) < mpf(10) ** -digits


@pytest.mark.parametrize("name", [*NAMES, *MOVING])
def test_laws_at_small_depths_are_the_rules_of_the_primitives(name):
    start = {"correlation": START, "digits": DIGITS, **({"variance": 1} if name in MOVING else {})}
    net, law, kernel_law = network(name), network(name).correlation_law(terms=1), network(name).ntk_law(terms=1)
    for depth in DEPTHS:
        gap, kernel = by_primitives(name, depth, 1 - START)
        assert agree(law.evaluate(depth=depth, **start), gap, DIGITS - 1)
        found = kernel_law.evaluate(depth=depth, **start)
        assert agree(found * unit_of(net, kernel_law, depth), kernel, DIGITS - 1)


@pytest.mark.parametrize("name", NAMES)
def test_the_law_of_one_input_is_the_rule_of_the_primitives(name):
    law = network(name).ntk_diagonal_law()
    for depth in DEPTHS:
        assert agree(law.evaluate(depth=depth, digits=DIGITS), by_primitives(name, depth, 0)[1], DIGITS - 1)


@pytest.mark.parametrize("name", [*NAMES, *MOVING])
def test_arrays_are_the_rules_of_the_primitives(name):
    variance = 1.0 if name in MOVING else None
    for depth in DEPTHS:
        gap, kernel = asy.depth.pairs(network(name), gap=[float(1 - START)], depth=depth, variance=variance)
        expected = by_primitives(name, depth, 1 - START)
        assert np.allclose(np.ravel([gap, kernel]), [float(number) for number in expected], rtol=1e-12)


# the unit of a kernel is q where the variance of the layers stays and q_L where it moves; K^1 is Sigma^1 in both
UNITS = {
    "critical": lambda: asy.FeedForward("relu"),
    "chi < 1": lambda: asy.FeedForward("relu", sigma_w=1),
    "chi > 1": lambda: asy.FeedForward("leaky_relu", slope=Rational(1, 5), sigma_w=2),
    "a settled variance": lambda: asy.FeedForward("relu", sigma_w=1, sigma_b=1),
    "residual": lambda: asy.ResNet("relu", sigma_w=1),
    "two matrices": lambda: asy.BlockResNet("relu", alpha=Rational(1, 2)),
    "two layers a block": lambda: asy.Network("serial(relu, dense(sqrt(2)), relu, dense(sqrt(2)))"),
    "a norm behind": lambda: asy.Network("serial(residual(relu, dense(1)), layer_norm)"),
}


@pytest.mark.parametrize("name", UNITS)
def test_the_unit_of_both_ntk_laws(name):
    """q_2 and q_3 by the rules of the primitives, from the variance at which layer 1 stays if it can."""
    net = UNITS[name]()
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

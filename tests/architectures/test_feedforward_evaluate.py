"""law.evaluate against plain iterations on c, known numbers, and itself at other depths and digits."""

from functools import lru_cache

import pytest
from sympy import Rational, sqrt

from asympt import FeedForward
from tests.architectures.plain import leaky_orbit

SLOPES = ["0", "1/10", "1/2", "-1/3", "-1"]


@lru_cache(maxsize=64)
def network(slope: str) -> FeedForward:
    return FeedForward("leaky_relu", slope=slope)


def test_the_numbers_of_the_issue(known, agrees):
    relu, leaky = FeedForward("relu", sigma_w=sqrt(2), sigma_b=0), network("1/10")
    gap = relu.correlation_law().evaluate(depth=1000, correlation=Rational(1, 10), digits=40)
    assert agrees(gap, known("networks.relu_gap_1000"), 39)
    ntk = relu.ntk_law().evaluate(depth=1000, correlation=Rational(1, 10), digits=40)
    assert agrees(ntk, known("networks.relu_ntk_1000"), 39)
    deep = leaky.correlation_law().evaluate(depth=10**12, correlation=Rational(1, 4), digits=40)
    assert agrees(deep, known("networks.leaky_gap_trillion"), 39)


def both_agree(slope, depth, truth, digits, agrees, **start):
    """Both laws of the network are the two numbers, to so many digits."""
    for law, value in zip((network(slope).correlation_law(), network(slope).ntk_law()), truth, strict=True):
        assert agrees(law.evaluate(depth=depth, digits=digits, **start), value, digits)


@pytest.mark.parametrize("gap", ["1e-20", "1e-60", "3e-7"])
@pytest.mark.parametrize("depth", [2, 1000])
def test_tiny_gaps(gap, depth, agrees):
    # the plain iteration loses 3 x 60 digits at worst, so it has 260
    both_agree("0", depth, leaky_orbit("0", gap, (2, 1000), digits=260, gap=True)[depth], 40, agrees, gap=gap)


@pytest.mark.parametrize("slope", SLOPES)
@pytest.mark.parametrize("depth", [1, 2, 1000, 10**100])
def test_equal_inputs_are_exact(slope, depth):
    assert network(slope).correlation_law().evaluate(depth=depth, correlation=1) == 0
    assert network(slope).ntk_law().evaluate(depth=depth, correlation=1) == 1
    assert network(slope).ntk_law().evaluate(depth=depth, gap=0) == 1


def test_opposite_inputs_of_the_absolute_value_are_equal_from_layer_two():
    law, ntk = network("-1").correlation_law(), network("-1").ntk_law()
    assert law.evaluate(depth=1, correlation=-1) == 2 and ntk.evaluate(depth=1, correlation=-1) == -1
    for depth in (2, 3, 1000, 10**50):
        assert law.evaluate(depth=depth, correlation=-1) == 0
        # K^2 = f'(-1) K^1 + f(-1) = (-1)(-1) + 1 = 2, then one more a layer: K^L = L
        assert ntk.evaluate(depth=depth, correlation=-1) == 1


def test_the_correlation_may_be_given_by_position():
    law = FeedForward("relu").ntk_law()
    assert law.evaluate(1000, Rational(1, 10), 30) == law.evaluate(depth=1000, correlation=Rational(1, 10), digits=30)

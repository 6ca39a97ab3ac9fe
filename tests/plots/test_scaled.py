"""Laws in log L as figures, and HDR Figure 1 (c): points against plain loops."""

import math

import numpy as np
import pytest
from sympy import Rational, sqrt

from asympt.architectures.resnet import ResNet, ScaledResNet
from asympt.errors import InputError, UnsupportedError
from asympt.plots import compare_figure, scaled_data


def ratio(depth: int, weight: float, gap: float) -> tuple[float, float]:
    """(1 - c^L, K(x,x')/K(x,x)) of a ReLU network with branches scaled by 1/sqrt(l), layer by layer."""
    kernel, single, gain = 1 - gap, 1.0, weight / 2
    for layer in range(2, depth + 1):
        theta, share = 2 * math.asin(math.sqrt(gap / 2)), gain / (layer + gain)
        value = math.cos(theta) + (math.sin(theta) - theta * math.cos(theta)) / math.pi
        kernel = (1 - share * theta / math.pi) * kernel + share * value
        gap, single = gap - share * (math.sin(theta) - theta * math.cos(theta)) / math.pi, single + share
    return gap, kernel / single


@pytest.fixture(scope="module")
def net():
    return ScaledResNet("relu", sigma_w=sqrt(2))


def test_the_iterated_points_are_those_of_a_plain_loop(net):
    data = scaled_data(net, "ntk", ["1/2"], depth=10**6, terms=2)
    shown = dict(zip(data.curves[0].points.depths, data.curves[0].points.values, strict=True))
    for decade in (1, 2, 3):
        assert shown[10.0**decade] == pytest.approx(ratio(10**decade, 2.0, 0.5)[1], rel=1e-10)


def test_the_correlation_is_multiplied_by_its_own_rate(net):
    data = scaled_data(net, "correlation", ["1/10"], depth=10**6, terms=2)
    shown = dict(zip(data.curves[0].points.depths, data.curves[0].points.values, strict=True))
    assert shown[1000.0] == pytest.approx(ratio(1000, 2.0, 0.9)[0] * math.log(1000) ** 2, rel=1e-10)


def test_several_sigma_w_of_one_activation_are_told_apart():
    """HDR Figure 1 (c)."""
    nets = [ResNet("relu", sigma_w=s) for s in (Rational(1, 2), 2)]
    figure = compare_figure(nets, "1/2", depth=200)
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert r"relu, $\sigma_w=\frac{1}{2}$" in names and r"relu, $\sigma_w=2$" in names
    (axes,) = figure.axes
    assert "q_L" in axes.get_ylabel()
    seen = axes.lines[0].get_ydata()
    assert np.all(np.diff(seen[2:]) < 0)


def test_bad_input(net):
    with pytest.raises(InputError, match="depth = 10 is not a range"):
        scaled_data(net, depth=10)
    assert scaled_data(net, "correlation", ["1/2"], depth=60).curves[0].points.depths.tolist() == [10, 20, 50, 60]
    with pytest.raises(UnsupportedError, match="kappa = 1/2"):
        scaled_data(ScaledResNet("relu", kappa=Rational(1, 2)))

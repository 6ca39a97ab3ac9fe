"""Figures of any activation in every phase: the data against the layer recursion, and that each figure draws."""

import pytest
from sympy import Rational

from asympt import FeedForward, InputError
from asympt.depth import pairs
from asympt.plots import compare_figure, correlation_figure, ntk_figure
from asympt.plots.data import constants_of, law_data
from asympt.plots.drawing import depth_power
from asympt.recursions.coordinates.abel_inversion import C

BIAS = Rational(1, 5)


@pytest.fixture(scope="module")
def elu():
    return FeedForward("elu", sigma_b=BIAS)


def test_elu_is_shown_times_the_root_of_depth(elu):
    curve = law_data(elu, "ntk", ["1/2"], depth=10**4).curves[0]
    kernel = pairs(elu, 0.5, 10**4)[1]
    assert curve.order == 0.5
    assert curve.points.values[-1] == pytest.approx(100 * (kernel / 10**4 - 1 / 3), rel=1e-9)
    # The law's remainder is log(L)/L^(3/2): times sqrt(L), and a constant of the size of the terms before it.
    assert curve.law(curve.points.depths[-1:])[0] == pytest.approx(curve.points.values[-1], abs=0.01)


def test_the_constant_read_in_float64_is_the_certified_one(elu):
    # 19.314301129198941: law.connection_constant to 12 digits, which takes too long here.
    value = constants_of(elu, elu.ntk_law(), Rational(1, 10))[C]
    assert float(value) == pytest.approx(19.314301129198941, rel=1e-5)


@pytest.mark.parametrize("draw", [ntk_figure, correlation_figure])
def test_figures_off_the_edge_have_a_logarithmic_axis(draw):
    axes = draw(FeedForward("relu", sigma_w=1, sigma_b=1), ["1/2"] if draw is ntk_figure else "1/2", depth=20).axes[0]
    assert (axes.get_xscale(), axes.get_yscale()) == ("linear", "log")


def test_figures_on_the_edge_draw_for_elu(elu):
    assert r"\sqrt{L}" in ntk_figure(elu, ["1/2"], depth=200).axes[0].get_ylabel()
    assert "$l" in correlation_figure(elu, "1/2", depth=200).axes[0].get_ylabel()


def test_compared_networks_share_axes(elu):
    figure = compare_figure([FeedForward("relu"), elu], depth=200)
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels == ["relu", "elu", "recursion", "law", "$1/L$"]
    ordered = FeedForward("relu", sigma_w=1, sigma_b=1)
    assert compare_figure([ordered], depth=20).axes[0].get_xscale() == "linear"
    for nets in ([], [FeedForward("relu"), ordered]):
        with pytest.raises(InputError):
            compare_figure(nets)


def test_powers_of_depth():
    assert [depth_power("L", p) for p in (1, 0.5, 2.0, 1.5)] == ["L", r"\sqrt{L}", "L^{2}", "L^{1.5}"]


def test_depths_of_an_exponential_law():
    net = FeedForward("relu", sigma_w=1, sigma_b=1)
    for depth in (1, 10**6):
        with pytest.raises(InputError):
            law_data(net, "ntk", ["1/2"], depth=depth)

"""Figures of networks composed of primitives."""

import numpy as np
import pytest

import asympt as asy
from asympt import plots
from asympt.errors import UnsupportedError
from asympt.plots.data import law_data

POST = "serial(residual(relu, dense(sqrt(2))), layer_norm)"


def test_the_slope_of_a_post_norm_network_is_that_of_its_law():
    """3/16 in log L, half of 3/8 without skip: R grows by w = 1/2 a layer (by hand)."""
    data = law_data(asy.Network(POST), "ntk", ["1/10"], depth=10**5)
    assert abs(data.curves[0].slope(first=10**4) - 3 / 16) < 0.004
    assert "q\\,L" in plots.ntk_figure(asy.Network(POST), ["1/10"], depth=100).axes[0].get_ylabel()


def test_a_period_of_two_blocks_counts_turns():
    """Two ReLU layers a turn: the values of FeedForward at layers 1 + 2 (l - 1)."""
    period = asy.Network(period=["serial(relu, dense(sqrt(2)))"] * 2)
    curve = law_data(period, "correlation", depth=100, terms=1).curves[0]
    relu, turns = asy.FeedForward("relu"), curve.points.depths
    expected = [float(asy.depth.pairs(relu, 0.9, int(2 * turn - 1))[0]) * turn**2 for turn in turns]
    assert np.allclose(curve.points.values, expected, rtol=1e-9)


def test_weights_that_fall_off_the_edge_have_no_figure_and_say_so():
    with pytest.raises(UnsupportedError, match="no figure is drawn of the laws"):
        plots.ntk_figure(asy.Network("residual(layer_norm, relu, dense(1, 1))"))

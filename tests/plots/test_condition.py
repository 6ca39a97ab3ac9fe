"""Condition numbers over depth: what is drawn is what kernels built by hand have."""

import numpy as np
import pytest
from sympy import Rational

from asympt import depth as engine
from asympt.architectures.feedforward import FeedForward
from asympt.errors import InputError
from asympt.plots import around_the_edge, condition_data, condition_figure


@pytest.fixture(scope="module")
def erf():
    """erf in the three phases, three inputs."""
    return condition_data(around_the_edge("erf"), inputs=3, correlation=Rational(1, 4), depth=20)


def test_every_number_is_the_condition_number_of_a_matrix(erf):
    """Eigenvalues of the 3 x 3 kernels put together from pairs."""
    for net, nngp, ntk in zip(erf.nets, erf.nngp, erf.ntk, strict=True):
        for column, depth in enumerate(erf.depths):
            gaps, kernels = engine.pairs(net, np.array([0.75, 0.0]), int(depth))
            for shown, diagonal, off in ((nngp, 1.0, 1 - gaps[0]), (ntk, kernels[1], kernels[0])):
                modes = np.linalg.eigvalsh(np.full((3, 3), off) + (diagonal - off) * np.eye(3))
                assert shown[column] == pytest.approx(modes[-1] / modes[0], rel=1e-6)


def test_the_phases_go_their_ways(erf):
    assert [net.phase for net in erf.nets] == ["ordered", "edge of chaos", "chaotic"]
    assert erf.ntk[0, -1] > 10 * erf.ntk[0, 0] and erf.ntk[2, -1] < erf.ntk[2, 0]
    # n inputs, K -> L q (1/3 11^T + 2/3 I) for smooth phi: (2/3 + n/3)/(2/3)
    assert erf.limits[0] is None and erf.limits[1] == pytest.approx(2.5)


def test_one_network_without_bias_stands_for_every_sigma_w():
    (net,) = around_the_edge("relu", 0)
    data = condition_data([net], inputs=10, depth=50)
    assert data.limits[0] == pytest.approx(13 / 3)  # (n + 3)/3
    other = condition_data([FeedForward("relu", sigma_w=5)], inputs=10, depth=50)
    assert other.ntk == pytest.approx(data.ntk)


def test_the_figure(erf):
    figure = condition_figure(erf, width=5)
    left, right = figure.axes
    assert len(left.lines) == 3 and len(right.lines) == 4  # the limit is in the NTK's panel
    assert left.get_yscale() == right.get_yscale() == "log"


@pytest.mark.parametrize(("given", "message"), [
    ({"nets": []}, "nets is empty"), ({"depth": 1}, "depth = 1 is not a range"), ({"depth": 10**6}, "is not a range"),
])  # fmt: skip
def test_bad_input(given, message):
    given = {"nets": [FeedForward("relu")], **given}
    with pytest.raises(InputError, match=message):
        condition_data(**given)


def test_a_bad_width(erf):
    with pytest.raises(InputError, match="width = 100 inches"):
        condition_figure(erf, width=100)

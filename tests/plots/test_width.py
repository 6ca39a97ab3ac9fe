"""Figures of order 1/n show what the layers say."""

import pytest

from asympt import FeedForward, InputError, ResNet, plots

RELU = FeedForward("relu")


def test_figure_of_a_width():
    left, middle, right, _ = plots.width_figure(RELU, 64, depth=6, networks=20).axes
    points = next(line for line in left.lines if line.get_marker() == "s")  # of Theta_11, every layer from 2 on
    assert points.get_ydata() == pytest.approx([RELU.fluctuation_law("ntk-diagonal").evaluate(L) for L in range(2, 7)])
    assert len(left.containers) == 6  # bars of three quantities at two depths
    mean, _ = middle.lines
    assert mean.get_ydata()[-1] == pytest.approx(RELU.at_width(64).pairs("9/10", 6).mean)
    (edge, *_) = right.collections[1].get_paths()
    depth, width = edge.vertices[-1]
    assert RELU.fluctuation_law().evaluate(int(depth), correlation="1/10") / width == pytest.approx(0.01, rel=0.02)
    with pytest.raises(InputError, match="smaller than depth"):
        plots.width_figure(RELU, 4, depth=6)


def test_figure_of_a_law():
    for law in (RELU.fluctuation_law(), RELU.width_correction_law(), ResNet("relu").fluctuation_law()):
        axes = law.plot(depth=12).axes[0]
        start = {"correlation": "1/10"} if law.of == "gap" else {}
        assert axes.lines[0].get_ydata()[-1] == pytest.approx(law.evaluate(12, **start))
        assert len(axes.lines) == 1 + bool(law.expansion.terms)
    (legend,) = RELU.fluctuation_law("ntk").plot(depth=4).legends
    assert [text.get_text() for text in legend.get_texts()] == ["layers", r"law, up to $O(\log L)$"]

"""Figures: their data says what the law says; their files are complete and always the same."""

import matplotlib
import numpy as np
import pytest
from mpmath import mp

from asympt import FeedForward, InputError, PrecisionError
from asympt.plots import correlation_figure, law_figure, ntk_figure, save
from asympt.plots.data import ITERATED, depths_to, law_data

RELU = FeedForward("relu")
NETWORKS = {
    "relu": RELU,
    "leaky": FeedForward("leaky_relu", slope="1/10"),
    "abs": FeedForward("abs"),
    "scaled": FeedForward("relu_like", right=3, left=-1),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_the_slope_in_log_depth_is_three_eighths(name):
    # The law's coefficient of log(L)/L is 3/8 for every ReLU-like activation; from layer 5000 on the next term,
    # 9 log(L)/(16 L^2), and those with C move the fitted slope by up to 3e-3.  A rate of 1/L would make it 0.
    data = law_data(NETWORKS[name], "ntk", ["1/10", "1/2"], depth=50_000)
    for curve in data.curves:
        assert curve.points.iterated.all()
        assert curve.slope(first=5000) == pytest.approx(3 / 8, abs=3e-3)


def test_iterated_points_equal_the_evaluated_law():
    law = RELU.ntk_law()
    curve = law_data(RELU, "ntk", ["1/10"], depth=1000).curves[0]
    assert list(curve.points.depths[-4:]) == [100, 200, 500, 1000]
    with mp.workdps(30):
        expected = float(1000 * (law.evaluate(1000, digits=30, correlation="1/10") - mp.mpf(1) / 4))
    assert curve.points.values[-1] == pytest.approx(expected, rel=1e-12)
    assert curve.points.values[0] == pytest.approx(0.1 - 0.25)  # layer 1: K^1/q = c^1


def test_points_beyond_the_iterated_layers_are_marked_and_continue_the_curve():
    points = law_data(RELU, "ntk", ["1/2"], depth=10 * ITERATED).curves[0].points
    assert np.array_equal(points.iterated, points.depths <= ITERATED)
    steps = np.diff(points.values[-7:]) / np.diff(np.log(points.depths[-7:]))
    assert np.all(np.diff(np.abs(steps - 3 / 8)) < 0) and abs(steps[-1] - 3 / 8) < 5e-5


def test_depths():
    assert depths_to("150") == [1, 2, 5, 10, 20, 50, 100, 150]
    assert depths_to(10**6)[-3:] == [200_000, 500_000, 10**6]
    for bad in (5, 0, 10**101, "1.5"):
        with pytest.raises(InputError):
            depths_to(bad)


def test_bad_starts():
    for starts in ([], ["2"], ["nan"]):
        with pytest.raises(InputError):
            law_data(RELU, "ntk", starts, depth=100)
    with pytest.raises(PrecisionError):
        law_data(RELU, "ntk", ["1"], depth=100)


@pytest.mark.parametrize("ending", ["png", "pdf", "svg"])
@pytest.mark.parametrize("draw", [ntk_figure, correlation_figure])
def test_files_are_complete_and_always_the_same(tmp_path, draw, ending):
    contents = []
    for name in ("one", "two"):
        path = save(draw(RELU, depth=200, width=3.4), tmp_path / f"{name}.{ending}")
        contents.append(path.read_bytes())
    assert contents[0] == contents[1] and len(contents[0]) > 5000
    assert b"CreationDate" not in contents[0] and b"<dc:date>" not in contents[0]


def test_drawing_changes_nothing_global():
    before = dict(matplotlib.rcParams)
    ntk_figure(RELU, ["0"], depth=100)
    assert dict(matplotlib.rcParams) == before


@pytest.mark.parametrize("width", [3.4, 5.0])
@pytest.mark.parametrize("draw", [ntk_figure, correlation_figure])
def test_nothing_overlaps_or_leaves_the_figure(draw, width, monkeypatch):
    monkeypatch.setattr("asympt.plots.data.ITERATED", 1000)
    figure = draw(RELU, depth=2000, width=width)
    renderer = figure.canvas.get_renderer()
    frame = figure.bbox
    legend = figure.legends[0].get_window_extent(renderer)
    assert frame.x0 <= legend.x0 and legend.x1 <= frame.x1 and frame.y0 <= legend.y0
    boxes = [axes.get_tightbbox(renderer) for axes in figure.axes]
    assert all(not box.overlaps(legend) for box in boxes)
    assert all(box.x0 >= frame.x0 - 1 and box.x1 <= frame.x1 + 1 and box.y1 <= frame.y1 + 1 for box in boxes)


def test_the_figure_says_what_it_shows(monkeypatch):
    monkeypatch.setattr("asympt.plots.data.ITERATED", 1000)
    figure = ntk_figure(RELU, ["0", "1/2"], depth=2000)
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels == ["$c^1=0$", "$c^1=1/2$", "recursion", "evaluated", "law, 4 terms", r"if $\Theta(1/L)$ held"]
    axes = figure.axes[0]
    assert axes.get_xscale() == "log" and r"\frac{1}{4}" in axes.get_ylabel()
    assert "slope $3/8$" in axes.get_title(loc="left")
    assert "evaluated" not in str(ntk_figure(RELU, ["0"], depth=100).legends[0].get_texts())


def test_bad_files_and_widths(tmp_path):
    figure = ntk_figure(RELU, ["0"], depth=100)
    for path in (tmp_path / "a.gif", tmp_path / "a", tmp_path / "none" / "a.png"):
        with pytest.raises(InputError):
            save(figure, path)
    with pytest.raises(InputError):
        ntk_figure(RELU, ["0"], depth=100, width=0)
    with pytest.raises(InputError, match="law = 'relu' is not a Law; give one"):
        law_figure("relu")

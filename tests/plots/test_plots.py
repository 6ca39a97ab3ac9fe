"""Figures: their data says what the law says; their files are complete and always the same."""

import math

import matplotlib
import numpy as np
import pytest
from mpmath import mp
from sympy import Rational, sqrt

from asympt import FeedForward, InputError, PrecisionError
from asympt.plots import correlation_figure, ntk_figure, save
from asympt.plots.data import ITERATED, correlation_data, depths_to, ntk_data
from asympt.plots.drawing import monomial_label
from asympt.plots.style import COLOURS

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
    data = ntk_data(NETWORKS[name], ["1/10", "1/2"], depth=50_000)
    for curve in data.curves:
        assert curve.points.iterated.all()
        assert curve.slope(first=5000) == pytest.approx(3 / 8, abs=3e-3)


def test_the_slope_sharpens_with_depth(monkeypatch):
    monkeypatch.setattr("asympt.plots.data.ITERATED", 1000)
    curve = ntk_data(RELU, ["1/10"], depth=10**12).curves[0]
    assert curve.slope(first=10**7) == pytest.approx(3 / 8, abs=1e-6)


def test_iterated_points_equal_the_evaluated_law():
    law = RELU.ntk_law()
    curve = ntk_data(RELU, ["1/10"], depth=1000).curves[0]
    assert list(curve.points.depths[-4:]) == [100, 200, 500, 1000]
    with mp.workdps(30):
        expected = float(1000 * (law.evaluate(1000, digits=30, correlation="1/10") - mp.mpf(1) / 4))
    assert curve.points.values[-1] == pytest.approx(expected, rel=1e-12)
    assert curve.points.values[0] == pytest.approx(0.1 - 0.25)  # layer 1: K^1/q = c^1


def test_points_beyond_the_iterated_layers_are_marked_and_continue_the_curve():
    points = ntk_data(RELU, ["1/2"], depth=10 * ITERATED).curves[0].points
    assert np.array_equal(points.iterated, points.depths <= ITERATED)
    steps = np.diff(points.values[-7:]) / np.diff(np.log(points.depths[-7:]))
    assert np.all(np.diff(np.abs(steps - 3 / 8)) < 0) and abs(steps[-1] - 3 / 8) < 5e-5


def test_the_law_approaches_the_points_as_its_remainder_says():
    curve = ntk_data(RELU, ["1/10"], depth=20_000, terms=4).curves[0]
    errors = np.abs(curve.law(curve.points.depths) - curve.points.values)
    far = curve.points.depths >= 1000
    scaled = errors[far] * curve.points.depths[far]  # remainder O(1/L^2) times L: bounded by C/L
    assert scaled.max() < 2 * scaled.min() + 1


def test_each_term_of_the_correlation_law_closes_the_gap():
    curve = correlation_data(RELU, ["1/10"], depth=20_000, terms=4).curves[0]
    truth = curve.points.values[-1]
    errors = [abs(curve.law(curve.points.depths[-1:], n)[0] / truth - 1) for n in (1, 2, 3, 4)]
    assert errors == sorted(errors, reverse=True) and errors[3] < 1e-5 < 1e-3 < errors[0]
    assert curve.points.values[curve.points.depths == 1000][0] == pytest.approx(43.194119237689952412, rel=1e-12)


def test_the_leading_term_is_the_known_constant():
    curve = correlation_data(RELU, depth=100).curves[0]
    assert curve.law(np.array([7.0]), 1)[0] == pytest.approx(9 * math.pi**2 / 2)  # HDR, Appendix Lemma 3


def test_depths():
    assert depths_to("150") == [1, 2, 5, 10, 20, 50, 100, 150]
    assert depths_to(10**6)[-3:] == [200_000, 500_000, 10**6]
    for bad in (5, 0, 10**101, "1.5"):
        with pytest.raises(InputError):
            depths_to(bad)


def test_bad_starts():
    for starts in ([], ["2"], ["nan"]):
        with pytest.raises(InputError):
            ntk_data(RELU, starts, depth=100)
    with pytest.raises(PrecisionError):
        ntk_data(RELU, ["1"], depth=100)


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


def test_labels_of_monomials():
    from asympt.expansions import Monomial

    known = {(2, 0): "1/l^{2}", (3, 1): r"\log l/l^{3}", (4, 2): r"\log^{2} l/l^{4}", (1, 0): "1/l"}
    assert {key: monomial_label("l", Monomial(*key)) for key in known} == known
    assert monomial_label("n", Monomial(Rational(3, 2), 1)) == r"\log n/n^{3/2}"


def test_colours_differ_in_grey_too():
    # Rec. 601 luma; neighbouring curves of the default figure must be told apart in print.
    grey = [np.dot([int(c[i : i + 2], 16) for i in (1, 3, 5)], [0.299, 0.587, 0.114]) for c in COLOURS[:3]]
    assert len(set(COLOURS)) == len(COLOURS) and max(grey) - min(grey) > 20


def test_bad_files_and_widths(tmp_path):
    figure = ntk_figure(RELU, ["0"], depth=100)
    for path in (tmp_path / "a.gif", tmp_path / "a", tmp_path / "none" / "a.png"):
        with pytest.raises(InputError):
            save(figure, path)
    with pytest.raises(InputError):
        ntk_figure(RELU, ["0"], depth=100, width=0)


def test_sigma_w_does_not_matter():
    one = ntk_data(FeedForward("relu", sigma_w=sqrt(2)), ["1/3"], depth=100).curves[0].points.values
    two = ntk_data(FeedForward("relu", sigma_w=3), ["1/3"], depth=100).curves[0].points.values
    assert np.allclose(one, two, rtol=1e-13)

"""The figure of TBG's interpolants: its data, the same file twice, and bad input."""

import numpy as np
import pytest

from asympt import FeedForward
from asympt.errors import InputError
from asympt.plots import save
from asympt.plots.learning import interpolant_data, interpolant_figure
from asympt.training.smoothness import equally_spaced, ntk_fit, product_targets


@pytest.fixture(scope="module")
def data():
    return interpolant_data(alphas=["1", "1/5"], depths=[3, 11])


def test_curves_go_through_the_points(data):
    for curves in (*data.panels, (data.gaussian,)):
        for curve in curves:
            np.testing.assert_allclose(curve.fit.values[curve.fit.training], data.targets, atol=1e-9)
            np.testing.assert_allclose(data.grid()[curve.fit.training], data.angles, atol=1e-12)


def test_mu_is_that_of_the_fit_on_the_coarse_grid(data):
    training = equally_spaced()
    fit = ntk_fit(FeedForward("relu"), training, product_targets(training), 11)
    assert data.panels[1][0].mu == pytest.approx(fit.smoothness(), rel=1e-6)
    assert data.gaussian.mu == pytest.approx(1, abs=1e-9)


def test_the_figure_shows_every_curve(data):
    figure = interpolant_figure(data)
    assert len(figure.axes) == 2
    for axes in figure.axes:
        labels = [text.get_text() for text in axes.get_legend().get_texts()]
        assert len(labels) == 4 and labels[0].startswith("MLP") and r"\mu" in labels[1]


def test_the_figure_is_always_the_same_file(data, tmp_path):
    paths = [save(interpolant_figure(data), tmp_path / f"{k}.png") for k in (1, 2)]
    assert paths[0].read_bytes() == paths[1].read_bytes() and paths[0].stat().st_size > 20_000


@pytest.mark.parametrize(("options", "named"), [
    ({"alphas": []}, "nothing to draw"), ({"alphas": [-1]}, "alpha"), ({"depths": [2]}, "singular"),
    ({"training": [0, 0], "targets": [1.0, 1.0]}, "different whole numbers"),
])  # fmt: skip
def test_bad_input(options, named):
    with pytest.raises(InputError, match=named):
        interpolant_data(**options)


def test_width_of_the_figure(data):
    with pytest.raises(InputError, match="inches"):
        interpolant_figure(data, width=100)

"""Figures of the command line say which network, quantity and inputs they show."""

import pytest

from asympt import plots
from asympt.cli import plot
from asympt.plots import data
from asympt.plots.learning import START
from asympt.plots.phase import phase_data
from tests.cli.command import run

CAPTIONS = {
    "relu --depth 1000": ["A ReLU network on the Edge of Chaos, $", r"\sqrt{2}", "$K^L$, the NTK", "$c^1$, their"],
    "relu --law correlation --depth 1000": ["$c^l$, the correlation of two inputs", "from $c^1 = 1/10$"],
    "relu --law correlation -c 1/4 --depth 1000": ["from $c^1 = 1/4$"],
    "residual(leaky_relu,dense(2)) --depth 1000": ["A residual network with leaky_relu: $K^L$"],
    "phase relu": ["relu: both phases", r"depth scale $\xi$"],
}


@pytest.mark.parametrize("arguments", CAPTIONS)
def test_the_figure_says_what_it_shows(arguments, monkeypatch, tmp_path):
    saved = []
    monkeypatch.setattr(plots, "save", lambda figure, path: saved.append(figure))
    assert run("plot", *arguments.split(), "-o", tmp_path / "x.png").exit_code == 0
    shown = " ".join(saved[0].get_suptitle().split())
    assert [part for part in CAPTIONS[arguments] if part not in shown] == []


def test_the_starts_said_are_those_drawn():
    assert str(data.STARTS[0]) == plot.START and str(START) == plot.BETWEEN


def test_a_caption_keeps_its_formulas_whole():
    assert all(" " not in part for part in plot.INTERPOLANT.split("$")[1::2])


def test_every_contour_has_its_number():
    from asympt import activation

    figure = plots.phase_figure(activation("tanh"), data=phase_data(activation("tanh")))
    drawn = [lines for lines in figure.axes[0].collections if hasattr(lines, "labelTexts") and lines.labelTexts]
    for lines in drawn:
        paths = zip(lines.levels, lines.get_paths(), strict=True)
        levels = {f"{level:g}" for level, path in paths if len(path.vertices)}
        assert levels == {text.get_text() for text in lines.labelTexts}
    assert drawn

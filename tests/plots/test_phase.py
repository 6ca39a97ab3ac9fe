"""Phase diagrams: their numbers against the library's certified ones, their files, and the command."""

import json

import numpy as np
import pytest
from sympy import Rational

from asympt import activation, edge_of_chaos
from asympt.errors import InputError, UnsupportedError
from asympt.meanfield.correlation import LayerMap
from asympt.meanfield.layer import Layer
from asympt.numbers import to_mpf
from asympt.plots import phase_data, phase_figure, save
from asympt.plots.phase import edge_curves
from tests.cli.command import run


@pytest.mark.parametrize("name", ["tanh", "elu"])
def test_the_curve_passes_through_certified_points(name, known):
    (curve,) = edge_curves(activation(name))
    sigma_w = np.interp(0.2, curve[0], curve[1])
    assert sigma_w == pytest.approx(float(known(f"edge_of_chaos.{name}_sigma_w")), abs=1e-5)
    assert abs(sigma_w - {"tanh": 1.298, "elu": 1.225}[name]) > 4e-3  # HDR's points lie below it


def test_the_plane_agrees_with_certified_depth_scales():
    data = phase_data(activation("erf"), sigma_b_max="0.4", sigma_w_range=(1, 2), cells=5)
    assert data.weights[2] == 1.5 and data.biases[2] == 0.2
    for row, column in ((0, 2), (2, 2), (4, 4)):
        sigma_w, sigma_b = Rational(str(data.weights[row])), Rational(str(round(float(data.biases[column]), 10)))
        layer = Layer(activation("erf"), sigma_w**2, sigma_b**2)
        chi, f = float(to_mpf(layer.chi)), LayerMap(layer)
        multiplier = chi if chi < 1 else float(f.gap_slope(f.fixed_gap() if sigma_b else 1))
        assert data.chi[row, column] == pytest.approx(chi, rel=1e-5)
        assert data.depth_scale[row, column] == pytest.approx(-1 / np.log(multiplier), rel=1e-3)


def test_relu_has_one_point_and_no_variance_above_it():
    data = phase_data(activation("relu"), sigma_w_range=(1, 2), cells=11)
    assert data.curves[0][1, 0] == pytest.approx(2**0.5)
    assert np.isnan(data.chi[data.weights > 1.42][:, 1:]).all()
    assert data.depth_scale[0, 3] == pytest.approx(1 / np.log(2))


def test_softplus_has_no_curve_and_silu_an_unstable_one():
    assert edge_curves(activation("softplus")) == []
    (curve,) = edge_curves(activation("silu"))
    slope = float(np.interp(0.2, curve[0], curve[3]))
    assert slope == pytest.approx(float(edge_of_chaos("silu", sigma_b="1/5", digits=10).variance.slope), abs=1e-3)


def test_bad_windows():
    for options in ({"sigma_b_max": 0}, {"sigma_w_range": (2, 1)}, {"width": 100}):
        with pytest.raises(InputError):
            (phase_figure if "width" in options else phase_data)(activation("relu"), **options)
    with pytest.raises(UnsupportedError, match=r"jumps, so f'\(1\) is infinite for every sigma_w"):
        phase_data("sign(x) + x")  # the regular part of phi' alone would be drawn


def test_the_figure_is_always_the_same_file(tmp_path):
    data = phase_data(activation("tanh"), cells=31)
    paths = [save(phase_figure(activation("tanh"), data=data), tmp_path / f"{k}.png") for k in (1, 2)]
    assert paths[0].read_bytes() == paths[1].read_bytes() and paths[0].stat().st_size > 20_000


def test_the_command_draws_a_phase_diagram(tmp_path):
    path = tmp_path / "phase.png"
    result = run("plot", "phase", "relu_like", "--option", "right=1", "--left", "1/2", "-o", path)
    assert result.exit_code == 0, result.output
    assert path.stat().st_size > 20_000 and "wrote" in result.stderr


def test_eoc_in_numbers(known):
    record = json.loads(run("eoc", "erf", "--sigma-b", "0.2", "--digits", "20", "--format", "json").stdout)
    assert record["sigma_w"] == "1.1527954134920966022" and record["q"] == "0.46576293578289631557"
    assert record["sigma_w_exact"] is None and record["sigma_b_exact"] == "1/5" and record["variance"] == "stable"

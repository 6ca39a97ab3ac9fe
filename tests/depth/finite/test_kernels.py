"""Averages, standard errors, extrapolation, and what is refused."""

import numpy as np
import pytest
from sympy import Symbol

from asympt.architectures import BlockResNet, ConvNet, FeedForward
from asympt.depth import gram
from asympt.depth.finite import empirical_kernels
from asympt.depth.finite.kernels import Estimate, amplification, limit
from asympt.errors import InputError, PrecisionError, UnsupportedError
from tests.depth.finite.test_limits import NETS
from tests.depth.finite.test_limits import X as POINTS

X = np.array([[1.0, 0.0], [0.5, 1.5]])
RELU = FeedForward("relu").finite()


def test_the_seed_decides_everything():
    asked = {"width": 64, "most_seeds": 20}
    one, two = (empirical_kernels(RELU, X, 3, **asked, seed=5) for _ in range(2))
    np.testing.assert_array_equal(one.ntk, two.ntk)
    assert np.all(empirical_kernels(RELU, X, 3, **asked, seed=6).ntk != one.ntk)


def test_the_number_of_processes_does_not():
    asked = {"width": 512, "standard_error": 0.02, "most_seeds": 2000}
    one, two = (empirical_kernels(RELU, X, 3, **asked, workers=workers) for workers in (1, 2))
    np.testing.assert_array_equal(one.ntk, two.ntk)
    assert one.networks == two.networks


def test_a_network_of_one_layer_has_the_ntk_of_its_inputs():
    found = empirical_kernels(FeedForward("relu", sigma_w=2, sigma_b=1).finite(), X, 1, width=8, most_seeds=2)
    np.testing.assert_allclose(found.ntk, 1 + 4 * X @ X.T / 2, rtol=1e-6)
    assert np.all(found.ntk_error < 1e-5)


def test_a_block_network_without_blocks():
    """depth 1: sigma_w^2 x.x'/d from U and as much from the readout, and no V or W."""
    found = empirical_kernels(BlockResNet("relu", sigma_w=2).finite(), X, 1, width=256, most_seeds=300)
    assert found.quantities["ntk"].deviation(2 * 4 * X @ X.T / 2).max() < 4
    assert found.quantities["nngp"].deviation(4 * X @ X.T / 2).max() < 4
    assert found.quantities["weights"].mean.shape == (2, 2, 2)


def test_the_standard_error_asked_for_is_met():
    found = empirical_kernels(RELU, X, 3, widths=(64, 128), standard_error=0.02, most_seeds=20_000)
    for kernel, error in ((found.ntk, found.ntk_error), (found.nngp, found.nngp_error)):
        root = np.sqrt(np.diag(kernel))
        assert 0.002 < (error / np.outer(root, root)).max() < 0.0202  # 1% more: the diagonal is not that of one width
    assert all(32 < count < 20_000 for count in found.networks)


def test_an_input_of_zeros_is_known_exactly():
    found = empirical_kernels(RELU, [[0.0, 0.0], [1.0, 2.0]], 3, width=64, standard_error=0.05, most_seeds=2000)
    assert found.ntk[0].tolist() == [0.0, 0.0] and found.ntk_error[1, 1] > 0


def test_errors_that_cannot_be_met_are_named():
    with pytest.raises(PrecisionError, match=r"8 networks of width 32 reach 0\.\d+ where 0.0001"):
        empirical_kernels(RELU, X, 3, width=32, standard_error=1e-4, most_seeds=8)


def test_standard_errors_are_those_of_the_mean():
    """200 runs of 10 networks each scatter as the errors say (5 standard errors of a variance of 200 values)."""
    runs = [empirical_kernels(RELU, X, 2, width=32, most_seeds=10, seed=seed) for seed in range(200)]
    scatter = np.var([run.ntk for run in runs], axis=0)
    said = np.mean([run.ntk_error**2 for run in runs], axis=0)
    np.testing.assert_allclose(scatter / said, 1.0, atol=5 * np.sqrt(2 / 200))


def test_the_bias_is_extrapolated_away():
    """Blocks with erf at depth 5: the NTK of width 16 is off by many standard errors; the line is not."""
    network, (_, kernel) = NETS["block erf"].finite(), gram(NETS["block erf"], POINTS, depth=5)
    narrow = empirical_kernels(network, POINTS, 5, width=16, most_seeds=4000)
    both = empirical_kernels(network, POINTS, 5, widths=(32, 64), most_seeds=2000)
    assert narrow.quantities["ntk"].deviation(kernel).max() > 6
    assert both.quantities["ntk"].extrapolated
    assert both.quantities["ntk"].deviation(kernel).max() < 3


def test_the_line_is_that_of_polyfit():
    widths, errors = [10, 20, 40], np.array([0.01, 0.02, 0.03])
    means = np.array([1.3, 1.1, 1.06])
    found = limit(widths, [Estimate(np.array([m]), np.array([e]), 9) for m, e in zip(means, errors, strict=True)])
    line, covariance = np.polyfit(1 / np.array(widths), means, 1, w=1 / errors, cov="unscaled")
    assert found.extrapolated
    assert found.mean[0] == pytest.approx(line[1], rel=1e-12)
    assert found.error[0] == pytest.approx(np.sqrt(covariance[1, 1]), rel=1e-12)
    assert amplification([10, 20]) == pytest.approx(np.sqrt(5))


@pytest.mark.parametrize("options", [
    {"depth": 0}, {"X": [1.0, 2.0]}, {"X": [[np.nan, 1.0]]}, {"width": 2}, {"widths": (16, 16)}, {"most_seeds": 1},
    {"standard_error": 0.0}, {"workers": 0}, {"outputs": 0}, {"network": ConvNet("relu", 4, 1).finite()},
    {"network": ConvNet("relu", 5, 1).finite(), "X": np.ones((1, 1, 4))},
], ids=str)  # fmt: skip
def test_bad_input(options):
    asked = {"network": RELU, "X": X, "depth": 2, "width": 16, "most_seeds": 4, **options}
    with pytest.raises(InputError, match="give"):
        empirical_kernels(**asked)


def test_a_network_with_symbols_is_none():
    with pytest.raises(InputError, match="holds w; give numbers"):
        FeedForward("relu", sigma_w=Symbol("w", positive=True)).finite()


def test_a_jump_has_no_backward_pass():
    with pytest.raises(UnsupportedError, match="there is no NTK"):
        FeedForward("step", sigma_w=1).finite()

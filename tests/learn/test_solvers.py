"""Conjugate gradients on kernels, against NumPy's direct solution, and the forecast of their steps."""

import numpy as np
import pytest

from asympt import FeedForward, InputError, PrecisionError
from asympt.learn import NNGP, NTK, KernelOperator, expected_steps, solve

NET = FeedForward("relu", sigma_w="3/2", sigma_b="1/2")


@pytest.fixture(scope="module")
def inputs() -> np.ndarray:
    return np.random.default_rng(2).normal(size=(60, 20))


@pytest.mark.parametrize("memory", [0, 2**31])
def test_the_operator_is_the_matrix(inputs, memory, monkeypatch):
    monkeypatch.setattr("asympt.learn.regressor.ROWS", 16)  # four blocks, the last one short
    kernel, columns = NTK(NET, depth=3), np.random.default_rng(3).normal(size=(60, 2))
    operator = KernelOperator(kernel, inputs, noise=0.3, memory=memory)
    expected = kernel(inputs) @ columns + 0.3 * columns
    assert operator @ columns == pytest.approx(expected, rel=1e-12)
    assert operator @ columns[:, 0] == pytest.approx(expected[:, 0], rel=1e-12)
    assert operator.T @ columns[:, 0] == pytest.approx(expected[:, 0], rel=1e-12)


@pytest.mark.parametrize("noise", [0.0, 0.5])
def test_solutions_are_numpys(inputs, noise):
    targets = np.random.default_rng(4).normal(size=(60, 2))
    expected = np.linalg.solve(NTK(NET, depth=3)(inputs) + noise * np.eye(60), targets)
    assert solve(NTK(NET, depth=3), inputs, targets, noise=noise, tolerance=1e-12) == pytest.approx(expected, rel=1e-8)
    one = solve(NTK(NET, depth=3), inputs, targets[:, 0], noise=noise, tolerance=1e-12)
    assert one == pytest.approx(expected[:, 0], rel=1e-8)


@pytest.mark.parametrize(("kernel", "depth"), [(NTK, 1), (NTK, 10), (NTK, 100), (NNGP, 3)])
def test_the_forecast_for_orthogonal_inputs(kernel, depth):
    """Inputs at equal angles: kappa from the eigenvalues of the matrix itself, and no more steps than forecast."""
    made, points = kernel(NET, depth=depth), np.eye(12)
    modes = np.linalg.eigvalsh(made(points))
    root, tolerance = np.sqrt(modes[-1] / modes[0]), 1e-6
    forecast = expected_steps(made, points, tolerance=tolerance)
    assert forecast == pytest.approx(np.log(2 / tolerance) / np.log((root + 1) / (root - 1)), abs=1)
    taken = []
    solve(made, points, np.arange(12.0), tolerance=tolerance, progress=taken.append)
    assert taken[-1] <= forecast


def test_generic_inputs_are_forecast_within_a_small_factor(inputs):
    taken = []
    solve(NTK(NET, depth=4), inputs, np.random.default_rng(5).normal(size=60), tolerance=1e-8, progress=taken.append)
    assert taken[-1] / 3 < expected_steps(NTK(NET, depth=4), inputs) < 3 * taken[-1]


def test_refusals(inputs):
    with pytest.raises(InputError, match="one row for each input"):
        solve(NTK(NET), inputs, np.ones(3))
    with pytest.raises(InputError, match="tolerance = 2"):
        solve(NTK(NET), inputs, np.ones(60), tolerance=2)
    for bad, named in ((0, "most = 0"), (2.5, "most = 2.5"), (True, "most = True")):
        with pytest.raises(InputError, match=named):
            solve(NTK(NET), inputs, np.ones(60), most=bad)
    with pytest.raises(InputError, match="y holds nan"):
        solve(NTK(NET), inputs, np.full(60, np.nan))
    with pytest.raises(InputError, match="noise = -1"):
        KernelOperator(NTK(NET), inputs, noise=-1)
    with pytest.raises(InputError, match="one direction"):
        expected_steps(NTK(FeedForward("relu")), np.ones((3, 2)))
    with pytest.raises(PrecisionError, match="defect of"):
        solve(NTK(NET), inputs, np.ones(60), tolerance=1e-14, most=1)

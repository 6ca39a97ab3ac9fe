"""Gradient flow under a frozen kernel against a matrix exponential, an integrator, and a network's own training."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import solve_ivp
from scipy.linalg import expm

from asympt.errors import InputError
from asympt.training.flow import flow, flow_at
from asympt.training.kernels import solve


def problem(seed: int, size: int = 5, tests: int = 3, outputs: int = 2) -> tuple:
    """(K(X, X), K(x, X), Y, f_0(X), f_0(x))."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(size + tests, size + tests + 2))
    kernel = features @ features.T
    return (
        kernel[:size, :size],
        kernel[size:, :size],
        rng.normal(size=(size, outputs)),
        rng.normal(size=(size, outputs)),
        rng.normal(size=(tests, outputs)),
    )


@given(st.integers(0, 200), st.sampled_from(["mean", "sum"]), st.floats(0, 20))
def test_training_points_against_the_matrix_exponential(seed, normalisation, time):
    kernel, _, targets, start, _ = problem(seed)
    scale = 1 / len(kernel) if normalisation == "mean" else 1
    decay = expm(-kernel * scale * time)
    expected = decay @ start + (np.eye(len(kernel)) - decay) @ targets
    found = flow(kernel, targets, time, start=start, normalisation=normalisation)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-10)


def test_the_end_of_training_is_kernel_regression():
    kernel, cross, targets, start, first = problem(3)
    expected = first + cross @ solve(kernel, targets - start)
    ends = flow_at(cross, kernel, targets, [1e9, np.inf], start=start, test_start=first)
    np.testing.assert_allclose(ends, np.stack([expected, expected]), rtol=1e-10)
    np.testing.assert_allclose(flow(kernel, targets, np.inf, start=start), targets, rtol=1e-14)


def test_a_linear_model_trained_by_its_parameters():
    """f = theta . x has the kernel X X^T at any time: train theta itself by gradient flow (HDR eq. 2)."""
    rng = np.random.default_rng(11)
    inputs, tests = rng.normal(size=(3, 4)), rng.normal(size=(2, 4))
    targets, theta = rng.normal(size=3), rng.normal(size=4)
    path = solve_ivp(
        lambda _, p: -inputs.T @ (inputs @ p - targets) / 3, (0, 2), theta, "DOP853", [2.0], rtol=1e-12, atol=1e-12
    )
    end = path.y[:, -1]
    kernel, cross = inputs @ inputs.T, tests @ inputs.T
    np.testing.assert_allclose(flow(kernel, targets, 2.0, start=inputs @ theta), inputs @ end, rtol=1e-9)
    found = flow_at(cross, kernel, targets, 2.0, start=inputs @ theta, test_start=tests @ theta)
    np.testing.assert_allclose(found, tests @ end, rtol=1e-9)


def test_shapes_of_times_and_targets():
    kernel, cross, targets, _, _ = problem(1)
    times = np.ones((2, 3))
    assert flow(kernel, targets, times).shape == (2, 3, 5, 2)
    assert flow(kernel, targets[:, 0], times).shape == (2, 3, 5)
    assert flow_at(cross, kernel, targets[:, 0], 1.0).shape == (3,)
    assert flow_at(cross, kernel, targets, times).shape == (2, 3, 3, 2)


def test_a_singular_kernel_keeps_the_error_in_its_null_space():
    """HDR Lemma 1 as it should be: two equal points with different targets end at the mean of the targets."""
    kernel = np.array([[1.0, 1.0], [1.0, 1.0]])
    np.testing.assert_allclose(flow(kernel, [1.0, 3.0], np.inf), [2.0, 2.0], atol=1e-14)
    np.testing.assert_allclose(flow(kernel, [1.0, 1.0], np.inf), [1.0, 1.0], atol=1e-14)


def test_test_points_of_a_singular_kernel_stay_finite_for_ever():
    rng = np.random.default_rng(5)
    features = rng.normal(size=(6, 3))
    kernel = features @ features.T
    ends = flow_at(kernel[4:, :4], kernel[:4, :4], rng.normal(size=4), [1e6, 1e30, np.inf])
    np.testing.assert_allclose(ends[1:], ends[:2], rtol=1e-6)


def test_a_test_row_outside_the_range_is_refused_at_infinity_only():
    kernel, cross = [[1.0, 1.0], [1.0, 1.0]], [[1.0, 0.0]]
    assert flow_at(cross, kernel, [1.0, -1.0], 4.0)[0] == pytest.approx(2.0)  # t (1, 0).(1, -1)/N
    with pytest.raises(InputError, match="training points 0 and 1 coincide"):
        flow_at(cross, kernel, [1.0, -1.0], np.inf)


@pytest.mark.parametrize(("changes", "words"), [
    ({"times": -1.0}, "holds -1.0"), ({"times": np.nan}, "holds nan"),
    ({"targets": [1.0]}, r"targets has shape \(1,\)"), ({"start": [1.0]}, r"start has shape \(1,\)"),
    ({"normalisation": "half"}, "'half' is unknown"), ({"kernel": [[1.0, 2.0], [2.0, 1.0]]}, "eigenvalue -1"),
])  # fmt: skip
def test_bad_input(changes, words):
    given = {"kernel": np.eye(2), "targets": [1.0, 2.0], "times": 1.0} | changes
    with pytest.raises(InputError, match=words):
        flow(**given)


def test_a_bad_cross_kernel():
    with pytest.raises(InputError, match=r"cross has shape \(1, 3\)"):
        flow_at(np.ones((1, 3)), np.eye(2), [1.0, 2.0], 1.0)


def test_outputs_that_share_a_kernel_written_as_one_matrix():
    """K tensor identity, targets of shape (oN,), divided by N and not by oN."""
    kernel, _, targets, start, _ = problem(9)
    found = flow(np.kron(kernel, np.eye(2)), targets.ravel(), 0.8, start=start.ravel(), normalisation=5)
    np.testing.assert_allclose(found.reshape(5, 2), flow(kernel, targets, 0.8, start=start), rtol=1e-10)

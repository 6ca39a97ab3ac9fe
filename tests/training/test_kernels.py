"""Reading kernels: what is refused, and which training points are named."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import hilbert

from asympt import FeedForward
from asympt.depth import gram
from asympt.errors import InputError
from asympt.training.flow import flow
from asympt.training.kernels import Dependence, dependence, invertible_kernel, solve, training_kernel
from asympt.training.prediction import regime


def points(seed: int, count: int = 6, size: int = 4) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(count, size))


@pytest.mark.parametrize(("kernel", "words"), [
    ([[1, 2], [2, 1]], "eigenvalue -1 "), ([[1, 2], [3, 1]], "entries .0, 1. and .1, 0. are 2 and 3"),
    ([[1, 0], [0, -1e-20]], "diagonal entry -1e-20 at training point 1"),
    ([[0, 1], [1, 1]], "not positive semi-definite"), ([[1, 2e-10], [2e-10, 1e-20]], "eigenvalue -3e-20"),
    ([[1, np.nan], [0, 1]], "nan"), ([[1, 2, 3]], r"shape \(1, 3\)"), (np.zeros((0, 0)), r"shape \(0, 0\)"),
    (1j * np.eye(2), "complex"), ("abc", "not an array"),
])  # fmt: skip
def test_what_is_no_kernel_is_refused(kernel, words):
    with pytest.raises(InputError, match=words):
        training_kernel(kernel)


def test_points_of_a_network_that_coincide_are_named():
    inputs = points(0)
    inputs[3] = inputs[5] = inputs[1]
    _, ntk = gram(FeedForward("relu"), inputs, depth=10)
    with pytest.raises(InputError, match="training points 1, 3 and 5 coincide to rounding; keep one"):
        invertible_kernel(ntk)


def test_duplicates_come_before_parallel_points():
    inputs = points(1)
    inputs[1], inputs[4] = 2 * inputs[0], inputs[3]
    _, ntk = gram(FeedForward("relu"), inputs, depth=3)
    assert dependence(ntk) == Dependence("duplicate", (3, 4))
    assert dependence(np.delete(np.delete(ntk, 4, 0), 4, 1)) == Dependence("parallel", (0, 1))


def test_opposite_points_are_parallel_not_equal():
    assert dependence([[1, -1], [-1, 1]]).kind == "parallel"


def test_a_point_of_zeros_is_named():
    inputs = points(2)
    inputs[2] = 0
    _, ntk = gram(FeedForward("relu"), inputs, depth=4)
    with pytest.raises(InputError, match="training point 2 has a kernel of 0"):
        invertible_kernel(ntk)


@given(st.integers(0, 1000), st.integers(2, 4))
def test_a_combination_is_named_with_all_its_points(seed, parts):
    inputs = points(seed, 7, 9)
    inputs[6] = inputs[:parts].sum(axis=0)
    found = dependence(inputs @ inputs.T)
    assert found == Dependence("dependent", (*range(parts), 6))


@given(st.integers(0, 1000))
def test_the_scale_of_a_point_does_not_matter(seed):
    inputs = points(seed, 5, 8)
    scale = 10.0 ** -np.arange(0, 50, 10)
    kernel = (inputs @ inputs.T) * np.outer(scale, scale)
    assert dependence(kernel) is None
    right = scale * np.random.default_rng(seed).normal(size=5)
    expected = np.linalg.solve(inputs @ inputs.T, right / scale) / scale
    np.testing.assert_allclose(solve(kernel, right), expected, rtol=1e-6)


def test_solving_keeps_the_shape_of_the_right_side():
    kernel = np.array([[2.0, 1.0], [1.0, 3.0]])
    right = np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 5.0]])
    np.testing.assert_allclose(kernel @ solve(kernel, right), right, rtol=1e-14, atol=1e-14)
    assert solve(kernel, right[:, 0]).shape == (2,)


def test_a_network_deep_in_the_ordered_phase_has_points_that_coincide():
    _, ntk = gram(FeedForward("relu", sigma_w=1, sigma_b=1), points(3), depth=300)
    with pytest.raises(InputError, match="coincide to rounding"):
        invertible_kernel(ntk)


@pytest.mark.parametrize("asymmetry", [1e-13, -1e-13, 3e-12])
def test_a_singular_kernel_with_the_asymmetry_of_its_rounding_trains(asymmetry):
    """One of two equal points off by 1e-13: as if it were exact, to 1e-12."""
    rough, exact = [[1.0, 1.0], [1.0 + asymmetry, 1.0]], np.ones((2, 2))
    found, expected = (flow(kernel, [1.0, 0.5], [0.3, 20.0, np.inf]) for kernel in (rough, exact))
    np.testing.assert_allclose(found[0], expected[0], atol=1e-11)
    np.testing.assert_allclose(found[1:], expected[1:], atol=1e-10)
    with pytest.raises(InputError, match="points 0 and 1 coincide"):
        invertible_kernel(rough)
    with pytest.raises(InputError, match="not positive semi-definite"):
        training_kernel([[1.0, 1.0 + 1e-8], [1.0 + 1e-8, 1.0]])


def test_an_ill_conditioned_kernel_is_not_called_rank_deficient():
    """Hilbert's matrix is invertible for every N; its condition number is 1.6e13 for N = 10 and 1.7e16 for N = 12."""
    values = np.arange(10) - 4.0
    right = hilbert(10) @ values
    np.testing.assert_allclose(solve(invertible_kernel(hilbert(10)), right), values, rtol=1e-2, atol=1e-2)
    with pytest.raises(InputError, match=r"numerically singular: .* eigenvalue .* rounding .* higher precision"):
        invertible_kernel(hilbert(13))
    with pytest.raises(InputError, match="as far as float64 can tell"):
        regime(hilbert(13))

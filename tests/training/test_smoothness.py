"""Norms and mu against dense linear algebra in mpmath; the fits against the NTK recursion written out for ReLU."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp

from asympt import FeedForward
from asympt.architectures.resnet import BlockResNet
from asympt.errors import InputError
from asympt.training.smoothness import (
    circle_grid,
    circle_norm,
    circle_spectrum,
    equally_spaced,
    gaussian_fit,
    gaussian_kernel,
    interpolant_norm,
    ntk_fit,
    product_targets,
    smoothness,
)

POINTS = np.array([0, 3, 6, 11, 15, 19, 24, 28, 33, 37])


def dense_norm(values, width):
    """sqrt(f.K^-1 f) on the grid, K inverted in 60 digits."""
    size = len(values)
    with mp.workdps(60):
        gram = mpmath.matrix(size, size)
        for i in range(size):
            for j in range(size):
                turn = mpmath.cos(2 * mpmath.pi * (i - j) / size)
                gram[i, j] = mpmath.exp((turn - 1) / mpmath.mpf(width) ** 2)
        f = mpmath.matrix([mpmath.mpf(float(v)) for v in values])
        return float(mpmath.sqrt((f.T * mpmath.lu_solve(gram, f))[0]))


def relu_ntk(inputs, blocks, branch):
    """The NTK of a residual network of two-matrix blocks, written out for ReLU (arc-cosine kernels)."""
    sigma = inputs @ inputs.T / inputs.shape[1]
    kernel = 2 * sigma
    for _ in range(blocks):
        roots = np.sqrt(np.outer(np.diag(sigma), np.diag(sigma)))
        angle = np.arccos(np.clip(sigma / roots, -1, 1))
        values = roots * (np.sin(angle) + (np.pi - angle) * np.cos(angle)) / (2 * np.pi)
        slopes = (np.pi - angle) / (2 * np.pi)
        sigma, kernel = sigma + branch * values, (1 + branch * slopes) * kernel + 2 * branch * values
    return kernel


@pytest.mark.parametrize(("size", "width"), [(12, 0.5), (25, 0.4), (20, 1.0)])
def test_the_circulant_norm_is_the_dense_one(size, width):
    values = np.random.default_rng(0).standard_normal(size)
    assert circle_norm(values, width) == pytest.approx(dense_norm(values, width), rel=1e-10)


def test_the_spectrum_sums_to_the_trace_and_diagonalises():
    spectrum = circle_spectrum(24, 0.5)
    points = circle_grid(24)
    kernel = gaussian_kernel(points, points, 0.5)
    assert spectrum.sum() == pytest.approx(24, rel=1e-13)
    np.testing.assert_allclose(np.sort(spectrum)[-8:], np.linalg.eigvalsh(kernel)[-8:], rtol=1e-12)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.floats(0.1, 10))
def test_mu_is_between_0_and_1_and_does_not_see_the_scale(seed, scale):
    values = np.random.default_rng(seed).standard_normal(40)
    mu = smoothness(values, POINTS, 0.5)
    assert 0 < mu <= 1 and smoothness(scale * values, POINTS, 0.5) == pytest.approx(mu, rel=1e-9)


def test_the_gaussian_fit_is_the_smoothest():
    targets = product_targets(POINTS, 40)
    best = gaussian_fit(POINTS, targets)
    assert best.smoothness() == pytest.approx(1, abs=1e-9)
    assert interpolant_norm(gaussian_kernel(*[circle_grid(40)[POINTS]] * 2, 0.5), targets) == pytest.approx(
        circle_norm(best.values, 0.5), rel=1e-9
    )
    for net in (FeedForward("relu"), BlockResNet("relu")):
        assert ntk_fit(net, POINTS, targets, 6, 40).smoothness() < 1


@pytest.mark.parametrize(("blocks", "alpha"), [(1, "1"), (2, "1/2"), (10, "1/5")])
def test_fits_against_the_recursion_written_out(blocks, alpha):
    targets = product_targets(POINTS, 40)
    grid = circle_grid(40)
    kernel = relu_ntk(grid, blocks, float(Fraction(alpha)) ** 2)
    expected = kernel[:, POINTS] @ np.linalg.solve(kernel[np.ix_(POINTS, POINTS)], targets)
    found = ntk_fit(BlockResNet("relu", alpha=alpha), POINTS, targets, blocks + 1, 40)
    np.testing.assert_allclose(found.values, expected, atol=1e-8)
    np.testing.assert_allclose(found.values[POINTS], targets, atol=1e-12)


@pytest.mark.parametrize(("call", "named"), [
    (lambda: gaussian_kernel([[0.0]], [[0.0, 1.0]], 1), "same d"),
    (lambda: gaussian_kernel([[0.0]], [[1.0]], 0), "width = 0"),
    (lambda: interpolant_norm([[1.0]], [[1.0]]), "one number per training point"),
    (lambda: interpolant_norm([[1.0, 1.0], [1.0, 1.0]], [1.0, 1.0]), "coincide"),
    (lambda: circle_grid(0), "size = 0"),
    (lambda: circle_norm(np.ones(400), 1.0), "do not fit each other"),
    (lambda: circle_norm([[1.0]], 1.0), "shape"),
    (lambda: smoothness(np.ones(4), [0, 0], 1.0), "different whole numbers"),
    (lambda: smoothness(np.ones(4), [0, 4], 1.0), "from 0 to 3"),
    (lambda: smoothness([0.0, 1.0], [0], 1.0), "0/0"),
    (lambda: equally_spaced(3, 10), "multiple of 3"),
    (lambda: ntk_fit(FeedForward("relu"), [0, 5], [1.0, 0.0, 2.0], 3, 10), "targets"),
    (lambda: ntk_fit(FeedForward("relu"), np.arange(10), np.ones((10, 1)), 3, 10), "one number per training point"),
    (lambda: ntk_fit(FeedForward("relu"), np.arange(10), np.ones(10), 2, 10), "singular"),
])  # fmt: skip
def test_bad_input(call, named):
    with pytest.raises(InputError, match=named):
        call()

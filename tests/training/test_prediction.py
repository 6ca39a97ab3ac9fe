"""The mean and the covariance of trained networks: Monte Carlo over starts, Gaussian processes, bad kernels."""

import numpy as np
import pytest

from asympt import FeedForward
from asympt.depth import gram
from asympt.errors import InputError
from asympt.training.flow import newton
from asympt.training.prediction import mean_prediction, prediction

DRAWS = 20000


def kernels(seed: int, count: int = 8, depth: int = 4) -> tuple[np.ndarray, np.ndarray]:
    inputs = np.random.default_rng(seed).normal(size=(count, 5))
    return gram(FeedForward("relu"), inputs, depth=depth)


def test_monte_carlo_over_initial_outputs():
    """PDLT (10.40), (10.41): draw z ~ N(0, K), train every draw fully, compare the sample's moments."""
    nngp, ntk = kernels(0)
    targets = np.random.default_rng(1).normal(size=5)
    mean, covariance = prediction(nngp, ntk, targets)
    draws = np.random.default_rng(2).multivariate_normal(np.zeros(8), nngp, DRAWS).T
    many = np.repeat(targets[:, None], DRAWS, axis=1)
    ends = newton(ntk[:5, :5], many, start=draws[:5], cross=ntk[5:, :5], test_start=draws[5:])
    errors = ends.std(axis=1, ddof=1) / np.sqrt(DRAWS)
    assert (np.abs(ends.mean(axis=1) - mean) < 4 * errors).all()
    centred = ends - ends.mean(axis=1, keepdims=True)
    products = centred[:, None, :] * centred[None, :, :]
    spread = products.std(axis=2) / np.sqrt(DRAWS)
    assert (np.abs(products.mean(axis=2) - covariance) < 4 * spread).all()


def test_equal_kernels_give_the_posterior_of_a_gaussian_process():
    """The conditional mean and covariance of N(0, K), by the inverse of the joint covariance (Schur's complement)."""
    nngp, _ = kernels(3)
    targets = np.random.default_rng(4).normal(size=(5, 2))
    mean, covariance = prediction(nngp, nngp, targets)
    precision = np.linalg.inv(nngp)
    expected = np.linalg.inv(precision[5:, 5:])
    np.testing.assert_allclose(covariance, expected, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(mean, -expected @ precision[5:, :5] @ targets, rtol=1e-8, atol=1e-10)


def test_the_covariance_is_positive_and_the_mean_is_kernel_regression():
    nngp, ntk = kernels(5)
    targets = np.random.default_rng(6).normal(size=(5, 3))
    mean, covariance = prediction(nngp, ntk, targets)
    np.testing.assert_allclose(mean, mean_prediction(ntk[5:, :5], ntk[:5, :5], targets), rtol=1e-10)
    assert np.linalg.eigvalsh(covariance).min() > -1e-12
    assert mean.shape == (3, 3) and covariance.shape == (3, 3)


def test_a_test_point_that_is_a_training_point_is_certain():
    inputs = np.random.default_rng(7).normal(size=(5, 4))
    nngp, ntk = gram(FeedForward("relu"), np.vstack([inputs, inputs[2]]), depth=3)
    targets = np.arange(5.0)
    mean, covariance = prediction(nngp, ntk, targets)
    assert mean[0] == pytest.approx(2.0, rel=1e-12)
    assert abs(covariance[0, 0]) < 1e-12


def test_training_points_that_coincide_are_named():
    inputs = np.random.default_rng(8).normal(size=(6, 4))
    inputs[3] = inputs[0]
    nngp, ntk = gram(FeedForward("relu"), inputs, depth=3)
    with pytest.raises(InputError, match="ntk of the training points is singular: training points 0 and 3 coincide"):
        prediction(nngp, ntk, np.arange(5.0))


@pytest.mark.parametrize(("nngp", "ntk", "targets", "words"), [
    (np.eye(3), np.eye(2), [1.0], "both for the same points"),
    (np.eye(3), np.eye(3), [1.0, 2.0, 3.0], "at least one test point"),
    (np.eye(3), np.eye(3), 1.0, "targets has shape"),
    (np.diag([1.0, 1.0, -1.0]), np.eye(3), [1.0], "nngp has the diagonal entry -1 at training point 2"),
    (np.eye(3), np.array([[1, 2, 0], [2, 1, 0], [0, 0, 1]]), [1.0, 2.0], "ntk has the eigenvalue -1"),
])  # fmt: skip
def test_bad_input(nngp, ntk, targets, words):
    with pytest.raises(InputError, match=words):
        prediction(nngp, ntk, targets)

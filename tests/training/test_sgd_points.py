"""Test points under SGD against the joint system of training and test points."""

import numpy as np
import pytest
from scipy.integrate import quad_vec
from scipy.linalg import expm

from asympt.errors import InputError
from asympt.training.sgd import StochasticFlow, sgd_covariance_at, sgd_mean_at

RNG = np.random.default_rng(2)
FEATURES = RNG.normal(size=(5, 6))
KERNEL = FEATURES @ FEATURES.T
NOISE, CURVATURE, START = RNG.normal(size=(5, 4)), RNG.normal(size=5), RNG.normal(size=5)
TARGETS = np.array([1.0, -1.0, 0.5])
RATE, BATCH, TIME = 0.5, 4.0, 1.7


def training(normalisation: str = "mean") -> StochasticFlow:
    return StochasticFlow(KERNEL[:3, :3], TARGETS, NOISE[:3], RATE, BATCH, CURVATURE[:3], START[:3], normalisation)


@pytest.mark.parametrize("normalisation", ["mean", "sum"])
def test_the_joint_system(normalisation):
    """d(f(X), f(x)) = -A (f - (Y, 0)) + ...: a linear system whose matrix has zero columns for the test points."""
    matrix = np.zeros((5, 5))
    matrix[:, :3] = KERNEL[:, :3] / (3 if normalisation == "mean" else 1)
    drift = RATE / (2 * BATCH) * CURVATURE + matrix[:, :3] @ TARGETS
    pushed, _ = quad_vec(lambda u: expm(-matrix * u) @ drift, 0, TIME, epsabs=1e-12)
    spread, _ = quad_vec(lambda u: expm(-matrix * u) @ NOISE @ NOISE.T @ expm(-matrix * u).T, 0, TIME, epsabs=1e-12)
    sgd, cross = training(normalisation), KERNEL[3:, :3]
    mean = sgd_mean_at(sgd, cross, [0.0, TIME], curvature=CURVATURE[3:], start=START[3:])
    np.testing.assert_allclose(mean[0], START[3:], rtol=1e-14)
    np.testing.assert_allclose(mean[1], (expm(-matrix * TIME) @ START + pushed)[3:], rtol=1e-9)
    covariance = sgd_covariance_at(sgd, cross, NOISE[3:], TIME)
    np.testing.assert_allclose(covariance, (RATE / BATCH * spread)[3:, 3:], rtol=1e-9)


def test_training_points_as_test_points():
    sgd, times = training(), np.array([[0.01, 1.0], [30.0, 1e4]])
    mean = sgd_mean_at(sgd, KERNEL[:3, :3], times, curvature=CURVATURE[:3], start=START[:3])
    np.testing.assert_allclose(mean, sgd.mean(times), rtol=1e-8, atol=1e-10)
    covariance = sgd_covariance_at(sgd, KERNEL[:3, :3], NOISE[:3], times)
    np.testing.assert_allclose(covariance, sgd.covariance(times), rtol=1e-7, atol=1e-9)


def test_simulated_parameters_of_a_linear_model():
    """f = theta . x: simulate d theta = -grad L dt + sqrt(eta/S) R dW itself (HDR eq. 31); Hess f = 0, G = x R."""
    rng, root, paths, steps = np.random.default_rng(3), np.diag([1.0, 0.5, 2.0, 0.1, 1.0, 1.0]), 20000, 200
    theta = np.zeros((paths, 6))
    for _ in range(steps):
        error = theta @ FEATURES[:3].T - TARGETS
        kick = rng.standard_normal((paths, 6)) @ root
        theta = theta - TIME / steps * error @ FEATURES[:3] / 3 + np.sqrt(RATE / BATCH * TIME / steps) * kick
    ends = theta @ FEATURES[3:].T
    sgd = StochasticFlow(KERNEL[:3, :3], TARGETS, FEATURES[:3] @ root, RATE, BATCH)
    mean = sgd_mean_at(sgd, KERNEL[3:, :3], TIME)
    covariance = sgd_covariance_at(sgd, KERNEL[3:, :3], FEATURES[3:] @ root, TIME)
    errors = ends.std(axis=0) / np.sqrt(paths)
    assert (np.abs(ends.mean(axis=0) - mean) < 4 * errors + 0.02 * np.abs(mean)).all()  # steps of 1/200: 1%
    np.testing.assert_allclose(np.cov(ends.T), covariance, rtol=0.05, atol=0.02 * np.abs(covariance).max())


@pytest.mark.parametrize(("call", "words"), [
    (lambda: sgd_mean_at(training(), np.ones((1, 2)), 1.0), "cross has shape"),
    (lambda: sgd_mean_at(training(), np.ones((1, 3)), np.inf), "times holds inf"),
    (lambda: sgd_mean_at(training(), np.ones((1, 3)), 1.0, curvature=[1, 2]), "curvature has shape"),
    (lambda: sgd_covariance_at(training(), np.ones((1, 3)), np.ones((1, 2)), 1.0), r"noise has shape \(1, 2\)"),
])  # fmt: skip
def test_bad_input(call, words):
    with pytest.raises(InputError, match=words):
        call()

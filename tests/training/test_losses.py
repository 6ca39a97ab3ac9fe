"""Flows of other losses against the quadratic closed form, an implicit solution, the parameters of a linear model."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from asympt.errors import InputError
from asympt.training.flow import flow, flow_at, flow_of_loss

RNG = np.random.default_rng(8)
FEATURES = RNG.normal(size=(6, 9))
KERNEL = FEATURES @ FEATURES.T
TARGETS, START = RNG.normal(size=(4, 2)), RNG.normal(size=(4, 2))
TIMES = np.array([0.0, 0.5, 3.0])


@pytest.mark.parametrize("normalisation", ["mean", "sum"])
def test_the_quadratic_loss(normalisation):
    kernel, cross = KERNEL[:4, :4], KERNEL[4:, :4]
    options = {"normalisation": normalisation}
    found = flow_of_loss(kernel, lambda f: f - TARGETS, START, TIMES, **options)
    np.testing.assert_allclose(found, flow(kernel, TARGETS, TIMES, start=START, **options), rtol=1e-7, atol=1e-8)
    at_test = flow_of_loss(kernel, lambda f: f - TARGETS, START, TIMES, cross=cross, **options)
    expected = flow_at(cross, kernel, TARGETS, TIMES, start=START, **options)
    np.testing.assert_allclose(at_test, expected, rtol=1e-7, atol=1e-8)


def test_the_logistic_loss_of_one_point_against_its_implicit_solution():
    """f' = k/(1 + e^f) gives f + e^f = k t + 1 from 0."""
    times = np.array([0.1, 1.0, 40.0])
    found = flow_of_loss([[2.5]], lambda f: -1 / (1 + np.exp(f)), [0.0], times)
    expected = [brentq(lambda f, t=t: f + np.exp(f) - 2.5 * t - 1, 0, 50, xtol=1e-14) for t in times]
    np.testing.assert_allclose(found[:, 0], expected, rtol=1e-8)


def test_logistic_regression_by_its_parameters():
    """f = theta . x, labels +-1: train theta itself (HDR eq. 2) and compare outputs at training and test points."""
    inputs, tests, labels = FEATURES[:4], FEATURES[4:], np.array([1.0, -1.0, 1.0, 1.0])

    def gradient(f):
        return -labels / (1 + np.exp(labels * f))

    path = solve_ivp(
        lambda _, p: -inputs.T @ gradient(inputs @ p) / 4, (0, 3), np.zeros(9), "DOP853", TIMES, rtol=1e-11, atol=1e-12
    ).y
    kernel, cross = KERNEL[:4, :4], KERNEL[4:, :4]
    on_training = flow_of_loss(kernel, gradient, np.zeros(4), TIMES)
    np.testing.assert_allclose(on_training, (inputs @ path).T, rtol=1e-6, atol=1e-8)
    at_test = flow_of_loss(kernel, gradient, np.zeros(4), TIMES, cross=cross)
    np.testing.assert_allclose(at_test, (tests @ path).T, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize(("gradient", "times", "words"), [
    (lambda f: f[:1], [1.0], r"gradient\(f\) has shape \(1,\)"),
    (lambda f: f, [1.0, 0.5], "not finite and increasing"),
    (lambda f: f, [np.inf], "not finite and increasing"),
    (lambda f: f, 1.0, "not finite and increasing"),
    (lambda f: np.nan * f, [1.0], "nan"),
])  # fmt: skip
def test_bad_input(gradient, times, words):
    with pytest.raises(InputError, match=words):
        flow_of_loss(np.eye(2), gradient, [1.0, 2.0], times)

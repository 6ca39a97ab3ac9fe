"""Linear regression: primal against dual, the limit of no penalty, and random features against their kernel."""

import numpy as np
import pytest

from asympt import FeedForward
from asympt.depth import gram
from asympt.errors import InputError
from asympt.training.prediction import dual_prediction, fit, primal_prediction, random_features, regime

SHAPES = {"underparametrised": (7, 3), "square": (4, 4), "overparametrised": (3, 7)}


def data(points, features, outputs=2):
    random = np.random.default_rng(points)
    return random.standard_normal((points, features)), random.standard_normal((points, outputs))


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("penalty", [1e-3, 1.0])
def test_primal_and_dual_agree_with_a_penalty(name, penalty):
    matrix, targets = data(*SHAPES[name])
    test = np.random.default_rng(1).standard_normal((5, matrix.shape[1]))
    assert regime(matrix) == name
    direct = test @ np.linalg.solve(2 * penalty * np.eye(matrix.shape[1]) + matrix.T @ matrix, matrix.T @ targets)
    np.testing.assert_allclose(primal_prediction(test, matrix, targets, penalty), direct, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(dual_prediction(test, matrix, targets, penalty), direct, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("name", SHAPES)
def test_no_penalty_is_the_limit_of_small_ones(name):
    matrix, targets = data(*SHAPES[name])
    test = np.random.default_rng(1).standard_normal((5, matrix.shape[1]))
    errors = [np.abs(primal_prediction(test, matrix, targets, a) - primal_prediction(test, matrix, targets)).max()
              for a in (1e-4, 1e-5)]  # fmt: skip
    assert errors[0] / errors[1] == pytest.approx(10, rel=0.05)
    if name != "underparametrised":
        np.testing.assert_allclose(
            dual_prediction(test, matrix, targets), primal_prediction(test, matrix, targets), rtol=1e-7, atol=1e-9
        )


def test_random_features_have_the_networks_kernel():
    """PDLT 10.135, 10.136: K^2 of a network with C_W = sigma_w^2 and C_b = sigma_b^2, within 5 standard errors."""
    inputs = np.array([[1.0, 0.0, 0.5], [0.2, -1.0, 0.3]])
    net = FeedForward("tanh", sigma_w="3/2", sigma_b="1/5")
    expected = gram(net, inputs, depth=2)[0]
    runs = [random_features(inputs, np.tanh, 400, seed, 2.25, 0.04) for seed in range(40)]
    found = np.array([run @ run.T for run in runs])
    error = found.std(axis=0, ddof=1) / np.sqrt(len(runs))
    assert (np.abs(found.mean(axis=0) - expected) < 5 * error).all()


@pytest.mark.parametrize(("call", "named"), [
    (lambda: regime([[1.0, 2.0], [2.0, 4.0]]), "rank 1"),
    (lambda: fit([[1.0]], [1.0], -1), "penalty = -1"),
    (lambda: fit([1.0], [1.0]), "shape"),
    (lambda: fit([[1.0], [2.0]], [1.0]), "targets has shape"),
    (lambda: fit([[np.nan]], [1.0]), "nan"),
    (lambda: dual_prediction([[1.0]], [[1.0], [2.0]], [1.0, 2.0]), "give a penalty"),
    (lambda: primal_prediction([[1.0, 2.0]], [[1.0]], [1.0]), r"\(M, 1\)"),
    (lambda: random_features([[1.0]], np.tanh, 0), "width = 0"),
    (lambda: random_features([[1.0]], np.tanh, 2, weight_variance=0), "not allowed"),
])  # fmt: skip
def test_bad_input(call, named):
    with pytest.raises(InputError, match=named):
        call()

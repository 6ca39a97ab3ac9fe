"""Descent on finite networks against finite differences of an actual step."""

import numpy as np
import pytest

from asympt.depth.finite import Dense
from asympt.depth.finite.layered import descend, first_update, hidden_update, trained_drift
from asympt.depth.finite.matrices import Drawn
from asympt.errors import InputError

RANDOM = np.random.default_rng(0)
X, Y = RANDOM.normal(size=(3, 2)), RANDOM.normal(size=(1, 3))
NETWORKS = [
    Dense("tanh", sigma_w=1.3, sigma_b=0.4),
    Dense("erf", sigma_w=0.8, weight_rates=lambda layer: 1 + layer, bias_rates=0.7),
]
STEP = 1e-6


def drawn(network, depth: int = 3, width: int = 7, networks: int = 2) -> list:
    weights = network.draw(np.random.default_rng(1), X, depth, width, networks, Drawn)
    return [(Drawn(matrix.entries.astype(float)), biases) for matrix, biases in weights]


def after_a_step(network, weights, y):
    """The forward passes before and after a step of size STEP in both networks."""
    before = network.forward(weights, X)
    descend(network, before, y, np.full(2, STEP))
    return before, network.forward(weights, X)


@pytest.mark.parametrize("network", NETWORKS, ids=lambda network: network.activation)
def test_the_loss_falls_as_the_ntk_says(network):
    """d/dt |e|^2/2 = -e.K e, K the NTK of the backward pass."""
    before, after = after_a_step(network, drawn(network), Y)
    errors = before.preactivations[-1][:, 0, :, 0] - Y
    later = after.preactivations[-1][:, 0, :, 0] - Y
    shares = network.shares(before, 1)
    kernel = (shares["weights"] + shares["biases"]).sum(axis=1)[:, 0, 0]
    rate = ((later**2).sum(axis=1) - (errors**2).sum(axis=1)) / (2 * STEP)
    np.testing.assert_allclose(rate, -np.einsum("ca,cab,cb->c", errors, kernel, errors), rtol=1e-3)


@pytest.mark.parametrize("outputs", [1, 2])
@pytest.mark.parametrize("network", NETWORKS, ids=lambda network: network.activation)
def test_the_hidden_layer_moves_as_the_step_moves_it(network, outputs):
    y = np.vstack([Y, 2 - Y])[:outputs]
    weights = drawn(network)
    expected = hidden_update(network, network.forward(weights, X), y)
    before, after = after_a_step(network, weights, y)
    found = (after.preactivations[-2] - before.preactivations[-2])[..., 0] / STEP
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-4 * np.abs(expected).max())


def test_a_linear_model_keeps_its_kernel():
    """With one layer the NTK does not depend on the weights; two inputs of R^2 are fitted."""
    drift, loss = trained_drift(NETWORKS[0], X[:2], Y[:, :2], 1, 4, 3, 200, np.random.default_rng(3))
    assert drift.max() < 1e-12 and loss.max() < 1e-2


def test_one_layer_has_no_hidden_one():
    with pytest.raises(InputError, match="at least 2"):
        first_update(NETWORKS[0], X, Y, 1, 8, 2, RANDOM)

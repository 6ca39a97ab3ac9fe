"""Descent on finite networks against finite differences of an actual step."""

import numpy as np
import pytest
from sympy import Rational

from asympt.architectures import FeedForward
from asympt.blocks import LAYER, activation, serial
from asympt.blocks.nodes import DenseNode
from asympt.depth.finite import Composition
from asympt.depth.finite.descent import descend, first_update, held, hidden_update, trained_drift
from asympt.errors import InputError

RANDOM = np.random.default_rng(0)
X, Y = RANDOM.normal(size=(3, 2)), RANDOM.normal(size=(1, 3))
RATES = DenseNode(Rational(4, 5), Rational(0), 1 + LAYER, Rational(7, 10))
NETWORKS = {
    "tanh": FeedForward("tanh", sigma_w=1.3, sigma_b=0.4).finite(),
    "rates": Composition((serial(activation("erf"), RATES),), RATES),
}
STEP = 1e-6


def drawn(network) -> list:
    return network.draw(np.random.default_rng(1), X, 3, 7, 2, held)


def after_a_step(network, layers, y):
    """The forward passes before and after a step of size STEP in both networks."""
    before = network.forward(layers, X, 2)
    descend(network, layers, before[-1], y, np.full(2, STEP))
    return before, network.forward(layers, X, 2)


@pytest.mark.parametrize("name", NETWORKS)
def test_the_loss_falls_as_the_ntk_says(name):
    """d/dt |e|^2/2 = -e.K e, K the NTK of the backward pass."""
    network = NETWORKS[name]
    layers = drawn(network)
    network.forward(layers, X, 2)
    kernel = network.tangents(layers, 3, 1, 2)["ntk"]
    before, after = after_a_step(network, layers, Y)
    errors, later = (passed[-1][:, 0, :, 0] - Y for passed in (before, after))
    rate = ((later**2).sum(axis=1) - (errors**2).sum(axis=1)) / (2 * STEP)
    np.testing.assert_allclose(rate, -np.einsum("ca,cab,cb->c", errors, kernel, errors), rtol=1e-3)


@pytest.mark.parametrize("outputs", [1, 2])
@pytest.mark.parametrize("name", NETWORKS)
def test_the_hidden_layer_moves_as_the_step_moves_it(name, outputs):
    network, y = NETWORKS[name], np.vstack([Y, 2 - Y])[:outputs]
    layers = drawn(network)
    expected = hidden_update(network, layers, network.forward(layers, X, 2)[-1], y)
    before, after = after_a_step(network, layers, y)
    found = (after[-2] - before[-2])[..., 0] / STEP
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-4 * np.abs(expected).max())


def test_a_linear_model_keeps_its_kernel():
    """With one layer the NTK does not depend on the weights; two inputs of R^2 are fitted."""
    drift, loss = trained_drift(NETWORKS["tanh"], X[:2], Y[:, :2], 1, 4, 3, 200, np.random.default_rng(3))
    assert drift.max() < 1e-12 and loss.max() < 1e-2


def test_one_layer_has_no_hidden_one():
    with pytest.raises(InputError, match="at least 2"):
        first_update(NETWORKS["tanh"], X, Y, 1, 8, 2, RANDOM)

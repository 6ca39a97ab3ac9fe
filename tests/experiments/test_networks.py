"""Networks in JAX are those of `depth.finite`: the same weights give the same outputs and the same NTK."""

import numpy as np
import pytest

pytest.importorskip("optax")
jax = pytest.importorskip("jax")

from asympt.architectures import FeedForward, ResNet, ScaledResNet  # noqa: E402
from asympt.depth.finite.kernels import Drawn, nonlinear  # noqa: E402
from asympt.experiments import trials as networks  # noqa: E402

X = np.array([[1.0, -2.0, 0.5], [0.3, 1.0, 2.0]])
DEPTH, WIDTH, SEED = 4, 16, 3
NETS = [
    FeedForward("relu", "sqrt(2)", "1/5"), FeedForward("tanh", 1.3), ResNet("relu", 1), ScaledResNet("elu", 1.2, 0.3),
]  # fmt: skip


def pair(net):
    """Weights in JAX and in NumPy from the same seed."""
    ours = {name: part[0] for name, part in networks.drawn(3, DEPTH, WIDTH, (SEED,)).items()}
    return ours, net.finite().draw(np.random.default_rng(SEED), X, DEPTH, WIDTH, 1, Drawn.new)


@pytest.mark.parametrize("net", NETS, ids=lambda net: type(net).__name__)
def test_outputs_are_those_of_the_random_network(net):
    ours, theirs = pair(net)
    found = networks.forward(net, net.activation.name, DEPTH, 5)(ours, X.astype(np.float32))
    expected = net.finite().forward(theirs, X)[-1][0, :5, :, 0].T
    assert np.allclose(found, expected, atol=1e-4)


@pytest.mark.parametrize("net", NETS, ids=lambda net: type(net).__name__)
def test_its_ntk_is_that_of_the_backward_pass_by_hand(net):
    ours, theirs = pair(net)
    apply = networks.forward(net, net.activation.name, DEPTH, 1)
    rows = jax.tree.leaves(jax.jacrev(lambda w: apply(w, X.astype(np.float32))[:, 0])(ours))
    found = sum(np.asarray(row).reshape(2, -1) @ np.asarray(row).reshape(2, -1).T for row in rows)
    net.finite().forward(theirs, X)
    expected = net.finite().tangents(theirs, len(X), 1)["ntk"][0]
    assert np.allclose(found, expected, rtol=1e-4)


@pytest.mark.parametrize("name", networks.PHI)
def test_activations_are_those_of_the_catalogue(name):
    z = np.linspace(-4, 4, 33)
    assert np.allclose(networks.PHI[name](z.astype(np.float32)), nonlinear(name).value(z), atol=2e-6)

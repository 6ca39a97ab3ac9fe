"""Gradient descent on random `Dense` networks: the first step of a hidden layer, and how far the NTK moves.

With loss 1/2 sum (z^L - y)^2, errors e = z^L - y, D^l = d z^L/d z^l, the learning rates of the NTK, and W the weights
with their scale sigma_w/sqrt(m), a step of size eta changes, to first order,

    dW^l = -eta lambda_W/m sum_a (D^l e)_a h_a^T,        db^l = -eta lambda_b sum_a (D^l e)_a,
    dz^l = dW^l h + db^l + W^l (phi'(z^(l-1)) * dz^(l-1)).

Source: PDLT section 10.1; Jacot et al. (2018), Theorem 2, on the NTK during training.
"""

import numpy as np

from asympt.depth.finite.layered import Dense, Passed
from asympt.depth.finite.matrices import Array, Drawn, Revealed
from asympt.depth.finite.parsing import nonlinear
from asympt.errors import InputError


def first_update(network: Dense, X: Array, y: Array, depth: int, width: int, networks: int, random) -> Array:
    """dz^(L-1)/eta of the first step of descent: shape (networks, n, N); `y` has shape (outputs, N).

    `InputError` for a depth below 2.

    >>> net = Dense("relu", sigma_w=1, sigma_b=1)
    >>> first_update(net, np.eye(2), np.zeros((1, 2)), 2, 8, 3, np.random.default_rng(0)).shape
    (3, 8, 2)
    """
    if depth < 2:
        raise InputError(f"depth = {depth} has no hidden layer; give the number of layers, at least 2")
    return hidden_update(network, network.forward(network.draw(random, X, depth, width, networks, Revealed), X), y)


def hidden_update(network: Dense, passed: Passed, y: Array) -> Array:
    """dz^(L-1)/eta after a forward pass, to first order in eta."""
    phi, moved = nonlinear(network.activation), None
    for layer, pulled in sorted(_pulled_errors(network, passed, y), key=lambda pair: pair[0])[:-1]:
        h = passed.inputs[layer - 1].reshape(len(pulled), -1, y.shape[1])
        fan, rates = h.shape[1], (network.weight_rate(layer), network.bias_rate(layer))
        here = -pulled @ (rates[0] / fan * np.swapaxes(h, 1, 2) @ h + rates[1])
        if moved is not None:
            below = phi.slope(passed.preactivations[layer - 2][..., 0]) * moved
            here += network.sigma_w / np.sqrt(fan) * passed.weights[layer - 1][0].times(below)
        moved = here
    return moved


def trained_drift(
    network: Dense, X: Array, y: Array, depth: int, width: int, networks: int, steps: int, random
) -> tuple[Array, Array]:
    """(largest |K_t - K_0|/|K_0| over t in Frobenius norm, loss at the end over loss at the start) of every network.

    One output, y of shape (1, N); the NTK is compared at every tenth step; the step size is 1/tr K_0.
    """
    weights = [
        (Drawn(matrix.entries.astype(float)), biases)
        for matrix, biases in network.draw(random, X, depth, width, networks, Drawn)
    ]
    first, losses, drift = None, [], np.zeros(networks)
    for step in range(steps + 1):
        passed = network.forward(weights, X)
        losses.append(((_outputs(passed, y) - y) ** 2).sum(axis=(1, 2)))
        if step % 10 == 0:
            kernel = _kernel(network, passed)
            first = kernel if first is None else first
            moved = np.linalg.norm(kernel - first, axis=(1, 2)) / np.linalg.norm(first, axis=(1, 2))
            drift = np.maximum(drift, moved)
        if step < steps:
            descend(network, passed, y, 1 / np.trace(first, axis1=1, axis2=2))
    return drift, losses[-1] / losses[0]


def _outputs(passed: Passed, y: Array) -> Array:
    """(networks, outputs, N)."""
    return passed.preactivations[-1][:, : len(y), :, 0]


def _pulled_errors(network: Dense, passed: Passed, y: Array) -> list[tuple[int, Array]]:
    """(l, D^l e) of every layer, summed over outputs: (networks, n, N)."""
    errors = _outputs(passed, y) - y
    return [(layer, np.einsum("cnia,cia->cna", d[..., 0, 0], errors)) for layer, d in network.backward(passed, len(y))]


def _kernel(network: Dense, passed: Passed) -> Array:
    shares = network.shares(passed, 1)
    return (shares["weights"] + shares["biases"]).sum(axis=1)[:, 0, 0]


def descend(network: Dense, passed: Passed, y: Array, size: Array) -> None:
    """One step of size eta for every network, in place; weights are held without their scale sigma_w/sqrt(m)."""
    for layer, pulled in _pulled_errors(network, passed, y):
        matrix, biases = passed.weights[layer - 1]
        h = passed.inputs[layer - 1].reshape(len(size), -1, y.shape[1])
        factor = network.weight_rate(layer) / (network.sigma_w * np.sqrt(h.shape[1]))
        matrix.entries -= (factor * size[:, None, None]) * (pulled @ np.swapaxes(h, 1, 2))
        biases -= network.bias_rate(layer) * size[:, None] * pulled.sum(axis=2)

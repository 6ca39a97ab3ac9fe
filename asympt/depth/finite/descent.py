"""Gradient descent on random dense networks of finite width: its first step to first order, and whole runs.

The blocks are serial(phi, dense); the loss is 1/2 sum (z^L - y)^2, y of shape (outputs, N).  With errors e = z^L - y,
D^l = d z^L/d z^l, and weights held without their scale sigma_w/sqrt(m) (PDLT 10.1)

    dW^l = -eta lambda_W/m sum_a (D^l e)_a h_a^T,        db^l = -eta lambda_b sum_a (D^l e)_a.
"""

import numpy as np

from asympt.depth.finite.composition import Composition, DrawnDense, Tally
from asympt.depth.finite.kernels import Array, Drawn, Revealed
from asympt.errors import InputError


def held(random: np.random.Generator, networks: int, rows: int, columns: int) -> Drawn:
    """Weights in float64, to be trained."""
    return Drawn(Drawn.new(random, networks, rows, columns).entries.astype(float))


class Pulled(Tally):
    """(part, D e summed over outputs, (networks, n, N)) of every dense layer, the last one first."""

    def __init__(self, errors: Array):
        self.errors, self.found = errors, []

    def dense(self, part: DrawnDense, d: Array) -> None:
        self.found.append((part, np.einsum("cnia,cia->cna", d[..., 0, 0], self.errors)))


def first_update(network: Composition, X: Array, y: Array, depth: int, width: int, networks: int, random) -> Array:
    """dz^(L-1)/eta of the first step of descent: shape (networks, n, N).

    `InputError` for a depth below 2.

    >>> from asympt.architectures import FeedForward
    >>> net = FeedForward("relu", sigma_w=1, sigma_b=1).finite()
    >>> first_update(net, np.eye(2), np.zeros((1, 2)), 2, 8, 3, np.random.default_rng(0)).shape
    (3, 8, 2)
    """
    if depth < 2:
        raise InputError(f"depth = {depth} has no hidden layer; give the number of layers, at least 2")
    layers = network.draw(random, X, depth, width, networks, Revealed)
    return hidden_update(network, layers, network.forward(layers, X, networks)[-1], y)


def hidden_update(network: Composition, layers: list[tuple], last: Array, y: Array) -> Array:
    """dz^(L-1)/eta to first order in eta after a forward pass to `last`: dz^l = dW^l h + db^l + W^l (phi' dz^(l-1))."""
    moved = None
    for (part, pulled), (layer, *_) in zip(_pulled(network, layers, last, y)[:0:-1], layers, strict=False):
        h, rates = part.read[..., 0], part.rates
        here = -pulled @ (rates[0] / h.shape[1] * np.swapaxes(h, 1, 2) @ h + rates[1])
        if moved is not None:
            phi = layer.parts[0]
            below = phi.phi.slope(phi.read[..., 0]) * moved
            here += part.sigma_w / np.sqrt(h.shape[1]) * part.matrix.times(below)
        moved = here
    return moved


def trained_drift(
    network: Composition, X: Array, y: Array, depth: int, width: int, networks: int, steps: int, random
) -> tuple[Array, Array]:
    """(largest |K_t - K_0|/|K_0| over t in Frobenius norm, loss at the end over loss at the start) of every network.

    One output; the NTK is compared at every tenth step; the step size is 1/tr K_0.
    """
    layers = network.draw(random, X, depth, width, networks, held)
    first, losses, drift = None, [], np.zeros(networks)
    for step in range(steps + 1):
        last = network.forward(layers, X, networks)[-1]
        losses.append((_errors(last, y) ** 2).sum(axis=(1, 2)))
        if step % 10 == 0:
            kernel = network.tangents(layers, len(X), 1, networks)["ntk"]
            first = kernel if first is None else first
            moved = np.linalg.norm(kernel - first, axis=(1, 2)) / np.linalg.norm(first, axis=(1, 2))
            drift = np.maximum(drift, moved)
        if step < steps:
            descend(network, layers, last, y, 1 / np.trace(first, axis1=1, axis2=2))
    return drift, losses[-1] / losses[0]


def descend(network: Composition, layers: list[tuple], last: Array, y: Array, size: Array) -> None:
    """One step of size eta for every network, in place, after a forward pass to `last`."""
    for part, pulled in _pulled(network, layers, last, y):
        h, rates = part.read[..., 0], part.rates
        factor = rates[0] / (part.sigma_w * np.sqrt(h.shape[1]))
        part.matrix.entries -= (factor * size[:, None, None]) * (pulled @ np.swapaxes(h, 1, 2))
        part.bias -= rates[1] * size[:, None] * pulled.sum(axis=2)


def _errors(last: Array, y: Array) -> Array:
    return last[:, : len(y), :, 0] - y


def _pulled(network: Composition, layers: list[tuple], last: Array, y: Array) -> list[tuple[DrawnDense, Array]]:
    tally = Pulled(_errors(last, y))
    for _ in network.backward(layers, y.shape[1], len(y), tally, len(last)):
        pass
    return tally.found

"""The networks of `depth.finite` in JAX, the same draw and the same forward pass, and their training, many at once.

Weights and biases have entries N(0, 1); sigma_w/sqrt(n) and sigma_b are factors of the layer, so descent in the entries
is what the NTK speaks of.  Training on digits (8 x 8, normalised to |x|^2 = d) with cross-entropy: the learning rate of
a setting is the power of 10 with the smallest training loss after a few epochs of two networks of their own seeds (as
HDR, who search powers of 10); where every one diverged, the smallest.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import jax
import jax.numpy as jnp
import numpy as np
import optax
from sympy import sqrt

from asympt.architectures.composition import Preset
from asympt.compiling import as_function
from asympt.meanfield.layer import LAYER

PHI: dict[str, Callable] = {
    "relu": jax.nn.relu,
    "leaky_relu": lambda z: jax.nn.leaky_relu(z, 0.01),
    "elu": jax.nn.elu,
    "tanh": jnp.tanh,
    "softplus": jax.nn.softplus,
    "sigmoid": jax.nn.sigmoid,
    "erf": jax.lax.erf,
}
SLOPE = 0.25  # of PReLU at the start


def drawn(features: int, depth: int, width: int, seeds: tuple[int, ...]) -> dict:
    """Weights of one network for every seed, stacked: 'first' (S, n, d), 'rest' (S, L-1, n, n), 'biases' (S, L, n)."""
    found = [_one(features, depth, width, seed) for seed in seeds]
    return {name: jnp.asarray(np.stack([one[name] for one in found])) for name in found[0]}


def _one(features: int, depth: int, width: int, seed: int) -> dict:
    random, found = np.random.default_rng(seed), []
    for below in (features, *[width] * (depth - 1)):
        found.append((random.standard_normal((width, below), dtype=np.float32), random.standard_normal(width)))
    weights, biases = zip(*found, strict=True)
    rest = np.reshape(weights[1:], (depth - 1, width, width)).astype(np.float32)
    return {"first": weights[0], "rest": rest, "biases": np.array(biases, np.float32)}


def forward(net: Preset, name: str, depth: int, outputs: int) -> Callable:
    """(weights, X) -> the first `outputs` neurons of layer L, shape (N, outputs).

    With 'slope' among the weights phi is x for x > 0 and slope x below: PReLU.
    """
    scale = as_function(LAYER, sqrt(net.statement.branch), "math")
    branches = jnp.asarray([scale(layer) for layer in range(2, depth + 1)], dtype=jnp.float32)
    skip, (sigma_w, sigma_b) = float(net.statement.skip), map(float, net.statement.layer.deviations[1:])

    def apply(weights: dict, inputs):
        def phi(z):
            return jnp.where(z > 0, z, weights["slope"] * z) if "slope" in weights else PHI[name](z)

        def layer(z, given):
            matrix, bias, branch = given
            image = sigma_w / jnp.sqrt(matrix.shape[1]) * phi(z) @ matrix.T + sigma_b * bias
            return skip * z + branch * image, None

        first, biases = weights["first"], weights["biases"]
        z = sigma_w / jnp.sqrt(first.shape[1]) * inputs @ first.T + sigma_b * biases[0]
        z, _ = jax.lax.scan(layer, z, (weights["rest"], biases[1:], branches))
        return z[:, :outputs]

    return apply


TRAINING, BATCH, CLASSES = 1408, 128, 10
SEARCH_SEEDS, ORDER = (1000, 1001), 77


@dataclass(frozen=True)
class Data:
    """Inputs and labels to train on, and to test on."""

    inputs: jnp.ndarray
    labels: jnp.ndarray
    test_inputs: jnp.ndarray
    test_labels: jnp.ndarray


@lru_cache(maxsize=1)
def digits() -> Data:
    """scikit-learn's digits in a fixed random order, 1,408 to train and 389 to test, |x|^2 = 64."""
    from sklearn.datasets import load_digits

    given = load_digits()
    order = np.random.default_rng(ORDER).permutation(len(given.data))
    inputs = given.data[order] / np.linalg.norm(given.data[order], axis=1, keepdims=True) * 8
    parts = [jnp.asarray(inputs, dtype=jnp.float32), jnp.asarray(given.target[order])]
    return Data(*(part[:TRAINING] for part in parts), *(part[TRAINING:] for part in parts))


def cross_entropy(logits, labels):
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()


class Trainer:
    """Networks of one architecture side by side; `apply` as `networks.forward` gives it."""

    def __init__(self, apply: Callable, schedule: Callable | None = None):
        """`schedule`: the factor of the learning rate at a step, 1 if left out."""
        self.apply, self.data = apply, digits()
        self.optimiser = optax.inject_hyperparams(optax.sgd)(learning_rate=1.0)
        self.schedule = schedule or (lambda step: 1.0)
        self.step = jax.jit(jax.vmap(self._step))
        self.measured = jax.jit(jax.vmap(self._measured))

    def _loss(self, weights, inputs, labels):
        return cross_entropy(self.apply(weights, inputs), labels)

    def _step(self, weights, state, rate, chosen):
        slopes = jax.grad(self._loss)(weights, self.data.inputs[chosen], self.data.labels[chosen])
        state.hyperparams["learning_rate"] = rate
        updates, state = self.optimiser.update(slopes, state, weights)
        return optax.apply_updates(weights, updates), state

    def _measured(self, weights):
        """(training loss, training accuracy, test accuracy)."""
        d = self.data
        logits, test = self.apply(weights, d.inputs), self.apply(weights, d.test_inputs)
        right = [(a.argmax(axis=1) == b).mean() for a, b in ((logits, d.labels), (test, d.test_labels))]
        return (cross_entropy(logits, d.labels), *right)

    def run(self, weights: dict, rates, seeds, epochs: tuple[int, ...]) -> list[list[dict]]:
        """For every network what was measured after each of `epochs`; one that is no longer a number has loss None."""
        rates, state = jnp.asarray(rates, dtype=jnp.float32), jax.vmap(self.optimiser.init)(weights)
        orders, step, found = [np.random.default_rng(seed) for seed in seeds], 0, [[] for _ in seeds]
        for epoch in range(1, epochs[-1] + 1):
            batches = np.stack([order.permutation(TRAINING).reshape(-1, BATCH) for order in orders], axis=1)
            for chosen in batches:
                weights, state = self.step(weights, state, rates * self.schedule(step), jnp.asarray(chosen))
                step += 1
            if epoch in epochs:
                for network, values in enumerate(zip(*map(np.asarray, self.measured(weights)), strict=True)):
                    found[network].append(_entry(epoch, *map(float, values)))
        return found


def _entry(epoch: int, loss: float, training: float, test: float) -> dict:
    shown = round(loss, 6) if np.isfinite(loss) else None
    return {"epoch": epoch, "loss": shown, "train": round(training, 5), "test": round(test, 5)}


def best_rate(trainer: Trainer, weights: dict, rates: tuple[float, ...], epochs: int) -> float:
    """The rate with the smallest training loss after so many epochs, the mean over the networks of `SEARCH_SEEDS`."""
    copies = jax.tree.map(lambda part: jnp.concatenate([part] * len(rates)), weights)
    each = [rate for rate in rates for _ in SEARCH_SEEDS]
    found = iter(trainer.run(copies, each, SEARCH_SEEDS * len(rates), (epochs,)))
    losses = {rate: [next(found)[0]["loss"] for _ in SEARCH_SEEDS] for rate in rates}
    known = [(sum(values), rate) for rate, values in losses.items() if None not in values]
    return min(known)[1] if known else min(rates)

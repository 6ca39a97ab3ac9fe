"""The networks of `depth.finite` as functions of their weights in JAX: the same draw, the same forward pass.

Rule.  Weights and biases are drawn by `depth.finite` and have entries N(0, 1); sigma_w/sqrt(n) and sigma_b are factors
of the layer (NTK parametrisation), so descent in the entries is what the NTK speaks of.  Layers from 2 on are one loop.

Known limits.  Dense networks.  float32, as weights are drawn.  Derivatives are JAX's own; where phi has a kink they are
those of its left or right piece.
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

from asympt.depth.finite.layered import Layered
from asympt.depth.finite.matrices import Drawn

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


def drawn(net: Layered, features: int, depth: int, width: int, seeds: tuple[int, ...]) -> dict:
    """Weights of one network for every seed, stacked: 'first' (S, n, d), 'rest' (S, L-1, n, n), 'biases' (S, L, n)."""
    found = [_one(net, features, depth, width, seed) for seed in seeds]
    return {name: jnp.asarray(np.stack([one[name] for one in found])) for name in found[0]}


def _one(net: Layered, features: int, depth: int, width: int, seed: int) -> dict:
    layers = net.draw(np.random.default_rng(seed), np.zeros((1, features)), depth, width, 1, Drawn)
    unit = net.sigma_b or 1.0  # drawn biases have their factor
    biases = np.concatenate([b for _, b in layers]) / unit
    rest = np.concatenate([w.entries for w, _ in layers[1:]]) if depth > 1 else np.zeros((0, width, width))
    return {"first": layers[0][0].entries[0], "rest": rest.astype(np.float32), "biases": biases.astype(np.float32)}


def forward(net: Layered, name: str, depth: int, outputs: int) -> Callable:
    """(weights, X) -> the first `outputs` neurons of layer L, shape (N, outputs).

    With 'slope' among the weights phi is x for x > 0 and slope x below: PReLU.
    """
    branches = jnp.asarray([net._branch(layer) for layer in range(2, depth + 1)], dtype=jnp.float32)
    skip, sigma_w, sigma_b = float(net.has_skip), net.sigma_w, net.sigma_b

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

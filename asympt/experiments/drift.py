"""JGH's picture: the NTK of two of scikit-learn's digits, a 2 x 2 matrix, during training, for several widths.

Targets 1 and -1, full-batch descent on 1/2 sum (f - y)^2 with steps of 1/tr K_0; K_t by JAX, every tenth step.
"""

from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np

from asympt.architectures import FeedForward
from asympt.experiments.networks import digits, drawn, forward

DRIFT = {
    "data": "scikit-learn digits", "depth": 4, "widths": [32, 64, 128, 256, 512], "steps": 200, "images": [0, 1],
    "networks": {"relu": [1.414214, 0.0], "tanh": [1.298, 0.2]},
}  # fmt: skip
SEEDS = (0, 1, 2, 3, 4)
EVERY = 10


def settings_of(settings: dict) -> Iterator[dict]:
    for name in settings["networks"]:
        for width in settings["widths"]:
            yield {"activation": name, "width": width}


def trained(named: dict, settings: dict) -> list[dict]:
    name, width, depth = named["activation"], named["width"], settings["depth"]
    net = FeedForward(name, *settings["networks"][name])
    apply, inputs = forward(net, name, depth, 1), digits().inputs[jnp.asarray(settings["images"])]
    targets = jnp.asarray([1.0, -1.0], inputs.dtype)

    def outputs(weights):
        return apply(weights, inputs)[:, 0]

    @jax.jit
    def kernel(weights):
        rows = jax.tree.leaves(jax.jacrev(outputs)(weights))
        return sum(row.reshape(2, -1) @ row.reshape(2, -1).T for row in rows)

    @jax.jit
    def ten(weights, size):
        def step(_, w):
            (pulled,) = jax.vjp(outputs, w)[1](outputs(w) - targets)
            return jax.tree.map(lambda a, b: a - size * b, w, pulled)

        return jax.lax.fori_loop(0, EVERY, step, weights)

    return [_run(named, settings, seed, drawn(64, depth, width, (seed,)), (outputs, kernel, ten, targets))
            for seed in SEEDS]  # fmt: skip


def _run(named: dict, settings: dict, seed: int, weights: dict, functions) -> dict:
    outputs, kernel, ten, targets = functions
    weights = {name: part[0] for name, part in weights.items()}
    kernels = [np.asarray(kernel(weights), float)]
    before = float(((outputs(weights) - targets) ** 2).sum())
    for _ in range(settings["steps"] // EVERY):
        weights = ten(weights, float(1 / np.trace(kernels[0])))
        kernels.append(np.asarray(kernel(weights), float))
    moved = max(np.linalg.norm(k - kernels[0]) for k in kernels) / np.linalg.norm(kernels[0])
    after = float(((outputs(weights) - targets) ** 2).sum())
    entries = [[float(f"{value:.6g}") for value in (k[0, 0], k[0, 1], k[1, 1])] for k in kernels]
    key = f"activation={named['activation']} width={named['width']} seed={seed}"
    return {"key": key, **named, "seed": seed, "moved": float(f"{moved:.6g}"), "loss": after / before,
            "kernels": entries}  # fmt: skip

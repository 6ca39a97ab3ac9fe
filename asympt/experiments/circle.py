"""TBG's Experiments (III): networks of width 500 trained on a circle outside the NTK regime, and how smooth they are.

Xavier's initialisation, weights without the factor n^(-1/2), adaptive optimisers; ten equal steps, y = x_1 x_2:

    MLP      h^1 = phi(U x),  h^l = phi(W^l h^(l-1)),               f = w.h^(L-1)
    ResNet   x^0 = U x,       x^l = x^(l-1) + alpha V^l phi(W^l x^(l-1)),  f = w.x^(L-1)
"""

from collections.abc import Callable, Iterator

import jax
import jax.numpy as jnp
import numpy as np
import optax

from asympt.training.smoothness import SIZE, WIDTH, circle_grid, equally_spaced, product_targets, smoothness

CIRCLE = {
    "data": "ten points of a circle", "width": 500, "depths": [3, 6], "alphas": [None, 1.0, 0.5, 0.2],
    "optimisers": {"adam": 3e-4, "rmsprop": 1e-4}, "steps": 400, "tolerance": 3e-3,
}  # fmt: skip
SEEDS = (0, 1, 2, 3, 4)
OPTIMISERS = {"adam": optax.adam, "rmsprop": optax.rmsprop}


def settings_of(settings: dict) -> Iterator[dict]:
    """Every combination but the seed; alpha None is the MLP."""
    for depth in settings["depths"]:
        for optimiser in settings["optimisers"]:
            for alpha in settings["alphas"]:
                yield {"depth": depth, "optimiser": optimiser, "alpha": alpha}


def xavier(random: np.random.Generator, *shape: int) -> jnp.ndarray:
    """Normal weights of variance 2/(fan-in + fan-out)."""
    deviation = np.sqrt(2 / (shape[-1] + shape[-2]))
    return jnp.asarray(deviation * random.standard_normal(shape, dtype=np.float32))


def drawn(depth: int, width: int, residual: bool, seed: int) -> dict:
    """U, W, V (residual networks only) and w."""
    random, hidden = np.random.default_rng(seed), (depth - 1) if residual else depth - 2
    found = {"U": xavier(random, width, 2), "W": xavier(random, hidden, width, width), "w": xavier(random, 1, width)}
    return {**found, "V": xavier(random, hidden, width, width)} if residual else found


def forward(weights: dict, inputs, alpha: float | None):
    """f at inputs (N, 2)."""
    phi = jax.nn.relu
    if alpha is None:
        h, _ = jax.lax.scan(lambda h, w: (phi(h @ w.T), None), phi(inputs @ weights["U"].T), weights["W"])
    else:
        first, pairs = inputs @ weights["U"].T, (weights["W"], weights["V"])
        h, _ = jax.lax.scan(lambda x, wv: (x + alpha * phi(x @ wv[0].T) @ wv[1].T, None), first, pairs)
    return (h @ weights["w"].T)[:, 0]


def trained(named: dict, settings: dict) -> list[dict]:
    steps = _training(named, settings)
    return [{"key": f"{_key(named)} seed={seed}", **named, "seed": seed, **_run(named, settings, seed, steps)}
            for seed in SEEDS]  # fmt: skip


def _key(named: dict) -> str:
    return " ".join(f"{name}={value}" for name, value in named.items())


def _training(named: dict, settings: dict) -> tuple[Callable, Callable]:
    """(state at the start, fifty steps)."""
    optimiser = OPTIMISERS[named["optimiser"]](settings["optimisers"][named["optimiser"]])
    chosen = equally_spaced()
    inputs = jnp.asarray(circle_grid(SIZE)[chosen], dtype=jnp.float32)
    targets = jnp.asarray(product_targets(chosen), dtype=jnp.float32)

    def loss(weights):
        return ((forward(weights, inputs, named["alpha"]) - targets) ** 2).mean()

    def step(_, carried):
        weights, state = carried
        updates, state = optimiser.update(jax.grad(loss)(weights), state, weights)
        return optax.apply_updates(weights, updates), state

    return optimiser.init, jax.jit(lambda *carried: (*(end := jax.lax.fori_loop(0, 50, step, carried)), loss(end[0])))


def _run(named: dict, settings: dict, seed: int, training: tuple[Callable, Callable]) -> dict:
    """Steps, the largest distance from a target and mu, of a network that is trained until it fits."""
    first, fifty = training
    weights = drawn(named["depth"], settings["width"], named["alpha"] is not None, seed)
    state, loss, steps = first(weights), np.inf, 0
    while steps < settings["steps"] and not loss < settings["tolerance"] ** 2:
        weights, state, found = fifty(weights, state)
        loss, steps = float(found), steps + 50
    values = np.asarray(forward(weights, jnp.asarray(circle_grid(SIZE), dtype=jnp.float32), named["alpha"]), float)
    chosen = equally_spaced()
    off = float(np.abs(values[chosen] - product_targets(chosen)).max())
    mu = smoothness(values, chosen, WIDTH)
    return {"steps": steps, "loss": loss, "off": round(off, 7), "mu": float(f"{mu:.6g}"),
            "values": [round(value, 5) for value in values.tolist()]}  # fmt: skip

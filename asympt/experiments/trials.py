"""The experiments: for each its settings, and its rows, (what is set, the function that makes the runs of all seeds).

Accuracies on digits: HDR's Tables 1 and 2 and XPS's map over (sigma_w, L), far smaller than those of the sources.
Table 1: plain networks on the Edge of Chaos, and with sigma_w a quarter below with sigma_b as on it (1/5 for ReLU,
whose phase without biases is a matter of scale only), and a quarter above.  Table 2: ReLU residual networks, standard
and scaled by l^(-1/2).  XPS: erf networks, sigma_b = 1/5.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
from sympy import sqrt

from asympt.architectures.composition import Preset
from asympt.architectures.feedforward import FeedForward
from asympt.architectures.resnet import ResNet, ScaledResNet
from asympt.compiling import as_function
from asympt.meanfield.layer import LAYER
from asympt.training.smoothness import SIZE, WIDTH, circle_grid, equally_spaced, product_targets, smoothness

# ---- the networks of `depth.finite` in JAX, the same draw and the same forward pass, many at once -------------------
#
# Weights and biases have entries N(0, 1); sigma_w/sqrt(n) and sigma_b are factors of the layer, so descent in the
# entries is what the NTK speaks of.  Training on digits (8 x 8, normalised to |x|^2 = d) with cross-entropy: the
# learning rate of a setting is the power of 10 with the smallest training loss after a few epochs of two networks of
# their own seeds (as HDR, who search powers of 10); where every one diverged, the smallest.

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
    """Networks of one architecture side by side; `apply` as `forward` gives it."""

    def __init__(self, apply: Callable, schedule: Callable | None = None):
        """`schedule`: the factor of the learning rate at a step, 1 if left out."""
        self.apply, self.data = apply, digits()
        self.optimiser = optax.inject_hyperparams(optax.sgd)(learning_rate=1.0)
        self.schedule = schedule or (lambda step: 1.0)
        self.step = jax.jit(jax.vmap(self._step))
        self.measured = jax.jit(jax.vmap(self._measured))

    def _step(self, weights, state, rate, chosen):
        inputs, labels = self.data.inputs[chosen], self.data.labels[chosen]
        slopes = jax.grad(lambda w: cross_entropy(self.apply(w, inputs), labels))(weights)
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
                    loss, training, test = map(float, values)
                    found[network].append({"epoch": epoch, "loss": round(loss, 6) if np.isfinite(loss) else None,
                                           "train": round(training, 5), "test": round(test, 5)})  # fmt: skip
        return found


def best_rate(trainer: Trainer, weights: dict, rates: tuple[float, ...], epochs: int) -> float:
    """The rate with the smallest training loss after so many epochs, the mean over the networks of `SEARCH_SEEDS`."""
    copies = jax.tree.map(lambda part: jnp.concatenate([part] * len(rates)), weights)
    each = [rate for rate in rates for _ in SEARCH_SEEDS]
    found = iter(trainer.run(copies, each, SEARCH_SEEDS * len(rates), (epochs,)))
    losses = {rate: [next(found)[0]["loss"] for _ in SEARCH_SEEDS] for rate in rates}
    known = [(sum(values), rate) for rate, values in losses.items() if None not in values]
    return min(known)[1] if known else min(rates)


# ---- runs of several seeds ------------------------------------------------------------------------------------------

SEEDS = (0, 1, 2, 3, 4)
Row = tuple[dict, Callable[[], list[dict]]]


def key_of(named: Mapping) -> str:
    """Of the run of one seed, without the seed."""
    return " ".join(f"{name}={value}" for name, value in named.items())


def runs_of(named: Mapping, found: list[dict]) -> list[dict]:
    """What came out for every seed, with what was set."""
    return [{"key": f"{key_of(named)} seed={seed}", **named, "seed": seed, **run}
            for seed, run in zip(SEEDS, found, strict=True)]  # fmt: skip


# ---- accuracies ------------------------------------------------------------------------------------------------------

RATES = tuple(10.0**power for power in range(1, -13, -1))
FACTORS = {"ordered": 0.75, "edge": 1.0, "chaotic": 1.25}

TABLE_1 = {
    "data": "scikit-learn digits", "depths": [30, 100], "width": 64, "epochs": [10, 30], "search_epochs": 2,
    "activations": ["relu", "leaky_relu", "prelu", "elu", "tanh", "softplus", "sigmoid"], "phases": list(FACTORS),
}  # fmt: skip
TABLE_2 = {
    "data": "scikit-learn digits", "depths": [32, 50, 104], "width": 64, "epochs": [10, 30], "search_epochs": 2,
    "sigma_w": [0.5, 1.0], "scalings": ["standard", "scaled"],
}  # fmt: skip
ACCURACY = {
    "data": "scikit-learn digits", "depths": [3, 10, 30, 60], "width": 64, "epochs": [10], "search_epochs": 2,
    "activation": "erf", "sigma_b": 0.2, "sigma_w": [0.6, 1.0, 1.4, 2.0, 2.5],
}  # fmt: skip


def table_1(settings: dict) -> Iterator[Row]:
    for depth in settings["depths"]:
        for name in settings["activations"]:
            for phase, (sigma_w, sigma_b) in deviations(name).items():
                phi = "leaky_relu" if name == "prelu" else name
                named = {"activation": name, "phase": phase, "depth": depth, "sigma_w": sigma_w, "sigma_b": sigma_b}
                yield named, partial(trained, FeedForward(phi, sigma_w, sigma_b), name, depth, settings)


def deviations(name: str) -> dict[str, tuple[float, float]]:
    """(sigma_w, sigma_b) by phase; 'none' where there is no Edge of Chaos: sqrt(2) and 0, as He et al.

    >>> deviations("relu")["edge"]
    (1.414214, 0.0)
    """
    if name in ("softplus", "sigmoid"):
        return {"none": (1.414214, 0.0)}
    if name in ("leaky_relu", "prelu"):
        slope = {"leaky_relu": 0.01, "prelu": SLOPE}[name]
        return {"edge": (round(float(np.sqrt(2 / (1 + slope**2))), 6), 0.0)}
    sigma_b = 0.0 if name == "relu" else 0.2
    given = {} if name == "relu" else {"sigma_b": "1/5"}
    edge = float(FeedForward.on_edge_of_chaos(name, **given).sigma_w)
    below = 0.2 if name == "relu" else sigma_b
    return {phase: (round(factor * edge, 6), below if phase == "ordered" else sigma_b)
            for phase, factor in FACTORS.items()}  # fmt: skip


def table_2(settings: dict) -> Iterator[Row]:
    nets = {"standard": ResNet, "scaled": ScaledResNet}
    for depth in settings["depths"]:
        for scaling in settings["scalings"]:
            for sigma_w in settings["sigma_w"]:
                named = {"scaling": scaling, "sigma_w": sigma_w, "depth": depth}
                yield named, partial(trained, nets[scaling]("relu", sigma_w), "relu", depth, settings, falling=True)


def accuracy(settings: dict) -> Iterator[Row]:
    for depth in settings["depths"]:
        for sigma_w in settings["sigma_w"]:
            net = FeedForward(settings["activation"], sigma_w, settings["sigma_b"])
            yield {"sigma_w": sigma_w, "depth": depth}, partial(trained, net, settings["activation"], depth, settings)


def trained(net: Preset, phi: str, depth: int, settings: dict, falling: bool = False) -> list[dict]:
    """A network for every seed, at its best learning rate; `phi`: the activation's name in JAX."""
    last, size = settings["epochs"][-1], (digits().inputs.shape[1], depth, settings["width"])

    def weights(seeds: tuple[int, ...]) -> dict:
        slope = {"slope": np.full(len(seeds), SLOPE, np.float32)} if phi == "prelu" else {}
        return drawn(*size, seeds) | slope

    def falling_rate(step: int) -> float:
        """1, 1/10 from half of the epochs on, 1/100 from three quarters on (HDR section 6.3)."""
        share = step / (last * (TRAINING // BATCH))
        return 1.0 if share < 1 / 2 else 0.1 if share < 3 / 4 else 0.01

    trainer = Trainer(forward(net, phi, depth, CLASSES), falling_rate if falling else None)
    rate = best_rate(trainer, weights(SEARCH_SEEDS), RATES, settings["search_epochs"])
    found = trainer.run(weights(SEEDS), [rate] * len(SEEDS), SEEDS, tuple(settings["epochs"]))
    return [{"rate": rate, "measured": measured} for measured in found]


# ---- TBG's Experiments (III): networks of width 500 on a circle outside the NTK regime, and how smooth they are ------
#
# Xavier's initialisation, weights without the factor n^(-1/2), adaptive optimisers; ten equal steps, y = x_1 x_2:
#
#     MLP      h^1 = phi(U x),  h^l = phi(W^l h^(l-1)),               f = w.h^(L-1)
#     ResNet   x^0 = U x,       x^l = x^(l-1) + alpha V^l phi(W^l x^(l-1)),  f = w.x^(L-1)

CIRCLE = {
    "data": "ten points of a circle", "width": 500, "depths": [3, 6], "alphas": [None, 1.0, 0.5, 0.2],
    "optimisers": {"adam": 3e-4, "rmsprop": 1e-4}, "steps": 400, "tolerance": 3e-3,
}  # fmt: skip
OPTIMISERS = {"adam": optax.adam, "rmsprop": optax.rmsprop}


def circle(settings: dict) -> Iterator[Row]:
    """Every combination but the seed; alpha None is the MLP."""
    for depth in settings["depths"]:
        for optimiser in settings["optimisers"]:
            for alpha in settings["alphas"]:
                named = {"depth": depth, "optimiser": optimiser, "alpha": alpha}
                yield named, partial(on_circle, named, settings)


def xavier(random: np.random.Generator, *shape: int) -> jnp.ndarray:
    """Normal weights of variance 2/(fan-in + fan-out)."""
    deviation = np.sqrt(2 / (shape[-1] + shape[-2]))
    return jnp.asarray(deviation * random.standard_normal(shape, dtype=np.float32))


def weights_on_circle(depth: int, width: int, residual: bool, seed: int) -> dict:
    """U, W, V (residual networks only) and w."""
    random, hidden = np.random.default_rng(seed), (depth - 1) if residual else depth - 2
    found = {"U": xavier(random, width, 2), "W": xavier(random, hidden, width, width), "w": xavier(random, 1, width)}
    return {**found, "V": xavier(random, hidden, width, width)} if residual else found


def fitted(weights: dict, inputs, alpha: float | None):
    """f at inputs (N, 2)."""
    phi = jax.nn.relu
    if alpha is None:
        h, _ = jax.lax.scan(lambda h, w: (phi(h @ w.T), None), phi(inputs @ weights["U"].T), weights["W"])
    else:
        first, pairs = inputs @ weights["U"].T, (weights["W"], weights["V"])
        h, _ = jax.lax.scan(lambda x, wv: (x + alpha * phi(x @ wv[0].T) @ wv[1].T, None), first, pairs)
    return (h @ weights["w"].T)[:, 0]


def on_circle(named: dict, settings: dict) -> list[dict]:
    steps = _training(named, settings)
    return [_run(named, settings, seed, steps) for seed in SEEDS]


def _training(named: dict, settings: dict) -> tuple[Callable, Callable]:
    """(state at the start, fifty steps)."""
    optimiser = OPTIMISERS[named["optimiser"]](settings["optimisers"][named["optimiser"]])
    chosen = equally_spaced()
    inputs = jnp.asarray(circle_grid(SIZE)[chosen], dtype=jnp.float32)
    targets = jnp.asarray(product_targets(chosen), dtype=jnp.float32)

    def loss(weights):
        return ((fitted(weights, inputs, named["alpha"]) - targets) ** 2).mean()

    def step(_, carried):
        weights, state = carried
        updates, state = optimiser.update(jax.grad(loss)(weights), state, weights)
        return optax.apply_updates(weights, updates), state

    return optimiser.init, jax.jit(lambda *carried: (*(end := jax.lax.fori_loop(0, 50, step, carried)), loss(end[0])))


def _run(named: dict, settings: dict, seed: int, training: tuple[Callable, Callable]) -> dict:
    """Steps, the largest distance from a target and mu, of a network that is trained until it fits."""
    first, fifty = training
    weights = weights_on_circle(named["depth"], settings["width"], named["alpha"] is not None, seed)
    state, loss, steps = first(weights), np.inf, 0
    while steps < settings["steps"] and not loss < settings["tolerance"] ** 2:
        weights, state, found = fifty(weights, state)
        loss, steps = float(found), steps + 50
    values = np.asarray(fitted(weights, jnp.asarray(circle_grid(SIZE), dtype=jnp.float32), named["alpha"]), float)
    chosen = equally_spaced()
    off = float(np.abs(values[chosen] - product_targets(chosen)).max())
    mu = smoothness(values, chosen, WIDTH)
    return {"steps": steps, "loss": loss, "off": round(off, 7), "mu": float(f"{mu:.6g}"),
            "values": [round(value, 5) for value in values.tolist()]}  # fmt: skip


# ---- JGH's picture: the NTK of two of scikit-learn's digits, a 2 x 2 matrix, during training, for several widths -----
#
# Targets 1 and -1, full-batch descent on 1/2 sum (f - y)^2 with steps of 1/tr K_0; K_t by JAX, every tenth step.

DRIFT = {
    "data": "scikit-learn digits", "depth": 4, "widths": [32, 64, 128, 256, 512], "steps": 200, "images": [0, 1],
    "networks": {"relu": [1.414214, 0.0], "tanh": [1.298, 0.2]},
}  # fmt: skip
EVERY = 10


def drift(settings: dict) -> Iterator[Row]:
    for name in settings["networks"]:
        for width in settings["widths"]:
            yield {"activation": name, "width": width}, partial(moved, name, width, settings)


def moved(name: str, width: int, settings: dict) -> list[dict]:
    """How far the kernel moves, and the loss, for every seed."""
    depth = settings["depth"]
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

    return [_drifting(settings, drawn(64, depth, width, (seed,)), (outputs, kernel, ten, targets)) for seed in SEEDS]


def _drifting(settings: dict, weights: dict, functions) -> dict:
    outputs, kernel, ten, targets = functions
    weights = {name: part[0] for name, part in weights.items()}
    kernels = [np.asarray(kernel(weights), float)]
    before = float(((outputs(weights) - targets) ** 2).sum())
    for _ in range(settings["steps"] // EVERY):
        weights = ten(weights, float(1 / np.trace(kernels[0])))
        kernels.append(np.asarray(kernel(weights), float))
    most = max(np.linalg.norm(k - kernels[0]) for k in kernels) / np.linalg.norm(kernels[0])
    after = float(((outputs(weights) - targets) ** 2).sum())
    entries = [[float(f"{value:.6g}") for value in (k[0, 0], k[0, 1], k[1, 1])] for k in kernels]
    return {"moved": float(f"{most:.6g}"), "loss": after / before, "kernels": entries}


EXPERIMENTS: dict[str, tuple[dict, Callable[[dict], Iterator[Row]]]] = {
    "table-1": (TABLE_1, table_1), "table-2": (TABLE_2, table_2), "accuracy": (ACCURACY, accuracy),
    "circle": (CIRCLE, circle), "drift": (DRIFT, drift),
}  # fmt: skip

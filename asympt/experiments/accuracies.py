"""Accuracies on digits: HDR's Tables 1 and 2 and XPS's map over (sigma_w, L), far smaller than those of the sources.

Table 1: plain networks on the Edge of Chaos, and with sigma_w a quarter below with sigma_b as on it (1/5 for ReLU,
whose phase without biases is a matter of scale only), and a quarter above.  Table 2: ReLU residual networks, standard
and scaled by l^(-1/2).  XPS: erf networks, sigma_b = 1/5.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from asympt.architectures.feedforward import FeedForward
from asympt.architectures.network import Preset
from asympt.architectures.resnet import ResNet, ScaledResNet
from asympt.experiments import networks
from asympt.experiments.networks import SEARCH_SEEDS, SLOPE, TRAINING, Trainer, best_rate, digits, drawn, forward

SEEDS = (0, 1, 2, 3, 4)
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


@dataclass(frozen=True)
class Trial:
    """One row: `named`, its entries in the results; the network, its activation's name in JAX, and its size."""

    named: dict
    net: Preset
    phi: str
    depth: int
    width: int

    @property
    def key(self) -> str:
        """Of the run of one seed, without the seed."""
        return " ".join(f"{name}={value}" for name, value in self.named.items())


def table_1(settings: dict) -> Iterator[Trial]:
    for depth in settings["depths"]:
        for name in settings["activations"]:
            for phase, (sigma_w, sigma_b) in deviations(name).items():
                phi = "leaky_relu" if name == "prelu" else name
                named = {"activation": name, "phase": phase, "depth": depth, "sigma_w": sigma_w, "sigma_b": sigma_b}
                yield Trial(named, FeedForward(phi, sigma_w, sigma_b), name, depth, settings["width"])


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


def table_2(settings: dict) -> Iterator[Trial]:
    nets = {"standard": ResNet, "scaled": ScaledResNet}
    for depth in settings["depths"]:
        for scaling in settings["scalings"]:
            for sigma_w in settings["sigma_w"]:
                named = {"scaling": scaling, "sigma_w": sigma_w, "depth": depth}
                yield Trial(named, nets[scaling]("relu", sigma_w), "relu", depth, settings["width"])


def accuracy(settings: dict) -> Iterator[Trial]:
    for depth in settings["depths"]:
        for sigma_w in settings["sigma_w"]:
            net = FeedForward(settings["activation"], sigma_w, settings["sigma_b"])
            yield Trial({"sigma_w": sigma_w, "depth": depth}, net, settings["activation"], depth, settings["width"])


def trained(setting: Trial, settings: dict, falling: bool) -> list[dict]:
    """The runs of one setting, one for every seed, at its best learning rate."""
    last = settings["epochs"][-1]
    apply = forward(setting.net, setting.phi, setting.depth, networks.CLASSES)
    trainer = Trainer(apply, _falling(last) if falling else None)
    rate = best_rate(trainer, _weights(setting, SEARCH_SEEDS), RATES, settings["search_epochs"])
    found = trainer.run(_weights(setting, SEEDS), [rate] * len(SEEDS), SEEDS, tuple(settings["epochs"]))
    return [{"key": f"{setting.key} seed={seed}", **setting.named, "seed": seed, "rate": rate, "measured": measured}
            for seed, measured in zip(SEEDS, found, strict=True)]  # fmt: skip


def _weights(setting: Trial, seeds: tuple[int, ...]) -> dict:
    weights = drawn(digits().inputs.shape[1], setting.depth, setting.width, seeds)
    return {**weights, "slope": np.full(len(seeds), SLOPE, np.float32)} if setting.phi == "prelu" else weights


def _falling(epochs: int):
    """1, 1/10 from half of the epochs on, 1/100 from three quarters on (HDR section 6.3)."""
    steps = epochs * (TRAINING // networks.BATCH)
    return lambda step: 1.0 if step < steps / 2 else 0.1 if step < 3 * steps / 4 else 0.01

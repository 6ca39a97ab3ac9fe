"""Claims that are measurements with data and training: what the runs of `asympt.experiments` found stands beside them.

What was printed for MNIST, CIFAR10 or CIFAR100 is not reproduced without them, and stays unknown; the same networks,
scaled down to scikit-learn's digits, are findings that decide nothing.  Data on a circle need nothing from outside.
"""

from functools import lru_cache
from itertools import product

import numpy as np

from asympt.claims.forms import inequality, undecided
from asympt.evidence.check import Check, Verification
from asympt.experiments.results import mean_and_error, read, shown

PHASES = {"ordered": "ordered", "edge": "edge", "chaotic": "chaotic", "none": "no edge"}
TELLING = 2.0  # standard errors


def _not_reproduced(subject: str, reason: str, rows: list[tuple[str, str, str]]) -> Verification:
    """The print, and beside it what the scaled-down runs gave (name, figure, detail), which decides nothing."""
    printed = undecided("the printed figures", f"not reproduced here: {reason}")
    findings = (undecided(f"finding: {name}", figure, detail=detail) for name, figure, detail in rows)
    return Verification(subject, (printed, *findings))


def table_one() -> Verification:
    """HDR.Tab1: per depth and activation the test accuracy in per cent, ordered, on the edge, chaotic."""
    results, rows = read("table-1"), []
    made = results.made["settings"]
    for depth, name in product(made["depths"], made["activations"]):
        found = {phase: results.where(activation=name, depth=depth, phase=phase) for phase in PHASES}
        told = [f"{PHASES[phase]} {shown(final(runs))}" for phase, runs in found.items() if runs]
        if told:
            title = f"digits, width {made['width']}, depth {depth}, {made['epochs'][-1]} epochs, {name}: test accuracy"
            rows.append((title, ", ".join(told), "per cent, mean and standard error of 5 seeds"))
    reason = "needs MNIST, CIFAR10, width and depth 300 and 100 epochs"
    return _not_reproduced("test accuracies of networks of width and depth 300", reason, rows)


def final(runs) -> list[float]:
    return [run["measured"][-1]["test"] for run in runs]


def table_two() -> Verification:
    """HDR.Tab2: per depth and sigma_w the test accuracy in per cent, standard and scaled."""
    results, rows = read("table-2"), []
    made = results.made["settings"]
    for depth, sigma_w in product(made["depths"], made["sigma_w"]):
        found = {name: results.where(depth=depth, sigma_w=sigma_w, scaling=name) for name in made["scalings"]}
        told = [f"{name} {shown(final(runs))}" for name, runs in found.items() if runs]
        if told:
            title = f"digits, dense, width {made['width']}, depth {depth}, $sigma_w = {sigma_w:g}$: test accuracy"
            rows.append((title, ", ".join(told), f"{made['epochs'][-1]} epochs, 5 seeds"))
    reason = "needs CIFAR100, convolutional networks and 160 epochs"
    return _not_reproduced("test accuracies of standard and scaled residual networks", reason, rows)


def accuracy() -> Verification:
    """XPS.fig-accuracy: per depth the test accuracy in per cent over sigma_w."""
    results, rows = read("accuracy"), []
    made = results.made["settings"]
    for depth in made["depths"]:
        found = {value: final(results.where(depth=depth, sigma_w=value)) for value in made["sigma_w"]}
        means = {f"{value:g}": f"{100 * mean_and_error(runs)[0]:.1f}" for value, runs in found.items() if runs}
        if means:
            title = f"digits, {made['activation']}, depth {depth}: test accuracy at $sigma_w = {', '.join(means)}$"
            rows.append((title, ", ".join(means.values()), "mean of 5 seeds"))
    reason = "the slides state neither data, widths nor training"
    return _not_reproduced("train and test accuracy of finite networks over (sigma_w, L)", reason, rows)


def animation() -> Verification:
    """JGH.fig: how far the NTK of two digits moves, by width."""
    results, rows = read("drift"), []
    made = results.made["settings"]
    for name in made["networks"]:
        told = [f"{width}: {shown(results.values('moved', activation=name, width=width), 1, 3)}"
                for width in made["widths"]]  # fmt: skip
        title = f"two digits, {name}, depth {made['depth']}: largest |K_t - K_0|/|K_0| by width"
        rows.append((title, ", ".join(told), "5 seeds"))
    reason = "needs the two MNIST images and the training of the animation; JGH.T4.rate measures the same"
    return _not_reproduced("the NTK of two images during training, for several widths", reason, rows)


def outside_the_kernel_regime() -> Verification:
    """TBG.fig3: alpha = 1/5 against alpha = 1 and against the MLP, for every depth and optimiser."""
    made = read("circle").made["settings"]
    rows = [_smoother(depth, optimiser, rough)
            for depth in made["depths"] for optimiser in made["optimisers"] for rough in (None, 1.0)
            if logarithms(depth, optimiser, 0.2)]  # fmt: skip
    return Verification("n = 500, Xavier, adaptive optimisers: smaller alpha is smoother", tuple(rows))


def _smoother(depth: int, optimiser: str, rough: float | None, smooth: float = 0.2) -> Check:
    """log mu of the network that should be smoother less that of the other: the mean, in its standard errors."""
    found = {alpha: logarithms(depth, optimiser, alpha) for alpha in (rough, smooth)}
    (high, one), (low, two) = (mean_and_error(found[alpha]) for alpha in (smooth, rough))
    told = (high - low) / np.hypot(one, two)
    beside = "the MLP" if rough is None else f"alpha = {rough:g}"
    name = f"log mu at alpha = 1/5 less that of {beside}, in standard errors; {optimiser}, $L = {depth}$"
    detail = f"5 seeds: {high:.3g} +- {one:.2g} and {low:.3g} +- {two:.2g}"
    if abs(told) < TELLING:
        return undecided(name, f"{told:.2f}: no difference beyond {TELLING:g} standard errors", "> 2", detail)
    return inequality(name, told, f"> {TELLING:g}", detail, 3)


@lru_cache(maxsize=64)
def logarithms(depth: int, optimiser: str, alpha: float | None) -> tuple[float, ...]:
    """log mu for every seed."""
    return tuple(np.log(read("circle").values("mu", depth=depth, optimiser=optimiser, alpha=alpha)).tolist())

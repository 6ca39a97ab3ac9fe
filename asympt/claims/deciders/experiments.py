"""Claims that are measurements with data and training: what the runs of `asympt.experiments` found stands beside them.

What was printed for MNIST, CIFAR10 or CIFAR100 is not reproduced without them, and stays unknown; the same networks,
scaled down to scikit-learn's digits, are findings that decide nothing.  Data on a circle need nothing from outside.
"""

from functools import lru_cache

import numpy as np

from asympt.claims.forms import inequality, undecided
from asympt.evidence.check import Check, Verification
from asympt.experiments.results import mean_and_error, read, shown

PHASES = ("ordered", "edge", "chaotic", "none")
TELLING = 2.0  # standard errors


def _printed(reason: str) -> Check:
    return undecided("the printed figures", f"not reproduced here: {reason}")


def _finding(name: str, figure: str, detail: str = "") -> Check:
    """What the scaled-down runs gave: beside the print, no decision on it."""
    return undecided(name, figure, detail=detail)


def table_one() -> Verification:
    """HDR.Tab1: per depth and activation the test accuracy in per cent, ordered, on the edge, chaotic."""
    made = read("table-1").made["settings"]
    rows = [_phases(name, depth) for depth in made["depths"] for name in made["activations"]
            if read("table-1").where(activation=name, depth=depth)]  # fmt: skip
    reason = "needs MNIST, CIFAR10, width and depth 300 and 100 epochs"
    return Verification("test accuracies of networks of width and depth 300", (_printed(reason), *rows))


def _phases(name: str, depth: int) -> Check:
    results, told = read("table-1"), []
    for phase in PHASES:
        runs = results.where(activation=name, depth=depth, phase=phase)
        if runs:
            where = "no edge" if phase == "none" else phase
            told.append(f"{where} {shown(final(runs))}")
    made = results.made["settings"]
    title = f"finding: digits, width {made['width']}, depth {depth}, {made['epochs'][-1]} epochs, {name}: test accuracy"
    return _finding(title, ", ".join(told), "per cent, mean and standard error of 5 seeds")


def final(runs) -> list[float]:
    return [run["measured"][-1]["test"] for run in runs]


def table_two() -> Verification:
    """HDR.Tab2: per depth and sigma_w the test accuracy in per cent, standard and scaled."""
    results = read("table-2")
    made, rows = results.made["settings"], []
    for depth in made["depths"]:
        for sigma_w in made["sigma_w"]:
            rows_of = results.where(sigma_w=sigma_w, depth=depth)
            found = {name: [run for run in rows_of if run["scaling"] == name] for name in made["scalings"]}
            told = [f"{name} {shown(final(runs))}" for name, runs in found.items() if runs]
            if not told:
                continue
            size = f"width {made['width']}, depth {depth}"
            title = f"finding: digits, dense, {size}, $sigma_w = {sigma_w:g}$: test accuracy"
            rows.append(_finding(title, ", ".join(told), f"{made['epochs'][-1]} epochs, 5 seeds"))
    reason = "needs CIFAR100, convolutional networks and 160 epochs"
    return Verification("test accuracies of standard and scaled residual networks", (_printed(reason), *rows))


def accuracy() -> Verification:
    """XPS.fig-accuracy: per depth the test accuracy in per cent over sigma_w."""
    results = read("accuracy")
    made = results.made["settings"]
    rows = []
    for depth in made["depths"]:
        found = {value: final(results.where(depth=depth, sigma_w=value)) for value in made["sigma_w"]}
        means = {f"{value:g}": mean_and_error(runs)[0] for value, runs in found.items() if runs}
        if not means:
            continue
        values = ", ".join(means)
        title = f"finding: digits, {made['activation']}, depth {depth}: test accuracy at $sigma_w = {values}$"
        rows.append(_finding(title, ", ".join(f"{100 * mean:.1f}" for mean in means.values()), "mean of 5 seeds"))
    reason = "the slides state neither data, widths nor training"
    return Verification("train and test accuracy of finite networks over (sigma_w, L)", (_printed(reason), *rows))


def animation() -> Verification:
    """JGH.fig: how far the NTK of two digits moves, by width."""
    results = read("drift")
    made = results.made["settings"]
    rows = []
    for name in made["networks"]:
        told = [f"{width}: {shown(results.values('moved', activation=name, width=width), 1, 3)}"
                for width in made["widths"]]  # fmt: skip
        title = f"finding: two digits, {name}, depth {made['depth']}: largest |K_t - K_0|/|K_0| by width"
        rows.append(_finding(title, ", ".join(told), "5 seeds"))
    reason = "needs the two MNIST images and the training of the animation; JGH.T4.rate measures the same"
    return Verification("the NTK of two images during training, for several widths", (_printed(reason), *rows))


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

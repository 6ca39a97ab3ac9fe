"""Claims that are measurements with data and training: what the runs of `asympt.experiments` found stands beside them.

What was printed for MNIST, CIFAR10 or CIFAR100 is not reproduced without them, and stays unknown; the same networks,
scaled down to scikit-learn's digits, are findings that decide nothing.  Data on a circle need nothing from outside.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import product

import numpy as np

from asympt.claims.forms import inequality, undecided
from asympt.evidence.check import Check, Verification
from asympt.experiments.results import mean_and_error, read, shown

PHASES = {"ordered": "ordered", "edge": "edge", "chaotic": "chaotic", "none": "no edge"}
TELLING = 2.0  # standard errors


Finding = tuple[str, list[str], str]  # name, figures (none: nothing was run), detail


def _not_reproduced(subject: str, reason: str, findings: Iterable[Finding]) -> Verification:
    """The print, and beside it what the scaled-down runs gave, which decides nothing."""
    printed = undecided("the printed figures", f"not reproduced here: {reason}")
    rows = [undecided(f"finding: {name}", ", ".join(told), detail=detail) for name, told, detail in findings if told]
    return Verification(subject, (printed, *rows))


def final(runs) -> list[float]:
    return [run["measured"][-1]["test"] for run in runs]


def _per_phase(results, made: dict) -> Iterator[Finding]:
    for depth, name in product(made["depths"], made["activations"]):
        found = {phase: results.where(activation=name, depth=depth, phase=phase) for phase in PHASES}
        title = f"digits, width {made['width']}, depth {depth}, {made['epochs'][-1]} epochs, {name}: test accuracy"
        told = [f"{PHASES[phase]} {shown(final(runs))}" for phase, runs in found.items() if runs]
        yield title, told, "per cent, mean and standard error of 5 seeds"


def _per_scaling(results, made: dict) -> Iterator[Finding]:
    for depth, sigma_w in product(made["depths"], made["sigma_w"]):
        found = {name: results.where(depth=depth, sigma_w=sigma_w, scaling=name) for name in made["scalings"]}
        title = f"digits, dense, width {made['width']}, depth {depth}, $sigma_w = {sigma_w:g}$: test accuracy"
        told = [f"{name} {shown(final(runs))}" for name, runs in found.items() if runs]
        yield title, told, f"{made['epochs'][-1]} epochs, 5 seeds"


def _per_sigma_w(results, made: dict) -> Iterator[Finding]:
    for depth in made["depths"]:
        found = {value: final(results.where(depth=depth, sigma_w=value)) for value in made["sigma_w"]}
        means = {f"{value:g}": f"{100 * mean_and_error(runs)[0]:.1f}" for value, runs in found.items() if runs}
        title = f"digits, {made['activation']}, depth {depth}: test accuracy at $sigma_w = {', '.join(means)}$"
        yield title, list(means.values()), "mean of 5 seeds"


def _per_width(results, made: dict) -> Iterator[Finding]:
    for name in made["networks"]:
        told = [f"{width}: {shown(results.values('moved', activation=name, width=width), 1, 3)}"
                for width in made["widths"]]  # fmt: skip
        yield f"two digits, {name}, depth {made['depth']}: largest |K_t - K_0|/|K_0| by width", told, "5 seeds"


PRINTED = {  # by claim: what is printed, why it is not reproduced, the experiment, and how its runs are told
    "HDR.Tab1": ("test accuracies of networks of width and depth 300",
                 "needs MNIST, CIFAR10, width and depth 300 and 100 epochs", "table-1", _per_phase),
    "HDR.Tab2": ("test accuracies of standard and scaled residual networks",
                 "needs CIFAR100, convolutional networks and 160 epochs", "table-2", _per_scaling),
    "XPS.fig-accuracy": ("train and test accuracy of finite networks over (sigma_w, L)",
                         "the slides state neither data, widths nor training", "accuracy", _per_sigma_w),
    "JGH.fig": ("the NTK of two images during training, for several widths", "needs the two MNIST images and the "
                "training of the animation; JGH.T4.rate measures the same", "drift", _per_width),
}  # fmt: skip


def beside_print(name: str) -> Verification:
    """What the runs found beside what is printed."""
    subject, reason, experiment, told = PRINTED[name]
    results = read(experiment)
    return _not_reproduced(subject, reason, told(results, results.made["settings"]))


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

"""Claims that are measurements with data and training: what the runs of `asympt.experiments` found stands beside them.

What was printed for MNIST, CIFAR10 or CIFAR100 is not reproduced without them, and stays unknown; the same networks,
scaled down to scikit-learn's digits, are findings that decide nothing.  Data on a circle need nothing from outside.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise, product

import numpy as np
from mpmath import mpf
from sympy import Integer, sqrt

from asympt import depth as engine
from asympt.architectures.feedforward import FeedForward
from asympt.architectures.resnet import ResNet
from asympt.claims.scopes import SMOOTH, number, on_edge, state
from asympt.claims.theorems import by_theorem, certified
from asympt.evidence.check import EXACT, MEASURED, Check, Verification, inequality, undecided
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


def _smoother(depth: int, optimiser: str, rough: float | None) -> Check:
    """log mu of the network that should be smoother less that of the other: the mean, in its standard errors."""
    (high, one), (low, two) = (mean_and_error(logarithms(depth, optimiser, alpha)) for alpha in (0.2, rough))
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


# ---- HDR Figure 1: slopes of measured distances from the limit, and a bound that is uniform in the start -------------
#
# A slope on a log-log plot depends on the inputs, which the figure does not give, and cannot tell 1/L from log(L)/L:
# it is fitted over L = 100..1000 for c^1 from -1/2 to 19/20, and "approximately of order L^-1" means within 1/4 of -1.
# Exponential: |K^L - K^inf| ~ L chi^L where phi is in C^1, ~ chi^(L/2) where phi' jumps, so that slopes do not change.

STARTS = (1.5, 1.0, 0.9, 0.5, 0.2, 0.1, 0.05)  # 1 - c^1
DEPTHS = np.unique(np.round(np.logspace(2, 3, 9)).astype(int))
NEAR = 0.25


def figure_ordered() -> Verification:
    """HDR.F1b: log|K^L - K^inf| keeps its slope; it is log chi, and half of it where phi' jumps (ReLU)."""
    settings = ((1, 1), (1, "1/5"), ("1/2", 1))
    checks = [_slope_kept(name, *at) for name in ("relu", "elu") for at in settings]
    return Verification("ordered phase: exponential convergence for ReLU and ELU", tuple(checks))


def _slope_kept(name: str, sigma_w, sigma_b) -> Check:
    """The slope over the last third of the layers against that over the second, the worst of three starts."""
    net, share = FeedForward(name, sigma_w=sigma_w, sigma_b=sigma_b), 0.5 if name == "relu" else 1
    chi = float(number(net.layer.chi))
    step = max(5, round(-9 / np.log(chi) / 3))
    worst, shown = 0.0, []
    for gap in (1.5, 0.9, 0.3):
        left = [abs(1 / (1 - chi) - state(net, layer, gap)[1]) for layer in (step, 2 * step, 3 * step)]
        rates = [np.log(b / a) / step for a, b in pairwise(left)]
        worst = max(worst, abs(rates[1] / rates[0] - 1))
        shown.append(f"{rates[1]:.5f}")
    title = f"{name}, $sigma_w = {sigma_w}$, $sigma_b = {sigma_b}$: slope of $log|K^L - K^inf|$, "
    title += f"$L = {2 * step}..{3 * step}$ over {step}..{2 * step}, minus 1"
    detail = f"c^1 = -1/2, 1/10, 7/10: {', '.join(shown)}, {share} log chi = {share * np.log(chi):.5f}; "
    return Check.measured(title, worst, 0.2, f"{detail}for a power of L the ratio is 0.585")


def figure_edge() -> Verification:
    """HDR.F1a: slopes within `NEAR` of -1 over L = 100..1000 for every c^1 of `STARTS`: those of ReLU, not ELU's."""
    relu, elu, late = on_edge("relu"), on_edge("elu"), [gap for gap in STARTS if gap <= 0.1]
    first, kept = elu.ntk_law(2).coefficient("1/sqrt(L)"), slopes_near("relu", relu, 0.25)
    moves = inequality("coefficient of $L^(-1/2)$ in $K^L/(qL)$, elu", mpf(str(first.evalf(20))), "!= 0")
    return Verification(
        "measured |K^L/L - AK^inf| falls approximately like 1/L for ReLU and ELU",
        (kept, slopes_near("elu", elu, 1 / 3), power_near("relu", relu), power_near("elu", elu)),
        Verification(
            "ReLU: slope near -1 for c^1 from -1/2 to 19/20; ELU: for c^1 from 9/10 to 19/20, and the rate is L^(-1/2)",
            (kept, slopes_near("elu", elu, 1 / 3, late), moves),
        ),
    )


def slopes_near(name: str, net, limit: float, starts=STARTS) -> Check:
    """The slope fitted to log|K^L/(qL) - limit| over `DEPTHS`: how far from -1 it is, at the worst of several c^1."""
    left = [np.abs(engine.pairs(net, np.array(starts), int(depth))[1] / depth - limit) for depth in DEPTHS]
    slopes = np.polyfit(np.log(DEPTHS), np.log(left), 1)[0]
    shown = ", ".join(f"{slope:.3f}" for slope in slopes)
    name = f"{name}: largest distance from -1 of the slope fitted over $L = 100..1000$"
    detail = f"c^1 = {', '.join(f'{1 - gap:.3g}' for gap in starts)}: {shown}"
    return replace(Check.measured(name, np.abs(slopes + 1).max(), NEAR, detail), route=MEASURED)


def power_near(name: str, net) -> Check:
    """The same of the law: the power of the first non-constant term, without its logarithm."""
    order = float(net.ntk_law(2).expansion.terms[1][0].order)
    title = f"{name}: distance from -1 of the power of $L$ in the first term of the law that moves"
    return replace(Check.measured(title, abs(1 - order), NEAR), route=EXACT)


def figure_residual() -> Verification:
    """HDR.F1c: fitted slopes, as those of HDR.F1a; the exact rate is a matter of HDR.T2.rate."""
    found = {square: ResNet("relu", sigma_w=sqrt(Integer(square))) for square in (1, 2, 8)}
    slopes = [slopes_near(f"$sigma_w^2 = {square}$", net, float(net.ntk_law(1).limit)) for square, net in found.items()]
    return Verification("measured |K^L/alpha_L - AK^inf| falls like 1/L, whatever sigma_w is", tuple(slopes))


def uniform(network=None) -> Verification:
    """HDR.T1.sup: M(eps) for all L >= 2 and all c^1 in [-1, 1 - eps], eps = 1/10, by theorem; of a network's class."""
    names = ("relu", "tanh") if network is None else ("tanh",) if SMOOTH.holds(network.load()) else ("relu",)
    rows = [by_theorem(f"{name}: sup of $|K^L/(qL) - lambda|$ over $-1 <= c^1 <= 9/10$",
                       certified(on_edge(name), "ntk", 1), "O", "log(L)/L") for name in names]  # fmt: skip
    right = "sup over 1 - c^1 >= eps, |x| <= R of |AK^L - AK^inf| <= M(eps) q log(L)/L, L >= 2"
    return Verification("sup over x != x' of |AK^L - AK^inf| = Theta(1/L), Theta(log(L)/L) for class S", (),
                        Verification(right, tuple(row for found in rows for row in found)))

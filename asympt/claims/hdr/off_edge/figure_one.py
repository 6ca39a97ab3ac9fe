"""Decisions on HDR Figure 1: slopes of measured distances from the limit.

A slope on a log-log plot over two decades cannot tell 1/L from log(L)/L or L^(-1/2), and it depends on the inputs; the
claim about it stays open.  An exponential in depth is told from a power: its slope does not change.

    phi in C^1      |K^L - K^inf| ~ L chi^L                   phi' jumps      |K^L - K^inf| ~ chi^(L/2)
"""

from itertools import pairwise

import numpy as np

from asympt import depth as engine
from asympt.architectures import FeedForward
from asympt.claims.figures import number, state
from asympt.claims.forms import at_most, undecided
from asympt.claims.scopes import on_edge
from asympt.evidence.check import Check, Verification


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
    return at_most(title, worst, 0.2, f"{detail}for a power of L the ratio is 0.585")


def figure_edge() -> Verification:
    """HDR.F1a: the slope fitted over L = 10..1000 depends on c^1, which the paper does not give."""
    starts = np.array([1.5, 1.0, 0.5, 0.2, 0.1, 0.05])
    depths = np.unique(np.round(np.logspace(1, 3, 13)).astype(int))
    checks = []
    for name, limit in (("relu", 0.25), ("elu", 1 / 3)):
        left = np.array([np.abs(engine.pairs(on_edge(name), starts, int(d))[1] / d - limit) for d in depths])
        slopes = np.polyfit(np.log(depths), np.log(left), 1)[0]
        figure = f"from {slopes.max():.3f} to {slopes.min():.3f}"
        checks.append(
            undecided(
                f"{name}: slope of log|K^L/(qL) - limit| over $L = 10..1000$, $c^1$ from -1/2 to 0.95",
                figure,
                "about -1",
                "no slope decides: it depends on c^1, which is not given for the measured inputs",
            )
        )
    return Verification("measured |K^L/L - AK^inf| falls approximately like 1/L for ReLU and ELU", tuple(checks))

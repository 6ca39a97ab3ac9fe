"""Decisions on HDR Figure 1: slopes of measured distances from the limit, and a bound that is uniform in the start.

A slope on a log-log plot depends on the inputs, which the figure does not give, and cannot tell 1/L from log(L)/L: it
is fitted over L = 100..1000 for c^1 from -1/2 to 19/20, and "approximately of order L^-1" is read as within 1/4 of -1.
Exponential: |K^L - K^inf| ~ L chi^L where phi is in C^1, ~ chi^(L/2) where phi' jumps, so that slopes do not change.
"""

from dataclasses import replace
from itertools import pairwise

import numpy as np
from mpmath import mpf
from sympy import Integer, sqrt

from asympt import depth as engine
from asympt.architectures.feedforward import FeedForward
from asympt.architectures.resnet import ResNet
from asympt.claims.forms import ALGEBRA, MEASURED, inequality
from asympt.claims.scopes import number, on_edge, state
from asympt.claims.theorems import by_theorem, certified
from asympt.evidence.check import Check, Verification

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
    return replace(Check.measured(title, abs(1 - order), NEAR), route=ALGEBRA)


def figure_residual() -> Verification:
    """HDR.F1c: fitted slopes, as those of HDR.F1a; the exact rate is a matter of HDR.T2.rate."""
    found = {square: ResNet("relu", sigma_w=sqrt(Integer(square))) for square in (1, 2, 8)}
    slopes = [slopes_near(f"$sigma_w^2 = {square}$", net, float(net.ntk_law(1).limit)) for square, net in found.items()]
    return Verification("measured |K^L/alpha_L - AK^inf| falls like 1/L, whatever sigma_w is", tuple(slopes))


def uniform() -> Verification:
    """HDR.T1.sup: M(eps) for all L >= 2 and all c^1 in [-1, 1 - eps], eps = 1/10, by theorem."""
    rows = [by_theorem(f"{name}: sup of $|K^L/(qL) - lambda|$ over $-1 <= c^1 <= 9/10$",
                       certified(on_edge(name), "ntk", 1), "O", "log(L)/L") for name in ("relu", "tanh")]  # fmt: skip
    right = "sup over 1 - c^1 >= eps, |x| <= R of |AK^L - AK^inf| <= M(eps) q log(L)/L, L >= 2"
    return Verification("sup over x != x' of |AK^L - AK^inf| = Theta(1/L), Theta(log(L)/L) for class S", (),
                        Verification(right, tuple(row for found in rows for row in found)))

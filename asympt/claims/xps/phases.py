"""Decisions on the slides about Xiao, Pennington and Schoenholz, "Disentangling trainability and generalization in deep
neural networks": the NTK off the Edge of Chaos, with the variance at its fixed point q*.

With p = Theta, c = q_ab/q*, one layer is q_ab' = q* f(c), p_ab' = q_ab' + f'(c) p_ab, p_aa' = q* + f'(1) p_aa.  What
follows from it stands in `claims.stated` as objects, which ask here what the recursion itself gives.
"""

from functools import lru_cache

import mpmath
from mpmath import mp
from sympy import Expr, Rational

from asympt.architectures import FeedForward
from asympt.claims.figures import CHECK_DIGITS, number, state
from asympt.claims.forms import agreement, inequality
from asympt.claims.hdr.off_edge.mean_field import (
    attractor,
    chaotic,
    named,
    several_chaotic,
    several_ordered,
)
from asympt.evidence.check import Check, Verification
from asympt.numbers import to_mpf

SMALL = Rational(1, 10**6)


# ---- the recursion ----------------------------------------------------------------------------------------


def dynamics() -> Verification:
    """XPS.2b: both recursions against the NTK of HDR Lemma 2 iterated in float64."""
    net = chaotic()
    chi, checks = number(net.layer.chi), []
    with mp.workdps(CHECK_DIGITS):
        gap = mpmath.mpf(9) / 10
        kernel, same = 1 - gap, mpmath.mpf(1)
        for _ in range(19):
            slope, gap = net.correlation_map.gap_slope(gap), net.correlation_map.gap(gap)
            kernel, same = 1 - gap + slope * kernel, 1 + chi * same
    checks.append(
        agreement(
            "$p_ab^(20)/q*$ by the slide's recursion against the float64 engine", kernel, state(net, 20)[1], 1e-11
        )
    )
    checks.append(agreement("$p_aa^(20)/q*$", same, state(net, 20, 0.0)[1], 1e-11))
    return Verification("p_ab' = q_ab' + f'(c) p_ab, p_aa' = q* + f'(1) p_aa at q_aa = q*", tuple(checks))


# ---- phases and limits --------------------------------------------------------------------------------


def phases() -> Verification:
    """XPS.phases: where c^l goes on either side of f'(1) = 1, for three networks on each."""
    checks = [_goes_to_one(net) for net in several_ordered()]
    for net in several_chaotic():
        gap, _ = attractor(net)
        title = f"$f'(1) = {_nstr(net.layer.chi)}$, {named(net)}"
        near = state(net, 400, 1e-12)[0]
        checks.append(agreement(f"{title}: $1 - c^400$ from $1 - c^1 = 1e-12$ against $1 - c*$", near, gap, 1e-9))
        checks.append(inequality(f"{title}: $1 - c*$", gap, "> 0", digits=8))
    return Verification("f'(1) < 1: c^l -> 1; f'(1) > 1: 1 repels and c^l -> c* < 1", tuple(checks))


def _goes_to_one(net: FeedForward) -> Check:
    left = max(state(net, 400, gap)[0] for gap in (2.0, 1.5, 0.9))
    name = f"$f'(1) = {_nstr(net.layer.chi)}$, {named(net)}: largest $1 - c^400$ from $c^1 = -1$, -1/2, 1/10"
    return inequality(name, left, "<= 1e-15")


def _nstr(value: Expr) -> str:
    return mpmath.nstr(number(value), 6)


# ---- linearisation ---------------------------------------------------------------------------------------


@lru_cache(maxsize=4)
def second_derivative(net: FeedForward) -> float:
    """f''(c*)."""
    with mp.workdps(CHECK_DIGITS):
        gap = net.correlation_map.fixed_gap()
        step = mpmath.mpf(10) ** -8
        slope = net.correlation_map.gap_slope
        return float((slope(gap - step) - slope(gap + step)) / (2 * step))


@lru_cache(maxsize=16)
def followed(net: FeedForward, size: Rational, steps: int) -> tuple:
    """(eps, delta)/eps^(0) after `steps` layers, from eps^(0) = size q* and delta^(0) = 0."""
    with mp.workdps(CHECK_DIGITS):
        f = net.correlation_map
        centre = f.fixed_gap()
        chi = f.gap_slope(centre)
        fixed = (1 - centre) / (1 - chi)
        start = to_mpf(size)
        gap, kernel = centre - start, fixed
        for _ in range(steps):
            slope, gap = f.gap_slope(gap), f.gap(gap)
            kernel = slope * kernel + 1 - gap
        return (centre - gap) / start, (kernel - fixed) / start

"""Figures that several claims need: digits, networks off the edge, and orbits in float64 with q at its fixed point."""

from functools import lru_cache

import numpy as np
from mpmath import mp
from sympy import Expr, Rational

from asympt import depth as engine
from asympt.architectures.feedforward import FeedForward
from asympt.meanfield.layer import Layer
from asympt.numbers import to_mpf

BIAS, START_GAP = Rational(1, 5), 0.9
CHECK_DIGITS = 20


def number(value: Expr, digits: int = CHECK_DIGITS):
    """An exact number as an mpmath number."""
    with mp.workdps(digits):
        return to_mpf(value)


@lru_cache(maxsize=256)
def state(net: FeedForward | Layer, depth: int, gap: float = START_GAP) -> tuple[float, float]:
    """(1 - c^L, K^L/q) at a layer by the original recursion in float64."""
    gaps, kernel = engine.pairs(net, np.array([gap]), depth)
    return float(gaps[0]), float(kernel[0])


@lru_cache(maxsize=8)
def off_edge(name: str, sigma_w, sigma_b=BIAS) -> FeedForward:
    """A network by its scales: tanh has chi < 1 at sigma_w = 1, and chi > 1 at sigma_w = 2."""
    return FeedForward(name, sigma_w=sigma_w, sigma_b=sigma_b)


def several_chaotic() -> tuple[FeedForward, ...]:
    """Chaotic networks of two activations and several scales."""
    return off_edge("tanh", 2), off_edge("erf", 2), off_edge("erf", 3, 1)


def named(net: FeedForward) -> str:
    """The activation and the scales of a network."""
    return f"{net.activation.name}, sigma_w = {net.sigma_w}, sigma_b^2 = {net.layer.bias_variance}"


@lru_cache(maxsize=8)
def attractor(net: FeedForward) -> tuple[float, float]:
    """(1 - c*, f'(c*)) of a chaotic network to float64 accuracy."""
    with mp.workdps(CHECK_DIGITS):
        gap = net.correlation_map.fixed_gap()
        return float(gap), float(net.correlation_map.gap_slope(gap))

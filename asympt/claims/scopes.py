"""Of which networks and laws a claim speaks, and networks on which claims are decided: their digits and orbits.

Class S is taken as computed (`Activation.in_class_s`): phi(0) = 0, phi in C^1, phi'' piecewise smooth.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
from mpmath import mp
from sympy import Rational

from asympt import depth as engine
from asympt.architectures.feedforward import FeedForward
from asympt.architectures.registry import is_a
from asympt.depth.stack import precise
from asympt.meanfield.layer import Layer

BIAS = Rational(1, 5)


@dataclass(frozen=True)
class Scope:
    """`holds`, whether a network is meant; `laws`, the laws that the claim is listed with."""

    holds: Callable[[FeedForward], bool]
    laws: tuple[str, ...] = ()


@lru_cache(maxsize=64)
def on_edge(name: str) -> FeedForward:
    """An example on the Edge of Chaos: sigma_b = 1/5, or 0 for a ReLU-like activation, which has no other."""
    return FeedForward(name) if name == "relu" else FeedForward.on_edge_of_chaos(name, sigma_b=BIAS)


def is_relu_like(net, architecture: str = "feedforward") -> bool:
    """ReLU-like layers without bias in this architecture, where the maps are the same at every variance."""
    return is_a(net, architecture) and net.statement.is_scale_free and not net.statement.layer.activation.is_linear


def is_relu(net, architecture: str = "feedforward") -> bool:
    """ReLU itself, up to scale and reflection."""
    return is_relu_like(net, architecture) and net.statement.layer.activation.kink_weight == Rational(1, 2)


def is_class_s(net: FeedForward) -> bool:
    """Fully connected, class S on the Edge of Chaos, q > 0."""
    if not is_a(net, "feedforward"):
        return False
    phi, layer = net.activation, net.layer
    if phi.is_relu_like or phi.is_linear or not phi.in_class_s:
        return False
    return net.phase == "edge of chaos" and layer.fixed_variance != 0


def is_kinked(net: FeedForward) -> bool:
    """Class S on the Edge of Chaos, phi'' jumps."""
    return is_class_s(net) and net.activation.singular_order == 2


RECURSIONS = Scope(lambda net: True)  # about recursions or about the networks that the claim itself names
RELU = Scope(is_relu)
RELU_LIKE = Scope(is_relu_like)
CLASS_S = Scope(is_class_s)
SMOOTH = Scope(lambda net: is_class_s(net) and net.activation.is_smooth)
KINKED = Scope(is_kinked)
RELU_RESNET, RELU_SCALED_RESNET, RELU_CONVNET = (
    Scope(partial(is_relu, architecture=name)) for name in ("resnet", "scaled-resnet", "convnet")
)
THEOREM_1 = Scope(lambda net: is_relu_like(net) or is_class_s(net))


# ---- networks off the edge, and orbits in float64 with q at its fixed point ----

START_GAP, CHECK_DIGITS = 0.9, 20
number = partial(precise, digits=CHECK_DIGITS)


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

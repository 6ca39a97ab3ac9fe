"""Decisions on HDR Appendix Lemmas 2 and 3, item 1: correlations of convolutional networks off the Edge of Chaos.

Rule.  Along an offset whose correlations are not all 1 the limit c* and the rate chi* are those of the fully connected
network.  Exceptions to what is printed: an odd phi without bias has c* = 0; an input and its translate have correlation
1 along one offset for ever; and ReLU without bias has the same map at every sigma_w, so 1 - c^l is a power of l.
"""

import numpy as np

from asympt.architectures.convolution.network import ConvNet
from asympt.claims.figures import number
from asympt.claims.forms import agreement, at_most, inequality
from asympt.claims.hdr.convolution.nets import BIAS, DEEP, POSITIONS, network, state
from asympt.claims.hdr.off_edge.mean_field import attractor
from asympt.depth.convolution import conv_gram, conv_pairs
from asympt.evidence.check import Check, Verification
from asympt.evidence.convolution import generic_start


def smooth_phases() -> Verification:
    """HDR.AL2.1: a translate of x keeps its correlation 1 with x."""
    chaotic = network("erf", 2, BIAS)
    return Verification(
        "class S off the Edge of Chaos: sup over alpha, alpha' of |c^l - c| = O(e^(-beta l)), chaotic c in (0, 1)",
        (_translate(chaotic),),
        Verification(
            "along every offset whose c^1 are not all 1 (nor all -1 for an odd phi without bias): ordered 1 - c^l ~ C "
            "chi^l, chaotic |c^l - c*| ~ |C| chi*^l with 0 <= c* < 1, the same C at all positions",
            (*_ordered("erf"), *_attracted(chaotic)),
        ),
    )


def _translate(net: ConvNet) -> Check:
    """x' = x moved by one position: c_(alpha, alpha+1)(x, x') = 1 in every layer."""
    inputs = np.random.default_rng(3).normal(size=(1, 2, POSITIONS))
    both = np.concatenate([inputs, np.roll(inputs, 1, axis=2)])
    sigma, _ = conv_gram(net, both, 60)
    places = np.arange(POSITIONS)
    q = sigma[0, 0, places, places], sigma[1, 1, (places + 1) % POSITIONS, (places + 1) % POSITIONS]
    same = float((sigma[0, 1, places, (places + 1) % POSITIONS] / np.sqrt(q[0] * q[1])).min())
    gap, _ = attractor(net.dense)
    name = (
        "erf, $sigma_w = 2$, $sigma_b = 1/5$: $|c^60_(alpha, alpha+1)(x, x') - c|$ for $x' = x$ moved by one position"
    )
    return at_most(name, abs(same - (1 - gap)), 1e-6, f"c = {1 - gap:.6g}, c^60 = {same:.12g}", digits=6)


def _ordered(name: str) -> list[Check]:
    net = network(name, 1, BIAS)
    chi = float(number(net.dense.layer.chi))
    before, after = (state(net, layer)[0] for layer in (60, 61))
    spread = float(np.ptp(after) / after.mean())
    return [
        agreement(
            f"{name}, $sigma_w = 1$, $sigma_b = 1/5$: $(1 - c^61)/(1 - c^60)$ against $chi$",
            (after / before).mean(),
            chi,
            1e-4,
        ),
        at_most("relative difference between positions there", spread, 1e-12),
    ]


def _attracted(net: ConvNet) -> list[Check]:
    gap, slope = attractor(net.dense)
    before, after = (state(net, layer)[0] - gap for layer in (30, 31))
    name = "erf, $sigma_w = 2$, $sigma_b = 1/5$: $(c^31 - c*)/(c^30 - c*)$ against $chi*$"
    return [agreement(name, (after / before).mean(), slope, 1e-3)]


def relu_phases() -> Verification:
    """HDR.AL3.1: without bias the map does not depend on sigma_w at all; with bias and sigma_w^2 > 2, c = 1."""
    return Verification(
        "ReLU off sigma_w^2 = 2: sup over alpha, alpha' of |c^l - c| = O(e^(-beta l)), chaotic c in (0, 1)",
        (_growing(),),
        Verification(
            "ReLU: sigma_b > 0 and sigma_w^2 < 2: 1 - c^l ~ C (sigma_w^2/2)^l; sigma_b = 0 or sigma_w^2 > 2: 1 - c^l ~ "
            "(9 pi^2/2) l^(-2), c = 1",
            (*_ordered("relu"), *(_leading(network("relu", s, 0)) for s in (1, "sqrt(3)")), _forgotten_bias()),
        ),
    )


def _growing() -> Check:
    """sigma_w^2 = 3, sigma_b = 1: the variance grows, the bias is left behind, and c -> 1."""
    gap = _with_bias(1000)
    name = "ReLU, $sigma_w^2 = 3$, $sigma_b = 1$: $1 - c^1000$, at least $1 - c$ for some $c$ in (0, 1) by the claim"
    return inequality(name, gap.max(), ">= 0.001", digits=4)


def _with_bias(layers: int) -> np.ndarray:
    """1 - c^l at every position, sigma_w^2 = 3, sigma_b = 1, q^1 = 4."""
    gaps = np.array([1 - float(c) for c in generic_start(POSITIONS)])
    return conv_pairs(network("relu", "sqrt(3)", 1), gaps, layers, variance=4.0)[0]


def _forgotten_bias() -> Check:
    """Growth of 1/sqrt(1 - c^l) a layer: s/2 = sqrt(2)/(3 pi), as without bias."""
    early, late = (float((_with_bias(layers) ** -0.5).mean()) for layers in (750, 1500))
    name = "ReLU, $sigma_w^2 = 3$, $sigma_b = 1$: growth of $(1 - c^l)^(-1/2)$ a layer, $l = 750$ to 1500, against "
    name += "$sqrt(2)/(3 pi)$"
    return agreement(name, (late - early) / 750, np.sqrt(2) / (3 * np.pi), 0.01, "so 1 - c^l ~ (9 pi^2/2)/l^2")


def _leading(net: ConvNet) -> Check:
    expected = 4.5 * np.pi**2
    found = state(net, DEEP)[0].mean() * float(DEEP) ** 2
    name = f"$l^2 (1 - c^l)$ at $l = {DEEP}$ against $9 pi^2/2$, $sigma_w = {net.sigma_w}$, $sigma_b = 0$"
    return agreement(name, found, expected, 0.01, "the rest is log(l)/l")

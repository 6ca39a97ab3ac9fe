"""Claims between the theorems: verdicts and severities, and every correction in a setting that it was not found in."""

import numpy as np
import pytest
from sympy import Rational, diff, sqrt

from asympt import claims
from asympt.architectures.convolution.network import ConvResNet
from asympt.claims.stated.hdr.maps import Z_1, Z_2, X, mean
from asympt.claims.stated.hdr.steps import scaled_orbit
from asympt.claims.steps import CLAIMS
from asympt.depth.convolution import conv_pairs

EXPECTED = {
    "HDR.B1.positive": "imprecise", "HDR.CNN.varconv": "false", "HDR.L4.first": "slip", "HDR.AL7.cnn": "false",
    "HDR.T2.sigdot": None, "HDR.T2.cnn-product": "slip", "HDR.T2.cnn-slope": "false", "HDR.T2.cnn": "false",
    "HDR.AL8.sum": "slip", "HDR.AL8.cnn": "imprecise", "HDR.P3.cnn": "false", "PDLT.10.2": "imprecise",
    "PDLT.10.8": "imprecise", "PDLT.10.56": None, "PDLT.10.73": None, "PDLT.10.106": None, "PDLT.10.112": None,
    "PDLT.10.132": "slip", "XPS.dissimilar": "imprecise", "JGH.base.sum": "slip",
    "TBG.output": "slip", "TBG.x0": "convention", "TBG.T.domain": "imprecise", "TBG.jacobian": "slip",
}  # fmt: skip


def test_the_records_are_these():
    assert {claim.id for claim in CLAIMS} == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_decided(name):
    claim = claims.find(name)
    found = claim.check()
    if EXPECTED[name] is None:
        assert found.verdict == ("checked" if claim.note.on else "proved")
        return
    assert (found.verdict, claim.severity(found)) == ("refuted", EXPECTED[name])
    assert found.corrected.verdict in ("proved", "checked")
    assert len([check for check in found.checks if check.verdict == "refuted"]) >= 2  # two witnesses


# ---- corrections elsewhere ------------------------------------------------------------------------------------


def test_derivatives_at_one_of_a_square():
    """phi = z^2 at q = 1, by the moments of two correlated normals: f = const + 2 c^2, so f''' = 0 and f'' = 4."""
    along = X * Z_1 + sqrt(1 - X**2) * Z_2
    f = mean(Z_1**2 * along**2, Z_1, Z_2)
    assert [diff(f, X, j).simplify().subs(X, 1) for j in (1, 2, 3)] == [4, 4, 0]
    assert [mean(value**2, Z_1) for value in (2 * Z_1, 2, 0)] == [4, 4, 0]


@pytest.mark.parametrize("weight", [1, 3])
def test_logarithm_of_residual_convolutions(weight):
    """Six positions, a filter of five: what c^l has beside -delta/l^2 grows by 3 delta a factor e, layer by layer."""
    alpha, layers = weight**2 / 2, (20_000, 80_000)
    delta = 4.5 * np.pi**2 * (1 + alpha) ** 2 / alpha**2
    start = np.array([1.2, 0.3, 0.7, 1.0, 0.4, 0.9])
    gaps = [conv_pairs(ConvResNet("relu", 6, 2, weight), start, layer)[0].mean() for layer in layers]
    rest = [layer * (layer**2 * gap / delta - 1) for layer, gap in zip(layers, gaps, strict=True)]
    assert abs((rest[1] - rest[0]) / np.log(4) / -3 - 1) < 0.05


@pytest.mark.parametrize("square", [1, 5])
def test_kernel_of_scaled_residual_convolutions(square):
    """By the exact sum 1 + sum_k alpha/(k + alpha), k = 2 to L, which no digamma function has seen."""
    alpha = Rational(square, 2)
    total = 1 + sum(alpha / (k + alpha) for k in range(2, 41))
    assert np.allclose(scaled_orbit(square, (0.0,) * 4, 40)[1], float(total), rtol=1e-13)


def test_first_layer_of_signals():
    """Random signals, seven positions, three channels, by the weights of a filter and their gradients as an array."""
    random = np.random.default_rng(5)
    one, two = random.normal(size=(2, 3, 7))
    rows = [np.stack([np.roll(x, s - at, axis=1)[:, 0] for s in (1, 0, -1)]) for x, at in ((one, 2), (two, 5))]
    printed = sum(one[j, (2 + s) % 7] * two[j, (5 + s) % 7] for j in range(3) for s in (-1, 0, 1))
    assert np.isclose((rows[0] * rows[1]).sum(), printed)


def test_fluctuations_of_one_network():
    """tanh networks of two layers with biases, widths 64 and 576: the NTK spreads 3 times less, not 9."""
    random, spread = np.random.default_rng(3), []
    for width in (64, 576):
        z, w = random.standard_normal((2, 2000, width))
        active = np.tanh(z + random.standard_normal((2000, width)) / 2)
        spread.append(np.mean(active**2 + 2 * w**2 * (1 - active**2) ** 2, axis=1).std())
    assert abs(spread[0] / spread[1] - 3) < 0.3


def test_kernel_of_a_linear_model():
    """Least squares with a bias, four points in the plane, least norm: the kernel machine with 1 + x.x'."""
    random = np.random.default_rng(1)
    x, y, place = random.normal(size=(3, 2)), random.normal(size=3), random.normal(size=(1, 2))
    features = np.hstack([np.ones((3, 1)), x])
    line = np.hstack([np.ones((1, 1)), place]) @ np.linalg.pinv(features) @ y
    assert np.allclose((1 + place @ x.T) @ np.linalg.inv(1 + x @ x.T) @ y, line)


def test_update_of_the_last_hidden_layer():
    """Three linear layers of width 256, one input of K = Theta^(1) = 1, all constants 1: 5/n, where Theta^2 is 4."""
    random, width, networks = np.random.default_rng(8), 256, 300
    a = random.standard_normal((networks, width))
    b = random.standard_normal((networks, width, width)) / np.sqrt(width)
    c = random.standard_normal((networks, width)) / np.sqrt(width)
    back = np.einsum("mjk,mj->mk", b, c)
    moved = (a**2).mean(axis=1)[:, None] * c + np.einsum("mjk,mk->mj", b, back)
    assert abs(width * (moved**2).mean() - 5) < 0.1

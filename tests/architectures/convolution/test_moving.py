"""Residual convolutions in which the variance moves the map: against covariances at all positions, written out."""

import math

import pytest

import asympt as asy
from asympt.architectures.convolution import ConvResNet
from asympt.errors import InputError, PrecisionError, UnsupportedError

STARTS = [0.1, 0.5, 0.0, 0.25, 0.35]


def erf_orbit(bias: float, depths: tuple, positions: int = 5, reach: int = 1) -> dict:
    """{l: ([c], [K/q])} of erf, sigma_w = 1, along one offset from q = 1 everywhere, by Williams' kernel in float64."""
    first, second, s, found = [1.0] * positions, [1.0] * positions, STARTS[:positions], {}
    kernel = s
    for layer in range(1, max(depths) + 1):
        if layer in depths:
            roots = [math.sqrt(a * b) for a, b in zip(first, second, strict=True)]
            found[layer] = tuple([x / r for x, r in zip(part, roots, strict=True)] for part in (s, kernel))
        widths = [(1 + 2 * a) * (1 + 2 * b) for a, b in zip(first, second, strict=True)]
        values = [bias + 2 / math.pi * math.asin(2 * x / math.sqrt(w)) for x, w in zip(s, widths, strict=True)]
        slopes = [4 / math.pi / math.sqrt(w - 4 * x * x) for x, w in zip(s, widths, strict=True)]
        learnt = [v + d * k for v, d, k in zip(values, slopes, kernel, strict=True)]
        alone = [[bias + 2 / math.pi * math.asin(2 * q / (1 + 2 * q)) for q in both] for both in (first, second)]
        first, second, s, kernel = (
            [old + sum(new[(i + b) % positions] for b in range(-reach, reach + 1)) / (2 * reach + 1)
             for i, old in enumerate(before)]
            for before, new in zip((first, second, s, kernel), (*alone, values, learnt), strict=True))  # fmt: skip
    return found


def test_numbers_along_the_layers():
    net, (c, kernel) = ConvResNet("erf", 5, 1, sigma_b=1), erf_orbit(1.0, (12,))[12]
    start = {"correlation": ["1/10", "1/2", 0, "1/4", "7/20"], "variance": 1, "digits": 12, "depth": 12}
    for position in (0, 3):
        gap = net.correlation_law(1).evaluate(position=position, **start)
        assert float(gap) == pytest.approx(1 - c[position], rel=1e-10)
        found = net.ntk_law(1).evaluate(position=position, **start)
        assert float(found) == pytest.approx(kernel[position], rel=1e-10)


def test_how_positions_become_alike():
    """erf without bias, M = 5: the spread of c falls like l^(-(1 - (2/pi) (1 + sqrt 5)/6)), the printed remainder."""
    net, found = ConvResNet("erf", 5, 1), erf_orbit(0.0, (10**3, 10**4))
    assert str(net.correlation_law(2)) == "1 - D*l^(-1 + 2/pi) + O(1/l^(-2*(1/6 + sqrt(5)/6)/pi + 1))"
    spreads = [max(c) - min(c) for c, _ in found.values()]
    rate = 1 - 2 / math.pi * (1 + math.sqrt(5)) / 6
    assert math.log10(spreads[0] / spreads[1]) == pytest.approx(rate, abs=5e-3)
    means = [sum(c) / 5 for c, _ in found.values()]
    assert math.log10(means[0] / means[1]) == pytest.approx(1 - 2 / math.pi, abs=1e-2)


def test_the_laws_are_those_of_the_dense_network():
    for phi, bias in (("gelu", 0), ("relu", 1), ("elu", 0)):
        net = ConvResNet(phi, 8, 1, sigma_b=bias)
        assert net.correlation_law(3).expansion == net.dense.correlation_law(3).expansion
        assert net.ntk_law(2).expansion == net.dense.ntk_law(2).expansion
    assert ConvResNet("erf", 3, 1, sigma_b=1).ntk_law(1).plain == "K^L(alpha, alpha')/q_L"
    assert str(asy.Network("residual(erf, conv(1, 8))").ntk_law(1)) == str(ConvResNet("erf", 8, 1).ntk_law(1))


def test_verified():
    net = ConvResNet("gelu", 5, 1)
    for law in (net.correlation_law(2), net.ntk_law(2)):
        assert asy.verify(law).verdict == "checked"


def test_what_is_refused(refused):
    net = ConvResNet("erf", 4, 1)
    refused(lambda: net.correlation_law(1).evaluate(depth=3, correlation="1/2"), "give variance", InputError)
    with pytest.raises(PrecisionError, match="5000 of them at most"):
        net.correlation_law(1).evaluate(depth=10**6, correlation="1/2", variance=1)
    with pytest.raises(UnsupportedError, match="no formula"):
        net.correlation_law(1).connection_constant(correlation="1/2", variance=1)
    refused(lambda: ConvResNet("sin", 4, 1).correlation_law(), "neither straight lines", UnsupportedError)
    with pytest.raises(UnsupportedError, match="fall with the layer"):
        asy.Network("residual(relu, conv(1, 8), scale=1/sqrt(LAYER))").correlation_law()

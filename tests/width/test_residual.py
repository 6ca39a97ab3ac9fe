"""Residual networks at order 1/n against numbers of another implementation, each within its error of a Monte Carlo."""

import numpy as np
import pytest
from sympy import Integer, Rational, Symbol, log, oo, sqrt

from asympt import FeedForward, InputError, Network, PrecisionError, ResNet, ScaledResNet, UnsupportedError
from asympt.width.residual import AnyBranch

ALIKE = ResNet("relu")
FALLING = Network("residual(relu, dense(sqrt(2)), scale=1/sqrt(LAYER - 1))")
PRE_NORM = Network("residual(rms_norm, relu, dense(sqrt(2)))")


def test_checked_numbers():
    rows = ((ALIKE, 4491.607485, 5808.3815328), (FALLING, 579.74893707, 876.7775085), (PRE_NORM, 101.56579196, None))
    for net, kernel, norm in rows:
        assert net.fluctuation(depth=8) == pytest.approx(kernel, rel=1e-10)
        assert norm is None or net.fluctuation("norm", depth=8) == pytest.approx(norm, rel=1e-10)
    assert ALIKE.fluctuation(depth=8, variances=(3, 3)) == pytest.approx(9 * 4491.607485, rel=1e-10)


def test_any_activation_against_random_networks():
    """Means and errors of 272,000 networks, widths 64, 128, 256 extrapolated (y' = y + N(0, P), P from the neurons).

    ReLU on this route is its closed form.
    """
    rows = (
        ("residual(tanh, dense(1))", 1, 8, (3.978, 0.027), (62.0, 0.44)),
        ("residual(tanh, dense(sqrt(2), 1/2))", 0.5, 6, (6.049, 0.042), (120.2, 0.86)),
        ("residual(gelu, dense(sqrt(3/2)), scale=1/sqrt(LAYER - 1))", 1, 8, (145.9, 1.2), (240.1, 2.1)),
        ("residual(hard_tanh, dense(1))", 1, 6, (2.227, 0.016), (44.2, 0.31)),
        ("residual(rms_norm, tanh, dense(sqrt(2)))", 1, 8, (2.292, 0.016), (86.7, 0.61)),
        ("residual(layer_norm, gelu, dense(sqrt(2), 1/2))", 1, 6, (7.27, 0.05), (90.9, 0.64)),
    )
    for block, q, depth, *seen in rows:
        for of, (mean, error) in zip(("kernel-diagonal", "norm"), seen, strict=True):
            assert abs(Network(block).fluctuation(of, depth=depth, variances=(q, q)) - mean) < 3 * error, block
    relu = FeedForward("relu", sigma_w=1).layer
    for norm, options in (("", ()), ("rms_norm, ", (True,)), ("layer_norm, ", (True, True))):
        closed = Network(f"residual({norm}relu, dense(1))").fluctuation("norm", depth=6)
        found = AnyBranch(Integer(1), Integer(1), *options, layer=relu).variance("norm", 6)
        assert found == pytest.approx(closed, rel=1e-12)


def test_laws_are_those_of_the_layers():
    assert float(ALIKE.fluctuation_law().per_layer) == pytest.approx(4.07811, abs=5e-6)
    assert float(ResNet("relu", sigma_w=sqrt(2)).fluctuation_law().per_layer) == pytest.approx(5.44248, abs=5e-6)
    for net in (ALIKE, ResNet("abs"), ResNet("leaky_relu", slope=Rational(1, 3))):
        for of in ("kernel-diagonal", "norm"):
            law = net.fluctuation_law(of)
            assert law.evaluate(300) == pytest.approx(float(law.to_numpy()(300.0)), rel=1e-12)
    assert PRE_NORM.fluctuation_law().limit == Rational(15, 8)
    for net in (PRE_NORM, Network("residual(layer_norm, relu, dense(3))")):
        assert net.fluctuation_law().evaluate(1000) == pytest.approx(float(net.fluctuation_law().limit), abs=0.05)
    assert float(ResNet("elu", sigma_b=1).fluctuation_law().per_layer) == pytest.approx(4.07811, abs=5e-6)
    # 2 int t Cov(eta(U), eta(V)) dt over the correlations t, by float64 sums
    rows = {"rms_norm, tanh, dense(sqrt(2))": 0.05869059971119, "layer_norm, gelu, dense(1, 1/2)": 0.1306687125961}
    for block, expected in rows.items():
        assert float(Network(f"residual({block})").fluctuation_law().limit) == pytest.approx(expected, rel=1e-10)


def test_weights_that_fall():
    """The slope in the leading monomial, by the layers."""
    for net in (FALLING, *(ScaledResNet(phi, sigma_w=sqrt(2)) for phi in ("relu", "silu"))):
        assert net.fluctuation_law().coefficient("log(L)") == 4 * (3 + log(2))
    for kappa, allowed in (("1", 5e-2), ("3/4", 2e-2)):
        law = ScaledResNet("relu", sigma_w=sqrt(2), kappa=kappa).fluctuation_law()
        seen = law.evaluate(2000) - law.evaluate(1000)
        far, near = (float(law.to_numpy()(depth)) for depth in (2000.0, 1000.0))
        assert seen == pytest.approx(far - near, rel=allowed)
    assert ScaledResNet("relu", kappa=2).fluctuation_law().valid_for(width=64) == oo


def test_random_networks_with_a_layer_norm():
    """4000 networks of width 64: the mean that is subtracted has a noise of its own."""
    draw = np.random.default_rng(3)
    y = draw.standard_normal((4000, 64))
    for _ in range(3):
        z = y - y.mean(axis=1, keepdims=True)
        share = np.mean(np.maximum(z, 0) ** 2, axis=1) / np.mean(z * z, axis=1)
        y = y + np.sqrt(2 * share)[:, None] * draw.standard_normal(y.shape)
    seen = 64 * np.var(np.mean(y * y, axis=1))
    expected = Network("residual(layer_norm, relu, dense(sqrt(2)))").fluctuation("norm", depth=4)
    assert seen == pytest.approx(expected, rel=4 * (2 / 4000) ** 0.5)


def test_refusals(refused):
    two, free = Network("residual(tanh, dense(1), relu, dense(1))"), ResNet("tanh", sigma_w=Symbol("s", positive=True))
    refused(lambda: two.fluctuation(depth=3), "not derived", UnsupportedError)
    refused(lambda: ResNet("tanh").fluctuation_law(), "weigh like this", UnsupportedError)
    refused(lambda: free.fluctuation(depth=3), "depends on s", UnsupportedError)
    refused(lambda: ResNet("tanh", sigma_w=20).fluctuation(depth=3), "fewer layers", PrecisionError)
    refused(lambda: ALIKE.fluctuation_law().valid_for(width=64, network="mean"), "of the mean", UnsupportedError)
    for bad in ({"of": "gap"}, {"depth": "x"}, {"correlation": 0}, {"digits": 30}):
        with pytest.raises(InputError):
            ALIKE.fluctuation(**{"depth": 3} | bad)
    refused(lambda: ResNet("relu", sigma_w=10**4).fluctuation(depth=40), "beyond float64", PrecisionError)

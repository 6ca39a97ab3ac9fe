"""Residual networks at order 1/n against numbers of another implementation, each within its error of a Monte Carlo."""

import pytest
from mpmath import mp
from sympy import Integer, Rational, Symbol, log, sqrt

from asympt import FeedForward, InputError, Network, PrecisionError, ResNet, ScaledResNet, UnsupportedError, activation
from asympt.width.moments import one_input
from asympt.width.residual import AnyBranch
from asympt.width.rules import FloatNumbers, Rules

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

    Shifts: 24,000 to 56,000, widths 48 to 192, beside networks of the limiting P.  ReLU is its closed form.
    """
    rows = (
        ("residual(tanh, dense(1))", 1, 8, (3.978, 0.027), (62.0, 0.44), (-0.8012, 0.0084)),
        ("residual(tanh, dense(sqrt(2), 1/2))", 0.5, 6, (6.049, 0.042), (120.2, 0.86), (-0.7129, 0.0092)),
        ("residual(gelu, dense(sqrt(3/2)), scale=1/sqrt(LAYER - 1))", 1, 8, (145.9, 1.2), (240.1, 2.1), (3.27, 0.17)),
        ("residual(hard_tanh, dense(1))", 1, 6, (2.227, 0.016), (44.2, 0.31), (-0.5122, 0.0076)),
        ("residual(rms_norm, tanh, dense(sqrt(2)))", 1, 8, (2.292, 0.016), (86.7, 0.61), (2.033, 0.025)),
        ("residual(layer_norm, gelu, dense(sqrt(2), 1/2))", 1, 6, (7.27, 0.05), (90.9, 0.64), (-1.23, 0.059)),
    )
    for block, q, depth, *seen in rows:
        given, net = {"depth": depth, "variances": (q, q)}, Network(block)
        found = *(net.fluctuation(of, **given) for of in ("kernel-diagonal", "norm")), net.width_correction(**given)
        assert all(abs(value - mean) < 3 * error for value, (mean, error) in zip(found, seen, strict=True)), block
    relu = FeedForward("relu", sigma_w=1).layer
    for norm, options in (("", ()), ("rms_norm, ", (True,)), ("layer_norm, ", (True, True))):
        net, found = Network(f"residual({norm}relu, dense(1))"), AnyBranch(Integer(1), Integer(1), *options, layer=relu)
        for closed, value in ((net.fluctuation, found.variance), (net.width_correction, found.shift)):
            assert value("norm", 6) == pytest.approx(closed("norm", depth=6), rel=1e-12)


def test_laws_are_those_of_the_layers():
    assert float(ALIKE.fluctuation_law().per_layer) == pytest.approx(4.07811, abs=5e-6)
    assert float(ResNet("relu", sigma_w=sqrt(2)).fluctuation_law().per_layer) == pytest.approx(5.44248, abs=5e-6)
    for net in (ALIKE, ResNet("abs"), ResNet("leaky_relu", slope=Rational(1, 3))):
        for law in (*map(net.fluctuation_law, ("kernel-diagonal", "norm")), net.width_correction_law()):
            assert law.evaluate(300) == pytest.approx(float(law.to_numpy()(300.0)), rel=1e-12, abs=1e-12)
    assert PRE_NORM.fluctuation_law().limit == Rational(15, 8) == PRE_NORM.width_correction_law().limit + 3
    for net in (PRE_NORM, Network("residual(layer_norm, relu, dense(3))")):
        for law in (net.fluctuation_law(), net.width_correction_law()):
            assert law.evaluate(1000) == pytest.approx(float(law.limit), abs=0.05)
    assert float(ResNet("elu", sigma_b=1).fluctuation_law().per_layer) == pytest.approx(4.07811, abs=5e-6)
    # 2 int t Cov(eta(U), eta(V)) dt over the correlations t, by float64 sums
    for block, *expected in (("rms_norm, tanh, dense(sqrt(2))", 0.05869059971119, 0.2910026507764),
                             ("layer_norm, gelu, dense(1, 1/2)", 0.1306687125961, -0.2620119271295)):  # fmt: skip
        laws = Network(f"residual({block})").fluctuation_law(), Network(f"residual({block})").width_correction_law()
        assert [float(law.limit) for law in laws] == pytest.approx(expected, rel=1e-10)


def test_weights_that_fall(refused):
    """The slope in the leading monomial, by the layers."""
    for net in (FALLING, *(ScaledResNet(phi, sigma_w=sqrt(2)) for phi in ("relu", "silu"))):
        assert net.fluctuation_law().coefficient("log(L)") == 4 * (3 + log(2))
        assert net.width_correction_law().coefficient("log(L)") == 1 + 2 * log(2)
    for kappa, *allowances in (("1", 5e-2, 6e-2), ("3/4", 2e-2, 2e-2)):
        net = ScaledResNet("relu", sigma_w=sqrt(2), kappa=kappa)
        for law, allowed in zip((net.fluctuation_law(), net.width_correction_law()), allowances, strict=True):
            far, near = (float(law.to_numpy()(depth)) for depth in (2000.0, 1000.0))
            assert law.evaluate(2000) - law.evaluate(1000) == pytest.approx(far - near, rel=allowed)
    refused(lambda: ScaledResNet("relu", kappa=2).fluctuation_law().valid_for(width=64), "bounded", UnsupportedError)


def test_a_smooth_phi_at_large_variances():
    """Means of gelu at q = 10^6 by mpmath; then those of ReLU but for 1/sqrt(Q) and what it was before."""
    layer, s = one_input(Rules(activation("gelu").piecewise, FloatNumbers()), 1.0, 1e6), mp.mpf(1000)
    ends = [-12 * s, -40, -10, -5, -2, 0, 2, 5, 10, 40, 12 * s]
    square, fourth = (mp.quad(lambda x, k=k: (x * mp.ncdf(x)) ** k * mp.npdf(x / s) / s, ends) for k in (2, 4))
    found = layer.image[0], layer.noise[0, 0]
    assert found == pytest.approx((float(square), float(fourth - square**2)), rel=1e-13)
    net, band = ResNet("gelu"), ResNet("gelu").at_width(64).pairs(0, depth=20, of="norm")
    assert net.fluctuation_law().evaluate(20) - net.fluctuation_law().evaluate(19) == pytest.approx(4.07811, rel=0.02)
    assert band.mean == pytest.approx(1898.518521825 + net.width_correction(depth=20) / 64, rel=1e-12)


def test_refusals(refused):
    two, free = Network("residual(tanh, dense(1), relu, dense(1))"), ResNet("tanh", sigma_w=Symbol("s", positive=True))
    refused(lambda: two.fluctuation(depth=3), "not derived", UnsupportedError)
    refused(lambda: ResNet("tanh").fluctuation_law(), "weigh like this", UnsupportedError)
    refused(lambda: free.fluctuation(depth=3), "depends on s", UnsupportedError)
    refused(lambda: ResNet("x^3", sigma_w=200).fluctuation(depth=5), "fewer layers", PrecisionError)
    refused(lambda: ALIKE.at_width(64).pairs(0.5, depth=3), "known of one input", InputError)
    for bad in ({"of": "gap"}, {"depth": "x"}, {"correlation": 0}, {"digits": 30}):
        with pytest.raises(InputError):
            ALIKE.fluctuation(**{"depth": 3} | bad)
    refused(lambda: ResNet("relu", sigma_w=10**4).fluctuation(depth=40), "beyond float64", PrecisionError)

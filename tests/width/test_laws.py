"""Laws of order 1/n: exact coefficients, published or independently computed constants, and the layers at depth."""

from dataclasses import replace

import numpy as np
import pytest
from mpmath import mp, mpf
from sympy import Rational, log, oo, pi, sqrt

from asympt import FeedForward, InputError, PrecisionError, UnsupportedError, verify
from asympt.architectures import relu_like

RELU = FeedForward("relu")
CHAOTIC, FADING = FeedForward("sin", sigma_w=Rational(3, 2), sigma_b="1/5"), FeedForward("sin", sigma_w=1)
ORDERED, SOFT = FeedForward("relu", sigma_w=1, sigma_b=1), FeedForward("softplus", sigma_w="sqrt(8/5)")
HARD = FeedForward.on_edge_of_chaos("hard_tanh", sigma_b="1/5")
SIN = FeedForward.on_edge_of_chaos("sin", sigma_b="3/10")


def test_relu_like_coefficients():
    laws = RELU.fluctuation_law, RELU.width_correction_law
    found = [law(of).per_layer for of in ("gap", "ntk-diagonal", "ntk") for law in laws]
    assert found == [Rational(8, 3), 0, Rational(11, 3), 0, Rational(89, 15), Rational(6, 5)]
    assert FeedForward("abs").fluctuation_law("gap").per_layer == Rational(4, 3)
    assert RELU.fluctuation_law("kernel-diagonal").evaluate(7) == pytest.approx(30)  # PDLT (4.31): 5 (l - 1)


def test_constants_of_smooth_edges():
    """kappa and beta of tanh, kappa of erf: float64 quadrature of another implementation."""
    law = FeedForward.on_edge_of_chaos("tanh", sigma_b="1/5").fluctuation_law()
    assert float(law.kappa) == pytest.approx(3.9189, abs=5e-5)
    assert float(law.beta) == pytest.approx(0.33765, abs=5e-6)
    assert law.per_layer == law.kappa / 3
    for bias, kappa in (("1/20", 3.97), ("1", 7.01)):
        erf = FeedForward.on_edge_of_chaos("erf", sigma_b=sqrt(Rational(bias)))
        assert float(erf.fluctuation_law().kappa) == pytest.approx(kappa, abs=5e-3)
    assert [round(float(HARD.fluctuation_law(of).per_layer), 3) for of in ("gap", "ntk")] == [0.967, 0.622]


def slope(law, depth, **start):
    """The coefficient of L in a L + b log L + c through three depths, by the layers alone."""
    one, two, four = (law.evaluate(times * depth, **start) for times in (1, 2, 4))
    return (four - 2 * two + one) / depth


PAIR = {"correlation": "1/5"}
SMALL = {"variances": ("1/2", "1/2")}
CASES = [  # network, quantity, depth, relative error allowed, start
    (RELU, "gap", 100, 2e-3, PAIR), (RELU, "ntk", 100, 2e-3, PAIR), (RELU, "kernel", 50, 5e-3, PAIR),
    (FeedForward("abs"), "gap", 50, 2e-3, PAIR), (FeedForward("abs"), "ntk", 50, 2e-3, PAIR),
    (SIN, "gap", 40, 5e-3, PAIR), (SIN, "ntk", 40, 1e-2, PAIR), (SIN, "ntk-diagonal", 100, 1e-3, {}),
    (ORDERED, "gap", 20, 2e-3, PAIR), (CHAOTIC, "ntk-diagonal", 100, 1e-6, {}),
    (FADING, "ntk-diagonal", 200, 1e-3, SMALL), (FADING, "kernel-diagonal", 200, 1e-3, SMALL),
    *((FeedForward(phi, sigma_w=1), of, 200, 1e-3, SMALL)
      for phi in ("elu", "softsign") for of in ("kernel-diagonal", "ntk-diagonal")),
]  # fmt: skip


@pytest.mark.parametrize(("net", "of", "depth", "error", "start"), CASES)
def test_coefficients_are_those_of_the_layers(net, of, depth, error, start):
    for law in (net.fluctuation_law(of), net.width_correction_law(of)):
        expected = float(law.per_layer)
        assert slope(law, depth, **start) == pytest.approx(expected, rel=error, abs=2 * error)


def test_limits_that_depend_on_the_start():
    (symbol,) = FADING.fluctuation_law("gap").per_layer.free_symbols
    cases = [(FADING, of, SMALL | PAIR) for of in ("gap", "kernel", "ntk")]
    cases += [(FeedForward("elu", sigma_w="1/2"), "gap", SMALL | PAIR), (FeedForward("linear"), "ntk", SMALL | PAIR)]
    for net, of, given in cases:
        c = 1 - net.inputs("gap", **given).limit("gap", 160)
        for law in (net.fluctuation_law(of), net.width_correction_law(of)):
            assert slope(law, 40, **given) == pytest.approx(float(law.per_layer.subs(symbol, c)), rel=2e-2, abs=1e-9)


def test_what_settles():
    """The closed form of the fixed point of one input's recursions against the layers."""
    for net in (ORDERED, SOFT):
        for of in ("kernel-diagonal", "ntk-diagonal"):
            for law in (net.fluctuation_law(of), net.width_correction_law(of)):
                assert law.evaluate(250) == pytest.approx(float(law.limit), rel=1e-10, abs=1e-13)
    kernel = SIN.width_correction_law("kernel")
    assert kernel.evaluate(300, **PAIR) == pytest.approx(float(kernel.limit), rel=0.05)
    step = FeedForward("step", sigma_w=1, sigma_b="1/2")  # chi is infinite; q = 1/4 + the share of heads of n coins
    assert float(step.fluctuation_law("kernel-diagonal").limit) == pytest.approx(4 / 9)
    assert str(step.fluctuation_law("gap")) == str(step.width_correction_law("kernel")) == "O(1)"


def test_valid_for(refused):
    law = RELU.fluctuation_law("gap")
    assert (law.valid_for(width=256), law.valid_for(width=10**6)) == (0, 3750)
    assert RELU.width_correction_law("kernel-diagonal").valid_for(width=256) == oo  # 0 in every layer
    steep = FeedForward("tanh", sigma_w=3, sigma_b="1/5").fluctuation_law("gap")  # 2.94: at width 64 off by 21%
    for bounded in (lambda: steep.valid_for(width=64), lambda: law.valid_for(width=256, network="mean")):
        refused(bounded, "stays bounded, and its limit is not derived", UnsupportedError)  # oo was the answer
    assert RELU.fluctuation_law("ntk").valid_for(width=1000, network="mean") == 83
    assert RELU.width_correction_law("ntk").valid_for(width=1000, within=Rational(1, 10)) == 83
    for bad in ({"width": 1}, {"width": 64, "within": "200%"}, {"width": 64, "network": "two"}):
        with pytest.raises(InputError):
            law.valid_for(**bad)
    refused(lambda: FADING.fluctuation_law("gap").valid_for(width=64), "depends on the start", UnsupportedError)


def test_at_a_fixed_ratio_of_depth_and_width(refused):
    """Edge: 0.497(32) in random networks at L = 64, n = 256, 0.327 to first order; ReLU: its products, added up."""
    law = FeedForward.on_edge_of_chaos("tanh", sigma_b="1/5").fluctuation_law("ntk-diagonal")
    assert law.resummed(width=256, depth=64) == pytest.approx(0.497, abs=0.032)
    n, i = 2000, np.arange(1000)
    apart = np.abs(np.subtract.outer(i, i))
    exact = np.mean((1 + 5 / n) ** (999 - apart) * (1 + 1 / n) ** apart) - 1
    assert RELU.fluctuation_law("ntk-diagonal").resummed(width=n, depth=1000) == pytest.approx(exact, rel=1e-2)
    for net, of in ((ORDERED, "gap"), (CHAOTIC, "ntk-diagonal"), (SIN, "ntk-diagonal"), (RELU, "kernel-diagonal")):
        for law in (net.fluctuation_law(of), net.width_correction_law(of)):  # first order, where the ratio is small
            assert law.resummed(width=10**9, depth=10**4) == pytest.approx(float(law.per_layer) * 1e-5, rel=1e-3)
    refused(lambda: RELU.fluctuation_law("gap").resummed(width=64, depth=64), "not known", UnsupportedError)
    refused(lambda: SOFT.fluctuation_law("gap").resummed(width=64, depth=64), "not known", UnsupportedError)
    refused(lambda: ORDERED.fluctuation_law("gap").resummed(width=2, depth=10**4), "beyond float64", PrecisionError)


def test_bands(refused):
    mean, deviation = RELU.at_width(1000).pairs([[0.2], [0.9]], depth=10)
    assert mean.shape == deviation.shape == (2, 1)
    law = RELU.fluctuation_law("gap")
    assert (deviation / mean)[1, 0] ** 2 * 1000 == pytest.approx(law.evaluate(10, gap=0.9), rel=0.02)
    assert (RELU.at_width(1000).pairs([0.2, 0.9], depth=[3, 10]).deviation[1] == deviation[:, 0]).all()
    far = RELU.at_width(8).pairs(0, depth=16, of="ntk-diagonal", resummed=True)
    assert far.deviation == pytest.approx(16 * RELU.fluctuation_law("ntk-diagonal").resummed(8, 16) ** 0.5, rel=1e-12)
    refused(lambda: RELU.at_width(8).pairs(0.5, depth=9), "smaller than depth", InputError)
    refused(lambda: RELU.at_width(1), "from 2 to 10^300", InputError)


def test_refused_laws(refused):
    refused(lambda: SOFT.width_correction_law("gap"), "1.07555^L", UnsupportedError)
    refused(lambda: CHAOTIC.fluctuation_law("ntk"), "> 1: Theta_12 settles in the mean alone", UnsupportedError)
    refused(lambda: FADING.fluctuation_law("ntk").evaluate(3, 0, **SMALL), "stays 0 for an odd phi", UnsupportedError)
    refused(lambda: HARD.width_correction_law("ntk"), "phi' jumps", UnsupportedError)
    refused(lambda: FeedForward("step", sigma_w=1, sigma_b=1).fluctuation_law("ntk"), "NTK", UnsupportedError)
    refused(lambda: FeedForward("mish").fluctuation_law("kernel-diagonal"), "does not show", UnsupportedError)


def test_a_failure_of_the_layers_is_told_every_time():
    """The variance of x^3 grows until its fourth power is beyond float64."""
    net = FeedForward("x^3", sigma_w=1, sigma_b=1)
    for _ in range(2):
        with pytest.raises(PrecisionError):
            net.width_correction("kernel-diagonal", depth=9, variances=(1, 1))


@pytest.mark.parametrize(("net", "start"), [
    (RELU, "1/10"), (FeedForward("abs"), "-1/2"), (FeedForward("leaky_relu", slope="1/10"), "9/10"),
])  # fmt: skip
def test_the_variance_of_the_correlation(net, start):
    """Closed forms in the angle and an Abel coordinate against the covariances, whose moments are quadratures."""
    law = net.fluctuation_law(of="correlation", terms=3)
    for depth in (1, 2, 3, 30, 300):
        seen = net.fluctuation(of="correlation", depth=depth, correlation=start)
        assert float(law.evaluate(depth, correlation=start)) == pytest.approx(seen, rel=1e-11)
    plain = net.correlation_law().connection_constant(correlation=start)
    assert law.connection_constant(correlation=start) == pytest.approx(plain, rel=1e-14)


def test_a_theorem_of_order_one_over_n():
    law = RELU.fluctuation_law(of="correlation", terms=2)
    theorem = law.certificate(correlation="1/10")
    assert (law.trust, theorem.trust, theorem.valid_from) == ("kernel", "kernel", 2)
    for depth in (2, 5, 40, 400):
        seen = RELU.fluctuation(of="correlation", depth=depth, correlation="1/10")
        printed = float(54 * pi**4 / depth**3 - 243 * pi**4 * log(depth) / depth**4)
        assert abs(seen - printed) <= float(theorem.constant) / depth**4
    found = verify(law, theorem=False)
    assert found.verdict == "checked" and any("layers" in check.name for check in found.checks)
    assert verify(replace(law, expansion=law.expansion * 2), theorem=False).verdict == "refuted"


def test_another_noise_is_noticed(monkeypatch):
    exact = relu_like.noise_of
    monkeypatch.setattr(relu_like, "noise_of", lambda *given: exact(*given) * Rational(101, 100))
    found = verify(RELU.fluctuation_law(of="correlation", terms=2), theorem=False)
    assert [check.passed for check in found.checks if "layers" in check.name] == [False]


def test_the_gap_counts_flow_time():
    """n Var/limit^2 = (8/3)(L + (3/2) log L + C) - 62/5 - 4 log(3 pi/sqrt 2) + O(log(L)/L), C that of the gap."""
    assert str(RELU.fluctuation_law(of="gap")) == "8*L/3 + 4*log(L) + O(1)"
    noise, gap = RELU.fluctuation_law(of="correlation"), RELU.correlation_law()
    constant = 8 * gap.connection_constant(correlation="1/10") / 3 - 62 / 5 - 4 * float(log(3 * pi / sqrt(2)))
    for depth in (10**5, 10**7):
        variance, mean = (law.evaluate(depth, correlation="1/10", digits=30) for law in (noise, gap))
        left = variance / mean**2 - 8 * mpf(depth) / 3 - 4 * mp.log(depth)
        assert abs(left - constant) < 60 * mp.log(depth) / depth

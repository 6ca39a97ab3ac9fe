"""Tensors of order 1/n: 40 numbers of another implementation, each within its error of 12,000 to 40,000 networks."""

import numpy as np
import pytest
from mpmath import mp
from sympy import Rational, sqrt

from asympt import FeedForward, InputError, PrecisionError, UnsupportedError, activation

HALF = activation("leaky_relu", slope="1/2")


def network(phi, weight, bias):
    return FeedForward(phi, sigma_w=sqrt(Rational(weight)), sigma_b=sqrt(Rational(bias)))


SETUPS = {  # network, depth, G11, G22 (None: at q), G12 (of q: c)
    "R": (network("relu", 2, 0), 6, (1, 1), "1/10"),
    "T": (FeedForward.on_edge_of_chaos("tanh", sigma_b="1/5"), 10, None, "3/10"),
    "Z": (network("tanh", 1, 0), 10, ("1/2", "4/5"), "1/5"),
    "X": (network("erf", 4, ".04"), 5, ("5/2", "5/2"), "3/4"),
    "G": (network("gelu", "1.5", ".04"), 6, (".07", ".1"), ".02"),
    "I": (network("linear", 1, 0), 8, (1, "3/2"), "2/5"),
    "K": (network(HALF, "1.6", 0), 6, (1, 1), ".3"),
    "S": (FeedForward.on_edge_of_chaos("sin", sigma_b="3/10"), 10, None, "1/5"),
    "B": (network("relu", "1.2", "1/4"), 6, (".6", ".7"), ".1"),
    "N": (network("tanh", "1.7", ".04"), 6, ("1/5", "7/5"), "-3/10"),
}
SHIFTS = """R kernel -1.3312883927  R ntk 1.9034324614  T kernel-diagonal -0.22808591124  T ntk 1.9080830064
Z kernel-diagonal -0.10777581672  Z correlation -0.98869461549  Z ntk -0.38471705689  X ntk 4.7407005533
G kernel-diagonal 0.0040277503858  I correlation -1.0211650572  K correlation -0.80109174496
S correlation 0.57759806834  S ntk 4.6154822467  B correlation 0.064246988807  N kernel 0.17899156703
N ntk 0.79917805719"""
VARIANCES = """R kernel 12.460883418  R correlation 0.76560365777  R ntk-diagonal 620  R ntk 81.790145655
T kernel-diagonal 0.27074702182  T correlation 2.4217718499  T ntk-diagonal 236.3998661  T ntk 36.233365123
Z kernel-diagonal 0.017323419333  Z correlation 7.3546879254  Z ntk 0.866302267  X correlation 2.3447724389
X ntk 192.31740858  G correlation 0.0031123454112  G ntk-diagonal 0.025149833343  I correlation 5.5863111111
I ntk 277.2  K correlation 2.872447591  K ntk 78.753463823  S correlation 1.4195331781  B correlation 0.01461228829
B ntk 5.6617808176  N correlation 2.5649784829  N ntk 6.6644162783"""


def rows(text):
    words = text.split()
    return list(zip(words[::3], words[1::3], words[2::3], strict=True))


def given(setup):
    net, depth, variances, cross = SETUPS[setup]
    if variances is None:
        return net, {"depth": depth, "correlation": cross}
    root = sqrt(Rational(variances[0]) * Rational(variances[1]))
    return net, {"depth": depth, "correlation": Rational(cross) / root, "variances": variances}


@pytest.mark.parametrize("setup", SETUPS)
def test_checked_numbers(setup):
    net, start = given(setup)
    for text, method in ((SHIFTS, net.width_correction), (VARIANCES, net.fluctuation)):
        for _, of, value in (row for row in rows(text) if row[0] == setup):
            assert method(of, **start) == pytest.approx(float(value), rel=6e-11), (of, value)


def test_relu_like_sums_are_exact():
    """PDLT (4.31) and its analogue of the NTK, Hanin and Nica: products of chi-squared means, at every depth."""
    net = FeedForward("relu")
    assert net.fluctuation("kernel-diagonal", depth=40) == pytest.approx(5 * 39, rel=1e-13)
    assert net.width_correction("ntk-diagonal", depth=40) == pytest.approx(0, abs=1e-9)
    apart = np.abs(np.subtract.outer(np.arange(40), np.arange(40)))  # |i - j| of the layers whose weights are moved
    assert net.fluctuation("ntk-diagonal", depth=40) == pytest.approx(np.sum(5 * (39 - apart) + apart), rel=1e-13)


def test_mpmath_and_float64_are_one_recursion():
    net, start = FeedForward("relu"), {"gap": "1e-6", "depth": 3, "variances": (2, 3)}
    for of in ("gap", "kernel", "ntk"):
        fine = net.fluctuation(of, digits=25, **start)
        assert isinstance(fine, mp.mpf) and abs(net.fluctuation(of, **start) / fine - 1) < 1e-12
    one, fine = (SETUPS["N"][0].fluctuation("ntk-diagonal", depth=6, digits=digits) for digits in (15, 25))
    assert abs(one / fine - 1) < 1e-12


def test_nothing_cancels_at_correlation_one():
    """Before it is remembered, the noise of a gap is that of one layer, kappa = 4 mu and beta = mu = 2 for ReLU."""
    net = FeedForward("relu")
    assert net.fluctuation("gap", depth=10, gap=1e-30) == pytest.approx(8 * 9 * 1e-60, rel=1e-11)
    assert net.width_correction("gap", depth=10, gap=1e-30) == pytest.approx(2 * 9 * 1e-30, rel=1e-11)
    assert net.width_correction("ntk", depth=10, gap=1e-30) == pytest.approx(0, abs=1e-9)
    edge = FeedForward.on_edge_of_chaos("tanh", sigma_b="1/5")
    found = [edge.fluctuation("gap", depth=6, gap=gap) / gap**2 for gap in (1e-10, 1e-13)]
    assert found[0] == pytest.approx(found[1], rel=1e-8)


def test_without_a_scale_every_sigma_w_is_the_edge(refused):
    start = {"depth": 60, "correlation": "1/10"}
    edge, grown = FeedForward("relu"), FeedForward("relu", sigma_w=2)
    assert grown.fluctuation("gap", **start) == edge.fluctuation("gap", **start)
    assert grown.fluctuation("ntk", **start) == pytest.approx(edge.fluctuation("ntk", **start) * 2.0**118, rel=1e-14)
    refused(lambda: grown.fluctuation("ntk", depth=800, correlation=0), "beyond float64", PrecisionError)


def test_ordered_inputs_of_two_norms_at_any_depth(refused):
    """Both chi and V' are 1/2: neither d nor Delta is held up by rounding, and inputs that have met are as one."""
    net, start = network("relu", 1, "1/4"), {"correlation": "1/5", "variances": ("1/2", "1/5")}
    gap = net.fluctuation_law("gap")
    assert gap.evaluate(300, **start) - gap.evaluate(200, **start) == pytest.approx(500, rel=1e-9)
    for of in ("kernel", "ntk"):
        alone = net.fluctuation(f"{of}-diagonal", depth=1000, variances=start["variances"])
        assert net.fluctuation(of, depth=1000, **start) == pytest.approx(alone, rel=1e-12)
    refused(lambda: gap.evaluate(1000, **start), "below 1e-140", PrecisionError)
    falling = network("gelu", "1/4", 0).width_correction
    refused(lambda: falling("kernel-diagonal", depth=400, variances=(1, 2)), "beyond float64", PrecisionError)


def test_refusals(refused):
    relu, still, step = FeedForward("relu"), FeedForward("tanh", sigma_w=1), FeedForward("step", sigma_w=1, sigma_b=1)
    refused(lambda: relu.fluctuation("gap", depth=3, correlation=1), "equal inputs stay equal at any width", InputError)
    refused(lambda: relu.fluctuation("kernal", depth=3, correlation=0), "did you mean kernel", InputError)
    refused(lambda: still.fluctuation("gap", depth=3, correlation=0), "no q to start from", InputError)
    refused(lambda: relu.fluctuation("ntk", depth=3, correlation=-1), "no density", UnsupportedError)
    refused(lambda: step.fluctuation("ntk", depth=3, correlation=0), "NTK", UnsupportedError)
    near = {"depth": 3, "gap": "1e-8", "variances": (1, 2)}
    steep = network("x^3", 1, 1).fluctuation
    refused(lambda: steep("kernel-diagonal", depth=9, variances=(1, 1)), "fourth power", PrecisionError)
    refused(lambda: SETUPS["N"][0].fluctuation("gap", **near), "nearly collinear", PrecisionError)

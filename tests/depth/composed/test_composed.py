"""Composed networks in NumPy against the rules iterated on covariances in mpmath, and against other architectures."""

import numpy as np
import pytest
from mpmath import mp, mpf
from sympy import Symbol

from asympt.architectures.composition import Network
from asympt.architectures.feedforward import FeedForward
from asympt.blocks import activation, dense, serial
from asympt.depth import diagonal, gram, pairs
from asympt.depth.finite import empirical_kernels
from asympt.errors import InputError, UnsupportedError
from asympt.evidence.referee import referee
from asympt.precise.blocks import pairs_along
from tests.depth.composed.rules import limit, network
from tests.depth.layers import CLOSED

X = np.array([[1.0, 0.2, -0.5], [0.3, 1.6, 0.8], [-0.9, 0.4, 0.6], [1.0, 0.2, -0.5 + 1e-7]])
PRE, POST = "residual(layer_norm, relu, dense(sqrt(2)))", "serial(residual(relu, dense(sqrt(2))), layer_norm)"
TWO = "serial(relu, dense(sqrt(2)), relu, dense(sqrt(2)))"
GROWN = "dense_connection(1, relu, dense(sqrt(2)))"
OUTGROWN, SKIPPED = "serial(relu, dense(3/2, 1/10))", "residual(relu, dense(1, 1/2))"  # biases beside 10^17 are nothing
VALUES = {  # 999 blocks from c = 1/10, q = 1: plain iteration of the rules in mpmath to 40 digits
    PRE: (0.232504720155807957149676894719, 2.21430306998029079135927021407),
    POST: (1.70677010216467153696966079341e-4, 127.41977572286414766032569769),
    TWO: (1.09489907117678385486145479264e-5, 503.374163447522083517193583912),
    GROWN: (0.19422889135335144170696043979, 2.59150435714387219086101679109),
    OUTGROWN: (4.31422629208682050571706503011e-5, 253.506958273181596498272088806),
    SKIPPED: (3.75412289147307570231892218336e-4, 85.878352288503331863527470614),
}
BLOCKS = [
    PRE, TWO,
    "residual(layer_norm, erf, dense(1, 1/3))",
    "residual(layer_norm(affine=True), erf, dense(sqrt(2)), skip=3/4)",
    "residual(relu, dense(1), relu, dense(1), scale=1/sqrt(DEPTH))",
    "serial(relu, layer_norm(affine=True), dense(1, 1/4), scale(2))",
    "residual(rms_norm, gated(dense(1), serial(dense(1, 1/2), relu)), dense(1))",
    "dense_connection(1/2, layer_norm, relu, dense(sqrt(2), 1/5))",
    "dense_connection(1/3, layer_norm, erf, dense(1, 1/2))",
    "residual(layer_norm, relu, dropout(9/10), dense(1))",
    "serial(erf, dense(3/2, 1/5))",
]  # fmt: skip


@pytest.mark.parametrize("block", VALUES)
def test_a_thousand_layers(block):
    gap, kernel = pairs(network(block), [0.9], 1000)
    assert np.abs(gap[0] / VALUES[block][0] - 1) < 1e-13
    assert np.abs(kernel[0] / VALUES[block][1] - 1) < 1e-13


@pytest.mark.parametrize("block", BLOCKS)
def test_inputs_of_different_norms(block):
    net = network(block, first="dense(1.2, 0.3)")
    for depth in (2, 3):
        with mp.workdps(40):
            wanted = limit(net, X[:3], depth)
        for found, expected in zip(gram(net, X[:3], depth=depth), wanted, strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13 * expected.max())


def test_the_network_of_the_package():
    """`Network`: its pairs in NumPy are those of its route in mpmath, and random networks agree with its kernels."""
    net = Network("serial(residual(layer_norm(affine=True), gelu, dense(sqrt(2))), rms_norm)", variance=2)
    for depth in (2, 5):
        (wanted,) = pairs_along(net.at_depth(depth).blocks, mpf("1e-6"), mpf(2), [depth])
        np.testing.assert_allclose(pairs(net, 1e-6, depth), [float(v) for v in wanted[:2]], rtol=1e-12)
    assert referee(Network(PRE), depth=3, widths=(64, 128), standard_error=0.05).verdict == "checked"
    assert empirical_kernels(net.finite(), X, 2, width=64, most_seeds=8).ntk.shape == (4, 4)


def test_two_variances_of_a_pair():
    with mp.workdps(60):
        (wanted,) = pairs_along(network(PRE).blocks, mpf("1e-8"), mpf(1), [20], other=mpf("1.21"))
    found = pairs(network(PRE), 1e-8, 20, variance=(1.0, 1.21))
    np.testing.assert_allclose(found, [float(v) for v in wanted[:2]], rtol=1e-11)


def test_depth_costs_nothing_where_layers_repeat():
    """1 - c ~ 1/(beta T)^2 of the composed map: what the look-up gives at 10^12 is that of the plain network."""
    gap, kernel = pairs(network(TWO), [0.9, 1e-3], 10**12 + 1)
    wanted = pairs(FeedForward("relu"), [0.9, 1e-3], 2 * 10**12 + 1)
    np.testing.assert_allclose(gap, wanted[0], rtol=1e-12)
    np.testing.assert_allclose(kernel, wanted[1], rtol=1e-12)
    assert abs(pairs(network(POST), 0.9, 10**12)[1] / 10**12 - 1 / 8) < 1e-9  # o/(w R_d) -> 1/4 at w = 1/2
    q, ntk = diagonal(network(POST), X, depth=10**12)
    np.testing.assert_allclose(q, 1.0, rtol=1e-15)
    np.testing.assert_allclose(ntk, 0.5 * 10**12, rtol=1e-9)


def test_biases_that_learn_leave_the_ntk_of_an_odd_activation_neither_odd_nor_even():
    found = pairs(Network("serial(erf, dense(1.3, 0, bias_rate=1))"), [0.3, 1.7], 400, variance=1.0)[1]
    value, slope = CLOSED["erf"]
    with mp.workdps(30):
        weight = mpf("1.69")
        for start, k in zip(("0.7", "-0.7"), found, strict=True):
            q, s, K = mpf(1), mpf(start), mpf(start)
            for _ in range(399):
                after = weight * value(q, q, s / q)
                q, s, K = weight * value(q, q, 1), after, weight * slope(q, q, s / q) * K + 1 + after
            assert abs(k / (K / q) - 1) < 1e-12


def test_dropout_has_a_correlation_of_its_own():
    """c stands still below 1, K is geometric: the fixed point of c = (1 - w) c + w p f(c) in the rules."""
    net = network("serial(relu, dropout(1/2), dense(1))")
    gap, kernel = pairs(net, [0.9, 1e-9], 10**9)
    with mp.workdps(30):
        (wanted,) = pairs_along(net.blocks, mpf("0.5"), mpf(1), [200])
    np.testing.assert_allclose(gap, float(wanted[0]), rtol=1e-12)
    np.testing.assert_allclose(kernel, float(wanted[1]), rtol=1e-12)


def test_two_equal_inputs_have_masks_of_their_own():
    net = network("residual(layer_norm, relu, dropout(4/5), dense(1))")
    rows = np.array([[1.0, 2.0], [1.0, 2.0], [2.0, 1.0]])
    with mp.workdps(30):
        wanted = limit(net, rows, 4)
    for found, expected in zip(gram(net, rows, depth=4), wanted, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert pairs(net, 0.0, 4)[0] == 0
    one, both = pairs(net, 0.0, 4, variance=2.0), pairs(net, [0.0, 0.0], 4, variance=np.array([1.0, 2.0]))
    assert both[0].tolist() == [0.0, 0.0]
    np.testing.assert_allclose(both[1][1], one[1], rtol=1e-14)


def test_a_variance_that_settles_nowhere_begins_at_one():
    net = Network("residual(gelu, dense(1))")
    assert pairs(net, 0.5, 3) == pairs(net, 0.5, 3, variance=1.0)


def test_what_cannot_be_iterated_is_refused():
    with pytest.raises(UnsupportedError, match="input 1 has variance 0 in layer 1"):
        gram(network(PRE), [[1.0], [0.0]], depth=3)
    with pytest.raises(InputError, match="too deep to go layer by layer"):
        pairs(network("residual(relu, dense(1), scale=1/sqrt(LAYER))"), 0.5, 10**12)
    with pytest.raises(UnsupportedError, match="with convolutions there are pairs of positions"):
        pairs(Network("residual(layer_norm, relu, conv(1, 4))"), 0.5, 3)
    with pytest.raises(UnsupportedError, match="variance tends to 0; give a smaller depth"):
        pairs(network("serial(gated(dense(1, 1/2), serial(dense(1), erf)), dense(1))"), 0.5, 1000)
    with pytest.raises(InputError, match="reads neurons whose NTKs differ"):
        pairs(network("serial(residual(tanh, dense(1)), rms_norm(affine=True))"), 0.5, 3)
    with pytest.raises(UnsupportedError, match="jumps at x = 0"):
        pairs(network("serial(step, dense(1))"), 0.5, 3)
    net = Network(serial(activation("relu"), dense(Symbol("s", positive=True))))
    with pytest.raises(InputError, match="contains the symbols s; give numbers"):
        pairs(net, 0.5, 3)

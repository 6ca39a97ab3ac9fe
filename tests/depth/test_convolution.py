"""The float64 convolutional recursion against mpmath, the dense engine and plain loops with quadrature."""

import numpy as np
import pytest
from mpmath import mp
from sympy import Integer, Rational, symbols

from asympt import depth as dense_engine
from asympt.architectures.composition import Network
from asympt.architectures.convolution import ConvNet, ConvResNet
from asympt.architectures.feedforward import FeedForward
from asympt.depth.convolution import conv_gram, conv_pairs
from asympt.errors import InputError, UnsupportedError
from asympt.meanfield.activations import activation
from asympt.meanfield.layer import ConvStatement, Layer, Statement
from asympt.precise.dense import ConvState, ConvStep
from tests import statements

SLOPES = {"relu": "relu", "abs": Rational(-9, 10), "leaky": Rational(1, 10)}
ROUNDING = 1e-14


def layer_of(name):
    slope = SLOPES[name]
    phi = activation("relu") if slope == "relu" else activation("leaky_relu", slope=slope)
    return Layer(phi, Integer(3), Integer(0))


def in_mpmath(statement, gaps, depth, variances=()):
    with mp.workdps(40):
        start = tuple(mp.mpf(g) for g in gaps)
        state = ConvState(1, start, tuple(1 - g for g in start), *(tuple(map(mp.mpf, v)) for v in variances))
        step = ConvStep(statement)
        for _ in range(depth - 1):
            state = step(state)
        return np.array([float(g) for g in state.gap]), np.array([float(k) for k in state.kernel])


def generic(size, seed=0):
    draw = np.random.default_rng(seed)
    return draw.uniform(0, 1.6, size), draw.uniform(0.5, 2, size), draw.uniform(0.5, 2, size)


@pytest.mark.parametrize("residual", [False, True])
@pytest.mark.parametrize("name", SLOPES)
@pytest.mark.parametrize(("positions", "reach"), [(7, 2), (12, 1), (5, 0)])
@pytest.mark.parametrize("equal", [True, False])
def test_relu_like_against_mpmath(name, residual, positions, reach, equal):
    make = statements.residual if residual else Statement.plain
    statement = ConvStatement(make(layer_of(name)), positions, reach)
    gaps, q, other = generic(positions)
    variances = () if equal else (q, other)
    for depth in (2, 60):
        found = conv_pairs(statement, gaps, depth, variance=variances or None)
        expected = in_mpmath(statement, gaps, depth, variances)
        assert np.abs(found[0] / expected[0] - 1).max() < 2 * ROUNDING
        assert np.abs(found[1] - expected[1]).max() < 2 * ROUNDING * depth


def test_gaps_of_very_different_sizes():
    gaps = np.array([1e-30, 1e-10, 1e-3, 1.0, 1e-25, 1e-20, 1e-28, 1e-30])
    net = ConvNet("relu", 8, 1)
    found, expected = conv_pairs(net, gaps, 2)[0], in_mpmath(net.statement, gaps, 2)[0]
    assert np.abs(found / expected - 1).max() < 1e-15


@pytest.mark.parametrize("sigma_w", [1, None, 2])
def test_erf_at_its_fixed_point(sigma_w):
    net = ConvNet("erf", 5, 1, sigma_w, Rational(1, 5))
    gaps = np.array([0.3, 1.7, 1e-12, 2.0, 1.2])
    found, expected = conv_pairs(net, gaps, 12), in_mpmath(net.statement, gaps, 12)
    assert np.abs(found[0] / expected[0] - 1).max() < 1e-11
    assert np.abs(found[1] / expected[1] - 1).max() < 1e-11


def test_relu_with_bias_at_its_fixed_point():
    net = ConvNet("relu", 5, 1, 1, Rational(1, 5))
    gaps = generic(5)[0]
    found, expected = conv_pairs(net, gaps, 30), in_mpmath(net.statement, gaps, 30)
    assert np.abs(found[0] / expected[0] - 1).max() < 1e-13
    fixed = 0.04 / (1 - 0.5)
    again = conv_pairs(net, gaps, 30, variance=fixed)
    assert np.abs(again[0] / found[0] - 1).max() < 1e-13


@pytest.mark.parametrize("gap", [1.9, 0.5, 1e-15])
def test_equal_positions_are_the_dense_engine(gap):
    found = conv_pairs(ConvNet("relu", 6, 2), np.full(6, gap), 3000)
    expected = dense_engine.pairs(FeedForward("relu"), gap, 3000)
    assert np.abs(found[0] / expected[0] - 1).max() < 1e-14
    assert np.abs(found[1] / expected[1] - 1).max() < 1e-13


@pytest.mark.parametrize(("name", "sigma_w"), [("hard_tanh", 1), ("elu", 1), ("tanh", Rational(3, 2))])
def test_tables_for_many_positions_pair_by_pair_for_few(name, sigma_w):
    """One input alone goes pair by pair, among others by tables of all norms."""
    net, inputs = ConvNet(name, 4, 1, sigma_w, Rational(1, 5)), np.random.default_rng(8).normal(size=(7, 3, 4))
    many, few = conv_gram(net, inputs, 3), conv_gram(net, inputs[:1], 3)
    for all_of_them, one in zip(many, few, strict=True):
        np.testing.assert_allclose(all_of_them[0, 0], one[0, 0], rtol=0, atol=2e-12)


@pytest.mark.parametrize(("phi", "sigma_b", "limit"), [("relu", 0, 0.25), ("relu", Rational(1, 5), None)])
def test_positions_of_different_variances_are_alike_after_some_layers(phi, sigma_b, limit):
    """10^12 layers cost what some hundred do: K^L/(q L) -> 1/4 (HDR Theorem 1); with a bias layers no longer matter."""
    net = ConvNet(phi, 8, 1, None if limit else 1, sigma_b)
    inputs = np.random.default_rng(0).normal(size=(6, 3, 8))
    sigma, kernel = conv_gram(net, inputs, 10**12)
    if limit:
        np.testing.assert_allclose((kernel / sigma / 10**12)[0, 1:], limit, rtol=1e-9)
    else:
        for value, early in zip((sigma, kernel), conv_gram(net, inputs, 400), strict=True):
            np.testing.assert_allclose(value, early, rtol=1e-13)


def test_variances_that_differ_by_little_do_not_cancel():
    """Equal directions, deviations apart by parts in 10^9: 1 - mean(u v)/sqrt(mean(u^2) mean(v^2)) against mpmath."""
    u = 1.0 + np.random.default_rng(1).uniform(size=6)
    v = u * (1 + 1e-9 * np.random.default_rng(2).uniform(size=6))
    found, _ = conv_pairs(ConvNet("relu", 6, 1), np.zeros(6), 2, variance=(u * u, v * v))
    with mp.workdps(60):
        pair = [[mp.sqrt(mp.mpf(float(x * x))) for x in w] for w in (u, v)]
        for i in range(6):
            near = [(i + b) % 6 for b in (-1, 0, 1)]
            one, two = (sum(w[j] ** 2 for j in near) for w in pair)
            exact = 1 - sum(pair[0][j] * pair[1][j] for j in near) / mp.sqrt(one * two)
            assert abs(found[i] / exact - 1) < 1e-5


@pytest.mark.parametrize(("gaps", "changes", "said"), [
    (np.zeros(3), {}, "4 positions"), (0.5, {}, "4 positions"), (np.full(4, 2.1), {}, "gap holds"),
    (np.full(4, np.nan), {}, "nan"), (np.zeros(4), {"variance": 0.0}, "variance"),
    (np.zeros(4), {"variance": np.ones(3)}, "broadcast"), (np.zeros(4), {"variance": (1, 1, 1)}, "3 entries"),
    (np.zeros(4), {"depth": 0}, "depth"), (np.zeros(4), {"progress": 3}, "progress"),
])  # fmt: skip
def test_bad_input(gaps, changes, said):
    with pytest.raises(InputError, match=said):
        conv_pairs(ConvNet("relu", 4, 1), gaps, **{"depth": 3, **changes})


def test_what_is_refused():
    with pytest.raises(InputError, match="not convolutional"):
        conv_pairs(FeedForward("relu"), np.zeros(4), 3)
    with pytest.raises(InputError, match="symbol"):
        conv_pairs(ConvNet("leaky_relu", 4, 1, slope=symbols("a", positive=True)), np.zeros(4), 3)
    with pytest.raises(InputError, match="give variance"):
        conv_pairs(ConvNet("relu", 4, 1, "sqrt(3)", 1), np.zeros(4), 3)
    with pytest.raises(InputError, match="give variance"):
        conv_pairs(ConvResNet("tanh", 4, 1), np.zeros(4), 3)
    with pytest.raises(UnsupportedError, match="one circle"):
        conv_pairs(Network("serial(relu, conv(1, 4, padding='zero'))"), np.zeros(4), 3, variance=1)
    with pytest.raises(InputError, match=r"\(N, channels, 4\)"):
        conv_gram(ConvNet("relu", 4, 1), np.zeros((2, 4)), 3)
    with pytest.raises(UnsupportedError, match="float64 range"):
        conv_gram(ConvNet("relu", 4, 1, sigma_w=4), np.ones((1, 1, 4)), 500)


def test_gram_is_symmetric_and_knows_identical_inputs():
    inputs = np.random.default_rng(4).normal(size=(1, 2, 6))
    sigma, kernel = conv_gram(ConvNet("relu", 6, 1), np.concatenate([inputs, inputs]), 40)
    assert np.array_equal(sigma, sigma.transpose(1, 0, 3, 2))
    places = np.arange(6)
    assert np.allclose(kernel[0, 1, places, places], 40 * sigma[0, 0, places, places], rtol=1e-13)
    assert np.allclose(sigma[0, 1], sigma[0, 0], rtol=1e-14)
    net = ConvNet("tanh", 4, 1, "1.2", "0.1")
    for function, given in ((conv_pairs, [1.0, 0.5, 0.0, 1e-3]), (conv_gram, [[[1.0, 0.0, 2.0, 3.0]]])):
        for values, one, two in zip(*(function(net, given, depth) for depth in ([3, 40], 3, 40)), strict=True):
            np.testing.assert_array_equal(values, [one, two])


def test_an_input_of_zeros_has_zero_rows():
    inputs = np.zeros((2, 1, 4))
    inputs[1] = 1.0
    sigma, kernel = conv_gram(ConvNet("relu", 4, 1), inputs, 5)
    assert not sigma[0].any()
    assert not kernel[0].any()
    assert sigma[1, 1].min() > 0

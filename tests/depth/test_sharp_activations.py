"""Activations that bend within 1/100 of their argument, and weights that make tame ones do so.

The reference is `tests.fuzz.sharp`: the layer recursion by Gauss's rule over the plane on panels that follow the
formula of phi, which share nothing with asympt; chi is sigma_w^2 E[phi'(sqrt(q) Z)^2] by the same panels on the line.
"""

from functools import partial

import numpy as np
import pytest
from mpmath import mp
from sympy import Piecewise, Rational, Symbol, erf, exp, log, sin, tanh

import asympt as asy
from asympt import learn
from asympt.depth import diagonal, gram
from asympt.depth.convolution import conv_gram
from asympt.depth.moving import by_quadrature, cells
from asympt.errors import UnsupportedError
from asympt.gaussian.moments import moment, square_moment
from asympt.gaussian.piecewise import PiecewiseSmooth
from tests.depth.composed.rules import limit, network
from tests.depth.layers import erf_slope, erf_value
from tests.fuzz.sharp import SharpOracle, erf_step, kernels_of, leaky_step

X = Symbol("x", real=True)
HALF = Rational(1, 2)


@pytest.mark.parametrize(("phi", "weight", "centre", "scale"), [
    (tanh(100 * X), 1, 0, 100), (tanh(30 * (X - 1)), 1, 1, 30), (log(1 + exp(60 * X)) / 60, 1, 0, 60),
    ((1 + tanh(X / 2)) / 2, 100, 0, 1), (Piecewise((tanh(50 * X), X > 0), (X / 2, True)), 1, 0, 50),
])  # fmt: skip
def test_one_layer_at_the_fixed_variance(phi, weight, centre, scale):
    """Gap and slope from gaps of 1e-12, where gap'/gap is chi, to 2 - 1e-9."""
    net = asy.FeedForward(asy.Activation(phi, X, name="sharp"), sigma_w=weight, sigma_b=HALF)
    oracle = SharpOracle(phi, float(net.variance), float(weight), [(centre, scale)])
    assert abs(oracle.variance(0.5) / oracle.q - 1) < 1e-13
    gap = np.array([1e-12, 1e-9, 1e-5, 1e-2, 0.4, 1.0, 1.6, 2 - 1e-4, 2 - 1e-9])
    after, kernel = asy.depth.pairs(net, gap=gap, depth=2)
    true, slope = np.array([oracle.layer(g) for g in gap]).T
    assert abs(after[0] / gap[0] / oracle.chi() - 1) < 1e-4
    assert np.allclose(after, true, rtol=1e-12, atol=1e-14)
    assert np.allclose(kernel, slope * (1 - gap) + 1 - true, rtol=1e-12, atol=1e-13 * oracle.chi())


def test_every_door_to_a_sharp_activation():
    """erf(50 x), three layers: `gram`, `diagonal`, `learn.NTK` and `conv_gram`, whose positions are alike here."""
    phi = asy.Activation(erf(50 * X), X, name="sharp")
    net = asy.FeedForward(phi, sigma_w=1, sigma_b=HALF)
    rows = np.array([[1.0, 0.5, -0.3], [1.0, 0.5, -0.3 + 1e-7], [-0.2, 0.9, 0.1]])
    true = np.empty((2, 3, 3))
    with mp.workdps(50):
        for i, j in np.ndindex(3, 3):
            true[:, i, j] = kernels_of(rows[i], rows[j], mp.one, mp.one / 4, fifty_step, 3)[:2]
    assert np.allclose(gram(net, rows, depth=3), true, rtol=1e-12, atol=0)
    assert np.allclose(diagonal(net, rows, depth=3), np.einsum("kii->ki", true), rtol=1e-12, atol=0)
    assert np.allclose(learn.NTK(net, depth=3)(rows), true[1], rtol=1e-12, atol=0)
    images = np.repeat(rows[:, :, None], 3, axis=2)
    found = np.array(conv_gram(asy.ConvNet(phi, 3, 1, 1, HALF), images, 3))
    assert np.allclose(found, true[..., None, None], rtol=1e-12, atol=0)


def fifty_step(q, p, s):
    """The two means over erf(50 x)."""
    slope, value = erf_step(2500 * q, 2500 * p, 2500 * s)
    return 2500 * slope, value


def test_nearly_opposite_rows_behind_large_weights():
    """erf at sigma_w = 100, no bias: later layers hold 1 + c by a gap near 2, and K keeps ten digits."""
    base = np.array([[0.3, 0.8, 0.4]])
    Sigma, K = gram(asy.FeedForward("erf", sigma_w=100, sigma_b=0), base, -base * [1, 1, 1 + 1e-6], depth=3)
    with mp.workdps(50):
        true = kernels_of(base[0], -base[0] * [1, 1, 1 + 1e-6], mp.mpf(10) ** 4, mp.zero, erf_step, 3)
    assert abs(Sigma[0, 0] / true[0] - 1) < 1e-12 and abs(K[0, 0] / true[1] - 1) < 1e-9


def test_a_certified_moment_of_a_sharp_phi_ends_at_once():
    """E[tanh(100 sqrt(q) Z)^2] at q = 1 is that of tanh at q = 10^4."""
    sharp, tame = (PiecewiseSmooth.of(tanh(scale * X), X) for scale in (100, 1))
    assert abs(square_moment(sharp, 0, 1, 20) / square_moment(tame, 0, 10**4, 20) - 1) < 1e-19
    shifted = PiecewiseSmooth.of(tanh(100 * (X - HALF)), X)
    assert abs(moment(shifted, 1, 20) + moment(PiecewiseSmooth.of(tanh(100 * (X + HALF)), X), 1, 20)) < 1e-19


@pytest.mark.parametrize(("q", "ratio", "gap"), [(0.7, 1.0, 1e-6), (0.7, 1.3, 0.03), (1.9, 2.0, 0.8), (0.5, 1.1, 1.7)])
def test_pairs_of_different_variances(q, ratio, gap):
    """erf(50 x) at q is erf at 2500 q, where E[phi phi] is (2/pi) asin(2 s c/sqrt((1 + 2s)(1 + 2s'))) (Williams)."""
    apart, mean, slope = by_quadrature(PiecewiseSmooth.of(erf(50 * X), X), q, q * ratio, gap)
    with mp.workdps(40):
        one, two, c = 2500 * mp.mpf(q), 2500 * mp.mpf(q * ratio), 1 - mp.mpf(gap)
        total = (erf_value(one, one, 1) + erf_value(two, two, 1)) / 2 - erf_value(one, two, c)
        steep = erf_slope(one, two, c) * 2500
        assert abs(apart / 2 + mean * mp.sqrt(mp.mpf(q) * mp.mpf(q * ratio)) - total) < 1e-13
        assert abs(slope / steep - 1) < 1e-12


def test_what_bends_too_often_is_refused():
    with pytest.raises(UnsupportedError, match="bends more than 4000 times"):
        cells(PiecewiseSmooth.of(sin(10**5 * X), X)).moments(np.array([1e4]))


TINY = Rational(1, 10**6)
OPPOSITE = {  # (sigma_w, sigma_b, the step of a layer in mpmath)
    "relu": (1, TINY, partial(leaky_step, alpha=mp.zero)),
    "leaky_relu": (1, TINY, partial(leaky_step, alpha=-mp.one / 2)),
    "abs": (1, 0, partial(leaky_step, alpha=-mp.one)),
    "erf": (100, Rational(1, 2), erf_step),
}


@pytest.mark.parametrize("name", OPPOSITE)
@pytest.mark.parametrize("norm", [None, 1.0, 3.0])
@pytest.mark.parametrize("distance", [1e-3, 1e-6, 1e-9, 0.0])
def test_nearly_opposite_inputs_with_biases_and_norms(name, norm, distance):
    """The same for other layers; norm None: rows of one norm, but for rounding."""
    weight, bias, step = OPPOSITE[name]
    x = np.random.default_rng(3).normal(size=(3, 5))
    y = (norm or 1.0) * (distance - x)
    if norm is None:
        x, y = (rows / np.linalg.norm(rows, axis=1)[:, None] for rows in (x, y))
    slope = {"slope": Rational(-1, 2)} if name == "leaky_relu" else {}
    net = asy.FeedForward(name, sigma_w=weight, sigma_b=bias, **slope)
    _, kernel = asy.depth.gram(net, x, y, depth=2)
    with mp.workdps(60):
        b = mp.mpf(Rational(bias).p) / Rational(bias).q
        for i, j in np.ndindex(kernel.shape):
            _, true, unit = kernels_of(x[i], y[j], weight**2, b * b, step, 2)
            assert abs(kernel[i, j] - true) <= 2e-14 * max(unit, abs(true)), (i, j)


ADDED = ["residual(relu, dense(1))", "residual(relu, dense(1), scale=1/sqrt(LAYER))",
         "residual(dense(1), relu, dense(1))"]  # fmt: skip
FIRSTS = "dense(1)", "dense(1, 1/10**6)"
RESIDUAL = [(network(block, first=first), block, first) for block in ADDED for first in FIRSTS]
RESIDUAL += [(asy.ResNet("relu", 1), ADDED[0], "dense(1)"), (asy.ScaledResNet("relu", sigma_w=1), ADDED[1], "dense(1)")]


@pytest.mark.parametrize("distance", [1e-3, 1e-6, 1e-9, 0.0])
@pytest.mark.parametrize(("net", "block", "first"), RESIDUAL)
def test_nearly_opposite_inputs_of_residual_networks(net, block, first, distance):
    """The same against the rules of the blocks, iterated on covariances in mpmath."""
    x = np.random.default_rng(3).normal(size=(1, 5))
    for depth in (2, 3):
        with mp.workdps(60):
            _, wanted = limit(network(block, first=first), np.concatenate([x, distance - x]), depth)
        _, kernel = gram(net, x, distance - x, depth=depth)
        np.testing.assert_allclose(kernel[0, 0], float(wanted[0, 1]), rtol=0, atol=4e-15 * float(wanted[0, 0]))

"""pairs and gram for residual networks, networks with their own rates and everything else that a statement can say.

The reference is the recursion of covariances in mpmath with 60 digits (`recursions`), which shares no code with the
engine.
"""

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from sympy import Integer, Rational, Symbol, sqrt

import asympt as asy
from asympt.depth import gram, pairs
from asympt.depth.stack import DEPTH
from asympt.errors import InputError, UnsupportedError
from asympt.meanfield.activations import activation
from asympt.meanfield.layer import LAYER, ConvStatement, Layer, Statement
from tests import statements
from tests.depth.layers import critical, dense, off, relu
from tests.depth.recursions import CLOSED, MAPS, iterate, normalised, relu_like


def rated(layer: Layer, weight_rate, bias_rate=0) -> Statement:
    return statements.with_rates(layer, Integer(0) + weight_rate, Integer(0) + bias_rate)


FREE = {
    "resnet": statements.residual(relu(1)),
    "resnet, large": statements.residual(relu(50)),
    "resnet, small": statements.residual(relu("1/1000")),
    "scaled": statements.scaled_residual(relu(2), Integer(1)),
    "scaled, 1/2": statements.scaled_residual(relu("3/2"), Rational(1, 2)),
    "scaled, 2": statements.scaled_residual(relu(3), Integer(2)),
    "block": statements.block_residual(relu("1/4"), Rational(3)),
    "mlp": rated(relu(2), 3),
    "mlp, falling": rated(relu(2), 1 / LAYER),
}
TIED = {
    "resnet, bias": statements.residual(relu(1, "1/4")),
    "scaled, bias": statements.scaled_residual(relu(2, "1/3"), Integer(1)),
    "mlp, bias learns": rated(relu(2), 1, Rational(1, 2)),
    "mlp, bias": rated(relu(1, "1/2"), 1 / sqrt(LAYER), 1 / LAYER),
    "mlp, growing": rated(relu(3, "1/10"), 2, 1),
}
SMOOTH = {
    "erf, resnet": statements.residual(dense("erf", 1, "1/5")),
    "erf, scaled": statements.scaled_residual(dense("erf", 1, "1/5"), Integer(1)),
    "erf, block": statements.block_residual(dense("erf", "1/2", 0), Rational(2)),
    "erf, mlp": rated(dense("erf", "3/2", "1/5"), 3, Rational(1, 2)),
    "erf, mlp to 0": rated(Layer(activation("erf"), Rational(11, 14), Integer(0)), 1 / LAYER, 1 / LAYER**2),
    "sin, mlp": rated(dense("sin", "6/5", "1/2"), 1, LAYER ** Rational(-1, 2)),
    "sin, resnet": statements.residual(dense("sin", "1/2", 0)),
}
GAPS = [1e-30, 1e-15, 1e-8, 0.3, 0.9, 1.0, 1.5, 1.9999, 2.0]


def maps_of(statement: Statement):
    name = statement.activation.name
    if name in CLOSED:
        return CLOSED[name]
    options = statement.activation.piecewise.pieces
    x = statement.activation.symbol
    return relu_like(float(options[-1].diff(x)), float(options[0].diff(x)))


def products_for(statement: Statement, q, other, gap):
    """x.x/d, x.x'/d, x'.x'/d that give layer 1 these variances and this gap."""
    with mpmath.workdps(120):
        weight, bias = (mpf(int(e.p)) / int(e.q) for e in (statement.first.weight, statement.first.bias))
        q, other = mpf(q), mpf(other)
        s = (1 - mpf(gap)) * mpmath.sqrt(q * other)
        return [(v - bias) / weight for v in (q, s, other)]


def check(statement, gaps, depth, variances, gap_error, kernel_error, exact_gaps=True):
    found = pairs(statement, gaps, depth, variance=variances)
    for start, gap, kernel in zip(gaps, *found, strict=True):
        products = products_for(statement, *variances, start)
        true_gap, true_kernel = normalised(iterate(statement, products, depth, maps_of(statement), 120)[-1], 120)
        if exact_gaps:
            assert off(gap, true_gap) < gap_error, start
        assert abs(gap - true_gap) < gap_error, start
        assert abs(kernel - true_kernel) < kernel_error * (1 + abs(true_kernel)), start


@pytest.mark.parametrize("name", FREE)
@pytest.mark.parametrize("depth", [2, 150])
def test_every_digit_without_a_scale(name, depth):
    check(FREE[name], GAPS, depth, (1.0, 1.0), 3e-15, 3e-15)


@pytest.mark.parametrize("name", TIED)
@pytest.mark.parametrize("variances", [(1.0, 1.0), (0.75, 2.5)])
@pytest.mark.parametrize("depth", [2, 150])
def test_every_digit_with_a_bias(name, variances, depth):
    check(TIED[name], GAPS, depth, variances, 4e-15, 4e-15)


@pytest.mark.parametrize("name", SMOOTH)
@pytest.mark.parametrize("variances", [(1.0, 1.0), (0.75, 2.5)])
@pytest.mark.parametrize("depth", [1, 2, 12])
def test_smooth_activations(name, variances, depth):
    check(SMOOTH[name], [1e-8, 0.3, 1.0, 1.9], depth, variances, 1e-12, 1e-12, exact_gaps=variances[0] == variances[1])


def test_a_variance_that_grows_until_phi_is_steep():
    """erf in a residual network, q near 100 at layer 100: the series is too long, quadrature keeps the digits."""
    check(SMOOTH["erf, resnet"], [1e-8, 1.9], 100, (1.0, 1.0), 1e-13, 1e-13)


def test_a_variance_that_grows_so_slowly_that_it_seems_to_rest():
    """100,000 blocks of scale 10^-5: c moves by about 1/(pi L) from 0, K(x, x) is (L - 1)/(L^2 + 1) + 1."""
    net = asy.Network("residual(relu, dense(sqrt(2)), scale=10^-5)")
    gap, kernel = pairs(net, [1.0, 0.0], 10**5)
    assert abs(gap[0] - 1 + 1 / (np.pi * 10**5)) < 1e-9 and abs(kernel[1] - 1 - (1e5 - 1) / (1e10 + 1)) < 1e-13


def test_rates_of_their_own_at_a_settled_variance():
    """On the Edge of Chaos of tanh; the linear recursion of two rates is the sum of two of one."""
    layer = critical("erf")
    q = float(layer.fixed_variance.evalf())
    found = [pairs(rated(layer, w, b), [0.5, 1.8], 700)[1] for w, b in ((1, 0), (0, 1), (3, 2))]
    np.testing.assert_allclose(found[2], 3 * found[0] + 2 * found[1], rtol=1e-12)
    products = products_for_number(layer, q, 0.5)
    statement = rated(layer, 3, 2)
    true = normalised(iterate(statement, products, 100, MAPS["erf"], 40)[-1], 40)
    ours = pairs(statement, 0.5, 100)
    assert off(ours[0], true[0]) < 1e-12 and off(ours[1], true[1]) < 1e-12


def products_for_number(layer, q, gap):
    weight, bias = (float(e.evalf(30)) for e in (layer.weight_variance, layer.bias_variance))
    return [(q - bias) / weight, ((1 - gap) * q - bias) / weight, (q - bias) / weight]


def test_rates_scheduled_for_the_depth():
    """L stands for the layer that is asked for."""
    scheduled, fixed = rated(relu(2), DEPTH / LAYER), rated(relu(2), 1 / LAYER)
    np.testing.assert_allclose(pairs(scheduled, GAPS, 30)[1], 30 * pairs(fixed, GAPS, 30)[1], rtol=1e-14)


INPUTS = np.random.default_rng(3).normal(size=(4, 6)) * np.array([[1.0], [0.5], [2.0], [1.0]])


@pytest.mark.parametrize("statement", [*FREE.values(), *TIED.values(), *SMOOTH.values()], ids=[*FREE, *TIED, *SMOOTH])
@pytest.mark.parametrize("depth", [1, 12])
def test_gram_for_any_norms(statement, depth):
    inputs = np.vstack([INPUTS, INPUTS[0] * (1 + 1e-9)])
    sigma, kernel = gram(statement, inputs, depth=depth)
    error = 1e-11 if statement.activation.name in CLOSED else 4e-15
    for i in range(5):
        for j in range(i, 5):
            with mpmath.workdps(40):
                x, y = ([mpf(float(v)) for v in inputs[k]] for k in (i, j))
                products = [mpmath.fdot(a, b) / 6 for a, b in ((x, x), (x, y), (y, y))]
                q, other, s, k, diagonal = iterate(statement, products, depth, maps_of(statement), 40)[-1]
                scale = mpmath.sqrt(q * other)
            if i == j:
                assert off(sigma[i, i], q) < error and off(kernel[i, i], diagonal) < error
            else:
                assert abs(sigma[i, j] - s) < error * scale
                assert abs(kernel[i, j] - k) < error * (abs(k) + scale)


def test_a_kernel_beyond_the_float64_range_is_refused():
    with pytest.raises(UnsupportedError, match="pairs"):
        gram(statements.residual(relu(1)), INPUTS, depth=5000)


def test_an_input_of_zeros():
    inputs = np.vstack([INPUTS[:2], np.zeros(6)])
    sigma, kernel = gram(statements.residual(relu(1)), inputs, depth=9)
    assert not sigma[2].any() and not kernel[2].any() and np.isfinite(kernel).all()
    with pytest.raises(UnsupportedError, match="row of zeros"):
        gram(TIED["mlp, bias learns"], inputs, depth=9)


@pytest.mark.parametrize(
    ("statement", "word"),
    [(TIED["resnet, bias"], "variance"), (TIED["mlp, bias learns"], "variance"), (SMOOTH["erf, resnet"], "variance"),
     (rated(relu(2), Symbol("r")), "r; give"), (rated(relu(2), 1 / (LAYER - 3)), "l = 3"),
     (statements.residual(Layer(activation("relu"), Symbol("w"), Integer(0))), "symbol")],
)  # fmt: skip
def test_what_is_missing_is_said(statement, word):
    with pytest.raises(InputError, match=word):
        pairs(statement, 0.5, 10)


def test_a_convolutional_network_is_sent_to_its_own_engine():
    with pytest.raises(InputError, match="convolution"):
        pairs(ConvStatement(FREE["resnet"], 5, 1), 0.5, 10)

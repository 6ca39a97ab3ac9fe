"""Learning rates and readouts of their own in compositions, and what has no law."""

import numpy as np
import pytest

import asympt as asy
from asympt import blocks as b
from asympt.depth.finite import empirical_kernels
from asympt.errors import InputError, UnsupportedError

RATES = "serial(residual(relu, dense(1, 1/2, weight_rate=3, bias_rate=1/4)), layer_norm)"


def test_learning_rates_of_its_own_enter_the_law():
    """Expected: layer by layer, K <- lambda_b + lambda_W s + sigma_w^2 K."""
    net = asy.Network(RATES)
    _, wanted, _ = net.pair(5, correlation="1/10", digits=25)
    found = net.ntk_law(terms=1).evaluate(depth=5, correlation="1/10", digits=20)
    unit = 5 if net.ntk_law(terms=1).average else 1
    assert abs(found * unit / wanted - 1) < 1e-18
    (_,), (kernel,) = asy.depth.pairs(net, gap=[0.9], depth=5)
    assert abs(kernel / wanted - 1) < 1e-14
    assert repr(net.block) == RATES


def test_random_networks_have_the_rates_and_the_readout_that_were_typed():
    X = np.random.default_rng(1).normal(size=(2, 4))
    X *= 2 / np.linalg.norm(X, axis=1, keepdims=True)  # q_1 = 1 behind the first dense
    for block, readout in [
        ("serial(relu, dense(1, 1/2, weight_rate=3, bias_rate=1/4))", None),
        ("residual(dense(1), erf, dense(1, weight_rate=0), scale=1/2)", "dense(2, 1)"),
    ]:
        weight, bias = (1, 0) if readout is None else (4, 1)
        net = asy.Network(block, readout=readout, variance=weight + bias)
        correlation = (weight * (X[0] @ X[1]) / 4 + bias) / (weight + bias)
        _, kernel, variance = net.pair(4, correlation=correlation, digits=12)
        found = empirical_kernels(net.finite(), X, 4, width=256, most_seeds=40, seed=0)
        assert abs(found.ntk[0, 1] - float(kernel * variance)) < 4 * found.ntk_error[0, 1]


@pytest.mark.parametrize(("make", "error", "reason"), [
    (lambda: b.dense(1, weight_rate=-1), InputError, "not a learning rate"),
    (lambda: asy.Network("serial(relu, dense)", readout="flatten"), InputError, "does not fit"),
    (lambda: asy.Network("serial(relu, conv(1, 8))", first="dense"), InputError, "is not a conv"),
    (lambda: asy.Network(RATES, first="dense(1, weight_rate=2)").ntk_law(), UnsupportedError, "not Sigma"),
    (lambda: asy.Network("residual(relu, dense)", readout="dense(2)").ntk_law(), UnsupportedError, "same dense"),
    (lambda: asy.Network("serial(layer_norm, relu, dense(1, weight_rate=1/LAYER))").ntk_law(), UnsupportedError, "MLP"),
])  # fmt: skip
def test_what_has_no_law_is_refused(make, error, reason):
    with pytest.raises(error, match=reason):
        make()

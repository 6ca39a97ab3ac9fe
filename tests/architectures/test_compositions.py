"""Every preset architecture is a composition of primitives, and its statement is what the compiler makes of that.

Expected statements: those of the papers, written down by hand in `Statement`'s constructors (HDR eq. 10, Lemma 3 and
Proposition 3, TBG's recursion, PDLT 10.45).
"""

from dataclasses import replace

import numpy as np
import pytest
from sympy import Integer, Rational, symbols

import asympt as asy
from asympt import blocks as b
from asympt.architectures.composition import statement_of
from asympt.depth.finite import empirical_kernels
from asympt.errors import InputError, UnsupportedError
from asympt.meanfield.statement import ConvStatement, Statement
from tests import statements

HALF, THIRD = Rational(1, 2), Rational(1, 3)
PRESETS = {
    "plain": lambda: asy.FeedForward("relu"),
    "biased": lambda: asy.FeedForward("erf", 2, HALF),
    "critical": lambda: asy.FeedForward.on_edge_of_chaos("tanh", sigma_b=Rational(1, 5)),
    "residual": lambda: asy.ResNet("gelu", THIRD, 2),
    "scaled": lambda: asy.ScaledResNet("leaky_relu", 2, slope="1/10"),
    "power": lambda: asy.ScaledResNet("relu", 2, 1, kappa="2/3"),
    "blocks": lambda: asy.BlockResNet("erf", alpha=HALF, sigma_w=3, sigma_v=THIRD),
    "rates": lambda: asy.MLP("erf", THIRD, 2, weight_rate=3, bias_rate=HALF),
    "convolution": lambda: asy.ConvNet("elu", 5, 1, 2, 1),
    "residual convolution": lambda: asy.ConvResNet("relu", 7, 2, THIRD, 1),
}


def by_hand(name: str, net):
    """The statement as a person writes it."""
    layer = net.statement.layer
    kappa = {"scaled": 1, "power": Rational(2, 3)}
    if name in kappa:
        return statements.scaled_residual(layer, kappa[name])
    if name == "blocks":
        return Statement.block_residual(replace(layer, weight_variance=Rational(1, 4)), 9)
    if name == "rates":
        return statements.with_rates(layer, Integer(3), HALF)
    make = statements.residual if "residual" in name else Statement.plain
    found = make(layer)
    return ConvStatement(found, net.positions, net.reach) if "convolution" in name else found


@pytest.mark.parametrize("name", PRESETS)
def test_the_statement_of_a_preset_comes_out_of_its_composition(name):
    net = PRESETS[name]()
    assert net.statement == by_hand(name, net)
    compiled = statement_of(net.composition.blocks, net.composition.first, net.composition.readout)
    layer = net.statement.layer
    known = {"variance": layer.variance, "critical": layer.critical}  # what solving for the Edge of Chaos adds
    if isinstance(compiled, ConvStatement):
        assert replace(compiled, dense=compiled.dense.with_layer(replace(compiled.layer, **known))) == net.statement
    else:
        assert compiled.with_layer(replace(compiled.layer, **known)) == net.statement


def test_two_trained_matrices_double_what_a_block_adds_to_the_ntk():
    alpha, v, w = symbols("alpha sigma_v sigma_w", positive=True)
    block = b.residual(b.dense(w), b.activation("relu"), b.dense(v), scale=alpha)
    found = statement_of((block,), b.dense(1), b.dense(w))
    assert found.weight_rate == 2 * (alpha * v * w) ** 2 and found.learning_ratio == 2
    assert found.first.weight_rate == 2 * found.first.weight == 2 * w**2
    assert statement_of((block,)) is None  # looked at elsewhere, the terms in s E[phi' phi'] do not cancel
    frozen = b.residual(b.dense(w, weight_rate=0), b.activation("relu"), b.dense(v), scale=alpha)
    assert statement_of((frozen,), b.dense(1), b.dense(w)) is None


RATES = "serial(residual(relu, dense(1, 1/2, weight_rate=3, bias_rate=1/4)), layer_norm)"


def test_learning_rates_of_its_own_enter_the_law():
    """Expected: layer by layer, K <- lambda_b + lambda_W s + sigma_w^2 K."""
    net = asy.Network(RATES)
    _, wanted, _ = net.pair(5, correlation="1/10", digits=25)
    found = net.ntk_law(terms=1).evaluate(depth=5, correlation="1/10", digits=20)
    unit = 5 if net.ntk_law(terms=1).average else 1
    assert abs(found * unit / wanted - 1) < 1e-18
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
    (lambda: b.dense(1, weight_rate=-1), InputError, "no learning rate"),
    (lambda: asy.Network("serial(relu, dense)", readout="flatten"), InputError, "does not go with"),
    (lambda: asy.Network("serial(relu, conv(1, 8))", first="dense"), InputError, "is not a conv"),
    (lambda: asy.Network(RATES, first="dense(1, weight_rate=2)").ntk_law(), UnsupportedError, "not Sigma"),
    (lambda: asy.Network("residual(relu, dense)", readout="dense(2)").ntk_law(), UnsupportedError, "same dense"),
    (lambda: asy.Network("serial(layer_norm, relu, dense(1, weight_rate=1/LAYER))").ntk_law(), UnsupportedError, "MLP"),
    (lambda: asy.depth.pairs(asy.Network(RATES), gap=[1.0], depth=3), UnsupportedError, "learning rates"),
])  # fmt: skip
def test_what_has_no_law_is_refused(make, error, reason):
    with pytest.raises(error, match=reason):
        make()

"""The primitives: what may follow what, how a block prints, and that its text reads back."""

import pytest
from sympy import Rational, Symbol, Tuple, sqrt, tanh

from asympt import blocks as b
from asympt.blocks.nodes import INPUT
from asympt.errors import InputError
from asympt.meanfield.activations import Activation

X, BETA = Symbol("x", real=True), Symbol("beta", positive=True)
relu, tanh_ = b.activation("relu"), b.activation("tanh")

TEXTS = [
    "residual(layer_norm, relu, dense(sqrt(2)))",
    "serial(residual(relu, dense(sqrt(2), 1/10)), layer_norm)",
    "serial(relu, dense(sqrt(2)), relu, dense(sqrt(2)))",
    "serial(layer_norm, gated(dense(1), serial(dense(1, 1/2), sigmoid)), dense(2))",
    "dense_connection(1/2, layer_norm, relu, dense(sqrt(2)))",
    "residual(rms_norm(affine=True), dense(1), elu(alpha=2), dense(1/2), skip=1/2, scale=1/sqrt(LAYER))",
    "residual(relu, dense(1), scale=1/sqrt(DEPTH))",
    "serial(relu, dropout(9/10), scale(3), conv(1, 8, sqrt(2)))",
    "residual(relu, conv((1, 2), (8, 9), 1, 1/10, padding=zero))",
    "serial(activation(x*erf(x)), dense(1))",
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_block_prints_as_the_text_that_reads_back(text):
    block = b.read_block(text)
    assert repr(block) == text and b.read_block(repr(block)) == block and hash(block) == hash(b.read_block(text))


def test_a_text_is_what_python_composes():
    composed = b.residual(b.layer_norm(), relu, b.dense(sigma_w=sqrt(2)), scale=1 / sqrt(b.LAYER))
    assert b.read_block("residual(layer_norm, relu, dense(sqrt(2)), scale=1/sqrt(LAYER))") == composed
    assert b.read_block("dense_connection(1, relu, dense(2))") == b.dense_connection(1, relu, b.dense(2))
    assert b.read_block("gated(dense, serial(dense, relu))") == b.gated(b.dense(), b.serial(b.dense(), relu))
    assert b.serial(b.serial(b.dense(), relu), b.dense()) == b.serial(b.dense(), relu, b.dense())
    assert b.serial(relu) == relu


def test_an_activation_is_the_same_however_it_is_given():
    assert b.activation("swish").phi.expression == b.activation("silu").phi.expression
    assert b.activation(tanh(X)).phi.expression == b.activation("tanh").phi.expression
    assert repr(b.activation(Activation(tanh(X) ** 3, X))) == "activation(tanh(x)**3)"
    assert b.activation("leaky_relu", slope=Rational(1, 10)) == b.read_block("leaky_relu(slope=1/10)")


def test_symbols_are_parameters_and_the_layer_is_none():
    block = b.residual(relu, b.dense(sigma_w=BETA), scale=1 / b.LAYER)
    assert block.parameters == {BETA} and b.activation("elu", alpha=BETA).parameters == {BETA}


@pytest.mark.parametrize(("make", "reason", "remedy"), [
    (lambda: b.serial(relu, tanh_), "activation tanh after activation relu", "put a dense between"),
    (lambda: b.serial(relu, b.layer_norm(), tanh_), "after activation relu", "put a dense between"),
    (lambda: b.residual(b.dense(), relu), "ends in activation relu", "put a dense behind"),
    (lambda: b.residual(relu), "no dense", "end it with a dense"),
    (lambda: b.residual(b.residual(b.dense(), relu, b.dense())), "no dense", "end it with a dense"),
    (lambda: b.residual(b.gated(b.dense(), b.dense())), "ends in a product", "put a dense behind"),
    (lambda: b.serial(b.gated(b.dense(), b.dense()), relu), "after a product", "put a dense between"),
    (lambda: b.gated(b.dense(), relu), "no dense", "give each a dense"),
    (lambda: b.serial(b.dense(), b.dropout("1/2"), relu), "not Gaussian", "put a dense between"),
    (lambda: b.serial(relu, b.rms_norm(), b.layer_norm()), "mean", "rms_norm"),
    (lambda: b.serial(b.layer_norm(affine=True), b.scale(2), relu), "NTKs differ", "affine=False"),
    (lambda: b.dense_connection(1, relu), "no dense", "give it a dense"),
    (lambda: b.serial(b.dense(), b.average_pool()), "not part of a block", "readout"),
])  # fmt: skip
def test_what_the_rules_do_not_allow_is_refused_with_reason_and_remedy(make, reason, remedy):
    with pytest.raises(InputError) as caught:
        make()
    assert reason in str(caught.value) and remedy in str(caught.value)


def test_a_norm_with_gain_may_stand_before_a_dense_or_an_activation():
    b.serial(b.layer_norm(affine=True), relu, b.dense())
    b.serial(b.layer_norm(affine=True), b.dense(), relu)
    b.serial(relu, b.layer_norm(), b.dense())


@pytest.mark.parametrize("make", [
    lambda: b.dense(0),
    lambda: b.dense(1, sigma_b=-1),
    lambda: b.dense("a"),
    lambda: b.dropout(0),
    lambda: b.dropout(2),
    lambda: b.scale(0),
    lambda: b.residual(relu, b.dense(), skip=0),
    lambda: b.residual(),
    lambda: b.serial(),
    lambda: b.serial("relu"),
    lambda: b.layer_norm(affine="yes"),
    lambda: b.dense_connection(-1, b.dense()),
    lambda: b.conv(4, 8),
    lambda: b.conv(1, (8, 8, 8)),
    lambda: b.conv(1, 8, padding="mirror"),
    lambda: b.activation("nonsense"),
    lambda: b.activation("relu", slope=1),
    lambda: b.activation(Symbol("u") * BETA),
    lambda: b.activation(Tuple(X)),
    lambda: b.read_block(3),
])  # fmt: skip
def test_bad_values_are_refused_in_one_sentence(make, refused):
    refused(make, "")


@pytest.mark.parametrize("text", [
    "", "residual(", "relu()(1)", "residual(relu, dense(1)).branch", "__import__('os')", "dense(__import__('os'))",
    "dense(1, 2, 3)", "dense(sigma=2)", "residual(relu, dense(1), skip=x)", "layer_norm(affine=maybe)", "relu(1)",
    "serial(*relu)", "residual(relu, dense(1), **skip)", "[relu]",
    "lambda: 1", "conv(1, x)", "gated(dense)", "activation()", "serial(" * 300, "relu, dense(1)" * 300,
    "dense(1)\ndense(1)",
])  # fmt: skip
def test_an_unreadable_text_is_refused_and_never_run(text, refused):
    refused(lambda: b.read_block(text), "")


def test_gains_of_two_norms_in_a_row_are_refused_before_an_activation():
    """K of a neuron holds u u' of both norms: random networks of tanh are 4 % off the rule for one at depth 5."""
    block = b.serial(b.residual(tanh_, b.dense(1)), b.rms_norm(affine=True))
    signal = block.signal(block.signal(INPUT))
    with pytest.raises(InputError, match="reads neurons whose NTKs differ"):
        block.signal(signal)
    behind_a_dense = b.serial(b.residual(b.dense(1), tanh_, b.dense(1)), b.rms_norm(affine=True))
    behind_a_dense.signal(behind_a_dense.signal(behind_a_dense.signal(INPUT)))

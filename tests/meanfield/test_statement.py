"""The statement of a layer: what follows from it without any engine."""

import pytest
from sympy import Integer, Rational, Symbol, simplify

from asympt.meanfield.activations import activation
from asympt.meanfield.layer import Layer
from asympt.meanfield.statement import LAYER, ConvStatement, Statement
from tests import statements

RELU = Layer(activation("relu"), Integer(2), Integer(0))


def test_a_plain_network_trains_what_it_draws():
    plain = Statement.plain(RELU)
    assert plain.is_plain and plain.is_scale_free and not plain.skip
    assert (plain.growth, plain.branch_share) == (1, 1)
    assert plain.first.weight == plain.first.weight_rate == plain.weight_rate == 2


def test_the_share_of_a_branch():
    # HDR Appendix Lemma 7 and 8: alpha/(1 + alpha) with alpha = sigma_w^2/2 and sigma_w^2/(2 l)
    assert statements.residual(RELU).branch_share == Rational(1, 2)
    assert simplify(statements.scaled_residual(RELU, Integer(1)).branch_share - 1 / (LAYER + 1)) == 0


def test_a_two_matrix_block_learns_twice():
    block = Statement.block_residual(RELU, Integer(3))
    assert block.weight_rate == 2 * block.layer.weight_variance and block.first.weight_rate == 6
    assert not block.is_plain


def test_a_bias_ties_the_layer_to_a_scale():
    biased = Layer(activation("relu"), Integer(2), Integer(1))
    assert not statements.residual(biased).is_scale_free


def test_rates_may_depend_on_the_layer():
    rate = Symbol("r", positive=True)
    mlp = statements.with_rates(RELU, rate / LAYER, Integer(0))
    assert mlp.first.weight_rate == rate and mlp.parameters == {rate}


@pytest.mark.parametrize("positions, reach", [(3, 1), (8, 2)])
def test_a_convolution_is_a_dense_statement_on_a_circle(positions, reach):
    assert ConvStatement(Statement.plain(RELU), positions, reach).dense.is_plain

"""Layers of residual networks in mpmath: orbits, growing layers and what they keep, against `DenseStep`."""

import pytest
from mpmath import mp, mpf
from sympy import Integer, Rational

from asympt.architectures.residual.tails import step_of
from asympt.architectures.resnet import groups_at
from asympt.errors import UnsupportedError
from asympt.meanfield.activations import activation
from asympt.meanfield.layer import Layer
from asympt.meanfield.statement import Statement
from asympt.precise.dense import followed, settled
from tests import statements

RELU = statements.residual(Layer(activation("relu"), Rational(3, 2), Integer(0)))
BLOCK = Statement.block_residual(Layer(activation("relu"), Rational(3, 2), Integer(0)), Integer(1))


def test_other_statements_are_refused_where_two_matrices_are_assumed():
    with pytest.raises(UnsupportedError, match="two-matrix blocks"):
        groups_at(RELU, 3, mpf(1), mpf(1))
    assert groups_at(BLOCK, 1, mpf(1), mpf(1)).total == 0


def test_a_state_at_few_digits_is_not_kept_for_more():
    """The same question at 15 and at 40 digits; 40 digits also by `followed`, which keeps them under their number."""
    step = step_of(statements.residual(Layer(activation("elu"), Integer(1), Integer(1))))
    given = step, Rational(1, 2), Integer(1)
    with mp.workdps(15):
        settled(*given, 12, 4), settled(step, None, Integer(1), 12, 4)
    truth = followed(*given, 50, 4)
    with mp.workdps(40):
        assert abs(settled(*given, 12, 4).gap - truth.gap) < mpf(10) ** -38
        assert abs(settled(step, None, Integer(1), 12, 4).variance - truth.variance) < mpf(10) ** -37

"""Layers of residual networks in mpmath: orbits, growing layers and what they keep, against `DenseStep`."""

from mpmath import mp, mpf
from sympy import Integer, Rational

from asympt.architectures.residual import step_of
from asympt.architectures.resnet import BlockResNet
from asympt.meanfield.activations import activation
from asympt.meanfield.layer import Layer
from asympt.precise.dense import followed, settled
from tests import statements


def test_inputs_at_right_angles_have_no_ntk_in_layer_1():
    assert BlockResNet("relu", alpha="sqrt(3/2)").groups(depth=1, gap=1).total == 0


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

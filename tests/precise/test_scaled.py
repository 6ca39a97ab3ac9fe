"""Layers of scaled residual networks in mpmath: tiny gaps, and constants that are known by their digits."""

import mpmath
import pytest
from mpmath import mp, mpf
from sympy import Integer, Rational, sqrt

from asympt.architectures.mlp import MLP
from asympt.architectures.resnet import ResNet, ScaledResNet
from asympt.errors import UnsupportedError
from asympt.expansions.opaque import RealConstant
from asympt.meanfield.activations import activation
from asympt.meanfield.layer import Layer
from asympt.meanfield.statement import LAYER, Statement, at_layer
from asympt.precise.dense import iterated
from asympt.precise.mlp import ComponentStep
from tests import statements


def test_a_gap_of_ten_to_the_minus_sixty_keeps_its_digits():
    """gamma - delta_2 h, h = (2 sqrt(2)/(3 pi)) gamma^(3/2) (1 + O(gamma)), seen with digits for the difference."""
    statement = ScaledResNet("relu").statement
    with mp.workdps(80):
        tiny = mpf(10) ** -60
        moved = (tiny - iterated(statement, tiny, 2)[0]) / at_layer(statement.branch_share, 2)
        assert abs(moved / (2 * mp.sqrt(2) / (3 * mp.pi) * tiny ** mpf("1.5")) - 1) < mpf(10) ** -40
    with mp.workdps(20):
        assert abs(iterated(statement, tiny, 2)[0] / tiny - 1) < mpf(10) ** -19


def _relu(weight=2, bias=0) -> Layer:
    return Layer(activation("relu"), Integer(weight), Integer(bias))


def test_a_constant_known_by_digits_keeps_them_in_every_layer():
    """delta_5 = a/(5 + a) with a = the fixed point of cos, found anew at 50 digits; the same for a learning rate."""
    find = lambda: mpmath.findroot(lambda x: mp.cos(x) - x, mpf("0.7"))  # noqa: E731
    constant = RealConstant("xi", find, key="fixed point of the cosine, for a test")
    share = ScaledResNet("relu", sigma_w=sqrt(2 * constant)).statement.branch_share
    mlp = MLP("tanh").statement
    rated = ComponentStep(statements.with_rates(mlp.layer, constant / LAYER, Integer(1)))
    with mp.workdps(50):
        value = find()
        assert abs(at_layer(share, 5) - value / (5 + value)) < mpf(10) ** -48
        assert abs(rated.rates(3)[0] - value / 3) < mpf(10) ** -48


def test_what_the_branch_loses_with_depth():
    assert ScaledResNet("relu", kappa="2/3").statement.decay == Rational(2, 3)
    assert ResNet("relu").statement.decay == 0
    stated = Statement(_relu(), True, 1 + 1 / LAYER, 1, 0, first=ResNet("relu").statement.first)
    with pytest.raises(UnsupportedError, match="power"):
        print(stated.decay)

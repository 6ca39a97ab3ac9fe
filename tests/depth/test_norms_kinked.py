"""Inputs of any norms in layers with breakpoints: tables against the quadrature of one pair in the plane."""

import numpy as np
import pytest
from sympy import Piecewise, Rational, Symbol, exp

from asympt.depth import pairs
from asympt.depth.moving import Moving, by_quadrature
from asympt.depth.norms import near
from asympt.depth.norms.tiles import Tile, move
from asympt.depth.norms.together import KinkedSides
from asympt.errors import PrecisionError
from asympt.meanfield.activations import Activation, activation
from tests.depth.layers import dense


def computed(layer, q, gap):
    """(1 - c', k') of all pairs for k = 1 - gap."""
    gaps = np.full((len(q), len(q)), gap)
    kernels = 1 - gaps
    move(KinkedSides.of(layer, q, q), Tile(np.arange(len(q)), np.arange(len(q))), gaps, kernels)
    return gaps, kernels


X = Symbol("x", real=True)
MINE = Activation(
    Piecewise((-X / 2, X < -1), (exp(X + 1) - Rational(1, 2), X < 0), (exp(1) - Rational(1, 2) + X**2, X < 1),
              (exp(1) + X / 2, True)), X, name="mine"
)  # fmt: skip


BENT = Activation(Piecewise((-X - 1, X < -1), (X**2 - 1, X < 1), (X - 1, True)), X, name="bent")  # even, two kinks


@pytest.mark.parametrize(
    ("phi", "scale"),
    [("softsign", 4.0), (MINE, 1.0), ("selu", 0.01), ("hard_tanh", 100.0), (BENT, 1.0), ("tanh", 60.0)],
)
def test_any_activation_by_quadrature(phi, scale):
    """Absolute errors against the quadrature of one pair in the plane (another route, right to 1e-14).

    Even phi: near c = -1 as near c = 1; a smooth phi too steep for its series has the same tables.
    """
    phi = activation(phi).piecewise
    layer, q = Moving(phi, 1.5, 0.25), scale * np.array([0.8, 1.0, 1.4])
    for start in (1e-3, 0.03, 1.0, 1.99):
        gaps, kernels = computed(layer, q, start)
        after = layer.variances(q)[0]
        for i, j in ((1, 0), (2, 0), (2, 1)):
            apart, mean, slope = by_quadrature(phi, q[i], q[j], start)
            norm, r = np.sqrt(after[i] * after[j]), np.sqrt(q[i] * q[j])
            spread = 0.75 * apart - (np.sqrt(after[i]) - np.sqrt(after[j])) ** 2 / 2
            gap = (spread + 1.5 * r * mean) / norm
            assert gaps[i, j] == pytest.approx(gap, abs=1e-12)
            assert kernels[i, j] == pytest.approx(1.5 * r / norm * slope * (1 - start) + 1 - gap, abs=2e-12)


def test_one_variance_that_moves():
    """Inputs of one norm: every layer on the nodes of a table, by tables of its own, against pair by pair."""
    layer, gap = dense("hard_tanh", "13/10", "1/10"), np.random.default_rng(1).uniform(0, 2, 20000)
    many = pairs(layer, gap, 3, variance=0.9)
    few = pairs(layer, gap[:5], 3, variance=0.9)
    np.testing.assert_allclose(many[0][:5], few[0], rtol=2e-12)
    np.testing.assert_allclose(many[1][:5], few[1], rtol=0, atol=2e-12)


def test_tables_that_are_not_fine_enough_are_refused(monkeypatch):
    monkeypatch.setattr(near, "MOST", 9)
    layer = Moving(activation("hard_tanh").piecewise, 1.5, 0.25)
    with pytest.raises(PrecisionError, match=r"variances from 0\.5 to 2 do not reach 1e-11; give inputs"):
        computed(layer, np.array([0.5, 2.0]), 1e-3)

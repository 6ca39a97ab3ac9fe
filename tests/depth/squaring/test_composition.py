"""Panels that are left out on the way are not missed: random layers, depths and gaps against mpmath; deep tables."""

import mpmath
import numpy as np
import pytest
from sympy import Rational

from asympt.depth.squaring.layer import DEGREE, HomogeneousLayer, PanelGrid, inverse
from asympt.depth.squaring.whole import Composed, MapStart, composed, whole_map
from asympt.depth.stack import constants
from tests.depth.squaring.test_flat import off, relu, true_relu_like

START = MapStart(1.0, 0.0)


def layer_of(left: Rational, chi: Rational) -> HomogeneousLayer:
    """Slopes (1, left); where chi < 1 with a bias, at the fixed point: k' = chi f' k + 1 - chi (1 - f)."""
    numbers = constants(relu(2 * chi / (1 + left**2), int(chi != 1), left=left))
    gain = numbers.chi_excess
    return HomogeneousLayer(numbers, chi_excess=gain, constant=-gain, rate=1 + gain)


@pytest.mark.parametrize("seed", range(6))
def test_random_layers_depths_and_gaps(seed):
    """Against the recursion in mpmath."""
    random = np.random.default_rng(seed)
    left, chi = [Rational(0), Rational(1, 8), Rational(-1, 2)][seed % 3], [Rational(1), Rational(9, 10)][seed // 3]
    layer, layers = layer_of(left, chi), int(random.integers(1, 300))
    gaps = np.concatenate([np.exp(random.uniform(-30, 0, 6)), 2 - np.exp(random.uniform(-20, 0, 3)), [0.5, 2.0]])
    found = whole_map(layer, layers, START, -48, -52)(gaps)
    for start, gap, kernel in zip(gaps, *found, strict=True):
        with mpmath.workdps(60):
            slopes = mpmath.mpf(1), mpmath.mpf(left.p) / left.q
            excess = mpmath.mpf(chi.p - chi.q) / chi.q
        true_gap, true_kernel = true_relu_like(*slopes, start, layers, excess)
        assert off(gap, true_gap) < 1e-13
        assert abs(kernel - true_kernel) < 1e-13 * abs(true_kernel) + 1e-15


@pytest.mark.parametrize("layers", [9, 10**4 - 1, 10**12 - 1])
@pytest.mark.parametrize("bias", [0, 1])
def test_a_narrow_table_agrees_with_a_wide_one(layers, bias):
    """Gaps from 2^-8 on leave out nearly all panels, gaps from 2^-160 on leave out few; bias 1: chi = 999/1000."""
    layer = layer_of(Rational(0), [Rational(1), Rational(999, 1000)][bias])
    gaps = np.exp(np.random.default_rng(layers).uniform(np.log(2.0**-8), np.log(2.0), 500))
    narrow, wide = (whole_map(layer, layers, START, low, -52)(gaps) for low in (-8, -160))
    for one, two in zip(narrow, wide, strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-14, atol=1e-300)


def test_few_panels_are_left_at_great_depth():
    """After 10^12 layers all gaps lie in an octave or two: the price of a layer falls as they go."""
    layer = layer_of(Rational(0), Rational(1))
    one = Composed.once(layer, PanelGrid(-40, -4, 4, root=True))
    deep = composed(layer, 10**12 - 1, -80, -8, 4, -8)
    assert len(one.panels) > 700 and len(deep.panels) < 220


def test_tables_read_between_the_nodes_of_a_root_grid():
    """sqrt(gap) is a polynomial of degree 1 there, up to gap 2 beside which 2 - gap is given."""
    grid = PanelGrid(-30, -20, 2, root=True)
    gap, rest = grid.nodes
    assert gap[1].min() >= 2.0**-60 and np.all(gap[:, 0] + rest[:, 0] == 2)
    table = grid.fit(np.sqrt(np.where(np.arange(grid.size)[:, None] < grid.first_far, gap, rest)))
    asked = np.array([2.0**-60, 1e-9, 0.3, 1.0, 1.5, 2 - 2.0**-30, 2.0])
    panel, place = grid.places(asked, 2 - asked)
    values = sum(table[DEGREE - power, panel] * place**power for power in range(DEGREE + 1))
    np.testing.assert_allclose(values, np.sqrt(np.minimum(asked, 2 - asked)), rtol=1e-14, atol=0)


def test_the_matrix_from_values_to_powers():
    """x^3 at the points gives 1 in the place of the third power."""
    points, matrix = inverse()
    np.testing.assert_allclose(matrix @ points**3, np.eye(DEGREE + 1)[DEGREE - 3], atol=1e-14)

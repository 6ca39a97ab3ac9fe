"""The tabulated maps against mpmath, and at the points where tables go wrong: ends of panels, seams, tiny gaps."""

import mpmath
import numpy as np
import pytest
from sympy import Symbol, exp

from asympt.depth.gram import pairs
from asympt.depth.psi import FloatPsi
from asympt.depth.tables import TURN, table_change, tables_at
from asympt.errors import UnsupportedError
from asympt.gaussian.piecewise import PiecewiseSmooth
from asympt.meanfield.layer import Layer
from tests.depth.layers import CLOSED, critical, dense


def gaps(count: int) -> np.ndarray:
    random = np.random.default_rng(5)
    seams = [1e-15, 1 / 256**2, np.nextafter(1 / 256**2, 0), TURN, np.nextafter(TURN, 2), 1.0, 2.0]
    return np.concatenate([seams, 10 ** random.uniform(-15, 0, count), random.uniform(0, 2, count)])


def one_layer(layer: Layer, gap: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(1 - f, f') in float64: what phi makes of them, and the bias behind it."""
    q = float(layer.fixed_variance)
    found, second = tables_at(layer.activation.piecewise, q)
    change, share = table_change(gap, np.ones_like(gap), found), float(layer.weight_variance) * second / q
    return share * (change.base - change.drop), share * (change.kernel - change.turn)


@pytest.mark.parametrize("name", ["erf", "sin"])
def test_against_closed_forms(name):
    """Nothing of asympt in the reference."""
    layer = dense(name, "7/5", "1/10")
    value, slope = CLOSED[name]
    gap = gaps(40)
    image, steep = one_layer(layer, gap)
    with mpmath.workdps(50):
        weight = mpmath.mpf(7) ** 2 / 25
        q = mpmath.mpf(1)
        for _ in range(2000):
            q = mpmath.mpf("0.01") + weight * value(q, q, 1)
        for g, i, s in zip(gap, image, steep, strict=True):
            c = 1 - mpmath.mpf(g)
            true = weight * (value(q, q, 1) - value(q, q, c)) / q
            assert abs(i / true - 1) < 5e-14
            assert abs(s - weight * slope(q, q, c)) < 5e-14 * s + 1e-15


def test_the_edge_of_chaos_is_exact():
    """Gaps of 1e-280 do not move in a million layers: chi = 1 to the last bit."""
    gap, kernel = pairs(critical("erf"), [1e-280, 0.0], 10**6)
    np.testing.assert_allclose(gap, [1e-280, 0.0], rtol=1e-14)
    np.testing.assert_allclose(kernel, 1e6, rtol=1e-14)


def test_a_function_that_grows_too_fast():
    x = Symbol("x", real=True)
    with pytest.raises(UnsupportedError, match="grows so fast"):
        _ = FloatPsi(PiecewiseSmooth.of(exp(10 * x**2 / 41), x), 1.0).reach

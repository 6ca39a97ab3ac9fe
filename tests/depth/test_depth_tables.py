"""The tabulated maps against mpmath, and at the points where tables go wrong: ends of panels, seams, tiny gaps."""

import mpmath
import numpy as np
import pytest
from sympy import Symbol, exp

from asympt.depth.psi import FloatPsi
from asympt.depth.tables import TURN, tables
from asympt.errors import UnsupportedError
from asympt.gaussian.piecewise import PiecewiseSmooth
from asympt.meanfield.layer import Layer
from tests.depth.layers import CLOSED, critical, dense, one_by_one


def gaps(count: int) -> np.ndarray:
    random = np.random.default_rng(5)
    seams = [1e-15, 1 / 256**2, np.nextafter(1 / 256**2, 0), TURN, np.nextafter(TURN, 2), 1.0, 2.0]
    return np.concatenate([seams, 10 ** random.uniform(-15, 0, count), random.uniform(0, 2, count)])


def one_layer(layer: Layer, gap: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(1 - f, f') in float64: k = 0 and k = 1 in the layer before."""
    (image, without), (_, turned) = (one_by_one(layer, gap, np.full_like(gap, k), 1) for k in (0.0, 1.0))
    return image, turned - without


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
    """Gaps of 1e-300 do not move at all in a thousand layers; chi = 1 to the last bit."""
    layer = critical("erf")
    assert tables(layer).chi == 1.0 and tables(layer).excess == 0.0
    gap, kernel = one_by_one(layer, [1e-280, 0.0], np.ones(2), 1000)
    np.testing.assert_array_equal(gap, [1e-280, 0.0])
    np.testing.assert_array_equal(kernel, 1001.0)


def test_a_function_that_grows_too_fast():
    x = Symbol("x", real=True)
    with pytest.raises(UnsupportedError, match="grows so fast"):
        _ = FloatPsi(PiecewiseSmooth.of(exp(10 * x**2 / 41), x), 1.0).reach

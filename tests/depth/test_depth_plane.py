"""Integrals over the plane against closed forms, at every distance from c = 1."""

import mpmath
import numpy as np
import pytest
from sympy import Max, Min, Symbol, erf, exp

from asympt.depth.psi import FloatPsi, line, product, shortfall
from asympt.errors import UnsupportedError
from asympt.gaussian.piecewise import PiecewiseSmooth

X = Symbol("x", real=True)
DISTANCES = [1e-9, 1e-5, 1e-3, 0.02, 0.1, 0.3, 0.7, 1.0, 1.2]


def scaled(expression, q) -> FloatPsi:
    return FloatPsi(PiecewiseSmooth.of(expression, X), q)


@pytest.mark.parametrize("q", [0.05, 0.7, 25.0])
def test_erf(q):
    """f' of erf is (4/pi) ((1 + 2q)^2 - 4 q^2 c^2)^(-1/2)."""
    with mpmath.workdps(50):

        def slope(c):
            return 4 / mpmath.pi / mpmath.sqrt((1 + 2 * mpmath.mpf(q)) ** 2 - (2 * mpmath.mpf(q) * c) ** 2)

        for t in DISTANCES:
            true = (slope(1) - slope(1 - mpmath.mpf(t) ** 2)) / mpmath.mpf(t) ** 2
            assert abs(shortfall(scaled(erf(X), q), t, 2) / true - 1) < 3e-15


@pytest.mark.parametrize("q", [0.3, 9.0])
def test_relu(q):
    """1/2 - E[H(U) H(V)] = arccos(c)/(2 pi) (Sheppard 1899)."""
    for t in DISTANCES:
        true = 2 * mpmath.asin(t / mpmath.sqrt(2)) / (2 * mpmath.pi * t)
        assert abs(shortfall(scaled(Max(X, 0), q), t, 1) / true - 1) < 3e-15


@pytest.mark.parametrize("t", [1e-4, 1e-2, 0.1, 0.5, 1.1])
def test_kinks_away_from_zero(t):
    """hard tanh: d/dc E[1(|U|<h) 1(|V|<h)] by Plackett's formula, integrated from c to 1 in the angle by mpmath."""
    q = 0.6
    with mpmath.workdps(30):
        h2 = 1 / mpmath.mpf(q)

        def density(angle):
            c = mpmath.cos(angle)
            opposite = mpmath.exp(-h2 / (1 - c)) if c < 1 else 0
            return (mpmath.exp(-h2 / (1 + c)) - opposite) / mpmath.pi

        true = mpmath.quad(density, mpmath.linspace(0, 2 * mpmath.asin(t / mpmath.sqrt(2)), 9)) / t
    assert abs(shortfall(scaled(Max(-1, Min(X, 1)), q), t, 1) / true - 1) < 1e-14


@pytest.mark.parametrize(("q", "other", "b"), [(0.5, 2.0, 0.3), (1.0, 1.0, 0.7), (4.0, 0.1, 1e-4)])
def test_two_variances(q, other, b):
    """E[erf' erf'] at unequal variances: (4/pi)/sqrt((1 + 2q)(1 + 2q') - 4 q q' c^2)."""
    c = 1 - 2 * mpmath.mpf(b) ** 2
    true = 4 / mpmath.pi / mpmath.sqrt((1 + 2 * q) * (1 + 2 * other) - 4 * mpmath.mpf(q) * other * c**2)
    assert abs(product(scaled(erf(X), q), scaled(erf(X), other), b) / true - 1) < 3e-15


def test_one_variable():
    """E[exp(sqrt(q) Z)^2] = exp(2 q)."""
    psi = scaled(exp(X), 1.5)
    x, w = line(psi)
    assert np.sum(w * psi(x) ** 2) == pytest.approx(np.exp(3), rel=1e-14)


def test_a_function_that_grows_too_fast():
    with pytest.raises(UnsupportedError, match="grows so fast"):
        _ = scaled(exp(10 * X**2 / 41), 1.0).reach

"""The brute-force quadrature itself, against moments from textbooks."""

import mpmath
import pytest
from mpmath import mp

from tests.gaussian.activations_by_hand import gaussian_expectation

MOMENTS = {
    "covariance": (lambda x: x, lambda c: c),
    "Isserlis: E U^2 V^2 = 1 + 2c^2": (lambda x: x**2, lambda c: 1 + 2 * c**2),
    "Isserlis: E U^3 V^3 = 9c + 6c^3": (lambda x: x**3, lambda c: 9 * c + 6 * c**3),
}


@pytest.mark.parametrize("name", MOMENTS)
@pytest.mark.parametrize("c", ["-0.7"])
def test_textbook_moments(name, c):
    function, truth = MOMENTS[name]
    value = gaussian_expectation(function, mpmath.mpf(c), digits=15)
    assert abs(value - truth(mpmath.mpf(c))) < 1e-14


@pytest.mark.parametrize("c", ["0.3", "-0.6", "0"])
def test_a_break_away_from_zero(c):
    """P(U > 1, V > 1): 1 - 2 Phi(1) + Phi_2(1, 1; c), the last by Plackett's integral over the correlation."""
    c = mpmath.mpf(c)

    def plackett(r):
        return mp.exp(-1 / (1 + r)) / (2 * mp.pi * mp.sqrt(1 - r**2))

    truth = mp.ncdf(-1) ** 2 + mp.quad(plackett, [0, c])
    found = gaussian_expectation(lambda x: mpmath.mpf(x > 1), c, digits=8, breaks=[1])
    assert abs(found - truth) < 1e-9

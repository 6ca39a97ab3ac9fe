"""Hermite coefficients: exact ones, Parseval, and the mpmath against the Hermite functions in float64."""


import mpmath
import pytest
from mpmath import mp
from sympy import Heaviside, Symbol, exp, log, sin, tanh

from asympt.errors import InputError
from asympt.gaussian.piecewise import PiecewiseSmooth
from asympt.gaussian.quadrature.profile import profile
from asympt.gaussian.series import find_series, hermite_table

X = Symbol("x", real=True)


def phi(expression) -> PiecewiseSmooth:
    return PiecewiseSmooth.of(expression, X)


def hermite_coefficients(function, q, count: int, digits: int = 30) -> list:
    """a_0, ..., a_(count - 1)."""
    with mp.workdps(digits + 5):
        table = hermite_table(profile(function, q, digits), count)
        return [table.coefficient(k) for k in range(count)]


def test_exponential():
    """E[exp(s Z) He_k(Z)] = s^k exp(s^2/2), the generating function of the Hermite polynomials."""
    with mp.workdps(40):
        found, q = hermite_coefficients(phi(exp(X)), 2, 60, digits=35), mp.mpf(2)
        for k, value in enumerate(found):
            assert abs(value - q ** (mp.mpf(k) / 2) * mp.exp(q / 2) / mp.sqrt(mp.factorial(k))) < mp.exp(2) * 1e-35


def test_sine():
    """E[sin(s Z) He_k(Z)] = s^k exp(-s^2/2) sin(k pi/2)."""
    with mp.workdps(40):
        found, q = hermite_coefficients(phi(sin(X)), 3, 40, digits=35), mp.mpf(3)
        for k, value in enumerate(found):
            sign = [0, 1, 0, -1][k % 4]
            assert abs(value - sign * q ** (mp.mpf(k) / 2) * mp.exp(-q / 2) / mp.sqrt(mp.factorial(k))) < 1e-35


def test_step():
    """E[1{Z > 1} He_k(Z)] = He_{k-1}(1) p(1), the integral of -(He_{k-1} p)'."""
    with mp.workdps(35):
        found = hermite_coefficients(phi(Heaviside(X - 1)), 1, 200, digits=30)
        hermite = [mp.mpf(0), mp.mpf(1)]
        for k in range(1, 200):
            hermite.append(hermite[-1] - (k - 1) * hermite[-2])
        for k in range(1, 200):
            assert abs(found[k] - hermite[k] * mp.npdf(1) / mp.sqrt(mp.factorial(k))) < 1e-30


@pytest.mark.parametrize("expression", [tanh(X), log(1 + exp(X)), exp(-(X**2))])
def test_parseval_for_the_function_and_its_slope(expression):
    """Sums of a_k^2 and k a_k^2 against one-dimensional quadratures of psi^2 and psi'^2."""
    with mp.workdps(40):
        series = find_series(profile(phi(expression), mp.mpf(1) / 2, 40), mp.one)
        assert abs(series.missing[0]) < 1e-38 and abs(series.missing[1]) < 1e-37


def test_bad_input():
    with pytest.raises(InputError, match="diverges"):
        hermite_coefficients(phi(exp(X**2)), 1, 4)
    with pytest.raises(InputError, match="not a positive number"):
        hermite_coefficients(phi(X), mpmath.mpf(-1), 4)

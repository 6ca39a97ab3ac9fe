"""Hermite coefficients: exact ones, Parseval, and the mpmath against the Hermite functions in float64."""


import pytest
from mpmath import mp
from sympy import Symbol, exp, log, tanh

from asympt.gaussian.piecewise import PiecewiseSmooth
from asympt.gaussian.quadrature.profile import find_series, profile

X = Symbol("x", real=True)


def phi(expression) -> PiecewiseSmooth:
    return PiecewiseSmooth.of(expression, X)


@pytest.mark.parametrize("expression", [tanh(X), log(1 + exp(X)), exp(-(X**2))])
def test_parseval_for_the_function_and_its_slope(expression):
    """Sums of a_k^2 and k a_k^2 against one-dimensional quadratures of psi^2 and psi'^2."""
    with mp.workdps(40):
        series = find_series(profile(phi(expression), mp.mpf(1) / 2, 40), mp.one)
        assert abs(series.missing[0]) < 1e-38 and abs(series.missing[1]) < 1e-37

"""The Price expansion: against the printed coefficients, SymPy's series of the closed form, and HDR's claims."""

import pytest
from sympy import Rational, Symbol, asin, binomial, pi, series, simplify, sqrt

from asympt.gaussian.price.relu_like import UNIFORMISER as T
from asympt.gaussian.price.relu_like import slope_level, value_level

RHO = Symbol("rho", positive=True)


def closed(rho):
    """f(1 - t^2), from arccos(1 - t^2) = 2 asin(t/sqrt 2) and sqrt(1 - c^2) = t sqrt(2 - t^2)."""
    return 1 - T**2 + rho * (T * sqrt(2 - T**2) - (1 - T**2) * 2 * asin(T / sqrt(2)))


def test_relu_as_printed():
    # Taylor coefficients of 1 - f in t, the first from HDR App. B.1, the others by SymPy from the closed form
    level = value_level(1 / pi, 9)
    printed = {0: 1, 2: -1, 3: 2 * sqrt(2) / (3 * pi), 5: sqrt(2) / (30 * pi), 7: 3 * sqrt(2) / (560 * pi),
               9: 5 * sqrt(2) / (4032 * pi)}  # fmt: skip
    assert {int(m.order): c for m, c in level.terms} == printed
    assert level.remainder.monomial.order == 11


@pytest.mark.parametrize("order", [2, 3, 4, 8, 11])
def test_against_sympys_series_for_symbolic_rho(order):
    value = value_level(RHO, order)
    truth = series(closed(RHO), T, 0, order + 1).removeO().expand()
    assert simplify(value.to_sympy() - truth) == 0
    slope = slope_level(RHO, order)
    truth = series(1 - RHO * 2 * asin(T / sqrt(2)), T, 0, order + 1).removeO().expand()
    assert simplify(slope.to_sympy() - truth) == 0
    assert value.remainder.monomial.order > order and slope.remainder.monomial.order > order


def test_every_coefficient_of_relu_is_positive_and_has_the_closed_form():
    # HDR.B1.relu-series: f = x + sum_(k>=1) alpha_k (1-x)^(k+1/2), every alpha_k > 0. From the binomial series of
    # arccos (Abramowitz & Stegun 4.4.42) alpha_k = (2 sqrt 2/pi) binomial(2k-2, k-1)/(8^(k-1) (2k-1)(2k+1))
    level = value_level(1 / pi, 61)
    for k in range(1, 31):
        alpha = level.coefficient(2 * k + 1)
        closed_form = 2 * sqrt(2) / pi * Rational(binomial(2 * k - 2, k - 1), 8 ** (k - 1) * (2 * k - 1) * (2 * k + 1))
        assert alpha == closed_form
        assert alpha.is_positive
    assert level.coefficient(3) == 2 * sqrt(2) / (3 * pi)  # the term HDR prints


def test_the_slope_as_printed():
    # HDR.T1.fprime: f'(x) = 1 - (sqrt 2/pi)(1-x)^(1/2) + O((1-x)^(3/2))
    level = slope_level(1 / pi, 2)
    assert str(level) == "1 - sqrt(2)*t/pi + O(t^3)"

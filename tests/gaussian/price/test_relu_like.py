"""The Price expansion: against the printed coefficients, SymPy's series of the closed form, and HDR's claims."""

import mpmath
import pytest
from mpmath import mp
from sympy import Rational, Symbol, asin, binomial, pi, series, simplify, sqrt

from asympt.gaussian.price.relu_like import UNIFORMISER as T
from asympt.gaussian.price.relu_like import integrate_down, inverse_root, kink_term, slope_level, value_level

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


def test_the_remainder_is_the_next_term_in_numbers():
    level = value_level(1 / pi, 7)
    following = mpmath.mpf((5 * sqrt(2) / (4032 * pi)).evalf(50)._mpf_)
    with mp.workdps(60):
        for t in map(mpmath.mpf, ("1e-2", "1e-3", "1e-4")):
            theta = 2 * mp.asin(t / mp.sqrt(2))
            truth = mp.cos(theta) + (mp.sin(theta) - theta * mp.cos(theta)) / mp.pi
            value = mpmath.mpf(level.to_sympy().evalf(55, subs={T: t})._mpf_)
            assert abs((truth - value) / t**9 / following - 1) < t


def test_rungs_are_integrals_of_each_other():
    # d/dt of the value is -2t times the slope: dc = -2t dt
    value, slope = value_level(RHO, 9), slope_level(RHO, 7)
    assert simplify(value.to_sympy().diff(T) + 2 * T * slope.to_sympy()) == 0
    assert integrate_down(slope).to_sympy() == (1 - value).to_sympy()


def test_the_binomial_series():
    # (1 - t^2/2)^(-1/2) by SymPy
    truth = series((1 - T / 2) ** Rational(-1, 2), T, 0, 8).removeO()
    assert inverse_root(8) == [truth.coeff(T, k) for k in range(8)]


@pytest.mark.parametrize("order", [1, 2, 5, 6])
def test_the_kink_is_the_angle(order):
    truth = series(2 * asin(T / sqrt(2)), T, 0, order + 1).removeO().expand()
    assert simplify(kink_term(order).to_sympy() - truth) == 0


def test_fewer_orders_are_the_first_of_more():
    longest = value_level(RHO, 20)
    for order in range(2, 20):
        shorter = value_level(RHO, order)
        assert shorter == longest.up_to(shorter.remainder.monomial)

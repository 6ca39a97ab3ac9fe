"""The Price expansion: against the printed coefficients, SymPy's series of the closed form, and HDR's claims."""

import pytest
from sympy import Symbol, asin, series, simplify, sqrt

from asympt.gaussian.price import UNIFORMISER as T
from asympt.gaussian.price import slope_level, value_level

RHO = Symbol("rho", positive=True)


def closed(rho):
    """f(1 - t^2), from arccos(1 - t^2) = 2 asin(t/sqrt 2) and sqrt(1 - c^2) = t sqrt(2 - t^2)."""
    return 1 - T**2 + rho * (T * sqrt(2 - T**2) - (1 - T**2) * 2 * asin(T / sqrt(2)))


@pytest.mark.parametrize("order", [2, 3, 4, 8, 11])
def test_against_sympys_series_for_symbolic_rho(order):
    value = value_level(RHO, order)
    truth = series(closed(RHO), T, 0, order + 1).removeO().expand()
    assert simplify(value.to_sympy() - truth) == 0
    slope = slope_level(RHO, order)
    truth = series(1 - RHO * 2 * asin(T / sqrt(2)), T, 0, order + 1).removeO().expand()
    assert simplify(slope.to_sympy() - truth) == 0
    assert value.remainder.monomial.order > order and slope.remainder.monomial.order > order

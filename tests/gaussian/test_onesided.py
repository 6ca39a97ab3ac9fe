"""One-sided derivatives: against differentiation at a shifted point, by hand, and what is refused."""

import pytest
from mpmath import mp
from sympy import (
    Integer,
    Rational,
    Si,
    Symbol,
    besselj,
    erf,
    exp,
    factorial,
    lambdify,
    log,
    pi,
    sin,
    sqrt,
    symbols,
    tanh,
)

from asympt.errors import UnsupportedError
from asympt.gaussian.piecewise import derivatives, plain

X = Symbol("x", real=True)
HALF = Rational(1, 2)
MISH = X * tanh(log(1 + exp(X)))
FORMULAS = [exp(X) - 1, X / (1 + X), tanh(X), X * exp(X) / (1 + exp(X)), MISH, X * (1 + erf(X)), sin(X) / X]


@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize("point", [Integer(0), HALF])
@pytest.mark.parametrize("side", [-1, 1])
def test_against_numerical_taylor_coefficients(formula, point, side):
    found = derivatives(formula, X, point, side, 12)
    function = lambdify(X, formula, "mpmath")
    with mp.workdps(60):
        # the trapezoidal rule for Cauchy's integral on a circle of radius 1/4: an independent route
        nodes = [mp.expjpi(mp.mpf(2) * k / 128) / 4 for k in range(128)]
        values = [function(mp.mpf(point.p) / point.q + z) for z in nodes]
        for n, value in enumerate(found):
            want = sum(v / z**n for v, z in zip(values, nodes, strict=True)) / 128 * mp.factorial(n)
            assert abs(mp.mpf(value.evalf(50)) - want) < mp.mpf(10) ** -25 * (1 + abs(want))


def test_by_hand():
    assert derivatives(X / (1 - X), X, Integer(0), -1, 6) == tuple(factorial(n) * (n > 0) for n in range(6))
    assert derivatives(sin(X), X, pi, 1, 4) == (0, -1, 0, 1)
    assert derivatives(X**3 - 2 * X, X, sqrt(2), 1, 5) == (0, 4, 6 * sqrt(2), 6, 0)
    assert derivatives(Si(X), X, Integer(0), 1, 4) == (0, 1, 0, Rational(-1, 3))  # Si' = sin(x)/x
    assert derivatives(besselj(1, X), X, Integer(0), -1, 4) == (0, HALF, 0, Rational(-3, 8))  # DLMF 10.2.2
    a = symbols("a", real=True)
    assert derivatives(a * (exp(2 * X) - 1), X, Integer(0), -1, 3) == (0, 2 * a, 4 * a)


def test_powers_that_are_not_whole_are_seen_from_the_order_on_where_they_matter():
    power = X ** Rational(5, 2)
    assert derivatives(power, X, Integer(0), 1, 3) == (0, 0, 0)
    with pytest.raises(UnsupportedError, match="no power series at x = 0 from the right"):
        derivatives(power, X, Integer(0), 1, 4)


@pytest.mark.parametrize("formula", [1 / X, log(X), sqrt(X), X * log(X), exp(1 / X), exp(-1 / X)])
def test_what_has_no_finite_derivatives(formula):
    with pytest.raises(UnsupportedError, match="use an activation whose derivatives are finite on both sides"):
        derivatives(formula, X, Integer(0), 1, 3)


def test_zero_is_recognised_in_any_form():
    assert plain((sqrt(2) + sqrt(3)) ** 2 - 5 - 2 * sqrt(6)) == 0
    assert plain(sin(1) ** 2 + sin(1 + pi / 2) ** 2 - 1) == 0
    assert plain(exp(1) ** 2 - exp(2)) == 0

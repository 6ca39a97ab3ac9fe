"""Stable rewriting and NumPy evaluation, against 100 digits of the formula as it was given."""

import numpy as np
import pytest
from mpmath import mp
from sympy import Rational, Symbol, atan, cosh, erf, erfc, exp, expand, lambdify, log, sin, sqrt, tanh

from asympt.errors import NoValueError
from asympt.gaussian.stable import IN_MPMATH, in_numpy, stable

X = Symbol("x", real=True)
POINTS = np.array([1e-9, 1e-5, 1e-2, 0.3, 1.0, 2.5, 8.0, 20.0, 37.0, 100.0, 700.0, 720.0, 1e3])
FORMULAS = [
    log(1 + exp(X)), log(2 + 3 * exp(X)), X * tanh(log(1 + exp(X))), exp(X) / (1 + exp(X)),
    1 / (1 + exp(-X)) - Rational(1, 2), exp(X) / (1 + exp(X)) - (exp(X) / (1 + exp(X))) ** 2, X / (1 + exp(-2 * X)),
    exp(-X) / (1 + exp(-X)) ** 2, X * (1 + erf(X / sqrt(2))) / 2, X * erfc(-X / sqrt(2)) / 2, 1 - tanh(X) ** 2,
    exp(X) - 1, (exp(X) - exp(-X)) / (exp(X) + exp(-X)), (X + sqrt(X**2 + 4)) / 2, X - tanh(X), log(cosh(X)),
    log(1 + X**2), X * exp(-(X**2)), (exp(X) - 1) / X, atan(X) * sin(X),
]  # fmt: skip


@pytest.mark.parametrize("formula", FORMULAS)
def test_fourteen_digits_without_overflow(formula):
    points = np.concatenate([-POINTS, POINTS])
    got = in_numpy(formula, X, {}, -np.inf, np.inf)(points)
    compiled = lambdify(X, formula, "mpmath")
    with mp.workdps(1000):  # 1 + erf(-37) needs 600
        for x, value in zip(map(float, points), got, strict=True):
            want, beside = compiled(mp.mpf(x)), compiled(mp.mpf(x) * (1 + mp.mpf(1e-15)))
            if abs(want) < mp.mpf(10) ** 300:
                assert abs(value - want) <= 1e-14 * abs(want) + abs(beside - want) + mp.mpf(10) ** -290


@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize("order", [0, 1, 2])
def test_rewriting_does_not_change_the_function(formula, order):
    formula = formula.diff(X, order)
    before, after = lambdify(X, formula, "mpmath"), lambdify(X, stable(formula), [IN_MPMATH, "mpmath"])
    with mp.workdps(40):
        for x in (mp.mpf(-7) / 3, mp.mpf(1) / 5, mp.mpf(4)):
            assert abs(before(x) - after(x)) <= mp.mpf(10) ** -36 * (1 + abs(before(x)))


def test_nan_goes_through_and_infinity_is_evaluated():
    function = in_numpy(tanh(X), X, {}, -np.inf, np.inf)
    assert np.isnan(function(np.array([np.nan]))).all() and function(np.array([np.inf])).tolist() == [1.0]
    with pytest.raises(NoValueError, match=r"^1/\(1 - erf\(x\)\^2\) has no value at x = .* \(division by zero\)"):
        in_numpy(1 / (1 - erf(X) ** 2), X, {}, -np.inf, np.inf)


def test_sigmoids_do_not_cancel():
    """1 - s(x) = s(-x): the second derivative of softplus and of the sigmoid need no mpmath."""
    s = 1 / (1 + exp(-X))
    assert str(stable((1 - s) * s)) == "stable_sigmoid(-x)*stable_sigmoid(x)"
    assert str(stable(3 - 3 * s)) == "3*stable_sigmoid(-x)" and str(stable(1 - 2 * s)) == "-tanh(x/2)"


@pytest.mark.parametrize(("low", "high"), [(1.5, 2.0), (2.0, 2.000001), (10.0, 10.01), (-1e-9, 1e-9), (200.0, 300.0)])
def test_a_piece_narrower_than_the_grid_is_tested_inside(low, high):
    """It crashed where no test point lay in the piece; a formula that cancels there has its digits from mpmath."""
    formula = (X + 7) ** 12 - expand((X + 7) ** 12) + exp(-X) / 10**9
    x = low + 0.4 * (high - low)
    got = in_numpy(formula, X, {}, low, high)(np.array([x]))[0]
    with mp.workdps(60):
        assert abs(got - mp.exp(-mp.mpf(x)) / 10**9) <= 1e-12 * mp.exp(-mp.mpf(x)) / 10**9

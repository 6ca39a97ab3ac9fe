"""Formulas on Arb's numbers against the same in mpmath, and what mpmath is asked for."""

import mpmath
import pytest
from flint import arb
from mpmath import mp
from sympy import Integer, LambertW, Rational, Symbol, exp, log, pi, sin, sqrt, tanh

from asympt.balls.arithmetic import midpoint, of_mpf, working
from asympt.errors import InputError
from asympt.gaussian.piecewise import PiecewiseSmooth
from asympt.gaussian.stable import in_arb, in_mpmath
from asympt.meanfield.activations import activation
from asympt.meanfield.catalogue import catalogue

X = Symbol("x", real=True)
POINTS = (-7, -1.25, -1e-3, 0.5, 3, 40)


def value(function, x, digits: int):
    with mp.workdps(digits), working(mp.prec):
        return midpoint(function(of_mpf(mp.mpf(x))))


@pytest.mark.parametrize("name", catalogue())
@pytest.mark.parametrize("digits", [20, 90])
def test_every_piece_of_every_activation(name, digits):
    phi = activation(name).piecewise
    for fast, exactly in zip(phi.ball_functions, phi.piece_functions, strict=True):
        for x in POINTS:
            with mp.workdps(digits):
                expected = exactly(mp.mpf(x))
                if not isinstance(expected, mpmath.mpc):
                    assert abs(value(fast, x, digits) - expected) <= abs(expected) * mp.mpf(10) ** (6 - digits)


@pytest.mark.parametrize("formula", [
    sqrt(3) * X + pi**2, Rational(1, 3) * X**3, 2**X, exp(-X) * LambertW(X), Integer(5) + 0 * X, X ** sqrt(2),
])  # fmt: skip
def test_numbers_have_the_digits_of_the_moment(formula):
    exactly = in_mpmath(formula, X, {})
    function = in_arb(formula, X, exactly)
    for digits in (20, 150, 30):
        with mp.workdps(digits + 5):
            assert abs(value(function, 2, digits + 5) - exactly(mp.mpf(2))) < mp.mpf(10) ** -digits


def test_a_hole_is_filled_and_what_is_not_real_is_refused():
    phi = PiecewiseSmooth.of(sin(X) / X, X)
    assert value(phi.ball_functions[0], 0, 30) == 1
    with pytest.raises(InputError, match="is not real at"):
        in_arb(log(X), X, in_mpmath(log(X), X, {}))(arb(-1))


def test_functions_of_an_integer_in_the_formula():
    """exp(-1) - 1 becomes expm1(-1), and SymPy writes -1 as Python's integer."""
    formula = X / 3 - 3 * exp(-1) / 4 + Rational(3, 4) + exp(X) + log(3) * tanh(2)
    with mp.workdps(30):
        expected = mp.mpf(2) / 3 - 3 * mp.exp(-1) / 4 + 0.75 + mp.exp(2) + mp.log(3) * mp.tanh(2)
        assert abs(value(in_arb(formula, X), 2, 30) - expected) < mp.mpf(10) ** -26

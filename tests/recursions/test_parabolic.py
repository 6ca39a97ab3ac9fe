"""The Abel function: printed series, and the ReLU family."""

import pytest
from sympy import Rational, Symbol, factorial, pi, simplify, sqrt

from asympt import FeedForward
from asympt.errors import UnsupportedError
from asympt.recursions import AbelFunction

# t' = t (1 + e): e by hand from the textbook series
SINE = [0, 0, Rational(-1, 6), 0, Rational(1, 120), 0, Rational(-1, 5040), 0, Rational(1, 362880)]
LOGISTIC = [0, -1, *[0] * 13]


def test_logistic_series_as_printed():
    # from a calculation independent of this code: 1/x + log x + x/2 + x^2/3 + 13 x^3/36 + 113 x^4/240 + ...
    abel = AbelFunction.solve(LOGISTIC, root=1)
    assert [abel[k] for k in (-1, 1, 2, 3, 4)] == [
        1,
        Rational(1, 2),
        Rational(1, 3),
        Rational(13, 36),
        Rational(113, 240),
    ]
    assert abel.residue == 1 and abel.multiplicity == 1 and abel[0] == 0


def test_sine_series_as_printed():
    # from a calculation independent of this code: 3/x^2 + (6/5) log x + 79 x^2/1050 + 29 x^4/2625 + ...
    abel = AbelFunction.solve([*SINE, 0, -Rational(1, factorial(11))], root=1)
    assert [abel[k] for k in (-2, -1, 1, 2, 3, 4)] == [3, 0, 0, Rational(79, 1050), 0, Rational(29, 2625)]
    assert abel.residue == Rational(6, 5) and abel.multiplicity == 2


def test_symbolic_slopes_have_residue_three_halves():
    right, left = Symbol("a", real=True), Symbol("b", real=True)
    abel = FeedForward("relu_like", right=right, left=left).correlation_law(terms=1).abel
    assert abel.residue == Rational(3, 2)
    # alpha_(-1) = 3/(sqrt(2) rho), rho = (a - b)^2/(pi (a^2 + b^2))
    assert simplify(abel[-1] - 3 * pi * (right**2 + left**2) / (sqrt(2) * (right - left) ** 2)) == 0


def test_the_identity_has_no_abel_function():
    with pytest.raises(UnsupportedError, match="the map is the identity to every order seen"):
        AbelFunction.solve([0, 0, 0, 0], root=1)

"""The Abel function: printed series, and the ReLU family."""

import pytest
from sympy import Rational, Symbol, factorial, pi, simplify, sqrt, symbols, sympify

from asympt import FeedForward
from asympt.errors import UnsupportedError
from asympt.recursions import AbelFunction

# t' = t (1 + e): e by hand from the textbook series
SINE = [0, 0, Rational(-1, 6), 0, Rational(1, 120), 0, Rational(-1, 5040), 0, Rational(1, 362880)]
LOGISTIC, MOEBIUS = [0, -1, *[0] * 13], [Rational((-1) ** k) if k else 0 for k in range(15)]


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


def test_a_moebius_map_has_a_finite_abel_function():
    # t/(1+t) is exactly 1/t -> 1/t + 1
    abel = AbelFunction.solve(MOEBIUS, root=1)
    assert str(abel.expansion).startswith("1/t + O(")


A, B = symbols("a b")


@pytest.mark.parametrize("growth", [[0, -A, B, *[0] * 7], [0, 0, -A, B, A * B, *[0] * 8], [0, 0, -A, 0, B, *[0] * 8]])
def test_parameters_in_the_leading_coefficient(growth):
    values = {A: Rational(2, 3), B: Rational(-3, 7)}
    numbers = [sympify(c).subs(values) for c in growth]
    assert AbelFunction.solve(growth, root=1).subs(values) == AbelFunction.solve(numbers, root=1)


def test_pi_in_the_leading_coefficient():
    # x -> x - pi x^2 is y -> y - y^2 for y = pi x: alpha_k gains pi^k
    plain = AbelFunction.solve([0, -1, *[0] * 8], root=1)
    scaled = AbelFunction.solve([0, -pi, *[0] * 8], root=1)
    assert [scaled[k] for k in range(-1, 6)] == [plain[k] * pi**k for k in range(-1, 6)]
    assert scaled.residue == plain.residue


def test_relu_numbers():
    # from a calculation independent of this code: m = 1, alpha_(-1) = 3 pi/sqrt(2), rho = 3/2
    abel = FeedForward("relu").correlation_law(terms=1).abel
    assert abel.multiplicity == 1
    assert simplify(abel[-1] - 3 * pi / sqrt(2)) == 0
    assert abel.residue == Rational(3, 2)


def test_symbolic_slopes_have_residue_three_halves():
    right, left = Symbol("a", real=True), Symbol("b", real=True)
    abel = FeedForward("relu_like", right=right, left=left).correlation_law(terms=1).abel
    assert abel.residue == Rational(3, 2)
    # alpha_(-1) = 3/(sqrt(2) rho), rho = (a - b)^2/(pi (a^2 + b^2))
    assert simplify(abel[-1] - 3 * pi * (right**2 + left**2) / (sqrt(2) * (right - left) ** 2)) == 0


def test_the_identity_has_no_abel_function():
    with pytest.raises(UnsupportedError, match="the map is the identity to every order examined"):
        AbelFunction.solve([0, 0, 0, 0], root=1)

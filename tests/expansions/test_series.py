"""The series kernel against SymPy's own Taylor arithmetic and against textbook numbers."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import Integer, Poly, Rational, Symbol, expand, log, series

from asympt.expansions.series import logarithm, power, product

T = Symbol("t")
fractions = st.fractions(-5, 5, max_denominator=6)
serieses = st.lists(fractions, min_size=1, max_size=7)


def polynomial(coefficients):
    return sum((Rational(c.numerator, c.denominator) * T**k for k, c in enumerate(coefficients)), Integer(0))


def taylor(expression, count: int) -> list[Fraction]:
    """The first `count` Taylor coefficients, by SymPy's series."""
    truncated = Poly(series(expression, T, 0, count).removeO(), T)
    return [Fraction(int(c.p), int(c.q)) for c in (truncated.coeff_monomial(T**k) for k in range(count))]


@given(serieses, serieses, st.integers(1, 15))
def test_product_is_sympys_product(a, b, count):
    together = Poly(expand(polynomial(a) * polynomial(b)), T)
    assert [Rational(c.numerator, c.denominator) for c in product(a, b, count)] == [
        together.coeff_monomial(T**k) for k in range(count)
    ]


@pytest.mark.parametrize("tail", [[2], [0, Fraction(1, 3)], [Fraction(-1, 2), 0, 5], [1, 1, 1, 1, 1]])
@pytest.mark.parametrize("exponent", [Fraction(1, 2), Fraction(-2, 3), Fraction(-1), Fraction(3), Fraction(0)])
def test_power_is_sympys_series(tail, exponent):
    base = [Fraction(1), *map(Fraction, tail)]
    expected = taylor(polynomial(base) ** Rational(exponent.numerator, exponent.denominator), 7)
    assert power(base, exponent, 7) == expected


@pytest.mark.parametrize("tail", [[2], [0, Fraction(1, 3)], [Fraction(-1, 2), 0, 5], [1, 1, 1, 1, 1]])
def test_logarithm_is_sympys_series(tail):
    base = [Fraction(1), *map(Fraction, tail)]
    assert logarithm(base, 7) == taylor(log(polynomial(base)), 7)


def test_catalan_numbers_from_a_square_root():
    # OEIS A000108: (1 - sqrt(1 - 4t))/(2t) = 1 + t + 2 t^2 + 5 t^3 + 14 t^4 + 42 t^5 + 132 t^6 + ...
    root = power([Fraction(1), Fraction(-4)], Fraction(1, 2), 8)
    assert [-c / 2 for c in root[1:]] == [1, 1, 2, 5, 14, 42, 132]

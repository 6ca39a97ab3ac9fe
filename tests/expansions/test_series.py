"""The series kernel against SymPy's own Taylor arithmetic and against textbook numbers."""

from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp
from sympy import EX, QQ, Integer, Poly, Rational, Symbol, exp, expand, log, pi, series, sqrt

from asympt.expansions.fields.field import Field
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


@settings(max_examples=30)
@given(serieses, st.integers(1, 3), st.integers(1, 10))
def test_power_undoes_itself_and_log_turns_it_into_a_multiple(tail, root, count):
    base = [Fraction(1), *tail]
    once = power(base, Fraction(1, root), count)
    again = once
    for _ in range(root - 1):
        again = product(again, once, count)
    padded = [*base, *[Fraction(0)] * count][:count]
    assert again == padded
    assert [root * c for c in logarithm(once, count)] == logarithm(base, count)


@given(serieses, st.integers(1, 6), st.integers(7, 12))
def test_fewer_coefficients_are_the_first_ones_of_more(tail, few, many):
    base = [Fraction(1), *tail]
    assert power(base, Fraction(-1, 2), many)[:few] == power(base, Fraction(-1, 2), few)
    assert logarithm(base, many)[:few] == logarithm(base, few)


def test_mpmath_numbers_give_the_same_series_as_fractions():
    base = [Fraction(1), Fraction(1, 3), Fraction(-2, 7)]
    with mp.workdps(40):
        numbers = power([mpmath.mpf(c.numerator) / c.denominator for c in base], mpmath.mpf(1) / 2, 9)
        for number, fraction in zip(numbers, power(base, Fraction(1, 2), 9), strict=True):
            assert abs(number - mpmath.mpf(fraction.numerator) / fraction.denominator) < mpmath.mpf(10) ** -37


@pytest.mark.parametrize(
    ("coefficients", "name"),
    [
        ([Rational(1, 2), 3], "QQ"),
        ([Symbol("a") ** 2, Rational(1, 2)], "QQ[a]"),
        ([Symbol("b") * Symbol("a")], "QQ[a,b]"),
        ([1 / Symbol("a")], "QQ(a)"),
        ([pi, 1], "QQ[pi]"),
        ([sqrt(2) * Symbol("a")], "QQ<sqrt(2)>[a]"),
    ],
)
def test_the_smallest_field_is_chosen(coefficients, name):
    field = Field.of(coefficients)
    assert str(field.domain) == name
    assert [field.leave(c) for c in field.enter(coefficients)] == [expand(c) for c in coefficients]


def test_arithmetic_in_every_field_agrees_with_sympy():
    a = Symbol("a")
    for base in ([1, a, a**2], [1, 1 / a, 2], [1, pi, sqrt(2)]):
        field = Field.of(base)
        third = QQ(1, 3) if field.domain is not EX else Rational(1, 3)
        got = [field.leave(c) for c in power(field.enter(base), third, 4)]
        truth = series((base[0] + base[1] * T + base[2] * T**2) ** Rational(1, 3), T, 0, 4).removeO()
        for k, coefficient in enumerate(got):
            assert (coefficient - truth.coeff(T, k)).simplify() == 0


def test_exponential_series_by_its_logarithm():
    # log of sum t^k/k! is t, exactly: an identity that no line of the kernel contains
    factorials = taylor(exp(T), 10)
    assert logarithm(factorials, 10) == [0, 1] + [0] * 8

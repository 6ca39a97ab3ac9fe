"""Reading numbers: what is taken exactly, what is refused, and in which words."""

from decimal import Decimal
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp
from sympy import Float, I, Integer, Max, Rational, Symbol, nan, oo, pi, sqrt, zoo

from asympt.errors import InputError
from asympt.numbers import exact, to_mpf


@pytest.mark.parametrize(("given_value", "expected"), [
    (3, Integer(3)), (Fraction(2, 7), Rational(2, 7)), (Rational(2, 7), Rational(2, 7)), ("2/7", Rational(2, 7)),
    (" 0.125 ", Rational(1, 8)), ("1e-20", Rational(1, 10**20)), ("sqrt(2)/2", sqrt(2) / 2), ("pi", pi),
    (0.1, Rational(1, 10)), (np.float64(0.1), Rational(1, 10)), (np.int64(2**53 + 1), Integer(2**53 + 1)),
    (Decimal("0.1234567890123456789012345"), Rational("0.1234567890123456789012345")),
    (mpmath.mpf("0.5"), Rational(1, 2)), (-mpmath.mpf(3), Integer(-3)), (7 * 10**30, Integer(7 * 10**30)),
])  # fmt: skip
def test_reads_exactly(given_value, expected):
    assert exact(given_value) == expected


def test_a_computed_number_is_read_as_its_binary_value():
    # 0.1 in 53 bits is 3602879701896397/2^55 (IEEE 754); only a Python float stands for the decimal it prints
    assert exact(mpmath.mpf(0.1)) == Rational(3602879701896397, 2**55)
    assert exact(Float(0.1)) == Rational(1, 10), "a SymPy Float of Python's precision is a float"
    assert exact(Float("0.1", 40)) != Rational(1, 10)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_is_the_decimal_it_prints(value):
    assert exact(value) == Rational(str(value))


@given(st.fractions())
def test_a_fraction_survives_text_and_back(value):
    assert exact(str(value)) == exact(value) == Rational(value.numerator, value.denominator)


REFUSED = {
    "not a finite number; give a finite real number": [
        float("nan"), float("inf"), "nan", "-inf", "oo", Decimal("Infinity"), Decimal("NaN"), mpmath.nan, mpmath.inf,
        nan, oo, zoo, "1/0", Float("nan"),
    ],
    "is not real; give a real number": [I, "sqrt(-2)", 1 + 2 * I],
    "is not a number; give a number such as": [
        "", "abc", "x", "2**10**10", "__import__('os')", "((((1", "1" * 5000, "1e999999999", "sqrt", None, 1j, [1], {},
        object(), np.array([1, 2]), "sin(asin(2))", "sqrt(-2)*sqrt(-3)", "abs(log(-1))",
    ],
}  # fmt: skip


@pytest.mark.parametrize(("said", "bad"), [(said, bad) for said in REFUSED for bad in REFUSED[said]])
def test_refusals(said, bad):
    with pytest.raises(InputError, match=said):
        exact(bad)


def test_the_message_names_the_quantity_and_the_value():
    with pytest.raises(InputError, match=r"^sigma_w = 'abc' is not a number"):
        exact("abc", "sigma_w")


def test_a_symbol_passes_for_symbolic_slopes():
    slope = Symbol("a")
    assert exact(slope) == slope
    assert exact(Max(slope, 0)) == Max(slope, 0)


@pytest.mark.parametrize("digits", [15, 50, 500])
@pytest.mark.parametrize("value", [Rational(1, 3), Rational(-22, 7), sqrt(2), pi / 3, Rational(1, 10**60)])
def test_to_mpf_has_all_the_digits_of_the_working_precision(value, digits):
    with mp.workdps(digits):
        number = to_mpf(value)
    with mp.workdps(digits + 30):
        reference = mpmath.mpf(str(value.evalf(digits + 20)))  # SymPy's own evaluation, through decimal text
        assert abs(number - reference) <= abs(reference) * mpmath.mpf(10) ** (1 - digits)


def test_to_mpf_depends_on_the_precision_in_force_and_not_on_the_first_call():
    with mp.workdps(15):
        coarse = to_mpf(Rational(1, 3))
    with mp.workdps(60):
        fine = to_mpf(Rational(1, 3))
        assert abs(fine - coarse) > mpmath.mpf(10) ** -20
        assert abs(3 * fine - 1) < mpmath.mpf(10) ** -58

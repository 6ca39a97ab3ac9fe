"""A law as the user meets it: reading, precision, and what evaluation refuses."""

import mpmath
import numpy as np
import pytest
from mpmath import mp
from sympy import Rational, Symbol, log, sin, symbols

from asympt import FeedForward, Recursion
from asympt.errors import PrecisionError, UnsupportedError
from asympt.expansions import Formal, Monomial
from asympt.numbers import check_depth
from asympt.recursions.agreement import agreed
from asympt.recursions.law import Law

X = Symbol("x", positive=True)
RELU = FeedForward("relu")


def test_a_law_reads_as_its_expansion():
    law = RELU.ntk_law(terms=2)
    assert str(law) == str(law.expansion) == "1/4 + 3*log(L)/(8*L) + O(1/L)"
    assert law.latex() == (
        r"\frac{K^{L}(x,x')}{q\,L} = \frac{1}{4} + \frac{3 \log L}{8 L} + O\!\left(\frac{1}{L}\right)"
    )
    assert law._repr_latex_() == rf"$\displaystyle {law.latex()}$"
    assert law.remainder == Formal(Monomial(1))
    assert law.to_sympy() == law.expansion.to_sympy()


def test_limits_and_rates():
    L, layer, n = symbols("L l n", positive=True)
    assert RELU.ntk_law().limit == Rational(1, 4)
    assert RELU.ntk_law().rate == log(L) / L
    assert RELU.correlation_law().limit == 0 and RELU.correlation_law().rate == layer**-2
    assert RELU.correlation_law().depth_variable == layer and RELU.ntk_law().depth_variable == L
    # a law cut to its limit takes its rate from the remainder
    assert RELU.ntk_law(terms=1).rate == RELU.ntk_law(terms=2).rate
    assert Recursion(sin(X), X).law().rate == n ** Rational(-1, 2)


@pytest.mark.parametrize("digits", [10, 60])
def test_numbers_carry_the_digits_asked_for_whatever_precision_is_set(digits, agrees):
    law = RELU.ntk_law()
    reference = law.evaluate(depth=777, correlation="1/3", digits=digits + 15)
    with mp.workdps(5):
        value = law.evaluate(depth=777, correlation="1/3", digits=digits)
        assert mp.dps == 5
    assert isinstance(value, mpmath.mpf) and agrees(value, reference, digits)
    constant = law.connection_constant(correlation="1/3", digits=digits)
    second = law.second_constant(correlation="1/3", digits=digits)
    assert agrees(constant, law.connection_constant(correlation="1/3", digits=digits + 15), digits)
    assert agrees(second, law.second_constant(correlation="1/3", digits=digits + 15), digits)


def test_a_working_precision_set_by_the_user_does_not_leak_into_cached_numbers(agrees):
    fresh = FeedForward("leaky_relu", slope="3/10").correlation_law()
    with mp.workdps(3):
        low = fresh.evaluate(depth=5000, correlation="1/7", digits=40)
    with mp.workdps(300):
        high = fresh.evaluate(depth=5000, correlation="1/7", digits=60)
    assert agrees(low, high, 40)


@pytest.mark.parametrize("depth", [7, 7.0, "7", Rational(7), np.int64(7), np.float64(7.0), mpmath.mpf(7)])
def test_depths_of_any_numeric_type(depth):
    assert check_depth(depth) == 7 and type(check_depth(depth)) is int


def test_what_never_agrees_is_refused_in_one_sentence_that_shows_both():
    with pytest.raises(PrecisionError) as caught:
        agreed(lambda extra: [(mpmath.mpf(1), None), (mpmath.mpf(2), None)], 5, "two readings", "ask for fewer digits")
    assert str(caught.value) == "two readings do not agree to 5 digits (1.0 and 2.0); ask for fewer digits"


def test_a_formula_alone_cannot_be_evaluated():
    law = Law("x_{l}", RELU.correlation_law().expansion, lambda start: start)
    assert (law.kind, law.abel, law.parameters) == ("unknown", None, set())
    with pytest.raises(UnsupportedError, match="a formula alone"):
        law.evaluate(10, start=1)

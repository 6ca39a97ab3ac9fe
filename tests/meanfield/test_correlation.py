"""The correlation map as an object: its forms agree, its numbers have their digits, its input is checked."""

import mpmath
import pytest
from mpmath import mp
from sympy import Rational, Symbol, acos, pi, sqrt

from asympt import CorrelationMap, activation

C = Symbol("c", real=True)
RELU = CorrelationMap.of(activation("relu"))
MAPS = {
    "relu": RELU,
    "leaky": CorrelationMap.of(activation("leaky_relu", slope="1/10")),
    "abs": CorrelationMap.of(activation("abs")),
}


def direct(f: CorrelationMap, c, digits: int):
    with mp.workdps(3 * digits + 60):
        rho, c = mpmath.mpf(f.asymmetry.evalf(3 * digits + 60)._mpf_), mpmath.mpf(int(c.p)) / int(c.q)
        return c + rho * (mp.sqrt(1 - c * c) - c * mp.acos(c)), 1 - rho * mp.acos(c)


@pytest.mark.parametrize("name", MAPS)
@pytest.mark.parametrize("digits", [10, 30, 100])
@pytest.mark.parametrize(
    "c", [Rational(1, 10), Rational(-9, 10), 0, 1 - Rational(1, 10**25), -1 + Rational(1, 10**12), Rational(1, 10**30)]
)
def test_numbers_have_the_digits_asked_for(name, digits, c, agrees):
    c = Rational(c)
    assert agrees(MAPS[name](c, digits=digits), direct(MAPS[name], c, digits)[0], digits)


def test_near_a_zero_of_the_map_digits_do_not_cancel(agrees):
    # the leaky map changes sign; at a c that is its zero to 20 digits, the value still has 30
    f = MAPS["leaky"]
    with mp.workdps(30):
        zero = mp.findroot(lambda c: direct(f, Rational(str(c)), 20)[0], mpmath.mpf("-0.5"))
    c = Rational(mpmath.nstr(zero, 20))
    truth = direct(f, c, 40)[0]
    assert abs(truth) < 1e-18
    assert agrees(f(c, digits=30), truth, 30)


def test_exact_ends():
    assert RELU(1) == 1 and MAPS["abs"](1) == 1 and MAPS["abs"](-1) == 1
    assert RELU(-1) == 0


def test_forms_of_one_map():
    assert RELU.closed_form == C + (sqrt(1 - C**2) - C * acos(C)) / pi
    assert RELU.closed_slope == 1 - acos(C) / pi
    assert str(RELU.expansion(order=5)) == "1 - t^2 + 2*sqrt(2)*t^3/(3*pi) + sqrt(2)*t^5/(30*pi) + O(t^7)"
    assert RELU.asymmetry == 1 / pi
    rho = Symbol("rho", positive=True)
    assert CorrelationMap.with_asymmetry(rho).asymmetry == rho
    assert CorrelationMap.with_asymmetry(1 / pi) == RELU


SYMBOLIC = CorrelationMap.of(activation("relu_like", right=Symbol("a"), left=1))
REFUSALS = {
    "above": (lambda: RELU("1.01"), "correlation = 101/100 is outside [-1, 1]"),
    "below": (lambda: RELU(-2), "correlation = -2 is outside [-1, 1]"),
    "nan": (lambda: RELU(float("nan")), "correlation = nan is not a finite number"),
    "text": (lambda: RELU("close to one"), "correlation = 'close to one' is not a number"),
    "symbol": (lambda: RELU(C), "correlation = c is not a number"),
    "symbolic slopes": (lambda: SYMBOLIC(0), "the slopes contain the symbols a; give numbers to evaluate"),
    "no digits": (lambda: RELU(0, digits=0), "digits = 0 is not a whole number from 1"),
    "half a digit": (lambda: RELU(0, digits=1.5), "digits = 1.5 is not a whole number"),
    "order 1": (lambda: RELU.expansion(order=1), "order = 1 is not a whole number from 2 to 400"),
    "order text": (lambda: RELU.slope_expansion(order="9"), "order = 9 is not a whole number from 2 to 400"),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_bad_input_gets_one_sentence(name, refused):
    refused(*REFUSALS[name])

"""Starts far from the fixed point: what one step makes tiny is not a landing, and a landing is still seen."""

from functools import partial

import mpmath
import pytest
from mpmath import mp, mpf
from sympy import Rational, Symbol, atan, cos, exp, log, pi, sin, sqrt, tanh

from asympt.errors import InputError
from asympt.recursions.recursion import Recursion

x = Symbol("x", positive=True)


def value(expression, start, depth):
    return Recursion(expression, x).law(terms=2).evaluate(depth=depth, start=start, digits=25)


def close(one, two):
    with mp.workdps(40):
        return abs(one - two) < abs(two) * mpf(10) ** -24


@pytest.mark.parametrize(("expression", "start", "plain"), [
    (atan(x), 10**100, mp.atan), (log(1 + x), 10**100, mp.log1p), (tanh(x), 10**50, mp.tanh),
    (x / (1 + x), 10**300, lambda y: y / (1 + y)),
    (x * exp(-x), 1000, lambda y: y * mp.exp(-y)),
    (tanh(x) / 2, "1e1000", lambda y: mp.tanh(y) / 2),
    (x * exp(-x) / 2, 1000, lambda y: y * mp.exp(-y) / 2),
])  # fmt: skip
@pytest.mark.parametrize("depth", [1, 2, 300])
def test_orbits_from_far_out_agree_with_plain_iteration(expression, start, plain, depth):
    with mp.workdps(60):
        y = mpf(start)
        for _ in range(depth):
            y = plain(y)
    assert close(value(expression, start, depth), y)


def test_a_tiny_distance_from_a_fixed_point_that_is_not_zero():
    # 1 + (x-1) exp(1-x)/3 from 1001: x_1 - 1 = 1000 exp(-1000)/3, and A or S carries it on
    law = Recursion(1 + (x - 1) * exp(1 - x) / 3, x, 1).law(terms=2)
    with mp.workdps(40):
        assert close(law.connection_constant(start=1001, digits=25), 1000 * mp.exp(-1000))


def test_a_tiny_image_gives_a_huge_abel_coordinate():
    # A = 1/y + (1/2) log y + ... for x exp(-x), 1/y_1 = exp(1000)/1000; the logarithm (-993) is far below 25 digits
    with mp.workdps(40):
        assert close(Recursion(x * exp(-x), x).law().connection_constant(start=1000, digits=25), mp.exp(1000) / 1000)


def test_a_constant_that_cancels_to_the_last_digit_is_found_with_more():
    # x/(1+x) from X: 1/x_n = n + 1/X, so C = 1/X
    law = Recursion(x / (1 + x), x).law(terms=2)
    assert mpmath.nstr(law.connection_constant(start=10**90, digits=20), 10) == "1.0e-90"


@pytest.mark.parametrize(("expression", "start", "point"), [
    (x * (1 - x), 1, None), (x * (1 - x) / 2, 1, None), (x * (sqrt(2) - x) / 2, sqrt(2), None), (sin(x), pi, None),
    (x * (1 - 3 * x) ** 2, Rational(1, 3), None), (Rational(5, 2) * x * (1 - x), Rational(2, 5), Rational(3, 5)),
    (1 + (x - 1) * exp(1 - x) * (3 - x) / 3, 3, 1), (x * cos(x), pi / 2, None),
])  # fmt: skip
def test_landings_are_seen(expression, start, point):
    law = Recursion(expression, x, point).law(terms=2)
    for ask in (partial(law.evaluate, 3), partial(law.evaluate, 10**6)):
        with pytest.raises(InputError, match="lands on the fixed point"):
            ask(start=start)


def test_a_start_without_a_distance_from_infinity():
    # sqrt(1 + x^2) takes 0 to 1, but 1/x has no value there
    with pytest.raises(InputError, match="start = 0 is infinitely far from infinity"):
        value(sqrt(1 + x**2), 0, 5)


def test_an_orbit_that_escapes_doubly_exponentially_is_refused_before_its_sine_is_taken():
    # x - 4 x^2 doubles the digits at every step: after 60 the sine of x would need 2^60 of them
    law = Recursion(x - 4 * x**2 - x**2 * sin(10**8 * x) / 100, x).law(terms=2)
    with pytest.raises(InputError, match="the orbit escapes"):
        law.evaluate(depth=64, start=Rational(3, 2), digits=15)

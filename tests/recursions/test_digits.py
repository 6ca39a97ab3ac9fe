"""Two hundred digits: the longer number begins with the shorter one, at depths from a million to 10^100."""

import pytest
from mpmath import mp
from sympy import Rational, Symbol, cos, exp, sin

from asympt import Recursion

X = Symbol("x")
CASES = {
    "sine": (Recursion(sin(X), X), 1),
    "logistic": (Recursion(X * (1 - X), X), Rational(1, 2)),
    "at infinity": (Recursion(X + 1 / X, X), 1),
    "hyperbolic": (Recursion(cos(X), X), 1),
    "flip": (Recursion(-sin(X), X), 1),
    "half powers": (Recursion(X - X ** Rational(3, 2) / 2, X), Rational(1, 2)),
    "from close by": (Recursion(sin(X), X), "1e-30"),
    "from below": (Recursion(exp(X) - 1, X, side="below"), -1),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_fewer_digits_are_the_first_of_more(name):
    recursion, start = CASES[name]
    law = recursion.law(terms=2)
    for depth in (10**6, 10**100):
        long, short = (law.evaluate(depth=depth, start=start, digits=digits) for digits in (200, 40))
        with mp.workdps(220):
            assert abs(long - short) <= abs(long) * mp.mpf(10) ** -40


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_the_constants_too(name):
    recursion, start = CASES[name]
    law = recursion.law(terms=2)
    long, short = (law.connection_constant(start=start, digits=digits) for digits in (200, 40))
    with mp.workdps(220):
        assert abs(long - short) <= abs(long) * mp.mpf(10) ** -40

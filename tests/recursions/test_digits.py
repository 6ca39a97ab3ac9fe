"""Two hundred digits: the longer number begins with the shorter one, at depths from a million to 10^100."""

from functools import partial

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


@pytest.mark.parametrize("name", CASES)
def test_fewer_digits_are_the_first_of_more(name):
    recursion, start = CASES[name]
    law = recursion.law(terms=2)
    asked = (partial(law.evaluate, depth=10**6), partial(law.evaluate, depth=10**100), law.connection_constant)
    for number in asked:
        more, fewer = (number(start=start, digits=digits) for digits in (100, 30))
        with mp.workdps(120):
            assert abs(more - fewer) <= abs(more) * mp.mpf(10) ** -30

"""Linear recursions along plain ones: exact sums, plain iteration, every kind of multiplier, refusals."""

import mpmath
import pytest
from mpmath import mp
from sympy import EulerGamma, Rational, Symbol, cos, log, sin, sqrt

from asympt import Recursion
from asympt.errors import InputError, UnsupportedError

X = Symbol("x")
HALF = Rational(1, 2)
N, C, D = Symbol("n", positive=True), Symbol("C", real=True), Symbol("D", real=True)


def test_the_harmonic_numbers(agrees):
    # x_k = 1/(k+1), so a_n = H_n = log n + gamma + 1/(2n) - 1/(12 n^2) + ..., C = 1
    law = Recursion(X / (1 + X), X).linear_law(1, X, 0, terms=4)
    printed = log(N) + D + 1 / (2 * N) - 1 / (12 * N**2)
    assert (law.to_sympy().subs(C, 1) - printed).expand() == 0
    with mp.workdps(50):
        assert agrees(law.second_constant(start=1, digits=40), mpmath.mpf(EulerGamma.evalf(50)._mpf_), 40)


def test_what_forgets_its_start_has_no_second_constant():
    law = Recursion(sin(X), X).linear_law(HALF, X, 0, terms=2)
    assert not law.expansion.to_sympy().has(D)
    with pytest.raises(UnsupportedError, match="forgets its start"):
        law.second_constant(start=1)


REFUSALS = {
    "grows exponentially": (lambda: Recursion(sin(X), X).linear_law(2, 1), "the start is never forgotten"),
    "alternates": (lambda: Recursion(sin(X), X).linear_law(-1, 1), "the start is never forgotten"),
    "grows like exp(sqrt n)": (lambda: Recursion(sin(X), X).linear_law(1 + X, 1), "grow faster than any power"),
    "unbounded": (lambda: Recursion(sin(X), X).linear_law(1, 1 / X), "must be bounded at the fixed point"),
    "flip": (lambda: Recursion(-sin(X), X).linear_law(1, X), "is flip is not derived"),
    "repelling": (lambda: Recursion(X + X**2, X).linear_law(1, X), "repels orbits"),
    "irrational": (lambda: Recursion(X - X**2, X).linear_law(1 - sqrt(2) * X, X), "only rational h are expanded"),
    "foreign symbol": (lambda: Recursion(sin(X), X).linear_law(1, Symbol("z")), "z contains z; give a function of x"),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_refusals(name):
    action, message = REFUSALS[name]
    with pytest.raises((UnsupportedError, InputError)) as caught:
        action()
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_the_deviation_of_a_linear_law_is_the_distance_of_the_flow():
    law = Recursion(sin(X), X).linear_law(cos(X), 1, X)
    with mp.workdps(60):  # plain iteration of x alone
        x = mpmath.mpf(1)
        for _ in range(300):
            x = mp.sin(x)
        assert abs(law.deviation(depth=300, start=1, digits=30) - x) <= x * mpmath.mpf(10) ** -30


@pytest.mark.parametrize("given", [
    {}, {"forcing": 0}, {"forcing": 0, "initial": 0}, {"forcing": (X + 1) ** 2 - X**2 - 2 * X - 1},
])  # fmt: skip
@pytest.mark.parametrize("expression", [X - X**2, X / 2 + X**2])
def test_a_recursion_that_stays_at_zero_has_no_law(expression, given):
    """A theorem |a_n| <= 0 would be true of nothing that a user can want: without a forcing `initial` is asked for."""
    with pytest.raises(InputError, match="is 0 for ever, so there is no law; give initial="):
        Recursion(expression, X).linear_law(1 - X, **given)
    assert Recursion(expression, X).linear_law(1 - X, 0, 1, terms=1).constants

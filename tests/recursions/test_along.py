"""Linear recursions along plain ones: exact sums, plain iteration, every kind of multiplier, refusals."""

from dataclasses import replace

import mpmath
import pytest
from mpmath import mp
from sympy import EulerGamma, Rational, Symbol, asin, cos, exp, log, oo, pi, sin, sqrt

from asympt import Recursion, verify
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


ERF = Recursion(X + 2 / pi * asin(2 * X / (1 + 2 * X)), X, fixed_point=oo)  # K of a residual network of erf


def test_growth_like_exp_of_a_root(agrees):
    """Residual erf: J' = (1 + (4/pi)/sqrt(1 + 4 K)) J from K = J = 1; the numbers by two routes, to 40 digits."""
    law = ERF.linear_law(1 + 4 / (pi * sqrt(1 + 4 * X)), 0, 1, terms=3)
    assert law.coefficient((0, 0)) == D * exp(-8 / pi**2) and law.limit == oo
    assert law.rate == N ** (2 / pi**2) * exp(4 * sqrt(N) / pi)
    next_ = (2 * C / pi - 1 / (2 * pi) - 40 / (3 * pi**3)) * law.coefficient((0, 0))
    assert (law.coefficient((HALF, 0)) - next_).expand() == 0
    assert (law.coefficient((HALF, 1)) / law.coefficient((0, 0)) + 8 / pi**3).expand() == 0
    with mp.workdps(50):
        first, second = law.connection_constant(start=1, digits=42), mp.log(law.second_constant(start=1, digits=42))
        assert agrees(first, mpmath.mpf("1.640403597095407987312790136920060547462"), 38)
        assert agrees(second, mpmath.mpf("-0.6669270855408591270122019765883979655172"), 38)
        assert agrees(mp.exp(second - 8 / mp.pi**2), mpmath.mpf("0.228208280815025371141417597685"), 30)
    assert law.evaluated(10**12, start=1).trust == "two routes"


def test_the_product_of_one_plus_inverse_roots(agrees):
    law = Recursion(X / (1 + X), X).linear_law(1 + sqrt(X), 0, 1, terms=2)
    assert str(law) == "D*exp(2*sqrt(n))/sqrt(n) + (D*(C - 7/6))*exp(2*sqrt(n))/n + O(exp(2*sqrt(n))/n^(3/2))"
    with mp.workdps(40):  # the product of 1 + 1/sqrt(k), by Hurwitz zeta functions
        assert agrees(law.second_constant(start=1, digits=32), mpmath.mpf("0.32194948317389029682872950956412"), 30)
    assert verify(law, digits=15).verdict == "checked"
    wrong = replace(law.expansion, terms=tuple((m, c * (1 + k)) for k, (m, c) in enumerate(law.expansion.terms)))
    assert verify(replace(law, expansion=wrong), digits=15).verdict == "refuted"


def test_a_growth_of_open_sign_is_refused():
    a = Symbol("a", real=True, nonzero=True)
    with pytest.raises(UnsupportedError, match="depends on the sign of a"):
        Recursion(X - a**2 * X**3, X).linear_law(1 + a * X, 1, terms=1)


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

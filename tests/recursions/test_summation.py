"""Proved sums: constants of the literature inside the balls, and refusals.

The fourth of `LOGS` is the first Stieltjes constant (OEIS A082633); those before it are computed with m = 150, M = 60
by the same lemma, in another program, and those behind it from Taylor coefficients and Hurwitz zetas of mpmath.
"""

import pytest
from mpmath import mp, mpf
from sympy import EulerGamma, Rational, Symbol, atan, cos, coth, exp, li, log, oo, pi, sin, sinh, sqrt, tan, tanh, zeta

from asympt import InputError, UnsupportedError, product, summation, time_limit
from asympt.errors import OverrunError
from asympt.numbers import to_mpf
from asympt.recursions import summation as module

n = Symbol("n")
LOGS = [
    (1 / (n * log(n) ** 2), "2.10974280123689197447925719761655132638553", None),
    (1 / (n * log(n)), "0.794678645452899402203897962065149514064999", log(log(n))),
    (1 / log(n), "-0.243238342890980755415059135465462307178304", li(n)),
    (log(n) / n, "-0.0728158454836767248605863758749013191377363", log(n) ** 2 / 2),
    (sin(1 / n) ** 2, "0.61825098699308224005061966339230790194813333", None),
    (1 - cos(1 / n), "0.31906088542089813244249646346704625009547695", None),
    (exp(1 / n) - cos(1 / n), "0.2561834514392042404469865189666185650876088", log(n)),
]


def encloses(found, expected, digits: int) -> bool:
    with mp.workdps(60):
        tiny = abs(expected) * mpf(10) ** (-digits)
        return found.low - tiny <= expected <= found.high + tiny and found.high - found.low <= 2 * tiny


@pytest.mark.parametrize(("term", "expected", "primitive"), LOGS)
def test_logarithms(term, expected, primitive):
    found = summation(term, (n, 2, "oo"), digits=40)
    with mp.workdps(60):
        assert encloses(found, mpf(expected), 40)
    assert str(found.primitive) == str(primitive)


@pytest.mark.parametrize(("found", "expected"), [
    (lambda d: summation(1 / n, (n, 1, "oo"), d), EulerGamma),
    (lambda d: summation(exp(-n), (n, 0, "oo"), d), 1 / (1 - exp(-1))),
    (lambda d: summation(n / 2**n, (n, 1, "oo"), d), Rational(2)),
    (lambda d: summation(1 / (n**4 + 4), (n, 1, "oo"), d), (pi * coth(pi) - 1) / 8),
    (lambda d: summation(atan(1 / (1 + n + n**2)), (n, 1, "oo"), d), pi / 4),  # telescopes
    (lambda d: summation(atan(n**-2), (n, 1, "oo"), d), pi / 4 - atan(tanh(pi / sqrt(2)) / tan(pi / sqrt(2)))),
    (lambda d: summation(n**-2, (n, 1, "oo"), d), zeta(2)),
    (lambda d: summation(1 / sqrt(n), (n, 1, "oo"), d), zeta(Rational(1, 2))),
    (lambda d: summation(log(n), (n, 1, "oo"), d), log(2 * pi) / 2),
    (lambda d: summation(1 / (n - 5), (n, 6, "oo"), d), EulerGamma),
    (lambda d: summation(1 / (1 + sqrt(n**2)) ** 2, (n, -1, "oo"), d), zeta(2) + Rational(1, 4)),
    (lambda d: summation(n**15, (n, 1, "oo"), d), zeta(-15)),
    (lambda d: product(1 + n**-2, (n, 1, "oo"), d), sinh(pi) / pi),
    (lambda d: product(1 - 1 / n, (n, 2, "oo"), d), exp(1)),
    (lambda d: product(1 - 2 / n**2, (n, 1, "oo"), d), sin(pi * sqrt(2)) / (pi * sqrt(2))),
])  # fmt: skip
@pytest.mark.parametrize("digits", [5, 60])
def test_known_constants(found, expected, digits):
    with mp.workdps(80):
        value = found(digits)
        assert value.low <= to_mpf(expected) <= value.high and value.high - value.low < mpf(10) ** (1 - digits)


@pytest.mark.parametrize("term", [log(n), n * log(n), n**3])
def test_what_is_left_without_the_primitive_converges(term):
    found, depth = summation(term, (n, 1, "oo"), 20), 2000
    left = sum(to_mpf(term.subs(n, k)) for k in range(1, depth + 1)) - to_mpf(found.primitive.subs(n, depth))
    assert abs(left - found.value) < mpf(1) / 50


def test_texts_and_how_a_sum_is_printed():
    assert str(summation("1/k^2", ("k", 1, "oo"), 30)) == "1.64493406684822643647241516665"  # zeta(2)
    assert str(summation("1/k", ("k", 1, "oo"), 12)) == "0.577215664902, without log(k)"  # EulerGamma
    with pytest.raises(InputError, match="no finite real value at n = 2; start later"):
        product(1 + 1 / (n - 2), (n, 1, "oo"))
    assert product(1 - 4 / n**2, (n, 2, "oo")).value == 0 == product(1 - 5 / n, (n, 1, "oo")).limit
    assert product(1 + 3 / (2 * n - 9), (n, 4, "oo")).limit == -oo


def test_products_that_diverge():
    """The factors 1 - 1/n from 2 to N make 1/N, and 1 + 1/n from 1 on N + 1."""
    for factor, first, limit in ((1 - 1 / n, 2, 0), (1 + 1 / n, 1, oo)):
        found = product(factor, (n, first, oo), 20)
        assert found.limit == limit and str(found).endswith(f"; the product tends to {limit}")
        left = found.value * mp.exp(to_mpf(found.primitive.subs(n, 10**6)))
        assert abs(left / (10**6 + 1 if limit else mpf(10) ** -6) - 1) < 1e-5
    with pytest.raises(UnsupportedError, match=r"short primitive.* the product tends to oo, as the sum of"):
        product(1 + 1 / (n * log(n)), (n, 3, oo))
    found = product(1 - 1 / sqrt(n), (n, 3, oo), 20)
    left = mp.fsum(mp.log1p(-1 / mp.sqrt(k)) for k in range(3, 2001)) - to_mpf(found.primitive.subs(n, 2000))
    assert found.limit == 0 and abs(mp.log(found.value) - left) < 0.02
    with pytest.raises(UnsupportedError, match=r"cannot be proved$"):
        product(1 + 1 / (n * log(n) ** 2), (n, 3, oo))


def test_a_primitive_that_jumps_is_refused(monkeypatch):
    jumping = log(n) + atan(n) + atan(1 / (10**4 - n))
    monkeypatch.setattr(module, "integrate", lambda term, n: jumping.subs("n", n))
    with pytest.raises(UnsupportedError, match="not be shown to be analytic"):
        summation(jumping.diff(n).together(), (n, 1, "oo"))


def test_a_long_primitive_ends_in_time():
    with time_limit(1), pytest.raises((OverrunError, UnsupportedError)):
        summation(log(n) / (n**3 + n + 1), (n, 1, "oo"))


@pytest.mark.parametrize(("term", "limits", "error", "words"), [
    (sin(n) / n**2, (n, 1, "oo"), UnsupportedError, "not built from logarithms"),
    (log(1 + exp(-n)), (n, 1, "oo"), UnsupportedError, "no short primitive"),
    (1 / (n - 5), (n, 1, "oo"), InputError, "no finite real value at n = 5"),
    (1 / n, (n, 1, 10), InputError, "only infinite sums"),
    (1 / n, (n, Rational(1, 2), "oo"), InputError, "a whole number"),
    (Symbol("a") / n, (n, 1, "oo"), InputError, "contains symbols other than n"),
    (n**200, (n, 1, "oo"), UnsupportedError, "ask for more"),
])  # fmt: skip
def test_refusals(term, limits, error, words):
    with pytest.raises(error, match=words):
        summation(term, limits)

"""Layered recursions in numbers: known sums, plain iteration, and refusals."""

import mpmath
import pytest
from mpmath import mp
from sympy import Rational, Symbol, lambdify, log, pi, sqrt

from asympt import InputError, PrecisionError, UnsupportedError
from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.recursions.linear_recurrence import LAYER as l
from asympt.recursions.linear_recurrence import layered_solution

HALF = Rational(1, 2)


def plain(multiplier, forcing, start_layer, start_value, depth, digits=60):
    """The recursion itself, by SymPy's own translation of the formulas: no code of the toolkit."""
    step = lambdify(l, [multiplier, forcing], "mpmath")
    with mp.workdps(digits):
        a = mpmath.mpf(start_value)
        for layer in range(start_layer + 1, depth + 1):
            factor, source = step(mpmath.mpf(layer))
            a = factor * a + source
        return a


CASES = [
    (1 - 2 / l + Rational(3, 2) / l**2, 1, 1, 1),
    (1 - 3 / l + 2 * log(l) / l**2, 1 + 1 / l, 1, 1),
    (1 - 1 / l + 2 / l**2, 1, 1, 1),  # resonant at l^(-1)
    (1 + 2 / l, l, 1, 1),
    (1 - HALF / l + l ** Rational(-3, 2), 1, 3, -2),
    (HALF + 1 / l, log(l), 1, 1),
    (1 - 1 / sqrt(l), 1, 1, 2),
    (1 + HALF / sqrt(l), 1, 1, 2),
    (-1 + 1 / l, 1 / l**2, 1, 1),
    (Rational(3, 2) - 1 / l, 1, 1, 0),
    (2 / l, 1, 0, 5),
    (1 - 7 / l + pi / l**2, sqrt(2) / l, 1, 4),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_values_agree_with_iteration(case, agrees):
    multiplier, forcing, start_layer, start_value = case
    solution = layered_solution(multiplier, forcing, 1)
    for depth, digits in ((start_layer + 2, 15), (150, 25)):
        value = solution.evaluate(depth, start_layer, start_value, digits=digits)
        assert agrees(value, plain(multiplier, forcing, start_layer, start_value, depth, 60), digits)


def test_harmonic_numbers_and_factorials(agrees):
    harmonic, factorial = (layered_solution(1, f).evaluate(400, 0, 0, digits=40) for f in (1 / l, log(l)))
    with mp.workdps(60):
        assert agrees(harmonic, mp.psi(0, mpmath.mpf(401)) + mp.euler, 40)
        assert agrees(factorial, mp.loggamma(mpmath.mpf(401)), 40)


def test_a_multiplier_that_vanishes_forgets_its_start(agrees):
    """lambda_7 = 0: whatever came before, a_7 = b_7."""
    solution = layered_solution(1 - 7 / l, 1 + 1 / l, 1)
    one, two = (solution.evaluate(200, 1, start, digits=30) for start in (1, 10**6))
    assert agrees(one, two, 30)
    after = solution.evaluate(200, 7, Rational(8, 7), digits=30)
    assert agrees(one, after, 30)


def test_a_homogeneous_recursion_from_zero_stays_zero():
    assert layered_solution(1 - 1 / l, 0).evaluate(100, 1, 0, digits=30) == 0


def evaluated(multiplier, forcing, *start, **more):
    return lambda: layered_solution(multiplier, forcing, 2).evaluate(*start, **more)


@pytest.mark.parametrize(("call", "error", "words"), [
    (evaluated(1 - Symbol("alpha") / l, 1, 99, 1, 1), UnsupportedError, "symbols alpha"),
    (evaluated(1, 1, 10**9, 1, Symbol("x")), InputError, "start_value"),
    (evaluated(1, 1, 10**9, 1, float("nan")), InputError, "finite"),
    (evaluated(1, 1, 10**9, -1, 1), InputError, "less than 1"),
    (evaluated(1, 1, 3, 5, 1), InputError, "before start_layer"),
    (evaluated(1, 1, 3, 1, 1, 500), InputError, "digits"),
    (evaluated(1 - 2 / l, 1, 10**20, 1, 1), PrecisionError, "more than 100000 layers beyond start_layer = 1"),
    (evaluated(1, Expansion.build(Scale.at_infinity(l), {(0, 0): 1}, Formal(Monomial(1))), 99, 1, 1),
     UnsupportedError, "not known exactly"),
    (evaluated(-1 + 1 / l, 1 / l, 160, 1, 1), PrecisionError, "may be 0"),  # a_2, a_4, ... are 0 exactly
])  # fmt: skip
def test_refusals_are_one_sentence(call, error, words):
    with pytest.raises(error, match=words) as caught:
        call()
    assert "\n" not in str(caught.value)

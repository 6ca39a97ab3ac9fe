"""Orbits that come exactly to a jump of the map fall on the side that exact arithmetic says."""

from fractions import Fraction

import pytest
from mpmath import mp, mpf
from sympy import Heaviside, Piecewise, Rational, Symbol, sign, sqrt

from asympt import Recursion
from asympt.errors import PrecisionError

x = Symbol("x", real=True)


def halved_below(edge, strict=True):
    """x/2 below the edge (or on it), x/3 above: as a formula, and in fractions."""
    formula = Piecewise((x / 2, x < edge if strict else x <= edge), (x / 3, True))
    at = Fraction(int(edge.p), int(edge.q))
    return formula, lambda v: v / 2 if v < at or (v == at and not strict) else v / 3


CUT = [
    (*halved_below(Rational(1, edge), strict), Fraction(*start))
    for edge, start in [(3, (1, 3)), (7, (3, 7)), (7, (9, 7)), (11, (3, 11)), (10, (3, 10))]
    for strict in (True, False)
]
OTHERS = [
    (x / 3 + x * sign(x - Rational(1, 7)) / 6, lambda v: v / 3 + v * ((v > Fraction(1, 7)) - (v < Fraction(1, 7))) / 6,
     Fraction(2, 7)),  # 2/7 -> 1/7 -> 1/21
    (x / 2 - x * Heaviside(x - Rational(1, 7), 1) / 4,
     lambda v: v / 2 - v * (v >= Fraction(1, 7)) / 4, Fraction(1, 7)),
]  # fmt: skip


@pytest.mark.parametrize(("formula", "move", "start"), CUT + OTHERS)
@pytest.mark.parametrize("depth", [2, 3, 60])
@pytest.mark.parametrize("digits", [12, 19])
def test_an_orbit_that_comes_to_a_jump_is_on_the_exact_side(formula, move, start, depth, digits):
    value = start
    for _ in range(depth):  # in fractions
        value = move(value)
    found = Recursion(formula, x).law(1).evaluate(depth, start=Rational(*start.as_integer_ratio()), digits=digits)
    with mp.workdps(40):
        assert abs(found * value.denominator / value.numerator - 1) < mpf(10) ** -(digits - 1)


@pytest.mark.parametrize("strict", [True, False])
def test_a_slow_orbit_from_a_jump(strict):
    edge = Rational(1, 3)
    formula = Piecewise((x - x**2, x < edge if strict else x <= edge), (x / 3, True))
    with mp.workdps(40):
        value = mpf(1) / 9 if strict else mpf(2) / 9  # the first step, by hand
        for _ in range(299):
            value -= value**2
        found = Recursion(formula, x).law(2).evaluate(300, start=edge, digits=15)
        assert abs(found / value - 1) < mpf(10) ** -14


def test_a_fixed_point_that_is_not_zero():
    below, above = Rational(1, 3) + (x - Rational(1, 3)) / 2, x / 2 + Rational(1, 10)
    formula = Piecewise((below, x < Rational(10, 21)), (above, True))
    with mp.workdps(40):
        first = mpf(10) / 42 + mpf(1) / 10  # 10/21 is not below the jump
        expected = mpf(1) / 3 + (first - mpf(1) / 3) / 2**39
        found = Recursion(formula, x, fixed_point="1/3").law(1).evaluate(40, start=Rational(10, 21), digits=15)
        assert abs(found / expected - 1) < mpf(10) ** -14


def test_a_linear_recursion_whose_forcing_jumps():
    edge = Rational(1, 7)
    law = Recursion(x / 3, x).linear_law(1, Piecewise((x, x < edge), (2 * x, True)), terms=1)
    with mp.workdps(30):  # 3/7 and 1/7 count twice
        expected = 2 * (mpf(3) / 7 + mpf(1) / 7) + sum(mpf(1) / 7 / mpf(3) ** k for k in range(1, 30))
        assert abs(law.evaluate(31, start=Rational(3, 7), digits=15) / expected - 1) < mpf(10) ** -13


def test_an_algebraic_start_on_a_jump():
    formula = Piecewise((x / 2, x < sqrt(2) / 5), (x / 3, True))
    with mp.workdps(30):
        expected = mp.sqrt(2) / 15 / mpf(2) ** 39
        assert abs(Recursion(formula, x).law(1).evaluate(40, start=sqrt(2) / 5, digits=15) / expected - 1) < 1e-14


def test_a_side_that_nobody_can_decide_is_refused():
    formula = Piecewise((x / 2, x < sqrt(2) / 15), (x / 3, True))  # sqrt(2)/5 -> sqrt(2)/15, no fraction
    with pytest.raises(PrecisionError, match=r"jumps at x = 0\.09428"):
        Recursion(formula, x).law(1).evaluate(40, start=sqrt(2) / 5, digits=15)


def test_a_kink_is_no_jump():
    formula = Piecewise((x / 2, x < sqrt(2) / 15), (x / 3 + sqrt(2) / 90, True))
    with mp.workdps(30):
        expected = mp.sqrt(2) / 15 / mpf(2) ** 40  # sqrt(2)/6 -> sqrt(2)/15, where the two formulas meet
        found = Recursion(formula, x).law(1).evaluate(41, start=sqrt(2) / 6, digits=12)
        assert abs(found / expected - 1) < 1e-11


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("start", [(1, 3), (-1, 3), (2, 3), (-2, 3)])
@pytest.mark.parametrize("depth", [1, 2, 3, 40])
def test_an_orbit_that_changes_sides_is_on_the_exact_side_of_jumps(strict, start, depth):
    inside = abs(x) < Rational(1, 3) if strict else abs(x) <= Rational(1, 3)
    law = Recursion(Piecewise((-x + x**3, inside), (-x / 2, True)), x, fixed_point=0).law(1)
    value, edge = Fraction(*start), Fraction(1, 3)
    for _ in range(min(depth, 2)):  # in fractions as long as it may be on the jump
        inside = abs(value) < edge or (abs(value) == edge and not strict)
        value = -value + value**3 if inside else -value / 2
    with mp.workdps(40):
        expected = mpf(value.numerator) / value.denominator
        for _ in range(depth - 2):
            expected = -expected + expected**3
        found = law.evaluate(depth, start=Rational(*start), digits=19)
        assert abs(found / expected - 1) < mpf(10) ** -18

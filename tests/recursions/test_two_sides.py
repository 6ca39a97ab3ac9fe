"""Orbits with a negative multiplier visit both sides: one series must serve there, or the law is refused.

Expected numbers come from plain iteration of the original map in mpmath.
"""

import time
from functools import partial, reduce

import mpmath
import pytest
from mpmath import mp
from sympy import Abs, Max, Piecewise, Rational, Symbol, cos, exp, lambdify, oo, sin, sqrt, tanh

import asympt as asy
from asympt import Recursion
from asympt.errors import InputError, UnsupportedError
from asympt.recursions.fixed_point import FixedPoint
from asympt.recursions.fixed_points import one_series

X, POSITIVE = Symbol("x"), Symbol("x", positive=True)
HALF, FIFTH = Rational(1, 2), Rational(1, 5)


@pytest.mark.parametrize(("expression", "point", "answer"), [
    (sin(X) * exp(-(X**2)), 0, True), (X / (1 + X), 0, True), (tanh(X), 0, True), (sqrt(1 + X), 0, True),
    (1 / X, 0, True), (X**2 * sqrt(X**2), 0, False), (X * Abs(X), 0, False), (X * Abs(X), 1, True),
    (Max(X, 0), 0, False), (sqrt(X), 0, False), (sqrt(POSITIVE), 0, False), (X**3, oo, True),
    (X * sqrt(1 + 1 / X**2), oo, True), (sqrt(1 + X**2), oo, False), (Piecewise((X, X > 0), (sin(X), True)), 0, False),
])  # fmt: skip
def test_one_series_for_both_sides(expression, point, answer):
    symbol = next(iter(expression.free_symbols))
    assert one_series(expression, symbol, FixedPoint(Rational(point) if point != oo else oo)) is answer


def test_roots_in_roots_at_a_point_without_a_closed_form():
    nested = sqrt(X + sqrt(X + sqrt(X)))
    recursion = Recursion(nested, X)
    begun = time.thread_time()
    recursion.law(1)
    assert time.thread_time() - begun < 20  # some 3 seconds on an idle machine, a minute by comparing expansions
    with mp.workdps(30):  # the fixed point and the derivative there by mpmath
        step = lambdify(X, nested, "mpmath")
        point = mpmath.findroot(lambda x: step(x) - x, 2.3)
        assert abs(mpmath.mpf(str(recursion.multiplier.evalf(20))) - mpmath.diff(step, point)) < 1e-15


def test_the_remainder_of_a_negative_multiplier_is_estimated_at_both_parities():
    law = Recursion(-X / 2 + X**2, X).law(2)
    assert law.estimate_remainder(start=FIFTH).constant < 1


@pytest.mark.parametrize(("expression", "observable", "said"), [
    (-X / 2 + X * Abs(X), None, "the map x -> "), (-X + X * Abs(X), None, "the map x -> "),
    (-X + X**2 * Abs(X), None, "the map x -> "), (-X / 2 - Abs(X) / 4, None, "the map x -> "),
    (-5 * X / 4 - 3 * Abs(X) / 4, None, "multiplier -2"), (-X / 2 + X**2, Abs(X), "the observable "),
    (-X / 2 + X**2, sqrt(X), "the observable "), (-sin(X) / 3, Max(X, 0), "the observable "),
])  # fmt: skip
def test_two_series_are_refused_where_orbits_change_sides(expression, observable, said):
    with pytest.raises(UnsupportedError, match="orbits change sides at every step") as refused:
        Recursion(expression, X, 0).law(observable=observable)
    assert said in str(refused.value)


@pytest.mark.parametrize("function", [{"multiplier": HALF + Abs(X)}, {"multiplier": 1, "forcing": Abs(X)}])
def test_a_linear_recursion_with_two_series_along_an_orbit_that_changes_sides(function):
    with pytest.raises(UnsupportedError, match="orbits change sides at every step"):
        Recursion(-X / 2 + X**2, X).linear_law(**function)


@pytest.mark.parametrize(("expression", "observable"), [
    (X / 2 + X**2, Abs(X)), (X / 2 + X**2, sqrt(X)), (X / 2 + X * Abs(X), None),
])  # fmt: skip
def test_a_law_of_one_side_reads_the_starts_of_this_side(expression, observable):
    law = Recursion(expression, X).law(3, observable)
    assert law.evaluate(30, start=FIFTH) > 0 and law.connection_constant(start=FIFTH) > 0
    asked = (law.connection_constant, law.estimate_remainder, partial(law.evaluate, 30), partial(asy.verify, law))
    for ask in asked:
        with pytest.raises(InputError, match="from the other side, where another law holds"):
            ask(start=-FIFTH)
    assert asy.verify(law, digits=15, theorem=False).verdict == "checked"


def test_what_is_one_series_takes_starts_of_both_sides():
    law = Recursion(cos(X) - 1 + X / 2, X, 0).law(2)
    assert law.connection_constant(start=-FIFTH) < 0 < law.connection_constant(start=FIFTH)


def test_a_flip_is_seen_through_any_function_but_must_be_one_series_itself():
    # |x| of -x + x^2: two branches, from -1/5 the even steps are the negative ones
    law = Recursion(-X + X**2, X).law(2, Abs(X))
    assert str(law.for_start(-FIFTH).branches[0]) == "sqrt(2)/(2*sqrt(n)) - 1/(4*n) + O(log(n)/n^(3/2))"
    assert str(law.for_start(-FIFTH).branches[1]) == "sqrt(2)/(2*sqrt(n)) + 1/(4*n) + O(log(n)/n^(3/2))"


KINKED = [
    (sin(X) * Rational(9, 10) - X * Abs(X - Rational(1, 500)) / 100, "below", Rational(1, 10)),
    (-(X**3) * Abs(X - Rational(1, 10**5)) / 10 - X / 2, "below", Rational(1, 6)),
    (-(X**3) * Abs(X - Rational(1, 10**5)) / 10 - X / 2, "above", Rational(-1, 6)),
    (X / 2 + Max(0, X - Rational(1, 30)) / 7, "below", HALF),
    (X / 2 - X * sqrt((X + Rational(1, 50)) ** 2) / 3, "above", -HALF),
    (X / (2 + Max(X + Rational(1, 40), 0)), "above", -HALF),
    (X / 2 - X * Abs(X + Rational(1, 9)) / 5, "above", HALF),
    (-sin(X) - X**4 * Abs(X - Rational(1, 50)) / 2, "below", Rational(1, 3)),
]


@pytest.mark.parametrize(("expression", "side", "start"), KINKED, ids=str)
@pytest.mark.parametrize("depth", [2, 40])
def test_values_on_the_side_where_the_formula_is_another_one(expression, side, start, depth):
    """|x - 1/500| seen from below is y + 1/500 for y > 0 only: no number, least of all a proved one, comes of it."""
    function = lambdify(X, expression, "mpmath")
    with mp.workdps(60):
        x = reduce(lambda x, _: function(x), range(depth), mpmath.mpf(start.p) / start.q)
        found = Recursion(expression, X, 0, side).law(2).evaluate(depth, start=start, digits=15)
        assert abs(found - x) < abs(x) * mpmath.mpf(10) ** -14


@pytest.mark.parametrize("factor", [1 - Abs(X - Rational(1, 50)), 1 - X + Max(0, X - Rational(1, 50))], ids=str)
def test_a_kernel_whose_factor_was_read_on_one_side(factor):
    law = Recursion(X / 2 - X**2 / 5, X, 0, "below").linear_law(factor, X, 1, terms=2)
    with mp.workdps(60):
        x, a = mpmath.mpf(1) / 3, mpmath.mpf(1)
        multiplier = lambdify(X, factor, "mpmath")
        for _ in range(25):
            x, a = x / 2 - x**2 / 5, multiplier(x) * a + x
        found = law.evaluate(25, start=Rational(1, 3), digits=15)
        assert abs(found - a) < abs(a) * mpmath.mpf(10) ** -14


def test_what_is_one_formula_is_proved_on_both_sides():
    law = Recursion(sin(X) / 2 - X**2 / 5, X, 0, "above").law(2)
    assert {law.evaluated(40, start=start).trust for start in (HALF, -HALF)} == {"library"}

"""Hyperbolic laws in numbers: against closed forms and plain iteration of the map, and what is refused."""

from functools import partial, reduce

import mpmath
import pytest
from mpmath import mp
from sympy import Rational, Symbol, cos, simplify, sin, sqrt

from asympt import Recursion
from asympt.errors import InputError, PrecisionError
from asympt.recursions.coordinates.abel_inversion import C

HALF, THIRD = Rational(1, 2), Rational(1, 3)
X = Symbol("x", real=True)
TWO_SIDED = 3 * X * (1 - X) / 2  # 1/3 attracts


@pytest.mark.parametrize("digits", [10, 30, 200])
def test_depths_beyond_iteration_in_closed_form(digits, agrees):
    # x/(2 - x): z = x/(1 - x) halves, so x_n = z/(1 + z), z = 9/2^n from 9/10
    law, start, depth = Recursion(X / (2 - X), X, 0).law(terms=3), Rational(9, 10), 10**100
    value = law.evaluate(depth=depth, start=start, digits=digits)
    with mp.workdps(digits + 120):
        z = 9 * mpmath.mpf(2) ** -depth
        assert agrees(value, z / (1 + z), digits)
    assert agrees(law.connection_constant(start=start, digits=digits), mpmath.mpf(9), digits)


@pytest.mark.parametrize(("expression", "start", "step"), [(X / 2 + X * sqrt(X) / 10, -HALF, 0),
                                                           (X / 2 - X * sqrt(X), 2, 1)])  # fmt: skip
def test_half_powers_are_real_on_one_side_only(expression, start, step):
    with pytest.raises(InputError, match=f"other side of the fixed point at step {step}|from the other side"):
        Recursion(expression, X, 0).law(terms=3).evaluate(depth=100, start=start)


def test_a_start_close_to_the_fixed_point(agrees):
    """A map given in x loses as many digits as the distance is small; they are carried along."""
    law = Recursion(cos(X), X).law(terms=3)
    value = law.deviation(depth=100, start=law.limit + Rational(1, 10**300), digits=30)
    with mp.workdps(400):
        slope = mp.sin(mp.findroot(lambda x: mp.cos(x) - x, 0.74))
        assert agrees(value, slope**100 * mpmath.mpf(10) ** -300, 30)


@pytest.mark.parametrize(("expression", "point", "start", "complaint"), [
    (TWO_SIDED, THIRD, THIRD, "is the fixed point itself"),
    (TWO_SIDED, THIRD, Rational(2, 3), "lands on the fixed point"),
    (TWO_SIDED, THIRD, 1, "settles elsewhere"),  # 1 is mapped to the other fixed point, 0
    (TWO_SIDED, THIRD, 3, "goes away from the fixed point"),
    (X / 2 - X**2 / 2, 0, 3, "goes away"),
    (X / 2 + X**2 / 2, 0, 1, "settles elsewhere"),  # the repelling fixed point 1
    (X / (2 - X), 0, 2, "has no value"),
    (X * sqrt(1 - 4 * X) / 2, 0, 1, "is not real|leaves the real"),
])  # fmt: skip
def test_starts_outside_the_basin(expression, point, start, complaint):
    with pytest.raises(InputError, match=complaint):
        Recursion(expression, X, point).law(terms=3).evaluate(depth=10**6, start=start)


def test_next_to_a_start_that_lands():
    """3/2 x (1 - x) from 2/3 + e is -e/2 from 1/3 after one step, and halved from there on."""
    almost = Rational(2, 3) + Rational(1, 10**70)
    near = Recursion(TWO_SIDED, X, THIRD).law(terms=3).connection_constant(start=almost, digits=20)
    assert abs(near * mpmath.mpf(10) ** 70 + 1) < 1e-14
    for depth, power in ((1, 300), (2, 50), (40, 1000)):  # the digits carried are fewer than the start has
        almost = Rational(2, 3) + Rational(1, 10**power)
        found = Recursion(TWO_SIDED, X, THIRD).law(terms=3).deviation(depth, start=almost)
        assert abs(found * mpmath.mpf(10) ** power * 2**depth - 1) < 1e-14


@pytest.mark.parametrize("start", [HALF, Rational(1, 10**40)])
def test_a_multiplier_too_close_to_one_is_refused_for_what_it_is(start, agrees):
    """Such an orbit has not settled elsewhere; a moderate depth is iterated to."""
    law = Recursion((1 - Rational(1, 10**7)) * X - X**2, X, 0).law(terms=3)
    for ask in (partial(law.evaluate, 10**9), law.connection_constant):
        with pytest.raises(PrecisionError, match="the multiplier is so close to 1"):
            ask(start=start)
    with mp.workdps(90):
        slope = 1 - mpmath.mpf(10) ** -7
        x = reduce(lambda x, _: slope * x - x**2, range(90), mpmath.mpf(start.p) / start.q)
    assert agrees(law.evaluate(depth=90, start=start, digits=30), x, 30)


def test_sine_and_cosine_of_an_opaque_fixed_point_are_not_taken_for_independent():
    """cos(xi) = xi, so the cubic coefficient, found by hand, has one generator only."""
    cubic = Recursion(cos(X), X).law(terms=4).expansion.terms[3][1]
    [s] = cubic.atoms(sin)
    assert simplify(cubic + C**3 * (s**2 - 3 * s + 3) / (6 * (s - 1) * (s + 1) * s**2)) == 0
    assert not cubic.subs(s, 2).has(s.args[0])

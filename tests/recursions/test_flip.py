"""Multiplier -1: two branches, and the start decides which of them is that of the even steps.

Expected numbers come from plain iteration of the original map in mpmath.
"""

from dataclasses import replace

import mpmath
import pytest
from mpmath import mp
from sympy import Eq, Float, Mod, Piecewise, Rational, Symbol, exp, lambdify, oo, sin, sinh, sqrt, tan

from asympt import Recursion
from asympt.errors import InputError, UnsupportedError

X = Symbol("x")
A = Symbol("a", positive=True)
C = Symbol("C", real=True)
THIRDS, HALF = Rational(2, 3), Rational(1, 2)

# map, options, a start whose even steps come in above, one whose even steps come in below
MAPS = {
    "sine": (-sin(X), {}, 1, -1),
    "logistic": (3 * X * (1 - X), {"fixed_point": THIRDS}, Rational(4, 5), HALF),
    "logistic from below": (3 * X * (1 - X), {"fixed_point": THIRDS, "side": "below"}, Rational(4, 5), HALF),
    "square": (-X + X**2, {}, Rational(1, 4), Rational(-1, 5)),
    "quadratic": (X**2 - Rational(3, 4), {"fixed_point": -HALF}, 0, Rational(-3, 4)),
    "exponential": (exp(1 - X), {}, 2, HALF),
    "infinity": (-X - 1 / X, {}, 3, -3),
    "minus infinity": (-X - 1 / X, {"fixed_point": -oo}, 3, -3),
    "fifth power": (-X * exp(-(X**4)), {}, HALF, -HALF),
}
DEPTHS = (1000, 1001, 10**4, 10**4 + 1)


def orbit(expression, start, steps: int, dps: int = 40):
    """x_0, ..., x_steps by plain iteration."""
    function = lambdify(X, expression, "mpmath")
    with mp.workdps(dps):
        values = [mpmath.mpf(Rational(start).p) / Rational(start).q]
        for _ in range(steps):
            values.append(function(values[-1]))
    return values


def printed(expansion, depth: int, constant):
    """(the sum, the size of the remainder) at a depth."""
    n = expansion.scale.depth
    values = {n: depth, C: Float(constant, 40)}
    total = expansion.to_sympy().subs(values).evalf(40)
    size = expansion.scale.to_sympy(expansion.remainder.monomial).subs(n, depth).evalf(20)
    return mpmath.mpf(total._mpf_), mpmath.mpf(size._mpf_)


@pytest.mark.parametrize(("name", "side"), [(name, 2 + k % 2) for k, name in enumerate(MAPS)])
def test_each_branch_is_the_orbit_of_its_parity(name, side, agrees):
    expression, options, start = *MAPS[name][:2], MAPS[name][side]
    law = Recursion(expression, X, **options).law(terms=4)
    values, constant = orbit(expression, start, DEPTHS[-1]), law.connection_constant(start=start, digits=35)
    branches, left = law.for_start(start).branches, {}
    with mp.workdps(40):
        for n in DEPTHS:
            assert agrees(law.evaluate(n, start=start, digits=25), values[n], 25)
            total, size = printed(branches[n % 2], n, constant)
            left[n] = abs(values[n] - total) / size
            other, _ = printed(branches[1 - n % 2], n, constant)
            assert abs(values[n] - total) < abs(values[n] - other) / 20
        for near, far in zip(DEPTHS[:2], DEPTHS[2:], strict=True):
            assert left[far] < 2 * max(left[near], 1)


def test_the_start_decides_the_sides():
    # 1/2 -> 3/4 -> 9/16 -> 189/256: even steps lie below 2/3
    law = Recursion(3 * X * (1 - X), X, THIRDS).law(terms=2)
    above, below = law.branches[0], law.branches[1]
    assert (str(above), str(below)) == ("2/3 + sqrt(2)/(6*sqrt(n)) + O(1/n)", "2/3 - sqrt(2)/(6*sqrt(n)) + O(1/n)")
    assert law.for_start(HALF).branches == law.for_start(start=HALF).branches == {0: below, 1: above}
    assert law.for_start(x0="4/5").branches == law.branches == {0: above, 1: below}
    assert law.expansion == law.branch(10**6) == above and law.branch(7) == law.odd == below


def test_the_sides_are_named_in_words_unless_a_start_is_given():
    law = Recursion(-sin(X), X).law(terms=1)
    assert str(law) == (
        "sqrt(3)/sqrt(n) + O(log(n)/n^(3/2)) for even n, -sqrt(3)/sqrt(n) + O(log(n)/n^(3/2)) for odd n, "
        "if x_n > 0 for all large even n (if x_n < 0 there, even and odd change places)"
    )
    assert str(law.for_start(-1)) == (
        "-sqrt(3)/sqrt(n) + O(log(n)/n^(3/2)) for even n, sqrt(3)/sqrt(n) + O(log(n)/n^(3/2)) for odd n, from x_0 = -1"
    )
    assert "if x_n < 0 for all large even n" in str(Recursion(-sin(X), X, side="below").law(terms=1))
    for tex in (law.latex(), law._repr_latex_()):
        assert r"\begin{cases} \frac{\sqrt{3}}{\sqrt{n}} + " in tex and r"& \text{for odd } n \end{cases}" in tex
        assert r"\text{if } x_{n} > 0 \text{ for all large even } n" in tex
    assert law.for_start(-1).latex().endswith(r"\quad \text{from } x_0 = -1")


def test_a_start_outside_the_basin_is_refused():
    with pytest.raises(InputError, match="escapes"):
        Recursion(-X + X**2, X).law().for_start(5)


def test_the_sympy_expression_is_a_piecewise_over_the_parity():
    n = Symbol("n", positive=True)
    law = Recursion(-sin(X), X).law(terms=1)
    assert law.to_sympy() == Piecewise((sqrt(3) / sqrt(n), Eq(Mod(n, 2), 0)), (-sqrt(3) / sqrt(n), True))
    assert law.to_sympy().subs(n, 12) == HALF and law.to_sympy().subs(n, 3) == -1


@pytest.mark.parametrize("start", [Rational(4, 5), HALF])
def test_the_estimated_remainder_looks_at_both_parities(start):
    law = Recursion(3 * X * (1 - X), X, THIRDS).law(2)
    measured = law.estimate_remainder(start=start).constant
    assert abs(measured - Rational(1, 12)) < Rational(1, 20)  # both branches go on with -1/(12 n)
    wrong = replace(law, odd=law.expansion)
    assert wrong.estimate_remainder(start=Rational(4, 5)).constant > 1000


@pytest.mark.parametrize("expression", [-tan(X), -X - X**3, -sinh(X), -X + X**2 - X**3, -X - X**5])
def test_a_repelling_flip_is_refused_for_what_it_is(expression):
    # plain iteration: every second step from 1/10 and from -1/10 leads away from 0
    for start in (Rational(1, 10), Rational(-1, 10)):
        values = orbit(expression, start, 4)
        assert abs(values[4]) > abs(values[2]) > abs(values[0])
    with pytest.raises(UnsupportedError, match=r"multiplier -1 and repels orbits: .* on both sides"):
        Recursion(expression, X, 0).law()


@pytest.mark.parametrize(
    ("expression", "point"),
    [(-X, 0), (1 - X, HALF), (1 / X, 1), (X / (X - 1), 0), ((1 - X) / (1 + X), sqrt(2) - 1),
     (sqrt(1 - X**2), sqrt(2) / 2)],
)  # fmt: skip
def test_an_involution_has_orbits_of_period_two(expression, point):
    with pytest.raises(UnsupportedError, match=r"two steps of the map are the identity .* orbits have period 2"):
        Recursion(expression, X, point).law()


@pytest.mark.parametrize("expression", [1 - X, 1 / X])
def test_a_flip_that_does_not_attract_is_not_found(expression):
    with pytest.raises(InputError, match="is neutral"):
        Recursion(expression, X)


def test_where_the_orbit_crosses_into_its_coordinate(agrees):
    """C read off at either crossing, by the exact A that the law prints, at the x that plain iteration gives there."""
    law = Recursion(-sin(X), X).law(terms=2)
    constant = law.connection_constant(digits=30, start=1)
    for route, crossing in law.crossings(30, start=1):
        with mp.workdps(route.digits):
            assert agrees(2 * crossing.constants(False)[0], constant, 30) and crossing.layer > 50

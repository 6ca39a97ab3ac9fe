"""Numbers that are rounded from balls, and those on which two routes agree: which is which, and that both are right.

Expected numbers: the map iterated in mpmath, or the law's own two routes where the test is about their agreement.
"""

from functools import reduce

import pytest
from mpmath import mp, mpf
from sympy import Max, Rational, Symbol, sin

import asympt as asy
from asympt.errors import InputError
from asympt.recursions import Recursion, evaluation

X = Symbol("x", positive=True)
HALF = Rational(1, 2)


def two_routes(law, depth, digits, start):
    return evaluation.certified(law.coordinate, law._start({"start": start}), depth, digits)


def test_what_has_a_theorem_is_proved_and_what_has_none_says_why():
    law = Recursion(sin(X), X).law(terms=2)
    assert (law.trust, law.untrusted) == ("kernel", "")
    found = law.evaluated(10**12, start=1, digits=30)
    assert found.trust == "library" and found.reason == ""
    kinked = Recursion(Max(X - X**2, X / 5), X).law(terms=2)
    assert kinked.trust == "two routes" and "Max" in kinked.untrusted
    assert kinked.evaluated(50, start=HALF).trust == "two routes"
    assert "Max" in kinked.evaluated(50, start=HALF).reason


@pytest.mark.parametrize(("law", "trust"), [
    (Recursion(X / 2 - X**2 / 3, X).law(terms=3), "kernel"), (asy.FeedForward("relu").ntk_law(terms=2), "kernel"),
    (asy.FeedForward.on_edge_of_chaos("elu", sigma_b="1/5").ntk_law(terms=2), "kernel"),
    (Recursion(X / (1 + X), X).linear_law(1, X, 0, terms=4), "library"),
    (Recursion("x/2 - x^3 + x^5/5", "x").law(terms=1).certificate(start=1), "library"),  # x_1 < 0, and so is C
])  # fmt: skip
def test_who_has_checked_what_stands_near_the_fixed_point(law, trust):
    assert law.trust == trust


def test_a_hyperbolic_law_at_any_depth():
    law = Recursion(X / 2 - X**2 / 3, X).law(terms=2)
    with mp.workdps(60):
        y = reduce(lambda y, _: y / 2 - y * y / 3, range(150), mpf(1))
    assert abs(law.evaluate(150, start=1, digits=40) / y - 1) < mpf(10) ** -39
    deep, (low, high) = (read(10**12, start=1, digits=25) for read in (law.evaluated, law.enclose))
    assert deep.trust == "library"
    assert low <= deep.value <= high or abs(deep.value / low - 1) < mpf(10) ** -25


CHAOTIC = X - X**2 * (1 + sin(10**6 * X) / 10)


@pytest.mark.parametrize(("map_", "depth", "trust"), [
    (CHAOTIC, 100, "library"), (Max(CHAOTIC, X / 100), 60, "two routes"),  # Arb knows no maximum
])  # fmt: skip
def test_a_chaotic_beginning_takes_more_digits(map_, depth, trust):
    """Some hundred digits are lost before x - x^2 (1 + sin(10^6 x)/10) falls; iterated in mpmath with 400."""
    law = Recursion(map_, X).law(terms=2)
    with mp.workdps(400):
        y = reduce(lambda y, _: y - y**2 * (1 + mp.sin(10**6 * y) / 10), range(depth), mpf(1) / 2)
    found = law.evaluated(depth, start=HALF, digits=10)
    assert found.trust == trust and abs(found.value / y - 1) < mpf(10) ** -10
    assert law.trust == "two routes"  # no theorem stands at depth


@pytest.mark.parametrize("depth", [5, 100, 10**6])
def test_an_orbit_that_settles_elsewhere_is_refused_at_every_depth(depth):
    """x - x^2 (1 - x) (1 - 2x)/2 from 6/5 falls to 1, where its slope is 1/2."""
    law = Recursion(X - X**2 * (1 - X) * (1 - 2 * X) / 2, X).law(terms=2)
    with pytest.raises(InputError, match="settles"):
        law.evaluate(depth, start=Rational(6, 5), digits=10)


def test_a_proof_that_takes_too_long_is_given_up_once():
    law = Recursion(sin(X), X).law(terms=2)
    object.__setattr__(law, "_patience", 1e-4)
    found = law.evaluated(10**6, start=1, digits=40)
    assert found.trust == "two routes" and "was stopped" in found.reason
    assert abs(found.value / two_routes(law, 10**6, 42, 1) - 1) < mpf(10) ** -39


def test_a_kernel_keeps_its_digits_on_the_way_to_a_moderate_depth():
    """Its slope is that of the sharper map too: with the first one 14 of 40 digits were lost before layer 50."""
    law = asy.FeedForward.on_edge_of_chaos("elu", sigma_b=Rational(1, 5)).ntk_law(terms=2)
    found = law.evaluated(1000, correlation="1/10", digits=30)
    with mp.workdps(40):
        deep = evaluation.certified(law.coordinate, law._start({"correlation": Rational(1, 10)}), 1000, 20)
        assert found.trust == "library" and abs(found.value * (1000 if law.average else 1) / deep - 1) < mpf(10) ** -19

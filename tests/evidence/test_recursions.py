"""Right laws of recursions are checked, kind by kind; what cannot be done is unknown and says why."""

from dataclasses import replace

import pytest
from sympy import Rational, log, oo, sin, symbols

import asympt as asy
from asympt.recursions.non_autonomous import DrivenRecursion

x, layer, a, b = symbols("x l a b", positive=True)
HALF = Rational(1, 2)


def report(law, **options):
    result = asy.verify(law, theorem=False, **options)
    assert all(check.figure is not None and check.bound is not None for check in result.checks)
    return result


@pytest.mark.parametrize("terms", [1, 6])
def test_any_number_of_terms(terms):
    for expression in (sin(x), 1 + sin(x - 1), x / 2 + x**2):
        place = {"fixed_point": 1} if expression == 1 + sin(x - 1) else {}
        result = report(asy.Recursion(expression, x, **place).law(terms), digits=15)
        assert result.verdict == "checked", result.report()


def test_a_limit_alone_is_held_against_the_distance():
    """x* + O(1/n): what can be said is how large the remainder must be, and what the limit is."""
    law = asy.Recursion(1 + log(x), x, fixed_point=1).law(1)
    assert len(law.expansion.terms) == 1
    assert report(law).verdict == "checked"
    rest = law.expansion.remainder
    smaller = replace(rest, monomial=replace(rest.monomial, order=rest.monomial.order + HALF))
    assert report(replace(law, expansion=replace(law.expansion, remainder=smaller))).verdict == "refuted"


def test_symbols_in_the_map_are_proved_formally_and_unknown_in_numbers():
    laws = [
        asy.Recursion(x - a * x**2 + b * x**3, x).law(4),
        asy.Recursion(x + a / x, x, fixed_point=oo).law(4),
        asy.Recursion(a * x * (1 - x), x).law(4),
        DrivenRecursion(x**2 + b * x**3, x, a / (layer + a), layer).law(3),
    ]
    for law in laws:
        result = report(law)
        assert result.verdict == "unknown"
        assert {check.verdict for check in result.checks[:-1]} == {"proved"}
        assert "needs numbers for" in result.report()


def test_the_start_is_the_one_that_was_given():
    """x(1 - x) from 1/2 has the C of Finch, arXiv 2409.03510 (the claim FINCH24.cubics)."""
    result = report(asy.Recursion(x * (1 - x), x).law(4), start="1/2")
    assert result.verdict == "checked"
    (constancy,) = [check for check in result.checks if check.name.startswith("C =")]
    assert constancy.name.endswith("from x_0 = 1/2")
    assert constancy.detail.endswith("C = 1.76799378613615")


def test_the_first_start_that_the_map_brings_closer_is_taken():
    """x - 1000 x^2 throws 1/4 far away, and does the same to everything above 1/1000."""
    result = report(asy.Recursion(x - 1000 * x**2, x).law(4))
    assert result.verdict == "checked"
    assert any("from x_0 = 1/1024" in check.name for check in result.checks)


def test_a_start_that_does_not_arrive_leaves_the_law_unknown():
    result = report(asy.Recursion(x / 2 + x**2, x).law(4), start=1)
    assert result.verdict == "unknown"
    assert "could not be done" in result.report()


def test_a_network_takes_no_start():
    with pytest.raises(asy.InputError, match="start = 1"):
        asy.verify(asy.FeedForward("relu").correlation_law(), start=1)

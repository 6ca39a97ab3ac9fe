"""`verify` of laws whose orbits change sides: both parities, both sides, and every way to mix them up."""

import re
from dataclasses import replace
from functools import cache

import pytest
from sympy import Integer, Rational, Symbol, cos, exp, oo, sin

import asympt as asy
from asympt.evidence.orbits.constancy import Start
from asympt.evidence.orbits.printed import DEPTH, alternates, alternation_checks

X = Symbol("x")
THIRDS, HALF = Rational(2, 3), Rational(1, 2)
LAWS = {
    "sine": (-sin(X), {}, None),
    "logistic": (3 * X * (1 - X), {"fixed_point": THIRDS}, None),
    "exponential": (exp(1 - X), {}, None),
    "infinity": (-X - 1 / X, {}, None),
    "inverse": (-sin(X) + X**2, {}, 1 / X),
}


@cache
def law_of(name):
    expression, options, observable = LAWS[name]
    return asy.Recursion(expression, X, **options).law(3, observable)


NAMES = ["sine", "logistic", "infinity"]


def refuted(law, **start) -> list[str]:
    return [check.name for check in asy.verify(law, digits=15, **start).checks if check.verdict == "refuted"]


@pytest.mark.parametrize(("expression", "point", "observable", "answer"), [
    (-X / 2 + X**2, 0, None, True), (cos(X), None, None, True), (-X / 2 + X**2, 0, 1 / X, True),
    (Rational(-99, 100) * X + X**2, 0, None, True), (-2 * X + 1 / X, oo, None, True),
    (X / 2 + X**2, 0, None, False), (sin(X), 0, None, False),
])  # fmt: skip
def test_laws_of_negative_multipliers_are_looked_at_from_both_sides_too(expression, point, observable, answer):
    law = asy.Recursion(expression, X, point).law(2, observable)
    assert alternates(law) is answer
    if answer:
        value = law.fixed.inner(law.fixed.point + Rational(1, 50)) if point != oo else Rational(1, 50)
        checks = alternation_checks(law, Start(value, "x_0", 1000))
        assert len(checks) == 4 and all(check.verdict == "checked" for check in checks)
        depths = [int(n) for n in re.findall(r"n = (\d+) and (\d+)", checks[0].name)[0]]
        assert depths[0] % 2 == 0 and depths[1] == depths[0] + 1 <= DEPTH + 1


@pytest.mark.parametrize(("name", "start"), [
    ("sine", None), ("logistic", Rational(4, 5)), ("exponential", HALF), ("infinity", -3),
])  # fmt: skip
def test_a_true_law_is_checked_from_both_sides(name, start):
    found = asy.verify(law_of(name), digits=15, start=start)
    assert found.verdict == "checked"
    assert sum("the branch of the parity" in check.name for check in found.checks) == 2
    assert start is None or f"from x_0 = {start}" in found.subject


def test_what_is_verified_from_a_start_has_the_branches_of_this_start():
    # 1/2 -> 3/4 -> 9/16: even steps come in below 2/3
    law = law_of("logistic")
    subject = asy.verify(law, digits=15, start=HALF).subject
    assert subject == f"x_n = {law.for_start(HALF)}" and subject.startswith("x_n = 2/3 - sqrt(2)/(6*sqrt(n))")


@pytest.mark.parametrize("name", NAMES)
def test_branches_that_have_changed_places_are_refuted(name):
    law = law_of(name)
    assert refuted(replace(law, expansion=law.odd, odd=law.expansion))


@pytest.mark.parametrize("name", NAMES)
def test_one_formula_for_both_parities_is_refuted(name):
    law = law_of(name)
    assert refuted(replace(law, odd=law.expansion)) and refuted(replace(law, expansion=law.odd))


@pytest.mark.parametrize(("name", "branch"), [("sine", "expansion"), ("logistic", "odd")])
def test_a_wrong_sign_of_one_branch_is_refuted(name, branch):
    law = law_of(name)
    wrong = getattr(law, branch).map_coefficients(lambda c: -c)
    assert refuted(replace(law, **{branch: wrong}))


@pytest.mark.parametrize(("name", "right", "wrong"), [("logistic", Rational(4, 5), HALF), ("infinity", 3, -3)])
def test_the_right_branches_for_the_wrong_start_are_refuted(name, right, wrong):
    """Nothing is wrong with such a law but the side on which this orbit arrives."""
    law = law_of(name).for_start(right)
    assert not refuted(law)
    planted = replace(law, start=Integer(wrong) if isinstance(wrong, int) else wrong)
    assert all("the branch of the parity" in name for name in refuted(planted)) and refuted(planted)

"""One error planted in a right law is refuted, whatever its kind and wherever the error is.

A law is refuted as soon as one check of `verify` fails, so here the checks are run in its order until one does: first
the symbolic ones, then the coordinate's equation, constancy and the printed law on an orbit.
"""

from dataclasses import replace
from functools import cache

import pytest
from sympy import Rational, cos, exp, log, oo, sin, sqrt, symbols

import asympt as asy
from asympt.evidence import flow_time
from asympt.evidence.flow_time import drift_checks
from asympt.evidence.orbits.constancy import constancy_checks
from asympt.evidence.orbits.equations import functional_checks
from asympt.evidence.orbits.inputs import from_first
from asympt.evidence.orbits.printed import printed_check
from asympt.evidence.verify import symbolic_checks
from asympt.recursions.non_autonomous import DrivenRecursion

x, layer, a, b = symbols("x l a b", positive=True)
HALF, ONE_PERCENT, DROPPED = Rational(1, 2), Rational(101, 100), 0

MAPS = {
    "sine": (sin(x), {}),
    "one side": (x * (1 - x), {}),
    "from below": (x**2 + Rational(1, 4), {"fixed_point": HALF, "side": "below"}),
    "shifted": (1 + sin(x - 1), {"fixed_point": 1}),
    "infinity": (x + 1 / x, {"fixed_point": oo}),
    "square root": (x - x ** Rational(3, 2), {}),
    "growing square root": (x + sqrt(x), {"fixed_point": oo}),
    "cube root": (x + x ** Rational(1, 3), {"fixed_point": oo}),
    "fourth power": (x - x**4 + x**5, {}),
    "parameter": (x - a * x**2, {}),
    "parameter at infinity": (x + a / x, {"fixed_point": oo}),
    "flip": (-sin(x) + x**2, {}),
    "hyperbolic": (x / 2 + x**2, {}),
    "hyperbolic from below": (x / 2 + x**2, {"fixed_point": 0, "side": "below"}),
    "hyperbolic at infinity": (2 * x + sqrt(x), {"fixed_point": oo}),
    "hyperbolic root": (x / 2 + x ** Rational(3, 2), {}),
    "exp": (exp(-x), {}),
    "hyperbolic parameter": (a * x * (1 - x), {}),
}
OBSERVED = {
    "cosine of sine": (sin(x), {}, cos(x)),
    "inverse square of sine": (sin(x), {}, x**-2),
    "root at infinity": (x + sqrt(x), {"fixed_point": oo}, sqrt(x)),
    "square of flip": (-x + x**2, {}, x**2 + x**3),
    "inverse": (x / 2 + x**2, {}, 1 / x),
}
LINEAR = {
    "sensitivity and forcing": (sin(x), {}, (cos(x), 1 + x, 1)),
    "sum": (x / (1 + x), {}, (1, x, 0)),
    "fractional wave": (sin(x), {}, (1 - x**2 / 5, x, 1)),
    "forgotten start": (sin(x), {}, (HALF, cos(x), 1)),
    "product": (x - x**2, {}, (1 + x, 0, 1)),
    "resonance": (x / 2 + x**2, {}, (HALF + 2 * x, 1, 1)),
    "second base": (x / 2 + x**2, {}, (Rational(1, 3) + x, 1, 1)),
    "alternating wave": (x / 2 + x**2, {}, (-HALF + x, 1, 1)),
    "growing wave": (x / 3 + x**2, {}, (2 - x, cos(x), 1)),
}
DRIVEN = {
    "powers of log l": (x ** Rational(3, 2) - x**2, 1 / (2 * layer + 1)),
    "square root of l": (x - log(1 + x), 1 / sqrt(layer)),
    "exponential of C": (sin(x), 2 / (layer + 1)),
    "driven parameters": (x**2 + b * x**3, a / (layer + a)),
}


def slow(name):
    return pytest.param(name, marks=pytest.mark.slow)


@cache
def law_of(name):
    if name in DRIVEN:
        return DrivenRecursion(DRIVEN[name][0], x, DRIVEN[name][1], layer).law(4)
    if name in LINEAR:
        expression, place, functions = LINEAR[name]
        return asy.Recursion(expression, x, **place).linear_law(*functions, terms=5)
    expression, place, *observable = (MAPS | OBSERVED)[name]
    return asy.Recursion(expression, x, **place).law(4, *observable)


def changed(expansion, index, factor):
    """The expansion with one coefficient multiplied by `factor` (0 drops the term)."""
    terms = list(expansion.terms)
    monomial, coefficient = terms[index]
    terms[index] = (monomial, coefficient * factor)
    return replace(expansion, terms=tuple(term for term in terms if term[1] != 0))


def refuted_by(law):
    """The name of the first check that fails, None when all hold."""
    stages = [
        lambda: symbolic_checks(law),
        *([lambda: drift_checks(law)] if law.kind == "driven" else _along_an_orbit(law)),
    ]
    for stage in stages[:1] if law.parameters else stages:
        for check in stage():
            if check.verdict == "refuted":
                return check.name
    return None


def _along_an_orbit(law):
    return [
        lambda: functional_checks(law),
        lambda: from_first(law, None, lambda s: constancy_checks(law, s.value, s.label, 20, most=s.most)),
        lambda: from_first(law, None, lambda s: [printed_check(law, s)]),
    ]


@pytest.mark.parametrize("name", [*MAPS, *OBSERVED, *LINEAR, *DRIVEN])
def test_one_percent_in_any_printed_coefficient(name):
    law = law_of(name)
    for index in range(len(law.expansion.terms)):
        planted = replace(law, expansion=changed(law.expansion, index, ONE_PERCENT))
        assert refuted_by(planted), f"{planted} instead of {law}"


@pytest.mark.parametrize("name", ["flip", "square of flip"])
def test_one_percent_on_the_other_side(name):
    law = law_of(name)
    for index in range(len(law.odd.terms)):
        assert refuted_by(replace(law, odd=changed(law.odd, index, ONE_PERCENT)))


@pytest.mark.slow
@pytest.mark.parametrize("name", [*MAPS, *OBSERVED, *LINEAR, *DRIVEN])
def test_a_dropped_term(name):
    """Every term in turn."""
    law = law_of(name)
    for index in range(len(law.expansion.terms)):
        planted = replace(law, expansion=changed(law.expansion, index, DROPPED))
        assert refuted_by(planted), f"{planted} instead of {law}"


@pytest.mark.parametrize("name", ["sine", "infinity", "cube root", "flip", "square of flip", "sum", "powers of log l"])
def test_a_dropped_logarithm(name):
    law = law_of(name)
    index = next(i for i, (m, _) in enumerate(law.expansion.terms) if m.logs)
    planted = replace(law, expansion=changed(law.expansion, index, DROPPED))
    assert refuted_by(planted), f"{planted} instead of {law}"


@pytest.mark.parametrize("name", ["sine", "infinity", "square root", "flip", "square of flip", "parameter"])
@pytest.mark.parametrize("factor", [DROPPED, ONE_PERCENT])
def test_a_wrong_iterative_residue(name, factor):
    law = law_of(name)
    index = next(i for i, (m, _) in enumerate(law.abel.expansion.terms) if m.logs)
    planted = law.changed(abel=replace(law.abel, expansion=changed(law.abel.expansion, index, factor)))
    assert refuted_by(planted)
    if not law.parameters:
        assert any(check.verdict == "refuted" for check in functional_checks(planted)), "the map alone must see it"


@pytest.mark.parametrize("name", ["sine", "infinity", "square root", "fourth power", "flip", "hyperbolic", "exp"])
def test_one_percent_in_any_coefficient_of_the_coordinate(name):
    """A or S, down to the last coefficient: the map alone must see it."""
    law = law_of(name)
    which = "abel" if law.koenigs is None else "koenigs"
    coordinate = getattr(law, which)
    for index in range(len(coordinate.expansion.terms)):
        wrong = replace(coordinate, expansion=changed(coordinate.expansion, index, ONE_PERCENT))
        checks = functional_checks(law.changed(**{which: wrong}))
        lead = which == "koenigs" and index == 0  # (1 + 1/100) S is a Koenigs function too, with another C
        assert refuted_by(law.changed(**{which: wrong})) if lead else any(c.verdict == "refuted" for c in checks)


@pytest.mark.parametrize(
    "name", [slow("sensitivity and forcing"), "sum", slow("fractional wave"), "resonance", "second base"]
)
def test_one_percent_in_any_coefficient_of_the_linear_solution(name):
    """P in every coefficient, H in all but the first, which only gives D another unit (seen by P + D H)."""
    law = law_of(name)
    for part in ("particular", "homogeneous"):
        expansion = getattr(law.linear, part)
        for index in range(len(expansion.terms)):
            wrong = replace(law.linear, **{part: changed(expansion, index, ONE_PERCENT)})
            planted = replace(law, linear=wrong)
            unit = (part == "homogeneous" and index == 0) or (part == "particular" and len(expansion.terms) == 1)
            assert refuted_by(planted) if unit else any(c.verdict == "refuted" for c in functional_checks(planted))


@pytest.mark.parametrize("name", ["hyperbolic", "hyperbolic root", "exp", "hyperbolic parameter"])
def test_a_wrong_multiplier(name):
    law = law_of(name)
    wrong = law.koenigs.multiplier * ONE_PERCENT
    assert refuted_by(law.changed(koenigs=replace(law.koenigs, multiplier=wrong)))
    scale = replace(law.expansion.scale, base=wrong)
    assert refuted_by(replace(law, expansion=replace(law.expansion, scale=scale)))


@pytest.mark.parametrize(
    ("name", "other"),
    [("sine", sin(x) + x**5), ("one side", x - x**2 + x**3), ("square root", x - x ** Rational(3, 2) - x**2),
     ("flip", -sin(x) + x**2 + x**4), ("hyperbolic", x / 2 + x**2 + x**3)],
)  # fmt: skip
def test_the_law_of_another_map(name, other):
    """Maps that agree to leading order."""
    there = asy.Recursion(other, x).law(2)
    law = law_of(name)
    planted = replace(law, single=there.single) if law.kind == "flip" else law.changed(dynamics=there.dynamics)
    assert refuted_by(planted)
    assert any(check.verdict == "refuted" for check in functional_checks(planted)), "the map alone must see it"


@pytest.mark.parametrize("name", ["from below", "shifted", "exp"])
def test_a_wrong_fixed_point(name):
    """The limit moved by 1/100, and another view with it."""
    law = law_of(name)
    fixed = replace(law.fixed, point=law.fixed.point + Rational(1, 100))
    assert refuted_by(replace(law, observable=fixed))


@pytest.mark.parametrize("name", ["sine", "infinity", "growing square root", "flip", "hyperbolic", "inverse"])
def test_a_remainder_that_is_claimed_too_small(name):
    law = law_of(name)
    rest = law.expansion.remainder
    smaller = replace(rest, monomial=replace(rest.monomial, order=rest.monomial.order + 1, logs=0))
    assert refuted_by(replace(law, expansion=replace(law.expansion, remainder=smaller)))


# ---- driven laws ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", DRIVEN)
def test_a_wrong_flow_time(name):
    """Every coefficient of T, the logarithm's among them, 1% off and dropped."""
    law = law_of(name)
    for index in range(len(law.time.terms)):
        for factor in (ONE_PERCENT, DROPPED):
            assert refuted_by(law.changed(time=changed(law.time, index, factor)))


@pytest.mark.parametrize("name", ["powers of log l", "square root of l", "exponential of C"])
@pytest.mark.parametrize("other", [(x**2 + x**3, 1 / layer), (sin(x), 1 / layer), (x - log(1 + x), 2 / sqrt(layer))])
def test_the_law_of_another_driven_recursion(name, other):
    there = DrivenRecursion(other[0], x, other[1], layer).law(2)
    assert refuted_by(law_of(name).changed(dynamics=there.dynamics))


@pytest.mark.parametrize("name", ["powers of log l", "square root of l", "exponential of C"])
def test_the_orbit_alone_sees_another_step_size(name, monkeypatch):
    """A clock that runs 1% too fast: what is left of the flow time never comes to rest."""
    law = law_of(name)
    clock = flow_time.clock
    monkeypatch.setattr(flow_time, "clock", lambda flow, v: clock(flow, v) * ONE_PERCENT.p / ONE_PERCENT.q)
    assert [check.verdict for check in drift_checks(law)] == ["refuted"]

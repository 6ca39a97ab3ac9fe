"""One error planted in a right law is refuted, whatever its kind, phase or architecture and wherever the error is.

The laws are those of the golden table.  A law is refuted as soon as one check of `verify` fails, so here the symbolic
checks are made first, and the rest only where they see nothing.
"""

from dataclasses import replace

import pytest
from sympy import Rational, log, sin, sqrt

import asympt as asy
from asympt.evidence import flow_time
from asympt.evidence.flow_time import drift_checks
from asympt.evidence.orbits.equations import functional_checks
from asympt.evidence.verify import symbolic_checks
from tests.evidence.planting import DROPPED, ONE_PERCENT, changed, refuted
from tests.golden.rows import LAYER, ROWS, X

LAWS = [name for name in ROWS if name != "linear recurrence in the layer"]
DRIVEN = ["step 1/(l+1)", "step l^(-1/2)", "h = x^(3/2)"]


def law_of(name):
    return ROWS[name].law()


def is_refuted(law) -> bool:
    return refuted(symbolic_checks(law)) or refuted(asy.verify(law, digits=12, depth=500, theorem=False).checks)


def factor_of(index: int, terms: int):
    """1% more, and dropped, in turn; a limit alone is a solution, and without its leading term a law is another's."""
    return DROPPED if index % 2 and terms > 2 else ONE_PERCENT


@pytest.mark.parametrize("name", LAWS)
def test_an_error_in_any_printed_coefficient(name):
    law = law_of(name)
    for index in range(len(law.expansion.terms)):
        planted = replace(law, expansion=changed(law.expansion, index, factor_of(index, len(law.expansion.terms))))
        assert is_refuted(planted), f"{planted} instead of {law}"


@pytest.mark.parametrize("name", ["flip", "flip of the logistic map"])
def test_one_percent_on_the_other_side(name):
    law = law_of(name)
    for index in range(len(law.odd.terms)):
        assert is_refuted(replace(law, odd=changed(law.odd, index, ONE_PERCENT)))


@pytest.mark.parametrize("name", ["sine", "x + 1/x at infinity", "three halves", "two over", "flip", "half a step",
                                  "cosine", "relu: correlation", "relu, ordered: ntk", "leaky 1/5: ntk",
                                  "resnet relu: ntk"])  # fmt: skip
def test_an_error_in_any_coefficient_of_the_coordinate(name):
    """A or S, down to the last coefficient: the map alone must see it."""
    law = law_of(name)
    which = "abel" if law.koenigs is None else "koenigs"
    coordinate = getattr(law, which)
    for index in range(len(coordinate.expansion.terms)):
        wrong = law.changed(**{which: replace(coordinate, expansion=changed(coordinate.expansion, index, ONE_PERCENT))})
        lead = which == "koenigs" and index == 0  # (1 + 1/100) S is a Koenigs function too, with another C
        assert is_refuted(wrong) if lead else refuted(functional_checks(wrong, nearby=True)), index


@pytest.mark.parametrize("name", ["sum of squares along sine", "sum along x/(1+x)", "along a hyperbolic map",
                                  "relu: ntk", "relu, ordered: ntk", "resnet relu: ntk"])  # fmt: skip
def test_an_error_in_any_coefficient_of_the_linear_solution(name):
    """P in every coefficient, H in all but the first, which only gives D another unit (seen by P + D H)."""
    law = law_of(name)
    for part in ("particular", "homogeneous"):
        expansion = getattr(law.linear, part)
        for index in range(len(expansion.terms)):
            wrong = replace(law.linear, **{part: changed(expansion, index, ONE_PERCENT)})
            planted = replace(law, linear=wrong)
            unit = (part == "homogeneous" and index == 0) or (part == "particular" and len(expansion.terms) == 1)
            assert is_refuted(planted) if unit else refuted(functional_checks(planted, nearby=True)), (part, index)


@pytest.mark.parametrize(("name", "other"), [
    ("sine", sin(X) + X**5), ("logistic at 1", X - X**2 + X**3), ("three halves", X - sqrt(X) * X - X**2),
    ("flip", -sin(X) + X**4), ("half a step", X / 2 + X**2 / 8 + X**3),
])  # fmt: skip
def test_the_law_of_another_map(name, other):
    """Maps that agree to leading order: the map alone must see it."""
    there, law = asy.Recursion(other, X).law(2), law_of(name)
    planted = replace(law, single=there.single) if law.kind == "flip" else law.changed(dynamics=there.dynamics)
    assert refuted(functional_checks(planted))


@pytest.mark.parametrize("name", ["half a step", "cosine", "relu, ordered: correlation"])
def test_a_wrong_multiplier(name):
    law = law_of(name)
    wrong = law.koenigs.multiplier * ONE_PERCENT
    assert is_refuted(law.changed(koenigs=replace(law.koenigs, multiplier=wrong)))
    scale = replace(law.expansion.scale, base=wrong)
    assert is_refuted(replace(law, expansion=replace(law.expansion, scale=scale)))


@pytest.mark.parametrize("name", ["cosine", "square root of 1 + x", "flip of the logistic map",
                                  "erf, chaotic: correlation"])  # fmt: skip
def test_a_wrong_fixed_point(name):
    """The limit moved by 1/100, and another view with it."""
    law = law_of(name)
    fixed = replace(law.fixed, point=law.fixed.point + Rational(1, 100))
    assert is_refuted(replace(law, observable=fixed))


@pytest.mark.parametrize("name", ["sine", "x + 1/x at infinity", "flip", "half a step", "relu: correlation"])
def test_a_remainder_that_is_claimed_too_small(name):
    law = law_of(name)
    rest = law.expansion.remainder
    smaller = replace(rest, monomial=replace(rest.monomial, order=rest.monomial.order + 1, logs=0))
    assert is_refuted(replace(law, expansion=replace(law.expansion, remainder=smaller)))


@pytest.mark.parametrize("name", DRIVEN)
def test_a_wrong_flow_time(name):
    """Every coefficient of T, the logarithm's among them, 1% off and dropped."""
    law = law_of(name)
    for index in range(len(law.time.terms)):
        assert is_refuted(law.changed(time=changed(law.time, index, factor_of(index + 1, 3))))


@pytest.mark.parametrize(("name", "h", "step"), [
    ("step 1/(l+1)", sin(X), 1 / LAYER), ("step l^(-1/2)", X - log(1 + X), 2 / sqrt(LAYER)),
    ("h = x^(3/2)", X**2 + X**3, 1 / LAYER),
])  # fmt: skip
def test_the_law_of_another_driven_recursion(name, h, step):
    assert is_refuted(law_of(name).changed(dynamics=asy.DrivenRecursion(h, X, step, LAYER).law(2).dynamics))


@pytest.mark.parametrize("name", DRIVEN)
def test_the_orbit_alone_sees_another_step_size(name, monkeypatch):
    """A clock that runs 1% too fast: what is left of the flow time never comes to rest."""
    law, clock = law_of(name), flow_time.clock
    monkeypatch.setattr(flow_time, "clock", lambda flow, v: clock(flow, v) * ONE_PERCENT.p / ONE_PERCENT.q)
    assert [check.verdict for check in drift_checks(law)] == ["refuted"]

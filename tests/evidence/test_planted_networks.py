"""One error planted in a right law of a network is refuted, by the check that is there to see it."""

from dataclasses import replace

import pytest
from sympy import Rational

from asympt.evidence import exact, referee
from asympt.evidence.network import depth_checks
from asympt.evidence.orbits.constancy import constancy_checks
from asympt.evidence.orbits.equations import map_checks, solution_checks
from asympt.meanfield.layer import Statement
from tests.evidence.laws_of_networks import law_of
from tests.evidence.planting import ONE_PERCENT, changed, refuted


@pytest.mark.parametrize("name", ["relu, ordered", "elu"])
@pytest.mark.parametrize("which", ["ratio", "multiplier", "forcing"])
def test_one_percent_in_any_coefficient_of_the_map(name, which):
    """The Price expansion's coefficients of y'/y, f' and f: the map sees the last of them."""
    law = law_of(name, "ntk")
    dynamics = law.dynamics
    source = dynamics.ratio if which == "ratio" else getattr(dynamics.linear, which)
    for index in [k for k, c in enumerate(source(6)) if c != 0]:

        def wrong(count, index=index):
            return [c * ONE_PERCENT if k == index else c for k, c in enumerate(source(count))]

        if which == "ratio":
            planted = replace(dynamics, ratio=wrong)
        else:
            planted = replace(dynamics, linear=replace(dynamics.linear, **{which: wrong}))
        assert refuted(map_checks(law.changed(dynamics=planted))), index


@pytest.mark.parametrize("index", [1, 6])
def test_any_coefficient_of_the_abel_function(index):
    """Derived ones, the logarithm's, and those that are known by their digits only: C moves."""
    law = law_of("erf", "correlation")
    planted = law.changed(abel=replace(law.abel, expansion=changed(law.abel.expansion, index, ONE_PERCENT)))
    assert refuted(constancy_checks(planted, Rational(9, 10), "c^1 = 1/10", 20, guards=(15,), most=30_000))


@pytest.mark.parametrize("part", ["particular", "homogeneous"])
def test_any_coefficient_of_the_linear_solution(part):
    law = law_of("erf", "ntk")
    expansion = getattr(law.linear, part)
    first = 0 if part == "particular" else 1  # the first of H only gives D another unit
    for index in (first, 4):
        wrong = replace(law.linear, **{part: changed(expansion, index, ONE_PERCENT)})
        assert refuted(solution_checks(replace(law, linear=wrong))), index


@pytest.mark.parametrize("kind", ["correlation", "ntk"])
def test_float64_alone_sees_a_wrong_residue(kind):
    law = law_of("erf", kind)
    index = next(i for i, (m, _) in enumerate(law.abel.expansion.terms) if m.logs)
    planted = law.changed(abel=replace(law.abel, expansion=changed(law.abel.expansion, index, ONE_PERCENT)))
    assert refuted(depth_checks(planted, 20_000))


@pytest.mark.parametrize("name", ["relu, ordered", "erf, chaotic"])
def test_a_wrong_diagonal(name):
    law = law_of(name, "ntk_diagonal")
    for index in range(len(law.expansion.terms)):
        assert refuted(exact.symbolic_checks(replace(law, expansion=changed(law.expansion, index, ONE_PERCENT))))
    scale = replace(law.expansion.scale, base=law.expansion.scale.base * ONE_PERCENT)
    assert refuted(exact.original_layer(replace(law, expansion=replace(law.expansion, scale=scale)), 100))


def test_random_networks_see_another_weight_variance(monkeypatch):
    """sigma_w 10% larger in the networks than in the map; 1% is below what so few of them show."""
    law = law_of("relu, ordered", "variance")
    layer = law.layer.layer
    other = Statement.plain(replace(layer, weight_variance=layer.weight_variance * ONE_PERCENT**20))
    drawn = referee.covariances
    monkeypatch.setattr(referee, "covariances", lambda _, *rest: drawn(other, *rest))
    assert refuted(referee.random_checks(law))

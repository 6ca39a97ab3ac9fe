"""Laws of residual networks whose variance grows: confirmed along the orbit of their own, planted errors refuted."""

from dataclasses import replace

import pytest
from sympy import Max, Rational, Symbol

from asympt.architectures.resnet import BlockResNet, ResNet
from asympt.evidence.growing import limit_check, orbit_checks, step_check, symbolic_checks, variance_check
from asympt.evidence.verify import verify
from asympt.meanfield.activations import Activation
from tests.evidence.planting import ONE_PERCENT, changed, refuted

BIASED = ResNet("relu", sigma_w=1, sigma_b=Rational(1, 3))
START = (Rational(9, 10), Rational(1), "c^1 = 1/10", 12)


@pytest.mark.parametrize("kind", ["correlation", "ntk"])
def test_a_right_law(kind):
    found = verify(getattr(BIASED, f"{kind}_law")(), digits=15)
    assert found.verdict == "checked", [check for check in found.checks if not check.passed]


@pytest.mark.parametrize(("net", "kind"), [(ResNet("elu", sigma_w=1), "ntk"), (ResNet("gelu", sigma_w=1), "variance"),
                                           (BlockResNet("gelu", alpha=1), "correlation")], ids=str)  # fmt: skip
def test_right_laws(net, kind):
    found = verify(getattr(net, f"{kind}_law")(), digits=15)
    assert found.verdict == "checked", [check for check in found.checks if not check.passed]


@pytest.mark.parametrize("kind", ["correlation", "ntk"])
@pytest.mark.parametrize("factor", [0, ONE_PERCENT])
def test_any_printed_coefficient(kind, factor):
    law = getattr(BIASED, f"{kind}_law")()
    for index in range(len(law.expansion.terms)):
        assert refuted(symbolic_checks(replace(law, expansion=changed(law.expansion, index, factor)))), index


def test_a_wrong_coordinate():
    """1% in A, or its logarithm dropped; 1% in P."""
    law = BIASED.ntk_law()
    for index, factor in ((0, ONE_PERCENT), (1, 0), (2, ONE_PERCENT)):
        abel = replace(law.abel, expansion=changed(law.abel.expansion, index, factor))
        assert refuted(orbit_checks(law.changed(abel=abel), *START)), index
    particular = changed(law.linear.particular, 1, ONE_PERCENT)
    assert refuted(orbit_checks(replace(law, linear=replace(law.linear, particular=particular)), *START))
    assert not refuted(orbit_checks(law, *START))


@pytest.mark.parametrize("other", [ResNet("relu", sigma_w=Rational(101, 100), sigma_b=Rational(1, 3)),
                                   BlockResNet("relu", alpha=1)], ids=["sigma_w", "block"])  # fmt: skip
def test_the_law_of_another_network(other):
    planted = replace(BIASED.ntk_law(), layer=other.statement)
    assert refuted([limit_check(planted)])
    assert refuted(orbit_checks(planted, *START))
    assert not refuted([limit_check(BIASED.ntk_law()), step_check(BIASED.ntk_law())])


def test_a_wrong_variance():
    """1% in the factor by which the variance of a shifted ReLU grows."""
    x = Symbol("x", real=True)
    law = ResNet(Activation(Max(x, 0) + Rational(1, 2), x), sigma_w=1).variance_law()
    assert variance_check(law).passed
    scale = replace(law.expansion.scale, base=law.expansion.scale.base * ONE_PERCENT)
    assert not variance_check(replace(law, expansion=replace(law.expansion, scale=scale))).passed

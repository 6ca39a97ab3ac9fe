"""Laws of residual networks whose variance grows: confirmed along the orbit of their own, planted errors refuted."""

from dataclasses import replace

import pytest
from sympy import Max, Rational, Symbol

from asympt.architectures.resnet import BlockResNet, ResNet, ScaledResNet
from asympt.evidence import growing
from asympt.evidence.growing import limit_check, orbit_checks, step_check, symbolic_checks, variance_check
from asympt.evidence.verify import verify
from asympt.expansions import Monomial
from asympt.meanfield.activations import Activation
from tests.evidence.planting import ONE_PERCENT, changed, refuted

BIASED = ResNet("relu", sigma_w=1, sigma_b=Rational(1, 3))
START = (Rational(9, 10), Rational(1), "c^1 = 1/10", 12)


@pytest.mark.parametrize(("net", "kind"), [
    (BIASED, "correlation"), (BIASED, "ntk"), (ResNet("elu", sigma_w=1), "ntk"),
    (ResNet("gelu", sigma_w=1), "variance"), (BlockResNet("gelu", alpha=1), "correlation"),
    (ResNet("erf", sigma_w=1), "correlation"), (ResNet("erf", sigma_w=1), "ntk"),
], ids=str)  # fmt: skip
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


# ---- a bounded phi: limit and power, with planted errors refuted by the layer's field ----------------

FALLING = {  # branches like l^(-kappa/2): q grows like l^(1 - kappa) or log l, and so every power of the law is less
    f"{name}, kappa = {kappa}": ScaledResNet("erf", sigma_b=bias, kappa=kappa)
    for name, bias in (("odd", 0), ("biased", Rational(1, 2))) for kappa in ("1/2", "3/4", "1")
}  # fmt: skip
NETWORKS = {"odd": ResNet("erf", sigma_w=1), "biased": ResNet("erf", sigma_w=1, sigma_b=Rational(1, 2)), **FALLING}


def with_power(law, index: int, factor):
    """Another power of l in one term."""
    terms = list(law.expansion.terms)
    monomial, coefficient = terms[index]
    terms[index] = (Monomial(monomial.order * factor, monomial.logs), coefficient)
    return replace(law, expansion=replace(law.expansion, terms=tuple(terms)))


@pytest.mark.parametrize("name", NETWORKS)
def test_the_field_of_the_correlation(name):
    law = NETWORKS[name].correlation_law()
    assert all(check.verdict == "checked" for check in growing._correlation_field(law))
    assert refuted(growing._correlation_field(replace(law, expansion=changed(law.expansion, 0, ONE_PERCENT))))
    assert refuted(growing._correlation_field(with_power(law, 1, ONE_PERCENT)))


@pytest.mark.parametrize("name", NETWORKS)
def test_the_field_of_the_kernel(name):
    law = NETWORKS[name].ntk_law()
    assert all(check.verdict == "checked" for check in growing._kernel_field(law))
    assert refuted(growing._kernel_field(replace(law, expansion=changed(law.expansion, 0, ONE_PERCENT))))
    if name.startswith("odd"):
        assert refuted(growing._kernel_field(with_power(law, 0, ONE_PERCENT)))

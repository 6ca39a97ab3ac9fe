"""Limit and power of residual networks with a bounded phi: planted errors are refuted by the layer's field."""

from dataclasses import replace

import pytest
from sympy import Rational

from asympt.architectures.resnet import ResNet, ScaledResNet
from asympt.evidence.growing import _correlation_field, _kernel_field
from asympt.evidence.verify import verify
from asympt.expansions import Monomial
from tests.evidence.planting import ONE_PERCENT, changed, refuted

ODD, BIASED = ResNet("erf", sigma_w=1), ResNet("erf", sigma_w=1, sigma_b=Rational(1, 2))
FALLING = {  # branches like l^(-kappa/2): q grows like l^(1 - kappa) or log l, and so every power of the law is less
    f"{name}, kappa = {kappa}": ScaledResNet("erf", sigma_b=bias, kappa=kappa)
    for name, bias in (("odd", 0), ("biased", Rational(1, 2))) for kappa in ("1/2", "3/4", "1")
}  # fmt: skip
NETWORKS = {"odd": ODD, "biased": BIASED, **FALLING}


def with_power(law, index: int, factor):
    """Another power of l in one term."""
    terms = list(law.expansion.terms)
    monomial, coefficient = terms[index]
    terms[index] = (Monomial(monomial.order * factor, monomial.logs), coefficient)
    return replace(law, expansion=replace(law.expansion, terms=tuple(terms)))


@pytest.mark.parametrize("name", NETWORKS)
def test_the_field_of_the_correlation(name):
    law = NETWORKS[name].correlation_law()
    assert all(check.verdict == "checked" for check in _correlation_field(law))
    assert refuted(_correlation_field(replace(law, expansion=changed(law.expansion, 0, ONE_PERCENT))))
    assert refuted(_correlation_field(with_power(law, 1, ONE_PERCENT)))


@pytest.mark.parametrize("name", NETWORKS)
def test_the_field_of_the_kernel(name):
    law = NETWORKS[name].ntk_law()
    assert all(check.verdict == "checked" for check in _kernel_field(law))
    assert refuted(_kernel_field(replace(law, expansion=changed(law.expansion, 0, ONE_PERCENT))))
    if name.startswith("odd"):
        assert refuted(_kernel_field(with_power(law, 0, ONE_PERCENT)))


@pytest.mark.parametrize("kind", ["correlation", "ntk"])
def test_right_laws(kind):
    found = verify(getattr(ODD, f"{kind}_law")())
    assert found.verdict == "checked", [check for check in found.checks if not check.passed]

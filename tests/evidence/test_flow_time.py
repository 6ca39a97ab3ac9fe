"""The laws of a scaled ResNet pass their checks, and one error planted in them is refuted."""

from dataclasses import replace

import pytest
from sympy import Symbol, sqrt

from asympt.architectures.resnet import ScaledResNet
from asympt.evidence.check import Effort
from asympt.evidence.exact import formula_of, sum_checks
from asympt.evidence.exact import symbolic_checks as identities
from asympt.evidence.flow_time import numeric_checks, orbit_checks, solution_checks, symbolic_checks
from asympt.evidence.verify import verify
from asympt.recursions.law import Law
from tests.evidence.planting import ONE_PERCENT, changed, refuted
from tests.on_demand import OnDemand

HARMONIC = ScaledResNet("relu", sigma_w=sqrt(2))
HALF = ScaledResNet("leaky_relu", sigma_w=2, kappa="1/2", slope="1/10")
FAST = ScaledResNet("relu", sigma_w=sqrt(2), kappa="4/5")
LAWS = OnDemand({
    "correlation": HARMONIC.correlation_law,
    "correlation, kappa = 1/2": HALF.correlation_law,
    "ntk": lambda: HARMONIC.ntk_law(terms=5),
    "ntk, kappa = 1/2": HALF.ntk_law,
    "ntk, kappa = 4/5": FAST.ntk_law,
})  # fmt: skip
SUMS = OnDemand({
    "diagonal": HARMONIC.ntk_diagonal_law,
    "diagonal, kappa = 1/2": HALF.ntk_diagonal_law,
    "diagonal, kappa = 2": ScaledResNet("relu", kappa=2).ntk_diagonal_law,
    "variance": ScaledResNet("relu").variance_law,
    "variance, a polynomial": ScaledResNet("relu", sigma_w=2).variance_law,
    "variance, kappa = 1/2": HALF.variance_law,
})  # fmt: skip


def passed(checks) -> bool:
    return all(check.verdict in ("proved", "checked") for check in checks)


def test_the_printed_laws_are_proved_for_all_sigma_w_at_once():
    net = ScaledResNet("relu", sigma_w=Symbol("sigma_w", positive=True))
    for law in (net.correlation_law(3), net.ntk_law(3)):
        assert {check.verdict for check in symbolic_checks(law)} == {"proved"}
        wrong = replace(law, expansion=changed(law.expansion, 2, ONE_PERCENT))
        assert refuted(symbolic_checks(wrong))


def test_a_law_with_symbols_is_not_called_checked():
    law = ScaledResNet("relu", sigma_w=Symbol("sigma_w", positive=True)).correlation_law(terms=2)
    found = verify(law)
    assert found.verdict == "unknown"
    assert passed(found.checks[:-1])


def test_a_shallow_float_comparison_is_made_deeper():
    works = numeric_checks(LAWS["correlation"], Effort(10, 50))
    found = next(work for name, work in works if "float" in name)()
    assert [check.verdict for check in found] == ["checked"] and "depth 100" in found[0].name


@pytest.mark.parametrize("name", ["correlation", "ntk, kappa = 1/2"])
def test_a_wrong_coefficient_of_the_flow_time_is_refuted(name):
    law = LAWS[name]
    for index in range(len(law.time.terms)):
        wrong = law.changed(time=changed(law.time, index, ONE_PERCENT))
        assert refuted(solution_checks(wrong)), index
        assert refuted(symbolic_checks(wrong)), index


@pytest.mark.parametrize("part", ["particular", "homogeneous"])
@pytest.mark.parametrize("factor", [0, ONE_PERCENT])
def test_a_wrong_coefficient_of_p_or_h_is_refuted(part, factor):
    law = LAWS["ntk"]
    series = getattr(law.linear, part)
    for index in (0, 1, 2, 9, len(series.terms) - 1):
        linear = replace(law.linear, **{part: changed(series, index, factor)})
        assert refuted(solution_checks(replace(law, linear=linear))), index


def test_a_pure_wave_in_p_is_refuted():
    law = LAWS["ntk"]
    series = law.linear.particular
    shifted = series + law.linear.homogeneous  # solves the same equation
    found = solution_checks(replace(law, linear=replace(law.linear, particular=shifted)))
    assert [check.name for check in found if check.verdict == "refuted"] == ["terms t^3 in P"]


@pytest.mark.parametrize("name", ["ntk", "ntk, kappa = 4/5"])
def test_a_wrong_constant_of_the_diagonal_is_refuted(name):
    law = LAWS[name]
    assert refuted(symbolic_checks(law.changed(diagonal=law.coordinate.diagonal * ONE_PERCENT)))


@pytest.mark.parametrize("which", ["connection_constant", "second_constant"])
def test_a_wrong_c_or_d_is_refuted(which, monkeypatch):
    right = getattr(Law, which)
    monkeypatch.setattr(Law, which, lambda self, **given: right(self, **given) * 1.01)
    assert refuted(orbit_checks(LAWS["ntk"]))


@pytest.mark.parametrize(("name", "factor"), [("diagonal", ONE_PERCENT), ("variance", 0), ("diagonal, kappa = 1/2", 0),
                                              ("variance, kappa = 1/2", ONE_PERCENT)])  # fmt: skip
def test_a_wrong_term_of_a_sum_is_refuted(name, factor):
    law = SUMS[name]
    for index in range(len(law.expansion.terms)):
        wrong = replace(law, expansion=changed(law.expansion, index, factor))
        assert refuted(sum_checks(wrong, 15, 100)), index


@pytest.mark.parametrize("name", ["diagonal", "variance"])
def test_a_wrong_formula_is_refuted(name):
    law = SUMS[name]
    depth = law.depth_variable
    assert refuted(identities(law.changed(formula=formula_of(law).subs(depth, depth + 1))))

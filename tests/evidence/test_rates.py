"""The evidence for laws of the kind 'rates': what is right passes, every planted error is refuted."""

from dataclasses import replace

import pytest
from mpmath import mpf
from sympy import Rational, Symbol, cos, sin, symbols

from asympt.architectures.mlp import MLP
from asympt.evidence.check import Check, Effort, verdict_of
from asympt.evidence.perceptron import component_constants
from asympt.evidence.verify import numeric_checks, symbolic_checks
from asympt.meanfield.activations import Activation
from asympt.recursions.law import Law
from tests.evidence.planting import changed

X = Symbol("x", real=True)
MIXED = Activation(sin(X) + (1 - cos(X)) / 2, X, name="mixed")
BIAS, WEIGHT = symbols("lambda_b lambda_W", positive=True)


def joint(checks: list[Check]) -> str:
    """The verdict of one route alone, which does not refute by itself."""
    return "refuted" if any(check.passed is False for check in checks) else verdict_of(checks)


def numbers(law, digits=8, depth=2000):
    return joint([check for _, work in numeric_checks(law, Effort(digits, depth)) for check in work()])


def planted(law, index):
    """The law with one coefficient changed."""
    return replace(law, expansion=changed(law.expansion, index, Rational(11, 10)))


@pytest.mark.parametrize(("name", "schedule"), [("tanh", "constant"), ("sin", "equivalence"), ("erf", "equivalence")])
def test_components_solve_their_recursions_for_all_rates(name, schedule):
    mlp = MLP(name, weight_rate=WEIGHT, bias_rate=BIAS, schedule=schedule)
    laws = [mlp.kernel_law("1", 2), mlp.kernel_law("2", 2), *(mlp.ntk_component_law(c, 2) for c in ("00", "1", "2"))]
    for law in laws:
        assert joint(symbolic_checks(law)) == "proved"
        assert joint(symbolic_checks(planted(law, 0))) == "refuted"


@pytest.mark.parametrize(("component", "index"), [("00", 0), ("00", 1), ("2", 0), ("2", 1)])
def test_planted_errors_of_an_activation_that_is_not_odd(component, index):
    law = MLP(MIXED, weight_rate=WEIGHT, bias_rate=BIAS).ntk_component_law(component, 3)
    assert joint(symbolic_checks(law)) == "proved"
    assert joint(symbolic_checks(planted(law, index))) == "refuted"


def test_the_printed_equation_of_pdlt_is_refuted():
    """10.80: lambda_W sigma_1^2 delta^2 without the term in lambda_b."""
    law = MLP("tanh", weight_rate=WEIGHT, bias_rate=BIAS).ntk_component_law("2", 1)
    (monomial, coefficient), *_ = law.expansion.terms
    printed = replace(law, expansion=replace(law.expansion, terms=((monomial, coefficient.subs(BIAS, 0)),)))
    assert joint(symbolic_checks(printed)) == "refuted"


def test_a_wrong_number_of_a_constant_is_refuted(monkeypatch):
    """Each constant off by 10^-11 of itself: the recursion itself shows it, from both starts."""
    law, right = MLP("sin", weight_rate=3, bias_rate=2).ntk_component_law("2", 1), Law.constants

    def shifted(self, *given, **start):
        return {name: value * (1 + mpf(10) ** -11) for name, value in right(self, *given, **start).items()}

    monkeypatch.setattr(Law, "constants", shifted)
    assert {check.verdict for check in component_constants(law)} == {"refuted"}


def test_robustness_is_recombined():
    law = MLP("sin", weight_rate=3, bias_rate=2).robustness_law(2)
    assert joint(symbolic_checks(law)) == "checked"
    assert joint(symbolic_checks(planted(law, 1))) == "refuted"
    assert joint(symbolic_checks(planted(law, 0))) == "refuted"


@pytest.mark.parametrize("which", ["angle_law", "zeta_law", "robustness_law"])
def test_angles(which):
    mlp = MLP("relu", weight_rate=1, bias_rate=1)
    law = getattr(mlp, which)(terms=2)
    assert joint(symbolic_checks(law)) in ("proved", "checked")
    assert numbers(law) == "checked"
    for index in range(2):
        assert joint(symbolic_checks(planted(law, index))) == "refuted"


def test_zeta_of_another_share_is_refuted():
    law = MLP("relu", weight_rate=1, bias_rate=1).zeta_law(terms=2)
    other = MLP("relu", weight_rate=1, bias_rate=2).zeta_law(terms=2)
    assert numbers(replace(law, linear=other.linear)) == "refuted"


def test_prediction_variance():
    law = MLP("relu", weight_rate=1, bias_rate=1).prediction_variance_law(terms=2, variance=3)
    assert joint(symbolic_checks(law)) == "checked"
    assert numbers(law) == "checked"
    assert joint(symbolic_checks(planted(law, 1))) == "refuted"


def test_exact_laws():
    diagonal = MLP("relu", weight_rate=WEIGHT, bias_rate=BIAS).ntk_diagonal_law(2)
    assert joint(symbolic_checks(diagonal)) == "proved"
    linear = MLP("linear", weight_rate=2).zeta_law()
    assert joint(symbolic_checks(linear)) == "proved"
    assert numbers(linear) == "checked"
    wrong = linear.changed(constant=lambda gap: gap / 2)
    assert numbers(wrong) == "refuted"
    robustness = MLP("linear", weight_rate=2).robustness_law()
    assert joint(symbolic_checks(robustness)) == "checked"
    assert numbers(robustness) == "checked"

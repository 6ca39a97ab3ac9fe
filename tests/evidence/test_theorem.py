"""Verifications that prove the law: verdict, headline, remainder, and what is said where there is no theorem.

Of sin with x_0 = 1 and two terms the deviation over n^(-3/2) tends to 2.1048: mpmath, iterated to 10^6 and beyond.
"""

from dataclasses import replace
from decimal import Decimal

import pytest
from sympy import Rational, Symbol, sin, sqrt

import asympt as asy
from asympt import blocks as b
from asympt.errors import UnsupportedError
from asympt.evidence.theorem import theorem_of
from asympt.expansions.scale import Bounded
from asympt.recursions import Recursion

X = Symbol("x", positive=True)


def test_a_recursion_is_proved():
    found = asy.verify(Recursion(sin(X), X).law(terms=2), start=1)
    assert found.verdict == "proved"
    assert found.theorem.valid_from == 2 and Decimal("2.10") < found.theorem.constant < Decimal("2.14")  # limit 2.1048
    assert isinstance(found.remainder, Bounded) and found.checks[-1].verdict == "proved"
    assert "for all n >= 2 and x_0 = 1" in found.report()


def test_without_the_stage_it_is_checked():
    found = asy.verify(Recursion(sin(X), X).law(terms=2), start=1, theorem=False)
    assert found.verdict == "checked" and found.theorem is None and found.remainder is None


def test_no_theorem_is_no_undone_check():
    found = asy.verify(Recursion(-sin(X), X).law(terms=2))
    assert found.verdict == "checked" and "several orbits" in found.unproved and "no theorem" in found.report()


def test_a_wrong_coefficient_is_refuted_and_never_proved():
    law = Recursion(sin(X), X).law(terms=2)
    (lead, second) = law.expansion.terms
    wrong = replace(law, expansion=replace(law.expansion, terms=(lead, (second[0], second[1] * Rational(101, 100)))))
    found = asy.verify(wrong, start=1)
    assert found.verdict == "refuted" and found.theorem is None and not found.unproved


def test_the_law_that_is_proved_has_the_bounded_remainder():
    law = asy.verify(Recursion(X - X**2, X).law(terms=2), start=Rational(1, 2)).law
    assert isinstance(law.remainder, Bounded) and law.remainder.valid_from == 2
    assert asy.verify(Recursion(-sin(X), X).law(terms=2)).law is None


def test_a_law_in_the_logarithm_of_the_depth_is_proved():
    step = Symbol("l", positive=True)
    law = asy.DrivenRecursion(X**2, X, 1 / (step + 1), step).law(terms=1)
    found = theorem_of(law, None, lambda *told: None)
    assert found.certificate.start[1] == Rational(1, 4) and found.certificate.constant < 10


def test_laws_without_a_theorem_say_why():
    """Each family in one sentence: steps that fall slower than 1/l, laws of observables, exact ones."""
    for law, said in [
        (Recursion(sin(X), X).law(terms=2, observable=1 / X**2), "observable"),
        (asy.FeedForward("relu").ntk_diagonal_law(), "exact"),
        (asy.ScaledResNet("relu", kappa=Rational(1, 2)).correlation_law(), "verify checks"),
    ]:  # fmt: skip
        found = theorem_of(law, None, lambda *told: None)
        assert found.certificate is None and said in found.reason and not found.checks, found.reason


def test_a_network_with_a_wrong_coefficient_is_disproved_by_the_theorem_alone():
    """1% in a coefficient that holds numbers with names only (the erf map's) and in one of ReLU's."""
    for net in (asy.FeedForward("relu"), asy.FeedForward("erf", sigma_b="1/5")):
        law = net.correlation_law(terms=2)
        lead, (monomial, second) = law.expansion.terms
        wrong = replace(law, expansion=replace(law.expansion, terms=(lead, (monomial, second * Rational(101, 100)))))
        found = theorem_of(wrong, None, lambda *told: None)
        assert [check.verdict for check in found.checks] == ["refuted"] and "is not the exact" in found.reason


def test_too_many_terms_in_named_numbers_are_not_proved_by_the_way():
    law = asy.FeedForward("erf", sigma_b="1/5").ntk_law(terms=9)
    assert "derive fewer terms" in theorem_of(law, None, lambda *told: None).reason


def test_compositions_are_proved_or_say_why():
    """Post-norm has a constant weight, pre-norm steps that fall like 1/l; with tanh c leaves 1 along such steps."""
    block = b.residual(b.activation("relu"), b.dense(sigma_w=sqrt(2)))
    post = asy.Network(b.serial(block, b.layer_norm()), first=b.dense(sigma_w=1), variance=1).correlation_law(2)
    assert "for all l >= 2 and c^1 = 1/10" in str(theorem_of(post, None, lambda *told: None).certificate)
    for phi in ("relu", "tanh"):
        pre = b.residual(b.layer_norm(), b.activation(phi), b.dense(sigma_w=sqrt(2)))
        law = asy.Network(pre, first=b.dense(sigma_w=1), variance=1).correlation_law(2)
        found = theorem_of(law, None, lambda *told: None)
        assert (found.certificate is None) == ("while c leaves 1" in found.reason) == (phi == "tanh")


def test_what_has_no_theorem_says_why():
    """The variance of a residual network moves its correlation, but nothing moves the variance itself."""
    net = asy.ResNet("gelu", sigma_w=1)
    for law, moved in ((net.correlation_law(2), True), (net.ntk_law(2), True), (net.variance_law(2), False)):
        with pytest.raises(UnsupportedError, match="there is no theorem yet") as refusal:
            law.asked  # noqa: B018, refuses
        assert ("moves with something that keeps changing" in str(refusal.value)) == moved

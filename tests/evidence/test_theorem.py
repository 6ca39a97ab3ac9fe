"""Verifications that prove the law: verdict, headline, remainder, and what is said where there is no theorem.

Of sin with x_0 = 1 and two terms the deviation over n^(-3/2) tends to 2.1048: mpmath, iterated to 10^6 and beyond.
"""

from dataclasses import replace
from decimal import Decimal

from sympy import Rational, Symbol, sin

import asympt as asy
from asympt.expansions.remainder import Bounded
from asympt.recursions import Recursion

X = Symbol("x", positive=True)


def test_a_recursion_is_proved():
    found = asy.verify(Recursion(sin(X), X).law(terms=2), start=1, theorem=True)
    assert found.verdict == "proved"
    assert found.theorem.valid_from == 2 and Decimal("2.10") < found.theorem.constant < Decimal("2.14")  # limit 2.1048
    assert isinstance(found.remainder, Bounded) and found.checks[-1].verdict == "proved"
    assert "for all n >= 2 and x_0 = 1" in found.report()


def test_without_being_asked_it_is_checked():
    found = asy.verify(Recursion(sin(X), X).law(terms=2), start=1)
    assert found.verdict == "checked" and found.theorem is None and found.remainder is None


def test_no_theorem_is_no_undone_check():
    found = asy.verify(Recursion(-sin(X), X).law(terms=2), theorem=True)
    assert found.verdict == "checked" and "two branches" in found.unproved and "no theorem" in found.report()


def test_a_wrong_coefficient_is_refuted_and_never_proved():
    law = Recursion(sin(X), X).law(terms=2)
    (lead, second) = law.expansion.terms
    wrong = replace(law, expansion=replace(law.expansion, terms=(lead, (second[0], second[1] * Rational(101, 100)))))
    found = asy.verify(wrong, start=1, theorem=True)
    assert found.verdict == "refuted" and found.theorem is None and "is not seen to equal" in found.unproved

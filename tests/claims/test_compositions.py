"""Claims about compositions: every verdict as derived by hand, and every mutant of a law of our own refuted."""

import pytest
from sympy import Rational, pi

from asympt import claims
from asympt.architectures.composition import Network
from asympt.claims.stated import compositions
from asympt.claims.stated.compositions import COMPOSITIONS, POST, stated
from asympt.claims.stated.laws import LawCoefficient, StatedNetwork
from tests.claims.changed import changed


@pytest.mark.parametrize("name", [name for name in COMPOSITIONS if name.startswith("ASY.")])
def test_laws_of_our_own_hold_and_their_mutants_do_not(name):
    (formula,) = claims.find(name).formulas()
    assert claims.find(name).check().verdict == "checked"
    assert [m.plain for m in changed(formula) if m.verify().verdict != "refuted"] == []


def test_a_constant_of_another_weight_is_refuted():
    """18 pi^2 for the weight 1/2; 9 pi^2/2 is that of a network without skip."""
    wrong = LawCoefficient(stated(POST), "correlation", "1/l^2", Rational(9, 2) * pi**2)
    assert wrong.verify().verdict == "refuted" and wrong.corrected().value == 18 * pi**2


def test_a_changed_branch_is_no_half(monkeypatch):
    monkeypatch.setattr(compositions, "FEED", "residual({}dense(1), relu, dense(sqrt(2)))")
    assert [formula.verify().verdict for formula in compositions.hidden_states()] == ["refuted", "proved", "proved"]


def test_a_variance_that_does_grow_exponentially_is_found_to(monkeypatch):
    monkeypatch.setattr(compositions, "PRE", compositions.PLAIN)  # q_l = 2^(l-1): no norm in front of the branch
    assert compositions.variance_at_initialisation()[0].verify().verdict == "refuted"


def test_a_block_in_a_file_of_claims():
    named = StatedNetwork.of({"block": POST, "law": "ntk"})
    assert isinstance(named.load(), Network) and named.plain == POST and r"layer\_norm" in named.latex

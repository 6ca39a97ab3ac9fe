"""Printed formulas of the ledger as objects: the mutation test over all of them."""

from dataclasses import replace

import pytest

from asympt import claims
from asympt.claims.catalogue import FORMULAS
from asympt.claims.stated import equalities, laws
from tests.claims.changed import changed


@pytest.mark.parametrize("name", FORMULAS)
def test_a_changed_formula_changes_the_verdict(name, monkeypatch):
    """Sign, constant, exponent and index of what is true: every mutant fails a check."""
    for stated in FORMULAS[name]():
        true = stated.corrected() if stated.verify().verdict == "refuted" else stated
        mutants = [] if true is None else list(changed(true))
        assert mutants
        with monkeypatch.context() as hurried:  # one failed check is enough: no time for a second witness
            hurried.setattr(equalities, "SHOWING", 0.01)
            hurried.setattr(laws, "SECONDS", 0.01)
            assert [m.plain for m in mutants if not any(check.passed is False for check in m.checks())] == []


WITHOUT = {  # a figure, a table, a sentence, or an order in 1/n that is sampled: no formula is printed for it
    "HDR.F1a", "HDR.F1b", "HDR.F1c", "HDR.Tab1", "HDR.Tab2", "JGH.fig", "TBG.fig1", "TBG.fig2",
    "TBG.fig3", "XPS.fig-accuracy", "PDLT.10.11", "PDLT.10.12", "PDLT.10.13",
}  # fmt: skip


def test_every_claim_has_its_formula_or_is_none():
    assert {claim.id for claim in claims.all_claims() if claim.formulas is None} == WITHOUT


def test_the_printed_formula_of_a_claim_in_words_is_not_lost():
    """A claim that nothing but its formulas decide has them."""
    assert [claim.id for claim in claims.all_claims() if claim.decide is None and claim.formulas is None] == []


@pytest.mark.parametrize("name", ["HDR.AL4", "HDR.AL5", "HDR.AL7.s", "HDR.AL2.inv", "HDR.L1.lower", "HDR.S5.M"])
def test_a_refuted_claim_holds_once_its_formula_is_put_right(name):
    """Nothing beside the object refutes it."""
    claim = claims.find(name)
    assert claim.check().verdict == "refuted"
    right = tuple(s.corrected() if s.verify().verdict == "refuted" else s for s in claim.formulas())
    assert replace(claim, formulas=lambda: right).check().verdict in ("proved", "checked")

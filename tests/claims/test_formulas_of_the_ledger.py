"""Printed formulas of the ledger as objects: their verdicts, and the mutation test over all of them."""

import pytest

from asympt import claims
from asympt.claims.stated.ledger import FORMULAS

# what the independent decisions of the ledger say; a claim of several formulas is refuted if one of them is
REFUTED = {
    "HDR.T1.1-inv", "HDR.T1.1-rate", "HDR.T1.1-c", "HDR.T1.2-inv", "HDR.S6.2-eoc-tanh", "HDR.S6.2-eoc-elu", "HDR.AL7.s",
    "HDR.AL7", "HDR.T2.rate", "XPS.chaos.paa", "XPS.ord.paa", "TBG.ratio", "TBG.alpha-bound", "TBG.Bres.mono",
    "HDR.S5.M", "JGH.P", "JGH.T2.sigma1", "TBG.nngp.base",
}  # fmt: skip


@pytest.mark.parametrize("name", FORMULAS)
def test_the_printed_formula_is_decided_as_the_claim_is(name):
    verdicts = {stated.verify().verdict for stated in FORMULAS[name]()}
    assert ("refuted" in verdicts) == (name in REFUTED), verdicts
    assert verdicts <= {"proved", "checked", "refuted"}


@pytest.mark.parametrize("name", FORMULAS)
def test_a_changed_formula_changes_the_verdict(name):
    """Sign, constant, exponent and index of what is true: every mutant is refuted."""
    for stated in FORMULAS[name]():
        true = stated.corrected() if stated.verify().verdict == "refuted" else stated
        mutants = [] if true is None else list(true.mutated())
        assert [mutant.plain for mutant in mutants if mutant.verify().verdict != "refuted"] == []


def test_the_claim_shows_and_counts_its_formula():
    claim = claims.find("TBG.Bres.mono")
    found = claim.check()
    assert r"< 0\quad(0\le \alpha\le 1)" in claim.formula and found.verdict == "refuted"
    assert any("difference of the sides" in check.name for check in found.checks)

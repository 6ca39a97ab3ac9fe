"""Printed formulas of the ledger as objects: their verdicts, and the mutation test over all of them."""

from dataclasses import replace

import pytest

from asympt import claims
from asympt.claims.stated import hdr, pdlt, slides
from asympt.claims.stated.ledger import FORMULAS

# what the independent decisions of the ledger say; a claim of several formulas is refuted if one of them is
REFUTED = {
    "HDR.AL1", "HDR.AL1.step", "HDR.AL2.1", "HDR.AL2.2", "HDR.AL2.U", "HDR.AL2.inv", "HDR.AL2.power", "HDR.AL3.1",
    "HDR.AL3.2", "HDR.AL4", "HDR.AL5", "HDR.AL5.prod", "HDR.AL6", "HDR.AL7", "HDR.AL7.s", "HDR.AL8",
    "HDR.B1.chaotic", "HDR.B1.convex", "HDR.B1.deriv", "HDR.B1.ordered", "HDR.B1.varconv", "HDR.D1.classS",
    "HDR.L1.iff", "HDR.L1.lower", "HDR.P2", "HDR.P2.proof", "HDR.P2.sigdot", "HDR.P3.alpha",
    "HDR.P3.lambda", "HDR.P3.limit", "HDR.P3.prod", "HDR.P3.rec", "HDR.S5.34", "HDR.S5.35", "HDR.S5.M",
    "HDR.S6.2-eoc-elu", "HDR.S6.2-eoc-tanh", "HDR.S6.2-noeoc", "HDR.T1.1-c", "HDR.T1.1-diag", "HDR.T1.1-fp",
    "HDR.T1.1-inv", "HDR.T1.1-rate", "HDR.T1.2-diag", "HDR.T1.2-fk", "HDR.T1.2-fp", "HDR.T1.2-inv",
    "HDR.T1.2-lambda", "HDR.T1.2-rate", "HDR.T1.2-rate-elu", "HDR.T1.2-sign", "HDR.T1.2-taylor", "HDR.T1.cnn-diag",
    "HDR.T1.cnn-relu", "HDR.T1.cnn-smooth", "HDR.T1.gain", "HDR.T1.sup", "HDR.T2.diag", "HDR.T2.fp",
    "HDR.T2.offdiag", "HDR.T2.rate",
    "XPS.chaos.paa", "XPS.ord.paa", "TBG.ratio", "TBG.alpha-bound", "TBG.Bres.mono", "JGH.T2.sigma1", "JGH.T3",
    "XPS.nngp", "XPS.ntk", "TBG.nngp.base", "TBG.ntk.mlp", "TBG.ntk.res", "TBG.ntk.V", "TBG.ntk.Pi",
    "TBG.nngp.step", "TBG.inv.loss", "TBG.inv.weights", "TBG.Bres", "TBG.Bmlp", "TBG.rkhs", "XPS.chaos.paa-asym",
    "XPS.delta", "XPS.ord.form", "JGH.P", "JGH.test-III",
    "PDLT.10.113", "PDLT.10.114", "PDLT.10.115", "PDLT.10.116", "PDLT.10.131", "PDLT.10.80", "PDLT.10.81",
    "PDLT.10.81-remark", "HDR.T1.1-limit", "HDR.T1.inv", "HDR.T1.2-limit", "HDR.T1.2-rate-smooth",
    "HDR.B1.positive", "HDR.CNN.varconv", "HDR.L4.first", "HDR.AL7.cnn", "HDR.T2.cnn-product", "HDR.T2.cnn-slope",
    "HDR.T2.cnn", "HDR.AL8.sum", "HDR.AL8.cnn", "HDR.P3.cnn", "PDLT.10.2", "PDLT.10.8", "PDLT.10.132",
    "XPS.dissimilar", "JGH.base.sum", "TBG.output", "TBG.x0", "TBG.T.domain", "TBG.jacobian",
}  # fmt: skip
NETWORKS = slides.RECURSIONS  # random networks decide them
NAMES = [pytest.param(name, marks=pytest.mark.slow) if name in NETWORKS else name for name in FORMULAS]


@pytest.mark.parametrize("name", NAMES)
def test_the_printed_formula_is_decided_as_the_claim_is(name):
    verdicts = {stated.verify().verdict for stated in FORMULAS[name]()}
    assert ("refuted" in verdicts) == (name in REFUTED), verdicts
    assert verdicts <= {"proved", "checked", "refuted"}


@pytest.mark.parametrize("name", NAMES)
def test_a_changed_formula_changes_the_verdict(name):
    """Sign, constant, exponent and index of what is true: every mutant is refuted."""
    for stated in FORMULAS[name]():
        true = stated.corrected() if stated.verify().verdict == "refuted" else stated
        mutants = [] if true is None else list(true.mutated())
        assert mutants
        assert [mutant.plain for mutant in mutants if mutant.verify().verdict != "refuted"] == []


def test_the_claim_shows_and_counts_its_formula():
    claim = claims.find("TBG.Bres.mono")
    found = claim.check()
    assert claim.formula.endswith("< 0") and r"\alpha" in claim.formula and found.verdict == "refuted"
    assert any("difference of the sides" in check.name for check in found.checks)


OTHERS = "TBG XPS JGH ASY SUN XIONG HAYOU21"


@pytest.mark.parametrize(
    "sources, without",
    [("HDR", hdr.WITHOUT_FORMULA), ("PDLT", pdlt.WITHOUT_FORMULA), (OTHERS, slides.WITHOUT_FORMULA)],
)
def test_every_claim_has_its_formula_or_says_why_not(sources, without):
    listed = {claim.id: claim for claim in claims.all_claims() if claim.id.partition(".")[0] in sources.split()}
    assert {name for name, claim in listed.items() if claim.formulas is None} == set(without)


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

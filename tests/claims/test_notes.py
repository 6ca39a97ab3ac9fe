"""Notes beside verdicts: every one belongs to a claim, is whole, and a mild severity asks for a repaired statement."""

import re
from pathlib import Path

import pytest

from asympt import FeedForward, claims
from asympt.claims import scopes
from asympt.claims.note import Note, severity_of
from asympt.evidence.check import Check, Verification

ROOT = Path(__file__).parents[2]
NOTES = {claim.id: claim.note for claim in claims.all_claims() if claim.note != Note()}
SEVERE = {name: note for name, note in NOTES.items() if note.severity}


def found(passed: bool, corrected: bool | None = None) -> Verification:
    right = None if corrected is None else Verification("right", (Check("right", 0, 0, corrected),))
    return Verification("printed", tuple(Check("printed", 0, 0, passed, route=by) for by in ("one", "two")), right)


def test_what_is_refuted_says_why_and_what_is_true():
    bare = [name for name, note in SEVERE.items() if not (note.why and note.correction) and not note.reading]
    assert bare == [] and len(SEVERE) > 90


@pytest.mark.parametrize("name", sorted(NOTES))
def test_formulas_are_closed(name):
    note = NOTES[name]
    for text in (note.reading, note.why, note.hypotheses, note.where, note.coq):
        assert text.count("$") % 2 == 0 and "''" not in re.sub(r"(phi|sigma|f)\'\'", "", text), text
    for opened, closed in (("{", "}"), (r"\left", r"\right"), (r"\bigl", r"\bigr"), (r"\Bigl", r"\Bigr")):
        plain = note.correction.replace(r"\{", "").replace(r"\}", "").replace(r"\leftarrow", "")
        assert plain.count(opened) == plain.count(closed), note.correction


def test_what_coq_has_checked_names_the_file_of_its_theorem():
    checked = {name: note.coq.rpartition(": ")[2] for name, note in NOTES.items() if note.coq}
    assert {"HDR.T1.1-rate", "HDR.T1.sup", "HDR.T1.1-c"} <= set(checked)
    for name, path in checked.items():
        assert "Print Assumptions" in (ROOT / path).read_text()  # `check.py` compiles it, and reads what that prints
        assert claims.find(name).record()["trust"] == "Coq"


@pytest.mark.parametrize("severity", ["convention", "slip", "imprecise"])
def test_a_mild_severity_counts_only_where_the_repaired_statement_holds(severity):
    note = Note(severity)
    assert severity_of(note, found(False, True)) == severity
    assert severity_of(note, found(False, False)) == severity_of(note, found(False)) == "false"


def test_what_holds_has_a_severity_only_where_it_had_to_be_repaired_to_be_read():
    assert severity_of(Note(), found(True)) == severity_of(Note(), found(False, True)) == ""
    assert claims.find("JGH.T4").note.severity == claims.find("JGH.T3.B").note.severity == "slip"


@pytest.mark.parametrize(("name", "plain"), [("PDLT.10.52", "checked"), ("HDR.eq9", "proved")])
def test_proved_is_for_the_whole_scope(name, plain):
    claim = claims.find(name)
    assert {stated.verify().verdict for stated in claim.formulas()} == {"proved"}
    assert claim.check().verdict == plain
    assert bool(claim.note.on) == (plain == "checked")


def test_where_an_even_activation_is_meant_the_start_opposite_to_x_is_excluded():
    """f(-1) = 1 for an even phi, so that K^L(x, -x) = K^L(x, x) grows like q L: c^1 < 1 does not exclude it."""
    nets = FeedForward("abs"), FeedForward.on_edge_of_chaos("x^2", sigma_b=1)
    stated = [c for c in claims.all_claims() if c.scope.holds is not scopes.RECURSIONS.holds]
    meant = [c for c in stated if c.id.startswith("HDR.T1") and any(map(c.scope.holds, nets))]
    starts = [c for c in meant if re.search(r"c\^1.*fixed|c\^1\\le", c.note.hypotheses)]
    assert len(starts) >= 5
    assert not [c.id for c in starts if "f(c^1)<1" not in c.note.hypotheses and "|c^1|" not in c.note.hypotheses]

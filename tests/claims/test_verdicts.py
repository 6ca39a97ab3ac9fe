"""The ledger is one run: verdict, that of the correction, and severity of every claim, against the committed table.

A claim whose verdict changes is changed here too, by hand and with a reason.
"""

import tomllib
from pathlib import Path

import pytest

from asympt import claims
from asympt.claims.note import severity_of
from asympt.cli.claims import checked_claims
from asympt.evidence.check import Check, Verification

TABLE = tomllib.loads((Path(__file__).parent / "verdicts.toml").read_text(encoding="utf-8"))

def told(record: dict) -> list[str]:
    """What the table has of a claim."""
    corrected = record.get("corrected") or {"verdict": ""}
    return [record["verdict"], corrected["verdict"], record.get("severity") or ""]


def test_every_claim_has_its_row():
    assert list(TABLE) == [claim.id for claim in claims.all_claims()]


def test_a_row_is_whole():
    """What is refuted is put right, and a repair that holds has its severity; what nobody could do is unknown."""
    for name, (verdict, corrected, severity) in TABLE.items():
        assert (verdict == "refuted") == (corrected in ("proved", "checked")), name
        assert verdict != "refuted" or severity in ("convention", "slip", "imprecise", "false"), name
        assert severity == claims.find(name).note.severity, name


def test_the_ledger():
    records = list(checked_claims(claims.all_claims(), 30, 10**6, lambda *_: None, jobs=2))
    assert {record["id"]: told(record) for record in records} == TABLE
    for record in records:
        routes = {check["route"] for check in record["checks"] if check["passed"] is False} - {""}
        assert (record["verdict"] == "refuted") == (len(routes) > 1), record["id"]  # no refutation by one route


@pytest.mark.parametrize("name", ["HDR.AL5", "HDR.T1.1-inv", "XPS.dyn", "TBG.ratio", "JGH.P", "JGH.T2.sigma1"])
def test_some_rows(name):
    """A sample of the table that takes no time."""
    claim = claims.find(name)
    found = claim.check()
    corrected = "" if found.corrected is None else found.corrected.verdict
    assert [found.verdict, corrected, claim.severity(found)] == TABLE[name]


def test_a_repair_that_fails_is_no_slip():
    row = tuple(Check("a", 1, 0, False, route=route) for route in ("one", "two"))
    found = Verification("printed", row, Verification("right", row))
    assert severity_of(claims.find("HDR.AL5.prod").note, found) == "false"

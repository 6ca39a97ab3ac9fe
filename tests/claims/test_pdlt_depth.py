"""PDLT's claims on depth: their verdicts, and what is true in place of the refuted ones."""

import pytest

from asympt.claims.pdlt.depth.claims import CLAIMS

REFUTED = {"PDLT.10.80", "PDLT.10.81", "PDLT.10.81-remark", "PDLT.10.97"}
PROVED = {f"PDLT.{n}" for n in ("10.43", "10.45", "10.49", "10.62", "10.63", "10.65", "10.66", "10.91", "fn33", "fn37")}
LONG = {f"PDLT.10.{n}" for n in ("71", "75", "77", "78", "79", "81-remark", "85", "90", "92", "94")}


def cases():
    return [pytest.param(c, id=c.id, marks=[pytest.mark.slow] if c.id in LONG else []) for c in CLAIMS]


@pytest.mark.parametrize("claim", cases())
def test_verdict(claim):
    found = claim.check()
    if claim.id in REFUTED:
        assert found.verdict == "refuted"
        assert found.corrected.verdict in ("proved", "checked")
    else:
        assert found.verdict == ("proved" if claim.id in PROVED else "checked"), found.report()


def test_ids_are_unique_and_sources_named():
    assert len({claim.id for claim in CLAIMS}) == len(CLAIMS) == 25
    assert all("10." in claim.source and claim.source.startswith("PDLT") for claim in CLAIMS)

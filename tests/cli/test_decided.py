"""Claims decided before are read, not decided again; other code, other settings and errors are."""

import json

import pytest

from asympt import claims, kept
from asympt.claims import Claim
from asympt.cli.claims import TOGETHER, _neighbours
from asympt.evidence.check import Check, Verification
from tests.cli.command import run

CALLS: list[str] = []


def _decide() -> Verification:
    CALLS.append("decided")
    return Verification("1 = 1", (Check("rest", 0, 0, True, "proved"),))


def _fails() -> Verification:
    CALLS.append("failed")
    raise ZeroDivisionError("a fault")


@pytest.fixture
def planted(monkeypatch, tmp_path):
    """A catalogue of one claim, and a folder of its own for what was decided."""

    def plant(decide):
        listed = (Claim("P.1", "a source", "1=1", "one is one", decide),)
        monkeypatch.setattr("asympt.claims.all_claims", lambda: listed)

    CALLS.clear()
    monkeypatch.setenv("ASYMPT_CACHE", str(tmp_path))
    return plant


def check(*options) -> dict:
    (record,) = json.loads(run("claims", "check", "--format", "json", *options).stdout)
    return record


def test_it_is_decided_once(planted):
    planted(_decide)
    assert check() == check() and CALLS == ["decided"]


def test_fresh_decides_again(planted):
    planted(_decide)
    check(), check("--fresh")
    assert CALLS == ["decided"] * 2


def test_other_settings_and_other_code_decide_again(planted, monkeypatch):
    planted(_decide)
    check(), check("--digits", 40)
    assert CALLS == ["decided"] * 2
    monkeypatch.setattr(kept, "digest", lambda: "another")
    check()
    assert CALLS == ["decided"] * 3


def test_an_error_is_not_kept_and_no_folder_is_no_error(planted, monkeypatch, tmp_path):
    planted(_fails)
    assert check()["verdict"] == check()["verdict"] == "unknown" and CALLS == ["failed"] * 2
    (tmp_path / "file").write_text("no folder")
    for place in ("", str(tmp_path / "file")):
        monkeypatch.setenv("ASYMPT_CACHE", place)
        check()
    assert CALLS == ["failed"] * 4


def test_a_claim_of_a_file_with_the_id_of_one_of_the_catalogue_is_decided_by_itself(planted, tmp_path):
    """x = 2x under the id of a claim that is kept as proved: in a file, beside the other."""
    planted(_decide)
    check()
    paper = tmp_path / "paper.toml"
    claim = 'id = "P.1"\nform = "identity"\nsymbols = {x = "real"}\nleft = "x"\nright = "2*x"'
    paper.write_text(f'title = "T"\n[[claim]]\n{claim}\n', encoding="utf-8")
    found = json.loads(run("claims", "check", "--format", "json", str(paper), "P.1").stdout)
    assert [record["verdict"] for record in found] == ["refuted", "proved"] and CALLS == ["decided"]


def test_a_damaged_record_is_decided_again(planted, tmp_path):
    planted(_decide)
    check()
    (path,) = tmp_path.rglob("claims/*.json")
    path.write_text("{", encoding="utf-8")
    assert check()["verdict"] == "proved" and CALLS == ["decided"] * 2


def test_neighbours_of_one_subject_go_to_one_process():
    """The order is kept, nothing is left out, and every process gets work."""
    listed = claims.all_claims()
    groups = list(_neighbours(listed, 2))
    assert [one for group in groups for one in group] == list(listed) and max(map(len, groups)) == TOGETHER
    assert [len(group) for group in _neighbours(listed[:6], 2)] == [1] * 6
    networks = next(group for group in groups if any(one.id == "TBG.ntk.V" for one in group))
    assert {"TBG.ntk.res", "TBG.ntk.U", "TBG.ntk.W"} <= {one.id for one in networks}

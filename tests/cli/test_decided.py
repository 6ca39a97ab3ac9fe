"""Claims decided before are read, not decided again; other code, other settings and errors are."""

import json

import pytest

from asympt.claims import Claim
from asympt.claims.forms import identity
from asympt.cli import decided
from asympt.evidence.check import Verification
from tests.cli.test_cli import run

CALLS: list[str] = []


def _decide() -> Verification:
    CALLS.append("decided")
    return Verification("1 = 1", (identity("rest", 0),))


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
    monkeypatch.setattr(decided, "digest", lambda: "another")
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


def test_a_damaged_record_is_decided_again(planted, tmp_path):
    planted(_decide)
    check()
    (path,) = tmp_path.rglob("P.1-*.json")
    path.write_text("{", encoding="utf-8")
    assert check()["verdict"] == "proved" and CALLS == ["decided"] * 2


def test_a_changed_file_of_the_package_changes_the_digest(monkeypatch, tmp_path):
    """The digest of two packages that differ in one letter."""
    found = []
    for text in ("1", "2"):
        (tmp_path / "__init__.py").write_text(text, encoding="utf-8")
        monkeypatch.setattr(decided.asympt, "__file__", str(tmp_path / "__init__.py"))
        decided.digest.cache_clear()
        found.append(decided.digest())
    monkeypatch.undo()
    decided.digest.cache_clear()
    assert len(set(found)) == 2

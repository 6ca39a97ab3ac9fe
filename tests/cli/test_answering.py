"""A command asked again reads its answer; other words, other terminals, other code and a damaged file compute."""

import sys

import pytest

from asympt import kept
from asympt.cli import reading
from tests.cli.command import run


@pytest.fixture
def derived(monkeypatch, tmp_path) -> list:
    """What a network was made of, one entry for each time; the cache folder is this test's own."""
    calls, make = [], reading.network
    monkeypatch.setenv("ASYMPT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("asympt.cli.reading.network", lambda *given: calls.append(given) or make(*given))
    return calls


def test_the_second_answer_is_the_first_word_for_word(derived):
    first, second = (run("derive", "relu", "--terms", 2) for _ in range(2))
    assert first.stdout == second.stdout != "" and len(derived) == 1


@pytest.mark.parametrize("change", ["words", "width", "code", "damage", "off"])
def test_it_is_computed_anew(derived, monkeypatch, change, tmp_path):
    run("derive", "relu", "--terms", 2)
    if change == "width":
        monkeypatch.setenv("COLUMNS", "60")
    elif change == "code":
        monkeypatch.setattr(kept, "digest", lambda: "another")
    elif change == "damage":
        (path,) = tmp_path.rglob("answers/*.json")
        path.write_text(path.read_text(encoding="utf-8").replace("relu", "tanh"), encoding="utf-8")
    elif change == "off":
        monkeypatch.setenv("ASYMPT_CACHE", "")
    again = run("derive", "relu", "--terms", 1 if change == "words" else 2)
    assert again.exit_code == 0 and "tanh" not in again.stdout and len(derived) == 2


def test_a_file_is_written_again_and_a_bad_place_refused(derived, monkeypatch, tmp_path):
    path = tmp_path / "new" / "law.svg"
    monkeypatch.setattr(sys, "argv", ["asympt"])
    path.parent.mkdir()
    run("plot", "relu", "--law", "correlation", "--depth", 1000, "-o", path)
    written = path.read_bytes()
    path.unlink()
    again = run("plot", "relu", "--law", "correlation", "--depth", 1000, "-o", path)
    assert path.read_bytes() == written and f"wrote {path}" in again.stderr and len(derived) == 1
    path.unlink()
    path.parent.rmdir()
    refused = run("plot", "relu", "--law", "correlation", "--depth", 1000, "-o", path)
    assert refused.exit_code == 2 and "does not exist" in refused.stderr


@pytest.mark.parametrize("limit, depth, times", [("NETWORK", [], 2), ("BESIDE", ["--depth", 2], 1)])
def test_an_answer_cut_by_a_time_limit_is_looked_at_again_a_value_is_whole(derived, monkeypatch, limit, depth, times):
    monkeypatch.setattr(f"asympt.cli.records.{limit}", 1e-9)
    for _ in range(2):
        answer = run("derive", "relu", "--terms", 2, "-c", "1/13", *depth)
        assert answer.exit_code == 0 and (" longer than" in answer.stderr or " takes more than" in answer.stderr)
    assert len(derived) == times


def test_what_did_not_end_well_is_looked_at_again(derived):
    for _ in range(2):
        assert run("derive", "relu", "--sigma-b", 1).exit_code == 2
    assert len(derived) == 2

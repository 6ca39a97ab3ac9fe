"""What is printed explains itself: every symbol has a value or a meaning, and nothing is cut, at any width."""

import re

from tests.cli.command import run


def test_help_explains_a_name_or_suggests_one():
    assert "f'''(1)" in run("help", "f7").stdout
    assert "--correlation" in run("help", "derive").stdout
    assert run("help", "Koenigs").stdout.strip().startswith("S, Koenigs function")
    unknown = run("help", "abell")
    assert unknown.exit_code == 2 and "did you mean Abel?" in unknown.stderr


def test_every_name_in_a_law_has_a_value_or_a_meaning():
    printed, _, meanings = run("derive", "tanh", "--sigma-b", "0.2").stdout.partition("where\n")
    explained = set(re.findall(r"\w+", " ".join(line[:14] for line in meanings.splitlines())))
    explained |= set(re.findall(r"^    (\w+) ", printed, re.MULTILINE))
    names = set(re.findall(r"\b(?:[A-Z]|alpha_\d|f\d|M_\d|q|c|t|f|sigma_w)\b(?!\()", printed))
    assert names and names <= explained | {"L", "K", "A", "O", "sigma_w"}


def test_nothing_is_cut_at_forty_columns(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    for command in ("claims check HDR.T1.fprime", "networks", "derive relu"):
        lines = run(*command.split()).stdout.splitlines()
        assert max(map(len, lines)) <= 40 and not any(line.endswith(("...", "…")) for line in lines)
    assert "..." not in run("--help").stdout.partition("Commands")[2].replace("[ARGS]...", "")

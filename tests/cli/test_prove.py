"""`asympt prove`: text, JSON, a document, and what it refuses."""

import json
from decimal import Decimal

import pytest

from tests.cli.command import run

NTK = ["prove", "relu", "--law", "ntk", "--correlation", "-1..9/10"]


def test_text_has_the_theorem_and_its_steps():
    result = run(*NTK)
    assert result.exit_code == 0
    assert "for all L >= 2 and all c^1 in [-1, 9/10]" in result.output
    assert all(step in result.output for step in ("radius", "circle bound", "inversion", "tail"))


def test_json_has_the_figures():
    record = json.loads(run(*NTK, "--format", "json").stdout)["certificate"]
    assert Decimal("3.79") < Decimal(record["constant"]) < Decimal("3.84") and record["valid_from"] == 2


def test_document(tmp_path):
    path = tmp_path / "proof.tex"
    assert run(*NTK, "-o", str(path)).exit_code == 0
    text = path.read_text()
    assert r"\begin{theorem}" in text and "Earle" in text and "on the circle" in text


@pytest.mark.parametrize(("arguments", "said"), [
    (["prove", "relu"], "--correlation"), (["prove", "relu", "-c", "-1..1"], "touch"),
    (["prove", "relu", "-c", "1/2..1/4"], "upside down"), (["prove", "relu", "-c", "2"], "outside"),
    (["prove", "relu", "-c", "0", "--valid-from", "1"], "at least 2"),
    (["prove", "relu", "-c", "0", "--valid-from", "2.5"], "whole number"), (["prove", "relu", "-c", "1"], "touch"),
    (["prove", "relu", "-c", "a"], "not a number"), (["prove", "relu", "-c", "0..1/3..1/2"], "pair"),
    (["prove", "relu", "-c", "0.."], "not a number"), (["prove", "relu", "-c", "nan"], "finite"),
    (["prove", "relu", "-c", "0", "-o", "proof.docx"], ".pdf"),
    (["prove", "relu", "-c", "0", "--network", "scaled-resnet"], "no certificate"),
])  # fmt: skip
def test_bad_input_is_one_sentence_and_exit_code_2(arguments, said):
    result = run(*arguments)
    assert result.exit_code == 2 and said in result.output and "Traceback" not in result.output

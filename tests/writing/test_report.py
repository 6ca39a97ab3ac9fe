"""Reports of checked claims: every format holds every record, and nothing of a record breaks a format."""

import shutil

import pytest
from typer.testing import CliRunner

from asympt.cli.app import app
from asympt.errors import InputError
from asympt.writing.report import as_html, as_latex, as_markdown, shown_by, summary, write_report

CHECK = {"name": "a_b < c^2 & d", "figure": "1/2", "bound": "0", "verdict": "refuted"}
PASSED = {"name": "another", "figure": "0", "bound": "0", "verdict": "proved"}
RECORDS = [
    {"id": "X.one_two", "statement": r"\alpha<\beta", "source": "A & B (50%)", "summary": "what_is # said",
     "verdict": "refuted", "checks": [PASSED, CHECK],
     "corrected": {"subject": "x_1 = 2 & y", "verdict": "proved", "checks": [PASSED]}},
    {"id": "X.three", "statement": "1=1", "source": "C", "summary": "plain", "verdict": "unknown",
     "checks": [{"name": "numbers", "figure": "9" * 400, "bound": "-", "verdict": "unknown"}]},
]  # fmt: skip


def test_only_what_decided_is_shown():
    assert shown_by(RECORDS[0]) == [CHECK]
    assert summary(RECORDS) == "2 claims: 0 proved, 0 checked, 1 unknown, 1 refuted"


@pytest.mark.parametrize("make", [as_markdown, as_html, as_latex])
def test_every_record_is_in_every_format(make):
    text = make(RECORDS)
    assert "refuted" in text and "unknown" in text and "1=1" in text
    assert "9" * 100 in text and "9" * 101 not in text


def test_special_characters_are_harmless():
    assert r"a\_b \textless{} c\textasciicircum{}2 \& d" in as_latex(RECORDS)
    assert "a_b &lt; c^2 &amp; d" in as_html(RECORDS) and r"\alpha&lt;\beta" in as_html(RECORDS)


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="TeX is not installed")
def test_the_pdf_is_typeset(tmp_path):
    assert write_report(RECORDS, tmp_path / "report.pdf").read_bytes().startswith(b"%PDF")


def test_bad_paths(tmp_path):
    with pytest.raises(InputError, match="unknown ending"):
        write_report(RECORDS, tmp_path / "report.doc")
    with pytest.raises(InputError, match="does not exist"):
        write_report(RECORDS, tmp_path / "nowhere" / "report.md")


def test_the_command_writes_one(tmp_path):
    path = tmp_path / "report.md"
    result = CliRunner().invoke(app, ["claims", "check", "TBG.T.relu", "--report", str(path)])
    assert result.exit_code == 0 and "TBG.T.relu: proved" in path.read_text(encoding="utf-8")
    result = CliRunner().invoke(app, ["claims", "check", "TBG.T.relu", "--report", str(tmp_path / "x.doc")])
    assert result.exit_code == 2 and "unknown ending" in result.output

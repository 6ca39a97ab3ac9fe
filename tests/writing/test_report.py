"""Reports of checked claims: every format holds every record, and nothing of a record breaks a format."""

import re
import shutil
from html.parser import HTMLParser
from xml.dom.minidom import parseString

import pytest
from typer.testing import CliRunner

from asympt.claims import all_claims
from asympt.cli.app import app
from asympt.errors import InputError
from asympt.writing.ledger_page import mathml, prose
from asympt.writing.report import as_html, as_latex, as_markdown, html_pages, shown_by, summary, table, write_report

CHECK = {"name": "a_b < c^2 & d", "figure": "1/2", "bound": "0", "verdict": "refuted"}
PASSED = {"name": "another", "figure": "0", "bound": "0", "verdict": "proved"}
RECORDS = [
    {"id": "X.one_two", "statement": r"\alpha<\beta", "source": "A & B (50%)", "summary": "what_is # said",
     "verdict": "refuted", "severity": "slip", "checks": [PASSED, CHECK], "seconds": 1.25, "on": "two points",
     "reading": r"for $x>0$", "why": r"$\beta$ is missing", "hypotheses": "$x<1$", "correction": r"\alpha\le\beta",
     "where": r"$\beta$: a number",
     "corrected": {"subject": "x_1 = 2 & y", "verdict": "proved", "checks": [PASSED]}},
    {"id": "X.three", "statement": "1=1", "source": "C", "summary": "plain", "verdict": "unknown",
     "checks": [{"name": "numbers", "figure": "9" * 400, "bound": "-", "verdict": "unknown"}]},
]  # fmt: skip


def test_only_what_decided_is_shown():
    assert shown_by(RECORDS[0]) == [CHECK]
    assert summary(RECORDS) == "2 claims: 0 proved, 0 checked, 1 unknown, 1 refuted (1 slip)"


@pytest.mark.parametrize("make", [as_markdown, as_html, as_latex])
def test_every_record_is_in_every_format(make):
    text = make(RECORDS)
    assert "refuted" in text and "unknown" in text and ("1=1" in text or "<mn>1</mn><mo>&#x0003D;</mo>" in text)
    assert "9" * 100 in text and "9" * 101 not in text


def test_special_characters_are_harmless():
    assert r"a\_b \textless{} c\textasciicircum{}2 \& d" in as_latex(RECORDS)
    assert "a_b &lt; c^2 &amp; d" in as_html(RECORDS)


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


@pytest.mark.parametrize("make", [as_markdown, as_html, as_latex])
def test_a_claim_says_how_it_is_read_why_and_what_is_true(make):
    text = make(RECORDS)
    for said in ("read as", "why", "decided on", "two points", "holds if", "letters", "refuted (slip)", "1.2 s of"):
        assert said in text, said
    assert "check X.one" in text and "asked: 0" in text and "bound" not in text


def test_verdicts_are_counted_by_source_and_severity():
    decided = [("HDR", "refuted", "slip"), ("TBG", "proved", ""), ("HDR", "checked", ""), ("HDR", "refuted", "false")]
    named = [{"id": f"{source}.{k}", "source": "", "verdict": verdict, "severity": severity, "checks": []}
             for k, (source, verdict, severity) in enumerate(decided)]  # fmt: skip
    hdr, tbg, both = ([3, 0, 1, 0, 1, 0, 1, 0], [1, 1, 0, 0, 0, 0, 0, 0], [4, 1, 1, 0, 1, 0, 1, 0])
    assert [row[1:] for row in table(named)] == [hdr, tbg, both]


class _Anchors(HTMLParser):
    def __init__(self):
        super().__init__()
        self.ids, self.links = [], []

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.ids += [given["id"]] if "id" in given else []
        self.links += [given["href"]] if "href" in given else []


def test_an_index_and_a_page_for_every_source_with_anchors():
    records = [dict(RECORDS[0], id="HDR.one"), dict(RECORDS[1], id="TBG.two")]
    found = html_pages(records, "r.html")
    assert set(found) == {"r.html", "r-HDR.html", "r-TBG.html"}
    reader = _Anchors()
    for text in found.values():
        reader.feed(text)
    targets = {link.partition("#")[2] for link in reader.links if "#" in link}
    assert {"HDR.one", "TBG.two"} <= set(reader.ids) and targets == {"HDR.one", "TBG.two"}
    assert all("prefers-color-scheme: dark" in text and "http" not in text for text in found.values())


@pytest.mark.parametrize("claim", all_claims()[::7], ids=lambda claim: claim.id)
def test_formulas_of_the_ledger_are_typeset_without_a_network(claim):
    made = mathml(claim.statement, True) + mathml(claim.note.correction, True) + prose(claim.note.why)
    assert "<code>" not in made and "merror" not in made
    for part in re.findall(r"<math.*?</math>", made, re.DOTALL):
        parseString(part)


def test_what_the_converter_does_not_know_is_shown_as_its_source(monkeypatch):
    def fails(*args, **given):
        raise ValueError("unknown")

    mathml.cache_clear()
    monkeypatch.setattr("latex2mathml.converter.convert", fails)
    assert mathml(r"\alpha<1") == r"<code>\alpha&lt;1</code>"
    mathml.cache_clear()


def test_no_formula_of_the_ledger_shows_its_source():
    """Bars and braces of a given size were printed with their backslash."""
    from asympt import claims
    from asympt.writing.ledger_page import mathml

    texts = {text for claim in claims.all_claims() for text in (claim.statement, claim.note.correction) if text}
    assert [text for text in texts if "\\" in mathml(text, display=True)] == []
    assert "&#x02016;" in mathml(r"\Bigl\|x\Bigr\|_2")

"""Reports of checked claims: every format holds every record, and nothing of a record breaks a format."""

import re
import shutil
from xml.dom.minidom import parseString

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from asympt.architectures import registry
from asympt.claims import all_claims
from asympt.claims.note import as_formula
from asympt.claims.stated.laws import StatedNetwork
from asympt.cli.app import app
from asympt.errors import InputError
from asympt.evidence.check import Verification
from asympt.writing import ledger, ledger_latex
from asympt.writing.escape import escape, fault, formula, math, mixed
from asympt.writing.ledger import marked, outcome, shown_by, summary, table
from asympt.writing.ledger_latex import pieces
from asympt.writing.paper import compile_pdf
from asympt.writing.report import as_markdown, mathml, prose, site, write_report
from tests.writing.latex_log import overfull_boxes

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
ORIGIN = "asympt 0; made by: a_test"


def as_html(records):
    """All pages in one text."""
    return "".join(site(records, "r.html", ORIGIN).values())


IN_LATEX = ledger_latex.document
FORMATS = [lambda records: as_markdown(records, ORIGIN), as_html, lambda records: IN_LATEX(records, ORIGIN)]


def test_only_what_decided_is_shown():
    assert shown_by(RECORDS[0]) == [CHECK]
    assert summary(RECORDS) == "2 claims: 0 proved, 0 checked, 1 unknown, 1 refuted (1 slip)"


@pytest.mark.parametrize("make", FORMATS)
def test_every_record_is_in_every_format(make):
    text = make(RECORDS)
    assert "refuted" in text and "unknown" in text and ("1=1" in text or "<mn>1</mn><mo>&#x0003D;</mo>" in text)
    assert ", 400 digits" in text and "9" * 100 not in text


def test_special_characters_are_harmless():
    assert r"$a_b < c^{2}$ \& $d$" in ledger_latex.document(RECORDS, ORIGIN)
    assert r"A \& B (50\%)" in ledger_latex.document(RECORDS, ORIGIN) and "A &amp; B (50%)" in as_html(RECORDS)


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


@pytest.mark.parametrize("make", FORMATS)
def test_a_claim_says_how_it_is_read_why_and_what_is_true(make):
    text = make(RECORDS)
    for said in ("read as", "why", "decided on", "two points", "holds if", "letters", "refuted (slip)", "1.2 s of"):
        assert said in text, said
    assert "check X.one" in text and "expected" in text and "bound" not in text


def test_verdicts_are_counted_by_source_and_severity():
    decided = [("HDR", "refuted", "slip"), ("TBG", "proved", ""), ("HDR", "checked", ""), ("HDR", "refuted", "false")]
    named = [{"id": f"{source}.{k}", "source": "", "verdict": verdict, "severity": severity, "checks": []}
             for k, (source, verdict, severity) in enumerate(decided)]  # fmt: skip
    hdr, tbg, both = ([3, 0, 1, 0, 1, 0, 1, 0], [1, 1, 0, 0, 0, 0, 0, 0], [4, 1, 1, 0, 1, 0, 1, 0])
    assert [row[1:] for row in table(named)] == [hdr, tbg, both]


def test_claims_of_the_sources_and_others_are_counted_apart():
    ids = ("ASY.a", "HDR.a", "TBG.a", "SUN.variance", "HDR.b")
    records = [{"id": name, "source": "Sun et al. 2025, abstract", "verdict": "proved", "checks": []} for name in ids]
    said = summary(records)
    assert said.startswith("3 claims of the sources: 3 proved")
    assert "; 2 others (" in said and "1 of Sun et al. 2025" in said
    assert [row[:2] for row in table(records)][2:] == [
        ["all of the sources", 3], [ledger.OTHERS["ASY"], 1], ["Sun et al. 2025", 1]]  # fmt: skip
    assert [record["id"] for record in ledger.findings([dict(r, verdict="refuted") for r in records])] == [
        "HDR.a", "HDR.b", "TBG.a"]  # fmt: skip


def test_every_claim_of_the_catalogue_is_counted_with_a_source_or_named_among_the_others():
    stub = [{"id": c.id, "source": c.source, "verdict": "unknown", "checks": []} for c in all_claims()]
    groups = ledger.by_source(stub)
    assert sum(map(len, groups.values())) == len(stub) and list(groups)[:5] == list(ledger.SOURCES)
    assert sum(len(groups[name]) for name in ledger.SOURCES) > 200 and len(groups["ASY"]) == 9


def test_an_index_and_a_page_for_every_source_with_anchors():
    records = [dict(RECORDS[0], id="HDR.one"), dict(RECORDS[1], id="TBG.two")]
    found = site(records, "r.html", ORIGIN)
    assert set(found) == {"r.html", "r-HDR.html", "r-TBG.html"}
    named, linked = r' id="([^"]*)"', r'href="[^"#]*#([^"]*)"'
    ids, targets = (set(re.findall(part, "".join(found.values()))) for part in (named, linked))
    assert {"HDR.one", "TBG.two"} <= ids and targets == {"HDR.one", "TBG.two"}
    assert all("prefers-color-scheme: dark" in text and "http" not in text for text in found.values())




@pytest.mark.parametrize("claim", all_claims(), ids=lambda claim: claim.id)
def test_every_text_of_a_claim_can_be_set(claim):
    """No formula falls back to its source, in LaTeX or in HTML."""
    note = claim.note
    assert (fault(claim.statement), fault(note.correction)) == ("", "")
    texts = (note.why, note.reading, note.hypotheses, note.where, note.on, ledger.title(vars(claim)))
    told = "".join(map(mixed, texts))
    assert fault(told, math=False) == "" and "texttt" not in told
    made = "".join(map(prose, (*ledger.statement(claim.statement), *ledger.statement(note.correction), note.why)))
    assert "<code>" not in made and "merror" not in made and "\\" not in made
    for part in re.findall(r"<math.*?</math>", made, re.DOTALL):
        parseString(part)


@pytest.mark.parametrize("claim", [claim for claim in all_claims() if claim.formulas][::10], ids=lambda claim: claim.id)
def test_every_formula_that_is_checked_can_be_set(claim):
    assert fault(claim.formula) == ""
    assert all(fault(part) == "" for part in pieces(claim.formula, 9))


def test_names_of_networks_are_words_in_formulas():
    r"""\text{relu_like mlp} ended a document of a hundred pages; the value 1 of a rate was \mathtt{\text{1}}."""
    for record in registry.records():
        for key in [parameter.name for parameter in record.parameters] or ["sigma_w"]:
            for value in ("1/2", "equi_valence", 3):
                shown = StatedNetwork(record.name, "relu_like", ((key, value),)).latex
                assert fault(shown) == "" and "mathtt" not in shown


NASTY = st.text(alphabet="ab1_^{}$%#&~<>|\\'\"[]()*-.,\n\t \x00σ²→≤é鸟", max_size=12)
SCAFFOLD = re.compile(
    r"\\(?:(?:sub)?section\*?|(?:begin|end)\{itemize\}|item|par|noindent|raggedright|small|fitted|allowbreak|tableofcontents"
    r"|emph|texttt)(?![A-Za-z])"
)


@given(st.lists(NASTY, min_size=13, max_size=13))
@settings(max_examples=60)
def test_no_text_ends_a_document(texts):
    t = iter(texts)
    check = {"name": "", "marked": next(t), "figure": next(t), "bound": next(t), "verdict": "refuted",
             "detail": next(t), "passed": False, "strength": "checked"}  # fmt: skip
    record = {"id": "X" + next(t), "statement": next(t), "source": next(t), "summary": next(t), "verdict": "refuted",
              "severity": "false", "checks": [check], "why": next(t), "formula": next(t), "correction": next(t),
              "where": next(t), "corrected": {"subject": next(t), "verdict": "proved", "checks": [check]}}  # fmt: skip
    body = ledger_latex.document([record], ORIGIN).split(r"\end{center}")[1].removesuffix("\n\\end{document}\n")
    assert fault(SCAFFOLD.sub("", body), math=False) == ""


@given(NASTY, NASTY)
def test_no_text_ends_a_formula_or_a_sentence(one, two):
    for made in (math(one), mixed(one + "$" + two), escape(one), mixed(marked(one))):
        assert fault(made, math=False) == ""


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="TeX is not installed")
def test_the_pdf_of_nasty_texts_is_typeset(tmp_path):
    nasty = "[a_b] 10% & #1 ~ ^ \\x {} }{ $ \"q\" σ ≤ ² 鸟 \n\n <|>"
    told = {key: nasty for key in ("source", "summary", "why", "reading", "on", "hypotheses", "where", "formula")}
    check = {"name": "a", "figure": nasty, "bound": nasty, "verdict": "refuted", "detail": nasty}
    record = {**told, "id": "[X_1]", "statement": nasty, "correction": r"\text{a_b}", "verdict": "refuted",
              "checks": [check], "corrected": {"subject": nasty, "verdict": "proved", "checks": []}}  # fmt: skip
    wide = r"\frac{" + "+".join(f"a_{{{k}}}" for k in range(60)) + "}{2}=" + r"\left(b\right)" * 40
    records = [record, dict(record, id="Y", statement=wide, source="[1] Z, p. 2")]
    assert write_report(records, tmp_path / "report.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="TeX is not installed")
def test_the_whole_ledger_is_typeset_and_no_line_runs_off_the_page(tmp_path):
    """Every text of every claim; the verdicts, which take an hour, bring figures only, which no text can break."""
    records = [claim.record(Verification(claim.summary, ())) for claim in all_claims()]
    tex = ledger_latex.document(records, ORIGIN)
    assert r"\texttt{\textbackslash" not in tex  # no formula as its source
    log = compile_pdf(tex, {}, tmp_path / "ledger.pdf")
    assert [points for points in overfull_boxes(log) if points > 5] == []


@pytest.mark.parametrize("latex_", [
    r"a=\left(b+c\right)^{2}\left[d-e\right]f g h", r"\frac{a+b+c+d}{e+f}\,g+\mathbb E\left[x y\right]",
    r"x\in[0,1],\quad y'=-z_1^2",
    r"a= - \frac{\left(b+c\right)^{2} \left(d - e\right)}{2} - f",
    r"\text{a sentence of so many words that no line holds it} = 1", r"\left\|a b\right\|_2^2\le\left.c\right|_{x=0}",
])  # fmt: skip
def test_a_formula_is_cut_into_formulas_and_nothing_is_lost(latex_):
    for most in (1, 3):
        parts = pieces(latex_, most)
        assert all(part and fault(part) == "" for part in parts) and len(parts) > 1
        kept = re.sub(r"\\(?:left|right|bigl|bigr|text)|[\s{}]|(?<=[lt])\.", "", latex_)
        assert re.sub(r"\\(?:left|right|bigl|bigr|text)|[\s{}]", "", "".join(parts)) == kept


def test_a_long_fraction_is_written_with_a_slash():
    top = " + ".join(f"a_{{{k}}}" for k in range(40))
    parts = pieces(rf"x = \frac{{{top}}}{{2 b}}", 30)
    assert len(parts) > 2 and "/\\bigl(2 b\\bigr)" in "".join(parts) and "frac" not in "".join(parts)


@pytest.mark.parametrize(("typed", "made"), [
    ("dz^(L-1)^2", "(dz^{L-1})^{2}"), ("dz^(L-1)²", "(dz^{L-1})^{2}"), ("(a+b)^2^3", "((a+b)^{2})^{3}"),
    ("27*pi**2/2", r"27\,\pi ^{2}/2"), ("f2/e_4**(3/2)", "f_2/e_4^{3/2}"), ("c*^2", "(c^*)^{2}"),
    ("σ_w ≤ 1", r"\sigma _w \le  1"),
])  # fmt: skip
def test_powers_of_powers_and_what_sympy_types(typed, made):
    """dz^(L-1)² was shown as L-12: two powers of one letter at one height."""
    assert formula(typed) == made and fault(made) == ""


@pytest.mark.parametrize(("figure", "bound", "passed", "strength", "said"), [
    ("1/4", "limit 1/4", True, "proved", "limit 1/4, proved exactly; expected 1/4"),
    ("1/3", "limit 1/4", False, "proved", "limit 1/3; expected 1/4"),
    ("3*log(L)/(8*L)", "Theta(1/L)", False, "proved", "3*log(L)/(8*L); expected Theta(1/L)"),
    ("0.0", "1.0e-30", True, "proved", "0; expected at most 1e-30"), ("0", "0", True, "proved", "0, proved exactly"),
    ("0.84", "0.5", False, "checked", "0.84; expected at most 0.5"),
    ("1/4", "> 0", True, "proved", "1/4, proved exactly; expected > 0"),
    ("9", "4096", True, "proved", "9; expected at most 4096"), ("3", "4", False, "proved", "3; expected 4"),
    ("no data", "-", None, "checked", "not done: no data"),
])  # fmt: skip
def test_evidence_in_words(figure, bound, passed, strength, said):
    verdict = "unknown" if passed is None else strength if passed else "refuted"
    check = {"figure": figure, "bound": bound, "passed": passed, "strength": strength, "verdict": verdict}
    assert outcome(check) == said


@pytest.mark.parametrize(("plain", "made"), [
    ("at most 1.95693*log(L)/L from 2 on", r"at most $1.95693\,\log (L)/L$ from 2 on"),
    ("the lemma's product of a map", "the lemma's product of a map"),
    ("left - right, simplified", "left - right, simplified"),
    ("the slope is 1 - 2/l + kappa log(l)/l^2", r"the slope is $1 - 2/l + \kappa  \log (l)/l^{2}$"),
    ("costs $5", "costs 5"), ("(checked, proved); K^L(x,x') = 1/4", r"(checked, proved); $K^L(x,x') = 1/4$"),
])  # fmt: skip
def test_formulas_are_found_in_plain_text(plain, made):
    assert marked(plain) == made


def test_words_of_a_user_are_not_set_as_a_formula():
    quote = "the average NTK of a deep ReLU network approaches its limit like log(L)/L"
    assert ledger.statement(as_formula(quote)) == [quote] and ledger.statement(r"\alpha<1") == [r"$\alpha<1$"]


def test_claims_stand_in_the_order_of_their_sources():
    """The records are in the order in which a reader of the sources meets them, and a report keeps it."""
    records = [{"id": c.id, "source": c.source} for c in reversed(all_claims())]
    for earlier, later in (("HDR.L1.iff", "HDR.T1.1-rate"), ("HDR.T1.1-rate", "HDR.T1.2-rate"),
                           ("HDR.T2.rate", "HDR.AL5"),
                           ("HDR.AL5", "HDR.AL7"), ("PDLT.10.7", "PDLT.10.45"), ("PDLT.10.78", "PDLT.fn33"),
                           ("PDLT.fn33", "PDLT.10.79"), ("XPS.nngp", "XPS.chaos.paa"),
                           ("TBG.rmt", "TBG.Bres")):  # fmt: skip
        ids = [record["id"] for group in ledger.by_source(records).values() for record in group]
        assert ids.index(earlier) < ids.index(later)


def test_the_index_has_titles_verdicts_in_words_key_findings_and_a_figure():
    first = dict(RECORDS[0], id="HDR.one", severity="false", summary="an average like 1/L")
    records = [first, dict(RECORDS[1], id="TBG.two")]
    index = site(records, "r.html", ORIGIN)["r.html"]
    first, second = index.index("Key findings"), index.rindex("not decided")
    assert "<figure>" in index and first < second and index.count("An average like") == 2
    assert "false as printed" in index and "&#x02264;" in index  # what is true instead, with a less or equal


def test_what_the_converter_does_not_know_is_shown_as_its_source(monkeypatch):
    def fails(*args, **given):
        raise ValueError("unknown")

    mathml.cache_clear()
    monkeypatch.setattr("latex2mathml.converter.convert", fails)
    assert mathml(r"\alpha<1") == r"<code>\alpha&lt;1</code>"
    mathml.cache_clear()


def test_bars_of_a_given_size_show_no_backslash():
    assert "&#x02016;" in mathml(r"\Bigl\|x\Bigr\|_2") and "\\" not in mathml(r"\Bigl\|x\Bigr\|_2")

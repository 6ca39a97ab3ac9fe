r"""What is called 'as printed' is the print: nothing is added, repaired or cut with dots; every page shows it whole.

The quotes were compared with the text of the five documents, letter by letter (boldface, sizes of brackets and spaces
apart); what stands here are rules that need no document, and prints that a repair would change."""

import re

import pytest

from asympt import claims
from asympt.claims.note import as_formula, as_text
from asympt.cli import display
from asympt.evidence.check import Check, Verification
from asympt.writing import ledger_latex, report
from asympt.writing.escape import escape

CLAIMS = {claim.id: claim for claim in claims.all_claims()}
PRINTED = {  # id: (what the document has, what it has not)
    "HDR.T1.1-rate": (r"\sup_{x\ne x'\in\mathbb R^d}", ""), "HDR.T1.2-rate": (r"\sup_{x\ne x'\in\mathbb R^d}", ""),
    "HDR.T2.rate": (r"\|x\|\times\|x'\|", ""), "HDR.B1.convex": ("f\\text{ is strictly convex", "[-1,1]"),
    "HDR.T2.explode": ("explodes exponentially with respect to", r"\lim"), "HDR.AL7.s": (r"\frac{2\lambda\sqrt2}", ""),
    "HDR.B1.deriv": (r"\phi^{(j)}(Z_1)\phi^{(j)}(Z(x))", r"\sqrt q"), "HDR.AL7.order": (r"\gamma_l^{7/5}", "7/2"),
    "HDR.S5.M": (r"Y-\frac{\eta N}{2S}", ""), "PDLT.10.12": (r"z_{i_2;\tilde{\alpha}_2}", r"\epsilon"),
    "PDLT.10.116": (r"[y_{i,+}+(1-s)y_{i,-}", "sy_{i,+}"), "TBG.rkhs": (r"(2\phi)^{\frac1d}", r"\pi"),
    "TBG.mu": ("It is also scale-invariant", "(0,1]"), "TBG.inv.weights": (r"_F=\frac{6K^3R_0}", ""),
    "JGH.P": (r"\theta:\mathbb R_+\to\mathbb R^{d_0}", ""), "XPS.ord.sm-margin": (r"A^{-1}+\frac", ""),
}  # fmt: skip


@pytest.mark.parametrize("name", PRINTED)
def test_a_print_is_not_repaired(name):
    there, not_there = PRINTED[name]
    assert there in CLAIMS[name].statement and (not not_there or not_there not in CLAIMS[name].statement)


@pytest.mark.parametrize("name", CLAIMS)
def test_no_quote_is_cut_with_dots(name):
    """Dots are those of a sum, a list or a remainder: something stands before them, and nothing but a sign."""
    for part in re.split(r"[,;]?\\q?quad ?|\\text\{[^}]*\}", CLAIMS[name].statement):
        bare = re.sub(r"\\[ ,]", "", part)
        assert not re.fullmatch(r"[,;.]*(\\[lc]?dots|\.\.\.)?[,;.]*", bare) or not bare.strip(",;."), part
        assert not re.search(r"[,;]\s*(\\[lc]?dots|\.\.\.)\s*$", bare), part


@pytest.mark.parametrize("name", CLAIMS)
def test_words_and_formulas_of_a_quote(name):
    text = as_text(CLAIMS[name].statement)
    assert text.count("$") % 2 == 0 and "$$" not in text and r"\quad" not in text
    for formula in text.split("$")[1::2]:
        bare = formula.replace(r"\{", "").replace(r"\}", "")
        assert bare.count("{") == bare.count("}") and bare.count(r"\bigl") + bare.count(r"\Bigl") == len(
            re.findall(r"\\[bB]igr", bare)
        )


@pytest.mark.parametrize("text", ["for all $l$ the gap is $1/l$", "$a=b$", "no formula", "50 % of $q_l$ & more"])
def test_a_quote_that_is_typed_comes_back(text):
    shown = as_text(as_formula(text))
    assert re.sub(r"\\([&%])", r"\1", shown) == text


def record(name: str) -> dict:
    """The record of a claim as it is printed, decided by one check that is not done."""
    return CLAIMS[name].record(Verification("s", (Check("n", 0, 0, None),)), formula=False)


@pytest.mark.parametrize("name", ["PDLT.10.12", "HDR.Tab1", "HDR.D1.classS"])
def test_every_page_shows_all_of_a_long_quote(name):
    made, text = record(name), as_text(CLAIMS[name].statement)
    assert len(text) > 300 and made["statement"] == CLAIMS[name].statement
    assert text in report.as_markdown([made], "")
    shown = ledger_latex.document([made], "")
    assert all(escape(word) in shown for words in text.split("$")[::2] for word in words.split())
    assert text.replace("<", "&lt;").replace(">", "&gt;") in CLAIMS[name]._repr_html_().replace("&amp;", "&")


@pytest.mark.parametrize("columns", [40, 80])
@pytest.mark.parametrize("name", ["PDLT.10.12", "HDR.T1.1-limit"])
def test_a_terminal_folds_a_long_quote_and_cuts_nothing(name, columns, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", str(columns))
    display.show(*display.claim_parts(record(name)))
    shown = "".join(capsys.readouterr().out.split())
    assert "…" not in shown and "".join(as_text(CLAIMS[name].statement).replace("**", "^").split()) in shown


def test_a_quote_of_a_users_file_is_what_is_shown(tmp_path):
    path = tmp_path / "p.toml"
    path.write_text(
        'title = "T"\n[[claim]]\nid = "T.1"\nform = "limit"\nexpression = "sin(x)/x"\nvariable = "x"\nto = "0"\n'
        'value = "1"\nquote = "the ratio $\\\\sin(x)/x$ tends to one, as x does to 0"\nreading = "from the right"\n',
        encoding="utf-8",
    )
    (claim,) = claims.read_paper(path)
    assert as_text(claim.statement) == r"the ratio $\sin(x)/x$ tends to one, as x does to 0"
    assert r"\lim" in claim.formula and claim.note.reading == "from the right"
    found = claim.check()
    assert found.verdict == "proved" and len(found.checks) == 2

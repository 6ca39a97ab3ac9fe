"""The proof of every kind of theorem as a document: objects, lemmas with proofs, a conclusion with the constant."""

import re
from decimal import Decimal

import pytest
from sympy import Symbol, sin, sqrt

import asympt as asy
from asympt.writing.paper import compile_pdf
from asympt.writing.proof import proof_document
from tests.writing.latex_log import overfull_boxes

X = Symbol("x", real=True)
SINE, KOENIGS = asy.Recursion(sin(X), X), asy.Recursion(X / 2 + X**2 / 5, X)
RELU, SCALED = asy.FeedForward("relu"), asy.ScaledResNet("relu", sigma_w=sqrt(2))
TANH = asy.FeedForward.on_edge_of_chaos("tanh", sigma_b="1/5")
PROVED = {
    "orbit, an interval": (SINE, lambda: SINE.law(terms=2).certificate(start=("1/2", "3/2"))),
    "hyperbolic": (KOENIGS, lambda: KOENIGS.law(terms=3).certificate(start="1/2")),
    "ReLU, kernel": (RELU, lambda: RELU.ntk_law(terms=2).certificate(correlation="1/10")),
    "tanh, without closed form": (TANH, lambda: TANH.correlation_law(terms=2).certificate(correlation="1/10")),
    "falling steps": (SCALED, lambda: SCALED.correlation_law(terms=1).certificate(correlation="1/10")),
}


@pytest.fixture(scope="module", params=PROVED)
def proved(request):
    about, prove = PROVED[request.param]
    certificate = prove()
    return certificate, proof_document(certificate, about=about)


def test_every_lemma_has_a_proof_and_the_theorem_a_conclusion(proved):
    _, made = proved
    assert made.tex.count(r"\begin{lemma}") == made.tex.count("\\begin{proof}\n") >= 5
    assert made.tex.index(r"\section{Statement}") < made.tex.index(r"\begin{theorem}")
    assert "Consider the" in " ".join(made.tex.split()) and re.search(r"@[a-z]", made.tex) is None


def test_a_coefficient_that_is_a_sum_stands_in_brackets():
    tex = proof_document(PROVED["tanh, without closed form"][1](), about=TANH).tex
    assert r"\frac{2\,(e_{4}^{2} + e_{6})}{e_{4}^{2}} \log t" in tex
    assert r"With $\sigma_b = \frac{1}{5}$ there is a $q \in [0.512078504233901" in tex


def test_the_constant_is_not_below_the_bounds_of_which_the_conclusion_takes_the_larger(proved):
    certificate, made = proved
    conclusion = made.tex.partition(r"\section{Conclusion}")[2].partition(r"\end{proof}")[0]
    bounds = re.findall(r"at most \$([\d.]+)(?: \\cdot 10\^\{(-?\d+)\})?\$|at most\n\$([\d.]+)()\$", conclusion)
    found = [Decimal(a or c).scaleb(int(b or 0)) for a, b, c, _ in bounds]
    assert len(found) >= 2 and max(found) == certificate.constant


def test_it_compiles_without_undefined_references_and_fits(proved, tmp_path):
    _, made = proved
    log = compile_pdf(made.tex, made.attachments(), tmp_path / "proof.pdf")
    assert overfull_boxes(log) == [] and "undefined" not in log

"""Formulas for somebody's paper: no line of `law.latex(split=True)` is wider than the text of an article."""

import re

import pytest
from sympy import Rational, Symbol, cos, sin, symbols

import asympt as asy
from asympt.writing.paper import compile_pdf
from asympt.writing.proof import proof_document
from tests.writing.latex_log import overfull_boxes

X, A = symbols("x"), Symbol("a", positive=True)
PAGE = "\\documentclass{article}\n\\usepackage{amsmath}\n\\begin{document}\n%s\n\\end{document}\n"

LAWS = {
    "tanh": lambda: asy.FeedForward.on_edge_of_chaos("tanh", sigma_b=Rational(1, 5)).ntk_law(terms=4),
    "elu": lambda: asy.FeedForward.on_edge_of_chaos("elu", sigma_b=Rational(1, 5)).ntk_law(terms=4),
    "elu, ordered": lambda: asy.FeedForward("elu", sigma_w=1, sigma_b=Rational(1, 5)).ntk_law(terms=2),
    "relu": lambda: asy.FeedForward("relu").ntk_law(terms=6),
    "parameter": lambda: asy.FeedForward("leaky_relu", slope=A).ntk_law(terms=4),
    "chaotic": lambda: asy.FeedForward("erf", sigma_w=2, sigma_b=Rational(1, 5)).correlation_law(terms=3),
    "scaled": lambda: asy.ScaledResNet("relu").correlation_law(terms=3),
    "sine": lambda: asy.Recursion(sin(X), X).law(terms=8),
    "cosine": lambda: asy.Recursion(cos(X), X).law(terms=5),
    "flip": lambda: asy.Recursion(-sin(X), X).law(terms=4),
    "quadratic": lambda: asy.Recursion("5/2*x*(1-x)", X, fixed_point="3/5").law(terms=5),
    "mlp": lambda: asy.MLP("tanh").ntk_component_law("00", terms=4),
}


@pytest.mark.parametrize("name", LAWS)
def test_no_line_is_wider_than_the_text(name, tmp_path):
    shown = LAWS[name]().latex(split=True)
    assert overfull_boxes(compile_pdf(PAGE % shown, {}, tmp_path / "law.pdf")) == []


def test_letters_have_their_numbers_below():
    # f''(1) and f'''(1) as `known_values` and the law's own summary have them
    law = LAWS["tanh"]()
    below = law.latex(split=True).partition("\\end{align*}")[2]
    numbers = {str(c): digits for c, digits, _ in law.summary().constants}
    assert set(numbers) == {"f2", "f3"}
    for digits in numbers.values():
        assert digits[:10] in below
    assert below.rstrip().endswith("$C$ depends on the start.")


def test_a_letter_of_the_rate_has_its_number_below_too():
    # chi_* of erf, sigma_w = 2, sigma_b = 1/5, by the law's own summary
    law = LAWS["chaotic"]()
    chi = next(digits for c, digits, _ in law.summary().constants if c.name == "chi_star")
    assert rf"$\chi_{{*}} \approx {chi[:12]}" in law.latex(split=True).partition("\\end{align*}")[2]


def test_fractions_stand_without_brackets_and_logarithms_without_brackets_around_a_letter():
    shown = LAWS["relu"]().latex()
    assert not re.search(r"\\left\(\\frac\{[^{}]*\}\{[^{}]*\}\\right\)", shown)
    assert r"\log{\left(L" not in shown and r"\frac{3 \log L}{8 L}" in shown


def test_the_figures_of_a_proof_fit_on_the_page(tmp_path):
    made = proof_document(asy.Recursion(sin(X), X).law(terms=2).certificate(start=("1/2", "3/2")), "figure.pdf")
    assert overfull_boxes(compile_pdf(made.tex, made.attachments(), tmp_path / "proof.pdf")) == []


@pytest.mark.parametrize(("name", "terms"), [("relu", 4), pytest.param("elu", 4), ("erf", 3)])
def test_a_long_theorem_fits_on_the_page(tmp_path, name, terms):
    """The sum gets a name and lines of its own, constants as many rows as they need."""
    net = asy.FeedForward("relu") if name == "relu" else asy.FeedForward.on_edge_of_chaos(name, sigma_b="1/5")
    certificate = net.correlation_law(terms=terms).certificate(correlation="1/10")
    assert "S ={}" in certificate.latex(broken=True) and "S ={}" not in certificate.latex()
    made = proof_document(certificate, "figure.pdf")
    assert overfull_boxes(compile_pdf(made.tex, made.attachments(), tmp_path / "proof.pdf")) == []

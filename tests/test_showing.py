"""Every object that users meet shows itself in one line, and on a page as a formula or a table."""

import pickle
import re
from html.parser import HTMLParser

import pytest
from sympy import Rational, Symbol, cos, sin

import asympt as asy
from asympt import showing

X, L, TANH = Symbol("x"), Symbol("l", positive=True), {"sigma_b": Rational(1, 5)}


def tanh():
    return asy.FeedForward.on_edge_of_chaos("tanh", **TANH)


def sine(terms=2):
    return asy.Recursion(sin(X), X).law(terms=terms)


LINES = {
    # the digits of sigma_w and q: tests/known_values hold those of erf; these are printed by `asympt eoc` to 30 digits
    "FeedForward('tanh', sigma_w=1.30414584005651, sigma_b=1/5)": tanh,
    "FeedForward(Activation(Piecewise((x, x > 0), (x/10, True)), name='leaky_relu'), sigma_w=2, sigma_b=0)":
        lambda: asy.FeedForward("leaky_relu", slope="1/10", sigma_w=2),
    "ScaledResNet('relu', sigma_w=1, sigma_b=0, kappa=1/2)": lambda: asy.ScaledResNet("relu", kappa="1/2"),
    "ConvNet('relu', sigma_w=sqrt(2), sigma_b=0, positions=4, reach=1)":
        lambda: asy.ConvNet("relu", positions=4, reach=1),
    "MLP('tanh', weight_variance=1, bias_variance=0, weight_rate=1, bias_rate=1, schedule='constant')":
        lambda: asy.MLP("tanh"),
    "Activation(tanh(x), name='tanh')": lambda: asy.activation("tanh"),
    "CorrelationMap('tanh', sigma_w^2 = 2, sigma_b^2 = 1/25)":
        lambda: asy.FeedForward("tanh", sigma_w="sqrt(2)", **TANH).correlation_map,
    "CorrelationMap(f(c) = c + (-c*acos(c) + sqrt(1 - c**2))/pi)": lambda: asy.FeedForward("relu").correlation_map,
    "VarianceMap('tanh', sigma_w^2 = 2, sigma_b^2 = 1/10)":
        lambda: asy.VarianceMap(asy.activation("tanh"), 2, Rational(1, 10)),
    "CriticalPoint(sigma_b = 0.2, sigma_w = 1.30414584, q = 0.5120785042)": lambda: asy.edge_of_chaos("tanh", **TANH),
    "Law(x_n = sqrt(3)/sqrt(n) - 3*sqrt(3)*log(n)/(10*n^(3/2)) + O(1/n^(3/2)))": sine,
    "WidthLaw(n Var[1 - c^L]/limit^2 = 8*L/3 + 4*log(L) + O(1))":
        lambda: asy.FeedForward("relu").fluctuation_law(of="gap"),
    "array([mpf('0.3333333333')], dtype=object)":
        lambda: pickle.loads(pickle.dumps(asy.Recursion("x/(x + 1)").law().evaluate([2], start=1, digits=10))),
    "Expansion(sqrt(3)/sqrt(n) + O(log(n)/n^(3/2)))": lambda: sine(1).expansion,
    "Summary(x_n: 2 terms)": lambda: sine().summary(),
    "AbelFunction(A(t) = 3/t^2 + 6*log(t)/5 + 79*t^2/1050 + 29*t^4/2625 + O(t^6))": lambda: sine(4).abel,
    "KoenigsFunction(S(t) = t + t^2 + 2*t^3/3 + 3*t^4/7 + O(t^5))":
        lambda: asy.Recursion(X / 2 + X**2 / 4, X).law(terms=3).koenigs,
    "Claim(HDR.B1.relu-exp: the ReLU correlation map near 1; HDR App. B.1, bullet 5)":
        lambda: asy.claims.find("HDR.B1.relu-exp"),
}  # fmt: skip


@pytest.mark.parametrize("line", LINES)
def test_one_line(line):
    assert repr(LINES[line]()) == line


def test_a_long_line_is_cut_in_the_middle():
    shown = repr(sine(8))
    assert len(shown) <= showing.LONGEST and re.fullmatch(r"Law\(x_n = sqrt\(3\).* \.\.\. .*\)\)", shown)


class Balanced(HTMLParser):
    """Fails on a tag that is closed in the wrong place; `text` is what a reader sees."""

    def __init__(self, page: str):
        super().__init__()
        self.open, self.text = [], ""
        self.feed(page)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += f"{data}\n"


FORMULAS = {
    "law": (sine, r"x_{n} = \frac{\sqrt{3}}{\sqrt{n}}"),
    "expansion": (lambda: sine().expansion, r"\frac{\sqrt{3}}{\sqrt{n}}"),
    "Abel function": (lambda: sine().abel, r"A(t) = \frac{3}{t^{2}}"),
    "Koenigs function": (lambda: asy.Recursion(cos(X), X).law(terms=2).koenigs, "S(t) = t"),
    "activation": (lambda: asy.activation("tanh"), r"\phi(x) = \tanh"),
    "closed map": (lambda: asy.FeedForward("relu").correlation_map, r"f(c) = c"),
    "map": (lambda: tanh().correlation_map, r"f = 1 - t^{2}"),
    "variance map": (lambda: tanh().layer.variance_map, r"\operatorname{E}"),
    "recursion": (lambda: asy.Recursion(sin(X), X), r"x_{n+1} = \sin{\left(x_{n} \right)}"),
    "driven recursion": (lambda: asy.DrivenRecursion(X**2, X, 1 / (L + 1), L), "x_{l} = x_{l-1} - "),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_formulas_on_a_page(name):
    make, expected = FORMULAS[name]
    shown = make()._repr_latex_()
    assert re.fullmatch(r"\$\\displaystyle [^$]*\$", shown) and expected in shown


TABLES = {
    "network": (tanh, ["FeedForward, tanh", r"$\displaystyle \sigma_w$", "1.30414584005651", "edge of chaos"]),
    "network without a law": (
        lambda: asy.FeedForward("relu", sigma_w=2, sigma_b=1), ["phase", "none: with sigma_w^2 = 4"],
    ),
    "composition": (lambda: asy.Network("residual(layer_norm, relu, dense(1))"), ["weight", "1/(l + 1)"]),
    "point": (lambda: asy.edge_of_chaos("tanh", **TANH), ["tanh, Edge of Chaos", "0.5120785042", "V'(q)"]),
    "summary": (lambda: sine().summary(), ["coefficient", "1.732050808", "remainder"]),
    "verification": (lambda: asy.verify(sine(), digits=15, depth=1000), ["checked", "proved", "figure", "bound"]),
    "certificate": (lambda: sine().certificate(start=1), ["proved", "circle bound", "2.13674"]),
    "claim": (lambda: asy.claims.find("HDR.T1.1-diag"), ["as printed", r"\Theta(L^{-1})", "HDR Theorem 1, item 1"]),
}  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_tables_on_a_page(name):
    make, expected = TABLES[name]
    text = Balanced(make()._repr_html_()).text
    assert [part for part in expected if part not in text] == []


def test_text_is_escaped_and_verdicts_have_their_colour():
    page = showing.html_table([("<script>", "refuted"), ("5$", "checked")])
    assert "<script>" not in page and "&#36;" in page
    assert [showing.COLOURS[word] in page for word in ("refuted", "checked", "unknown")] == [True, True, False]

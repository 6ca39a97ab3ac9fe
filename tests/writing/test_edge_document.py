"""Documents about the Edge of Chaos of any activation: what is printed is what the laws and independent numbers say."""

import re
import shutil
from dataclasses import replace

import pytest
from mpmath import mp, mpf
from sympy import Rational, factorial

from asympt.architectures.feedforward import FeedForward
from asympt.expansions.typesetting import tex
from asympt.gaussian.moments import square_moment
from asympt.numbers import to_mpf
from asympt.recursions.coordinates.abel_inversion import C
from asympt.writing import document
from asympt.writing.account import Account, letter
from asympt.writing.document import account_of
from asympt.writing.statement import statement
from asympt.writing.texts import derivation
from asympt.writing.texts.maps import correlation_map, power_of, shown_constants
from asympt.writing.verdicts import decimal, published
from tests.writing.latex_log import assert_sound
from tests.writing.reading_latex import printed, value
from tests.writing.test_law_document import CHECKED

needs_tex = pytest.mark.skipif(shutil.which("latexmk") is None, reason="latexmk is not installed")
BIAS = Rational(1, 5)
NAMES = ("tanh", "elu")


@pytest.fixture(scope="module", params=NAMES)
def m(request):
    """tanh and ELU on the Edge of Chaos, sigma_b = 1/5; no numbers of a start, which take long."""
    return without_start(account_of(FeedForward.on_edge_of_chaos(request.param, sigma_b=BIAS), "ntk"))


def without_start(a: Account) -> Account:
    return replace(a, start=None)


@pytest.fixture(scope="module")
def text(m):
    """Statement and derivation, on one line."""
    return " ".join((statement(m, CHECKED, CHECKED) + derivation(m)).split())


def _numbers(m: Account) -> dict:
    """The letters of the document by their values."""
    return {re.sub("[{}]", "", str(letter(c))): to_mpf(c) for c in shown_constants(m)}


def _shift(m: Account):
    """C - B."""
    return to_mpf(m.beta) / m.m * mp.log(to_mpf(m.alpha))


def test_the_laws_are_printed_as_derived(m, text):
    """A dropped sign, bracket or shift would change the value."""
    for law, variable in ((m.correlation, "l"), (m.law, "L")):
        with mp.workdps(20):
            start, depth = mpf(7) / 3, mpf(1234)
            names = _numbers(m) | {variable: depth, "B": start - _shift(m)}
            expected = to_mpf(law.to_sympy().subs({C: Rational(7, 3), law.depth_variable: 1234}).evalf(20))
            assert abs(value(printed(text, law.quantity), names) / expected - 1) < mpf(10) ** -15


def test_abel_function_and_particular_solution_are_printed_as_derived(m, text):
    """A and P, each to the terms that are shown."""
    for left, series in (("A(t)", m.abel), ("P(t)", m.find("linear")["particular"])):
        right = printed(text, left)
        with mp.workdps(20):
            t = mpf(1) / 1000
            shown = value(right, _numbers(m) | {"t": t})
            sums, total = [], mpf(0)
            for monomial, c in series.terms:
                total += to_mpf(c) * t ** int(monomial.order) * mp.log(t) ** monomial.logs
                sums.append(total)
            assert min(abs(shown / s - 1) for s in sums) < mpf(10) ** -15


EDGES = {"tanh": ("0.51207850423390", "1.30414584005651"), "elu": ("1.10693054034611", "1.22925112413720")}


def test_the_edge_of_chaos_is_printed(m, text):
    """Digits found by solving the two equations of HDR Definition 2 with another program."""
    q, sigma_w = EDGES[m.net.activation.name]
    plain = text.replace(r"\,", "")
    assert f"q &= {q}" in plain and rf"\sigma_w &= {sigma_w}" in plain


def test_coefficients_by_moments_and_jumps_are_the_constants(m):
    """The printed formulas, with moments by quadrature, against the constants of the law."""
    layer = m.law.layer.layer
    for constant in shown_constants(m):
        formula, n = m.net.correlation_map.by_moments(power_of(constant)), power_of(constant) // 2
        formula *= (-1) ** n * factorial(n) if constant.name.startswith("f") else 1
        with mp.workdps(25):
            q, weight = to_mpf(layer.fixed_variance), to_mpf(layer.weight_variance)
            numbers = {"q": q, "sigma_w": mp.sqrt(weight)}
            numbers |= {f"M_{n}": square_moment(m.net.activation.piecewise, n, q, 25) for n in range(7)}
            found = value(tex(formula).replace(r"\sigma_{w}", "s"), {**_symbols(numbers), "s": numbers["sigma_w"],
                                                                       r"\pi": mp.pi})
            assert abs(found / to_mpf(constant) - 1) < mpf(10) ** -18


def _symbols(numbers: dict) -> dict:
    return {name: number for name, number in numbers.items() if name != "sigma_w"}


def test_the_first_odd_power_is_that_of_the_map_itself():
    """(f - 1 + t^2 - e_4 t^4)/t^5 -> e_5 < 0 for ELU, measured on the map."""
    m = account_of(FeedForward.on_edge_of_chaos("elu", sigma_b=BIAS), "ntk")
    f, (e4, e5) = m.net.correlation_map, shown_constants(m)[:2]
    with mp.workdps(40):
        t = mpf(10) ** -5
        measured = (t**2 - f.gap(t**2) - to_mpf(e4) * t**4) / t**5
        assert abs(measured / to_mpf(e5) - 1) < 1e-4
    told = correlation_map(m, m.find("map"))
    assert r"$\phi''$ jumps by $-1$ at $x=0$" in told and "e_5 t^5" in told


def test_what_is_said_of_the_published_rate(m):
    """Exponents of the first decaying term: log(L)/L for smooth phi, 1/sqrt(L) where phi'' jumps."""
    said = published(m)
    assert ("is that of the law derived here" in said) == (m.net.activation.name == "tanh")
    assert (r"1/\sqrt{L}" in said) == (m.net.activation.name == "elu")


def test_titles_and_honesty(m, text):
    article = {"tanh": "a tanh", "elu": "an ELU"}[m.net.activation.name]
    assert m.subject.title == f"The depth law of the neural tangent kernel of {article} network on the Edge of Chaos"
    assert "only asymptotic" in text and "no explicit constant is claimed" in text


def test_the_correlation_alone_says_nothing_of_the_kernel():
    m = without_start(account_of(FeedForward.on_edge_of_chaos("tanh", sigma_b=BIAS), "correlation"))
    text = statement(m, CHECKED) + derivation(m) + published(m)
    assert "eq:kernel" not in text and "eq:correlation" not in text
    assert "kernel" not in text.replace("neural tangent kernel after", "")


def test_shifted_constant(m):
    """B = C - (beta/m) log(alpha), among the numbers of a start."""
    known = replace(m, start={"correlation": Rational(1, 10)})
    known.__dict__["known"] = {"C": mpf(3)}
    shown = statement(known, CHECKED, CHECKED).split("B &= ")[1].split(".\n")[0].replace(r"\,", "")
    with mp.workdps(20):
        assert abs(mpf(shown) - 3 + _shift(m)) < mpf(10) ** -8


def test_decimals_do_not_depend_on_the_machine():
    assert decimal("-0.403421746619") == "-0.403422"
    assert decimal("1.2345678e-9") == r"1.23457\cdot10^{-9}"


@needs_tex
@pytest.mark.parametrize(
    ("phi", "law", "terms"),
    [("elu", "correlation", 2)],
)
def test_documents_compile(tmp_path, phi, law, terms):
    made = document(FeedForward.on_edge_of_chaos(phi, sigma_b=BIAS), law, terms)
    assert_sound(made, tmp_path / "x.pdf", 10)
    verdict = r"\\emph\{(proved|checked|unknown)\}"
    told = rf"law of the kernel is {verdict}|\\ref\{{sec:evidence\}}: {verdict}"
    assert re.search(told, made.tex)

"""Documents about the Edge of Chaos of any activation: what is printed is what the laws and independent numbers say."""

import re
from dataclasses import replace

import pytest
from mpmath import mp, mpf
from sympy import Rational

from asympt.architectures.feedforward import FeedForward
from asympt.numbers import to_mpf
from asympt.recursions.coordinates.abel_inversion import C
from asympt.writing.account import Account, letter
from asympt.writing.document import account_of
from asympt.writing.statement import statement
from asympt.writing.texts import derivation
from asympt.writing.texts.maps import correlation_map, shown_constants
from tests.writing.reading_latex import printed, value
from tests.writing.test_law_document import CHECKED

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


def test_the_laws_are_printed_as_derived(m, text):
    """A dropped sign, bracket or shift would change the value."""
    for law, variable in ((m.correlation, "l"), (m.law, "L")):
        with mp.workdps(20):
            start, depth = mpf(7) / 3, mpf(1234)
            names = _numbers(m) | {variable: depth, "B": start - to_mpf(m.beta) / m.m * mp.log(to_mpf(m.alpha))}
            expected = to_mpf(law.to_sympy().subs({C: Rational(7, 3), law.depth_variable: 1234}).evalf(20))
            assert abs(value(printed(text, law.quantity), names) / expected - 1) < mpf(10) ** -15


EDGES = {"tanh": ("0.51207850423390", "1.30414584005651"), "elu": ("1.10693054034611", "1.22925112413720")}


def test_the_edge_of_chaos_is_printed(m, text):
    """Digits found by solving the two equations of HDR Definition 2 with another program."""
    q, sigma_w = EDGES[m.net.activation.name]
    plain = text.replace(r"\,", "")
    assert f"q &= {q}" in plain and rf"\sigma_w &= {sigma_w}" in plain


def test_the_first_odd_power_is_that_of_the_map_itself():
    """(f - 1 + t^2 - e_4 t^4)/t^5 -> e_5 < 0 for ELU, measured on the map."""
    m = account_of(FeedForward.on_edge_of_chaos("elu", sigma_b=BIAS), "ntk")
    f, (e4, e5) = m.net.correlation_map, shown_constants(m)[:2]
    with mp.workdps(40):
        t = mpf(10) ** -5
        measured = (t**2 - f.gap(t**2) - to_mpf(e4) * t**4) / t**5
        assert abs(measured / to_mpf(e5) - 1) < 1e-4
    told = correlation_map(m, m.find("map"))
    assert r"$\phi''$ jumps by $-1$ at $x=0$" in told


def test_titles_and_honesty(m, text):
    article = {"tanh": "a tanh", "elu": "an ELU"}[m.net.activation.name]
    assert m.subject.title == f"The depth law of the neural tangent kernel of {article} network on the Edge of Chaos"
    assert "only asymptotic" in text and "no explicit constant is claimed" in text


def test_the_correlation_alone_says_nothing_of_the_kernel():
    m = without_start(account_of(FeedForward.on_edge_of_chaos("tanh", sigma_b=BIAS), "correlation"))
    text = statement(m, CHECKED) + derivation(m)
    assert "eq:kernel" not in text and "eq:correlation" not in text
    assert "kernel" not in text.replace("neural tangent kernel after", "")

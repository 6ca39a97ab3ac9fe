"""The document says what the laws say, and takes its verdicts from the checks."""

import re

import pytest
from mpmath import acos, mp, mpf
from sympy import symbols

from asympt.architectures.feedforward import FeedForward
from asympt.expansions.typesetting import inline
from asympt.writing import document
from asympt.writing.document import account_of


def test_the_laws_stand_in_the_document(relu):
    a = account_of(FeedForward("relu"), "ntk")
    for law in (a.told, a.told_correlation):
        assert inline(a.notation.pieces(law.expansion)) in relu.tex.replace("\n", " ")


@pytest.mark.parametrize(
    "formula",
    [
        r"\alpha = \frac{3}{\sqrt2\,\rho} = \frac{3 \sqrt{2} \pi}{2}",  # alpha_(-1) = 3 pi/sqrt(2)
        r"\beta = \frac{3}{2}",  # iterative residue
        r"\frac{1}{4} + \frac{3 \log L}{8 L} + \frac{2 B - 1}{8 L}",
        "0.253354646152356",  # K^1000/(1000 q) at c^1 = 1/10: one layer after the other in mpmath
    ],
)
def test_known_formulas_and_numbers(relu, formula):
    assert formula in relu.tex


def test_a_right_law_is_not_refuted_and_the_printed_rate_is(relu):
    assert r"the law of the kernel is \emph{proved}" in relu.tex
    told = relu.tex.split("HDR.T1.1-rate: refuted (false)")[1].split(r"\subsection*")[0]
    parts = ("as printed", "read as", "why", "shown by", "true instead (checked)", "holds if")
    assert [told.find(rf"\emph{{{part}:}}") > 0 for part in parts] == [True] * len(parts)


def test_the_theorem_holds_along_the_plain_orbit(relu):
    """|K^L/(qL) - S| <= B/L^2 from L = 2 on: S as printed, with the digits of C; K by arc cosines, layer by layer."""
    theorem = relu.tex.split(r"q\,L} - S")[1]
    found = re.search(r"\\frac\{([\d.]+)\}\{L\^\{2\}\}.*?L \\ge (\d+).*?C \\in \[([\d.]+),", theorem)
    bound, first, c = float(found[1]), int(found[2]), mpf(found[3])
    correlation = kernel = mpf(1) / 10
    for depth in range(2, 300):
        angle = acos(correlation)
        correlation += (mp.sin(angle) - angle * correlation) / mp.pi
        kernel = correlation + (1 - angle / mp.pi) * kernel
        log_l = mp.log(depth)
        printed = mpf(1) / 4 + 3 * log_l / (8 * depth) + 9 * log_l / (16 * depth**2)
        printed += (2 * c - 3 * mp.log(3 * mp.sqrt(2) * mp.pi / 2) - 1) / (8 * depth)
        assert depth < first or abs(kernel / depth - printed) <= bound / depth**2
    assert first == 2 and bound < 24.2  # the coefficient of the next term is 23.63
    assert "No check bounds" not in relu.tex and "at best" not in relu.tex


def test_the_same_bytes_every_time(relu):
    again = document(FeedForward("relu"), figure_name=relu.figure_name)
    assert again.tex == relu.tex
    assert again.figure_bytes() == relu.figure_bytes()


def test_symbols_for_slopes_give_formulas_without_numbers():
    a, b = symbols("a b", real=True)
    made = document(FeedForward("relu_like", right=a, left=b), "correlation")
    assert made.figure is None and "includegraphics" not in made.tex
    assert "the law contains the parameters" in made.tex
    assert r"\frac{\alpha^{2}}{l^{2}} - \frac{3 \alpha^{2} \log l}{l^{3}}" in made.tex

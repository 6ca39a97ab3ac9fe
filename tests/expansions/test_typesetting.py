"""The line splitter and the rendering of coefficients."""

import pickle
import re
from dataclasses import replace

import mpmath
import pytest
from sympy import Rational, Symbol, log, pi, sqrt

from asympt.architectures.feedforward import FeedForward
from asympt.evidence import Check
from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.expansions.opaque import RealConstant
from asympt.expansions.printing import width
from asympt.expansions.typesetting import LINE, constant, display, expansion_pieces, factored, inline, parameter, tex
from asympt.writing.escape import escape, formula, typeset

L = Symbol("l", positive=True)
C = Symbol("C", real=True)
Q = Symbol("q", positive=True)
CHI = RealConstant("chi", lambda: mpmath.mpf(1) / 3, "chi of these tests", r"\chi")


@pytest.mark.parametrize(("expr", "shown"), [
    (3 * sqrt(2) * pi / 2, r"\frac{3 \sqrt{2} \pi}{2}"), (C / 4 - Rational(1, 8), r"\frac{2 C - 1}{8}"),
    ((25 / pi**2 + 3) / 120, r"\frac{3 \pi^{2} + 25}{120 \pi^{2}}"), (Rational(0), "0"),
    (-Rational(3, 7), r"-\frac{3}{7}"),
])  # fmt: skip
def test_constants_are_factored_as_an_author_would(expr, shown):
    assert constant(expr) == shown


@pytest.mark.parametrize("expr", [C**2 / 3 - pi * C / 6 + pi**2 / 12, -5 / pi - sqrt(2) / 7, Rational(4, 6) * pi, -C])
def test_factoring_loses_nothing(expr):
    content, summands = factored(expr)
    assert (content * sum(summands) - expr).expand() == 0
    assert summands[0].as_coeff_Mul()[0] > 0


def test_parameters_with_symbols_are_factored():
    a, b = Symbol("a", real=True), Symbol("b", real=True)
    assert parameter((a**2 - 2 * a * b + b**2) / (a**2 + b**2)) == r"\frac{\left(a - b\right)^{2}}{a^{2} + b^{2}}"


def test_the_remainder_stands_last():
    law = Expansion.build(Scale.at_infinity(L), {(2, 0): 3, (3, 1): -1}, Formal(Monomial(3)))
    assert inline(expansion_pieces(law)) == r"\frac{3}{l^{2}} - \frac{\log l}{l^{3}} + O\!\left(\frac{1}{l^{3}}\right)"


@pytest.mark.parametrize("terms", [1, 4, 10, 14])
def test_every_law_splits_into_lines_that_fit(terms):
    for law in (FeedForward("relu").ntk_law(terms), FeedForward("relu").correlation_law(terms)):
        shown = display(law.quantity, expansion_pieces(law.expansion), "eq:x")
        lines = [re.sub(r"\\(notag|(label|begin|end)\{[^}]*\})", "", line) for line in shown.splitlines()]
        assert all(width(line) <= LINE + 2 for line in lines)
        assert shown.count(r"\label") == 1
        assert all(width(line) <= 29 for line in law.expansion.latex(split=True).splitlines()[1:-1])


def test_text_is_escaped_and_what_is_marked_is_set():
    assert escape("a_b & 100%") == r"a\_b \& 100\%"
    assert typeset("expansion gives $l + C$, 50%") == r"expansion gives $l + C$, 50\%"
    assert typeset("at depth 100000: a_l^2, not marked") == r"at depth 100000: a\_l\textasciicircum{}2, not marked"


@pytest.mark.parametrize(("text", "expected"), [
    ("P(x') = lambda(x) P(x) + b(x)", r"P(x') = \lambda (x) P(x) + b(x)"),
    ("q^1 = q/2", "q^{1} = q/2"),
    ("x_0 = 3/4 + sqrt(5)/2", r"x_0 = 3/4 + \sqrt{5}/2"),
    ("2 sqrt 2/pi", r"2 \sqrt{2}/\pi "),
    ("K_00^(L), ddK_[2]^(1), Theta_-+/Theta_++", r"K_{00}^{(L)}, ddK_{[2]}^{(1)}, \Theta _{-+}/\Theta _{++}"),
    ("l^(-1/2) + 10^-40 + l^-2 + c^inf", r"l^{-1/2} + 10^{-40} + l^{-2} + c^{\infty}"),
    ("f'(c*)^60 (p* - 1), 2*x", r"f'(c^*)^{60} (p^* - 1), 2\,x"),
    ("|theta^_1 - theta_0| <= 3e-7", r"|\hat{\theta}_1 - \theta _0| \le  3\cdot 10^{-7}"),
    ("T-dot, Sigma-dot, clock, qL", r"\dot T, \dot \Sigma , \mathrm{clock}, qL"),
    ("delta^(l)', dz^(L-1)^2", r"\delta ^{(l)}{}', (dz^{L-1})^{2}"),
    ("E[phi^(j)(sqrt(q) Z)^2]", r"E[\phi ^{(j)}(\sqrt{q} Z)^{2}]"),
])  # fmt: skip
def test_formulas_in_plain_text_are_set(text, expected):
    assert formula(text) == expected


def test_marks_come_in_pairs_and_are_not_shown():
    check = Check("$c^1 = 1/10$ is kept", 0, 1, True)
    assert (check.name, check.name.marked) == ("c^1 = 1/10 is kept", "$c^1 = 1/10$ is kept")
    again = pickle.loads(pickle.dumps(replace(check, passed=False)))
    assert again.name.marked == check.name.marked
    with pytest.raises(ValueError, match="in pairs"):
        Check("$c^1", 0, 1, True)


@pytest.mark.parametrize(("expr", "shown"), [
    (Q**2 / (pi * sqrt(1 + 4 * Q) + 4 * pi * Q * sqrt(1 + 4 * Q)), r"\frac{q^{2}}{\pi \left(1 + 4 q\right)^{3/2}}"),
    (-Q / (CHI - 1), r"\frac{q}{1 - \chi}"), (Q / ((sqrt(CHI) - 1) * (sqrt(CHI) + 1)), r"-\frac{q}{1 - \chi}"),
    (Q / (CHI - 1) ** 2, r"\frac{q}{\left(1 - \chi\right)^{2}}"),
])  # fmt: skip
def test_denominators_are_factored_and_positive(expr, shown):
    assert constant(expr) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (Rational(123456789, 10**9), "0.123456789"),
        (10**9 * sqrt(2) / 1015241578750190521, r"1.392982313 \cdot 10^{-9}\ldots"),  # by mpmath
        (Rational(17, 15) * pi**2, r"\frac{17 \pi^{2}}{15}"),
    ],
)
def test_long_numbers_are_told_by_their_digits(value, shown):
    assert parameter(value) == shown


def test_a_constant_term_needs_no_bracket():
    known = Expansion.build(Scale.at_infinity(L), {(0, 0): 1 - CHI, (1, 0): C}, Formal(Monomial(2)))
    assert inline(expansion_pieces(known)) == r"1 - \chi + \frac{C}{l} + O\!\left(\frac{1}{l^{2}}\right)"


def test_logarithms_of_one_letter_or_fraction_have_one_space():
    assert tex(log(CHI)) == r"\log \chi" and tex(log(2 / CHI)) == r"\log \frac{2}{\chi}"


@pytest.mark.parametrize(("argument", "shown"), [
    (3, r"\log 3"), (Rational(3, 2), r"\log(3/2)"), (log(L), r"\log \log l"), (sqrt(2), r"\log \sqrt{2}"),
    (2 * L, r"\log(2 l)"), (L + 1, r"\log(1 + l)"), (pi, r"\log \pi"), (3 * pi / 2, r"\log \frac{3 \pi}{2}"),
    (L / 2 + 1, r"\log\left(1 + \frac{l}{2}\right)"), (pi**2 + 1, r"\log(1 + \pi^{2})"), (L**L, r"\log(l^{l})"),
])  # fmt: skip
def test_what_a_logarithm_is_of(argument, shown):
    assert tex(log(argument, evaluate=False)) == shown
    assert tex(log(argument, evaluate=False) ** 2) == shown.replace(r"\log", r"\log^{2}", 1)

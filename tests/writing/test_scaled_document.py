"""The document about a scaled residual network: what is printed is what its laws and the original recursion say."""

from dataclasses import replace

import pytest
from mpmath import mp, mpf
from sympy import Rational, sqrt

from asympt.architectures.resnet import ScaledResNet
from asympt.evidence import Verification
from asympt.numbers import to_mpf
from asympt.recursions.coordinates.abel_inversion import C, D
from asympt.writing.document import account_of
from asympt.writing.evidence import orbit
from asympt.writing.statement import statement
from asympt.writing.texts import derivation
from asympt.writing.verdicts import published
from tests.writing.reading_latex import printed, value

NONE = Verification("nothing", ())


@pytest.fixture(scope="module")
def m():
    """ReLU with sigma_w^2 = 2: g = 1."""
    return account_of(ScaledResNet("relu", sigma_w=sqrt(2)), "ntk")


@pytest.fixture(scope="module")
def text(m):
    """All but the numbers of a start, which take long."""
    m = replace(m, start=None)
    return " ".join((statement(m, NONE) + derivation(m) + published(m)).split())


def test_the_laws_are_printed_as_derived(m, text):
    """A dropped sign, bracket or shift would change the value."""
    theorem = text.split(r"\end{theorem}")[0]
    for law, variable in ((m.correlation, "l"), (m.law, "L")):
        with mp.workdps(20):
            names = {variable: mpf(1234), "C": mpf(7) / 3, "D": mpf(1), r"\gamma_E": mp.euler, r"\pi": mp.pi}
            at = {C: Rational(7, 3), D: 1, law.depth_variable: 1234}
            expected = to_mpf(law.to_sympy().subs(at).evalf(20))
            shown = printed(theorem, law.quantity, last=True).replace(r"\gamma_{E}", r"\gamma_E")
            assert abs(value(_euler(shown), names | {"x": mp.euler}) / expected - 1) < mpf(10) ** -15


def _euler(shown: str) -> str:
    """Euler's constant as a letter that the reader of formulas knows."""
    return shown.replace(r"\gamma_E", "x")


def test_known_formulas(text):
    for formula in (
        r"1-\frac{18\pi^2}{\sigma_w^4\log(l)^2}",  # as printed by HDR
        r"\frac{9 \pi^{2}}{2 Y^{2}}",
        r"\frac{3 \sqrt{2} \pi}{2 t}",
        r"\frac{1}{4} + \frac{2 C - 2 \gamma_{E} + 1}{8 \log L}",
        r"\Theta\bigl(L\log L\bigr)",
    ):
        assert formula in text, formula


def test_the_table_starts_from_the_networks_own_layers(m):
    """1 - c^1000 at c^1 = 1/10, sigma_w^2 = 2: iterated one layer after the other by another program, 18 digits."""
    with mp.workdps(20):
        assert abs(orbit(m)[1000][0] / mpf("0.252774752560827221") - 1) < mpf(10) ** -17


def test_what_is_told_of_other_exponents_and_laws():
    """Nothing was published about other kappa: the bare steps are printed."""
    assert account_of(ScaledResNet("relu", kappa=Rational(1, 2)), "correlation").net is None

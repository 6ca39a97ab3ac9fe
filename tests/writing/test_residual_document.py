"""Documents about residual networks, scaled or not: what is printed is what laws and the original recursion say."""

from dataclasses import replace

import pytest
from mpmath import mp, mpf
from sympy import Rational, log, sqrt

from asympt.architectures.resnet import ResNet, ScaledResNet
from asympt.expansions.typesetting import inline
from asympt.numbers import to_mpf
from asympt.recursions.coordinates.abel_inversion import C, D
from asympt.writing.account import B, E
from asympt.writing.document import account_of
from asympt.writing.evidence import orbit
from asympt.writing.statement import statement
from asympt.writing.texts import derivation
from asympt.writing.verdicts import members
from tests.writing.reading_latex import printed, value
from tests.writing.test_law_document import CHECKED

NETS = {"relu": ("relu", 1, {}), "leaky": ("leaky_relu", sqrt(2) / 3, {"slope": Rational(1, 10)})}


@pytest.fixture(scope="module", params=NETS)
def a(request):
    """ReLU with sigma_w^2 = 1 (delta = 1/3), and a leaky ReLU, written in alpha and delta."""
    name, sigma_w, options = NETS[request.param]
    return account_of(ResNet(name, sigma_w=sigma_w, **options), "ntk")


@pytest.fixture(scope="module")
def text(a):
    """Statement and derivation, on one line."""
    parts = statement(a, CHECKED, CHECKED) + derivation(a) + members(a)
    return " ".join(parts.split())


def test_shifted_constants_change_nothing(a):
    """B and E put back, and alpha and delta by their values, give the law that the network derives."""
    alpha = log(a.alpha)
    back = {B: C - a.beta * alpha, E: D + a.omega * alpha}
    written = a.notation.expansion(a.told.expansion)
    with mp.workdps(30):
        for monomial, c in a.law.expansion.terms:
            expected = to_mpf(c.subs({C: Rational(7, 3), D: Rational(1, 7)}))
            shown = a.exact(written.coefficients[monomial].subs(back))
            assert abs(to_mpf(shown.subs({C: Rational(7, 3), D: Rational(1, 7)})) - expected) < mpf(10) ** -25


def test_the_laws_stand_in_the_document(a, text):
    joined = text.replace(r"\\ &\quad ", "").replace(r"\notag ", "")
    for law in (a.told, a.told_correlation):
        assert inline(a.notation.pieces(law.expansion, 2)).split("+ O")[0].strip() in joined


def test_known_numbers_stand_in_the_document():
    a = account_of(ResNet("relu", sigma_w=1), "ntk")
    text = statement(a, CHECKED, CHECKED)
    for formula in (
        r"\delta = \frac g{1+g} = \frac{1}{3}",
        r"\alpha = \frac{3}{\sqrt2\,\rho\,\delta} = \frac{9 \sqrt{2} \pi}{2}",
        r"\frac{1}{12} + \frac{\log L}{8 L}",
    ):
        assert formula in text, formula


@pytest.fixture(scope="module")
def scaled():
    """ReLU with sigma_w^2 = 2, g = 1; no numbers of a start, which take long."""
    a = replace(account_of(ScaledResNet("relu", sigma_w=sqrt(2)), "ntk"), start=None)
    return a, " ".join((statement(a, CHECKED) + derivation(a)).split())


def test_the_laws_of_a_scaled_network_are_printed_as_derived(scaled):
    """A dropped sign, bracket or shift would change the value."""
    a, text = scaled
    theorem = text.split(r"\end{theorem}")[0]
    for law, variable in ((a.correlation, "l"), (a.law, "L")):
        with mp.workdps(20):
            names = {variable: mpf(1234), "C": mpf(7) / 3, "D": mpf(1), r"\pi": mp.pi, "x": mp.euler}
            expected = to_mpf(law.to_sympy().subs({C: Rational(7, 3), D: 1, law.depth_variable: 1234}).evalf(20))
            shown = printed(theorem, law.quantity, last=True).replace(r"\gamma_{E}", "x")
            assert abs(value(shown, names) / expected - 1) < mpf(10) ** -15


def test_known_formulas_of_a_scaled_network(scaled):
    for formula in (
        r"\frac{9 \pi^{2}}{2 Y^{2}}",
        r"\frac{3 \sqrt{2} \pi}{2 t}",
        r"\frac{1}{4} + \frac{2 C - 2 \gamma_{E} + 1}{8 \log L}",
    ):
        assert formula in scaled[1], formula


@pytest.mark.parametrize(("net", "digits"), [
    (ResNet("relu", sigma_w=1), "3.79017451042611687e-4"),
    (ScaledResNet("relu", sigma_w=sqrt(2)), "0.252774752560827221"),
], ids=["resnet", "scaled-resnet"])  # fmt: skip
def test_the_table_starts_from_the_networks_own_layers(net, digits):
    """1 - c^1000 at c^1 = 1/10: iterated one layer after the other by another program, 18 digits."""
    found = orbit(account_of(net, "ntk"))
    with mp.workdps(20):
        assert abs(found[1000][0] / mpf(digits) - 1) < mpf(10) ** -17


def test_what_is_told_of_other_exponents_and_laws():
    """Nothing was published about other kappa: the bare steps are printed."""
    assert account_of(ScaledResNet("relu", kappa=Rational(1, 2)), "correlation").net is None

"""Numbers beside symbols: a law's summary, its coefficients one by one, and answers that print as their digits."""

import pytest
from sympy import Rational, Symbol, cos, log, pi, sin, sqrt, symbols

import asympt as asy
from asympt.recursions import Recursion

X = symbols("x")
A = Symbol("a", real=True)


@pytest.fixture(scope="module")
def gelu():
    return asy.FeedForward.on_edge_of_chaos("gelu", sigma_b=Rational(1, 10))


@pytest.fixture(scope="module")
def gelu_law(gelu):
    return gelu.ntk_law(terms=2)


def test_solved_numbers_keep_their_names_in_formulas(gelu):
    assert str(2 * gelu.sigma_w) == "2*sigma_w"
    assert "sigma_w^2" in str(gelu.correlation_map.expansion(order=5))


MONOMIALS = [
    (Recursion(sin(X), X).law(terms=2), {"1/sqrt(n)": sqrt(3), "log(n)/n^(3/2)": -3 * sqrt(3) / 10, (1, 0): 0}),
    (Recursion(sin(X), X).law(terms=2), {1: 0, 1 / sqrt(Symbol("n")): sqrt(3), "n": 0}),
    (asy.ScaledResNet("relu").correlation_law(terms=1), {"1/log(l)^2": 18 * pi**2, "1/log(l)": 0}),
]


@pytest.mark.parametrize(("law", "expected"), MONOMIALS)
def test_a_coefficient_is_asked_for_as_one_writes_it(law, expected):
    assert {monomial: law.coefficient(monomial) for monomial in expected} == expected


def test_a_coefficient_of_an_exponential():
    law = Recursion(cos(X), X).law(terms=3)
    c, d = law.constant_symbols["C"], sin(law.limit)
    assert law.coefficient("(-sin(xi))^n") == c
    assert law.coefficient(1, digits=20) == pytest.approx(0.7390851332151606)  # OEIS A003957
    # x = xi + y: y' = -sin(xi) y - cos(xi) y^2/2 + ..., so y = z + b z^2 with b chi^2 = chi b - cos(xi)/2
    chi = -float(d)
    b = -float(law.limit) / 2 / (chi**2 - chi)
    assert float(law.coefficient("sin(xi)^(2*n)", digits=15).coeff(c, 2)) == pytest.approx(b)


@pytest.mark.parametrize(
    ("monomial", "said"),
    [("1/n^9", "order 1/n.9 is hidden in"), ("exp(n)", "is not a monomial of the law; its terms are 1/sqrt(n)"),
     ("1/m", "'m' is unknown"), (1.5, "not a monomial")],
)  # fmt: skip
def test_other_monomials_are_refused(monomial, said):
    with pytest.raises(asy.InputError, match=r"(?s)" + said.replace("(", r"\(").replace(")", r"\)")):
        Recursion(sin(X), X).law(terms=1).coefficient(monomial)


def test_free_parameters_have_formulas_and_no_numbers():
    law = asy.FeedForward("leaky_relu", slope=A).ntk_law(terms=3)
    assert [term.number is None for term in law.summary().terms] == [False, False, True]
    assert law.coefficient("log(L)/L", digits=5) == Rational(3, 8).evalf(5)
    with pytest.raises(asy.UnsupportedError, match="free parameters; give numbers"):
        law.coefficient("1/L", digits=5)


def test_the_summary_says_what_there_is():
    law = asy.FeedForward("relu").ntk_law(terms=3)
    shown = str(law.summary(asy.verify(law, digits=15, depth=1000)))
    c = law.constant_symbols["C"]
    number = law.summary().terms[2].number
    assert float(number.coeff(c, 0)) == pytest.approx(float(-3 * log(3 * sqrt(2) * pi / 2) / 8 - Rational(1, 8)))
    for said in ("K^L(x,x')/(q L)\n", "limit      1/4", "rate       log(L)/L", "O(log(L)/L^2), formal",
                 "law.connection_constant(...)", "neutral: V(q) = q", "verdict    proved",
                 "theorem    for all L >= 2 and c^1 = 1/10"):  # fmt: skip
        assert said in shown


def test_a_flip_has_two_tables():
    summary = Recursion(-sin(X), X).law(terms=1).summary()
    assert list(summary.branches) == ["for even n", "for odd n"]
    assert [float(term.number) for term in summary.terms] == pytest.approx([3**0.5, -(3**0.5)])


def test_an_unstable_variance_is_said(gelu_law):
    assert "unstable: V'(q)" in str(gelu_law.summary())


def test_what_is_no_verification_is_refused():
    with pytest.raises(asy.InputError, match=r"does not come from asympt\.verify"):
        asy.FeedForward("relu").ntk_law(terms=2).summary(12)

"""Maps with a leading logarithm: constants to 40 digits, found by iterating far and inverting A by two routes."""

from dataclasses import replace

import pytest
from mpmath import mp, mpf
from sympy import Add, Eq, Function, Rational, Symbol, lambdify, log, oo

from asympt import Recursion, rsolve_asymptotic, verify
from asympt.errors import UnsupportedError
from asympt.evidence.beyond_powers import _far_out, _in_the_depth

X = Symbol("x")
CONSTANTS = {
    "u + log u": ("x + log(x)", 2, "0.8557508927277160276290447969588981291739"),
    "x + x^2 log x": ("x + x^2*log(x)", "1/2", "0.3620074139382596959153157311044030378923"),
    "x^(1+x)": ("x^(1 + x)", "1/2", "0.5231466202883601124859921341583130224956"),
    "x + x^2/log x": ("x + x^2/log(x)", "1/4", "0.123773436600227529854871423454333774091"),
    "u + 1/log u": ("x + 1/log(x)", 2, "-0.2707721019699148475526680219453869122617"),
    "u + log(1 + u)": ("x + log(1 + x)", 1, "0.8557508927277160276290447969588981291739"),  # 1 + u is u + log u
}


@pytest.mark.parametrize("name", CONSTANTS)
def test_constants(name):
    map_, start, expected = CONSTANTS[name]
    law = Recursion(map_, fixed_point="oo" if name.startswith("u") else None).law()
    with mp.workdps(50):
        assert abs(law.connection_constant(start=start, digits=36) - mpf(expected)) < mpf(10) ** -35


def test_how_it_reads_and_what_it_says_at_any_depth():
    law = Recursion("x + x^2*log(x)", fixed_point=0).law(terms=3)
    assert str(law) == (
        "1/(n*log(n)) + O(1/(n*log(n)^(3/2))), where -log(1/x_n) + log(log(1/x_n))/2 + li(1/x_n) = n + C + O(1/n)"
    )
    assert (law.kind, law.limit) == ("logarithmic", 0) and r"\operatorname{li}" in law.latex()
    with mp.workdps(40):
        u = 1 / law.evaluate(10**9, start="1/2", digits=30)
        printed = mp.li(u) - mp.log(u) + mp.log(mp.log(u)) / 2 - 10**9
        assert abs(printed - mpf(CONSTANTS["x + x^2 log x"][2])) < mpf(10) ** -8
    n, a = Symbol("n"), Function("a")
    same = rsolve_asymptotic(Eq(a(n + 1), a(n) + log(a(n))), a(n), {a(0): 2})
    assert "li(a_n)" in str(same) and same.evaluate(100) > 400


def test_verdicts():
    law = Recursion("x + x^2*log(x)").law(terms=3)
    assert verify(law, digits=15, start="1/2").verdict == "checked"
    first, *others = law.implicit.args
    assert verify(replace(law, implicit=Add(2 * first, *others)), digits=15, start="1/2").verdict == "refuted"


@pytest.mark.parametrize(
    ("map_", "options", "start"),
    [("x - x^2*log(-x)", {"side": "below"}, "-1/3"), ("x + (x-1)^2*log(x-1)", {"fixed_point": 1}, "4/3"),
     ("x - log(-x)", {"fixed_point": "-oo"}, -3), ("x + x^2*log(3*x)", {"fixed_point": 0}, "1/5")],
)  # fmt: skip
def test_the_printed_law_has_the_side_and_the_limit_and_is_checked(map_, options, start):
    law = Recursion(map_, **options).law(terms=3)
    printed = law.expansion.to_sympy().subs(law.depth_variable, 10**6)
    limit = 0 if abs(law.limit) == oo else law.limit
    assert abs((law.evaluate(10**6, start=start) - limit) / (printed - limit) - 1) < 0.25
    assert _in_the_depth(law).passed and not _in_the_depth(times(law, Rational(101, 100))).passed


@pytest.mark.parametrize(("map_", "factor"), [("x - x^2", "1 + sqrt(x)"), ("x - x^3", "1 + x")])
def test_the_last_term_of_a_law_that_grows_is_seen(map_, factor):
    """With C of the size of log(n), as n = A(t) had it, the true term was rejected and its opposite passed."""
    law = Recursion(map_).linear_law(factor, 0, 1)
    assert law.expansion.terms[-1][0].logs == 2 and _far_out(law).passed
    assert not any(_far_out(times(law, factor)).passed for factor in (-1, Rational(101, 100)))


def times(law, factor):
    *first, (monomial, coefficient) = law.expansion.terms
    return replace(law, expansion=replace(law.expansion, terms=(*first, (monomial, factor * coefficient))))


@pytest.mark.parametrize("map_", [X / (1 + X * (1 - log(X))), X + X**2 * log(X) - X**2])
def test_a_base_of_the_logarithm_that_is_no_fraction(map_, agrees):
    """d_0 is log(e/x), beside plain iteration."""
    law, step = Recursion(map_, X, fixed_point=0).law(terms=3), lambdify(X, map_, "mpmath")
    with mp.workdps(40):
        x = mpf(1) / 2
        for _ in range(2000):
            x = step(x)
        assert "li(E/x_n)" in str(law) and agrees(law.evaluate(2000, start="1/2", digits=28), x, 28)


@pytest.mark.parametrize("map_", [X - X**2 * log(X), X + X**2 * log(3 * X) * log(X)])
def test_refusals(map_):
    """It repels; its d_0 is l^2 - log(3) l, and not one power of l."""
    with pytest.raises(UnsupportedError, match="log"):
        Recursion(map_, X, fixed_point=0).law()

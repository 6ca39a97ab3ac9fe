"""Properties that hold for every parabolic map: the Abel equation, n-fold iteration, conjugation, truncation.

Random polynomials with rational coefficients; the Abel equation is checked in SymPy's ring_series, which the
derivation does not use.
"""

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sympy import QQ, Poly, Rational, Symbol
from sympy.polys.ring_series import rs_log, rs_series_inversion, rs_trunc
from sympy.polys.rings import ring

from asympt import Recursion

X = Symbol("x")
FRACTIONS = st.fractions(min_value=-2, max_value=2, max_denominator=6)
POSITIVE = st.fractions(min_value="1/6", max_value=2, max_denominator=6)


@st.composite
def parabolic_maps(draw):
    """x - a x^(m+1) + ..., a > 0, m = 1, 2 or 3, with up to four further random terms."""
    m = draw(st.integers(1, 3))
    lead = draw(POSITIVE)
    rest = draw(st.lists(FRACTIONS, min_size=0, max_size=4))
    higher = sum(Rational(c.numerator, c.denominator) * X ** (m + 2 + k) for k, c in enumerate(rest))
    return X - Rational(lead.numerator, lead.denominator) * X ** (m + 1) + higher


@given(parabolic_maps())
@settings(max_examples=40)
def test_the_abel_equation_holds_exactly(expression):
    # A_N(G(x)) - A_N(x) - 1 = O(x^(N+1)), A_N with the terms up to x^N: every lower coefficient is exactly 0
    abel = Recursion(expression, X).law(terms=1).abel
    m, most = abel.multiplicity, 8
    size = most + 2 * m + 2
    r, x = ring("x", QQ)
    ratio = sum((QQ(c.p, c.q) * x ** (k[0] - 1) for k, c in Poly(expression, X).terms()), r.zero)
    inverse = rs_series_inversion(ratio, x, size)
    total = -(x**m) + QQ(*_pair(abel.residue)) * x**m * rs_log(ratio, x, size)
    for k in range(-m, most + 1):
        if k:
            factor = (ratio if k > 0 else inverse) ** abs(k) - 1
            total += QQ(*_pair(abel[k])) * x ** (k + m) * rs_trunc(factor, x, size)
    survivors = [power[0] - m for power, c in rs_trunc(total, x, size).terms() if c]
    assert min(survivors, default=most + 1) > most


def _pair(number):
    return int(number.p), int(number.q)


@given(parabolic_maps(), FRACTIONS)
@settings(max_examples=8)
def test_conjugation_leaves_the_iterative_residue_unchanged(expression, c):
    # phi(x) = x/(1 + c x), phi^(-1)(x) = x/(1 - c x): phi(G(phi^(-1)(x))) has the same coefficient of log x in A
    c = Rational(c.numerator, c.denominator)
    assume(c != 0)
    image = expression.subs(X, X / (1 - c * X))
    conjugate = image / (1 + c * image)
    assert Recursion(conjugate, X).law(terms=1).abel.residue == Recursion(expression, X).law(terms=1).abel.residue


@given(parabolic_maps(), st.integers(1, 5), st.integers(1, 4))
@settings(max_examples=15)
def test_a_longer_law_cut_back_is_the_shorter_law(expression, terms, more):
    recursion = Recursion(expression, X)
    assert recursion.law(terms + more).expansion.truncate(terms) == recursion.law(terms).expansion

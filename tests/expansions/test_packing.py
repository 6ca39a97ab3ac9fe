"""Products and quotients in FLINT against SymPy's own arithmetic of polynomials, and relations between generators."""

from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import QQ, Rational, Symbol, cos, cosh, exp, ring, sin, sinh, sqrt

import asympt as asy
from asympt.expansions.fields.pivots import cancelled, identities, product, roots

R, X, Y = ring("x,y", QQ)
A = Symbol("a")
coefficients = st.builds(QQ, st.integers(-(10**30), 10**30), st.integers(1, 12))
polynomials = st.dictionaries(
    st.tuples(st.integers(0, 40), st.integers(0, 2)), coefficients, min_size=1, max_size=70
).map(R.from_dict)


@settings(max_examples=25)
@given(polynomials, polynomials)
def test_products_and_quotients(p, q):
    whole = p * q
    assert product(p, q) == whole
    if p and q:
        assert cancelled(whole, q, 1) == (p, 1)
        assert cancelled(whole + 1, q, 1)[1] == (not divmod(whole + 1, q)[1])


def test_long_products_and_quotients():
    p = sum(((-3) ** k * X**k * (Y + k) / (k + 1) for k in range(120)), R.zero)
    q = sum((QQ(k - 60, 7) * X**k for k in range(150)), R.zero) + Y
    assert product(p, q) == p * q
    assert cancelled(p * q, q, 1) == (p, 1) and cancelled(p * q + X, q, 1) == (p * q + X, 0)
    assert cancelled(p * (X + 1) ** 3, X + 1, 2) == (p * (X + 1), 2)
    assert cancelled(p * X**3 * Y, 2 * X * Y, 9) == (p * X**2 / 2, 1)


def test_identities():
    assert list(identities([cosh(A), sinh(A)])) == [cosh(A) ** 2 - sinh(A) ** 2 - 1]
    assert list(identities([sin(A), cos(2 * A), exp(A)])) == []
    assert list(roots([(1 + A) ** Rational(1, 3), sqrt(A)])) == [(0, 3, 1 + A)]


def test_what_the_equation_of_a_fixed_point_says():
    """cos(xi)/2 + xi^2/9 = xi gives cos(xi), so sin(xi)^2 as well; every identity is 0 in numbers."""
    point = asy.Recursion(cos(A) / 2 + A**2 / 9, A).fixed_point
    [found] = identities([sin(point), point])
    assert not found.has(cos) and abs(found.evalf(40)) < 1e-35

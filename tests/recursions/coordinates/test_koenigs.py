"""The Koenigs function and its inversion: closed forms, substitution into the map by SymPy, random maps."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Integer, Poly, Rational, Symbol, expand, oo, pi, simplify, sympify

from asympt.errors import UnsupportedError
from asympt.expansions import Formal, Monomial
from asympt.expansions.fields.pivots import PivotField
from asympt.recursions.coordinates.abel_inversion import CONNECTION as C
from asympt.recursions.coordinates.koenigs import (
    ExactFlow,
    KoenigsFunction,
    composed,
    condition_of,
    depth_expansion,
    inverse_powers,
)
from asympt.recursions.fixed_point import FixedPoint
from asympt.recursions.protocol import Dynamics, T

N = Symbol("n", positive=True)
A, B = Symbol("a", positive=True), Symbol("b")
HALF = Rational(1, 2)
MOEBIUS = [HALF * (-1) ** k for k in range(40)]  # x/2/(1 + x): 1/x' = 2/x + 2, so S = x/(1 + 2 x)
DOUBLING = [HALF ** (k + 1) for k in range(40)]  # x/(2 - x): 1/x' - 1 = 2 (1/x - 1), so S = x/(1 - x)
LOGISTIC = [A, -A]


def filled(known, count):
    """The first `count` coefficients of a series that ends."""
    return [sympify(c) for c in (list(known) + [0] * count)[:count]]


def dynamics(known, root=1, formula=None):
    return Dynamics(lambda count: filled(known, count), None, root=root, formula=formula)


def law(known, terms, root=1, fixed=None, formula=None):
    return depth_expansion(dynamics(known, root, formula), fixed, terms, N)[1]


def truncated(expression, variable, order):
    """The polynomial part below variable^order."""
    return sum(c * variable**k for (k,), c in Poly(expand(expression), variable).terms() if k < order)


COEFFICIENTS = st.fractions(min_value=-3, max_value=3, max_denominator=7)
MULTIPLIERS = st.fractions(min_value=-1, max_value=1, max_denominator=9).filter(lambda chi: 0 < abs(chi) < 1)


@settings(max_examples=12)
@given(MULTIPLIERS, st.lists(COEFFICIENTS, min_size=1, max_size=4))
def test_random_polynomials(chi, others):
    """S(G(x)) - chi S(x) and F(chi z) - G(F(z)) start beyond the orders solved, in plain polynomial arithmetic."""
    orders, x = 6, Symbol("x")
    known = [Rational(c.numerator, c.denominator) for c in (chi, *others)]
    flow = ExactFlow.of(filled(known, orders), 1)
    koenigs = KoenigsFunction.from_flow(flow).expansion.to_sympy().subs(T, x)
    image = expand(sum(c * x ** (k + 1) for k, c in enumerate(known)))
    assert truncated(koenigs.subs(x, image) - known[0] * koenigs, x, orders + 1) == 0
    inverse = sum(flow.leave(c) * x**k for k, c in composed(inverse_powers(flow.flow), {1: flow.flow.one}).items())
    assert truncated(inverse.subs(x, known[0] * x) - image.subs(x, inverse), x, orders + 1) == 0


def test_laws_in_closed_form():
    # y_n = z/(1 + z), z = C/2^n, from S = x/(1 - x); and z/(1 - 2 z) from S = x/(1 + 2 x)
    assert str(law(DOUBLING, 4)) == "C/2^n - C^2/4^n + C^3/8^n - C^4/16^n + O(1/32^n)"
    assert str(law(MOEBIUS, 3)) == "C/2^n + 2*C^2/4^n + 4*C^3/8^n + O(1/16^n)"


def test_the_logistic_map_with_a_symbol():
    # f(a z) = a f(z) (1 - f(z)) by hand: f_2 = 1/(1 - a), f_3 = 2 f_2/(1 - a^2)
    found = law(LOGISTIC, 3)
    by_hand = C * A**N + C**2 / (1 - A) * A ** (2 * N) + 2 * C**3 / ((1 - A) ** 2 * (1 + A)) * A ** (3 * N)
    assert simplify(found.to_sympy() - by_hand) == 0
    assert found.remainder == Formal(Monomial(4))
    assert "1/(a - 1)" not in str(law(LOGISTIC, 1)) and str(law(LOGISTIC, 1)) == "C*a^n + O(a^(2*n))"


def test_infinity():
    # x -> 2 x + 1 is y' = y/(2 + y) in y = 1/x: x_n = 2^n/C - 1, and nothing more
    ratio = [HALF * (-HALF) ** k for k in range(70)]
    assert str(law(ratio, 4, fixed=FixedPoint(oo), formula=T / (2 + T))) == "2^n/C - 1"
    assert str(law(ratio, 4, fixed=FixedPoint(-oo, -1), formula=T / (2 + T))) == "-2^n/C + 1"
    # without the closed form it is not known that nothing more comes
    assert law(ratio, 4, fixed=FixedPoint(oo)).remainder.monomial.order > 50


@pytest.mark.parametrize(("chi", "root", "condition"), [
    (HALF, 1, "True"), (-HALF, 1, "True"), (pi / 4, 2, "True"), (A, 1, "a < 1"),
    (A / (1 + A), 1, "True"), (B, 2, "(b > 0) & (b < 1)"),
])  # fmt: skip
def test_conditions(chi, root, condition):
    assert str(condition_of(chi, root)) == condition


@pytest.mark.parametrize(("chi", "root", "complaint"), [
    (0, 1, "faster than any exponential"), (1, 1, "not below 1 in size"), (-1, 1, "not below 1 in size"),
    (pi / 3, 1, "not below 1 in size"), (1 + A, 1, "not below 1 in size"), (-HALF, 2, "orbits change sides"),
    (-pi / 4, 2, "orbits change sides"),
])  # fmt: skip
def test_what_is_not_hyperbolic(chi, root, complaint):
    with pytest.raises(UnsupportedError, match=complaint):
        condition_of(chi, root)


@settings(max_examples=12)
@given(st.lists(st.sampled_from([A, B, A - 1, 1 + A * B, B / (1 + A), Integer(3), pi * A]), min_size=4, max_size=4))
def test_fractions_over_pivots_calculate_like_sympy(numbers):
    field = PivotField([*numbers, 1 / (1 - A)])
    p, q, r, s = field.enter(numbers)
    one, two, three, four = numbers
    assert simplify(field.leave((p + q / r) * s - 2 * q / 3) - ((one + two / three) * four - 2 * two / 3)) == 0
    assert simplify(field.leave(1 - p / (q * q) + p) - (1 - one / two**2 + one)) == 0
    assert not (p - p) and field.leave(p - p) == 0


@pytest.mark.parametrize(
    "pivot", [A - Rational(3, 2), 2 * A / 3, Rational(4, 9) * A**2 - 1, (A / 2 + B / 3) * (A - Rational(2, 7))]
)
def test_whole_factors_of_a_pivot_keep_its_constant(pivot):
    field = PivotField([A, B, 1 / (1 - A)])
    one, below = field.enter([Integer(1), pivot])
    assert simplify(field.leave(one / below) - 1 / pivot) == 0
    assert simplify(field.leave(one / (below * below)) - 1 / pivot**2) == 0

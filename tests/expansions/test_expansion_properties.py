"""The ring axioms, as far as remainders allow, for random expansions on both scales."""

import operator

from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Rational, Symbol

from asympt.expansions import Expansion, Formal, Monomial, Scale

SCALES = [Scale.at_zero(Symbol("t", positive=True)), Scale.at_infinity(Symbol("l", positive=True))]
orders = st.integers(-2, 6).map(lambda n: Rational(n, 2))
coefficients = st.fractions(-9, 9, max_denominator=5).map(lambda q: Rational(q.numerator, q.denominator))
monomials = st.builds(Monomial, orders, st.integers(0, 2))
remainders = st.none() | st.builds(lambda k, j: Formal(Monomial(k, j)), st.integers(1, 4), st.integers(0, 1))


@st.composite
def triples(draw):
    scale = draw(st.sampled_from(SCALES))
    terms = st.dictionaries(monomials, coefficients, max_size=4)
    return [Expansion.build(scale, draw(terms), draw(remainders)) for _ in range(3)]


def equal_where_known(one: Expansion, two: Expansion) -> bool:
    """Equal after absorbing both into the larger remainder; exactly equal when both are exact."""
    known = [e.remainder.monomial for e in (one, two) if e.remainder is not None]
    if not known:
        return one == two
    return one.up_to(max(known)) == two.up_to(max(known))


@settings(max_examples=60)
@given(triples())
def test_addition_is_a_commutative_group(three):
    a, b, c = three
    assert a + b == b + a
    assert (a + b) + c == a + (b + c)
    assert a + 0 == a
    assert (a - a).terms == ()


@settings(max_examples=60)
@given(triples())
def test_multiplication_is_commutative_associative_and_distributes(three):
    a, b, c = three
    assert a * b == b * a
    assert a * 1 == a
    assert equal_where_known((a * b) * c, a * (b * c))
    assert equal_where_known(a * (b + c), a * b + a * c)


@settings(max_examples=60)
@given(triples(), st.sampled_from([operator.add, operator.mul, operator.sub]), st.integers(-2, 6))
def test_absorbing_before_or_after_an_operation_is_the_same(three, operation, order):
    a, b, _ = three
    cut = Monomial(Rational(order, 2))
    early = operation(a.up_to(cut), b)
    assert equal_where_known(early, operation(a, b))
    if early.remainder and operation(a, b).remainder:
        assert early.remainder.monomial >= operation(a, b).remainder.monomial


@st.composite
def units(draw):
    """lead * (1 + smaller terms + O(...)): what has an inverse and roots on the scale."""
    lead = draw(orders)
    tail = draw(st.dictionaries(st.builds(Monomial, orders.filter(lambda p: p > 0), st.integers(0, 2)), coefficients))
    size = Formal(Monomial(lead + draw(st.integers(1, 3)), draw(st.integers(0, 1))))
    terms = {Monomial(lead): abs(draw(coefficients)) + 1} | {m * Monomial(lead): c for m, c in tail.items()}
    return Expansion.build(draw(st.sampled_from(SCALES)), terms, size)


@settings(max_examples=30)
@given(units(), st.integers(2, 3))
def test_the_inverse_and_the_root_undo_themselves(a, root):
    assert (a * (1 / a)).without_remainder() == Expansion.constant(a.scale, 1)
    assert (a ** Rational(1, root)) ** root == a

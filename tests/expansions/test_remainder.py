"""Typed remainders: what arithmetic may do to them, and what it must never do."""

import operator

import pytest
from sympy import Symbol

from asympt.expansions import Bounded, Expansion, Formal, Heuristic, Monomial, Scale
from asympt.expansions.scale import largest

L, Y = Symbol("l", positive=True), Symbol("Y", positive=True)
AT_INFINITY = Scale.at_infinity(L)
STRENGTH = {Heuristic: 0, Formal: 1, Bounded: 2}


def with_rest(remainder) -> Expansion:
    return Expansion.build(AT_INFINITY, {(1, 0): 1, (2, 1): 2, (2, 0): -1}, remainder)


RESTS = [Heuristic(Monomial(3)), Formal(Monomial(3)), Bounded(Monomial(3), 5, 10)]
OPERATIONS = {
    "add": lambda e: e + 1,
    "add formal": lambda e: e + with_rest(Formal(Monomial(2))),
    "add formal of smaller size": lambda e: e + with_rest(Formal(Monomial(9))),
    "subtract": lambda e: 1 - e,
    "negate": operator.neg,
    "multiply by a number": lambda e: 7 * e,
    "multiply": lambda e: e * with_rest(Formal(Monomial(3))),
    "square": lambda e: e**2,
    "invert": lambda e: 1 / e,
    "root": lambda e: e.power("1/2"),
    "log": lambda e: e.log(),
    "truncate": lambda e: e.truncate(1),
    "absorb": lambda e: e.up_to(Monomial(2)),
    "compose": lambda e: e.compose(Expansion.variable(Scale.at_infinity(Y)) + 1, Monomial(4)),
    "be composed": lambda e: Expansion.build(Scale.at_infinity(Y), {(1, 0): 1}).compose(1 / e),
    "revert": lambda e: e.revert(Scale.at_zero(Y)),
    "map": lambda e: e.map_coefficients(lambda c: 3 * c),
    "subs": lambda e: e.subs({Symbol("a"): 1}),
}


@pytest.mark.parametrize("rest", RESTS, ids=lambda r: type(r).__name__)
@pytest.mark.parametrize("name", OPERATIONS)
def test_no_operation_promotes_a_remainder(name, rest):
    result = OPERATIONS[name](with_rest(rest))
    assert result.remainder is not None
    assert STRENGTH[type(result.remainder)] <= STRENGTH[type(rest)]
    assert isinstance(rest, Bounded) or type(result.remainder) is type(rest)


def test_a_bound_survives_what_cannot_break_it():
    bound = Bounded(Monomial(3), 5, 10)
    assert (with_rest(bound) + 1).remainder == bound
    assert with_rest(bound).up_to(Monomial(9)).remainder == bound


def test_a_bound_that_absorbs_a_term_is_no_bound_any_more():
    # |rest| <= 5/l^3 says nothing with the constant 5 about rest + 100/l^3
    tail = Expansion.build(AT_INFINITY, {(3, 0): 100})
    assert (with_rest(Bounded(Monomial(3), 5, 10)) + tail).remainder == Formal(Monomial(3))


def test_the_largest_remainder_counts():
    assert largest(None, None) is None
    assert largest(Formal(Monomial(3)), None, Formal(Monomial(2, 1))) == Formal(Monomial(2, 1))
    assert largest(Bounded(Monomial(2), 1, 1), Bounded(Monomial(3), 1, 1)) == Formal(Monomial(2))
    assert largest(Formal(Monomial(2)), Heuristic(Monomial(2))) == Heuristic(Monomial(2))
    assert largest(Formal(Monomial(2)), Heuristic(Monomial(3))) == Heuristic(Monomial(2))


def test_printing_tells_the_types_apart():
    texts = [str(with_rest(rest)) for rest in RESTS]
    assert [text.split(" + ")[-1] for text in texts] == ["~O(1/l^3)", "O(1/l^3)", "O(1/l^3) [<= 5 times it from 10]"]
    assert r"\widetilde{O}" in with_rest(RESTS[0]).latex() and r"\tilde" not in with_rest(RESTS[1]).latex()

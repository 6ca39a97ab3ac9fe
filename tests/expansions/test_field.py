"""Exact rings found for constants, elements in them, and decisions about zero and sign, against SymPy's arithmetic."""

import mpmath
import pytest
from hypothesis import strategies as st
from mpmath import mp
from sympy import Integer, Rational, Symbol, cos, cosh, exp, expand, log, pi, sech, sin, sinh, sqrt, symbols, tan, tanh

from asympt.errors import UnsupportedError
from asympt.expansions.fields.decisions import is_zero, number, sign
from asympt.expansions.fields.field import Field
from asympt.expansions.opaque import RealConstant

A, B, X = symbols("a b x")
P = Symbol("p", positive=True)
DOTTIE = RealConstant("d", lambda: mpmath.findroot(lambda t: mpmath.cos(t) - t, 0.7), key="test: fixed point of cos")
HALF, THIRD = Rational(1, 2), Rational(1, 3)


constants = st.recursive(
    st.sampled_from([Integer(2), Rational(-1, 3), sqrt(2), pi, A, exp(HALF), sin(1), sqrt(B), DOTTIE]),
    lambda inner: st.tuples(inner, inner, st.booleans()).map(lambda t: t[0] + t[1] if t[2] else t[0] * t[1]),
    max_leaves=6,
)


@pytest.mark.parametrize(("constant", "truth"), [
    (sin(1) ** 2 + cos(1) ** 2 - 1, True), (sin(1) ** 2 + cos(1) ** 2 - 2, False),
    (sin(1) ** 2 + cos(1) ** 2 - 1 + Rational(1, 10**40), False), (cosh(1) - exp(1) / 2 - exp(-1) / 2, True),
    (tan(1) * cos(1) - sin(1), True), (sech(1) * cosh(1) - 1, True), (sqrt(1 + pi) ** 4 - expand((1 + pi) ** 2), True),
    (log(6) - log(2) - log(3), True), (log(2 - sqrt(3)) + log(2 + sqrt(3)), True),
    (sin(2) - 2 * sin(1) * cos(1), True), (cos(3) - 4 * cos(1) ** 3 + 3 * cos(1), True),
    (tanh(2) - 2 * tanh(1) / (1 + tanh(1) ** 2), True), (A * sin(A) ** 2 + A * cos(A) ** 2 - A, True),
    (A * sin(A) - A, False), (sqrt(A**2 + 1) ** 2 - A**2 - 1, True),
    ((sin(3) ** 2 + cos(3) ** 2 - 1) * (cos(3) + pi) ** 9 * (sin(3) - 2) ** 7, True),
    ((cosh(3) ** 2 - sinh(3) ** 2 - 1) * (cosh(3) + 1) ** 5, True),
])  # fmt: skip
def test_zero_is_proved_or_seen_not_to_be(constant, truth):
    field = Field.of([constant])
    assert is_zero(field, field.enter([constant])[0]) is truth


def test_algebraic_numbers_are_compared_exactly_also_among_generators():
    field = Field.of([sqrt(2), sqrt(3), sqrt(6), 1 / (1 + pi)], quick=True)
    [r2, r3, r6] = field.enter([sqrt(2), sqrt(3), sqrt(6)])
    assert is_zero(field, r2 * r3 - r6)
    assert not is_zero(field, r2 * r3 + r6)


def test_a_relation_that_nobody_can_prove_is_not_guessed():
    field = Field.of([cos(DOTTIE), DOTTIE])
    [zero] = field.enter([cos(DOTTIE) - DOTTIE])
    with pytest.raises(UnsupportedError, match="cannot be decided"):
        is_zero(field, zero)
    assert is_zero(field, zero, vanishing=[cos(DOTTIE) - DOTTIE])
    assert is_zero(field, zero * field.enter([cos(DOTTIE) + 2])[0], vanishing=[cos(DOTTIE) - DOTTIE])
    assert not is_zero(field, zero + 1, vanishing=[cos(DOTTIE) - DOTTIE])


@pytest.mark.parametrize(
    ("constant", "truth"),
    [(sqrt(2) - Rational(3, 2), -1), (pi - 3, 1), (A, None), (P + 1, 1), (-P * pi, -1), (DOTTIE - 1, -1), (HALF, 1)],
)
def test_signs(constant, truth):
    field = Field.of([constant])
    assert sign(field, field.enter([constant])[0]) == truth


def test_numbers_follow_the_precision():
    with mp.workdps(50):
        assert abs(number(DOTTIE - X, {X: 0}) - mpmath.findroot(lambda t: mp.cos(t) - t, 0.7)) < mpmath.mpf(10) ** -48

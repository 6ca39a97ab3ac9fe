"""What the checks are made of: the ring, zero tests, SymPy's series under guard, the measured order, the starts."""

import pytest
from mpmath import mpf
from sympy import Rational, Symbol, cos, sqrt

import asympt as asy
from asympt.errors import UnsupportedError
from asympt.evidence.symbolic.zero import Contradiction, DepthRing, Left, U, is_zero, left_check, zero_by

x = Symbol("x", positive=True)


def test_constants_known_by_digits_are_taken_to_digits():
    """xi = cos(xi): the ring over floating-point numbers sees the relation, and says that it did so in digits."""
    xi = asy.Recursion(cos(x), x).fixed_point
    ring = DepthRing([xi * U, cos(xi) * U], 3)
    left = ring.left(ring.elements[0] - ring.elements[1], 3, 0)
    assert left == Left((), exact=False)
    wrong = ring.left(ring.elements[0] - ring.elements[1] + ring.u * mpf(10) ** -20, 3, 0)
    assert len(wrong.survivors) == 1


def test_zero_by_digits_is_not_a_proof():
    xi = asy.Recursion(cos(x), x).fixed_point
    assert zero_by(xi - cos(xi)) == "checked"
    assert zero_by(xi - cos(xi) + Rational(1, 10**60)) is None


def test_a_polynomial_that_vanishes_where_it_is_looked_at_first_is_not_zero():
    c = Symbol("C")
    assert zero_by((17 * c - 31) * sqrt(2)) is None
    assert zero_by(((17 * c - 31) * sqrt(2)).evalf(100)) is None


@pytest.mark.parametrize("expression", [Symbol("C") / 10**9, sqrt(2) - Rational(14142135623730951, 10**16)])
def test_small_is_not_zero(expression):
    assert not is_zero(expression)


def test_what_is_left_decides_the_check():
    assert left_check("a", "", lambda: Left(())).verdict == "proved"
    assert left_check("a", "", lambda: Left((), exact=False)).verdict == "checked"
    assert left_check("a", "", lambda: Left((U,))).verdict == "refuted"
    assert left_check("a", "", lambda: Left((U,), exact=False)).verdict == "refuted"


def test_a_contradiction_refutes_and_a_failure_is_undone():
    def contradict():
        raise Contradiction(U, "reason")

    def fail():
        raise UnsupportedError("no series")

    def err():
        raise TypeError("a fault of the package")

    assert left_check("a", "", contradict).verdict == "refuted"
    assert left_check("a", "", fail).verdict == "unknown"
    with pytest.raises(TypeError):
        left_check("a", "", err)

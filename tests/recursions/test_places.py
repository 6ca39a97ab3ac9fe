"""Sides, infinity, fractional powers, fixed points that are found, observables, and the flip."""

import pytest
from sympy import Rational, Symbol, acos, cos, oo, simplify, sin, sqrt

from asympt import Recursion
from asympt.errors import UnsupportedError

X = Symbol("x")
HALF = Rational(1, 2)


@pytest.mark.parametrize(
    ("expression", "point", "kind"),
    [
        (X / 2 + 1, 2, "hyperbolic"),
        (1 + 1 / X, (1 + sqrt(5)) / 2, "hyperbolic"),
        (sqrt(X + 1), (1 + sqrt(5)) / 2, "hyperbolic"),
        (X / 2 + 1 / X, None, None),  # Newton's iteration for sqrt(2): two of them
        (X + 1 / X, oo, "parabolic"),
        (3 * sin(X), 0, "repelling"),
        (X**2 - Rational(3, 4), -HALF, "flip"),
        (X + sqrt(X), oo, "parabolic"),
    ],
)
def test_fixed_points_are_found(expression, point, kind):
    if point is None:
        with pytest.raises(ValueError, match=r"fixed points: x = -sqrt\(2\), x = sqrt\(2\)"):
            Recursion(expression, X)
        return
    found = Recursion(expression, X)
    assert simplify(found.fixed_point - point) == 0 if point != oo else found.fixed_point == oo
    assert found.kind == kind


def test_a_fixed_point_known_by_its_digits():
    # the Dottie number, OEIS A003957: 0.739085133215160641655312087673873404013411758900757464965680...
    found = Recursion(cos(X), X)
    assert str(found.fixed_point.evalf(50)).startswith("0.7390851332151606416553120876738734040134117589007"[:48])
    assert found.kind == "hyperbolic" and abs(found.multiplier.evalf(20) + sin(found.fixed_point).evalf(20)) < 1e-19


def test_a_repelling_point_names_the_attracting_ones():
    with pytest.raises(UnsupportedError, match="attracting: fixed_point=2/3"):
        Recursion(3 * X * (1 - X), X).law()


def test_how_a_law_at_infinity_reads():
    law = Recursion(X + 1 / X, X).law(terms=3, observable=X**2)
    assert law.limit == oo and str(law.rate) == "n" and law.plain == "x_n^2"


def test_the_flip_of_the_sine_is_the_sine_with_alternating_sign():
    flip, plain = Recursion(-sin(X), X).law(terms=4), Recursion(sin(X), X).law(terms=4)
    assert (flip.branches[0].to_sympy() - plain.to_sympy()).expand() == 0
    assert (flip.branches[1].to_sympy() + plain.to_sympy()).expand() == 0


def test_a_flip_with_fractional_powers_is_refused():
    with pytest.raises(UnsupportedError, match="not real on the other side"):
        Recursion(-X + X ** Rational(3, 2), X).law()


def test_inverse_cosine_is_repelled():
    assert Recursion(acos(X), X, Recursion(cos(X), X).fixed_point).kind == "repelling"

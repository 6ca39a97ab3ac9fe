"""Linear recursions along a hyperbolic flow: closed forms, resonances and refusals; numbers are in `test_contract`."""

from dataclasses import replace

import mpmath
import pytest
from mpmath import mp
from sympy import Rational, Symbol, oo, pi, simplify, sqrt, sympify

from asympt import Recursion
from asympt.errors import UnsupportedError
from asympt.expansions.opaque import RealConstant
from asympt.recursions.autonomous import hyperbolic_linear_law
from asympt.recursions.coordinates.abel_inversion import C
from asympt.recursions.coordinates.koenigs_linear import resonance

HALF, A, X = Rational(1, 2), Symbol("a", positive=True), Symbol("x")
START = Rational(1, 5)


def law_of(multiplier, forcing, start=3, chi=HALF, terms=4):
    """a' = lambda(x) a + b(x) along x' = chi x (1 - x)."""
    return Recursion(chi * X * (1 - X), X, 0).linear_law(multiplier, forcing, start, terms=terms)


def test_the_ntk_in_the_ordered_phase_with_a_symbol():
    """a' = G'(y) a + b_0 for the logistic map: a_n -> b_0/(1 - chi), and a term n chi^n."""
    law = law_of(A - 2 * A * X, 1, chi=A, terms=2)
    n = law.depth_variable
    # p_0 = 1/(1 - a); then -2a p_0 = r a at t^1 with lambda_0 = a gives r = -2/(1 - a)
    expected = 1 / (1 - A) - 2 / (1 - A) * C * n * A**n
    assert simplify(law.to_sympy() - expected) == 0 and law.limit.equals(1 / (1 - A))
    assert law.parameters == {A} and str(law.coordinate.condition) == "a < 1"
    assert str(law.flow.truncate(1)) == "C*a^n + O(a^(2*n))"


def test_alternating_and_growing_laws():
    alternating = law_of(-1 - X, 1 + X)
    assert "(-1)^n*D" in str(alternating)
    for law in (alternating, law_of(-3, 1)):
        with pytest.raises(UnsupportedError, match="changes sign for ever"):
            _ = law.limit
    assert law_of(1 - X, 1 + X).limit == oo and law_of(Rational(1, 100) - X, 1 + X).limit == Rational(100, 99)
    assert law_of(HALF, X).limit == 0


def resting(move):
    """The law with a_0 = 3, also from the fixed point itself."""
    moved = replace(move, linear=replace(move.linear, start=lambda y: mpmath.mpf(3)))
    return hyperbolic_linear_law(moved, 1, lambda start: sympify(start))


def test_a_start_at_the_fixed_point(agrees):
    """On the diagonal y = 0: lambda and b are constant."""
    with mp.workdps(150):
        reference = mpmath.mpf(7) / 2 * mpmath.mpf(3) ** (10**80) - HALF
    tripled, summed = (resting(law_of(slope - X, 1 + X).dynamics) for slope in (3, 1))
    assert agrees(tripled.evaluate(depth=10**80, start=0, digits=50), reference, 50)
    assert summed.evaluate(depth=10**6, start=0) == 10**6 + 3
    assert law_of(1 - X, 1 + X).evaluate(depth=100, start=1) == 101  # it lands there in one step, with a_1 = 2


def test_a_solution_without_memory(agrees):
    """a_0 on P itself, so D = 0: a_n is known all the same."""
    law = law_of(Rational(1, 3), Rational(2, 3), 1)
    assert agrees(law.evaluate(depth=1000, start=START, digits=30), mpmath.mpf(1), 30)


@pytest.mark.parametrize(("slope", "chi", "root", "expected"), [
    (HALF, HALF, 1, (1, 1)), (1, HALF, 1, (0, 1)), (-1, HALF, 1, (0, -1)), (4, HALF, 1, (-2, 1)),
    (Rational(-1, 8), -HALF, 1, (3, 1)), (Rational(1, 8), -HALF, 1, (3, -1)), (sqrt(2) / 4, HALF, 2, (3, 1)),
    (A**3, A, 1, (3, 1)), (A * sqrt(A), A, 2, (3, 1)), ((pi / 4) ** 2, pi / 4, 1, (2, 1)),
    (Rational(1, 3), HALF, 1, None), (A, HALF, 1, None), (sqrt(2) / 2, HALF, 1, None),
    (HALF + Rational(1, 10**30), HALF, 1, None), (HALF + Rational(1, 10**50), HALF, 1, None),
])  # fmt: skip
def test_resonances_are_found_exactly(slope, chi, root, expected):
    assert resonance(slope, chi, root) == expected


def test_what_is_refused():
    hidden = RealConstant("eta", lambda: mpmath.mpf(1) / 2, key="one half in disguise")
    for chi, multiplier, words in ((HALF, X, "lambda is 0 at the fixed point"), (HALF, hidden + X, "agrees with"),
                                   (A, HALF + X, "cannot be compared for symbols"),
                                   (HALF, HALF**1000 + X, "only powers up to 100 are solved")):  # fmt: skip
        with pytest.raises(UnsupportedError, match=words):
            law_of(multiplier, 1, chi=chi)

"""What algebra proves to be 0, and laws at a fixed point that is a root without a formula: checked like others."""

import mpmath
import pytest
from mpmath import mp
from sympy import CRootOf, Rational, Symbol, atan, cos, expand_func, gamma, log, nan, pi, sin, sqrt

from asympt import Recursion, verify
from asympt.errors import NoValueError
from asympt.evidence.law_terms import function_of
from asympt.evidence.symbolic.zero import zero_by
from asympt.recursions.local import numeric

X = Symbol("x")
QUINTIC = X**5 - X - 1  # its Galois group is S_5, so its real root 1.1673... is not an expression in radicals
LAWS = {
    "found by the map": lambda: Recursion(X**5 / 5 + X**2 / 20 - X / 2 + Rational(1, 2), X).law(terms=2),
    "a step towards the root": lambda: Recursion(X - QUINTIC / 100, X).law(terms=2),
    "an observable": lambda: Recursion(X - QUINTIC / 100, X).law(terms=2, observable=X**2),
}


@pytest.mark.parametrize("name", LAWS)
def test_a_law_at_such_a_point_is_checked(name):
    law = LAWS[name]()
    assert law.fixed.point.has(CRootOf) if law.observable is law.fixed else law.limit.has(CRootOf)
    verification = verify(law, theorem=False)
    assert verification.verdict == "checked"
    assert [check.passed for check in verification.checks] == [True] * len(verification.checks)


@pytest.mark.parametrize("function", [function_of, numeric])
@pytest.mark.parametrize("digits", [20, 200])
def test_such_a_root_is_a_number_to_the_precision_of_the_moment(function, digits):
    # 1.16730397826141868425604589985484218072056037152548903914008... OEIS A160155, the root of x^5 - x - 1
    with mp.workdps(digits):
        known = mpmath.mpf("1.16730397826141868425604589985")
        root = function(X * CRootOf(QUINTIC, 0), X)(mpmath.mpf(1))
        assert abs(root - known) < mpmath.mpf(10) ** -19
        assert abs(root**5 - root - 1) < mpmath.mpf(10) ** (2 - digits)


def test_what_is_no_number_is_not_compared_with_one():
    with pytest.raises(NoValueError, match="is not a number"):
        function_of(nan, X)


KNOWN, DEPTH = Symbol("a", positive=True), Symbol("l", positive=True)


@pytest.mark.parametrize("constant", [
    sin(1) ** 2 + cos(1) ** 2 - 1,
    log(12) - log(3) - 2 * log(2),
    1 / (sqrt(2) - 1) - sqrt(2) - 1,
    (sqrt(2 + sqrt(2)) + 1) ** 2 - 3 - sqrt(2) - 2 * sqrt(2 + sqrt(2)),
    sqrt(1 + pi) ** 3 - (1 + pi) * sqrt(1 + pi),
    (KNOWN + 1) / (KNOWN**2 - 1) - 1 / (KNOWN - 1),
    expand_func(gamma(DEPTH + KNOWN + 1)) / gamma(DEPTH + KNOWN) - DEPTH - KNOWN,
    (1 + KNOWN) ** (DEPTH + 1) - (1 + KNOWN) * (1 + KNOWN) ** DEPTH,
    log(KNOWN) * CRootOf(QUINTIC, 0) ** 5 - log(KNOWN) * (CRootOf(QUINTIC, 0) + 1),
])  # fmt: skip
def test_algebra_proves_what_vanishes(constant):
    assert zero_by(constant) == "proved"
    assert zero_by(constant + Rational(1, 10**30)) != "proved"


def test_what_this_algebra_does_not_know_is_checked_in_digits():
    """Machin's formula."""
    assert zero_by(16 * atan(Rational(1, 5)) - 4 * atan(Rational(1, 239)) - pi) == "checked"

"""Si, Ci, zeta, polygamma, Bessel, hypergeometric functions, ...: their series at a regular point, and laws with them.

The independent side is mpmath.taylor, which differentiates numerically.
"""

import mpmath
import pytest
import sympy
from mpmath import mp
from sympy import Rational, Symbol, lambdify, sqrt

from asympt import Recursion
from asympt.errors import UnsupportedError
from asympt.expansions.fields.decisions import taylor_coefficient, zeta
from asympt.expansions.formulas.puiseux import Y, puiseux

X, Z = Symbol("x", positive=True), Symbol("x")
HALF = Rational(1, 2)
REGULAR = {
    "Si": sympy.Si(X), "Ci": sympy.Ci(1 + X), "Shi": sympy.Shi(X), "Chi": sympy.Chi(2 + X), "Ei": sympy.Ei(1 + X),
    "li": sympy.li(2 + X), "fresnels": sympy.fresnels(HALF + X), "fresnelc": sympy.fresnelc(X),
    "zeta": sympy.zeta(2 + X), "polygamma": sympy.polygamma(1, 1 + X), "besselj": sympy.besselj(1, X),
    "besseli": sympy.besseli(0, X), "LambertW": sympy.LambertW(X), "erfi": sympy.erfi(HALF + X),
    "expint": sympy.expint(1, 1 + X), "uppergamma": sympy.uppergamma(2, 1 + X), "hyper": sympy.hyper([1], [2], -X),
    "elliptic": sympy.elliptic_k(X / 4), "airy": sympy.airyai(X), "harmonic": sympy.harmonic(1 + X),
}  # fmt: skip


@pytest.mark.parametrize("name", REGULAR)
def test_series_at_a_regular_point(name):
    found = puiseux(REGULAR[name], X, 4)
    known = [0] * int(found.exponent) + [mpmath.mpf(str(c.evalf(20))) for c in found.coefficients]
    with mp.workdps(40):
        expected = mpmath.taylor(lambdify(X, REGULAR[name], ["mpmath", "sympy"]), 0, 3)
        if name == "hyper":  # (1 - e^(-x))/x
            expected = [mpmath.mpf((-1) ** k) / mpmath.factorial(k + 1) for k in range(4)]
    assert found.root == 1
    assert all(abs(a - b) <= mpmath.mpf(10) ** -15 * (1 + abs(b)) for a, b in zip(known, expected, strict=False))


@pytest.mark.parametrize("formula", [
    sympy.Ci(X), sympy.li(1 + X), sympy.zeta(1 + X), sympy.Ei(X), sympy.Ci(X - 1), sympy.Si(1 / X),
])  # fmt: skip
def test_what_has_no_series_is_refused_with_a_reason(formula):
    with pytest.raises(UnsupportedError, match="has no power series"):
        puiseux(formula, X, 3)


def test_the_law_of_si():
    # Si(x) = x - x^3/18 + ..., so x_n ~ 1/sqrt(2 n/18); the value by plain iteration in mpmath
    law = Recursion(sympy.Si(X), X).law(1)
    assert law.to_sympy() == 3 / sqrt(law.depth_variable)
    with mp.workdps(30):
        value = mpmath.mpf(1) / 2
        for _ in range(200):
            value = mpmath.si(value)
    assert abs(law.evaluate(200, start=HALF, digits=20) - value) < 1e-20


def test_the_sign_of_a_constant_without_assumptions():
    # x - x^2 Ei(1 + x): Ei(1) = 1.895..., so x_n ~ 1/(Ei(1) n)
    law = Recursion(X - X**2 * sympy.Ei(1 + X), X).law(1)
    assert law.to_sympy() == 1 / (sympy.Ei(1) * law.depth_variable)


def test_derivatives_of_zeta_are_constants_of_their_own():
    value = next(c for c in puiseux(sympy.zeta(2 + Y), Y, 3).coefficients if "zeta''" in str(c))
    with mp.workdps(30):
        assert abs(mpmath.mpf(str(value.evalf(25))) - mpmath.diff(mpmath.zeta, 2, 2) / 2) < mpmath.mpf(10) ** -20


@pytest.mark.parametrize("function", [sympy.airyai, sympy.airybi])
def test_airy_functions_at_a_point_without_closed_form(function):
    """A law at x* = G(x*) has Ai(x*), of which SymPy's expansion is None; x_10 by iteration in mpmath."""
    move = lambdify(X, function(X) / 2, "mpmath")
    law = Recursion(function(X) / 2, X).law(1)
    with mp.workdps(30):
        x = mpmath.mpf(1) / 2
        for _ in range(10):
            x = move(x)
        assert abs(law.evaluate(depth=10, start=HALF, digits=20) - x) < mpmath.mpf(10) ** -19


def test_the_law_of_zeta():
    """x_10 by iteration with mpmath's zeta, and zeta'(x*), the multiplier, by its derivative."""
    law = Recursion(sympy.zeta(Z), Z).law()
    with mp.workdps(25):
        x = -mpmath.mpf(1) / 2
        for _ in range(10):
            x = mpmath.zeta(x)
        assert abs(law.evaluate(depth=10, start=-HALF) - x) < mpmath.mpf(10) ** -14


@pytest.mark.parametrize("place", ["-7/3", "1/2", "5", "-2"])
def test_derivatives_of_zeta(place):
    """mpmath has them by other means."""
    with mp.workdps(40):
        s = mpmath.mpf(sympy.Rational(place).p) / sympy.Rational(place).q
        for k in range(4):
            known = mpmath.zeta(s, derivative=k) / mpmath.factorial(k)
            assert abs(taylor_coefficient(s, k) - known) <= mpmath.mpf(10) ** -38 * (1 + abs(known))
        assert abs(zeta(s) - mpmath.zeta(s)) <= mpmath.mpf(10) ** -38

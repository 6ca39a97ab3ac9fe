"""Puiseux series against SymPy's, against textbook numbers, against mpmath for random formulas, and refusals."""

from dataclasses import replace
from math import factorial

import mpmath
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sympy import (
    Abs,
    Function,
    GoldenRatio,
    Heaviside,
    I,
    Integer,
    LambertW,
    Max,
    Min,
    Piecewise,
    Rational,
    Symbol,
    acos,
    acosh,
    acot,
    asin,
    asinh,
    atan,
    atanh,
    besselj,
    cos,
    cosh,
    cot,
    coth,
    csc,
    erf,
    erfc,
    exp,
    gamma,
    log,
    loggamma,
    nan,
    oo,
    pi,
    sec,
    series,
    sign,
    simplify,
    sin,
    sinc,
    sinh,
    sqrt,
    symbols,
    tan,
    tanh,
    zoo,
)

from asympt.errors import AsymptError, InputError, UnsupportedError
from asympt.expansions.formulas.puiseux import Y, check_against, puiseux
from asympt.expansions.opaque import RealConstant

X = Symbol("x")
A, B = symbols("a b")
P = Symbol("p", positive=True)
HALF, THIRD = Rational(1, 2), Rational(1, 3)
DOTTIE = RealConstant("d", lambda: mpmath.findroot(lambda t: mpmath.cos(t) - t, 0.7), key="test: fixed point of cos")


def checked(expression, count, inner=Y, **known):
    """The series, compared with the expression in numbers."""
    found = puiseux(expression, X, count, inner, **known)
    check_against(expression, X, found, inner)
    return found


AT_ZERO = [
    sin(X), X * exp(-X), tanh(X), log(1 + X), X / sqrt(1 + X), sin(X) * exp(-(X**2)) + log(1 + X) - X, tan(X), sec(X),
    asin(X), acos(X), atan(X), asinh(X), atanh(X), erf(X), erfc(X), cosh(X) - 1, sinh(X) / X, coth(X), cot(X), csc(X),
    exp(sin(X)), log(cos(X)), 1 / (1 + exp(-X)), (1 + X) ** (1 / X), 2**X, LambertW(X), sqrt(cos(X)), 1 / (exp(X) - 1),
    exp(X) * sin(X), X / (1 + X + X**2), (1 - cos(X)) / X**3, sin(tan(X)) - tan(sin(X)), gamma(1 + X),
]  # fmt: skip


@pytest.mark.parametrize("expression", AT_ZERO, ids=str)
def test_series_at_zero_is_sympys(expression):
    found = checked(expression, 4)
    assert found.root == 1
    last = found.valuation + 4
    truth = series(expression, X, 0, max(last, 1)).removeO()
    for k, coefficient in enumerate(found.coefficients):
        assert simplify(coefficient - truth.coeff(X, found.valuation + k)) == 0


def test_factorials_and_alternating_signs_to_high_order():
    assert puiseux(exp(X), X, 60).coefficients == tuple(Rational(1, factorial(k)) for k in range(60))
    assert puiseux(log(1 + X), X, 60).coefficients == tuple(Rational((-1) ** k, k + 1) for k in range(60))


@pytest.mark.parametrize(
    ("expression", "inner", "root", "exponent", "coefficients"),
    [
        (X + 1 / X, 1 / Y, 1, -1, (1, 0, 1)),
        (X / sqrt(1 + X), 1 / Y, 2, -HALF, (1, 0, -HALF)),
        (X + sqrt(X), 1 / Y, 2, -1, (1, 1, 0)),
        (sqrt(X**2 + X) - X, 1 / Y, 1, 0, (HALF, Rational(-1, 8), Rational(1, 16))),
        (sqrt(X**2 + X) + X, -1 / Y, 1, 0, (-HALF, Rational(-1, 8), Rational(-1, 16))),
        (atan(X), -1 / Y, 1, 0, (-pi / 2, 1, 0)),
        (X * (log(1 + X) - log(X)), 1 / Y, 1, 0, (1, -HALF, THIRD)),
        (asinh(X) - log(X), 1 / Y, 1, 0, (log(2), 0, Rational(1, 4))),
        (acosh(X) - log(2 * X), 1 / Y, 1, 2, (-Rational(1, 4), 0, Rational(-3, 32))),
        (exp(log(X) / 2 + 1 / X), 1 / Y, 2, -HALF, (1, 0, 1)),
        (1 / (1 / X + sqrt(1 / X)), Y, 2, 1, (1, -1, 1)),
        (cos(sqrt(X)), Y, 1, 0, (1, -HALF, Rational(1, 24))),
        (sqrt(X) * sin(sqrt(X)), Y, 1, 1, (1, Rational(-1, 6), Rational(1, 120))),
        (X**HALF + X**THIRD, Y, 6, THIRD, (1, 1, 0)),
        (acos(X), 1 - Y, 2, HALF, (sqrt(2), 0, sqrt(2) / 12)),
        (acosh(X), 1 + Y, 2, HALF, (sqrt(2), 0, -sqrt(2) / 12)),
        (asin(X), 1 - Y, 2, 0, (pi / 2, -sqrt(2), 0)),
        (tan(X), pi / 2 - Y, 1, -1, (1, 0, -THIRD)),
        (Abs(X), -Y, 1, 1, (1, 0, 0)),
        (sqrt(-X), -Y, 2, HALF, (1, 0, 0)),
        (X**3, 2 - Y, 1, 0, (8, -12, 6)),
        (2 * X * (1 - X), HALF + Y, 1, 0, (HALF, 0, -2)),
        (X**2 - 1, GoldenRatio + Y, 1, 0, (GoldenRatio, 2 * GoldenRatio, 1)),
        (1 + 1 / X - (1 + sqrt(5)) / 2, (1 + sqrt(5)) / 2 - Y, 1, 1, ((3 - sqrt(5)) / 2, sqrt(5) - 2, None)),
        (cos(X), DOTTIE + Y, 1, 0, (cos(DOTTIE), -sin(DOTTIE), -cos(DOTTIE) / 2)),
        (log(X), 6 + Y, 1, 0, (log(2) + log(3), Rational(1, 6), Rational(-1, 72))),
        (X**X, 1 + Y, 1, 0, (1, 1, 1)),
        (acos(sin(X)), 1 + Y, 1, 0, (pi / 2 - 1, -1, 0)),
        (exp(X) - exp(1), 1 + Y, 1, 1, (exp(1), exp(1) / 2, exp(1) / 6)),
        (gamma(X), Y, 1, -1, (1, None, None)),
        (gamma(X), Y - 1, 1, -1, (-1, None, None)),
        (loggamma(X), 1 + Y, 1, 1, (None, pi**2 / 12, None)),
        (besselj(0, X), Y, 1, 0, (1, 0, -Rational(1, 4))),
    ],
)  # fmt: skip
def test_places(expression, inner, root, exponent, coefficients):
    found = checked(expression, 8, inner)
    assert (found.root, found.exponent) == (root, exponent)
    for got, truth in zip(found.coefficients, coefficients, strict=False):
        assert truth is None or simplify(got - truth) == 0


def test_a_fixed_point_known_by_its_digits_needs_to_be_told_its_equation():
    with pytest.raises(UnsupportedError, match="cannot be decided"):
        puiseux(cos(X) - DOTTIE, X, 3, DOTTIE + Y)
    found = checked((DOTTIE - cos(X)) / (1 + X), 6, DOTTIE - Y, vanishing=[cos(DOTTIE) - DOTTIE])
    assert found.exponent == 1
    assert simplify(found.coefficients[0] + sin(DOTTIE) / (1 + DOTTIE)) == 0


def test_polynomials_in_parameters_need_no_fractions():
    found = checked(X - A * X**2 + B * X**3, 4)
    assert found.coefficients == (1, -A, B, 0)
    assert str(found.field.domain) == "QQ[a,b]"


@pytest.mark.parametrize(("expression", "leading"), [
    (X / (A + X), 1 / A), (sqrt(A + X), sqrt(A)), (sqrt(A * X) * exp(A * X), sqrt(A)), ((1 + X) ** A - 1, A),
    ((2 + X) ** P, 2**P), (Abs(P * X), P), (sin(A + X) - sin(A), cos(A)), (A**X, 1),
    (log(A + X) - log(A), 1 / A), (Max(-P * X, X**2), 1), (X / (A + sqrt(2 * pi + X)), 1 / (A + sqrt(2 * pi))),
])  # fmt: skip
def test_parameters(expression, leading):
    assert simplify(checked(expression, 12).coefficients[0] - leading) == 0


def test_a_series_in_parameters_specialises_to_that_of_numbers():
    expression = X * exp(A * X) / sqrt(1 + B * X)
    values = {A: Rational(-2, 3), B: Rational(5, 2)}
    general = puiseux(expression, X, 10).coefficients
    assert [c.subs(values) for c in general] == list(puiseux(expression.subs(values), X, 10).coefficients)


@pytest.mark.parametrize("lost", range(1, 30, 4))
def test_any_number_of_leading_terms_may_cancel(lost):
    head = sum(X**k / Integer(factorial(k)) for k in range(lost))
    found = checked((exp(X) - head) / X**lost, 5)
    assert found.coefficients == tuple(Rational(1, factorial(lost + k)) for k in range(5))


@pytest.mark.parametrize(("expression", "inner", "same"), [
    (Max(X, X**2), Y, X), (Min(X, X**2), Y, X**2), (Max(X, X**2), 1 / Y, X**2), (Abs(sin(X) - X), Y, X - sin(X)),
    (sign(X) * X, -Y, -X), (Heaviside(X) + X, -Y, X), (Piecewise((X**2, X < 0), (sin(X), True)), Y, sin(X)),
    (Piecewise((X**2, (X < 0) & (X > -1)), (sin(X), True)), -Y, X**2), (acot(X), -Y, atan(1 / X)),
    (sinc(X), Y, sin(X) / X), (sin(X) ** 2 + cos(X) ** 2 + X, 1 + Y, 1 + X),
    (1 / (1 + X) + (sin(1) ** 2 + cos(1) ** 2 - 1) / X, Y, 1 / (1 + X)), (0.5 * X, Y, X / 2),
])  # fmt: skip
def test_the_side_decides(expression, inner, same):
    one, two = checked(expression, 5, inner), puiseux(same, X, 5, inner)
    assert one.exponent == two.exponent
    assert all(simplify(c - d) == 0 for c, d in zip(one.coefficients, two.coefficients, strict=True))


@pytest.mark.parametrize(
    ("expression", "inner", "why"),
    [
        (log(X), Y, r"log\(x\) has no power series as x -> 0\+: its expansion contains log\(x\)"),
        (X * log(X), Y, "contains log"),
        (X**X, Y, "contains log"),
        (X + log(X), 1 / Y, r"at x = 1/y as y -> 0\+: its expansion contains log\(y\)"),
        (asinh(X), 1 / Y, "contains log"),
        (atanh(X), 1 - Y, "contains log"),
        (sin(log(X)), Y, "contains log"),
        (1 / log(X), Y, "grows like a logarithm"),
        (exp(log(X) ** 2), Y, "grows like a logarithm"),
        (exp(-1 / X), Y, r"exp\(-1/x\) has no power series as x -> 0\+: its argument is unbounded"),
        (exp(X), 1 / Y, "unbounded"),
        (X + exp(-X), 1 / Y, "unbounded"),
        (tanh(X), 1 / Y, "unbounded"),
        (erf(X), 1 / Y, "unbounded"),
        (sin(1 / X), Y, "unbounded"),
        (X ** sqrt(2), Y, "not a rational number"),
        (X**A, Y, "not a rational number"),
        (sqrt(-X), Y, "negative, which is not real"),
        (log(X), -Y, "negative, which is not real"),
        (asin(X), 2 + Y, "not a finite real number"),
        (X + I, Y, "not a finite real number"),
        (acosh(X), 1 - Y, "not real"),
        (Abs(A * X), Y, "sign of a is not known"),
        (Function("f")(X), Y, "nothing is known"),
        (LambertW(X, -1), Y, "main branch"),
        (besselj(X, X), Y, "two arguments"),
        (sin(X) ** 2 + cos(X) ** 2 - 1, Y, "vanishes to every order"),
        (1 / (exp(X) * exp(-X) - cos(2 * X) - 2 * sin(X) ** 2), Y, "vanishes to every order"),
        (Integer(0), Y, "is zero"),
        (X / (sin(1) ** 2 + cos(1) ** 2 - 1), Y, "divides by zero"),
    ],
)  # fmt: skip
def test_what_has_no_power_series_is_refused_with_the_reason(expression, inner, why):
    with pytest.raises(UnsupportedError, match=why) as caught:
        puiseux(expression, X, 5, inner)
    assert "\n" not in str(caught.value)
    assert "_log" not in str(caught.value)


def test_no_coefficients_at_all_is_refused():
    with pytest.raises(InputError, match="count = 0"):
        puiseux(X, X, 0)


@pytest.mark.parametrize("wrong", range(8))
@pytest.mark.parametrize("expression", [exp(X), X / sqrt(1 + X), 1 / (X + sqrt(X)), P * X / (A + X)], ids=str)
def test_one_wrong_coefficient_is_noticed(expression, wrong):
    found = puiseux(expression, X, 8)
    elements = list(found.elements)
    elements[wrong] = elements[wrong] + found.field.domain.one / 10**6
    with pytest.raises(UnsupportedError, match="does not agree"):
        check_against(expression, X, replace(found, elements=tuple(elements)))


UNARY = [
    sin, cos, tan, exp, log, sqrt, sinh, cosh, tanh, asin, acos, atan, asinh, acosh, atanh, erf, Abs, LambertW, cot,
    sec, lambda e: 1 / e, lambda e: e**2, lambda e: e ** Rational(-1, 3), lambda e: -e,
]  # fmt: skip
leaves = st.sampled_from([X, X, X, 1 + X, X**2, Integer(2), HALF, Rational(-1, 3), A])
formulas = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(UNARY), inner).map(lambda t: t[0](t[1])),
        st.tuples(inner, inner).map(lambda t: t[0] + t[1]),
        st.tuples(inner, inner).map(lambda t: t[0] * t[1]),
    ),
    max_leaves=5,
)


@settings(max_examples=250, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(formulas, st.sampled_from([Y, -Y, 1 + Y, HALF - Y, 1 / Y, -1 / Y]))
def test_random_formulas_agree_with_numbers_or_are_refused(expression, inner):
    if expression.has(zoo, nan, oo, I):
        return
    try:
        found = puiseux(expression, X, 5, inner)
    except AsymptError as refusal:
        assert "\n" not in str(refusal)
        return
    check_against(expression, X, found, inner)
    assert found.coefficients[0] != 0


@settings(max_examples=60)
@given(st.lists(st.sampled_from(UNARY[:12]), min_size=1, max_size=3), st.sampled_from([1, 2, 3]))
def test_the_value_of_the_series_is_that_of_the_formula(functions, root):
    # independent of `check_against`: one number next to the place
    expression = X ** Rational(1, root) / 2
    for function in functions:
        expression = function(expression)
    try:
        found = puiseux(expression, X, 8)
    except UnsupportedError:
        return
    y = Rational(1, 10**12)
    t = y ** Rational(1, found.root)
    value = sum(c * t ** (found.valuation + k) for k, c in enumerate(found.coefficients))
    error = (value - expression.subs(X, y)).evalf(30, maxn=300)
    assert abs(error) < abs(value.evalf(30)) * (10 * t) ** 7

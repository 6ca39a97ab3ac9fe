"""Expansion: arithmetic, powers, logarithms, composition and reversion against SymPy's Taylor series and mpmath."""

from dataclasses import FrozenInstanceError
from itertools import pairwise

import mpmath
import pytest
from mpmath import mp
from sympy import Rational, Symbol, binomial, exp, expand, log, series, sin, sqrt, symbols

from asympt.errors import InputError, UnsupportedError
from asympt.expansions import Expansion, Formal, Monomial, Scale

T, Y, L = symbols("t y l", positive=True)
ZERO, INFINITY = Scale.at_zero(T), Scale.at_infinity(L)


def taylor(expression, count: int) -> Expansion:
    """A function as an expansion in t, its coefficients from SymPy's series."""
    truncated = series(expression, T, 0, count).removeO()
    return Expansion.build(ZERO, {(k, 0): truncated.coeff(T, k) for k in range(count)}, Formal(Monomial(count)))


def same_series(result: Expansion, expression, count: int) -> bool:
    truth = series(expression, T, 0, count).removeO()
    return result.remainder.monomial == Monomial(count) and expand(result.to_sympy() - truth) == 0


SMOOTH = {"exp": exp(T), "rational": (2 + T) / (1 - 3 * T), "root": sqrt(4 + T + T**2), "odd": sin(T) / T - 3 * T}


@pytest.mark.parametrize("one", SMOOTH)
@pytest.mark.parametrize("two", SMOOTH)
def test_sum_product_and_quotient(one, two):
    a, b = taylor(SMOOTH[one], 6), taylor(SMOOTH[two], 6)
    assert same_series(a + b, SMOOTH[one] + SMOOTH[two], 6)
    assert same_series(a - b, SMOOTH[one] - SMOOTH[two], 6) or one == two
    assert same_series(a * b, SMOOTH[one] * SMOOTH[two], 6)
    assert same_series(a / b, SMOOTH[one] / SMOOTH[two], 6)


@pytest.mark.parametrize("name", SMOOTH)
@pytest.mark.parametrize("exponent", [2, -1, Rational(1, 2), Rational(-5, 3), 0])
def test_powers(name, exponent):
    result = taylor(SMOOTH[name], 5) ** exponent
    if exponent == 0:
        assert result == Expansion.constant(ZERO, 1)
    else:
        assert same_series(result, SMOOTH[name] ** exponent, 5)


@pytest.mark.parametrize("name", SMOOTH)
def test_logarithm(name):
    assert same_series(taylor(SMOOTH[name], 5).log(), log(SMOOTH[name]), 5)


@pytest.mark.parametrize("name", SMOOTH)
def test_composition(name):
    inner = taylor(T * exp(T), 6)
    assert same_series(taylor(SMOOTH[name], 6).compose(inner), SMOOTH[name].subs(T, T * exp(T)), 6)


def test_reversion_gives_the_catalan_numbers():
    # OEIS A000108: t = y + y^2 + 2 y^3 + 5 y^4 + ... solves y = t - t^2
    reverted = taylor(T - T**2, 9).revert(Scale.at_zero(Y))
    catalan = {k: binomial(2 * k - 2, k - 1) / k for k in range(1, 9)}
    assert {int(m.order): c for m, c in reverted.terms} == catalan


def test_reversion_of_a_pole_with_puiseux_powers():
    # y = 1/t^2 + 1 exactly means t = (y - 1)^(-1/2) = y^(-1/2) (1 + 1/(2y) + 3/(8 y^2) + ...)
    reverted = Expansion.build(ZERO, {(-2, 0): 1, (0, 0): 1}, Formal(Monomial(4))).revert(Scale.at_infinity(Y))
    expected = {
        Monomial(Rational(1, 2)): 1,
        Monomial(Rational(3, 2)): Rational(1, 2),
        Monomial(Rational(5, 2)): Rational(3, 8),
    }
    assert reverted.coefficients == expected
    assert reverted.remainder == Formal(Monomial(Rational(7, 2)))


@pytest.mark.parametrize("coefficients", [{(1, 0): 2, (2, 0): -1, (3, 0): 5}, {(1, 0): 1, (2, 1): 3, (2, 0): 1}])
def test_reversion_composed_with_the_function_is_the_identity(coefficients):
    function = Expansion.build(ZERO, coefficients, Formal(Monomial(4)))
    back = function.compose(function.revert(Scale.at_zero(Y)))
    assert back.without_remainder() == Expansion.variable(Scale.at_zero(Y))
    assert back.remainder.monomial < Monomial(3)


def rescaled_errors(expansion: Expansion, truth, points) -> list:
    """|truth - expansion| / remainder at the points: must neither blow up nor be trivially zero."""
    variable = expansion.scale.variable
    with mp.workdps(120):
        errors = []
        for point in map(mpmath.mpf, points):
            value = mpmath.mpf(0)
            for monomial, coefficient in expansion.terms:
                term = (coefficient * expansion.scale.to_sympy(monomial)).subs(variable, Symbol("u"))
                value += mpmath.mpf(sum([term]).evalf(110, subs={Symbol("u"): point})._mpf_)
            rest = expansion.scale.to_sympy(expansion.remainder.monomial).evalf(30, subs={variable: point})
            errors.append(abs(truth(point) - value) / mpmath.mpf(rest._mpf_))
    return errors


DEPTHS = ["1e3", "1e6", "1e9", "1e12"]


def test_the_inverse_of_w_plus_log_w_is_lamberts_function():
    # w + log w = l is solved by w = W(e^l); for large l mpmath iterates w = l - log w to convergence
    growth = Expansion.build(ZERO, {(-1, 0): 1, (0, 1): -1}, Formal(Monomial(4)))  # t = 1/w: 1/t - log t
    law = growth.revert(INFINITY)

    def truth(x):
        w = x
        for _ in range(60):
            w = w - (w + mp.log(w) - x) / (1 + 1 / w)
        return 1 / w

    # the first term beyond the remainder O(1/l^6) is log(l)^6/l^7 (Corless et al. 1996, eq. 4.19: no pure power of l)
    assert law.remainder == Formal(Monomial(6))
    errors = rescaled_errors(law, truth, DEPTHS)
    assert errors[0] < 40 and all(later < earlier / 5 for earlier, later in pairwise(errors))
    assert errors[-1] < mp.log(10**12) ** 6 / 10**12
    assert abs(truth(mpmath.mpf(10)) - 1 / mp.lambertw(mp.exp(10)).real) < mpmath.mpf(10) ** -14


LOG_POWER = {(1, 0): 2, (2, 1): -3, (2, 0): 1}  # y = 2/l - 3 log(l)/l^2 + 1/l^2, exact


def test_truncate_keeps_the_first_terms_and_says_what_comes_next():
    full = Expansion.build(INFINITY, {**LOG_POWER, (3, 2): 5}, Formal(Monomial(3, 1)))
    assert [len(full.truncate(n).terms) for n in range(6)] == [0, 1, 2, 3, 4, 4]
    for n in range(4):
        assert full.truncate(n).terms == full.terms[:n]
        assert full.truncate(n).remainder == Formal(full.terms[n][0])
        assert full.truncate(n + 1).truncate(n) == full.truncate(n)
    assert full.truncate(9) is full


def test_terms_come_largest_first_and_zeros_vanish():
    mixed = Expansion.build(INFINITY, {(2, 0): 1, (1, 0): 2, (2, 1): 3, (3, 0): 0, (5, 0): 7}, Formal(Monomial(4)))
    assert [m for m, _ in mixed.terms] == [Monomial(1), Monomial(2, 1), Monomial(2)]
    assert (mixed - mixed).terms == ()
    assert mixed.leading == (Monomial(1), 2)
    assert mixed.coefficient(2, 1) == 3 and mixed.coefficient(3) == 0


def test_coefficients_that_cancel_only_after_expansion_are_zero():
    a = Symbol("a")
    assert Expansion.build(INFINITY, {(1, 0): (a + 1) ** 2 - a**2 - 2 * a - 1}).terms == ()


def test_expansions_are_immutable_values():
    one, two = (Expansion.build(INFINITY, LOG_POWER, Formal(Monomial(3))) for _ in range(2))
    assert one == two and hash(one) == hash(two) and one is not two
    before = str(one)
    one.coefficients.clear()
    for result in (one + 1, one * one, one.truncate(1), one.up_to(Monomial(1)), one.subs({Symbol("a"): 2})):
        assert result is not one
    assert str(one) == before
    for name in ("scale", "terms", "remainder"):
        with pytest.raises(FrozenInstanceError):
            setattr(one, name, None)
    with pytest.raises(TypeError):
        one.terms[0] = None


def test_parameters_can_be_substituted_but_not_the_variable():
    a = Symbol("a")
    law = Expansion.build(INFINITY, {(1, 0): a, (2, 0): a - 1}, Formal(Monomial(3)))
    assert law.subs({a: 1}).coefficients == {Monomial(1): 1}
    with pytest.raises(InputError, match="cannot substitute the variable l of the scale; use compose"):
        law.subs({L: 2})


SMALL = Expansion.build(ZERO, {(1, 0): 1}, Formal(Monomial(2)))
REFUSALS = {
    "hidden": (lambda: SMALL.coefficient(2), "hidden in the remainder; derive more terms"),
    "empty": (lambda: Expansion.build(ZERO, {}, Formal(Monomial(2))).leading, "no term left before its remainder"),
    "negative count": (lambda: SMALL.truncate(-1), "count = -1 terms is negative"),
    "two scales": (lambda: SMALL + Expansion.variable(INFINITY), "cannot be combined; compose them first"),
    "infinite": (lambda: Expansion.build(ZERO, {(0, 0): 1, (1, 0): 1}) ** -1, "give a remainder or a cut"),
    "log first": (lambda: Expansion.build(ZERO, {(1, 1): 1}, Formal(Monomial(2))) ** -1, "outside the scale"),
    "log log": (lambda: Expansion.build(ZERO, {(1, 1): 1}, Formal(Monomial(2))).log(), "outside the scale"),
    "exact reversion": (lambda: Expansion.variable(ZERO).revert(Scale.at_zero(Y)), "truncate it first"),
    "wrong limit": (lambda: SMALL.revert(Scale.at_infinity(Y)), "does not tend to oo in the scale asked for"),
    "no composition": (lambda: SMALL.compose(Expansion.constant(ZERO, 2)), "does not tend to 0, as composition needs"),
    "outwards": (lambda: SMALL.compose(Expansion.variable(INFINITY)), "does not tend to 0, as composition needs"),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_refusals_say_what_and_what_to_do(name):
    action, message = REFUSALS[name]
    with pytest.raises((InputError, UnsupportedError)) as caught:
        action()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)

"""The general Price expansion: against brute force for every activation, printed coefficients, its numeric version."""

from math import factorial

import mpmath
import pytest
from mpmath import mp
from sympy import Abs, Integer, Rational, Symbol, asin, exp, pi, series, sign, simplify, sqrt

from asympt.errors import InputError, UnsupportedError
from asympt.gaussian import price
from asympt.gaussian.closed.moments import named_moment
from asympt.gaussian.moments import square_moment
from asympt.gaussian.piecewise import PiecewiseSmooth
from asympt.gaussian.price import along_correlation, jumps_and_sums, price_expansion, price_numbers, value_level
from asympt.numbers import to_mpf
from tests.gaussian.activations_by_hand import EXPRESSIONS, X, activation, product_mean

Q = Rational(51, 100)
SYMBOL = Symbol("q", positive=True)
EVERY = sorted(EXPRESSIONS)


def truth(phi: PiecewiseSmooth, q, t: float) -> float:
    """F(1 - t^2) by brute force."""
    root = float(sqrt(q))
    return product_mean(lambda z: phi.vectorised(root * z), [float(b) / root for b in phi.breaks], 1 - t * t)


def sum_of(coefficients, t: float) -> float:
    return float(sum(c * mpmath.mpf(t) ** k for k, c in enumerate(coefficients)))


@pytest.mark.parametrize("name", EVERY[::4])
def test_twenty_orders_against_brute_force(name):
    phi = activation(name)
    coefficients = price_numbers(phi, Q, 20, 15)
    for t in (0.05, 0.1, 0.2):
        value = truth(phi, Q, t)
        smallest = max(abs(c) * t**k for k, c in enumerate(coefficients) if k > 17)  # the series only is asymptotic
        assert abs(sum_of(coefficients, t) - value) < 2e-13 * max(1, abs(value)) + 2 * smallest


@pytest.mark.parametrize("name", EVERY)
def test_what_is_left_out_is_of_the_next_order(name):
    phi = activation(name)
    series = price_expansion(phi, Q, 5, lambda n: named_moment(phi, n, Q))
    coefficients = [to_mpf(series.coefficient(k)) for k in range(6)]
    following = price_numbers(phi, Q, 12, 15)[6:]
    for t in (0.15, 0.2, 0.3):
        rescaled = (truth(phi, Q, t) - sum_of(coefficients, t)) / t**6
        assert abs(rescaled - sum_of(following, t)) < 1e-8 + 30 * t**7 * max(map(abs, following))


def test_relu_is_the_one_kink_ladder():
    # worked out by hand: 1 - t^2 + (2 sqrt 2/3 pi) t^3 + ..., normalised by E[phi(sqrt q Z)^2] = q/2
    series = price_expansion(activation("relu"), SYMBOL, 9)
    assert {m: simplify(c / (SYMBOL / 2)) for m, c in series.terms} == value_level(1 / pi, 9).coefficients


def test_a_shifted_kink(known, agrees):
    coefficients = price_numbers(activation("shifted"), Integer(1), 5, 30)
    assert agrees(coefficients[3], known("ladder.shifted_kink_t3"), 11)
    assert agrees(coefficients[5], known("ladder.shifted_kink_t5"), 11)
    third = price_expansion(activation("shifted"), Integer(1), 3).coefficient(3)
    assert third == sqrt(2) * exp(Rational(-1, 8)) / (3 * pi)


@pytest.mark.parametrize(
    "name, power",
    [("step", 1), ("relu", 3), ("softsign", 5), ("elu", 5), ("elu_2", 3), ("hard_tanh", 3), ("two_jumps", 1)],
)
def test_the_first_odd_power_shows_the_first_jump(name, power):
    # worked out by hand: t^(2j+1), j the order of the first derivative that jumps
    odd = [int(m.order) for m, _ in price_expansion(activation(name), Q, 7).terms if m.order % 2]
    assert odd[0] == power


def test_step_and_sign_are_arcsines():
    # E[step step] = 1/2 - theta/(2 pi), E[sign sign] = 1 - 2 theta/pi, theta = 2 asin(t/sqrt 2) (Sheppard 1899)
    with mp.workdps(30):
        angle = mp.taylor(lambda t: 2 * mp.asin(t / mp.sqrt(2)), 0, 9)
        step = price_numbers(activation("step"), Integer(7), 9, 25)
        signs = price_numbers(PiecewiseSmooth.of(sign(X), X), Integer(7), 9, 25)
        for k in range(1, 10):
            assert abs(step[k] + angle[k] / (2 * mp.pi)) < 1e-24
            assert abs(signs[k] + 2 * angle[k] / mp.pi) < 1e-24


def test_exp_is_known_in_closed_form():
    # E[exp(sqrt q (U + V))] = exp(q (1 + c)) = exp(2q) exp(-q t^2)
    series = price_expansion(activation("exp"), SYMBOL, 10)
    for n in range(6):
        expected = exp(2 * SYMBOL) * (-SYMBOL) ** n / factorial(n)
        assert simplify(series.coefficient(2 * n) - expected) == 0


def slope_of(phi: PiecewiseSmooth, q, order: int):
    """(1/q) dF/dc = E[phi'(sqrt q U) phi'(sqrt q V)], deltas included."""
    return along_correlation(price_expansion(phi, q, order + 2)) * (1 / q)


@pytest.mark.parametrize("name", ["tanh", "elu", "hard_tanh", "gelu", "relu6"])
def test_the_slope_is_the_mean_of_the_derivatives(name):
    phi = activation(name)
    slope = slope_of(phi, Q, 8)
    derivative = phi.derivative()
    for t in (0.05, 0.1):
        value = truth(derivative, Q, t)
        assert abs(sum_of([to_mpf(slope.coefficient(k)) for k in range(9)], t) - value) < 1e3 * t**9


def test_the_slope_of_a_jump_starts_with_its_delta():
    # E[2 delta 2 delta] = 4/(2 pi q sqrt(1 - c^2)) at q = 1: 2/(pi t sqrt 2)
    series = slope_of(PiecewiseSmooth.of(sign(X), X), Integer(1), 1)
    assert series.leading[0].order == -1 and series.leading[1] == sqrt(2) / pi


def test_a_parameter_stays_a_symbol():
    from sympy import Piecewise

    alpha = Symbol("alpha", positive=True)
    series = price_expansion(PiecewiseSmooth.of(Piecewise((alpha * (exp(X) - 1), X < 0), (X, True)), X), SYMBOL, 3)
    expected = sqrt(2) * SYMBOL * (1 - alpha) ** 2 / (3 * pi)
    assert simplify(series.coefficient(3) - expected) == 0


def test_named_moments_are_told_apart_by_what_determines_them():
    one, two = Integer(1), Integer(2)
    phi, psi = activation("tanh"), activation("mish")
    names = {named_moment(f, n, q) for f in (phi, psi) for n in (0, 1) for q in (one, two)}
    assert len(names) == 8
    assert named_moment(phi, 1, one) is named_moment(activation("tanh"), 1, one)
    with mp.workdps(25):
        assert abs(to_mpf(named_moment(phi, 1, two)) - square_moment(phi, 1, two, 25)) < 1e-24
    assert named_moment(activation("relu6"), 2, one) == 0


def test_one_sided_derivatives_behind_a_removable_singularity():
    phi = PiecewiseSmooth.of(Abs(X) / (exp(Abs(X)) - 1), X)  # 1 - |x|/2 + x^2/12 - ...
    jumps, _ = jumps_and_sums(phi, 0, 3)
    assert jumps == [0, -1, 0]


@pytest.mark.parametrize("call, error, words", [
    (lambda: price_expansion(activation("tanh"), Symbol("q"), 3), InputError, "positive"),
    (lambda: price_expansion(activation("tanh"), SYMBOL, 3), UnsupportedError, "give q as a number"),
    (lambda: price_expansion(activation("tanh"), Q, -1), InputError, "negative"),
    (lambda: price_expansion(PiecewiseSmooth.of(sqrt(Abs(X)), X), Q, 3), UnsupportedError, "not finite there"),
    (lambda: price_numbers(activation("tanh"), -1, 3), InputError, "not positive"),
    (lambda: price_expansion(PiecewiseSmooth.of(exp(X**2), X), Integer(1), 3), InputError, "diverges"),
])  # fmt: skip
def test_bad_input_is_one_sentence(call, error, words):
    with pytest.raises(error, match=words) as caught:
        call()
    assert "\n" not in str(caught.value)


RHO, T = Symbol("rho", positive=True), price.UNIFORMISER


def closed(rho):
    """f(1 - t^2), from arccos(1 - t^2) = 2 asin(t/sqrt 2) and sqrt(1 - c^2) = t sqrt(2 - t^2)."""
    return 1 - T**2 + rho * (T * sqrt(2 - T**2) - (1 - T**2) * 2 * asin(T / sqrt(2)))


@pytest.mark.parametrize("order", [2, 3, 4, 8, 11])
def test_against_sympys_series_for_symbolic_rho(order):
    value = value_level(RHO, order)
    truth = series(closed(RHO), T, 0, order + 1).removeO().expand()
    assert simplify(value.to_sympy() - truth) == 0
    slope = price.slope_level(RHO, order)
    truth = series(1 - RHO * 2 * asin(T / sqrt(2)), T, 0, order + 1).removeO().expand()
    assert simplify(slope.to_sympy() - truth) == 0
    assert value.remainder.monomial.order > order and slope.remainder.monomial.order > order

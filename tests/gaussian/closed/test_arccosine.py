"""The closed form of ReLU-like maps: against quadrature, against 200 digits, and exactly at the ends."""

import random

import mpmath
import pytest
from mpmath import mp
from sympy import Rational, Symbol, acos, asin, cos, pi, simplify, sin, sqrt

from asympt.gaussian.closed.arccosine import (
    C,
    closed_form,
    closed_slope,
    gap_map,
    gap_slope,
)
from tests.gaussian.activations_by_hand import gaussian_expectation

RHO = Symbol("rho", positive=True)
SLOPES = {"relu": (1, 0), "leaky 1/10": (1, Rational(1, 10)), "abs": (1, -1), "(2, -3/7)": (2, Rational(-3, 7))}


def fold_of(right, left) -> Rational:
    """kappa = (a - b)^2/(2 (a^2 + b^2)), written out here again."""
    return Rational((right - left) ** 2) / (2 * (Rational(right) ** 2 + Rational(left) ** 2))


def mpf(q: Rational):
    return mpmath.mpf(int(q.p)) / int(q.q)


@pytest.mark.parametrize("name", SLOPES)
def test_closed_form_against_quadrature_to_thirty_digits(name):
    right, left = map(Rational, SLOPES[name])
    c = Rational(random.Random(name).randint(-(10**12), 10**12), 10**12)
    with mp.workdps(45):
        a, b = mpf(right), mpf(left)
        moment = gaussian_expectation(lambda x: (a if x > 0 else b) * x, mpf(c), digits=30)
        normalised = moment / ((a**2 + b**2) / 2)
        rho = 2 * fold_of(right, left) / pi
        value = mpmath.mpf(closed_form(rho).subs(C, c).evalf(40)._mpf_)
        assert abs(value - normalised) < mpmath.mpf(10) ** -30


@pytest.mark.parametrize("name", SLOPES)
def test_slope_against_quadrature(name):
    # f'(c) = E[phi'(U) phi'(V)] / E[phi'^2] (HDR after eq. 4; Price)
    right, left = map(Rational, SLOPES[name])
    c = Rational(random.Random(name + "slope").randint(-(10**6), 10**6), 10**6)
    with mp.workdps(30):
        a, b = mpf(right), mpf(left)
        moment = gaussian_expectation(lambda x: a if x > 0 else b, mpf(c), digits=15)
        value = mpmath.mpf(closed_slope(2 * fold_of(right, left) / pi).subs(C, c).evalf(25)._mpf_)
        assert abs(value - moment / ((a**2 + b**2) / 2)) < 1e-14


def test_the_closed_form_as_printed_for_relu():
    # HDR App. B.1: f(c) = (c arcsin c + sqrt(1 - c^2))/pi + c/2, f' = arcsin(c)/pi + 1/2
    printed = (C * asin(C) + sqrt(1 - C**2)) / pi + C / 2
    assert simplify((closed_form(1 / pi) - printed).subs(acos(C), pi / 2 - asin(C))) == 0
    assert simplify((closed_slope(1 / pi) - asin(C) / pi - Rational(1, 2)).subs(acos(C), pi / 2 - asin(C))) == 0


def test_the_slope_is_the_derivative_and_the_angle_form_the_same_function():
    assert simplify(closed_form(RHO).diff(C) - closed_slope(RHO)) == 0
    theta = Symbol("theta", positive=True)
    in_angle = closed_form(RHO).subs(sqrt(1 - C**2), sin(theta)).subs(acos(C), theta).subs(C, cos(theta))
    assert simplify(in_angle - (cos(theta) + RHO * (sin(theta) - theta * cos(theta)))) == 0


def direct(gap, kink_weight):
    """1 - f(1 - gap) from the closed form in c, at 200 digits: nothing rearranged."""
    with mp.workdps(200):
        c = 1 - gap
        rho = 2 * kink_weight / mp.pi
        f = c + rho * (mp.sqrt(1 - c * c) - c * mp.acos(c))
        return 1 - f, 1 - rho * mp.acos(c)


GAPS = ["1e-60", "3.7e-45", "1e-30", "2.2e-16", "1e-8", "1e-3", "0.1", "0.5", "0.999", "1", "1.001", "1.5",
        "1.9", "1.999999", "1.9999999999999999999999999"]  # fmt: skip


@pytest.mark.parametrize("name", SLOPES)
@pytest.mark.parametrize("gap", GAPS)
def test_gap_map_and_slope_have_full_relative_accuracy(name, gap):
    with mp.workdps(200):
        kink_weight = mpf(fold_of(*SLOPES[name]))
        exact_gap = mpmath.mpf(gap)
        truth, slope = direct(exact_gap, kink_weight)
    with mp.workdps(33):
        # the gap is rounded to 33 digits first, and so is the fold: compare at those very numbers
        g, k, rest = +exact_gap, +kink_weight, 1 - kink_weight
        with mp.workdps(200):
            truth, slope = direct(g, kink_weight)
        value, derivative = gap_map(g, k, rest), gap_slope(g, k, rest)
    with mp.workdps(60):
        assert abs(value - truth) <= abs(truth) * mpmath.mpf(10) ** -30
        assert abs(derivative - slope) <= max(abs(slope), mpmath.mpf(10) ** -3) * mpmath.mpf(10) ** -30


@pytest.mark.parametrize("name", SLOPES)
def test_gap_zero_is_exact(name):
    kink_weight = mpf(fold_of(*SLOPES[name]))
    assert gap_map(mpmath.mpf(0), kink_weight, 1 - kink_weight) == 0
    assert gap_slope(mpmath.mpf(0), kink_weight, 1 - kink_weight) == 1


def test_gap_two():
    one, zero, two = mpmath.mpf(1), mpmath.mpf(0), mpmath.mpf(2)
    assert gap_map(two, one, zero) == 0  # |x| does not see the sign: exactly 0
    assert gap_slope(two, one, zero) == -1
    assert gap_map(two, one / 2, one / 2) == 1  # ReLU: E[max(U,0) max(-U,0)] = 0
    assert gap_slope(two, one / 2, one / 2) == 0

"""The variance map: values, slopes, and all its fixed points, against formulas and direct iteration."""


import mpmath
import numpy as np
import pytest
from mpmath import mp
from sympy import Integer, Rational, Symbol, exp, oo, pi, sqrt

from asympt import Activation, activation
from asympt.errors import AsymptError
from asympt.gaussian.piecewise import PiecewiseSmooth
from asympt.meanfield.roots import Zero, square_means, zeros
from asympt.meanfield.variance import VarianceMap, slope_moment

X = Symbol("x", real=True)


FORMULAS = {
    "erf": (0, lambda q: 2 / np.pi * np.arcsin(2 * q / (1 + 2 * q)), (1e-10, 1e10)),
    "sin": (1, lambda q: (1 + np.exp(-2 * q)) / 2, (1e-10, 1e4)),
    "exp": (0, lambda q: np.exp(2 * q), (1e-10, 50)),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_float_means_equal_their_formulas(name):
    order, formula, (low, high) = FORMULAS[name]
    q = np.geomspace(low, high, 50)
    means = square_means(activation(name).piecewise, order)(q)
    assert np.all(np.abs(means / formula(q) - 1) < 1e-11)


def test_means_out_of_reach_are_not_numbers():
    means = square_means(PiecewiseSmooth.of(exp(X**2), X), 0)
    assert means([0.1])[0] == pytest.approx((1 - 0.4) ** -0.5, rel=1e-12)  # E exp(2 q Z^2)
    assert np.isnan(means([0.3])[0])


def test_zeros_hidden_between_grid_points_are_found():
    def close(q):
        return (np.log(q) - 1.001) ** 2 - 1e-6

    assert np.allclose(np.log(zeros(close)), [1.0, 1.002], atol=1e-10)


def test_a_zero_is_certified_at_every_precision():
    zero = Zero(lambda q, digits: q**3 - 5, 5 ** (1 / 3))
    for digits in (20, 50, 120, 40, 200):
        if digits == 200:
            zero._slope *= 2  # a wrong slope is found out
        value = zero.to_digits(digits)
        with mp.workdps(digits + 30):
            assert abs(value**3 - 5) < 30 * mp.mpf(10) ** -digits
    with pytest.raises(AsymptError, match="could not be certified"):
        Zero(lambda q, digits: (q - 1) ** 2, 1.0000001).to_digits(20)


def test_the_slope_of_an_activation_that_jumps():
    # E[step^2] = 1/2 whatever q is
    v = VarianceMap(activation("step"), Integer(2), Rational(1, 25))
    assert abs(v.slope(mp.mpf(2), 15)) < 1e-14 and v.chi(2) == mp.inf
    (point,) = v.fixed_points(15)
    assert abs(point.q - mp.mpf(26) / 25) < 1e-14 and point.stability == "stable"


def iterated(moment, weight, bias, q, steps=400):
    for _ in range(steps):
        q = bias + weight * moment(q)
    return q


@pytest.mark.parametrize(("weight", "bias"), [(2, "1/25"), ("3/2", 0), (5, 1)])
def test_the_stable_fixed_point_is_where_iteration_ends(weight, bias):
    v = VarianceMap(activation("erf"), weight, bias)
    point = v.stable(20)
    scales = (mp.mpf(float(value)) for value in (v.sigma_w2, v.sigma_b2))
    expected = iterated(lambda q: 2 / mp.pi * mp.asin(2 * q / (1 + 2 * q)), *scales, mp.mpf(1) / 3)  # Williams (1997)
    assert abs(point.q / expected - 1) < 1e-13 and abs(point.slope) < 1 and point.attracts
    assert abs(float(point.exact) / expected - 1) < 1e-13


def test_all_fixed_points_of_the_exponential():
    # V(q) = (1 + e^(2q))/10: two crossings, the branches of -W(-e^(1/5)/5)/2 + 1/10 (Corless et al. 1996)
    points = VarianceMap(activation("exp"), Rational(1, 10), Rational(1, 10)).fixed_points(25)
    assert [p.stability for p in points] == ["stable", "unstable"]
    with mp.workdps(30):
        for point, branch in zip(points, (0, -1), strict=True):
            exact = mp.mpf(1) / 10 - mp.lambertw(-mp.exp(mp.mpf(1) / 5) / 5, branch).real / 2
            assert abs(point.q - exact) < mp.mpf(10) ** -24


def test_zero_is_a_fixed_point_without_bias():
    tanh = activation("tanh")
    (below,) = VarianceMap(tanh, Rational(1, 2), Integer(0)).fixed_points(15)
    assert below.exact == 0 and below.stability == "stable"
    (at,) = VarianceMap(tanh, Integer(1), Integer(0)).fixed_points(15)  # V(q) = q - 2q^2 + ...: PDLT's K* = 0
    assert at.stability == "marginal" and at.attracts and at.slope == 1
    first, second = VarianceMap(tanh, Rational(3, 2), Integer(0)).fixed_points(15)
    assert first.stability == "unstable" and second.stability == "stable" and second.q > 0.28
    (removable,) = VarianceMap(activation("(1 - cos(x))/x"), 2, 0).at_zero()  # x/2 - x^3/24 + ...: V'(0) = 2/4
    assert removable.stability == "stable" and removable.slope == 0.5


def test_relu_like_fixed_points_are_exact():
    relu = activation("relu")
    (point,) = VarianceMap(relu, 1, Rational(1, 4)).fixed_points()
    assert point.exact == Rational(1, 2) and point.slope == 0.5
    (every,) = VarianceMap(relu, 2, 0).fixed_points()
    assert every.q is None and every.stability == "marginal"
    assert VarianceMap(relu, 2, 1).fixed_points() == []


def test_the_slope_moment_is_exact_where_it_can_be():
    assert slope_moment(activation("step"), Integer(1)) == oo  # as in `VarianceMap.chi`
    assert slope_moment(activation("sin"), Rational(1, 2)) == (1 + exp(-1)) / 2
    assert slope_moment(activation("erf"), Rational(1, 2)).equals(4 / (pi * sqrt(3)))
    assert abs(float(slope_moment(activation("tanh"), Integer(1))) - 0.464402902448268) < 1e-14


REFUSALS = {
    "no weights": (lambda: VarianceMap(activation("tanh"), 0, 1), "sigma_w^2 = 0 is not positive"),
    "negative bias": (lambda: VarianceMap(activation("tanh"), 1, -1), "sigma_b^2 = -1 is negative"),
    "symbol": (lambda: VarianceMap(activation("tanh"), Symbol("a"), 1), "contains a; give a number"),
    "elu grows": (lambda: VarianceMap(activation("elu"), 3, 1).stable(), "grows without bound"),
    "relu grows": (lambda: VarianceMap(activation("relu"), 2, 1).stable(), "grows without bound"),
    "unstable only": (lambda: VarianceMap(activation("exp"), 1, 1).stable(), "grows without bound"),
    "negative q": (lambda: VarianceMap(activation("tanh"), 1, 1)(-1), "q = -1.0 is negative"),
    "diverges": (lambda: VarianceMap(Activation(exp(X**2), X), 1, 1).stable(), "diverg"),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_bad_input_gets_one_sentence(name, refused):
    refused(*REFUSALS[name])


def test_mpmath_numbers_are_accepted():
    assert mpmath.nstr(VarianceMap(activation("relu"), 1, 1)("1/2", 15), 10) == "1.25"


@pytest.mark.parametrize(
    ("weight", "bias", "q"),
    [(Rational(10) ** 10, 0, 1e20), (10**12, 1, 1e24), (Rational(1, 2), Rational(1, 10**9), 4e-18 / 3),
     (Rational(1, 2), Rational(1, 10**15), 4e-30 / 3)],
)  # fmt: skip
def test_fixed_points_far_from_one(weight, bias, q):
    """A saturated tanh has q = sigma_b^2 + sigma_w^2 (1 + O(1/sigma_w)), a linear one sigma_b^2/(1 - sigma_w^2)."""
    guesses = zeros(VarianceMap(activation("tanh"), Integer(1) * weight**2, Integer(1) * bias**2).growth)
    assert any(abs(found / q - 1) < 1e-6 for found in guesses)

"""The closed form of ReLU-like maps: against quadrature, against 200 digits, and exactly at the ends."""


import mpmath
import pytest
from mpmath import mp
from sympy import Rational

from asympt.gaussian.closed.arccosine import gap_map, gap_slope

SLOPES = {"relu": (1, 0), "leaky 1/10": (1, Rational(1, 10)), "abs": (1, -1), "(2, -3/7)": (2, Rational(-3, 7))}


def fold_of(right, left) -> Rational:
    """kappa = (a - b)^2/(2 (a^2 + b^2)), written out here again."""
    return Rational((right - left) ** 2) / (2 * (Rational(right) ** 2 + Rational(left) ** 2))


def mpf(q: Rational):
    return mpmath.mpf(int(q.p)) / int(q.q)


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

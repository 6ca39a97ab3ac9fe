"""Maps that are not their own series all the way: numbers come from the map, or there are none.

Expected constants: the map iterated in mpmath (30 digits) to below its last feature, then A = 1/x + log x + x/2 + ...
of x - x^2, or S of x/2, which has no other term.
"""

import pytest
from mpmath import mp, mpf
from sympy import Abs, Max, Piecewise, Rational, Symbol, sin

from asympt.errors import PrecisionError
from asympt.recursions.non_autonomous import DrivenRecursion
from asympt.recursions.recursion import Recursion

x = Symbol("x", positive=True)
HALF = Rational(1, 2)


def constant(formula, start=HALF, digits=15):
    return Recursion(formula, x).law(terms=2).connection_constant(start=start, digits=digits)


def iterated(step, start, count, digits=60):
    with mp.workdps(digits):
        y = mpf(start)
        for _ in range(count):
            y = step(y)
        return y


def test_a_window_of_a_parabolic_map():
    window = Piecewise((x - 2 * x**2, (x > Rational(1, 200)) & (x < Rational(1, 150))), (x - x**2, True))
    found = constant(window, digits=12)

    def move(y):
        return y - 2 * y**2 if mpf(1) / 200 < y < mpf(1) / 150 else y - y**2

    t = iterated(move, HALF, 4000)
    with mp.workdps(30):
        series = (mpf(1) / 2, mpf(1) / 3, mpf(13) / 36, mpf(113) / 240)
        a = 1 / t + mp.log(t) + sum(c * t**k for k, c in enumerate(series, start=1)) - 4000
    assert abs(found - a) < mpf(10) ** -11


@pytest.mark.parametrize(
    ("formula", "step"),
    [
        (x / 2 - Max(0, 1 - 10**14 * (x - Rational(1, 10**6)) ** 2) / 10**7,
         lambda y: y / 2 - max(0, 1 - 10**14 * (y - mpf(10) ** -6) ** 2) / 10**7),
        (x / 2 * (1 + Max(0, 1 - 10**20 * (x - Rational(1, 2**20)) ** 2) / 3),
         lambda y: y / 2 * (1 + max(0, 1 - mpf(10) ** 20 * (y - mpf(2) ** -20) ** 2) / 3)),
        (Piecewise((x / 3, (x > Rational(1, 1000)) & (x < Rational(1, 900))), (x / 2, True)),
         lambda y: y / 3 if mpf(1) / 1000 < y < mpf(1) / 900 else y / 2),
        (Piecewise((x / 3, (x > Rational(1, 1000)) & (x < Rational(1, 300))), (x / 2, True)),
         lambda y: y / 3 if mpf(1) / 1000 < y < mpf(1) / 300 else y / 2),
        (x / 4 + (Rational(1, 1000) - Abs(x - Rational(1, 1000))) / 4,
         lambda y: y / 4 + (mpf("0.001") - abs(y - mpf("0.001"))) / 4),
    ],
)  # fmt: skip
def test_kinks_and_windows_of_a_hyperbolic_map(formula, step):
    # below the last feature each of these is x/2, so C = 2^n x_n there
    y = iterated(step, HALF, 80)
    assert abs(constant(formula) / (y * mpf(2) ** 80) - 1) < mpf(10) ** -14


def test_a_narrow_rational_bump_of_a_hyperbolic_map():
    formula = x / 2 * (1 + x / (1 + 10**16 * (x - Rational(1, 2**20)) ** 2))
    y = iterated(lambda y: y / 2 * (1 + y / (1 + mpf(10) ** 16 * (y - mpf(2) ** -20) ** 2)), HALF, 150)
    assert abs(constant(formula) / (y * mpf(2) ** 150) - 1) < mpf(10) ** -14


def test_ripples_too_far_down_are_refused_at_depth_and_iterated_before():
    law = Recursion(x - x**2 * (1 + sin(10**6 * x) / 10), x).law(terms=2)
    with pytest.raises(PrecisionError):
        law.connection_constant(start=HALF, digits=10)
    with pytest.raises(PrecisionError):
        law.evaluate(depth=10**9, start=HALF, digits=10)
    # the first steps are chaotic and cost nearly 200 digits: 60 give 0.00937, which is wrong from the third digit on
    y = iterated(lambda y: y - y**2 * (1 + mp.sin(10**6 * y) / 10), HALF, 100, digits=400)
    assert abs(law.evaluate(depth=100, start=HALF, digits=10) / y - 1) < mpf(10) ** -10


def test_a_flip_with_a_window():
    window = -x + Piecewise((x**2, (x > Rational(1, 10)) & (x < Rational(1, 8))), (0, True)) + x**3
    y = iterated(lambda y: -y + (y**2 if mpf(1) / 10 < y < mpf(1) / 8 else 0) + y**3, mpf(1) / 2, 1000)
    law = Recursion(window, x).law(terms=2)
    assert abs(law.evaluate(depth=1000, start=HALF, digits=12) / y - 1) < mpf(10) ** -11


def test_the_functions_along_an_orbit_are_looked_at_too():
    # lambda = 1 adds b = x + a window up along x/2 from 1: the sum of 2^-k, and one term of the window
    forcing = x + Max(0, 1 - 10**12 * (x - Rational(1, 1024)) ** 2)
    law = Recursion(x / 2, x).linear_law(multiplier=1, forcing=forcing, terms=2)
    assert abs(law.evaluate(depth=10**6, start=1, digits=20) - 3) < mpf(10) ** -19


def test_a_driven_recursion_with_a_window():
    l = Symbol("l", positive=True)  # noqa: E741
    h = Piecewise((2 * x**2, (x > Rational(1, 20)) & (x < Rational(1, 10))), (x**2, True))
    r = DrivenRecursion(h, x, l ** Rational(-1, 2), l)
    value = r.evaluate(depth=2000, start=HALF, digits=10)
    with mp.workdps(25):
        y = mpf(1) / 2
        for n in range(1, 2001):
            y -= mpf(n) ** -mpf("0.5") * (2 * y**2 if mpf(1) / 20 < y < mpf(1) / 10 else y**2)
    assert abs(value / y - 1) < mpf(10) ** -9

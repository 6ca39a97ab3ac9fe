"""Formulas on a circle: what is analytic in the disc is accepted, however it is written, and nothing else."""

import pytest
from mpmath import mp, mpf
from sympy import (
    Abs,
    Heaviside,
    Max,
    Min,
    Piecewise,
    Rational,
    Symbol,
    acos,
    asin,
    asinh,
    atan,
    besselj,
    cos,
    erf,
    exp,
    gamma,
    log,
    loggamma,
    pi,
    sign,
    sin,
    sqrt,
    tan,
    tanh,
)  # fmt: skip

from asympt.expansions.circle import NotAnalytic, circle_values

x = Symbol("x", positive=True)

# a formula and the radius of the largest disc in which it is analytic, from its nearest singularity
RADII = [
    (1 / (1 + x), 1),
    (tan(x), mp.pi / 2),
    (tanh(3 * x), mp.pi / 6),
    (tanh(10**8 * (x - Rational(1, 1000)) / 10**5) * x, mp.sqrt(mpf(1) / 10**6 + (mp.pi / 2000) ** 2)),
    (log(1 + x) / x, 1),
    (sqrt(x**2 + x**4), 1),
    (acos(1 - x**2), mp.sqrt(2)),
    (asin(x), 1),
    (asinh(x / 2), 2),
    (atan(1 / x), 1),
    (gamma(1 + x), 1),
    (loggamma(2 + x), 2),
    (1 / besselj(0, x), mpf("2.404825557695772768621631879")),  # A115368
    (1 / (1 + 10**40 * (x - Rational(1, 500)) ** 2), mpf(1) / 500),
    (Abs(sin(x)), mp.pi),
    (Max(0, 1 - 10**40 * (x - Rational(1, 500)) ** 2), mpf(1) / 500),
    (Min(x, x**2 / 3), 3),
    (sign(x - Rational(1, 3)), mpf(1) / 3),
    (Heaviside(x - x**2), 1),
    (Piecewise((x, x < Rational(1, 7)), (2 * x, True)), mpf(1) / 7),
    (Piecewise((3 * x, (x > Rational(1, 10)) & (x < Rational(1, 9))), (x, True)), mpf(1) / 10),
]


@pytest.mark.parametrize(("formula", "radius"), RADII)
def test_the_radius_of_analyticity_is_seen(formula, radius):
    with mp.workprec(100):
        circle_values(formula, x, mpf(radius) * mpf("0.7"))
        for factor in ("1.05", "2"):
            with pytest.raises(NotAnalytic):
                circle_values(formula, x, mpf(radius) * mpf(factor))


@pytest.mark.parametrize("formula", [exp(-(x**2)), sin(x), cos(x) * x, erf(x), x**5 - 3 * x, exp(sin(x)) / pi])
def test_entire_functions_are_analytic_everywhere(formula):
    with mp.workprec(100):
        for radius in ("1e-30", "0.1", "2"):
            circle_values(formula, x, mpf(radius))

"""Phi_2: against Plackett's integral, exact values, symmetries, tails, the ends r = +-1, derivatives."""

import random

import mpmath
import pytest
from mpmath import mp
from sympy import Rational, asin, diff, lambdify, latex, oo, pi, symbols

from asympt.errors import InputError
from asympt.gaussian.closed.bivariate import BivariateNormal, bivariate_normal, normal_cdf

H, K, R = symbols("h k r", real=True)


def plackett(h, k, r, start=0):
    """Phi_2(h, k; r) - Phi_2(h, k; start), the integral of the joint density (Plackett 1954)."""

    def density(angle):
        return mp.exp(-(h * h + k * k - 2 * h * k * mp.sin(angle)) / (2 * mp.cos(angle) ** 2)) / (2 * mp.pi)

    return mp.quad(density, mp.linspace(mp.asin(start), mp.asin(r), 6))


@pytest.mark.parametrize("seed", range(12))
def test_against_placketts_integral_to_forty_digits(seed):
    draw = random.Random(seed)
    h, k = (mpmath.mpf(draw.uniform(-3, 3)) for _ in range(2))
    r = mpmath.mpf(draw.uniform(-0.95, 0.95))
    with mp.workdps(40):
        value = bivariate_normal(h, k, r)
    with mp.workdps(60):
        reference = mp.ncdf(h) * mp.ncdf(k) + plackett(h, k, r)
        assert abs(value / reference - 1) < mpmath.mpf(10) ** -38


@pytest.mark.parametrize("h, k", [(1, 1), (Rational(-1, 3), Rational(2, 3)), (0, 2), (-1, 1)])
@pytest.mark.parametrize("sign", [1, -1])
def test_next_to_the_ends(h, k, sign):
    """At 1 - 1e-30, Phi_2 differs from its limit by the integral of the density, in w = sqrt(1 - r^2)."""
    h, k = (mpmath.mpf(int(Rational(v).p)) / int(Rational(v).q) for v in (h, k))
    with mp.workdps(80):
        gap = mpmath.mpf(10) ** -30
        r = sign * (1 - gap)
        limit = bivariate_normal(h, k, sign)
        angle = mp.acos(1 - gap)

        def density(d):  # the angle is asin(r) = sign (pi/2 - d)
            return mp.exp(-(h * h + k * k - 2 * h * k * sign * mp.cos(d)) / (2 * mp.sin(d) ** 2)) / (2 * mp.pi)

        change = mp.quad(density, mp.linspace(0, angle, 3)) if (h - sign * k) == 0 else mpmath.mpf(0)
        reference = limit - sign * change
    with mp.workdps(40):
        assert abs(bivariate_normal(h, k, r) - reference) < mpmath.mpf(10) ** -39


def test_relative_accuracy_in_the_tail():
    h, k, r = mpmath.mpf(-20), mpmath.mpf(-15), mpmath.mpf(-1) / 2
    with mp.workdps(30):
        value = bivariate_normal(h, k, r)
    with mp.workdps(60):  # P(U < h, V < k) = int p(u) Phi((k - r u)/w) du
        w = mp.sqrt(1 - r * r)
        unit = mpmath.mpf(10) ** 272  # quad's tolerance is absolute
        scaled = mp.quad(lambda u: unit * mp.npdf(u) * mp.ncdf((k - r * u) / w), mp.linspace(h - 6, h, 25))
        reference = scaled / unit
    assert abs(value / reference - 1) < mpmath.mpf(10) ** -28


def test_exact_values():
    assert BivariateNormal(0, 0, R) == Rational(1, 4) + asin(R) / (2 * pi)  # Sheppard 1899
    assert BivariateNormal(H, oo, R) == normal_cdf(H)
    assert BivariateNormal(-oo, K, R) == 0
    assert BivariateNormal(H, K, 0) == normal_cdf(H) * normal_cdf(K)
    assert BivariateNormal(K, H, R) == BivariateNormal(H, K, R)
    assert latex(BivariateNormal(H, K, R)) == r"\Phi_2\left(h, k; r\right)"


@pytest.mark.parametrize("variable", [H, K, R])
def test_derivatives_against_differences(variable):
    point = {H: Rational(1, 3), K: Rational(-4, 5), R: Rational(3, 7)}
    exact = diff(BivariateNormal(H, K, R), variable).subs(point).evalf(25)
    with mp.workdps(40):
        numbers = {symbol: mpmath.mpf(int(v.p)) / int(v.q) for symbol, v in point.items()}
        slope = mp.diff(
            lambda z: bivariate_normal(*({**numbers, variable: z}[s] for s in (H, K, R))), numbers[variable]
        )
        assert abs(slope - mpmath.mpf(str(exact))) < mpmath.mpf(10) ** -18


def test_lambdify_knows_the_function():
    function = lambdify((H, K, R), 2 * BivariateNormal(H, K, R), "mpmath")
    with mp.workdps(30):
        assert function(mpmath.mpf(1), mpmath.mpf(2), mpmath.mpf("0.5")) == 2 * bivariate_normal(1, 2, 0.5)


def test_a_correlation_beyond_one_is_refused():
    with pytest.raises(InputError, match=r"not in \[-1, 1\]"):
        bivariate_normal(0, 0, 1.5)

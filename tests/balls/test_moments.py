"""Moments and parameters in balls, against mpmath's quadrature, closed forms and the toolkit's own Edge of Chaos."""


import mpmath
import pytest
from flint import arb
from mpmath import mp
from sympy import Abs, Rational, atan, erf, exp, lambdify, log, pi, sin, sqrt, symbols, tanh

import asympt as asy
from asympt.balls.arithmetic import Refused, of_mpf, working
from asympt.balls.moments import SIGMA_B, SIGMA_W, BallMoments, Parameters, Q, strip_of, zero_near

x = X_REAL = symbols("x", real=True)
SIGMOID, SOFTPLUS = 1 / (1 + exp(-x)), log(1 + exp(x))
FUNCTIONS = {
    "tanh": tanh(x), "sigmoid": SIGMOID, "softplus": SOFTPLUS, "silu": x * SIGMOID, "mish": x * tanh(SOFTPLUS),
    "gelu": x * (1 + erf(x / sqrt(2))) / 2, "sine": sin(x), "bump": exp(-(x**2) / 2), "rational": 1 / (1 + x**2),
    "arctan": atan(x), "arctan of 1 - 2x": atan(1 - 2 * x),
}  # fmt: skip
FUNCTIONS = {name: formula.subs(x, symbols("x")) for name, formula in FUNCTIONS.items()}
x = symbols("x")

UNSIMPLIFIED = {
    "k = 1, which only an expansion shows": exp(-(X_REAL**2) * (sqrt(2) + 1) + X_REAL**2 * sqrt(2)),
    "an irrational k": exp(-(X_REAL**2) / pi), "erf of x/2 - 1": erf(X_REAL / 2 - 1),
}  # fmt: skip


@pytest.mark.parametrize("formula", [*FUNCTIONS.values(), *UNSIMPLIFIED.values()], ids=[*FUNCTIONS, *UNSIMPLIFIED])
def test_strip_bounds_the_function(formula):
    """Points of the strip, mpmath's values."""
    (symbol,) = formula.free_symbols
    strip, phi = strip_of(formula, symbol), lambdify(symbol, formula, "mpmath")
    height, size, growth = (float(value) for value in (strip.height, strip.size, strip.growth))
    for real in (-60, -7.3, 0.4, 90, *range(-40, 41)):
        for share in (0, 0.5, 0.99, 1, -0.999):
            assert abs(phi(mpmath.mpc(real, share * height))) <= size * mp.exp(growth * abs(real)) * (1 + 1e-12)


@pytest.mark.parametrize(("name", "derivative"), [(name, (0, 1, 3)[k % 3]) for k, name in enumerate(FUNCTIONS)])
def test_moments_agree_with_quadrature(name, derivative):
    phi = lambdify(x, FUNCTIONS[name].diff(x, derivative), "mpmath")
    with mp.workdps(30):
        q, root = mp.mpf("0.75"), mp.sqrt(mp.mpf("0.75"))
        found = mp.quad(lambda z: phi(root * z) ** 2 * mp.npdf(z), [-20, -8, -4, -2, 0, 2, 4, 8, 20])
        hermite = mp.quad(lambda z: phi(root * z) * (z**3 - 3 * z) * mp.npdf(z), [-20, -8, -4, -2, 0, 2, 4, 8, 20])
        moments = BallMoments(FUNCTIONS[name], x, of_mpf(q), 100, 3)
        with working(140):
            ball, third = moments.square(derivative, derivative), moments.hermite(4)[3]
            assert ball.rad() < 1e-28
            assert abs(ball - of_mpf(found)) < 1e-22
            assert abs(third * arb(6).sqrt() - of_mpf(hermite)) < 1e-22 or derivative


@pytest.mark.parametrize("formula", [
    log(x), sqrt(x), 1 / x, Abs(x), 1 / sin(x), sqrt(1 + x**2), atan(x**2),
    exp(X_REAL**2 / 9), exp(-(X_REAL**2) + X_REAL**3), exp(X_REAL**2 - X_REAL),  # which outgrow exponentials
])  # fmt: skip
def test_what_is_not_analytic_or_not_known_at_infinity_is_refused(formula):
    with pytest.raises(Refused):
        strip_of(formula, *formula.free_symbols)


@pytest.mark.parametrize("name", ["tanh", "silu", "gelu"])
def test_parameters_on_the_edge(name):
    """Against the roots that mpmath finds to 50 digits."""
    point = asy.edge_of_chaos(name, sigma_b=Rational(1, 5), digits=50)
    balls = Parameters(FUNCTIONS[name], x, Rational(1, 5), mp.nstr(point.q, 13))(256)
    with working(256):
        for symbol, known in ((Q, point.q), (SIGMA_W, point.sigma_w)):
            assert balls[symbol].rad() < 1e-74
            assert abs(balls[symbol] - of_mpf(known)) < 1e-48
        assert balls[SIGMA_B].overlaps(arb(1) / 5)


@pytest.mark.parametrize("near", ["0.6", "0.5120786", "5e-5"])
def test_wrong_digits_are_refused(near):
    with pytest.raises(Refused):
        Parameters(tanh(x), x, Rational(1, 5), near)(128)


def test_double_zero_is_refused():
    with pytest.raises(Refused, match="simple"):
        zero_near(lambda t, bits: ((t - 1) ** 2, 2 * (t - 1)), "1", 100)

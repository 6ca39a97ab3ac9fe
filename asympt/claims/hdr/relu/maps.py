"""Decisions on the correlation map: closed forms, expansions at 1, and one layer of gamma^(-1/2)."""

import mpmath
from mpmath import mp
from sympy import Rational, Symbol, binomial, pi, series, simplify, sqrt

from asympt.claims.claim import Setting
from asympt.claims.forms import identity, inequality, same, small
from asympt.evidence.check import Check, Verification
from asympt.gaussian.quadrature.brute_force import gaussian_expectation
from asympt.numbers import to_mpf

T = Symbol("t", positive=True)


def variance(setting: Setting) -> Verification:
    """HDR.B1.reluvar: with sigma_b = 0 the variance is multiplied by chi = sigma_w^2 E[phi(Z)^2] = 1."""
    chi, bias = setting.net.layer.chi, setting.net.layer.bias_variance
    with mp.workdps(setting.digits + 10):
        phi = _numeric(setting.net.activation)
        moment = gaussian_expectation(phi, mpmath.mpf(1), setting.digits)
        figure = abs(moment * to_mpf(setting.net.layer.weight_variance) - 1)
    checks = (
        identity("$chi - 1$ and $sigma_b^2$", [chi - 1, bias]),
        small("$|sigma_w^2 E[phi(Z)^2] - 1|$ by quadrature", figure, setting.digits),
    )
    return Verification("the variance of the preactivations is the same in every layer", checks)


def _numeric(activation):
    """phi as a function on mpmath numbers."""
    right, left = activation.slopes
    return lambda x: x * to_mpf(right if x > 0 else left)


def closed_form(setting: Setting) -> Verification:
    """HDR.AL7.f against the Gaussian double integral itself."""
    checks = []
    for c in (Rational(-7, 9), Rational(2, 7), Rational(31, 32)):
        with mp.workdps(setting.digits + 10):
            x = to_mpf(c)
            printed = (x * mp.asin(x) + mp.sqrt(1 - x**2)) / mp.pi + x / 2
            integral = 2 * gaussian_expectation(lambda z: max(z, 0), x, setting.digits)
            checks.append(small(f"$|f - 2 E[(U)_+ (V)_+]|$ at $c = {c}$", abs(printed - integral), setting.digits))
    return Verification("f(x) = (x arcsin x + sqrt(1-x^2))/pi + x/2", tuple(checks))


def two_terms(setting: Setting) -> Verification:
    """HDR.B1.relu-exp: the remainder begins with t^5, t = sqrt(1-x)."""
    gap = setting.net.correlation_map.gap_in_uniformiser(T)
    rest = series(gap - (T**2 - 2 * sqrt(2) / (3 * pi) * T**3), T, 0, 7).removeO()
    low = [simplify(rest.coeff(T, k)) for k in range(5)]
    check = identity("coefficients of $t^0..t^4$ left over", low)
    return Verification("f(x) = x + 2 sqrt(2)/(3 pi) (1-x)^(3/2) + O((1-x)^(5/2))", (check,))


def slope(setting: Setting) -> Verification:
    """HDR.T1.fprime: the closed form at random points, and the first two terms."""
    form = setting.net.correlation_map.slope_in_uniformiser(T)
    rest = series(form - (1 - sqrt(2) / pi * T), T, 0, 4).removeO()
    low = [simplify(rest.coeff(T, k)) for k in range(3)]
    with mp.workdps(setting.digits + 10):
        c = mpmath.mpf(2) / 7
        half = mpmath.mpf(1) / 2
        figure = abs(setting.net.correlation_map.gap_slope(1 - c) - mp.asin(c) / mp.pi - half)
    checks = (
        identity("coefficients of $t^0..t^2$ left over", low),
        small("$|f'(2/7) - arcsin(2/7)/pi - 1/2|$", figure, setting.digits),
    )
    return Verification("f'(x) = arcsin(x)/pi + 1/2 = 1 - sqrt(2)/pi (1-x)^(1/2) + ...", checks)


def coefficient(k: int):
    """alpha_k of HDR.B1.relu-series in closed form: a product of positive factors for every k >= 1."""
    return 2 * sqrt(2) / pi * binomial(2 * k - 2, k - 1) / (Rational(8) ** (k - 1) * (2 * k - 1) * (2 * k + 1))


def all_positive(setting: Setting) -> Verification:
    """HDR.B1.relu-series: the closed form of alpha_k against SymPy's series and against f itself."""
    gap = setting.net.correlation_map.gap_in_uniformiser(T)
    found = series(T**2 - gap, T, 0, 18).removeO()
    differences = [simplify(found.coeff(T, 2 * k + 1) - coefficient(k)) for k in range(1, 9)]
    even = [simplify(found.coeff(T, 2 * k)) for k in range(9)]
    with mp.workdps(setting.digits + 10):
        half = mpmath.mpf(1) / 2
        total = mp.nsum(lambda k: to_mpf(coefficient(int(k))) * half ** (k + half), [1, mp.inf], method="d")
        figure = abs(total - (setting.net.correlation_map("1/2", setting.digits + 5) - mpmath.mpf(1) / 2))
    name = "$alpha_k - (2 sqrt 2/pi) binom(2k-2, k-1)/(8^(k-1)(2k-1)(2k+1))$, $k = 1..8$"
    checks = (
        identity(name, differences),
        identity("coefficients of the even powers of $t$", even),
        small("$|x + sum alpha_k (1-x)^(k+1/2) - f(x)|$ at $x = 1/2$", figure, setting.digits),
    )
    return Verification("alpha_k > 0 for every k (a product of positive factors)", checks)


def inverse_root(setting: Setting) -> Verification:
    """HDR.T1.1-inv: (gamma')^(-1/2) - gamma^(-1/2) - s/2 starts with gamma^(1/2), which the printed step leaves out."""
    f = setting.net.correlation_map
    step = (1 - f.expansion(7)) ** Rational(-1, 2)
    missing = step.coefficient(1)
    checks = (
        identity("coefficient of $gamma^(1/2)$, 0 as printed", missing),
        _numeric_coefficient(f),
    )
    lead = 2 * step.coefficient(0)
    ratio = simplify(missing / lead**2)
    right = same("coefficient of $gamma^(1/2)$ in units of $s^2$", ratio, Rational(3, 8))
    statement = f"gamma'^(-1/2) = gamma^(-1/2) + s/2 + ({missing}) gamma^(1/2) + ..., s = {lead}"
    corrected = Verification(statement, (right,))
    return Verification("gamma'^(-1/2) = gamma^(-1/2) + s/2 + (kappa/2) gamma + O(gamma^2)", checks, corrected)


def _numeric_coefficient(f) -> Check:
    """The same coefficient measured on the map at gamma = 10^-12."""
    with mp.workdps(60):
        gap = mpmath.mpf(10) ** -12
        following = f.gap(gap)
        half_s = to_mpf(sqrt(2) * f.asymmetry / 3)
        figure = abs((following ** mpmath.mpf(-0.5) - gap ** mpmath.mpf(-0.5) - half_s) / mp.sqrt(gap))
    name = "$|gamma'^(-1/2) - gamma^(-1/2) - s/2|/gamma^(1/2)$ at $gamma = 10^-12$"
    return inequality(name, figure, "<= 1e-5", "the map in mpmath; of order 10^-6 if the printed step were right", 8)

"""Decisions on the proof of HDR Theorem 1, part 2: the orbit 1 - c^l = lambda_l and the slope along it.

With lambda' = lambda - alpha lambda^2 - beta lambda^3 + ..., alpha = f''(1)/2, beta = -f'''(1)/6 (smooth phi),

    1/lambda_l = alpha l + (alpha + beta/alpha) log l + O(1)
    f'(c^l) = 1 - 2/l + (2 - (4/3) f'''(1)/f''(1)^2) log(l)/l^2 + O(l^-2)

and where phi'' jumps f'(c^l) = 1 - 2/l + (3/2) e_5/e_4^(3/2) l^(-3/2) + ...
"""

import math

import mpmath
from mpmath import mp
from sympy import Integer, Rational, simplify

from asympt.architectures import FeedForward
from asympt.claims import forms
from asympt.claims.claim import Setting
from asympt.claims.figures import number, state
from asympt.claims.forms import agreement, inequality
from asympt.claims.hdr.smooth.correlation_map import WORKING, alpha_beta, coefficients
from asympt.claims.hdr.smooth.rates import FIRST, LAST, shown, too_shallow
from asympt.evidence.check import Check, Verification
from asympt.expansions import Expansion, Formal, Monomial
from asympt.gaussian.price.relu_like import SCALE


def _log_coefficient(net: FeedForward):
    """(alpha^2 + beta)/alpha."""
    alpha, beta = alpha_beta(net)
    return alpha + beta / alpha


def inverse_along(setting: Setting) -> Verification:
    """HDR.T1.2-lambda: the coefficient of log l in 1/lambda_l."""
    checks, corrected = [], []
    for net in setting.nets:
        alpha, beta = alpha_beta(net)
        name, printed, exact = net.activation.name, beta / alpha, _log_coefficient(net)
        law = net.correlation_law(3).expansion ** Rational(-1)
        found = law.coefficients.get(Monomial(0, 1), Integer(0))
        checks.append(
            inequality(
                f"{name}: distance of the coefficient of $log l$ in $1/lambda_l$ from $beta/alpha$",
                abs(number(found - printed)), "< 1e-12"
            )
        )
        corrected += [
            agreement(
                f"{name}: the law's coefficient against $alpha + beta/alpha$", number(found), number(exact), 1e-12
            ),
            _log_growth(net, exact, setting),
        ]
    return Verification(
        "1/lambda_l = alpha l + (beta/alpha) log l + O(1)",
        tuple(checks),
        Verification("1/lambda_l = alpha l + (alpha + beta/alpha) log l + O(1)", tuple(corrected)),
    )


def _log_growth(net: FeedForward, exact, setting: Setting) -> Check:
    name = f"{net.activation.name}: growth of $1/lambda_l - alpha l$ per unit of $log l$, $l = {FIRST}$ to {LAST}"
    if setting.depth < LAST:
        return too_shallow(name, setting)
    alpha = float(number(alpha_beta(net)[0]))
    ends = [1 / state(net, d)[0] - alpha * d for d in (FIRST, LAST)]
    return agreement(f"{name}, against it", (ends[1] - ends[0]) / math.log(LAST / FIRST), number(exact), 0.02)


def slope_along(setting: Setting) -> Verification:
    """HDR.T1.2-fp: true for smooth phi, kappa = 2 - (4/3) f'''(1)/f''(1)^2; l^(-3/2) first where phi'' jumps."""
    checks, corrected = [], []
    for net in setting.nets:
        slope = _slope_law(net)
        name, between = net.activation.name, slope.coefficients.get(Monomial(Rational(3, 2)), Integer(0))
        leading = slope.coefficients.get(Monomial(1), Integer(0))
        checks += [
            forms.coefficient(f"{name}: coefficient of $1/l$ in $f'(c^l) + 2$", simplify(leading + 2)),
            forms.coefficient(f"{name}: coefficient of $l^(-3/2)$, 0 as printed", between, shown=shown(between)),
        ]
        if between == 0:
            corrected += [_kappa(net, slope), _slope_growth(net, slope, setting)]
        else:
            corrected += [_between(net, between, setting)]
    return Verification(
        "f'(c^l) = 1 - 2/l + kappa log(l)/l^2 + O(l^-2) for class S",
        tuple(checks),
        Verification(
            "smooth: kappa = 2 - (4/3) f'''(1)/f''(1)^2; "
            "phi'' jumps: f'(c^l) = 1 - 2/l + (3/2) e_5/e_4^(3/2) l^(-3/2) + ...",
            tuple(corrected),
        ),
    )


def _slope_law(net: FeedForward):
    """f'(c^l) from the law of c^l and the expansion of f' with the names of the law."""
    e = coefficients(net)
    terms = {(k - 2, 0): -Rational(k, 2) * value for k, value in e.items() if k and value != 0}
    slope = Expansion.build(SCALE, terms, Formal(Monomial(5)))
    return slope.compose(net.correlation_law(3).expansion ** Rational(1, 2))


def _kappa(net: FeedForward, slope) -> Check:
    alpha, beta = alpha_beta(net)
    expected = 2 + 2 * number(beta) / number(alpha) ** 2
    return agreement(
        f"{net.activation.name}: $kappa$ of the law against $2 - (4/3) f'''(1)/f''(1)^2$",
        number(slope.coefficients.get(Monomial(2, 1), Integer(0))), expected, 1e-12
    )


def _slope_growth(net: FeedForward, slope, setting: Setting) -> Check:
    """Growth of l^2 (f'(c^l) - 1 + 2/l) per unit of log l."""
    kappa = number(slope.coefficients.get(Monomial(2, 1), Integer(0)))
    name = f"{net.activation.name}: growth of $l^2 (f'(c^l) - 1 + 2/l)$ per unit of $log l$, $l = {FIRST}$ to {LAST}"
    if setting.depth < LAST:
        return too_shallow(name, setting)
    with mp.workdps(WORKING):
        ends = [
            (net.correlation_map.gap_slope(mpmath.mpf(state(net, d)[0])) - 1 + mpmath.mpf(2) / d) * d**2
            for d in (FIRST, LAST)
        ]
    return agreement(f"{name}, against $kappa$", (ends[1] - ends[0]) / math.log(LAST / FIRST), kappa, 0.02)


def _between(net: FeedForward, coefficient, setting: Setting) -> Check:
    """l^(3/2) (f'(c^l) - 1 + 2/l) at depth; corrections are log(l)/sqrt(l)."""
    name = f"{net.activation.name}: $l^(3/2) (f'(c^l) - 1 + 2/l)$, slope between $l = {FIRST}$ and {LAST}"
    if setting.depth < LAST:
        return too_shallow(name, setting)
    with mp.workdps(WORKING):
        ends = [
            (net.correlation_map.gap_slope(mpmath.mpf(state(net, d)[0])) - 1 + mpmath.mpf(2) / d) * mpmath.mpf(d) ** 2
            for d in (FIRST, LAST)
        ]
    log_part = number(_slope_law(net).coefficients.get(Monomial(2, 1), Integer(0))) * math.log(LAST / FIRST)
    growth = (ends[1] - ends[0] - log_part) / (math.sqrt(LAST) - math.sqrt(FIRST))
    return agreement(f"{name}, against it", growth, number(coefficient), 0.05)

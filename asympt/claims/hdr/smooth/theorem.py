"""Decisions on HDR Theorem 1, part 2, as a statement on the whole class S, and on its diagonal.

The rate log(L)/L is not that of every phi of class S: where phi'' jumps it is L^(-1/2), and sin has a point of its Edge
of Chaos, with an attracting variance, at which the coefficient 1/3 - (2/9) M_1 M_3/M_2^2 of log(L)/L vanishes exactly.

On the diagonal k' = chi(q^l) k + V(q^l)/q: K^L(x, x) = q L for q^1 = q, and K^L(x, x) - q L tends to a constant for q^1
near q where V'(q) < 1.  Where V'(q) > 1, as for SiLU and GELU at sigma_b = 1/5, the variance leaves q.
"""

import math

from mpmath import mp
from sympy import Rational, atanh, exp, sqrt

from asympt.architectures import FeedForward
from asympt.claims.claim import Setting
from asympt.claims.figures import CHECK_DIGITS, state
from asympt.claims.forms import at_most, inequality
from asympt.claims.hdr.smooth.rates import (
    FIRST,
    LAST,
    LOG,
    absent_root,
    distance,
    jumps_say,
    log_checks,
    moments_say,
    moving_diagonal,
    rate_coefficient,
    root_growth,
    term,
    too_shallow,
    variance_note,
    variance_slope,
)
from asympt.evidence.check import Check, Verification
from asympt.meanfield.activations import activation
from asympt.meanfield.layer import Layer
from asympt.numbers import to_mpf


def theorem(setting: Setting) -> Verification:
    """HDR.T1.2-rate: every phi of class S, every point of the Edge of Chaos."""
    checks, corrected = [], []
    for net in setting.nets:
        if net.activation.is_smooth:
            checks += log_checks(net, setting)
            corrected += [moments_say(net, term(net, LOG))]
        else:
            checks += [absent_root(net)]
            corrected += [jumps_say(net), root_growth(net, setting)]
    checks += _exception(setting)
    statement = (
        "smooth: the exact rate is log(L)/L where 2 M_1 M_3 != 3 M_2^2 and 1/L or less where they are equal; "
        "phi'' jumps: the exact rate is L^(-1/2)"
    )
    return Verification(
        "class S, Edge of Chaos, fixed c^1: |AK^L - AK^inf| = Theta(log(L)/L)",
        tuple(checks),
        Verification(statement, tuple(corrected)),
    )


def exceptional_sine() -> Layer:
    """sin where 2 M_1 M_3 = 3 M_2^2: M_1 = M_3 = (1 + e^(-2q))/2, M_2 = (1 - e^(-2q))/2, so coth(q)^2 = 3/2, exactly.

    sigma_w^2 = 1/M_1 and sigma_b^2 = q - M_0/M_1 = q - tanh(q) > 0; V'(q) = 1 - tanh(q) < 1.
    """
    q = atanh(sqrt(Rational(2, 3)))
    return Layer(activation("sin"), 2 / (1 + exp(-2 * q)), q - sqrt(Rational(2, 3)), q, True)


def _exception(setting: Setting) -> list[Check]:
    """On the Edge of Chaos of sin there is one point without a log term."""
    layer = exceptional_sine()
    with mp.workdps(CHECK_DIGITS):
        q = to_mpf(layer.fixed_variance)
    found = abs(rate_coefficient(layer.activation, q))
    where = "sin, q = artanh(sqrt(2/3)), sigma_b^2 = q - tanh(q)"
    checks = [
        inequality(
            f"{where}: |coefficient of $log(L)/L$|", found, "> 1e-15",
            "1/3 - (2/9) coth(q)^2 = 0 exactly: there the rate is not log(L)/L", digits=3
        ),
    ]
    name = f"{where}: |growth of $L (K^L/(qL) - 1/3)$ per unit of log L|, $L = {FIRST}$ to {LAST}"
    if setting.depth < LAST:
        return [*checks, too_shallow(name, setting)]
    growth = abs(distance(layer, LAST) - distance(layer, FIRST)) / math.log(LAST / FIRST)
    return [
        *checks,
        inequality(name, growth, "> 0.01", "float64 orbit from c^1 = 1/10", digits=3),
    ]


# ---- the diagonal ---------------------------------------------------------------------------------


def diagonal(setting: Setting) -> Verification:
    """HDR.T1.2-diag: an input with q^1 = q has K^L(x, x) = q L exactly, so there is no lower bound."""
    checks, corrected = [], []
    for net in setting.nets:
        depth = min(setting.depth, 10**4)
        figure = abs(state(net, depth, 0.0)[1] - depth)
        name = net.activation.name
        checks.append(inequality(f"{name}: $L |AK^L(x,x) - q|/q$ at depth {depth} for $q^1 = q$", figure, "> 0"))
        corrected += [
            at_most(f"{name}: $|K^L(x,x) - qL|/q$ at depth {depth}", figure, 0),
            _off_the_fixed_point(net),
        ]
    statement = (
        "K^L(x,x) = q L exactly for q^1 = q; where V'(q) < 1, K^L(x,x) - q L tends to a constant for q^1 near q; "
        "where V'(q) > 1 the variance leaves q, and so does K^L(x,x)/L"
    )
    return Verification(
        "AK^L(x,x) = q + Theta(1/L), a positive lower bound included",
        tuple(checks),
        Verification(statement, tuple(corrected)),
    )


def _off_the_fixed_point(net: FeedForward) -> Check:
    """K^L(x, x) - q L from q^1 = 1.01 q with the variance moving, in float64."""
    slope, name = variance_slope(net), net.activation.name
    values = moving_diagonal(net, 1.01, (200, 400))
    if slope < 1:
        figure = abs(values[400][1] - values[200][1])
        return at_most(
            f"{name}: change of $K^L(x,x) - qL$ from $L = 200$ to 400, $q^1 = 1.01 q$", figure, 1e-6,
            f"{variance_note(net)}; {values[400][1]:.8g} at L = 400"
        )
    figure = values[200][0]
    return inequality(f"{name}: $q^200/q$ from $q^1 = 1.01 q$", figure, "> 2", variance_note(net), digits=4)

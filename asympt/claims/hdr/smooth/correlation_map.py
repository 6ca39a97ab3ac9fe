"""Decisions on the proof of HDR Theorem 1, part 2: the map near c = 1.

With lambda = 1 - c and f'(1) = 1, a smooth phi has

    lambda' = lambda - (f''(1)/2) lambda^2 + (f'''(1)/6) lambda^3 - ...,           f''(1), f'''(1) > 0
    1/lambda' = 1/lambda + alpha + (alpha^2 + beta) lambda + ...,                  alpha = f''(1)/2, beta = -f'''(1)/6

so the printed beta is negative and alpha^2 is left out.  Where phi'' jumps, e_5 lambda^(5/2) comes in between.
"""

import mpmath
from mpmath import mp
from sympy import Integer, Rational, expand, simplify

from asympt.architectures import FeedForward
from asympt.architectures.composed.form import FormAtOne
from asympt.claims.claim import Setting
from asympt.claims.figures import number
from asympt.claims.forms import agreement, at_most, coefficient, identity, inequality, same
from asympt.claims.hdr.smooth.rates import shown
from asympt.evidence.check import Check, Verification
from asympt.expansions import Expansion, Formal, Monomial
from asympt.gaussian.price.relu_like import SCALE

ORDER = 7  # powers of t that are looked at
WORKING = 30  # digits for everything measured on the map, so that it is prepared once


def coefficients(net: FeedForward) -> dict[int, object]:
    """f = sum e_k t^k near c = 1 under the names that the laws use: {k: e_k}, k <= ORDER."""
    series = FormAtOne(net.composed_form, ORDER)
    stride = 2 // series.root
    lost = {k * stride: -series.lost(k) for k in range(1, ORDER // stride + 1)}
    return {0: Integer(1), **lost}


def alpha_beta(net: FeedForward) -> tuple:
    """alpha and beta in lambda' = lambda - alpha lambda^2 - beta lambda^3 + ... (smooth phi)."""
    e = coefficients(net)
    return e[4], e[6]


# ---- near c = 1 -----------------------------------------------------------------------------------


def taylor(setting: Setting) -> Verification:
    """HDR.T1.2-taylor: no odd powers of t = sqrt(1 - x) for a smooth phi; t^5 where phi'' jumps."""
    checks, corrected = [], []
    for net in setting.nets:
        e, name = coefficients(net), net.activation.name
        odd = {k: e[k] for k in (1, 3, 5, 7) if e.get(k, 0) != 0}
        text = ", ".join(f"t^{k}: {mpmath.nstr(number(value), 12)}" for k, value in odd.items()) or "0"
        checks.append(same(f"{name}: coefficients of the odd powers of $t$ up to $t^7$", text, "0", strength="checked"))
        corrected.append(_next_power(net, odd))
    return Verification(
        "f(1-t^2) = 1 - t^2 f'(1) + t^4 f''(1)/2 + t^6 f^(3)(1)/6 + O(t^8)",
        tuple(checks),
        Verification(
            "f(1-t^2) = 1 - t^2 + e_4 t^4 + e_5 t^5 + ..., e_5 < 0 where phi'' jumps, "
            "and f'''(1) enters with a minus sign",
            tuple(corrected),
        ),
    )


def _next_power(net: FeedForward, odd: dict) -> Check:
    """The first coefficient that the expansion says, measured on the map at gamma = 10^-12."""
    e = coefficients(net)
    power = min(odd, default=6)
    with mp.workdps(WORKING):
        t = mpmath.mpf(10) ** -4
        found = (t**2 - net.correlation_map.gap(t**2) - number(e[4], WORKING) * t**4) / t**power
    return agreement(
        f"{net.activation.name}: $(f - 1 + t^2 - e_4 t^4)/t^{power}$ at $t = 10^-4$ against $e_{power}$", found,
        number(e[power]), 1e-4
    )


def derivatives_blow_up(setting: Setting) -> Verification:
    """HDR.T1.2-fk: f'''' grows like (1-x)^(-3/2), one half power more than printed."""
    checks, corrected = [], []
    for net in setting.nets:
        values = [_fourth(net, mpmath.mpf(10) ** -k) for k in (6, 8)]
        scaled = [abs(v) * 2 * mpmath.mpf(10) ** -k for v, k in zip(values, (6, 8), strict=True)]
        name = f"{net.activation.name}: $(1-x^2) |f''''(x)|$ at $1-x = 10^-8$ over $10^-6$"
        checks.append(
            at_most(name, scaled[1] / scaled[0], 2, "g_4 is bounded if it is C^infinity on [-1, 1]", digits=4)
        )
        expected = -number(coefficients(net)[5]) * mpmath.mpf(15) / 16
        found = values[1] * mpmath.mpf(10) ** -12
        corrected.append(
            agreement(
                f"{net.activation.name}: $(1-x)^(3/2) f''''(x)$ at $1-x = 10^-8$ against $-(15/16) e_5$",
                found,
                expected,
                1e-2,
            )
        )
    return Verification(
        "f^(k)(x) = (1-x^2)^(-(k-2)/2) g_k(x) with g_k in C^infinity, k >= 3",
        tuple(checks),
        Verification("f^(k)(x) = (1-x)^(5/2-k) g_k(sqrt(1-x)) near x = 1, k >= 3, where phi'' jumps", tuple(corrected)),
    )


def _fourth(net: FeedForward, gap):
    """f'''' at 1 - gap, from the map itself by a central difference of its slope (three derivatives of f')."""
    with mp.workdps(WORKING + 20):
        step, slope = gap / 1000, net.correlation_map.gap_slope
        above, below = slope(gap + 2 * step) - slope(gap - 2 * step), slope(gap + step) - slope(gap - step)
        return -(above - 2 * below) / (2 * step**3)  # d/dc = -d/dgamma, three times


def signs(setting: Setting) -> Verification:
    """HDR.T1.2-sign: alpha = f''(1)/2 > 0 but beta = -f'''(1)/6 < 0."""
    checks, corrected = [], []
    for net in setting.nets:
        name = net.activation.name
        e = coefficients(net)
        if e.get(5, 0) != 0:
            checks.append(
                coefficient(f"{name}: coefficient of $lambda^(5/2)$, 0 as printed", -e[5], shown=shown(-e[5]))
            )
            continue
        alpha, beta = alpha_beta(net)
        for letter, value in (("$alpha = f''(1)/2$", alpha), ("$beta = -f'''(1)/6$", beta)):
            checks.append(inequality(f"{name}: {letter}", number(value), "> 0", digits=12))
        corrected.append(_third_order(net, beta))
    return Verification(
        "lambda' = lambda - alpha lambda^2 - beta lambda^3 + ..., alpha, beta > 0",
        tuple(checks),
        Verification("smooth phi: alpha = f''(1)/2 > 0, beta = -f'''(1)/6 < 0", tuple(corrected))
        if corrected
        else None,
    )


def _third_order(net: FeedForward, beta) -> Check:
    with mp.workdps(WORKING):
        gap = mpmath.mpf(10) ** -6
        alpha = number(alpha_beta(net)[0], WORKING)
        found = (gap - alpha * gap**2 - net.correlation_map.gap(gap)) / gap**3
    return agreement(
        f"{net.activation.name}: $(lambda - alpha lambda^2 - lambda')/lambda^3$ at $10^-6$ against $beta$", found,
        number(beta), 1e-5
    )


def inverse(setting: Setting) -> Verification:
    """HDR.T1.2-inv: 1/lambda' has (alpha^2 + beta) lambda, not beta lambda."""
    checks, corrected = [], []
    for net in setting.nets:
        alpha, beta, missing = _inverse_coefficient(net)
        name = f"{net.activation.name}: coefficient of $lambda$ in $1/lambda' - 1/lambda - alpha$, minus $beta$"
        checks.append(identity(name, simplify(missing - beta), shown=shown(simplify(missing - beta))))
        exact = simplify(missing - alpha**2 - beta)
        corrected += [
            identity(f"{net.activation.name}: the same minus $alpha^2 + beta$", exact),
            _measured_inverse(net, missing),
        ]
    return Verification(
        "1/lambda' = 1/lambda + alpha + beta lambda + O(lambda^2)",
        tuple(checks),
        Verification("1/lambda' = 1/lambda + alpha + (alpha^2 + beta) lambda + O(lambda^2)", tuple(corrected)),
    )


def _inverse_coefficient(net: FeedForward) -> tuple:
    alpha, beta = alpha_beta(net)
    step = Expansion.build(SCALE, {(2, 0): Integer(1), (4, 0): -alpha, (6, 0): -beta}, Formal(Monomial(8)))
    return alpha, beta, expand((step ** Rational(-1)).coefficient(2))


def _measured_inverse(net: FeedForward, expected) -> Check:
    with mp.workdps(WORKING):
        gap = mpmath.mpf(10) ** -6
        found = (1 / net.correlation_map.gap(gap) - 1 / gap - number(alpha_beta(net)[0], WORKING)) / gap
    return agreement(f"{net.activation.name}: the same on the map at $lambda = 10^-6$", found, number(expected), 1e-5)

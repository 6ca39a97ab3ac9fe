"""Decisions on HDR Theorem 1, part 2: the rate of the NTK on the Edge of Chaos for class S.

With M_n = E[phi^(n)(sqrt(q) Z)^2], f''(1) = q M_2/M_1 and f'''(1) = q^2 M_3/M_1, the laws say

    smooth phi          K^L/(qL) = 1/3 + [1/3 - (2/9) M_1 M_3/M_2^2] log(L)/L + O(1/L)
    phi'' jumps         K^L/(qL) = 1/3 + e_5/(5 e_4^(3/2)) L^(-1/2) + ...,   e_4 = f''(1)/2,
                        e_5 = -(2 sqrt 2/(15 pi)) sigma_w^2 q sum_j J_j^2 exp(-x_j^2/(2q)),   J_j the jumps of phi''

e_5 < 0 whenever phi'' jumps, so Theta(log(L)/L) fails for all of those; for a smooth phi it holds unless
2 M_1 M_3 = 3 M_2^2 (as for sin at one point), and the sign of the coefficient is that of 3 M_2^2 - 2 M_1 M_3.
The variance is at its fixed point q.  For SiLU and GELU at sigma_b = 1/5 that point repels, V'(q) > 1.
Rates are read at fixed c^1; the supremum over all pairs is a claim of its own.
"""

import math
from functools import lru_cache

import numpy as np
from mpmath import mp
from sympy import Expr, Integer, Rational

from asympt.architectures import FeedForward
from asympt.claims import forms
from asympt.claims.claim import Setting
from asympt.claims.figures import CHECK_DIGITS, number, state
from asympt.claims.forms import agreement, at_most, coefficient, inequality, undecided
from asympt.claims.theorems import of_network
from asympt.evidence.check import Check, Verification
from asympt.expansions import Monomial
from asympt.gaussian.moments import square_moments
from asympt.meanfield.float_moments import square_means
from asympt.meanfield.layer import Layer
from asympt.meanfield.variance import VarianceMap
from asympt.numbers import to_mpf

LIMIT = Rational(1, 3)
SIZE = "the exact size of $|K^L/(qL) - 1/3|$"
ROOT, LOG = Monomial(Rational(1, 2)), Monomial(1, 1)
FIRST, LAST = 10_000, 20_000
SHALLOW = 200
SLOPE_DIGITS = 15
ESCAPED = 1e3
MOVED = 0.9  # of q, where the variance begins


def term(net: FeedForward, monomial: Monomial) -> Expr:
    """A coefficient of K^L/(qL), 0 when the law does not have the term."""
    return net.ntk_law(3).expansion.coefficients.get(monomial, Integer(0))


def shown(value: Expr) -> str:
    """A coefficient with its digits."""
    return f"{value} = {value.evalf(12)}" if value.is_number and not value.is_Rational else str(value)


def distance(net: FeedForward | Layer, depth: int) -> float:
    """K^L/q - L/3, which is L (K^L/(qL) - 1/3)."""
    return state(net, depth)[1] - depth / 3


def too_shallow(name: str, setting: Setting) -> Check:
    """The undone check of a depth that was too small."""
    return undecided(name, f"needs depth {LAST}, was given {setting.depth}")


# ---- the rate -----------------------------------------------------------------------------------


def smooth_rate(setting: Setting) -> Verification:
    """HDR.T1.2-rate-smooth: the exact coefficient is not 0, and the original recursion has the same."""
    checks = tuple(check for net in setting.nets for check in log_checks(net, setting))
    return _of_attracted("smooth class S, fixed c^1: |AK^L - AK^inf| = Theta(log(L)/L)", checks, setting)


def _of_attracted(statement: str, checks: tuple[Check, ...], setting: Setting) -> Verification:
    """What is true where the variance is q or comes to q; as printed it is about inputs of any norm."""
    astray = tuple(map(_stays_below, (net for net in setting.nets if variance_slope(net) > 1)))
    right = Verification(f"{statement} where q^1 = q, or |V'(q)| < 1 and q^1 is near q", checks)
    return Verification(statement, (*checks, *astray), right if astray else None)


def _stays_below(net: FeedForward) -> Check:
    """Two inputs of one norm have |K^L(x, x')| <= K^L(x, x), which tends to a constant where q^l leaves q."""
    found = moving_diagonal(net, MOVED, (SHALLOW,))[SHALLOW][1] / SHALLOW
    q = float(number(net.variance))
    name = f"{net.activation.name}: $K^L(x,x)/(qL)$, which bounds $K^L(x,x')/(qL)$, at $L = {SHALLOW}$, "
    name += f"$q^1 = {MOVED} q$"
    return inequality(name, 1 + found / q, ">= 0.3", variance_note(net), digits=4)


def log_checks(net: FeedForward, setting: Setting) -> list[Check]:
    name, coefficient = net.activation.name, term(net, LOG)
    half = term(net, ROOT)
    exact = inequality(
        f"{name}: size of the coefficient of $log(L)/L$", abs(number(coefficient)) if half == 0 else 0, "> 1e-12",
        f"exact, from the law; {variance_note(net)}", shown=shown(coefficient)
    )
    row = of_network(net, "ntk", f"{name}: {SIZE}", "Theta", "log(L)/L")
    return [exact, moments_say(net, coefficient), _log_growth(net, coefficient, setting), *row]


def moments_say(net: FeedForward, coefficient: Expr) -> Check:
    """The same number from Gaussian moments alone."""
    found = rate_coefficient(net.activation, number(net.variance))
    return agreement(
        f"{net.activation.name}: $1/3 - (2/9) M_1 M_3/M_2^2$ against it", found, number(coefficient), 1e-12
    )


def rate_coefficient(phi, q, digits: int = CHECK_DIGITS):
    """1/3 - (2/9) M_1 M_3/M_2^2 at variance q."""
    with mp.workdps(digits):
        _, first, second, third = square_moments(phi.piecewise, 4, q, digits)
        return (3 - 2 * first * third / second**2) / 9


def _log_growth(net: FeedForward, coefficient: Expr, setting: Setting) -> Check:
    name = f"{net.activation.name}: growth of $L (K^L/(qL) - 1/3)$ per unit of $log L$, $L = {FIRST}$ to {LAST}"
    if setting.depth < LAST:
        return too_shallow(name, setting)
    growth = (distance(net, LAST) - distance(net, FIRST)) / math.log(LAST / FIRST)
    return agreement(f"{name}, against it", growth, number(coefficient), 0.02, "float64 orbit from c^1 = 1/10")


def kinked_rate(setting: Setting) -> Verification:
    """HDR.T1.2-rate-elu: the coefficient of L^(-1/2) is not 0, and L|AK^L - AK^inf|/log L grows."""
    checks, corrected = [], []
    for net in setting.nets:
        checks += [absent_root(net), _unbounded(net, setting)]
        checks += of_network(net, "ntk", f"{net.activation.name}: {SIZE}", "Theta", "log(L)/L")
        corrected += [jumps_say(net), root_growth(net, setting)]
    statement = "phi'' jumps: K^L/(qL) = 1/3 + e_5/(5 e_4^(3/2)) L^(-1/2) + O(log(L)/L): the exact rate is L^(-1/2)"
    if setting.evidence is not None:
        corrected += setting.evidence.checks
    return Verification(
        "phi'' jumps, fixed c^1: |AK^L - AK^inf| = Theta(log(L)/L)",
        tuple(checks),
        Verification(statement, tuple(corrected)),
    )


def absent_root(net: FeedForward) -> Check:
    """The printed rate needs the coefficient of L^(-1/2) to be 0."""
    found = term(net, ROOT)
    return coefficient(
        f"{net.activation.name}: coefficient of $L^(-1/2)$ in $K^L/(qL)$, 0 by the printed rate", found, 0,
        "exact, from the law", shown(found)
    )


def _unbounded(net: FeedForward, setting: Setting) -> Check:
    name = f"{net.activation.name}: $L |K^L/(qL) - 1/3|/log L$ at $L = {LAST}$ over $L = {SHALLOW}$"
    if setting.depth < LAST:
        return too_shallow(name, setting)
    values = [abs(distance(net, d)) / math.log(d) for d in (SHALLOW, LAST)]
    return at_most(name, values[1] / values[0], 2, "tends to 1 if the printed rate is right", digits=4)


def jumps_say(net: FeedForward) -> Check:
    """The coefficient of L^(-1/2) from the jumps of phi'' and f''(1) alone."""
    found, expected = root_coefficient(net), number(term(net, ROOT))
    return agreement(
        f"{net.activation.name}: $e_5/(5 e_4^(3/2))$ from the jumps of $phi''$ against the law", found, expected, 1e-12
    )


def root_coefficient(net: FeedForward):
    """-(2 sqrt 2/(75 pi)) sigma_w^2 q sum J^2 exp(-x^2/(2q)) / (f''(1)/2)^(3/2)."""
    phi = net.activation
    with mp.workdps(CHECK_DIGITS):
        q, weight = to_mpf(net.variance), to_mpf(net.layer.weight_variance)
        second = square_moments(phi.piecewise, 3, q, CHECK_DIGITS)[2]
        squares = sum(
            to_mpf(jump) ** 2 * mp.exp(-(to_mpf(point) ** 2) / (2 * q)) for point, jump in phi.jumps(2).items()
        )
        half = weight * q * second / 2
        return -2 * mp.sqrt(2) / (75 * mp.pi) * weight * q * squares / half ** mp.mpf("1.5")


def root_growth(net: FeedForward, setting: Setting) -> Check:
    """L (K^L/(qL) - 1/3) minus the log term, growth per unit of sqrt(L)."""
    name = f"{net.activation.name}: growth of $L (K^L/(qL) - 1/3) - b log L$ per unit of $sqrt(L)$, "
    name += f"$L = {FIRST}$ to {LAST}"
    if setting.depth < LAST:
        return too_shallow(name, setting)
    log_part = float(number(term(net, LOG))) * math.log(LAST / FIRST)
    growth = (distance(net, LAST) - distance(net, FIRST) - log_part) / (math.sqrt(LAST) - math.sqrt(FIRST))
    return agreement(f"{name}, against it", growth, number(term(net, ROOT)), 0.02, "float64 orbit; b from the law")


# ---- the limit -------------------------------------------------------------------------------


def limit(setting: Setting) -> Verification:
    """HDR.T1.2-limit: 1/3, by the law and by the distance from it on the original recursion."""
    checks = []
    for net in setting.nets:
        found = net.ntk_law(3).limit
        checks += [
            forms.coefficient(f"{net.activation.name}: limit of the law minus 1/3", found - LIMIT),
            _distance_dies(net, setting),
            *of_network(net, "ntk", f"{net.activation.name}: $K^L/(qL)$", "limit", LIMIT),
        ]
    return _of_attracted("K^L(x,x')/L -> q/3", tuple(checks), setting)


def _distance_dies(net: FeedForward, setting: Setting) -> Check:
    name = f"{net.activation.name}: $|K^L/(qL) - 1/3|$ at $L = {LAST}$ over $L = {SHALLOW}$"
    if setting.depth < LAST:
        return too_shallow(name, setting)
    figures = [abs(distance(net, d)) / d for d in (SHALLOW, LAST)]
    return at_most(name, figures[1] / figures[0], 0.5, f"{figures[0]:.3g} and {figures[1]:.3g}")


@lru_cache(maxsize=64)
def variance_slope(net: FeedForward) -> float:
    """V'(q): above 1 the fixed point of the variance repels, and only inputs with q^1 = q stay there."""
    layer = net.layer
    image = VarianceMap(net.activation, number(layer.weight_variance), number(layer.bias_variance))
    return float(image.slope(number(net.variance), SLOPE_DIGITS))


def variance_note(net: FeedForward) -> str:
    """One phrase on the fixed point of the variance."""
    slope = variance_slope(net)
    kind = "attracts" if slope < 1 else "repels, so this is about inputs with q^1 = q alone"
    return f"V'(q) = {slope:.6g}: the fixed point of the variance {kind}"


def moving_diagonal(net: FeedForward, start: float, layers: tuple) -> dict:
    """{L: (q^L/q, K^L(x, x) - q L)} from q^1 = start q."""
    weight, bias, q = (float(number(v)) for v in (net.layer.weight_variance, net.layer.bias_variance, net.variance))
    zeroth, first = (square_means(net.activation.piecewise, n) for n in (0, 1))
    variance = kernel = start * q
    found = {}
    for layer in range(2, max(layers) + 1):
        place = np.array([variance])
        kernel *= weight * float(first(place)[0])
        variance = bias + weight * float(zeroth(place)[0])
        kernel += variance
        if layer in layers:
            found[layer] = (variance / q, kernel - layer * q)
        if variance > ESCAPED * q:
            return {layer: (variance / q, kernel - layer * q) for layer in layers}
    return found

"""Decisions on HDR Appendix B.1: what is recalled there about variances, phases and correlation maps.

The statements with e^(-lambda l) are read as printed: for every l >= 1 and with no constant in front.  What is true is
the same rate with a constant that depends on the start,

    |q^l - q| ~ A(q^1) V'(q)^l
    1 - c^l <= (1 - c^1) chi^(l-1)        ordered
    |c^l - c*| ~ A(c^1) f'(c*)^l          chaotic, |c^1| < 1, f'(c*) != 0

The second follows from |f'(c)| <= f'(1) = chi on [-1, 1] (Cauchy and Schwarz: f'(c) = sigma_w^2 E[phi'(U) phi'(V)]).
"""

from functools import lru_cache

import mpmath
import numpy as np
from mpmath import mp
from sympy import Rational

from asympt import depth as engine
from asympt.architectures import FeedForward
from asympt.claims.figures import CHECK_DIGITS, state
from asympt.claims.forms import agreement, at_most, inequality, same
from asympt.evidence.check import Check, Verification
from asympt.meanfield.activations import activation
from asympt.meanfield.variance import VarianceMap
from asympt.numbers import to_mpf

ROUNDING = 1e-11
BIAS = Rational(1, 5)


@lru_cache(maxsize=1)
def ordered() -> FeedForward:
    """tanh with sigma_w = 1, sigma_b = 1/5: chi < 1."""
    return FeedForward("tanh", sigma_w=1, sigma_b=BIAS)


@lru_cache(maxsize=1)
def chaotic() -> FeedForward:
    """tanh with sigma_w = 2, sigma_b = 1/5: chi > 1."""
    return FeedForward("tanh", sigma_w=2, sigma_b=BIAS)


@lru_cache(maxsize=1)
def several_ordered() -> tuple[FeedForward, ...]:
    """Ordered networks of two activations and several scales."""
    return (ordered(), FeedForward("erf", sigma_w=1, sigma_b=BIAS), FeedForward("erf", sigma_w="1/2", sigma_b=1))


@lru_cache(maxsize=1)
def several_chaotic() -> tuple[FeedForward, ...]:
    """Chaotic networks of two activations and several scales."""
    return (chaotic(), FeedForward("erf", sigma_w=2, sigma_b=BIAS), FeedForward("erf", sigma_w=3, sigma_b=1))


def named(net: FeedForward) -> str:
    """The activation and the scales of a network."""
    return f"{net.activation.name}, sigma_w = {net.sigma_w}, sigma_b^2 = {net.layer.bias_variance}"


@lru_cache(maxsize=8)
def attractor(net: FeedForward) -> tuple[float, float]:
    """(1 - c*, f'(c*)) of a chaotic network to float64 accuracy."""
    with mp.workdps(CHECK_DIGITS):
        gap = net.correlation_map.fixed_gap()
        return float(gap), float(net.correlation_map.gap_slope(gap))


# ---- variances ----------------------------------------------------------------------------------


def variance_converges() -> Verification:
    """HDR.B1.varconv: beside ReLU on the Edge of Chaos, tanh at (0, 1) and the first layer of any network."""
    checks = (_slow_variance(), _first_layer())
    return Verification("sup over x of |Sigma^l(x,x) - q| <= e^(-lambda l) in every phase", checks, _geometric())


def _slow_variance() -> Check:
    """tanh at sigma_b = 0, sigma_w = 1 (chi = 1 at q = 0): -log(q^l)/l would stay above lambda."""
    growth = VarianceMap(activation("tanh"), 1, 0).growth
    q, exponents = 1.0, {}
    for layer in range(2, 20_001):
        q *= 1 + float(growth(np.array([q]))[0])
        if layer in (200, 20_000):
            exponents[layer] = -np.log(q) / layer
    figure = exponents[20_000] / exponents[200]
    detail = f"2 l q^l = {2 * 20_000 * q:.4f} at l = 20000: q^l ~ 1/(2l), no exponential"
    name = "tanh, $(sigma_b, sigma_w) = (0, 1)$: $-log(q^l)/l$ at $l = 20000$ over $l = 200$"
    return inequality(name, figure, ">= 0.5", detail, digits=3)


def _first_layer() -> Check:
    """Sigma^1(x, x) = sigma_b^2 + sigma_w^2 ||x||^2/d is not bounded in x."""
    net = ordered()
    first = float(net.layer.bias_variance + net.layer.weight_variance * 10**6)
    figure = abs(first - float(to_mpf(net.variance)))
    name = "$|Sigma^1(x,x) - q|$ at $||x||^2/d = 10^6$, tanh, $sigma_w = 1$, $sigma_b = 1/5$"
    return at_most(name, figure, 1, "unbounded in x, while e^(-lambda) < 1", digits=8)


def _geometric() -> Verification:
    net, layers = ordered(), 40
    image = VarianceMap(net.activation, net.layer.weight_variance, net.layer.bias_variance)
    with mp.workdps(CHECK_DIGITS + 10):
        q, values = to_mpf(net.variance), [mpmath.mpf(3)]
        for _ in range(layers):
            values.append(image(values[-1], CHECK_DIGITS))
        ratio = (values[-1] - q) / (values[-2] - q)
        slope = image.slope(q, CHECK_DIGITS)
    name = (
        f"$(q^(l+1) - q)/(q^l - q)$ at $l = {layers}$ against $V'(q)$, tanh, $sigma_w = 1$, $sigma_b = 1/5$, $q^1 = 3$"
    )
    return Verification(
        "|q^l - q| ~ A(q^1) V'(q)^l at a fixed point with 0 < |V'(q)| < 1", (agreement(name, ratio, slope, 1e-6),)
    )


# ---- correlations off the Edge of Chaos -----------------------------------------------------------


def ordered_correlation() -> Verification:
    """HDR.B1.ordered: in the first layers the supremum is above 1, so a factor in front is needed."""
    return Verification("ordered: sup |c^l - 1| <= e^(-gamma l) for every l >= 1", (), _contraction())


def _contraction() -> Verification:
    net, starts = ordered(), np.array([2.0, 1.5, 1.0, 0.5, 1e-3, 1e-9])
    chi = float(to_mpf(net.layer.chi))
    excess = max(
        float((engine.pairs(net, starts, layer)[0] / (starts * chi ** (layer - 1))).max()) for layer in (2, 3, 10, 30)
    )
    name = "largest $(1 - c^l)/((1 - c^1) chi^(l-1))$, $l = 2$, 3, 10, 30, six $c^1$ from -1 on"
    bound = at_most(name, excess, 1 + ROUNDING, f"tanh, chi = {chi:.6g}; |f'| <= f'(1)", digits=12)
    return Verification("ordered, variance at its fixed point: 1 - c^l <= (1 - c^1) chi^(l-1)", (bound,))


def chaotic_correlation() -> Verification:
    """HDR.B1.chaotic: a fixed pair approaches c* at the rate f'(c*)."""
    return Verification("chaotic: sup over x != x' of |c^l - c| <= e^(-gamma l)", (), _attraction(chaotic()))


def _attraction(net: FeedForward) -> Verification:
    with mp.workdps(CHECK_DIGITS):
        f = net.correlation_map
        gap = mpmath.mpf(9) / 10
        centre = f.fixed_gap()
        for _ in range(60):
            last, gap = gap, f.gap(gap)
        ratio, slope = (gap - centre) / (last - centre), f.gap_slope(centre)
    check = agreement("$(c^(l+1) - c*)/(c^l - c*)$ at $l = 60$ against $f'(c*)$, $c^1 = 1/10$", ratio, slope, 1e-4)
    return Verification("chaotic, fixed |c^1| < 1, f'(c*) != 0: |c^l - c*| ~ A(c^1) f'(c*)^l", (check,))


def correlation_rates() -> Verification:
    """HDR.S4.corrrates: the leading terms of the laws, and l^2 (1 - c^l), l (1 - c^l) on the original recursion."""
    from asympt.claims.scopes import on_edge

    checks = [_power(on_edge("relu"), 2)]
    checks += [_power(on_edge(name), 1) for name in ("tanh", "silu", "elu")]
    checks += [*_contraction().checks, *_attraction(chaotic()).checks]
    return Verification(
        "1 - c^l = O(l^-2) for ReLU, O(1/l) for class S, exponential off the Edge of Chaos", tuple(checks)
    )


def _power(net: FeedForward, power: int) -> Check:
    monomial, coefficient = net.correlation_law(1).expansion.leading
    layers, expected = 20_000, float(coefficient.evalf(15))
    found = state(net, layers)[0] * float(layers) ** power
    name = f"{net.activation.name}: $l^{power} (1 - c^l)$ at $l = {layers}$ against its limit"
    if monomial.order != power or monomial.logs:
        return same(name, f"the law begins with l^(-{monomial.order})", f"l^(-{power})", strength="checked")
    return agreement(name, found, expected, 0.05, "leading coefficient of the law; the rest is log(l)/l or 1/sqrt(l)")

"""Decisions on rates: a coefficient that the printed rate says is absent, and a growth that it says must stop.

Problem.  'r_L = Theta(1/L)' cannot be told from 'r_L ~ log(L)/L' by a slope on a log-log plot.

Rule.  Two routes.  The law has an exact coefficient of the log term: the printed rate says it is 0.  And on the
original recursion, in float64, L r_L is followed over decades: if it tends to a constant, its growth per unit of
log L dies out; the figure is that growth over the last decade divided by the one over the first decade, which the
printed rate says falls below 1/2 (it falls by orders of magnitude for a power tail, and stays near 1 for a log).
"""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import mpmath
import numpy as np
from mpmath import mpf
from sympy import Integer, Rational, Symbol, asin, diff, pi, series, simplify, sqrt

from asympt import depth as engine
from asympt.architectures import FeedForward
from asympt.architectures.relu_like import leading_abel
from asympt.claims import forms
from asympt.claims.claim import Setting
from asympt.claims.figures import START_GAP, state
from asympt.claims.forms import agreement, at_most, identity, inequality, undecided, vanishes
from asympt.claims.hdr.smooth.rates import absent_root, smooth_rate
from asympt.claims.scopes import on_edge
from asympt.claims.theorems import by_theorem, certified, of_network
from asympt.evidence.check import Check, Verification
from asympt.evidence.law_terms import terms_of, value
from asympt.evidence.verify import verify
from asympt.expansions import Monomial
from asympt.gaussian.closed.arccosine import half_angle
from asympt.numbers import exact, to_mpf

DECAY = 0.5
SIZE = "the exact size of $|K^L/(qL) - limit|$"


# ---- the two routes -----------------------------------------------------------------------------


def absent_log(name: str, coefficient) -> Check:
    """The printed rate needs this exact coefficient of a log term to be 0."""
    detail = "exact, from the law, which has its own verification"
    title = f"coefficient of {name}, 0 by the printed rate"
    return forms.coefficient(title, coefficient, detail=detail)


def no_growth(name: str, setting: Setting, rescaled: Callable) -> Check:
    """Growth of `rescaled(L, gap_L, k_L)` per unit of log L: last decade against first decade."""
    depths = _decades(setting)
    if not depths:
        return _too_shallow(f"growth of {name}", setting)
    values = [float(rescaled(d, *state(setting.net, d))) for d in depths]
    growths = [(b - a) / np.log(e / d) for a, b, d, e in zip(values, values[1:], depths, depths[1:], strict=False)]
    figure = abs(growths[-1] / growths[0])
    detail = f"per unit of log L: {growths[0]:.6f} from layer {depths[0]}, {growths[-1]:.6f} up to layer {depths[-1]}"
    return at_most(f"growth of {name}, last decade / first decade", figure, DECAY, detail, digits=4)


def _decades(setting: Setting) -> list[int]:
    """Two decades or more of layers in the asymptotic regime, l >> alpha_(-1); [] when the depth is too small.

    Below l = 10 alpha a nearly linear network has not begun to forget its input, and a rate seen there means nothing.
    At most three decades: one pair at a time is slow.
    """
    first = _first_layer(setting)
    return [first * 10**k for k in range(4) if first * 10**k <= setting.depth] if 100 * first <= setting.depth else []


def _first_layer(setting: Setting) -> int:
    """Where the asymptotic regime is taken to begin: layer 10 alpha_(-1), and not before 100."""
    return 10 * max(10, int(to_mpf(leading_abel(setting.net.layer.kink_weight))) + 1)


def _too_shallow(name: str, setting: Setting) -> Check:
    return undecided(name, f"needs depth {100 * _first_layer(setting)}, was given {setting.depth}")


def _corrected_ntk(setting: Setting) -> Verification:
    found = setting.evidence or verify(
        setting.net.ntk_law(), digits=setting.digits, depth=setting.depth, theorem=False
    )
    row = of_network(setting.net, "ntk", SIZE, "Theta", "log(L)/L")
    # the theorem of a verification is about one start, the statement about all
    return replace(found, checks=(*found.checks, *row), theorem=None, unproved="")


# ---- Theorem 1, item 1 --------------------------------------------------------------------------


def rate(setting: Setting) -> Verification:
    """HDR.T1.1-rate."""
    law = setting.net.ntk_law(2)
    limit = float(law.limit)
    checks = (
        absent_log("$log(L)/L$ in $K^L/(qL)$", law.expansion.coefficients.get(Monomial(1, 1), Integer(0))),
        no_growth("$L (K^L/(qL) - limit)$", setting, lambda d, gap, kernel: kernel - limit * d),
        *of_network(setting.net, "ntk", SIZE, "Theta", "1/L"),
    )
    return Verification("|AK^L - AK^inf| = Theta(1/L) at fixed c^1", checks, _corrected_ntk(setting))


def limit(setting: Setting) -> Verification:
    """HDR.T1.1-limit: x' = 2 x is a pair x != x' too; 1/4 where f(c^1) < 1, and K^L/(qL) knows nothing of the norms."""
    law = setting.net.ntk_law(2)
    exact_limit = forms.coefficient("limit of the law minus 1/4", law.limit - Rational(1, 4))
    row = of_network(setting.net, "ntk", "$K^L/(qL)$", "limit", Rational(1, 4), decides=True)
    depth = min(setting.depth, 10**4)
    name = f"$K^L(x, 2x)/(qL)$ at $L = {depth}$ against 1/4"
    parallel = agreement(name, _of_multiples(setting.net, depth), 0.25, 0.1, "c^l = 1, and f(1) = f'(1) = 1")
    return Verification(
        "K^L(x,x')/L -> q/4 for all x != x'", (parallel,),
        Verification("K^L(x,x')/L -> q/4 where f(c^1) < 1", (exact_limit, _distance_dies(setting), *row)),
    )  # fmt: skip


def _of_multiples(net: FeedForward, depth: int) -> float:
    """K^L(x, 2x)/(qL), q^2 the product of both variances: the correlation of x and 2x is 1."""
    return state(net, depth, 0.0)[1] / depth


def _distance_dies(setting: Setting) -> Check:
    """|K^L/(qL) - 1/4| at the last depth over the first: 1/100 or so for a limit reached like log(L)/L."""
    depths = _decades(setting)
    if not depths:
        return _too_shallow("$|K^L/(qL) - 1/4|$ on the original recursion", setting)
    distances = [abs(state(setting.net, d)[1] / d - 0.25) for d in (depths[0], depths[-1])]
    detail = f"{distances[0]:.3g} and {distances[1]:.3g}, float64 orbit from c^1 = 1/10"
    name = f"$|K^L/(qL) - 1/4|$ at $L = {depths[-1]}$ over $L = {depths[0]}$"
    return at_most(name, distances[1] / distances[0], DECAY, detail)


def diagonal(setting: Setting) -> Verification:
    """HDR.T1.1-diag: a Theta needs a positive lower bound, and the difference is exactly 0."""
    depth = min(setting.depth, 10**4)
    _, kernel = engine.pairs(setting.net, np.zeros(1), depth)
    figure = abs(float(kernel[0]) - depth)
    lower = inequality(f"$L |AK^L(x,x) - AK^inf(x,x)|/q$ at depth {depth} is positive", figure, "> 0")
    exact = at_most("$|K^L(x,x) - qL|/q$", figure, 0, "gap 0 stays 0 and f'(1) = f(1) = 1: K grows by q a layer")
    corrected = Verification("K^L(x,x) = q L exactly", (exact,))
    return Verification("AK^L(x,x) = AK^inf(x,x) + Theta(1/L), a positive lower bound included", (lower,), corrected)


def uniform(setting: Setting) -> Verification:
    """HDR.T1.sup: at fixed L the deviation tends to (1 - lambda) q as c^1 -> 1, so the supremum does not decay."""
    checks = tuple(_supremum(net) for net in setting.nets)
    away = tuple(check for net in setting.nets for check in _proved_away_from_one(net) or _away_from_one(net))
    return Verification(
        "sup over x != x' of |AK^L - AK^inf| = Theta(1/L), Theta(log(L)/L) for class S",
        checks,
        Verification("sup over 1 - c^1 >= eps, |x| <= R of |AK^L - AK^inf| <= M(eps) q log(L)/L, L >= 2", away),
    )


def _proved_away_from_one(net: FeedForward) -> tuple[Check, ...]:
    """M(eps) for all L >= 2 and all c^1 in [-1, 1 - eps], eps = 1/10, by theorem."""
    name = f"{net.activation.name}: sup of $|K^L/(qL) - lambda|$ over $-1 <= c^1 <= 9/10$"
    return by_theorem(name, certified(net, "ntk", 1), "O", "log(L)/L")


def _away_from_one(net: FeedForward) -> tuple[Check, ...]:
    """M(eps) from the layers up to 1000, held against the decade beyond; the worst of twelve starts from -1 on."""
    limit, found = float(net.ntk_law(3).limit), []
    for least in (0.1, 0.01):
        gaps = least * (2 / least) ** (np.arange(12) / 11)
        largest = {}
        for depth in (2, 10, 100, 1000, 10_000):
            _, kernel = engine.pairs(net, gaps, depth)
            largest[depth] = float(np.abs(kernel / depth - limit).max()) * depth / np.log(depth)
        constant = max(value for depth, value in largest.items() if depth <= 1000)
        detail = "L sup|AK^L - AK^inf|/(q log L): " + ", ".join(f"{v:.4g} at L = {d}" for d, v in largest.items())
        name = f"{net.activation.name}: sup over $1 - c^1 >= {least}$ at $L = 10000$ over $M(eps) = {constant:.4g}$"
        found.append(at_most(name, largest[10_000] / constant, 1, detail))
    return tuple(found)


def _supremum(net: FeedForward) -> Check:
    """Growth of L sup|AK^L - AK^inf|: 1 for 1/L, 2 for log(L)/L, 100 where the supremum stays."""
    limit, deviations = float(net.ntk_law(3).limit), []
    for depth in (10**2, 10**4):
        deviations.append(depth * abs(state(net, depth, 1e-30)[1] / depth - limit))
    figure = deviations[1] / deviations[0]
    detail = f"L |AK^L - AK^inf|/q at 1 - c^1 = 1e-30: {deviations[0]:.6g} at L = 100, {deviations[1]:.6g} at L = 10000"
    name = f"{net.activation.name}: growth of $L sup|AK^L - AK^inf|$ from $L = 100$ to 10000"
    return at_most(name, figure, 10, detail, digits=4)


def correlation(setting: Setting) -> Verification:
    """HDR.T1.1-c."""
    law = setting.net.correlation_law(2)
    lead = law.expansion.coefficient(2)
    number = float(to_mpf(lead))
    name = f"$l^3 (1 - c^l - ({lead})/l^2)$"
    checks = (
        absent_log("$log(l)/l^3$ in $1 - c^l$", law.expansion.coefficients.get(Monomial(3, 1), Integer(0))),
        no_growth(name, setting, lambda d, gap, kernel: (gap * float(d) ** 2 - number) * d),
        *_rest_of_correlation(setting, "1/l^3"),
    )
    found = _corrected_correlation(setting)
    corrected = replace(found, checks=(*found.checks, *_rest_of_correlation(setting, "log(l)/l^3")))
    return Verification(f"c^l = 1 - ({lead})/l^2 + Theta(l^-3)", checks, corrected)


def _rest_of_correlation(setting: Setting, size: str) -> tuple[Check, ...]:
    name = "the exact size of $1 - c^l$ less its leading term"
    return of_network(setting.net, "correlation", name, "Theta", size)


def _corrected_correlation(setting: Setting) -> Verification:
    return _verified_correlation(setting.net, setting.digits, min(setting.depth, 10**4))


@lru_cache(maxsize=8)
def _verified_correlation(net, digits: int, depth: int) -> Verification:
    return verify(net.correlation_law(), digits=digits, depth=depth, theorem=False)


def slope_along(setting: Setting) -> Verification:
    """HDR.T1.1-fp: f'(c^l) = 1 - 3/l + (9/2) log(l)/l^2 + ..., composed from the law and the slope's expansion."""
    law = setting.net.correlation_law(3)
    slope = setting.net.correlation_map.slope_expansion(3).compose(law.expansion ** Rational(1, 2))
    coefficient = slope.coefficients.get(Monomial(2, 1), Integer(0))
    asymmetry = float(to_mpf(setting.net.correlation_map.asymmetry))

    def rescaled(d, gap, kernel):
        return (3.0 - asymmetry * 2 * np.arcsin(np.sqrt(gap / 2)) * d) * d

    checks = (
        absent_log("$log(l)/l^2$ in $f'(c^l)$", coefficient), no_growth("$l^2 (f'(c^l) - 1 + 3/l)$", setting, rescaled),
    )  # fmt: skip
    corrected = Verification(f"f'(c^l) = {slope.truncate(3)}", _slope_checks(setting, slope))
    return Verification("f'(c^l) = 1 - 3/l + Theta(l^-2)", checks, corrected)


def _slope_checks(setting: Setting, slope) -> tuple[Check, ...]:
    """The law of c^l is verified; l^2 times what the composed slope leaves of f'(c^l) must die out with depth."""
    depths = _decades(setting)
    if not depths:
        return (*_corrected_correlation(setting).checks, _too_shallow("$f'$ on the original recursion", setting))
    constant = setting.net.correlation_law(2).connection_constant(gap=exact(START_GAP), digits=20)
    terms = terms_of(slope, {"C": constant})
    asymmetry = to_mpf(setting.net.correlation_map.asymmetry)
    left = []
    for depth in (depths[0], depths[-1]):
        observed = 1 - asymmetry * half_angle(mpf(state(setting.net, depth)[0]))
        left.append(abs(observed - value(terms, mpf(depth))) * depth**2)
    name = f"l^2 |f'(c^l) - law with its C| at $l = {depths[-1]}$ over $l = {depths[0]}$"
    measured = at_most(name, left[1] / left[0], DECAY, "float64 orbit from c^1 = 1/10")
    return (*_corrected_correlation(setting).checks, measured)


# ---- consequences drawn in the paper ------------------------------------------------------------


def gain(setting: Setting) -> Verification:
    """HDR.T1.gain: the ReLU-like rate has the log as well, and ELU, which HDR puts in class S, has L^(-1/2)."""
    half = rate(Setting(setting.net, setting.digits, setting.depth, Verification("not needed here", ())))
    smooth = smooth_rate(replace(setting, net=on_edge("tanh"), others=()))
    kinked = absent_root(on_edge("elu"))
    return Verification("ReLU-like O(1/L) against class S O(log(L)/L)", (*half.checks, *smooth.checks, kinked),
                        Verification("ReLU-like, smooth: log(L)/L; phi'' jumps: L^(-1/2)", _same_logs(setting.net)))


def _same_logs(relu: FeedForward) -> tuple[Check, ...]:
    """The coefficients of log(L)/L of a ReLU-like network and of tanh: neither vanishes."""
    found = {relu.activation.name: relu, "tanh": on_edge("tanh")}
    checks = []
    for name, net in found.items():
        value = net.ntk_law(3).expansion.coefficients.get(Monomial(1, 1), Integer(0))
        figure = mpmath.nstr(to_mpf(value), 10)
        checks.append(inequality(f"{name}: coefficient of $log(L)/L$", value, "!= 0", str(value), shown=figure,
                                   strength="checked"))
    return tuple(checks)


def invertible(setting: Setting) -> Verification:
    """HDR.T1.inv: J is singular for inputs x and 2x.  Without such: lambda from the map of ReLU alone, J of any size.

    1 - c^l falls for f(c) > c; the increments of (1 - c^l)^(-1/2) tend to s/2, so l (1 - c^l)^(1/2) -> 2/s and
    l (1 - f'(c^l)) -> a; and a_l = (1 - a/l + o(1/l)) a_(l-1) + 1 + o(1) has a_l/l -> 1/(1 + a) (Stolz and Cesaro).
    """
    limit = setting.net.ntk_law(1).limit
    checks = (
        *_limit_of_relu(setting.net.correlation_map, limit), *_inverse_of_any_size(),
        inequality("$lambda$", limit, "> 0"), inequality("$1 - lambda$", 1 - limit, "> 0"),
    )  # fmt: skip
    singular = 1 - _of_multiples(setting.net, min(setting.depth, 10**4)) ** 2
    return Verification(
        "K^L = L J (1 + o(1)), J invertible for all inputs",
        (inequality("determinant of $J$ for the inputs $x$, $2x$, over that of its diagonal", singular, "> 0"),),
        Verification("no c^1 = 1: K^L = L J (1 + o(1)), 0 < lambda < 1, J invertible for any number of inputs", checks),
    )


def _limit_of_relu(f, stated) -> tuple[Check, ...]:
    """1/(1 + a), a = lim (1 - f')/t over lim (1/t' - 1/t), t = (1 - c)^(1/2)."""
    t, c = Symbol("t", positive=True), Symbol("c", real=True)
    rise = (c * asin(c) + sqrt(1 - c**2)) / pi + c / 2 - c
    gap, slope = (series(form(t), t, 0, 4).removeO() for form in (f.gap_in_uniformiser, f.slope_in_uniformiser))
    step, lost = -gap.coeff(t, 3) / gap.coeff(t, 2) / 2, -slope.coeff(t, 1)
    return (
        identity("$1 - f(1 - t^2)$ minus $t^2$ and $f'(1 - t^2)$ minus 1 at the leading order",
                 [gap.coeff(t, 2) - 1, gap.coeff(t, 1), slope.coeff(t, 0) - 1]),
        identity("$f(c) - c$ at $c = 1$", rise.subs(c, 1)),
        vanishes("its slope minus $(arcsin c)/pi - 1/2$, which is negative below 1", diff(rise, c) - asin(c) / pi
                 + Rational(1, 2), "so f(c) > c for -1 <= c < 1, and c^l -> 1 from every start"),
        identity("$1/(1 + a)$ minus the limit of the law, $a = lim l (1 - f'(c^l))$", simplify(1 / (1 + lost / step))
                 - stated, f"increments of (1 - c)^(-1/2) tend to {step}, (1 - f')/(1 - c)^(1/2) to {lost}"),
    )  # fmt: skip


def _inverse_of_any_size() -> tuple[Check, ...]:
    """(a I + b E)(x I + y E) = I with E = 11^T, E^2 = n E, n a symbol."""
    lam, size, ones_ = Symbol("lambda", positive=True), Symbol("n", positive=True), Symbol("E")
    first = 1 - lam + lam * ones_
    inverse = (1 - lam * ones_ / (1 - lam + size * lam)) / (1 - lam)
    product = (first * inverse).expand().subs(ones_**2, size * ones_)
    detail = "1 - lambda + n lambda > 0 for 0 < lambda < 1: the inverse exists"
    return (vanishes("$J/q$ times its inverse minus $I$, $n$ inputs, $E = 11^T$, $E^2 = n E$", product - 1, detail),)

"""Decisions on HDR Appendix Lemma 7: variance, correlation map and correlation of a dense ReLU ResNet.

With alpha = sigma_w^2/2 and delta = alpha/(1 + alpha), for a symbolic sigma_w,

    c^(l+1) = c^l + (2 sqrt(2) delta/(3 pi)) (1 - c^l)^(3/2) + (sqrt(2) delta/(30 pi)) (1 - c^l)^(5/2) + ...
    1 - c^l = (9 pi^2/(2 delta^2)) (l^-2 - 3 log(l) l^-3 + ...)

The lemma's proof takes 1/sqrt(gamma_(l+1)) - 1/sqrt(gamma_l) = s/2 + O(gamma_l); expanding the power -1/2 to second
order leaves (3/8) s^2 sqrt(gamma_l), whose sum over the layers is the log.
"""

from mpmath import mp, mpf
from sympy import Integer, Rational, Symbol, exp, integrate, oo, pi, simplify, sqrt

from asympt.architectures.relu_like import ALPHA, leading_abel, universal_expansion
from asympt.architectures.resnet import ResNet
from asympt.claims.figures import CHECK_DIGITS
from asympt.claims.forms import agreement, at_most, identity, inequality
from asympt.claims.hdr.relu.rates import DECAY, absent_log
from asympt.claims.hdr.residual.orbits import (
    START,
    STRONG,
    WEIGHT,
    any_width,
    example,
    growth,
    law_checks,
    states,
)
from asympt.evidence.check import Check, Verification
from asympt.evidence.law_terms import terms_of, value
from asympt.evidence.symbolic.zero import is_zero
from asympt.expansions import Monomial
from asympt.gaussian.closed.arccosine import half_angle
from asympt.gaussian.kernel import Kernel
from asympt.meanfield.correlation import CorrelationMap
from asympt.numbers import to_mpf

ADDED = WEIGHT**2 / 2
BRANCH_SHARE = ADDED / (1 + ADDED)


def zero_check(name: str, difference, detail: str = "") -> Check:
    """An expression in sigma_w that must vanish identically."""
    rest = simplify(difference)
    return identity(name, 0 if is_zero(rest) else rest, detail)


def variance() -> Verification:
    """HDR.AL7.var: one branch adds sigma_w^2 q/2; the closed form solves that recursion."""
    z, q = Symbol("z", real=True), Symbol("q", positive=True)
    square = integrate((sqrt(q) * z) ** 2 * exp(-(z**2) / 2) / sqrt(2 * pi), (z, 0, oo))
    law = any_width().variance_law()
    depth, first = law.depth_variable, Symbol("q_1", positive=True)
    form = law.to_sympy().subs(Symbol("C", real=True), law.coordinate.constant(first))
    step = form.subs(depth, depth + 1) - (1 + ADDED) * form
    checks = (
        zero_check("$sigma_w^2 E[relu(sqrt(q) Z)^2] - sigma_w^2 q/2$, by integration", WEIGHT**2 * square - ADDED * q),
        zero_check("$q^(l+1) - (1 + sigma_w^2/2) q^l$ of the closed form", step),
        zero_check("$q^1$ of the closed form $- q^1$", form.subs(depth, 1) - first),
    )
    return Verification("q^l = (1 + sigma_w^2/2)^(l-1) q^1", checks)


def correlation_map() -> Verification:
    """HDR.AL7.map: shares 1/(1+alpha) and alpha/(1+alpha); numbers from a quadrature of E[phi phi] that knows no f."""
    statement = any_width().statement
    checks = [
        zero_check("share of the branch $- alpha/(1+alpha)$", statement.branch_share - BRANCH_SHARE),
        zero_check("share of the skip connection $- 1/(1+alpha)$", 1 - statement.branch_share - 1 / (1 + ADDED)),
    ]
    net = example(3)
    kernel = Kernel(net.activation.piecewise, use_closed_form=False)
    with mp.workdps(CHECK_DIGITS):
        q, weight = mpf(7) / 5, mpf(3)
        for gap in (mpf(1) / 4, mpf(1), mpf(7) / 4):
            lost = q * gap + weight * kernel.gap(q, gap)
            direct = lost / (q + weight * kernel.value(q, q, 1))
            name = (
                f"$1 - c'$ at $1 - c = {mp.nstr(gap, 4)}$, $q = 1.4$, $sigma_w^2 = 3$, by $E[phi phi]$, against the map"
            )
            checks.append(agreement(name, direct, net.correlation_map.gap(gap), 1e-15))
    return Verification("c' = c/(1+alpha) + alpha f(c)/(1+alpha)", tuple(checks))


def expansion() -> Verification:
    """HDR.AL7.s: lambda is the slope of the activation on the right, 1 for ReLU; alpha belongs in its place."""
    found = any_width().correlation_map.expansion(9).coefficients
    first, second = (found[Monomial(k)] for k in (3, 5))
    others = [found.get(Monomial(k), Integer(0)) for k in (4, 6)]
    printed = 2 * sqrt(2) / (3 * (1 + ADDED) * pi)
    positive = simplify(second / BRANCH_SHARE)
    rest = "coefficient of $(1-c)^(3/2)$ minus $s$ with"
    return Verification(
        "c' = c + s (1-c)^(3/2) + kappa' (1-c)^(5/2) + O((1-c)^(7/2)), s with lambda = 1",
        (),
        Verification(
            "the same with lambda = alpha = sigma_w^2/2, and kappa' > 0",
            (
                zero_check(f"{rest} $alpha$ in the place of $lambda$", first - ADDED * printed),
                zero_check("$delta - 4/s^2$ with this $s$, $delta$ of the lemma",
                           4 / (ADDED * printed) ** 2 - 9 * pi**2 * (1 + ADDED) ** 2 / (2 * ADDED**2)),
                zero_check("$kappa'$ minus $sqrt(2) alpha/(30 (1+alpha) pi)$",
                           second - sqrt(2) * BRANCH_SHARE / 30 / pi),
                inequality("$kappa' (1+alpha)/alpha$", positive, "> 0"),
                identity("coefficients of $(1-c)^2$ and $(1-c)^3$", others),
            ),
        ),
    )  # fmt: skip


def correlation() -> Verification:
    """HDR.AL7: the leading constant is right; the next term is log(l)/l^3, not 1/l^3."""
    law, net = any_width().correlation_law(3), example()
    lead = law.expansion.coefficient(2)
    printed = 9 * pi**2 * (1 + ADDED) ** 2 / (2 * ADDED**2)
    number = to_mpf(example(STRONG).correlation_law(1).expansion.coefficient(2))
    checks = (
        zero_check("coefficient of $l^-2$ minus the printed $delta$", lead - printed),
        absent_log("$log(l)/l^3$ in $1 - c^l$", law.expansion.coefficients.get(Monomial(3, 1), Integer(0))),
        growth("$l^3 (1 - c^l - delta/l^2)$", lambda d, gap, k: (gap * d**2 - number) * d),
    )
    right = net.correlation_law(4)
    return Verification(
        "c^l = 1 - delta l^-2 + zeta l^-3 + o(l^-3)", checks,
        Verification(f"1 - c^l = {law}; sigma_w^2 = 1: {right}", law_checks(right)),
    )


def slope() -> Verification:
    """HDR.T2.fp: sqrt of the law in f' = 1 - (sqrt(2)/pi) sqrt(1-c) + ...: log(l)/l^2 comes before l^-2."""
    strong = 3 / to_mpf(example(STRONG).statement.branch_share)
    checks = (
        growth("$l^2 (1 - f'(c^l) - 3/(delta l))$", lambda d, gap, k: (_lost(gap) - strong / d) * d**2),
    )
    net = example()
    right = _slope_along().subs({ALPHA: leading_abel(net.statement.branch_share / 2)})
    subject = f"f'(c^l) = {right.truncate(3)}, (1 + Sigma-dot)/(1+alpha) = 1 - delta (1 - f'(c^l)), sigma_w^2 = 1"
    return Verification(
        "f'(c^l) = 1 - (sqrt(2)/pi) delta^(1/2)/l + (zeta delta^(-1/2)/2)/l^2 + O(l^-3)", checks,
        Verification(subject, (*law_checks(net.correlation_law(3)), _slope_left(net, right))),
    )


def _slope_along():
    """f'(c^l) for a free alpha_(-1): the slope's expansion at the root of the law; f is the map of ReLU itself."""
    branch = CorrelationMap.of(example().statement.layer)
    return branch.slope_expansion(3).compose(universal_expansion(False, 3) ** Rational(1, 2))


def _lost(gap):
    """1 - f'(1 - gap) of ReLU."""
    return half_angle(gap) / mp.pi


def _slope_left(net: ResNet, along) -> Check:
    """l^2 |f'(c^l) - law| must die out."""
    terms = terms_of(along, {"C": net.correlation_law(2).connection_constant(gap=START, digits=20)})
    found = states(net)
    left = [abs(1 - _lost(found[d][0]) - value(terms, mpf(d))) * d**2 for d in (100, 10_000)]
    name = "l^2 |f'(c^l) - law with its C| at $l = 10000$ over $l = 100$"
    return at_most(name, left[1] / left[0], DECAY, "orbit from c^1 = 1/10")

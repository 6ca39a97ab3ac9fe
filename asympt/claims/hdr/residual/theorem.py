"""Decisions on HDR Theorem 2: the NTK of a dense ReLU ResNet over its normaliser alpha_L = L (1 + sigma_w^2/2)^(L-1).

With alpha = sigma_w^2/2, delta = alpha/(1 + alpha), q_1 = sigma_w^2 |x| |x'|/d and k_L = K^L/((1 + alpha)^(L-1) q_1),

    K^L(x, x)/alpha_L  = q_1 (delta + (1 - delta)/L)
    K^L(x, x')/alpha_L = q_1 (delta/4 + (3 delta/8) log(L)/L + O(1/L)),      x, x' fixed and not parallel.

The proof of the theorem sets b_l = q_1 + O(l^-2) where the recursion has delta q_1 + O(l^-2); that factor is missing in
both limits.
"""

from mpmath import mpf
from sympy import Integer, Rational, limit, oo, simplify

from asympt.claims.forms import agreement, at_most, inequality
from asympt.claims.hdr.off_edge.figure_one import slopes_near
from asympt.claims.hdr.relu.rates import absent_log
from asympt.claims.hdr.residual.maps import BRANCH_SHARE, zero_check
from asympt.claims.hdr.residual.orbits import (
    DEPTHS,
    WEIGHT,
    against_law,
    any_width,
    example,
    growth,
    law_checks,
    states,
)
from asympt.claims.theorems import of_network
from asympt.evidence.check import Check, Verification
from asympt.expansions import Monomial

TINY = Rational(1, 10**20)
LIMIT = "$sigma_w^2 = 1$, delta = 1/3: $K^L/(q_1 alpha_L)$"
SIZE = "$sigma_w^2 = 1$: the exact size of $|K^L/(q_1 alpha_L) - delta/4|$"


# ---- one input --------------------------------------------------------------------------------------


def _diagonal():
    """K^L(x, x)/q_L as a formula in L and sigma_w, the symbol L, and its checks in the recursion."""
    law = any_width().ntk_diagonal_law()
    depth, form = law.depth_variable, law.to_sympy()
    step = zero_check("$k_(L+1) - k_L - delta$ of the closed form", form.subs(depth, depth + 1) - form - BRANCH_SHARE)
    start = zero_check("$k_1 - 1$ of the closed form", form.subs(depth, 1) - 1)
    return form, depth, (step, start)


def explodes() -> Verification:
    """HDR.T2.explode: the normaliser grows."""
    growing = inequality("growth of $q^L$ a layer, less 1", any_width().statement.growth - 1, "> 0")
    return Verification("K^L(x,x)/alpha_L has a finite limit > 0 for every sigma_w > 0", (growing,))


def diagonal() -> Verification:
    """HDR.T2.diag: a factor delta is missing; the rate 1/L is right."""
    form, depth, checks = _diagonal()
    found = limit(form / depth, depth, oo)
    rate = simplify(limit(depth * (form / depth - found), depth, oo))
    exact_rate = inequality("L (K^L(x,x)/(q_1 alpha_L) - limit)", rate, "> 0")
    numbers = agreement(
        "$K^L(x,x)/(q_1 alpha_L)$ at $L = 1000$, $sigma_w^2 = 1$, by the recursion, against the formula",
        _same_input(1000) / 1000, mpf(1) / 3 + mpf(2) / 3000, 1e-14
    )
    return Verification(
        "K^L(x,x)/alpha_L = q_1 + Theta(1/L)", (),
        Verification("K^L(x,x)/alpha_L = q_1 (delta + (1 - delta)/L), delta = (sigma_w^2/2)/(1 + sigma_w^2/2)",
                     (*checks, exact_rate, numbers)),
    )


def _same_input(layer: int):
    return states(example(), Rational(0), (layer,))[layer][1]


# ---- two inputs -------------------------------------------------------------------------------------


def limits() -> Verification:
    """HDR.T2.offdiag: the limit is q_1 delta/4; in units of |x||x'|/d it exceeds 1 where sigma_w^2 > 2 + 2 sqrt(3)."""
    found = any_width().ntk_law(1).limit
    six = found.subs(WEIGHT**2, 6).subs(WEIGHT, 6 ** Rational(1, 2))
    seen = _distances(6, six)
    ratio = zero_check("$lambda = K^L(x,x')/K^L(x,x)$ in the limit, minus 1/4", found / BRANCH_SHARE - Rational(1, 4))
    return Verification(
        "K^L(x,x')/alpha_L -> (|x||x'|/d) lambda with lambda in (0,1)", (seen,),
        Verification("K^L(x,x')/alpha_L -> (sigma_w^2 |x||x'|/d) delta/4, a quarter of the limit at x = x'",
                     (ratio, seen, *law_checks(example().ntk_law(3)),
                      *of_network(example(), "ntk", LIMIT, "limit", Rational(1, 12)))),
    )


def _distances(square: int, expected) -> Check:
    """|K^L/(q_1 alpha_L) - limit| at L = 10000 over L = 100 along the orbit."""
    found = states(example(square))
    first, _, last = DEPTHS
    left = [abs(found[d][1] / d - mpf(int(expected.p)) / int(expected.q)) for d in (first, last)]
    name = f"$|K^L/(q_1 alpha_L) - delta/4|$ at $L = {last}$ over $L = {first}$, $sigma_w^2 = {square}$"
    return at_most(name, left[1] / left[0], 0.1, "orbit from c^1 = 1/10")


def rate() -> Verification:
    """HDR.T2.rate: log(L)/L at fixed inputs; over all inputs the supremum does not decay at all."""
    law, net = any_width().ntk_law(2), example()
    log = law.expansion.coefficients.get(Monomial(1, 1), Integer(0))
    share = Rational(1, 3)
    checks = (
        absent_log("$log(L)/L$ in $K^L/(q_1 alpha_L)$", simplify(log)),
        growth("$L (K^L/(q_1 alpha_L) - delta/4)$", lambda d, gap, k: k - d * mpf(1) / 5),
        _supremum(net, share),
        *of_network(net, "ntk", SIZE, "Theta", "1/L"),
    )
    right = net.ntk_law(4)
    title = "$K^L/(q_L L)$ of the orbit at $L = 1000$ against the law"
    same = against_law(title, right, net, lambda d, g, k: k / d)
    return Verification(
        "sup over x != x' of |K^L/alpha_L - lim| = Theta(1/L)", checks,
        Verification(f"fixed x, x': K^L/(q_1 alpha_L) = {any_width().ntk_law(2)}; sigma_w^2 = 1: {right}",
                     (*law_checks(right), same, *of_network(net, "ntk", SIZE, "Theta", "log(L)/L"))),
    )


def _supremum(net, share: Rational) -> Check:
    """L |K^L/(q_1 alpha_L) - lim| at 1 - c^1 = 1e-20 grows tenfold from L = 100 to 1000 if the supremum stays."""
    found = states(net, TINY, (100, 1000))
    quarter = mpf(int(share.p)) / int(share.q) / 4
    values = [abs(found[d][1] - d * quarter) for d in (100, 1000)]
    detail = f"at 1 - c^1 = 1e-20: {float(values[0]):.6g} and {float(values[1]):.6g}"
    name = "growth of $L sup|K^L/(q_1 alpha_L) - delta/4|$ from $L = 100$ to 1000"
    return at_most(name, values[1] / values[0], 3, detail, digits=4)


def figure() -> Verification:
    """HDR.F1c: fitted slopes, as those of HDR.F1a; the exact rate is a matter of HDR.T2.rate."""
    found = {square: example(square) for square in (1, 2, 8)}
    slopes = [slopes_near(f"$sigma_w^2 = {square}$", net, float(net.ntk_law(1).limit)) for square, net in found.items()]
    return Verification("measured |K^L/alpha_L - AK^inf| falls like 1/L, whatever sigma_w is", tuple(slopes))

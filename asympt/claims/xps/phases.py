"""Decisions on the slides about Xiao, Pennington and Schoenholz, "Disentangling trainability and generalization in deep
neural networks": the NTK off the Edge of Chaos, with the variance at its fixed point q*.

With p = Theta, c = q_ab/q*, one layer is q_ab' = q* f(c), p_ab' = q_ab' + f'(c) p_ab, p_aa' = q* + f'(1) p_aa, so

    p_aa^(l+1) = q* sum_(i=0)^l f'(1)^i                                                     from p_aa^(1) = q*
    delta^(l) = f'(c*)^l (delta^(0) + l [1 + f''(c*) p*/(q* f'(c*))] eps^(0))               to first order

where f'' is the second derivative in c; in q_ab it has another 1/q*, which the slide leaves out.
"""

from functools import lru_cache

import mpmath
from mpmath import mp
from sympy import Expr, Matrix, Rational, Symbol, ones, simplify, summation

from asympt.architectures import FeedForward
from asympt.claims.figures import CHECK_DIGITS, number, state
from asympt.claims.forms import agreement, at_most, identity, inequality
from asympt.claims.hdr.off_edge.mean_field import (
    attractor,
    chaotic,
    named,
    ordered,
    several_chaotic,
    several_ordered,
)
from asympt.claims.hdr.off_edge.phases import chaotic_limit
from asympt.evidence.check import Check, Verification
from asympt.numbers import to_mpf

CHI, Q = Symbol("chi", positive=True), Symbol("q", positive=True)
LAYER, INDEX = Symbol("l", integer=True, positive=True), Symbol("i", integer=True)
SMALL = Rational(1, 10**6)


# ---- the diagonal: exact geometric sums ---------------------------------------------------------------


def diagonal(layer: int) -> Expr:
    """p_aa^(layer) by the recursion p' = q + chi p from p^(1) = q, in symbols."""
    value: Expr = Q
    for _ in range(layer - 1):
        value = (Q + CHI * value).expand()
    return value


def dynamics() -> Verification:
    """XPS.2b: both recursions against the NTK of HDR Lemma 2 iterated in float64."""
    net = chaotic()
    chi, checks = number(net.layer.chi), []
    with mp.workdps(CHECK_DIGITS):
        gap = mpmath.mpf(9) / 10
        kernel, same = 1 - gap, mpmath.mpf(1)
        for _ in range(19):
            slope, gap = net.correlation_map.gap_slope(gap), net.correlation_map.gap(gap)
            kernel, same = 1 - gap + slope * kernel, 1 + chi * same
    checks.append(
        agreement(
            "$p_ab^(20)/q*$ by the slide's recursion against the float64 engine", kernel, state(net, 20)[1], 1e-11
        )
    )
    checks.append(agreement("$p_aa^(20)/q*$", same, state(net, 20, 0.0)[1], 1e-11))
    return Verification("p_ab' = q_ab' + f'(c) p_ab, p_aa' = q* + f'(1) p_aa at q_aa = q*", tuple(checks))


def chaotic_diagonal() -> Verification:
    """XPS.chaos.paa: the sum has one term too many; the closed form is right."""
    return Verification(
        "p_aa^(l+1) = sum_(i=0)^(l+1) q f'(1)^i = (f'(1)^(l+1) - 1)/(f'(1) - 1) q",
        (_sum_check(LAYER + 1), _closed_form()),
        Verification(
            "p_aa^(l+1) = sum_(i=0)^l q f'(1)^i = (f'(1)^(l+1) - 1)/(f'(1) - 1) q", (_sum_check(LAYER), _closed_form())
        ),
    )


def _sum_check(last: Expr) -> Check:
    """sum_(i=0)^last q chi^i at l = 5 against the recursion."""
    total = summation(Q * CHI**INDEX, (INDEX, 0, last.subs(LAYER, 5)))
    rest = simplify(total - diagonal(6))
    return identity(f"sum up to $i = {last}$ minus $p_aa^(l+1)$ by the recursion, $l = 5$", rest)


def _closed_form() -> Check:
    form = Q * (CHI ** (LAYER + 1) - 1) / (CHI - 1)
    step = simplify(form.subs(LAYER, LAYER + 1) - Q - CHI * form)
    start = simplify(form.subs(LAYER, 0) - Q)
    return identity("the closed form in the recursion, and at $l = 0$", [step, start])


def chaotic_growth() -> Verification:
    """XPS.chaos.paa-asym: the ratio of the two sides tends to chi/(chi - 1), not to 1."""
    chi = number(chaotic().layer.chi)
    ratio = state(chaotic(), 61, 0.0)[1] / chi**60
    expected = chi / (chi - 1)
    return Verification(
        "(f'(1)^(l+1) - 1)/(f'(1) - 1) q ~ f'(1)^l q",
        (
            at_most(
                "$|p_aa^(61)/(q f'(1)^60) - 1|$, tanh, $sigma_w = 2$, $sigma_b = 1/5$", abs(ratio - 1), 1e-6, digits=6
            ),
        ),
        Verification(
            "p_aa^(l+1) ~ q f'(1)^(l+1)/(f'(1) - 1)",
            (agreement("$p_aa^(61)/(q f'(1)^60)$ against $f'(1)/(f'(1) - 1)$", ratio, expected, 1e-7),),
        ),
    )


def ordered_diagonal() -> Verification:
    """XPS.ord.paa: one term too many again; the limit is right."""
    net = ordered()
    expected = 1 / (1 - number(net.layer.chi))
    limits = tuple(
        agreement(
            f"${name}^(400)/q*$ against $1/(1 - f'(1))$, tanh, $sigma_w = 1$, $sigma_b = 1/5$", state(net, 400, gap)[1],
            expected, 1e-9
        )
        for name, gap in (("p_aa", 0.0), ("p_ab", 0.9))
    )
    return Verification(
        "ordered: p_aa^(l+1) = sum_(i=0)^(l+1) q f'(1)^i -> q/(1 - f'(1)) = p_ab^*",
        (_sum_check(LAYER + 1), *limits),
        Verification("p_aa^(l+1) = sum_(i=0)^l q f'(1)^i, with the same limit", (_sum_check(LAYER), *limits)),
    )


# ---- phases and limits --------------------------------------------------------------------------------


def phases() -> Verification:
    """XPS.phases: where c^l goes on either side of f'(1) = 1, for three networks on each."""
    checks = [_goes_to_one(net) for net in several_ordered()]
    for net in several_chaotic():
        gap, _ = attractor(net)
        title = f"$f'(1) = {_nstr(net.layer.chi)}$, {named(net)}"
        near = state(net, 400, 1e-12)[0]
        checks.append(agreement(f"{title}: $1 - c^400$ from $1 - c^1 = 1e-12$ against $1 - c*$", near, gap, 1e-9))
        checks.append(inequality(f"{title}: $1 - c*$", gap, "> 0", digits=8))
    return Verification("f'(1) < 1: c^l -> 1; f'(1) > 1: 1 repels and c^l -> c* < 1", tuple(checks))


def _goes_to_one(net: FeedForward) -> Check:
    left = max(state(net, 400, gap)[0] for gap in (2.0, 1.5, 0.9))
    name = f"$f'(1) = {_nstr(net.layer.chi)}$, {named(net)}: largest $1 - c^400$ from $c^1 = -1$, -1/2, 1/10"
    return inequality(name, left, "<= 1e-15")


def _nstr(value: Expr) -> str:
    return mpmath.nstr(number(value), 6)


def chaotic_pairs() -> Verification:
    """XPS.chaos.pab: by iteration of three networks from three starts each."""
    return Verification("chaotic: p_ab -> c* q*/(1 - f'(c*))", tuple(map(chaotic_limit, several_chaotic())))


def nngp_spectrum() -> Verification:
    """XPS.chaos.nngp: eigenvectors of q (c E + (1 - c) I) for n inputs: E = 11^T, E 1 = n 1, E (e_i - e_j) = 0."""
    c, n, image = Symbol("c", real=True), Symbol("n", integer=True, positive=True), Symbol("E")
    matrix = Q * (c * image + (1 - c))
    first = matrix.subs(image, n) - Q * ((n - 1) * c + 1)
    bulk = matrix.subs(image, 0) - Q * (1 - c)
    sizes = (2, 3, 5)
    ones_ = [ones(size, size) * Matrix([1, -1, *[0] * (size - 2)]) for size in sizes]
    checks = (
        identity("eigenvalue on $1$ minus $q ((n-1) c + 1)$, $n$ inputs", first.expand()),
        identity("eigenvalue on $e_i - e_j$ minus $q (1 - c)$", bulk.expand(), "n - 1 of them are independent"),
        identity("$11^T (e_1 - e_2)$ for 2, 3, 5 inputs", [entry for vector in ones_ for entry in vector]),
    )
    return Verification("eigenvalues q((n-1)c + 1) on 1 and q(1 - c) on e_i - e_(i+1)", checks)


def ntk_condition() -> Verification:
    """XPS.chaos.ntk: off-diagonal over diagonal and the condition number of three inputs with equal correlations."""
    checks = []
    for net in several_chaotic():
        shares = [state(net, layer)[1] / state(net, layer, 0.0)[1] for layer in (20, 150)]
        condition = (1 + 2 * shares[1]) / (1 - shares[1]) - 1
        checks += [
            at_most(f"$|p_ab/p_aa|$ at $l = 150$, {named(net)}", abs(shares[1]), 1e-10, f"{shares[0]:.3g} at l = 20"),
            at_most(f"condition number - 1 of three inputs with $c^1 = 1/10$ at $l = 150$, {named(net)}",
                    abs(condition), 1e-9),
            inequality(f"$p_aa/q*$ at $l = 150$, {named(net)}", state(net, 150, 0.0)[1], "> 1e10"),
        ]  # fmt: skip
    return Verification("chaotic: Theta/p_aa -> I, every eigenvalue grows without bound, kappa -> 1", tuple(checks))


# ---- linearisation ---------------------------------------------------------------------------------------


def epsilon() -> Verification:
    """XPS.eps: to first order in eps^(0), at the fixed points of three networks."""
    checks = []
    for net in several_chaotic():
        errors = [abs(_followed(net, size, 10)[0] - 1) for size in (SMALL, SMALL / 100)]
        checks += [
            at_most(f"$|eps^(10)/(f'(c*)^10 eps^(0)) - 1|$ at $eps^(0)/q* = 1e-6$, {named(net)}", errors[0], 2e-6),
            at_most("the same at $eps^(0)/q* = 1e-8$ over it", errors[1] / errors[0], 0.02, "first order in eps^(0)"),
        ]
    return Verification("eps^(l+1) = f'(c*)^(l+1) eps^(0) to first order", tuple(checks))


def delta() -> Verification:
    """XPS.delta: the slide's coefficient of l eps^(0) against the recursion, and the right one."""
    net = chaotic()
    (gap, slope), q = attractor(net), float(number(net.variance))
    second, fixed = _second_derivative(net), (1 - gap) / (1 - slope)  # p*/q*
    found = {steps: _followed(net, SMALL, steps)[1] for steps in (10, 20)}
    printed = {steps: (steps - 1) * (1 + second / slope * fixed * q) for steps in found}
    right = {steps: steps * (1 + second / slope * fixed) for steps in found}
    name = "delta^({0})/(f'(c*)^{0} eps^(0)), delta^(0) = 0"
    detail = f"tanh, sigma_w = 2, sigma_b = 1/5, q* = {q:.6g}"
    return Verification(
        "delta^(l+1) = f'(c*)^(l+1) (delta^(0) + l (1 + f''(c*)/f'(c*) p*) eps^(0))",
        tuple(agreement(name.format(s) + ", l + 1 = " + str(s), found[s], printed[s], 1e-4, detail) for s in found),
        Verification(
            "delta^(l) = f'(c*)^l (delta^(0) + l (1 + f''(c*)/f'(c*) p*/q*) eps^(0))",
            tuple(agreement(name.format(s), found[s], right[s], 1e-4, detail) for s in found),
        ),
    )


@lru_cache(maxsize=4)
def _second_derivative(net: FeedForward) -> float:
    """f''(c*)."""
    with mp.workdps(CHECK_DIGITS):
        gap = net.correlation_map.fixed_gap()
        step = mpmath.mpf(10) ** -8
        slope = net.correlation_map.gap_slope
        return float((slope(gap - step) - slope(gap + step)) / (2 * step))


@lru_cache(maxsize=16)
def _followed(net: FeedForward, size: Rational, steps: int) -> tuple:
    """(eps, delta)/(f'(c*)^steps eps^(0)) after `steps` layers, from eps^(0) = size q* and delta^(0) = 0."""
    with mp.workdps(CHECK_DIGITS):
        f = net.correlation_map
        centre = f.fixed_gap()
        chi = f.gap_slope(centre)
        fixed = (1 - centre) / (1 - chi)
        start = to_mpf(size)
        gap, kernel = centre - start, fixed
        for _ in range(steps):
            slope, gap = f.gap_slope(gap), f.gap(gap)
            kernel = slope * kernel + 1 - gap
        unit = chi**steps * start
        return (centre - gap) / unit, (kernel - fixed) / unit

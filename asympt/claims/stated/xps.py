"""Printed formulas of the slides on Xiao, Pennington and Schoenholz, and on Jacot, Gabriel and Hongler."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import lru_cache, partial
from itertools import pairwise, product

import sympy
from mpmath import mp
from sympy import Expr, Integer, Matrix, Rational, Symbol, asin, diff, exp, eye, integrate, ones, oo, pi, sqrt, symbols

from asympt.architectures.feedforward import FeedForward
from asympt.claims.deciders.networks import falls
from asympt.claims.scopes import CHECK_DIGITS, attractor, named, number, off_edge, several_chaotic, state
from asympt.claims.stated.comparisons import Datum, Inequality, Limit, Measured
from asympt.claims.stated.equalities import Equality, Sequence
from asympt.claims.stated.hdr.training import chain_rule
from asympt.claims.stated.matrices import MatrixEquality
from asympt.claims.stated.statement import ALGEBRA, Ledger, Mistaken, Stated
from asympt.numbers import to_mpf
from asympt.training.spectrum import condition_numbers, equal_kernels

NAMES = ("{f'(1)}", "{q^*}", "x_l", "{c^*}", "{f'(c^*)}", "{f''(c^*)}", "{p_{ab}^*}")  # as they are printed
CHI, Q, BEFORE, C_STAR, S, H, P_STAR = (Symbol(name, positive=True) for name in NAMES)
LAYER, INDEX = Symbol("l", integer=True, positive=True), Symbol("i", integer=True)
C, W, SIZE = *symbols("c sigma_w", positive=True), Symbol("n", integer=True, positive=True)
Z = Symbol("z", real=True)
ZERO, ONE = Integer(0), Integer(1)
CORRELATION = Symbol("c^{(l)}", real=True)
SMALL, DEPTHS = Rational(1, 10**6), (100, 200)


@lru_cache(maxsize=16)
def followed(net: FeedForward, size: Rational, steps: int) -> tuple:
    """(eps, delta)/eps^(0) after `steps` layers, from eps^(0) = size q* and delta^(0) = 0."""
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
        return (centre - gap) / start, (kernel - fixed) / start


def _means(variance: Expr, c: Expr) -> Expr:
    """E[erf erf] of equal variances and correlation c."""
    return 2 / pi * asin(2 * variance * c / (1 + 2 * variance))


def _map(c: Expr, weight: Expr, variance: Expr) -> Expr:
    """erf's correlation map at a fixed point of the variance, which gives sigma_b^2."""
    bias = variance - weight**2 * _means(variance, ONE)
    return (weight**2 * _means(variance, c) + bias) / variance


def _slope_identity() -> Stated:
    """For erf: f(1), f'(1) by an integral over one variable, and f'(c) by the closed form of E[phi' phi']."""
    f = _map(C, W, Q)
    one = W**2 * integrate((2 / sqrt(pi) * exp(-Q * Z**2)) ** 2 * exp(-(Z**2) / 2) / sqrt(2 * pi), (Z, -oo, oo))
    inner = W**2 * 4 / pi / sqrt((1 + 2 * Q) ** 2 - (2 * Q * C) ** 2)
    inside = {"c": (Rational(1, 10), Rational(9, 10))}
    slope = diff(f, C)
    return (
        Equality(f.subs(C, 1), ONE, name="f(1)"),
        Equality(slope.subs(C, 1), one, name="f'(1)"),
        Equality(slope, inner, ranges=inside, name="f'(c)"),
    )


def _phases() -> Stated:
    """erf: at q* = 1, sigma_w = 1, f'(1) < 1 and f(c) > c; at q* = 3, sigma_w = 2, f'(1) > 1 and f(c) < c near 1."""
    c = Symbol("c", real=True)
    calm, wild = (_map(c, Integer(weight), Integer(variance)) for weight, variance in ((1, 1), (2, 3)))
    below = Rational(99, 100)
    return (Inequality(c, "<", calm, c, Integer(-1), below), Inequality(wild, "<", c, c, Rational(9, 10), below))


def _diagonal() -> tuple[Mistaken, Sequence]:
    """The sum with its last index as printed, shifted by one in l, and the closed form beside it."""
    step = Q + CHI * BEFORE

    def total(last: Expr) -> Sequence:
        return Sequence("p_{aa}^{(l)}", sympy.Sum(Q * CHI**INDEX, (INDEX, 0, last)), LAYER, step, BEFORE, Q)

    closed = Sequence("p_{aa}^{(l)}", (CHI**LAYER - 1) / (CHI - 1) * Q, LAYER, step, BEFORE, Q)
    return Mistaken(total(LAYER), total(LAYER - 1)), closed


def _growth() -> Stated:
    """p_aa of two chaotic networks after 60 steps over chi^60 q*; ~ is a ratio of 1."""

    def rows() -> Iterator[Datum]:
        for net in several_chaotic()[:2]:
            chi = number(net.layer.chi)
            yield Datum(f"$p_aa^(61)/(f'(1)^60 q*)$, {named(net)}", {CHI: chi}, state(net, 61, 0.0)[1] / chi**60)

    return (Measured(r"p_{aa}^{(61)}/(f'(1)^{60}q^*)", ONE, rows, tolerance=1e-6, text="p_aa^(l+1)/(f'(1)^l q*)",
                     true=CHI / (CHI - 1)),)  # fmt: skip


def _level() -> Stated:
    """p_aa and p_ab of an ordered network, far down, over q*."""

    def rows() -> Iterator[Datum]:
        net = off_edge("tanh", 1)
        for name, gap in (("p_aa", 0.0), ("p_ab", 0.9)):
            value = state(net, 400, gap)[1]
            yield Datum(f"${name}^(400)/q*$, {named(net)}", {CHI: number(net.layer.chi)}, value)

    return (Measured("p_{aa}/q^*,\\ p_{ab}/q^*", 1 / (1 - CHI), rows, text="p_aa/q*, p_ab/q*"),)


def _pairs() -> Stated:
    """Three chaotic networks from three starts."""

    def rows() -> Iterator[Datum]:
        for net, start in product(several_chaotic(), (1.5, 0.9, 0.3)):
            gap, slope = attractor(net)
            letters = {C_STAR: 1 - gap, S: slope}
            yield Datum(f"{named(net)}, $1 - c^1 = {start}$", letters, state(net, 300, start)[1])

    return (Measured("p_{ab}^{(300)}/q^*", C_STAR / (1 - S), rows, text="p_ab/q* after 300 layers",
                     together="$p_ab^(300)/q*$"),)  # fmt: skip


def _modes(size: Expr, share: Expr) -> Stated:
    """Of size (share uu^T + (1 - share) I), any vector for 1: on u, and, with I added, on what is orthogonal to u."""
    u, v, unit = sympy.MatrixSymbol("u", SIZE, 1), sympy.MatrixSymbol("v", SIZE, 1), sympy.Identity(SIZE)
    matrix, across = size * (share * u * u.T + (1 - share) * unit), v - u * (u.T * u).I * u.T * v
    return (MatrixEquality(matrix * u, size * share * u * u.T * u + size * (1 - share) * u),
            MatrixEquality((matrix + unit) * across, (size * (1 - share) + 1) * across))  # fmt: skip


def _condition() -> Stated:
    """After 150 layers of three chaotic networks, for three inputs of equal correlations."""

    def shares(value: Callable) -> Callable[[], Iterable[Datum]]:
        nets = several_chaotic()
        return lambda: (Datum(named(net), {}, value(state(net, 150)[1], state(net, 150, 0.0)[1])) for net in nets)

    share = Measured("p_{ab}/p_{aa}", ZERO, shares(lambda off, on: off / on), tolerance=1e-10, text="p_ab/p_aa",
                     together="$p_ab/p_aa$ at $l = 150$")  # fmt: skip
    kappa = replace(share, name=r"\kappa(\Theta^{(150)})", right=ONE, text="condition number of Theta",
                    rows=shares(lambda off, on: (on + 2 * off) / (on - off)), together="condition number at $l = 150$",
                    tolerance=1e-9)  # fmt: skip
    return share, kappa


def _chaotic_prediction() -> Stated:
    """Three training points: the weights of the prediction, and where they go for n = 5, p_ab = 1/3."""
    same, other = symbols("p_aa p_ab", positive=True)
    kernel = other * (ones(3, 3) - eye(3)) + same * eye(3)
    weight = other / (same + 2 * other)
    ranges = {"p_aa": (Integer(6), Integer(9)), "p_ab": (Integer(1), Integer(5))}  # p_aa > p_ab: else no inverse
    far = Rational(1, 3) / (same + 4 * Rational(1, 3))
    told = other * ones(1, 3) * kernel.inv()
    return (
        Equality(told, weight * ones(1, 3), ranges=ranges,
                 name=r"(p_{ab}\mathbf 1)^T(p_{ab}(\mathbf{11}^T-I)+p_{aa}I)^{-1}"),
        Limit(far, same, oo, ZERO),
    )  # fmt: skip


def _small_covariance() -> Stated:
    """eps^(10)/eps^(0) for two sizes of eps^(0)."""

    def rows(size: Rational) -> Iterator[Datum]:
        for net in several_chaotic():
            title, letters = f"{named(net)}, $epsilon^(0)/q* = {float(size):.0e}$", {S: attractor(net)[1], LAYER: 10}
            yield Datum(title, letters, followed(net, size, 10)[0])

    printed = Measured(r"\epsilon^{(l)}/\epsilon^{(0)}", S**LAYER, partial(rows, SMALL), tolerance=2e-6,
                       text="eps^(l)/eps^(0)", together="$epsilon^(10)/epsilon^(0)$")  # fmt: skip
    return printed, replace(printed, rows=partial(rows, SMALL / 100), tolerance=2e-8)


def _small_kernel() -> Stated:
    """delta^(l+1)/eps^(0) from delta^(0) = 0."""

    def rows() -> Iterator[Datum]:
        net = off_edge("tanh", 2)
        gap, slope = attractor(net)
        q = float(number(net.variance))
        with mp.workdps(CHECK_DIGITS):
            second = -float(mp.diff(net.correlation_map.gap_slope, net.correlation_map.fixed_gap()))
        letters = {S: slope, H: second, P_STAR: (1 - gap) / (1 - slope) * q, Q: q}
        for steps in (10, 20):
            title = f"$delta^({steps})/epsilon^(0)$, {named(net)}"
            yield Datum(title, {**letters, LAYER: steps - 1}, followed(net, SMALL, steps)[1])

    printed = S ** (LAYER + 1) * LAYER * (1 + H / S * P_STAR)
    right = S ** (LAYER + 1) * (LAYER + 1) * (1 + H / S * P_STAR / Q)
    return (Measured(r"\delta^{(l+1)}/\epsilon^{(0)}", printed, rows, tolerance=1e-4, text="delta^(l+1)/eps^(0)",
                     true=right),)  # fmt: skip


def _finite_depth() -> Stated:
    """(Theta^(l) - p*) at l = 200 over l = 100 when A^(l) has settled: for smooth phi, and for a kink (f'(1) < 1).

    Theta(x, x)/q* = (1 - chi^l)/(1 - chi), Theta(x, x') less by `bulk`, p* = q*/(1 - chi).
    """
    near, far = DEPTHS

    def rows(*nets) -> Iterator[Datum]:
        for net in nets:
            chi, found = float(net.layer.chi.evalf(CHECK_DIGITS)), equal_kernels(net.statement, 0.9, None, DEPTHS)
            left = [-(chi**depth / (1 - chi) + found[depth][-1]) for depth in DEPTHS]
            title = f"{named(net)}: departure at $l = {far}$ over $l = {near}$"
            yield Datum(title, {CHI: chi, LAYER: near}, left[1] / left[0])

    name = r"\frac{\Theta^{(2l)}-p^*}{\Theta^{(l)}-p^*}"
    kinked = (off_edge("relu", weight, 1) for weight in (1, "6/5"))
    smooth = Measured(name, 2 * CHI**LAYER, partial(rows, off_edge("tanh", 1)), tolerance=0.1,
                      text="departure at 2 l over that at l")  # fmt: skip
    return smooth, replace(smooth, rows=partial(rows, *kinked), true=CHI ** (LAYER / 2))


def _figure() -> Stated:
    """Three inputs with c^1 = 1/10."""

    def kappa(phase: str, sigma_w: int, bound: Integer, sign: str) -> Measured:
        def rows() -> Iterator[Datum]:
            found = condition_numbers(off_edge("tanh", sigma_w), (1, 200), gap=0.9, inputs=3)[1]
            yield Datum(f"{phase}: condition number at $l = 200$", {}, float(found[-1]))

        return Measured(rf"\kappa(\Theta^{{(200)}})\text{{ ({phase})}}", bound, rows, sign, text=f"{phase}: kappa")

    return kappa("chaotic", 2, ONE, "="), kappa("ordered", 1, Integer(10**15), ">")


def _dissimilar() -> Stated:
    """c^(l+1) against c^(l) in three chaotic networks, from c^(l) = 0, below c*, and from halfway between c* and 1."""

    def rows(*starts: str) -> Iterator[Datum]:
        for net in several_chaotic():
            for gap in ({"0": 1.0, "above": attractor(net)[0] / 2}[start] for start in starts):
                after = 1 - state(net, 2, gap)[0]
                yield Datum(f"{named(net)}, $c^((l)) = {1 - gap:.4g}$", {CORRELATION: 1 - gap}, after)
            if "0" in starts:
                orthogonal = number(net.layer.bias_variance) / number(net.variance)
                yield Datum(f"{named(net)}, $c^((l)) = 0$: $sigma_b^2/q$, as phi is odd", {CORRELATION: 0}, orthogonal,
                            ALGEBRA)  # fmt: skip

    printed, above, below = (
        Measured("c^{(l+1)}", CORRELATION, partial(rows, *starts), sign, text="c^(l+1)")
        for starts, sign in ((("above", "0"), "<"), (("above",), "<"), (("0",), ">"))
    )
    return Mistaken(printed, above), below


SIZES = symbols("d_0 d_1 d_2 d_3", positive=True)
WEIGHTS = sum(one * two for one, two in pairwise(SIZES))


def _first_kernel(inputs: int, outputs: int) -> Equality:
    """Of a linear layer: the double sum as printed, without weights that do not exist; the sum over all weights."""
    x, other = (Matrix(symbols(f"{name}_1:{inputs + 1}")) for name in ("x", "x'"))
    weights = Matrix(outputs, inputs, symbols(f"W_:{outputs * inputs}"))

    def gradients(at: Matrix, row: int, column: int) -> Matrix:
        return diff(weights * at / sqrt(inputs), weights[row, column])

    def total(rows: int, columns: int) -> Matrix:
        places = [(i, j) for i in range(min(rows, outputs)) for j in range(min(columns, inputs))]
        pairs = (gradients(x, *at) * gradients(other, *at).T for at in places)
        return sum(pairs, Matrix.zeros(outputs, outputs))

    name = rf"\Theta^{{(1)}}\big|_{{d_0={inputs},d_1={outputs}}}"
    kernel = (x.T * other)[0] / inputs * eye(outputs)
    return Equality(kernel, total(inputs, outputs), true=total(outputs, inputs), name=name)


def _rate(power: Rational) -> Stated:
    """The fitted power of the width, five standard errors included."""
    return (Measured(r"\text{power of }n\text{ in }\max_t|\Theta_t-\Theta_0|", power, lambda: (Datum(*falls()),), "<=",
                     text="power of n in max |Theta_t - Theta_0|"),)  # fmt: skip


XPS: Ledger = {
    "XPS.dissimilar": _dissimilar,
    "XPS.f1": _slope_identity,
    "XPS.phases": _phases,
    "XPS.chaos.paa": _diagonal,
    "XPS.chaos.paa-asym": _growth,
    "XPS.chaos.pab": _pairs,
    # 1^T 1 = n.
    "XPS.chaos.nngp": lambda: (
        Equality(Q * (C * SIZE + 1 - C), Q * ((SIZE - 1) * C + 1), name=r"\lambda_0"), *_modes(Q, C)),
    "XPS.chaos.ntk": _condition,
    "XPS.chaos.pred": _chaotic_prediction,
    "XPS.ord.paa": lambda: (*_diagonal()[:1], *_level()),
    "XPS.ord.spec": lambda: _modes(P_STAR, ONE),
    "XPS.eps": _small_covariance,
    "XPS.delta": _small_kernel,
    "XPS.ord.form": _finite_depth,
    "XPS.fig": _figure,
    "JGH.base.sum": lambda: (_first_kernel(3, 2), _first_kernel(4, 1)),
    "JGH.flow": lambda: chain_rule(Integer(1), r"\partial_tf_\theta(x)"),
    # The entries of all W and b of three layers.
    "JGH.P": lambda: (Equality(WEIGHTS + sum(SIZES[1:]), WEIGHTS, name="P"),),
    "JGH.base": lambda: (_first_kernel(3, 2).corrected(),),
    "JGH.T4": lambda: _rate(Integer(0)),
    "JGH.T4.rate": lambda: _rate(Rational(-1, 2)),
}  # fmt: skip

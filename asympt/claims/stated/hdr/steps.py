"""Printed formulas of HDR from between its theorems: recalled bullets, convolutions of App. B.3, single lines, slips.

A print that holds only because it says less than it should is decided as it is read, and counts as a slip.

A circle of positions couples the pairs (alpha, alpha') of one offset by the mean over the filter.
"""

from collections.abc import Callable
from functools import lru_cache

import mpmath
import numpy as np
from sympy import Integer, Matrix, Rational, Symbol, cos, diff, digamma, exp, log, oo, pi, simplify, sin, sqrt, symbols

from asympt.architectures.convolution.network import ConvNet, ConvResNet
from asympt.architectures.resnet import ScaledResNet
from asympt.claims.figures import attractor, named, several_chaotic
from asympt.claims.stated.equalities import Equality
from asympt.claims.stated.hdr import maps
from asympt.claims.stated.hdr.laws import ADDED, ALPHA, DEPTH, LAWS, RELU, TANH, inverse_of_gap, rate, slope_along
from asympt.claims.stated.hdr.maps import BIAS, ONE, RELU_MAP, SIGMA, Z_1, ZERO, Q, S, T, X, covariance, mean, phi
from asympt.claims.stated.hdr.training import DECAY, PLACE, SOURCE, contraction, lemma6
from asympt.claims.stated.inequalities import Comparison
from asympt.claims.stated.laws import LawCoefficient, StatedNetwork, law_of
from asympt.claims.stated.limits import Limit, Size
from asympt.claims.stated.measured import Datum, Measured
from asympt.claims.stated.statement import NUMBERS, Ledger, Mistaken, Stated
from asympt.depth.convolution import conv_pairs
from asympt.evidence.convolution import generic_start
from asympt.expansions import Monomial

C_STAR, (K, BETA, EPOCHS) = Symbol("{c^*}", real=True), symbols("k beta n_e", positive=True)
CIRCLES = tuple(
    StatedNetwork("conv-resnet", "relu", (("positions", size), ("reach", "1"), ("sigma_w", weight)))
    for size, weight in (("4", "1"), ("5", "2"))
)
GAPS = (0.95, 0.45, 0.9, 0.1)  # 1 - c^1 at four positions


def _positive() -> Stated:
    """z + z^3, j = 4: the printed mean, and the derivative of the map."""
    name = "f^{(4)}(1)"
    printed = SIGMA**2 * Q**3 * mean(phi(Z_1, 4) ** 2, Z_1)
    steep = (diff(covariance() / Q, X, 4).subs(X, 1), printed)
    return tuple(Mistaken(*(Comparison(side, sign, ZERO, name=name) for sign in (">", ">="))) for side in steep)


def _positions() -> Stated:
    """Two positions of one input in the chaotic phase, three networks after 200 layers."""

    def rows() -> tuple[Datum, ...]:
        found = []
        for dense in several_chaotic():
            net = ConvNet(dense.activation.name, 4, 1, dense.sigma_w, sqrt(dense.layer.bias_variance))
            gaps = np.array([1 - float(c) for c in generic_start(4)])
            title = f"{named(dense)}: $q^200_(alpha, alpha')(x, x)/q$, positions $alpha$ and $alpha + 1$"
            least = 1 - float(conv_pairs(net, gaps, 200)[0].max())
            found.append(Datum(title, {C_STAR: 1 - attractor(dense)[0]}, least))
        return tuple(found)

    name = r"\lim_lq^l_{\alpha,\alpha'}(x,x)/q"
    return (Measured(name, ONE, rows, text="lim q^l_(alpha, alpha')(x, x)/q", true=C_STAR),)


def _of_signals(one: Matrix, two: Matrix) -> Equality:
    """The products of gradients of y^1 at position 0 of x and 1 of x', rows channels, beside the print."""
    channels, size = one.shape
    offset, scale = Symbol("b"), SIGMA / sqrt(3 * channels)
    weights = Matrix(channels, 3, symbols(f"w_:{3 * channels}"))

    def around(signal: Matrix, position: int) -> Matrix:
        return Matrix(channels, 3, lambda j, s: signal[j, (position + s - 1) % size])

    outputs = [scale * sum(weights.multiply_elementwise(around(signal, at))) + BIAS * offset
               for signal, at in ((one, 0), (two, 1))]  # fmt: skip
    found = sum(diff(outputs[0], w) * diff(outputs[1], w) for w in (*weights, offset))
    printed, true = (scale**2 * sum(around(one, 0).multiply_elementwise(around(other, 1))) + BIAS**2
                     for other in (one, two))  # fmt: skip
    return Equality(found, printed, true=true, name=r"K^{1,res}_{\alpha,\alpha'}(x,x')")


def _of_circles() -> Stated:
    """1 - c^l of the mean: the coefficients of l^(-2) and of log(l)/l^3, for sigma_w = 1 and 2."""
    found = []
    for net, weight in zip(CIRCLES, (1, 2), strict=True):
        alpha = ADDED.subs(SIGMA, weight)
        delta = 9 * pi**2 * (1 + alpha) ** 2 / (2 * alpha**2)
        parts = (("1/l^2", delta), ("log(l)/l^3", ZERO))
        found += [LawCoefficient(net, "correlation", place, value) for place, value in parts]
    return tuple(found)


def _multiplier_along() -> Stated:
    """(1 + alpha f'(c^(l-1)))/(1 + alpha) of the mean, and the multiplier of four positions, sigma_w = 4."""
    name, text = r"\frac{l^2(\lambda_l-1+3/l)\big|_{4000}^{16000}}{\log4}", "growth of l^2 (lambda_l - 1 + 3/l)"
    found: list = [Measured(name, ZERO, _multipliers, tolerance=0.05, text=text, true=Rational(9, 2))]
    for net in CIRCLES:
        along = slope_along(law_of(net, "ntk"), law_of(net, "correlation"))
        for place, at, printed in (("l^{-1}", (1, 0), Integer(-3)), (r"\log(l)l^{-2}", (2, 1), ZERO)):
            name = rf"\bigl[{place}\bigr]\frac{{1+\alpha f'(C_{{l-1}})}}{{1+\alpha}}"
            found.append(Equality(simplify(along.coefficients.get(Monomial(*at), ZERO)), printed, name=name))
    return tuple(found)


@lru_cache(maxsize=1)
def _multipliers() -> tuple[Datum, ...]:
    """By the layers themselves."""
    found, alpha = [], 8
    for layer in (4000, 16_000):
        gap, _ = conv_pairs(ConvResNet("relu", 4, 1, 4), np.array(GAPS), layer - 1)
        slope = 1 - 2 * np.arcsin(np.sqrt(gap / 2)).mean() / np.pi
        found.append(layer**2 * ((1 + alpha * slope) / (1 + alpha) - 1 + 3 / layer))
    return (Datum("four positions, $sigma_w = 4$, $l = 4000$ to 16000", {}, float((found[1] - found[0]) / np.log(4))),)


def _averaging(size: int, reach: int) -> Equality:
    """K at one position after a layer by Lemma 4, without its source, beside the product entry by entry."""
    slopes, kernel = symbols(f"s_1:{size + 1}", positive=True), symbols(f"K_1:{size + 1}", positive=True)
    mean_of = sum(slopes[at] * kernel[at] for at in range(-reach, reach + 1)) / (2 * reach + 1)
    name = r"\bigl(K^{res,l}-(1+\alpha)^{l-1}q\,e_1\bigr)_1"
    true = kernel[0] + ALPHA * mean_of
    return Equality(true, (1 + ALPHA * slopes[0]) * kernel[0], true=true, name=name)


@lru_cache(maxsize=8)
def scaled_orbit(square: int, gaps: tuple = GAPS, depth: int = 1000) -> tuple[np.ndarray, np.ndarray]:
    """1 - c^L and K^L/q_L of a scaled convolutional ReLU ResNet at four positions, sigma_w^2 = `square`.

    >>> [round(float(value[0]), 9) for value in scaled_orbit(2, (0.0,) * 4, 3)]
    [0.0, 1.583333333]
    """
    gap = np.array(gaps)
    kernel = 1 - gap
    for layer in range(2, depth + 1):
        share, angle = square / 2 / layer, 2 * np.arcsin(np.sqrt(gap / 2))
        moved = gap - (np.sin(angle) - angle * np.cos(angle)) / np.pi  # 1 - f
        kernel = (kernel + share * _around((1 - angle / np.pi) * kernel + 1 - moved)) / (1 + share)
        gap = (gap + share * _around(moved)) / (1 + share)
    return gap, kernel


def _around(values: np.ndarray) -> np.ndarray:
    return (values + np.roll(values, 1) + np.roll(values, -1)) / 3


def _scaled_signs() -> Stated:
    """zeta has the sign of C: what 3 pi/sqrt(2 gamma) - alpha log(l) is near, for a narrow and a wide branch.

    And C itself, of four positions that are alike from the first layer on, as those of a dense network are.
    """

    def rows(square: int) -> Callable[[], tuple[Datum, ...]]:
        def made() -> tuple[Datum, ...]:
            times = 3 * np.pi / np.sqrt(2 * scaled_orbit(square)[0]) - square / 2 * np.log(1000)
            title = f"$3 pi/sqrt(2 (1 - c^l)) - (sigma_w^2/2) log l$ at $l = 1000$, $sigma_w^2 = {square}$, position "
            law = ScaledResNet("relu", sigma_w=sqrt(Integer(square))).correlation_law(1)
            constant = Datum(rf"$C$ of the law, $sigma_w^2 = {square}$, $c^1 = 1/20$", {},
                             float(law.connection_constant(10, correlation="1/20")), NUMBERS)  # fmt: skip
            return (constant, *(Datum(f"{title}{at}", {}, float(v)) for at, v in enumerate(times)))

        return made

    narrow, wide = (Measured(r"\zeta", ZERO, rows(square), ">", text="zeta, up to a factor") for square in (2, 40))
    return narrow, Mistaken(wide, Measured(r"\zeta", ZERO, rows(40), "<", text="zeta, up to a factor"))


def _scaled_kernel() -> Stated:
    """Equal positions of one input: how K^L/q^L grows from L = 100 to 1000, sigma_w^2 = 2 and 1."""
    found = []
    for square in (2, 1):
        alpha = Integer(square) / 2
        kernel = 1 + alpha * (digamma(DEPTH + 1 + alpha) - digamma(2 + alpha))

        def rows(square: int = square) -> tuple[Datum, ...]:
            near, far = (scaled_orbit(square, (0.0,) * 4, depth)[1].mean() for depth in (100, 1000))
            return (Datum(f"$sigma_w^2 = {square}$, four positions, $L = 100$", {DEPTH: 100}, float(far / near)),)

        name = r"\frac{K^{10L}_{\alpha,\alpha}(x,x)/q^{10L}}{K^L_{\alpha,\alpha}(x,x)/q^L}"
        found.append(Measured(name, Integer(10), rows, text="growth of K^L(x, x)/q^L from L to 10 L",
                              true=kernel.subs(DEPTH, 10 * DEPTH) / kernel))  # fmt: skip
    return (*LAWS["HDR.P3.alpha"](), *found, *LAWS["HDR.P3.rate"]())


def _sum_of_steps() -> Stated:
    """One step as l -> oo, and what a constant f(c) - c adds up to from l = 10^3 to 10^6; sigma_w^2 = 6 and 3."""

    def rows(square: int) -> Callable[[], tuple[Datum, ...]]:
        share = square / 2
        total = share * (mpmath.digamma(10**6 + 1 + share) - mpmath.digamma(10**3 + 1 + share)) / mpmath.log(10**3)
        return lambda: (Datum(f"$l = 10^3$ to $10^6$, $sigma_w^2 = {square}$", {SIGMA: sqrt(Integer(square))}, total),)

    depth, found = Symbol("l", positive=True), []
    for square in (6, 3):
        alpha = Integer(square) / (2 * depth)
        name = rf"l\,\frac{{c^l-c^{{l-1}}}}{{f(c)-c}}\ (\sigma_w^2={square})"
        found.append(Limit(depth * alpha / (1 + alpha), depth, oo, ONE, name))
        found.append(Measured(r"\frac{c^{l'}-c^l}{(f(c)-c)\log(l'/l)}", ONE, rows(square), tolerance=1e-3,
                              text="(c^l' - c^l)/((f(c) - c) log(l'/l))", true=ADDED))  # fmt: skip
    return tuple(found)


def _shape_of_the_error() -> Stated:
    """Q v is a vector, which Q^T does not multiply from the right; |Q v| = |v| for the vector itself."""
    angle, one, two = symbols("t v_1 v_2", real=True)
    turn = Matrix([[cos(angle), -sin(angle)], [sin(angle), cos(angle)]])
    moved = turn * Matrix([one, two])
    columns = Equality(Integer(moved.shape[1]), Integer(turn.T.shape[0]), name=r"\text{columns of }Q(f_t-\mathcal Y)")
    return (Mistaken(columns, Equality(moved.dot(moved), one**2 + two**2, name=r"\|Z_t\|^2")),)


STEPS: Ledger = {
    "HDR.B1.positive": _positive,
    "HDR.CNN.varconv": _positions,
    # One channel of letters on four positions, two channels of numbers on five.
    "HDR.L4.first": lambda: (
        _of_signals(*(Matrix(1, 4, symbols(f"{name}_1:5", real=True)) for name in ("x", "x'"))),
        _of_signals(*(Matrix([[1, 2, 0, 1, 3], [2, 1, 1, 0, 1]]), Matrix([[4, 1, 0, 0, 3], [1, 3, 0, 1, 2]]))),
    ),
    "HDR.AL7.cnn": _of_circles,
    # Sigma-dot over sigma_w^2/2: of f(1) as printed, and of f'(1), which the next lines use at every c.
    "HDR.T2.sigdot": lambda: tuple(
        Equality(ADDED * side.subs(X, 1), SIGMA**2 / 2, name=rf"\tfrac{{\sigma_w^2}}2{name}")
        for side, name in ((RELU_MAP, "f(1)"), (diff(RELU_MAP, X), "f'(1)"))
    ),
    "HDR.T2.cnn-product": lambda: (_averaging(4, 1), _averaging(6, 2)),
    "HDR.T2.cnn-slope": _multiplier_along,
    "HDR.T2.cnn": lambda: tuple(rate(net, "ntk", "1/L") for net in CIRCLES),
    "HDR.AL8.sum": _sum_of_steps,
    "HDR.AL8.cnn": lambda: (LAWS["HDR.AL8"]()[0], *_scaled_signs()),
    "HDR.P3.cnn": _scaled_kernel,
    # kappa log(l)/l^2 is not Theta(l^-2), as Lemma 5 asks; the limit is that of Lemma 6's own expansion.
    "HDR.AL6.lemma5": lambda: (Mistaken(
        Size(log(PLACE) / PLACE**2, PLACE, PLACE**-2, name=r"\lambda_l-1+\frac\alpha l"),
        Equality(lemma6().particular.coefficient(-1), SOURCE / (1 + DECAY), name=r"\lim\frac{a_l}l")),),
    "HDR.T1.1-lemma5": lambda: (LawCoefficient(RELU, "ntk", "log(L)/L", ZERO),),
    # l = 1, where the hypothesis allows a_1 = alpha a_0 + k; all terms with the index l - 1 - j.
    "HDR.AL4.bound": lambda: (Mistaken(Comparison(K, "<=", K * exp(-BETA), name=r"a_1-\alpha a_0"), contraction()),),
    # sigma_w^2 = 2: gamma_(l+1) less the three terms that are printed.
    "HDR.AL7.order": lambda: (
        Size(1 - (1 - T + RELU_MAP.subs(X, 1 - T)) / 2 - T
             + (S * T ** Rational(3, 2) + maps.KAPPA * T ** Rational(5, 2)) / 2,
             T, T ** Rational(7, 2), ZERO, r"\gamma_{l+1}-\gamma_l+s\gamma_l^{3/2}+\kappa'\gamma_l^{5/2}"),
    ),
    "HDR.L1.Z": _shape_of_the_error,
    "HDR.T1.2-betaq": lambda: (Equality(inverse_of_gap(TANH, -1), ALPHA, name=r"\lim\frac1{l\lambda_l}"),),
    "HDR.S6.3-epochs": lambda: (
        Mistaken(*(Comparison(EPOCHS / 2, "<", share * EPOCHS) for share in (Rational(1, 4), Rational(3, 4)))),
    ),
}  # fmt: skip

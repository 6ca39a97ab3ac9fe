"""Printed recursions of HDR for networks, beside the exact mean of small networks over their random weights.

With two layers K^1 is not random, the outer weights enter linearly, and so the mean of the NTK over normal weights is
the printed recursion at any width and any number of channels, 1 too.  With phi(z) = z + z^2 it is a polynomial in
sigma_w and sigma_b.  Two inputs of numbers, circles of three positions; dense networks of four layers beside it.
"""

from dataclasses import replace

from sympy import Expr, Integer, Symbol, diff, sqrt, symbols

from asympt.claims.stated.equalities import Equality
from asympt.claims.stated.hdr.maps import BIAS, SIGMA, ZERO, Q, X, covariance, mean, printed_map
from asympt.claims.stated.kernels import DEPTH, LAYER, S_1, SIGMA_B, SIGMA_W, SIZE, D, K, S, StatedKernel, T
from asympt.claims.stated.kernels import X as INNER_PRODUCT
from asympt.claims.stated.statement import Ledger, Stated

INPUT = SIGMA_W**2 * INNER_PRODUCT / SIZE + SIGMA_B**2
PLAIN = ("plain", "nngp", (INPUT, SIGMA_W**2 * T + SIGMA_B**2))
TAKEN = ("covariance", "told")
INNER, OUTER, OFFSETS = symbols("u_1:4"), symbols("v_1:4"), symbols("b_1:3")
WEIGHTS = (*INNER, *OUTER, *OFFSETS)
ONE_INPUT, OTHER = (Integer(1), Integer(2), Integer(0)), (Integer(3), Integer(-1), Integer(1))


def _phi(z: Expr) -> Expr:
    return z + z**2


def _tangent(one: Expr, two: Expr) -> Expr:
    """The mean of sum_w (d f/d w)(d f'/d w)."""
    return mean(sum(diff(one, w) * diff(two, w) for w in WEIGHTS), *WEIGHTS)


def _signal(x: tuple, position: int = 1) -> Expr:
    """y^1 at a position of the circle; at position 1 that of one dense unit, d = 3."""
    seen = sum(INNER[b + 1] * x[(position + b) % 3] for b in (-1, 0, 1))
    return SIGMA / sqrt(3) * seen + BIAS * OFFSETS[0]


def _output(x: tuple, skip: int, weight: Symbol) -> Expr:
    return skip * _signal(x) + SIGMA * weight * _phi(_signal(x)) + BIAS * OFFSETS[1]


def _first(x: tuple, other: tuple, a: int = 1, b: int = 1) -> Expr:
    shared = sum(x[(a + s) % 3] * other[(b + s) % 3] for s in (-1, 0, 1))
    return SIGMA**2 * shared / 3 + BIAS**2


def _layer(a: int = 1, b: int = 1) -> tuple[Expr, Expr, Expr]:
    """K^1 = Sigma^1, Sigma^2 and the derivative kernel for the two inputs, at these positions."""
    one, two = _first(ONE_INPUT, ONE_INPUT, a, a), _first(OTHER, OTHER, b, b)
    between = _first(ONE_INPUT, OTHER, a, b)
    square = between + one * two + 2 * between**2  # E[phi phi], of normal letters with these covariances
    return between, BIAS**2 + SIGMA**2 * square, SIGMA**2 * (1 + 4 * between)


def _covariance() -> Stated:
    one, two = (_output(x, 0, OUTER[0]) for x in (ONE_INPUT, OTHER))
    return Equality(mean(one * two, *WEIGHTS), _layer()[1], name=r"\Sigma^2(x,x')"), StatedKernel(*PLAIN)


def _plain() -> Stated:
    """And two outputs, of one hidden layer, without bias of their own."""
    first, sigma, dotted = _layer()
    one, two = (_output(x, 0, OUTER[0]) for x in (ONE_INPUT, OTHER))
    apart = SIGMA * OUTER[1] * _phi(_signal(OTHER))
    return (
        Equality(_tangent(one, two), dotted * first + sigma, name="K^2_{11}(x,x')"),
        Equality(_tangent(one, apart), ZERO, name="K^2_{12}(x,x')"),
        StatedKernel("plain", "ntk", PLAIN[2], (INPUT, SIGMA_W**2 * D * K + S_1), told=K, at=DEPTH, given=TAKEN),
        StatedKernel("plain", "between", PLAIN[2], told=ZERO, at=DEPTH, given=("covariance",), name="K_{12}"),
    )


def _residual() -> Stated:
    first, sigma, dotted = _layer()
    one, two = (_output(x, 1, OUTER[0]) for x in (ONE_INPUT, OTHER))
    added, stream = SIGMA_W**2 * T + SIGMA_B**2, (INPUT, S + SIGMA_W**2 * T + SIGMA_B**2)
    kernel = (INPUT, K * (SIGMA_W**2 * D + 1) + added)
    return (
        Equality(_tangent(one, two), first * (dotted + 1) + sigma, name="K^2_{res}(x,x')"),
        StatedKernel("residual", "nngp", stream),
        StatedKernel("residual", "ntk", stream, kernel, told=K, at=DEPTH, given=TAKEN),
    )


def scaled() -> StatedKernel:
    """K^l(x, x) of a scaled ReLU network: what a layer adds lacks its factor in the print."""
    share = SIGMA_W**2 / (LAYER + 1)
    first, grown = SIGMA_W**2 * INNER_PRODUCT / SIZE, K * (1 + share / 2)
    printed = StatedKernel("scaled", "ntk", (first, S + share * T), (first, grown + S_1), told=K, at=DEPTH,
                           on_diagonal=True, given=TAKEN, activations=("relu",))  # fmt: skip
    return replace(printed, true=replace(printed, kernel=(first, grown + share / 2 * S)))


def _pixel(x: tuple, position: int, skip: int) -> Expr:
    seen = sum(OUTER[b + 1] * _phi(_signal(x, (position + b) % 3)) for b in (-1, 0, 1))
    return skip * _signal(x, position) + SIGMA / sqrt(3) * seen + BIAS * OFFSETS[1]


def _convolved(skip: int) -> Stated:
    """K^2 at the positions 0 of x and 1 of x' by Proposition 1 and, with skip = 1, Lemma 4."""
    printed = skip * _first(ONE_INPUT, OTHER, 0, 1)
    for s in (-1, 0, 1):
        first, sigma, dotted = _layer(s, 1 + s)
        printed += (dotted * first + sigma) / 3
    found = _tangent(_pixel(ONE_INPUT, 0, skip), _pixel(OTHER, 1, skip))
    return (Equality(found, printed.expand(), name=r"K^2_{\alpha,\alpha'}(x,x')"),)


def _correlations() -> Stated:
    """Equal variances q: the covariances of three neighbours averaged, over q, beside the mean of the printed f."""
    neighbours = symbols("c_1:4", real=True)
    found = sum(covariance().subs(X, c) for c in neighbours) / 3 / Q
    printed = sum(printed_map().subs(X, c) for c in neighbours) / 3
    ranges = {c.name: (-Integer(1), Integer(1)) for c in neighbours}
    return (Equality(found, printed, ranges=ranges, name=r"c^l_{\alpha,\alpha'}(x,x')"),)


NETWORKS: Ledger = {
    "HDR.B1.sigma": _covariance,
    "HDR.L2": _plain,
    "HDR.L3": _residual,
    "HDR.P1": lambda: _convolved(0),
    "HDR.L4": lambda: _convolved(1),
    "HDR.CNN.corr": _correlations,
}

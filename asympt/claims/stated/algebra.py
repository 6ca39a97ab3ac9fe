"""Printed formulas of the ledger as objects: identities, solutions of recursions and of equations in time, limits.

Rule.  As for `stated.ledger`.  Matrix formulas stand here for one training point (N = 1), where a letter is a number;
the decisions of their claims have them for matrices.  What is known of a wrong print is given as `true`.

Known limits.  Free letters have numbers where a limit is taken.
"""

from collections.abc import Callable
from itertools import pairwise

from sympy import Expr, Integer, Rational, Symbol, exp, oo, sqrt, symbols

from asympt.claims.stated.statement import Equality, Evolution, Limit, Sequence, StatedFormula

K, F0, Y, ETA, S, N, GAMMA, C, LAM = symbols("K f_0 y eta S N Gamma c lambda", positive=True)
CROSS, G0, TIME, X, D, CHI = symbols("k g_0 t x d chi", positive=True)
F, G = symbols("f g", real=True)
LAYER, BEFORE = Symbol("l", integer=True, positive=True), Symbol("x_l", positive=True)
SMALL = Symbol("delta", positive=True)
Q, P, A, A_Z, SIGMA_W, BETA, ALPHA = symbols("q p A A_z sigma_w beta alpha", positive=True)
Stated = tuple[StatedFormula, ...]


# ---- training in time -----------------------------------------------------------------------------------


def _trained(rate: Expr) -> Stated:
    """f_t on the training point: descent with df/dt = -rate (f - y)."""
    fades = exp(-rate * TIME)
    value = fades * F0 + (1 - fades) * Y
    return (Evolution({F: value}, {F: -rate * (F - Y)}, {F: F0}, TIME, {F: "f_t"}),)


def _at_test_point(rate: Expr, cross: Expr) -> Stated:
    """f_t at a test point beside f_t on the training point."""
    fades = exp(-rate * TIME)
    values = {F: fades * F0 + (1 - fades) * Y, G: G0 + cross / rate * (1 - fades) * (Y - F0)}
    slopes = {F: -rate * (F - Y), G: -cross * (F - Y)}
    return (Evolution(values, slopes, {F: F0, G: G0}, TIME, {F: r"f_t(\mathcal X)", G: "f_t(x)"}),)


def _linear_system() -> Stated:
    """x(t) = x* + e^(At) (x(0) - x*), and the integral of e^(At) by its derivative."""
    value = Y + exp(A * TIME) * (F0 - Y)
    integral = (exp(A * TIME) - 1) / A
    flow = Evolution({F: value}, {F: A * (F - Y)}, {F: F0}, TIME, {F: "x(t)"})
    return flow, Evolution({G: integral}, {G: A * G + 1}, {G: Integer(0)}, TIME, {G: r"\int_0^te^{As}ds"})


def _final() -> Stated:
    """f_oo at a test point: K = 2, k = 3/2, f_0 = 1/5, g_0 = 1/3, y = 4."""
    rate, cross, first, start, target = 2, Rational(3, 2), Rational(1, 5), Rational(1, 3), 4
    value = start + cross / rate * (1 - exp(-rate * TIME)) * (target - first)
    return (Limit(value, TIME, oo, cross / rate * (target - first) + start),)


def _slowest() -> Stated:
    """eta = 2/lambda_1 and lambda_m = lambda_1/kappa."""
    kappa = Symbol("kappa", positive=True)
    return (Equality(1 - exp(-TIME * (2 / LAM) * (LAM / kappa)), 1 - exp(-2 * TIME / kappa), (TIME, LAM, kappa)),)


def _centre() -> Stated:
    """M_t with the sign of Gamma as printed."""
    pull = -K / N * (F0 - Y) + ETA * GAMMA / (2 * S)
    moved = {sign: -K / N * (F0 - (Y + sign * ETA * N * GAMMA / (2 * S * K))) for sign in (-1, 1)}
    return (Equality(pull, moved[-1], (K, F0, Y, ETA, S, N, GAMMA), true=moved[1]),)


def _newton() -> Stated:
    """L(x - eta L') for L = x^4 + x at x = 1: the coefficient of eta^2 is L'^2 L''/2."""
    after = (1 - 5 * SMALL) ** 4 + (1 - 5 * SMALL)
    return (Limit((after - 2 + 25 * SMALL) / SMALL**2, SMALL, Integer(0), Integer(25 * 12) / 2),)


# ---- kernels of layers --------------------------------------------------------------------------------


def _constant_variance() -> Stated:
    """ReLU with sigma_w^2 = 2."""
    return (Sequence(r"\Sigma^l(x,x)", 2 * X / D, LAYER, 2 * BEFORE / 2, BEFORE, 2 * X / D),)


def _growing_variance() -> Stated:
    """A ReLU ResNet: every layer adds sigma_w^2/2 times what is there."""
    step = BEFORE + SIGMA_W**2 / 2 * BEFORE
    return (Sequence(r"\Sigma^l(x,x)", (1 + SIGMA_W**2 / 2) ** (LAYER - 1) * Q, LAYER, step, BEFORE, Q),)


def _averaged_map(gain: Expr) -> Stated:
    """The correlation after a residual layer: covariance c q + gain q f(c) over the variance (1 + gain) q."""
    value = Symbol("f_c", positive=True)
    after = (C * Q + gain * Q * value) / ((1 + gain) * Q)
    return (Equality(after, C / (1 + gain) + gain / (1 + gain) * value, (C, Q, value, SIGMA_W)),)


def _first_covariance() -> Stated:
    """A network of one layer: d_0 terms of variance x_i^2/d_0."""
    return (Equality(X / D + BETA**2, X / sqrt(D) + BETA**2, (X, D, BETA), true=X / D + BETA**2),)


def _first_variance() -> Stated:
    """Var(sigma_w (Ux)_i/sqrt(d)) beside the covariance of the same line."""
    right = SIGMA_W**2 * X / D
    return (Equality(right, SIGMA_W * X, (SIGMA_W, X, D), true=right),)


def _parameters() -> Stated:
    """L = 3 with biases."""
    sizes = symbols("d_0 d_1 d_2 d_3", positive=True)
    weights = sum(one * two for one, two in pairwise(sizes))
    count = weights + sum(sizes[1:])
    return (Equality(count, weights, sizes, true=count),)


# ---- spectra of XPS ---------------------------------------------------------------------------------------


def _nngp_spectrum() -> Stated:
    """A matrix with q on the diagonal and q c off it, on (1, ..., 1) and on (1, -1, 0, ..., 0)."""
    n = Symbol("n", integer=True, positive=True)
    along = Equality(Q + (n - 1) * Q * C, Q * ((n - 1) * C + 1), (Q, C, n))
    return along, Equality(Q - Q * C, Q * (1 - C), (Q, C))


def _sherman_morrison() -> Stated:
    """(p + lambda A)^(-1)."""
    hat = 1 / (LAM * (1 / P + 1 / (LAM * A)))
    return (Equality(1 / (P + LAM * A), (1 / A - hat / A**2) / LAM, (P, LAM, A)),)


def _ordered_prediction() -> Stated:
    """(p + lambda A_z)(p + lambda A)^(-1), three terms."""
    hat = 1 / (LAM * (1 / P + 1 / (LAM * A)))
    return (Equality((P + LAM * A_Z) / (P + LAM * A), A_Z / A - hat * A_Z / A**2 + hat / A, (P, LAM, A, A_Z)),)


# ---- two inputs at a distance delta (PDLT) ---------------------------------------------------------------------


def _components(middle: int, first: Expr, second: Expr, zeroth: Expr) -> tuple[Expr, Expr, Expr]:
    """M_++, M_-+ and M_-- of a kernel with the components M_00, M_[1], M_[2] and delta^2 M_[0]."""
    even = middle + (second + zeroth) * SMALL**2
    return even + first * SMALL, middle + (zeroth - second) * SMALL**2, even - first * SMALL


def _pair(first: Rational, kernel_first: Rational) -> tuple[Limit, Limit]:
    """Ratio and covariance at second order: Theta_00 = 3, Theta_[2] = 5/7, K_00 = 2, K_[2] = 1/5."""
    middle, second, kernel, kernel_second = 3, Rational(5, 7), 2, Rational(1, 5)
    upper, across, _ = _components(middle, first, second, Rational(2, 3))
    k_upper, k_across, k_lower = _components(kernel, kernel_first, kernel_second, Rational(1, 9))
    ratio, slope = across / upper, Integer(0) + first / middle
    told = -2 * second / middle + slope**2
    near = Limit((ratio - 1 + slope * SMALL) / SMALL**2, SMALL, Integer(0), told)
    covariance = k_lower - 2 * ratio * k_across + ratio**2 * k_upper
    value = 4 * kernel_second - 2 * kernel_first * slope + kernel * slope**2
    return near, Limit(covariance / SMALL**2, SMALL, Integer(0), value)


EQUAL, UNEQUAL = (Rational(0), Rational(0)), (Rational(4, 5), Rational(1, 3))

ALGEBRA: dict[str, Callable[[], Stated]] = {
    "HDR.eq8": lambda: _trained(K / N),
    "HDR.eq9": lambda: _at_test_point(K / N, CROSS / N),
    "HDR.S5.M": _centre,
    "HDR.B1.reluvar": _constant_variance,
    "HDR.AL7.var": _growing_variance,
    "HDR.AL7.map": lambda: _averaged_map(SIGMA_W**2 / 2),
    "HDR.AL8.map": lambda: _averaged_map(SIGMA_W**2 / 14),
    "JGH.train": lambda: _trained(K),
    "JGH.test": lambda: _at_test_point(K, CROSS),
    "JGH.final": _final,
    "JGH.ode-sol": _linear_system,
    "JGH.P": _parameters,
    "JGH.T2.sigma1": _first_covariance,
    "TBG.nngp.base": _first_variance,
    "XPS.dyn": lambda: _trained(ETA * LAM),
    "XPS.kappa": _slowest,
    "XPS.chaos.nngp": _nngp_spectrum,
    "XPS.ord.sm": _sherman_morrison,
    "XPS.ord.pred": _ordered_prediction,
    "PDLT.10.31": _newton,
    "PDLT.10.62": lambda: _pair(*EQUAL)[:1],
    "PDLT.10.63": lambda: _pair(*EQUAL)[1:],
    "PDLT.10.65": lambda: _pair(*UNEQUAL)[:1],
    "PDLT.10.66": lambda: _pair(*UNEQUAL)[1:],
}

"""Printed formulas as objects: identities, solutions of recursions and of equations in time, limits.

Kernels are symmetric: in its eigenbasis one is a number for every mode, so a formula in letters for one mode holds for
any number of training points.
"""

from sympy import Expr, Integer, MatrixSymbol, Rational, Symbol, exp, oo, symbols
from sympy import Identity as One

from asympt.claims.stated.comparisons import Limit
from asympt.claims.stated.equalities import Equality, Evolution, Sequence
from asympt.claims.stated.matrices import MatrixEquality
from asympt.claims.stated.statement import Ledger, Mistaken, Stated

K, F0, Y, ETA, S, N, GAMMA, C, LAM = symbols("K f_0 y eta S N Gamma c lambda", positive=True)
CROSS, G0, TIME, X, D, CHI = symbols("k g_0 t x d chi", positive=True)
F, G = symbols("f g", real=True)
LAYER, BEFORE = Symbol("l", integer=True, positive=True), Symbol("x_l", positive=True)
Q, P, A, SIGMA_W, KAPPA = symbols("q p A sigma_w kappa", positive=True)
GAIN, ZERO = SIGMA_W**2 / 2, Integer(0)


def trained(rate: Expr) -> Evolution:
    """f_t on the training point: descent with df/dt = -rate (f - y)."""
    fades = exp(-rate * TIME)
    return Evolution({F: fades * F0 + (1 - fades) * Y}, {F: -rate * (F - Y)}, {F: F0}, TIME, {F: "f_t"})


def at_test_point(rate: Expr, cross: Expr, printed: Expr | None = None, first=F0, start=G0) -> Evolution:
    """f_t at a test point beside f_t on the training point; `printed`, which share of y - f_0 it is said to learn."""
    fades = exp(-rate * TIME)
    right = {F: fades * first + (1 - fades) * Y, G: start + cross / rate * (1 - fades) * (Y - first)}
    shown = right if printed is None else {**right, G: start + printed * (Y - first)}
    slopes = {F: -rate * (F - Y), G: -cross * (F - Y)}
    true = None if printed is None else right
    return Evolution(shown, slopes, {F: first, G: start}, TIME, {F: r"f_t(\mathcal X)", G: "f_t(x)"}, true)


def _final() -> Stated:
    """f_oo at a test point: K = 2, k = 3/2, f_0 = 1/5, g_0 = 1/3, y = 4."""
    rate, cross, first, start, target = 2, Rational(3, 2), Rational(1, 5), Rational(1, 3), 4
    value = start + cross / rate * (1 - exp(-rate * TIME)) * (target - first)
    return (Limit(value, TIME, oo, cross / rate * (target - first) + start),)


def _centre() -> Stated:
    """M_t with the sign of Gamma as printed."""
    pull = -K / N * (F0 - Y) + ETA * GAMMA / (2 * S)
    moved = {sign: -K / N * (F0 - (Y + sign * ETA * N * GAMMA / (2 * S * K))) for sign in (-1, 1)}
    return (Equality(pull, moved[-1], true=moved[1]),)


def averaged_map(gain: Expr) -> Stated:
    """The correlation after a residual layer: covariance c q + gain q f(c) over the variance (1 + gain) q."""
    value = Symbol("f_c", positive=True)
    return (Equality((C * Q + gain * Q * value) / ((1 + gain) * Q), C / (1 + gain) + gain / (1 + gain) * value),)


def _ordered_prediction() -> Stated:
    """(p 1^T + lambda A_z) (p 11^T + lambda A)^(-1), three terms, for any vector in the place of 1."""
    row = MatrixSymbol("A_z", 1, SIZE)
    weights = MATRIX.I * ONES
    told = row * MATRIX.I - row * weights * HAT * weights.T + HAT * weights.T
    return (MatrixEquality((P * ONES.T + LAM * row) * INVERSE / LAM, told, (MATRIX,)),)


SIZE = Symbol("n", integer=True, positive=True)
MATRIX, ONES = MatrixSymbol("A", SIZE, SIZE), MatrixSymbol("u", SIZE, 1)
HAT = (LAM / P * One(1) + ONES.T * MATRIX.I * ONES).I  # the printed one, \hat p = 1/(lambda/p + u^T A^(-1) u)
INVERSE = MATRIX.I - MATRIX.I * ONES * HAT * ONES.T * MATRIX.I  # lambda times the printed inverse


def _rank_one() -> Stated:
    """A + u v^T times the printed inverse, and the right one."""
    a, u, v = MATRIX, ONES, MatrixSymbol("v", SIZE, 1)
    share = (One(1) + v.T * a.I * u).I
    both = (MatrixEquality((a + u * v.T) * (a.I + sign * a.I * u * share * v.T * a.I), One(SIZE)) for sign in (1, -1))
    return (Mistaken(*both),)


ALGEBRA: Ledger = {
    "HDR.eq8": lambda: (trained(K / N),),
    "HDR.eq9": lambda: (at_test_point(K / N, CROSS / N),),
    "HDR.S5.M": _centre,
    # ReLU with sigma_w^2 = 2.
    "HDR.B1.reluvar": lambda: (Sequence(r"\Sigma^l(x,x)", 2 * X / D, LAYER, 2 * BEFORE / 2, BEFORE, 2 * X / D),),
    # Every layer adds sigma_w^2/2 times what is there.
    "HDR.AL7.var": lambda: (
        Sequence(r"\Sigma^l(x,x)", (1 + GAIN) ** (LAYER - 1) * Q, LAYER, BEFORE + GAIN * BEFORE, BEFORE, Q),
    ),
    "HDR.AL7.map": lambda: averaged_map(GAIN),
    "JGH.train": lambda: (trained(K),),
    "JGH.test": lambda: (at_test_point(K, CROSS),),
    # With Theta(x, X) = k in the exponent as printed.
    "JGH.test-III": lambda: (at_test_point(K, CROSS, 1 - exp(-CROSS * TIME)),),
    "JGH.final": _final,
    # x(t) = x* + e^(At) (x(0) - x*), and the integral of e^(At) by its derivative.
    "JGH.ode-sol": lambda: (
        Evolution({F: (Y + exp(A * TIME) * (F0 - Y))}, {F: A * (F - Y)}, {F: F0}, TIME, {F: "x(t)"}),
        Evolution({G: ((exp(A * TIME) - 1) / A)}, {G: A * G + 1}, {G: ZERO}, TIME, {G: r"\int_0^te^{As}ds"}),
    ),
    # From outputs 0; and the exponential fades.
    "XPS.dyn": lambda: (at_test_point(ETA * LAM, ETA * CROSS, first=ZERO, start=ZERO),),
    "XPS.finf": lambda: (*ALGEBRA["XPS.dyn"](), Limit(exp(-TIME), TIME, oo, ZERO, "e^{-s}")),
    # eta = 2/lambda_1 and lambda_m = lambda_1/kappa; then at t = 1.
    "XPS.kappa": lambda: (Equality(1 - exp(-TIME * (2 / LAM) * (LAM / KAPPA)), 1 - exp(-2 * TIME / KAPPA)),
                          Limit(1 - exp(-2 / KAPPA), KAPPA, oo, ZERO, r"\tilde f_{1,m}(X)/\tilde y_m")),
    # (p 11^T + lambda A) times the printed inverse, for any vector in the place of 1.
    "XPS.ord.sm": lambda: (MatrixEquality((P * ONES * ONES.T + LAM * MATRIX) * INVERSE / LAM, One(SIZE), (MATRIX,)),),
    "XPS.ord.sm-margin": _rank_one,
    "XPS.ord.pred": _ordered_prediction,
}  # fmt: skip

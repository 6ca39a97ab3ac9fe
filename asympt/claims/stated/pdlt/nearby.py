"""Printed formulas of PDLT, section 10.3, on inputs at a small distance delta: one training point, two, and a line.

Kernels are smooth around the midpoint x_0, symbols for all their coefficients (`training.two_point.KernelJet`).
"""

from functools import lru_cache

from sympy import Expr, Integer, Matrix, Symbol, symbols

from asympt.claims.stated.equalities import Equality, Letter, Truncation
from asympt.claims.stated.matrices import MatrixEquality
from asympt.claims.stated.pdlt.training import GRAM, THETA, M, MatrixSymbol, N, Y, Z
from asympt.claims.stated.statement import Ledger, Stated
from asympt.training.two_point import DELTA, FIRST, SECOND, KernelJet, S, function_jet, output_spread, trained_output


def _letters(kernel: str) -> tuple:
    """M_00, dM_[1], ddM_[2], ddM_[0] and dddM_[21] of a kernel."""
    tex = rf"\{kernel}" if len(kernel) > 1 else kernel
    parts = ((r"\delta", "1"), (r"\delta\delta", "2"), (r"\delta\delta", "0"), (r"\delta\delta\delta", "21"))
    named = (Letter(f"{'d' * d.count('delta')}{kernel}_[{k}]", rf"{d} {tex}_{{[{k}]}}") for d, k in parts)
    return (KernelJet(kernel).centre, *named)


T_00, T_1, T_2, T_0, T_21 = _letters("Theta")
K_00, K_1, K_2, _, _ = _letters("K")
T_PP, T_PM, T_MM, K_PP, K_PM, K_MM = (
    Letter(f"{name}_{signs}", rf"{tex}_{{{signs}}}")
    for name, tex in (("Theta", r"\Theta"), ("K", "K"))
    for signs in ("++", "-+", "--")
)


def _components(equal_norms: bool, kernel: str = "Theta") -> tuple:
    jet = KernelJet(kernel, equal_norms)
    values = (jet.tilt, jet.spread, jet.curvature, jet.twist)
    return tuple(zip(_letters(kernel)[1:], values, strict=True))


def _entries(equal_norms: bool) -> tuple:
    """The definitions of M_++, M_-+ and M_-- of both kernels."""
    theta, nngp = (KernelJet(name, equal_norms) for name in ("Theta", "K"))
    places = ((1, 1), (-1, 1), (-1, -1))
    letters = ((T_PP, T_PM, T_MM), (K_PP, K_PM, K_MM))
    return tuple((letter, jet.at(*place)) for jet, names in zip((theta, nngp), letters, strict=True)
                 for letter, place in zip(names, places, strict=True))  # fmt: skip


def _near(left: Expr, printed: Expr, order: int, equal_norms: bool) -> Stated:
    used = left.free_symbols | printed.free_symbols
    where = (*_entries(equal_norms), *_components(equal_norms), *_components(equal_norms, "K"))
    return (Truncation(left, printed, DELTA, order, tuple(pair for pair in where if pair[0] in used)),)


ROBUSTNESS = T_PM / T_PP - 1
COVARIANCE = K_MM - 2 * T_PM / T_PP * K_PM + (T_PM / T_PP) ** 2 * K_PP


def pair() -> Stated:
    """Any two points of the line."""
    half, apart = (FIRST + SECOND) / 2, (FIRST - SECOND) / 2
    printed = T_00 + half * T_1 + half**2 * (T_2 + T_0) + apart**2 * (T_0 - T_2)
    letter = Letter("Theta_12", r"\Theta_{\epsilon_1\epsilon_2}")
    where = ((letter, KernelJet("Theta").at(FIRST, SECOND)), *_components(False))
    return (Truncation(letter, printed, DELTA, 3, where),)


def row() -> Stated:
    """A point of the line and x_+, then x_-."""
    jet, found = KernelJet("Theta"), []
    for sign, name, ends in ((1, "+", (T_PP, T_PM)), (-1, "-", (T_PM, T_MM))):
        letter = Letter(f"Theta_s{name}", rf"\Theta_{{(2s-1){name}}}")
        printed = S * ends[0] + (1 - S) * ends[1] - 2 * S * (1 - S) * T_0
        where = ((letter, jet.at(2 * S - 1, sign)), *_entries(False)[:3], *_components(False))
        found.append(Truncation(letter, printed, DELTA, 3, where))
    return tuple(found)


def _linear_kernel(first: Expr, second: Expr) -> Expr:
    """Theta of three layers of phi(x) = x, every variance and rate a symbol, at x_0 + first dx/2, x_0 + second dx/2."""
    squares = symbols("x00 x0d xdd", real=True)  # x_0.x_0, x_0.dx, dx.dx
    covariance = kernel = squares[0] + (first + second) / 2 * squares[1] + first * second / 4 * squares[2]
    for layer in (1, 2, 3):
        c_b, c_w, l_b, l_w = symbols(f"C_b{layer} C_W{layer} lambda_b{layer} lambda_W{layer}", positive=True)
        kernel = l_b + l_w * covariance + (c_w * kernel if layer > 1 else 0)
        covariance = c_b + c_w * covariance
    return kernel.expand()


def linear_curvature() -> Stated:
    """Three layers: the kernel between a point of the line and x_+, x_-, and its curvature."""
    ends = tuple(zip((T_PP, T_PM, T_MM), (_linear_kernel(*p) for p in ((1, 1), (-1, 1), (-1, -1))), strict=True))
    ends += ((T_00, _linear_kernel(Integer(0), Integer(0))),)
    curvature = (T_PP + T_MM + 2 * T_PM) / 4 - T_00
    rows = (
        Equality(_linear_kernel(2 * S - 1, sign), S * one + (1 - S) * two, ends)
        for sign, one, two in ((1, T_PP, T_PM), (-1, T_PM, T_MM))
    )
    return (*rows, Equality(curvature, Integer(0), ends))


def linear_output() -> Stated:
    """A linear network with biases on a line, and the trained outputs where rows R of s and 1 - s give Theta."""
    weights = [Matrix(*shape, symbols(f"W{k}_:4")[: shape[0] * 2]) for k, shape in enumerate(((2, 2), (2, 2), (1, 2)))]
    biases = [Matrix(symbols(f"b{k}_:2")[: weight.rows]) for k, weight in enumerate(weights)]

    def output(point: Matrix) -> Expr:
        for weight, bias in zip(weights, biases, strict=True):
            point = weight * point + bias
        return point[0]

    plus, minus, rows = Matrix(symbols("x_:2")), Matrix(symbols("u_:2")), MatrixSymbol("R", M, N)
    z, w = symbols("z_+ z_-")
    where = ((z, output(plus)), (w, output(minus)))
    line = Equality(output(S * plus + (1 - S) * minus), S * z + (1 - S) * w, where)
    return line, MatrixEquality(rows * Z - THETA * GRAM.I * (Z - Y), rows * Y, where=((THETA, rows * GRAM),))


Z_S, Z_P, Z_M, Y_S, Y_P, Y_M = (Letter(f"{n}_{k}", f"{n}_{{{k}}}") for n in "zy" for k in ("2s-1", "+", "-"))
SUM, APART = Z_P + Z_M - Y_P - Y_M, Z_P - Z_M - Y_P + Y_M
TRAINED, MEAN = Letter("z(T)", "z_{2s-1}(T)"), Letter("m", "m_{2s-1}")
LINE = Z_S - S * Z_P - (1 - S) * Z_M + S * Y_P + (1 - S) * Y_M
NO_START = {Symbol(f"z_{k}", real=True): 0 for k in range(4)}


@lru_cache(maxsize=2)
def _output(equal_norms: bool) -> Expr:
    """The exact prediction to order delta^2."""
    return trained_output(KernelJet("Theta", equal_norms))


def _polation(equal_norms: bool, left: Expr, printed: Expr, true: Expr) -> Stated:
    """Smooth outputs and targets in the place of their values; the mean has outputs 0 at initialisation."""
    jets = (function_jet(name, e) for name in "zy" for e in (2 * S - 1, 1, -1))
    values = tuple(zip((Z_S, Z_P, Z_M, Y_S, Y_P, Y_M), jets, strict=True))
    exact = _output(equal_norms)
    where = ((TRAINED, exact), (MEAN, exact.subs(NO_START)), *values, *_components(equal_norms))
    used = left.free_symbols | printed.free_symbols | true.free_symbols
    where = tuple(definition for definition in where if definition[0] in used)
    return (Truncation(left, printed, DELTA, 3, where, Truncation(left, true, DELTA, 3, where)),)


def general_output() -> Stated:
    """Factor 4, signs, and a third-order component of Theta that counts as much."""
    ratio = 2 * T_0 / (T_00 * T_2 - T_1**2)
    printed = LINE - S * (1 - S) * ratio * (2 * T_2 * (Z_P + Z_M + Y_P + Y_M) - T_1 * (Z_P - Z_M + Y_P - Y_M))
    above = T_0 * (2 * T_2 * SUM - T_1 * APART) + T_21 * (2 * T_00 * APART - T_1 * SUM)
    return _polation(False, TRAINED, printed, LINE + 2 * S * (1 - S) * above / (4 * T_00 * T_2 - T_1**2))


CURVE = S * (1 - S) * T_0 / T_00


def _spread(equal_norms: bool) -> Truncation:
    """What differs between networks is O(delta^2), so that its variance is O(delta^4)."""
    spread = Letter("spread", "z_{2s-1}(T)|_{y=0}")
    return Truncation(spread, Integer(0), DELTA, 2, ((spread, output_spread(KernelJet("Theta", equal_norms))),))


STATED: Ledger = {
    "PDLT.10.62": lambda: _near(ROBUSTNESS, -2 * T_2 / T_00, 4, True),
    "PDLT.10.63": lambda: _near(COVARIANCE, 4 * K_2, 4, True),
    "PDLT.10.65": lambda: _near(ROBUSTNESS, -T_1 / T_00 - 2 * T_2 / T_00 + (T_1 / T_00) ** 2, 3, False),
    "PDLT.10.66": lambda: _near(COVARIANCE, 4 * K_2 - 2 * K_1 * T_1 / T_00 + K_00 * (T_1 / T_00) ** 2, 3, False),
    "PDLT.10.104": linear_output,
    "PDLT.10.110": pair,
    "PDLT.10.111": row,
    "PDLT.10.113": general_output,
    # -4 (z + y) should be z - y.
    "PDLT.10.114": lambda: _polation(True, TRAINED, LINE - 4 * CURVE * (Z_P + Z_M + Y_P + Y_M), LINE + CURVE * SUM),
    # 4 should be 1; and an s is missing in 10.116.
    "PDLT.10.115": lambda: _polation(
        True, MEAN, *(S * Y_P + (1 - S) * Y_M - factor * CURVE * (Y_P + Y_M) for factor in (4, 1))
    ),
    "PDLT.10.116": lambda: _polation(
        True, MEAN - Y_S, Y_P + (1 - S) * Y_M - Y_S - 4 * CURVE * (Y_P + Y_M),
        S * Y_P + (1 - S) * Y_M - Y_S - CURVE * (Y_P + Y_M),
    ),
    "PDLT.10.117": lambda: tuple(map(_spread, (True, False))),
    "PDLT.fn40": linear_curvature,
}  # fmt: skip

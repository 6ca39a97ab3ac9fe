"""Printed formulas of PDLT on training: sections 10.2 and 10.4, and 10.3 on inputs at a small distance delta.

Thetatilde and Ktilde are blocks on the training points, Theta and K those between test and training points.  The
ensemble has a column for each network, divided by the root of their number: a product of two outputs is its mean.
Kernels of nearby inputs are smooth around the midpoint x_0, symbols for all their coefficients (`KernelJet`).
"""

from dataclasses import replace
from functools import lru_cache

import sympy
from sympy import Derivative, Expr, Integer, Matrix, MatrixSymbol, Rational, Symbol, exp, factorial, symbols
from sympy import Identity as Unit

from asympt.claims.stated.equalities import Equality, Expectation, Letter, Truncation
from asympt.claims.stated.matrices import MatrixEquality
from asympt.claims.stated.pdlt.networks import first_update
from asympt.claims.stated.statement import Ledger, Stated
from asympt.training.two_point import DELTA, FIRST, SECOND, KernelJet, S, function_jet, output_spread, trained_output

M, N, P = (Symbol(name, integer=True, positive=True) for name in "MNP")  # test points, training points, all others
THETA, GRAM = MatrixSymbol("Theta", M, N), MatrixSymbol("Thetatilde", N, N)
Z, Y, F = MatrixSymbol("z", N, 1), MatrixSymbol("y", N, 1), MatrixSymbol("f", M, 1)
FREE, KAPPA = MatrixSymbol("u", N, 1), MatrixSymbol("kappa", N, N)
ETA, A = symbols("eta a", positive=True)
HALF = Rational(1, 2)


def _trained(rest=Z - Y):
    """The outputs f at the test points after training."""
    return F - THETA * GRAM.I * rest


OUTPUTS, SHARES, TARGETS, WAY = (symbols(f"{letter}_1:4", real=True) for letter in "zqpv")
LOSS = -sum(p * sympy.log(q) for p, q in zip(TARGETS, SHARES, strict=True))


# q_j = e^(z_j)/sum e^(z_k), and targets that add up to 1
SOFTMAX = tuple((q, exp(z) / sum(map(exp, OUTPUTS))) for q, z in zip(SHARES, OUTPUTS, strict=True))
SOFTMAX += ((TARGETS[2], 1 - TARGETS[0] - TARGETS[1]),)


def _slope() -> Equality:
    """Of the cross-entropy, in one of three outputs."""
    return Equality(Derivative(LOSS, OUTPUTS[1]), SHARES[1] - TARGETS[1], SOFTMAX)


def softmax_gradient() -> Stated:
    """Three components, one on the diagonal of the Jacobian and one beside it."""
    q, z = SHARES, OUTPUTS
    diagonal = Equality(Derivative(q[0], z[0]), (1 - q[0]) * q[0], SOFTMAX)
    return diagonal, Equality(Derivative(q[0], z[1]), -q[1] * q[0], SOFTMAX), _slope()


def shift() -> Stated:
    """Targets moved by c; the softmax of outputs moved alike; the cross-entropy is stationary at q = p, and convex."""
    moved, common, total = MatrixSymbol("c", N, 1), Symbol("c", real=True), sum(map(exp, OUTPUTS))
    q, z, v = SHARES, OUTPUTS, WAY
    spread = sum(q[i] * v[i] ** 2 for i in range(3)) - sum(q[i] * v[i] for i in range(3)) ** 2
    squares = sum(q[i] * q[j] * (v[i] - v[j]) ** 2 for i, j in ((0, 1), (0, 2), (1, 2)))
    return (
        MatrixEquality(_trained(Z - Y - moved), _trained() + THETA * GRAM.I * moved),
        Equality(exp(z[0] + common) / sum(exp(one + common) for one in z), exp(z[0]) / total),
        _slope(),
        Equality(Derivative(LOSS, (z[1], 2)), q[1] - q[1] ** 2, SOFTMAX),
        Equality(Derivative(LOSS, z[1], z[2]), -q[1] * q[2], SOFTMAX),
        Equality(spread, squares, ((q[2], 1 - q[0] - q[1]),)),
    )


def second_order_update() -> Stated:
    """Test outputs with the Jacobian J move by J d theta, d theta = -eta lambda X^T kappa g; and J lambda X^T moves."""
    jacobian, train, rates = MatrixSymbol("J", M, P), MatrixSymbol("X", N, P), MatrixSymbol("lambda", P, P)
    slope = MatrixSymbol("g", N, 1)
    moved = -ETA * jacobian * rates * train.T * KAPPA * slope
    where = ((THETA, jacobian * rates * train.T),)
    return MatrixEquality(moved, -ETA * THETA * KAPPA * slope, (rates, KAPPA), where), *first_update()


def generalised_loss() -> Stated:
    """The slope in one of two outputs; kappa is symmetric."""
    (z, w), (y, x), (a, b, d) = symbols("z_1:3"), symbols("y_1:3"), symbols("kappa_11 kappa_12 kappa_22")
    loss = a * (z - y) ** 2 / 2 + b * (z - y) * (w - x) + d * (w - x) ** 2 / 2
    return (Equality(Derivative(loss, z), a * (z - y) + b * (w - x)),)


def newton_step() -> Stated:
    """Any smooth L; its truncation is least at eta = 1/L''; a quadratic L is its truncation."""
    x, slope, curve = symbols("x L' L''")
    loss = sympy.Function("L")
    derivatives = ((slope, Derivative(loss(x), x)), (curve, Derivative(loss(x), (x, 2))))
    printed = loss(x) - ETA * slope**2 + ETA**2 / 2 * slope**2 * curve
    truncated = -ETA * slope**2 + ETA**2 / 2 * slope**2 * curve
    quadratic = HALF * curve * (slope / curve - ETA * slope) ** 2 - slope**2 / curve / 2
    return (
        Truncation(loss(x - ETA * slope), printed, ETA, 3, derivatives),
        Equality(Derivative(truncated, ETA), slope**2 * curve * (ETA - 1 / curve)),
        Equality(quadratic, truncated),
    )


def covariance() -> Stated:
    """Of f - A z, A = Theta Theta^-1; then with Theta = K."""
    first, train, weights = MatrixSymbol("f", M, P), MatrixSymbol("z", N, P), MatrixSymbol("A", M, N)
    ends, cross, inner = MatrixSymbol("K_2", M, M), MatrixSymbol("K", M, N), MatrixSymbol("Ktilde", N, N)
    means = ((ends, first * first.T), (cross, first * train.T), (inner, train * train.T))
    ratio = ((weights, THETA * GRAM.I),)
    moved = first - weights * train
    printed = ends - weights * cross.T - cross * weights.T + weights * inner * weights.T
    bayesian = ((weights, cross * inner.I),)
    return (
        MatrixEquality(moved * moved.T, printed, (GRAM,), (*means, *ratio)),
        MatrixEquality(printed, ends - cross * inner.I * cross.T, (ends, inner), bayesian),
    )


def bias_variance() -> Stated:
    """Two outputs m + g."""
    (m, n), (y, x), (g, h), (c, d, e) = (symbols(text) for text in ("m_1:3", "y_1:3", "g_1:3", "C_11 C_12 C_22"))
    loss = ((m + g - y) ** 2 + (n + h - x) ** 2) / 2
    return (Equality(Expectation(loss, [g, h], [[c, d], [d, e]]), ((m - y) ** 2 + c + (n - x) ** 2 + e) / 2),)


def delta_method() -> Stated:
    """A loss with free derivatives to the fourth in two outputs; covariance tau C, tau small."""
    g, h, tau = symbols("g_1 g_2 tau")
    c, d, e = symbols("C_11 C_12 C_22")
    loss = {(i, j): Symbol(f"L_{i}{j}") for i in range(5) for j in range(5 - i)}
    value = sum(part * g**i * h**j / factorial(i) / factorial(j) for (i, j), part in loss.items())
    printed = loss[0, 0] + tau * (loss[2, 0] * c + 2 * loss[1, 1] * d + loss[0, 2] * e) / 2
    return (Truncation(Expectation(value, [g, h], [[tau * c, tau * d], [tau * d, tau * e]]), printed, tau, 2),)


PHI, TEST = MatrixSymbol("phi", N, P), MatrixSymbol("psi", M, P)
SQUARE, KERNEL = MatrixSymbol("M", P, P), MatrixSymbol("ktilde", N, N)
WIDE = ((1, 2, 2), (1, 1, 2), (2, 2, 3))  # test points, training points, features: n_f + 1 >= N


def least_squares() -> Stated:
    """Targets y = phi W + r with phi^T r = 0, which says that W is least; r is what is left of any vector v."""
    weights, rest, any_vector = MatrixSymbol("W", P, 1), MatrixSymbol("r", N, 1), MatrixSymbol("v", N, 1)
    left = any_vector - PHI * SQUARE.I * PHI.T * any_vector
    where = ((Y, PHI * weights + rest), (rest, left), (SQUARE, PHI.T * PHI))
    tall = ((1, 2, 1), (1, 3, 2), (1, 2, 2))
    return (MatrixEquality(weights, SQUARE.I * PHI.T * Y, where=where, sizes=tuple(pair[1:] for pair in tall)),)


def ridge() -> Stated:
    """The slope of the loss in one of two weights; det M for 3 features and 2 points; a loss that stays, 2 and 3."""
    matrix = sympy.ImmutableMatrix(2, 2, symbols("phi_11 phi_12 phi_21 phi_22"))
    (y, x), (w, v) = symbols("y_1:3"), symbols("W_1:3")
    rests = [y - matrix[0, 0] * w - matrix[0, 1] * v, x - matrix[1, 0] * w - matrix[1, 1] * v]
    loss = sum(rest**2 for rest in rests) / 2 + A * (w**2 + v**2)
    square = matrix.T * matrix
    slope = (2 * A + square[0, 0]) * w + square[0, 1] * v - matrix[0, 0] * y - matrix[1, 0] * x
    wide = sympy.ImmutableMatrix(2, 3, symbols("phi_:6"))
    tall, ones = sympy.ImmutableMatrix([[1, 0], [0, 1], [1, 1]]), sympy.ImmutableMatrix([1, 1, 1])
    left = ones - tall * (tall.T * tall).inv() * tall.T * ones
    return (
        Equality(Derivative(loss, w), slope),
        Equality(sympy.Determinant(wide.T * wide), Integer(0)),
        Equality((left.T * left)[0] / 2, Rational(1, 6)),
    )


def dual_form() -> Stated:
    """M^-1 as printed, for at least as many features as points; with a penalty for any numbers; for as many."""
    where = ((SQUARE, PHI.T * PHI), (KERNEL, PHI * PHI.T))
    regular = (2 * A * Unit(P) + SQUARE).I, (2 * A * Unit(N) + KERNEL).I
    right = MatrixEquality(TEST * regular[0] * PHI.T, TEST * PHI.T * regular[1], where=where)
    printed, square = (MatrixEquality(TEST * SQUARE.I * PHI.T, TEST * PHI.T * KERNEL.I, where=where, sizes=sizes)
                       for sizes in (WIDE, ((1, 1, 1), (1, 2, 2), (2, 2, 2))))  # fmt: skip
    return replace(printed, true=right), square


def gaussian_features() -> Stated:
    """Features x^k/sqrt(k!); the determinant of e^(x x') at x = 0, ..., n - 1, u = e, so that the rank is n."""
    x, t, u = symbols("x t u", positive=True)
    features = sum(x**k * t**k / factorial(k) for k in range(6))
    grams = tuple(
        Equality(sympy.Determinant(sympy.ImmutableMatrix(n, n, lambda i, j: u ** (i * j))),
                 sympy.prod(u**j - u**i for j in range(n) for i in range(j)))
        for n in (2, 3, 4, 5)
    )  # fmt: skip
    apart = exp(-(x**2) / 2) * exp(-(t**2) / 2) * exp(x * t)
    return (Equality(exp(-((x - t) ** 2) / 2), apart), Truncation(exp(x * t), features, t, 6), *grams)


STATED: Ledger = {
    "PDLT.10.7": softmax_gradient,
    "PDLT.10.20": second_order_update,
    "PDLT.10.23": generalised_loss,
    # A step with eta kappa = Theta^-1 at test points, and on the training points.
    "PDLT.10.28": lambda: (
        MatrixEquality(F - ETA * THETA * KAPPA * (Z - Y), _trained(), where=((KAPPA, GRAM.I / ETA),)),
        MatrixEquality(Z - ETA * GRAM * KAPPA * (Z - Y), Y, where=((KAPPA, GRAM.I / ETA),)),
    ),
    "PDLT.10.31": newton_step,
    # A Newton step after steps of any kind, which add up to -Theta u.
    "PDLT.10.35": lambda: (MatrixEquality(F - THETA * FREE - THETA * GRAM.I * (Z - GRAM * FREE - Y), _trained()),),
    "PDLT.10.2.3-shift": shift,
    # The outputs at initialisation have mean 0.
    "PDLT.10.40": lambda: (MatrixEquality(
        _trained(), THETA * GRAM.I * Y, where=tuple((letter, sympy.ZeroMatrix(*letter.shape)) for letter in (F, Z))),),
    "PDLT.10.41": covariance,
    "PDLT.10.52": bias_variance,
    "PDLT.10.55": delta_method,
    "PDLT.10.123": least_squares,
    "PDLT.10.127": ridge,
    "PDLT.10.131": dual_form,
    "PDLT.10.133": gaussian_features,
}


# ---- one training point, two, and a line ----

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


_output = lru_cache(maxsize=2)(trained_output)  # the exact prediction to order delta^2


def _polation(equal_norms: bool, left: Expr, printed: Expr, true: Expr) -> Stated:
    """Smooth outputs and targets in the place of their values; the mean has outputs 0 at initialisation."""
    jets = (function_jet(name, e) for name in "zy" for e in (2 * S - 1, 1, -1))
    values = tuple(zip((Z_S, Z_P, Z_M, Y_S, Y_P, Y_M), jets, strict=True))
    exact = _output(KernelJet("Theta", equal_norms))
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


NEARBY: Ledger = {
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

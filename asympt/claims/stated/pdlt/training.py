"""Printed formulas of PDLT, sections 10.2 and 10.4: training, the ensemble of trained networks, linear models.

Thetatilde and Ktilde are blocks on the training points, Theta and K those between test and training points.  The
ensemble has a column for each network, divided by the root of their number: a product of two outputs is its mean.
"""

from dataclasses import replace

import sympy
from sympy import Derivative, ImmutableMatrix, MatrixSymbol, Rational, Symbol, ZeroMatrix, exp, factorial, symbols
from sympy import Identity as Unit

from asympt.claims.stated.equalities import Equality, Expectation, Truncation
from asympt.claims.stated.matrices import MatrixEquality
from asympt.claims.stated.statement import Ledger, Stated

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
    """Test outputs with the Jacobian J move by J d theta, d theta = -eta lambda X^T kappa g."""
    jacobian, train, rates = MatrixSymbol("J", M, P), MatrixSymbol("X", N, P), MatrixSymbol("lambda", P, P)
    slope = MatrixSymbol("g", N, 1)
    moved = -ETA * jacobian * rates * train.T * KAPPA * slope
    where = ((THETA, jacobian * rates * train.T),)
    return (MatrixEquality(moved, -ETA * THETA * KAPPA * slope, (rates, KAPPA), where),)


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
    matrix = ImmutableMatrix(2, 2, symbols("phi_11 phi_12 phi_21 phi_22"))
    (y, x), (w, v) = symbols("y_1:3"), symbols("W_1:3")
    rests = [y - matrix[0, 0] * w - matrix[0, 1] * v, x - matrix[1, 0] * w - matrix[1, 1] * v]
    loss = sum(rest**2 for rest in rests) / 2 + A * (w**2 + v**2)
    square = matrix.T * matrix
    slope = (2 * A + square[0, 0]) * w + square[0, 1] * v - matrix[0, 0] * y - matrix[1, 0] * x
    wide = ImmutableMatrix(2, 3, symbols("phi_:6"))
    tall, ones = ImmutableMatrix([[1, 0], [0, 1], [1, 1]]), ImmutableMatrix([1, 1, 1])
    left = ones - tall * (tall.T * tall).inv() * tall.T * ones
    return (
        Equality(Derivative(loss, w), slope),
        Equality(sympy.Determinant(wide.T * wide), sympy.Integer(0)),
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
        Equality(sympy.Determinant(ImmutableMatrix(n, n, lambda i, j: u ** (i * j))),
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
    "PDLT.10.40": lambda: (
        MatrixEquality(_trained(), THETA * GRAM.I * Y, where=((F, ZeroMatrix(M, 1)), (Z, ZeroMatrix(N, 1)))),
    ),
    "PDLT.10.41": covariance,
    "PDLT.10.52": bias_variance,
    "PDLT.10.55": delta_method,
    "PDLT.10.123": least_squares,
    "PDLT.10.127": ridge,
    "PDLT.10.131": dual_form,
    "PDLT.10.133": gaussian_features,
}

"""Decisions on PDLT section 10.4: linear regression, its dual form, and the feature space of the Gaussian kernel.

Phi holds phi(x_a) in its rows, N x n with n = n_f + 1 features; M = Phi^T Phi, k = Phi Phi^T.  Symbols for every entry.
"""

from sympy import Matrix, Symbol, diff, exp, eye, factor, factorial, prod, sqrt, symbols

from asympt.claims.forms import inequality, vanishes
from asympt.claims.pdlt.training.prediction import general, vector
from asympt.evidence.check import Verification

PENALTY = Symbol("a", positive=True)
SHAPES = {"n = 1 < N = 2": (2, 1), "n = N = 2": (2, 2), "n = 2 > N = 1": (1, 2)}
U = Symbol("u", positive=True)


def _regression(points: int, features: int) -> tuple[Matrix, Matrix, Matrix]:
    """(Phi, y, the features of a test point)."""
    return general("phi", points, features), vector("y", points), general("psi", 1, features)


def _loss(matrix: Matrix, targets: Matrix, weights: Matrix):
    rest = targets - matrix * weights
    return (rest.T * rest)[0] / 2


def least_squares() -> Verification:
    """PDLT.10.123: the gradient of the loss at the printed solution, two features, three points, M invertible."""
    matrix, targets, _ = _regression(3, 2)
    weights = vector("W", 2)
    printed = (matrix.T * matrix).inv() * matrix.T * targets
    gradient = Matrix([diff(_loss(matrix, targets, weights), w) for w in weights])
    at_end = gradient.subs(dict(zip(weights, printed, strict=True)))
    check = vanishes("gradient of the loss at $W*$, 2 features, 3 points", at_end, "convex, so W* is the minimum")
    return Verification("W* = sum y phi M^-1", (check,))


def ridge() -> Verification:
    """PDLT.10.127, and what happens in each regime."""
    matrix, targets, _ = _regression(2, 2)
    weights = vector("W", 2)
    loss = _loss(matrix, targets, weights) + PENALTY * (weights.T * weights)[0]
    gradient = Matrix([diff(loss, w) for w in weights])
    regular = 2 * PENALTY * eye(2) + matrix.T * matrix
    wide, _, _ = _regression(2, 3)
    tall, values, _ = _regression(3, 2)
    fitted = tall * (tall.T * tall).inv() * tall.T * values
    numbers = {**dict(zip(tall, (1, 0, 0, 1, 1, 1), strict=True)), **dict(zip(values, (1, 1, 1), strict=True))}
    left = ((values - fitted).T * (values - fitted))[0].subs(numbers)
    checks = (
        vanishes(
            "gradient minus $((2a + M) W - Phi^T y)$", (gradient - regular * weights + matrix.T * targets).expand()
        ),
        vanishes("$det M$, 3 features, 2 points", (wide.T * wide).det()),
        inequality("training loss, 2 features, 3 points, an example", left / 2, "> 0",
                   "a rational function that is not 0 here is not 0 for generic features"),
    )  # fmt: skip
    return Verification("the penalty a sum W^2 puts 2a + M in the place of M; M is singular for n_f + 1 > N", checks)


def dual_form() -> Verification:
    """PDLT.10.131: with M^-1 it holds for n = N alone; with 2a + M and a -> 0+ always."""
    printed, corrected = [], []
    for name, (points, features) in SHAPES.items():
        matrix, _, test = _regression(points, features)
        square, kernel = matrix.T * matrix, matrix * matrix.T
        if points <= features:
            exists = factor(square.det())
            printed.append(inequality(f"$det M$, {name}", exists, "!= 0", "10.130 uses M^-1"))
        if points == features:
            rest = test * square.inv() * matrix.T - test * matrix.T * kernel.inv()
            printed.append(vanishes(f"$phi M^-1 phi - k k^-1$, {name}", rest))
        shifted = test * (2 * PENALTY * eye(features) + square).inv() * matrix.T
        dual = test * matrix.T * (2 * PENALTY * eye(points) + kernel).inv()
        corrected.append(vanishes(f"$phi (2a + M)^-1 phi - k (2a + k)^-1$, {name}", shifted - dual))
        limit = test * (matrix.T * kernel.inv() if points <= features else square.inv() * matrix.T)
        form = "k k^-1" if points <= features else "phi M^-1 phi"
        at_zero = shifted.applyfunc(lambda e: e.together().cancel().subs(PENALTY, 0))
        corrected.append(vanishes(f"its limit $a -> 0+$ minus {form}, {name}", at_zero - limit))
    return Verification(
        "phi M^-1 phi = k k^-1 for n_f + 1 >= N",
        tuple(printed),
        Verification(
            "phi (2a + M)^-1 phi = k (2a + k)^-1 for a > 0; as a -> 0+ this is k k^-1 for n_f + 1 >= N and "
            "phi M^-1 phi for n_f + 1 <= N",
            tuple(corrected),
        ),
    )


def gaussian_features() -> Verification:
    """PDLT.10.133: at x = 0, 1, ..., N - 1 the Gram matrix is a Vandermonde matrix, of full rank for every N."""
    checks = []
    x, t = symbols("x t", real=True)
    distance = -((x - t) ** 2) / 2 + x**2 / 2 + t**2 / 2 - x * t
    checks.append(vanishes("$-(x - x')^2/2 = -x^2/2 - x'^2/2 + x x'$", distance.expand()))
    taylor = exp(x * t).series(t, 0, 6).removeO()
    features = sum((x**n / sqrt(factorial(n))) * (t**n / sqrt(factorial(n))) for n in range(6))
    checks.append(vanishes("$e^(x x')$ to order 5 minus the sum of products of $x^n/sqrt(n!)$", taylor - features))
    for size in (2, 3, 4, 5):
        gram = Matrix(size, size, lambda i, j: U ** (i * j))  # e^(x x') with u = e
        product = prod(U**j - U**i for j in range(size) for i in range(j))
        checks.append(vanishes(
            f"determinant of $e^(x x')$ at {size} points minus $prod (e^j - e^i)$", (gram.det() - product).expand(),
            "not 0, so the rank is N for N points, and no finite number of features will do",
        ))  # fmt: skip
    return Verification("the Gaussian kernel has an infinite-dimensional feature space", tuple(checks))

"""Decisions on PDLT section 10.3.2 about deep linear networks: the forward pass, and the kernel of three layers."""

from sympy import Expr, Integer, Matrix, symbols

from asympt.claims.forms import vanishes
from asympt.claims.pdlt.training.prediction import general, vector
from asympt.evidence.check import Verification
from asympt.training.two_point_polation import S


def _linear_kernel(first: Expr, second: Expr) -> Expr:
    """Theta of three layers of phi(x) = x, every variance and rate a symbol, at x_0 + first dx/2, x_0 + second dx/2."""
    squares = symbols("x00 x0d xdd", real=True)  # x_0.x_0, x_0.dx, dx.dx
    product = squares[0] + (first + second) / 2 * squares[1] + first * second / 4 * squares[2]
    covariance = kernel = product
    for layer in (1, 2, 3):
        c_b, c_w, l_b, l_w = symbols(f"C_b{layer} C_W{layer} lambda_b{layer} lambda_W{layer}", positive=True)
        kernel = l_b + l_w * covariance + (c_w * kernel if layer > 1 else 0)
        covariance = c_b + c_w * covariance
    return kernel.expand()


def linear_output() -> Verification:
    """PDLT.10.104: the forward pass of a small linear network, then the kernel prediction of three layers."""
    x, weights, biases = [], [], []
    for sign in "+-":
        x.append(Matrix(symbols(f"x{sign}_0:2", real=True)))
    for layer, (rows, columns) in enumerate(((2, 2), (2, 2), (1, 2))):
        weights.append(Matrix(rows, columns, symbols(f"W{layer}_0:{rows * columns}", real=True)))
        biases.append(Matrix(symbols(f"b{layer}_0:{rows}", real=True)))

    def output(point: Matrix) -> Expr:
        for weight, bias in zip(weights, biases, strict=True):
            point = weight * point + bias
        return point[0]

    line = output(S * x[0] + (1 - S) * x[1]) - S * output(x[0]) - (1 - S) * output(x[1])
    row = [_linear_kernel(2 * S - 1, e) - S * _linear_kernel(1, e) - (1 - S) * _linear_kernel(-1, e) for e in (1, -1)]
    ends, rows = general("Theta", 2, 2), Matrix([[S, 1 - S]])  # any invertible Theta(X, X); rows Theta_(2s-1)
    z, y = vector("z", 2), vector("y", 2)
    trained = (rows * z - rows * ends * ends.inv() * (z - y) - rows * y)[0]
    checks = (
        vanishes("$z(s x_+ + (1 - s) x_-) - s z_+ - (1 - s) z_-$, three layers of two neurons", line.expand()),
        vanishes("$Theta_(2s-1)+- - s Theta_+ - (1 - s) Theta_-$, three layers", [e.expand() for e in row]),
        vanishes("then $z(T) - s y_+ - (1 - s) y_-$, any $Theta(X, X)$", trained),
    )
    return Verification("deep linear networks draw straight lines: z(T) = s y_+ + (1 - s) y_-", checks)


def linear_curvature() -> Verification:
    """PDLT.fn40."""
    same, cross, other = (_linear_kernel(a, b) for a, b in ((1, 1), (1, -1), (-1, -1)))
    curvature = (same + other + 2 * cross) / 4 - _linear_kernel(Integer(0), Integer(0))
    rest = [_linear_kernel(2 * S - 1, e) - S * _linear_kernel(e, 1) - (1 - S) * _linear_kernel(e, -1) for e in (1, -1)]
    checks = (
        vanishes("$Theta_[0] - Theta_00 = ddTheta_[0]$, three linear layers with biases", curvature.expand()),
        vanishes("$Theta_(2s-1)+- - s Theta_+-+ - (1 - s) Theta_+--$", [entry.expand() for entry in rest]),
    )
    return Verification("ddTheta_[0] = 0 for deep linear networks", checks)

"""Printed formulas of PDLT, chapter 10, from between its results: the first update, its last layer, small identities.

Networks of two and three neurons with sigma(z) = z, whose means over all weights are exact, stand beside the law in n.
"""

import numpy as np
from sympy import Derivative, Expr, Integer, Matrix, Rational, diag, exp, eye, oo, sqrt, symbols

from asympt.claims.stated.equalities import Equality, Expectation, Letter, Truncation
from asympt.claims.stated.limits import Limit, Size
from asympt.claims.stated.measured import Datum, Measured
from asympt.claims.stated.pdlt.networks import C_W, RATE_B, RATE_W, SIGMA, K, Stated, U
from asympt.claims.stated.statement import Mistaken

N, BELOW = symbols("n Theta", positive=True)  # Theta of the layer below
T_PP, T_PM, T_MM = symbols("Theta_++ Theta_+- Theta_--", positive=True)
ONE, ZERO = Integer(1), Integer(0)
ABOVE = RATE_W * K + C_W * BELOW  # Theta of the next layer, sigma(z) = z
FLUCTUATION = 2 * (RATE_W * K) ** 2 + 2 * (C_W * BELOW) ** 2  # n Var of the NTK of one neuron


def _hat(active: Matrix, weights: Matrix) -> Matrix:
    """The NTK of a layer of weights above sigma(z) = z, biases frozen."""
    return RATE_W / len(active) * active.dot(active) * eye(weights.rows) + BELOW * weights * weights.T


def _drawn(formula: Expr, size: int, rows: int, last: int = 0) -> Expr:
    """The mean over `size` active neurons, `rows` weights of each, and `last` more weights."""
    letters = symbols(f"a_:{size} B_:{rows * size} c_:{last}")
    share = C_W / size
    return Expectation(formula, letters, diag(*[K] * size, *[share] * (len(letters) - size)).tolist()).doit()


def _spread() -> tuple[Datum, ...]:
    """Of 2000 networks, Theta of the first layer 1."""
    random, found = np.random.default_rng(3), []
    for width in (32, 512):
        z, w = random.standard_normal((2, 2000, width))
        found.append(np.mean(np.maximum(z, 0) ** 2 + w**2 * (z > 0), axis=1).std())
    return (Datum("ReLU, $n = 32$, 2000 networks", {}, float(found[0] / found[1])),)


def first_update() -> Stated:
    """What is left of one output of two layers over -eta dL/dz: by law, of two and three neurons, of ReLU networks."""
    name = r"E[(\hat H-\Theta)^2]_n^{1/2}/E[(\hat H-\Theta)^2]_{16n}^{1/2}"
    found: list = [Measured(name, Integer(16), _spread, tolerance=0.1, text="spread at n over 16 n", true=Integer(4))]
    for size in (2, 3):
        active, weights = Matrix(symbols(f"a_:{size}")), Matrix(1, size, symbols(f"B_:{size}"))
        rest = _hat(active, weights)[0] - ABOVE
        told = rf"E\bigl[(\hat H-\Theta)^2\bigr]\big|_{{n={size}}}"
        found.append(Equality(_drawn(rest**2, size, 1), FLUCTUATION / size, name=told))
    name = r"\Bigl(E\bigl[(\hat H-\Theta)^2\bigr]\Bigr)^{1/2}"
    return (Mistaken(*(Size(sqrt(FLUCTUATION / N), N, size, name=name) for size in (1 / N, 1 / sqrt(N)))), *found)


def _two_layers() -> Equality:
    """Abstract sigma, at another input than that of the loss."""
    weights, below, x, other = (symbols(f"{name}_1:3") for name in ("W", "V", "x", "t"))
    bias, eta, slope = symbols("b eta g")
    inside = bias + sum(v * at for v, at in zip(below, x, strict=True))
    loss = slope * weights[0] * SIGMA(inside)
    carried = sum(t * Derivative(loss, v) for t, v in zip(other, below, strict=True))
    moved = -eta * (RATE_B * Derivative(loss, bias) + RATE_W / 2 * carried)
    kernel = RATE_B + RATE_W / 2 * sum(t * at for t, at in zip(other, x, strict=True))
    step, tangent, active = (Letter(*pair) for pair in (("dz", r"dz^{(1)}_{1;\delta}"), ("T", r"\Theta^{(1)}"),
                                                        ("s'", r"\sigma'^{(1)}_1")))  # fmt: skip
    where = ((step, moved), (tangent, kernel), (active, Derivative(SIGMA(U), U).subs(U, inside)))
    return Equality(step, -eta * tangent * slope * weights[0] * active, where)


def last_hidden_layer() -> Stated:
    """Two layers; three linear layers: n E[dz^2] over (eta dL/dz)^2 with two neurons, and for n -> oo."""
    law = C_W * (ABOVE**2 + FLUCTUATION / N + (N - 1) / N * (C_W * BELOW) ** 2)
    below, matrix, last = (Matrix(rows, columns, symbols(f"{name}_:{rows * columns}"))
                           for name, rows, columns in (("a", 2, 1), ("B", 2, 2), ("c", 2, 1)))  # fmt: skip
    whole = _drawn(2 * (_hat(below, matrix) * last)[0] ** 2, 2, 2, 2)
    name = r"\frac{n\,E[(dz^{(2)})^2]}{(\eta\,d\mathcal L/dz^{(3)})^2}\ (\lambda_W=K_{00}=1,\ "
    limits = []
    for weight, lower in ((1, 1), (2, 3)):
        numbers = {RATE_W: 1, K: 1, C_W: weight, BELOW: lower}
        printed_end = (C_W * ABOVE**2).subs(numbers)
        limits.append(Limit(law.subs(numbers), N, oo, printed_end, rf"{name}C_W={weight},\ \Theta^{{(1)}}={lower})"))
    second = r"n\,E[(dz^{(2)})^2]/(\eta\,d\mathcal L/dz^{(3)})^2\big|_{n=2}"
    return (_two_layers(), Equality(whole, law.subs(N, 2), name=second), *limits)


def bias() -> Stated:
    """The mean prediction from one training point, less the target."""
    y, t = symbols("y_+ y_-", real=True)
    return (Equality(T_PM / T_PP * y - t, (y - t) + (T_PM / T_PP - 1) * y),)


def curvature() -> Stated:
    """A sigma with sigma(0) = 0 to the fourth order, and the sine with z^2/2 added, sigma_2 = 1: in K."""
    two, three, four, z = symbols("sigma_2 sigma_3 sigma_4 z", real=True)
    second = two + three * z + four * z**2 / 2
    wave = 1 + (1 - exp(-2 * K)) / 2  # E[(1 - sin)^2]
    return (
        Truncation(Expectation(second**2, [z], [[K]]), two**2, K, 1),
        Truncation(wave, ONE, K, 1),
    )


def inverse() -> Stated:
    matrix = Matrix([[T_PP, T_PM], [T_PM, T_MM]])
    printed = Matrix([[T_MM, -T_PM], [-T_PM, T_PP]]) / (T_PP * T_MM - T_PM**2)
    ranges = {T_PM.name: (Rational(1, 10), ONE), **{t.name: (Integer(2), Integer(5)) for t in (T_PP, T_MM)}}
    return (Equality(matrix.inv(), printed, ranges=ranges, name=r"\tilde\Theta^{-1}"),)


def decomposition() -> Stated:
    """Any output; and the bracket of two linear layers with biases."""
    s, z, plus, minus, rest = symbols("s z z_+ z_- r", real=True)
    v, w, b, c, x, t = symbols("V W b c x_+ x_-", real=True)

    def bracket(output: Expr, one: Expr, two: Expr) -> Expr:
        return output - s * one - (1 - s) * two

    ends = [c + w * (b + v * at) for at in (s * x + (1 - s) * t, x, t)]
    whole = Equality(z, s * plus + (1 - s) * minus + rest, ((rest, bracket(z, plus, minus)),))
    return whole, Equality(bracket(*ends), ZERO)


def linear_kernel() -> Stated:
    """phi_0 = 1 and phi_i = x_i, i <= 3; the line through two points by (10.131), which needs phi_0."""
    one, two = (symbols(f"{name}_1:4", real=True) for name in ("x", "t"))
    inner = sum(a * b for a, b in zip(one, two, strict=True))
    place, first, last, y, z = symbols("x x_1 x_2 y_1 y_2", real=True)

    def kernel(a: Expr, b: Expr) -> Expr:
        return 1 + a * b

    gram = Matrix(2, 2, lambda i, j: kernel((first, last)[i], (first, last)[j]))
    row = Matrix([[kernel(place, first), kernel(place, last)]])
    line = y + (z - y) * (place - first) / (last - first)
    ranges = {"x_1": (ZERO, ONE), "x_2": (Integer(2), Integer(3))}
    name = r"\sum_{i=0}^{n_0}\phi_i(x_{\delta_1})\phi_i(x_{\delta_2})"
    return (
        Equality(1 + inner, inner, true=1 + inner, name=name),
        Equality((row * gram.inv() * Matrix([y, z]))[0], line, ranges=ranges, name="z(x)"),
    )


STEPS = {
    "PDLT.10.2": first_update,
    "PDLT.10.8": last_hidden_layer,
    "PDLT.10.56": bias,
    "PDLT.10.73": curvature,
    "PDLT.10.106": inverse,
    "PDLT.10.112": decomposition,
    "PDLT.10.132": linear_kernel,
}

"""Printed formulas of PDLT on finite networks and one layer: sections 10.1.2, 10.2.4, 10.3.1 and 10.4.3.

Two or three neurons a layer with an abstract sigma stand for any number: what is said is linear in sums over neurons.
Means over all weights are exact for sigma(z) = z, and stand beside the law in n.
"""

import numpy as np
import sympy
from sympy import Derivative, Expr, Function, Integer, Matrix, Rational, Subs, Symbol, exp, eye, oo, sqrt, symbols

from asympt.claims.stated.comparisons import Datum, Limit, Measured, Size
from asympt.claims.stated.equalities import Equality, Expectation, Letter, Sequence, Truncation
from asympt.claims.stated.hdr.networks import PLAIN
from asympt.claims.stated.kernels import DEPTH, S_END, SIGMA_B, StatedKernel
from asympt.claims.stated.statement import Ledger, Mistaken, Stated

SIGMA, WIDTH = Function("sigma"), 2
X = symbols("x_1:3", real=True)
C_B, C_W, RATE_B, RATE_W = symbols("C_b C_W lambda_b lambda_W", positive=True)
LAYER = Symbol("l", integer=True, positive=True)
U = Symbol("u", real=True)


def _layers(depth: int) -> tuple[list, list, tuple]:
    """(biases, weights, definitions of z1_1, ..., zL_2) of a network of two neurons a layer."""
    biases = [symbols(f"b{k}_1:3", real=True) for k in range(1, depth + 1)]
    weights = [[symbols(f"W{k}_{i}1 W{k}_{i}2", real=True) for i in (1, 2)] for k in range(1, depth + 1)]
    definitions = []
    for k, (bias, matrix) in enumerate(zip(biases, weights, strict=True), 1):
        below = X if k == 1 else [SIGMA(z) for z in _outputs(k - 1)]
        rows = (sum(w * v for w, v in zip(row, below, strict=True)) for row in matrix)
        definitions += zip(_outputs(k), (b + row for b, row in zip(bias, rows, strict=True)), strict=True)
    return biases, weights, tuple(reversed(definitions))


def _outputs(layer: int) -> tuple:
    return symbols(f"z{layer}_1:3", real=True)


def _slope(place):
    return Subs(Derivative(SIGMA(U), U), U, place)


def feature_gradients() -> Stated:
    """Three layers: an output by a weight of each."""
    _, weights, where = _layers(3)
    below, above = _outputs(1), _outputs(2)
    carried = sum(weights[2][0][j] * _slope(above[j]) * weights[1][j][0] for j in range(WIDTH)) * _slope(below[0])
    printed = (carried * X[1], weights[2][0][1] * _slope(above[1]) * SIGMA(below[0]), SIGMA(above[0]))
    places = (weights[0][0][1], weights[1][1][0], weights[2][0][0])
    slopes = (Derivative(_outputs(3)[0], place) for place in places)
    return tuple(Equality(slope, side, where) for slope, side in zip(slopes, printed, strict=True))


def regulariser() -> Stated:
    """R of the first output of two layers; the gradient of the penalty."""
    biases, weights, where = _layers(2)
    size = {(k, kind): Symbol(f"a_{kind}{k}") for k in (1, 2) for kind in "bW"}
    rate = {(k, kind): Symbol(f"lambda_{kind}{k}") for k in (1, 2) for kind in "bW"}

    def total(output, layer: int):
        own = [(p, "b", 1) for p in biases[layer - 1]] + [(p, "W", WIDTH) for row in weights[layer - 1] for p in row]
        parts = (rate[layer, kind] / n * size[layer, kind] * p * Derivative(output, p) for p, kind, n in own)
        return sum(parts, Integer(0))

    output, below = _outputs(2)[0], _outputs(1)
    lower = symbols("R_1:3")
    known = tuple((letter, total(z, 1)) for letter, z in zip(lower, below, strict=True))
    row = weights[1][0]
    printed = size[2, "b"] * rate[2, "b"] * biases[1][0]
    printed += size[2, "W"] * rate[2, "W"] / WIDTH * sum(w * SIGMA(z) for w, z in zip(row, below, strict=True))
    printed += sum(w * _slope(z) * r for w, z, r in zip(row, below, lower, strict=True))
    theta, a, eta, learned = symbols("theta a eta lambda")
    return (
        Equality(total(output, 1) + total(output, 2), printed, (*known, *where)),
        Equality(-eta * learned * Derivative(a * theta**2, theta), -2 * eta * learned * a * theta),
    )


ONE, TWO, SLOPE_ONE, SLOPE_TWO = (symbols(f"{name}_1:3") for name in ("s", "t", "s'", "t'"))
WEIGHTS, BIAS = symbols("W_1:3"), Symbol("b")
DRAWN = ([*WEIGHTS, BIAS], [[C_W / WIDTH, 0, 0], [0, C_W / WIDTH, 0], [0, 0, C_B]])


def _output(active):
    return BIAS + sum(w * s for w, s in zip(WEIGHTS, active, strict=True))


def recursions() -> Stated:
    """K and Theta of the next layer from sigma = s, t and sigma' = s', t' at two inputs, and Theta_jj below."""
    mean, below = sum(s * t for s, t in zip(ONE, TWO, strict=True)) / WIDTH, symbols("Theta_11 Theta_22")
    z, zz = symbols("z z'")
    where = ((z, _output(ONE)), (zz, _output(TWO)))
    learned = RATE_B * Derivative(z, BIAS) * Derivative(zz, BIAS)
    learned += RATE_W / WIDTH * sum(Derivative(z, w) * Derivative(zz, w) for w in WEIGHTS)
    slopes = tuple(zip(SLOPE_ONE, SLOPE_TWO, below, strict=True))
    carried = sum(w**2 * s * t * kernel for w, (s, t, kernel) in zip(WEIGHTS, slopes, strict=True))
    printed = RATE_B + RATE_W * mean + C_W * sum(s * t * kernel for s, t, kernel in slopes) / WIDTH
    return (
        Equality(Expectation(z * zz, *DRAWN), C_B + C_W * mean, where),
        Equality(Expectation(learned + carried, *DRAWN), printed, where),
    )


def bayesian() -> Stated:
    """Below the last layer nothing learns, and with lambda_b = C_b, lambda_W = C_W in it Theta is K."""
    before, slope, mean = symbols("Theta_l S F", positive=True)
    below = Sequence(r"\Theta^{(\ell<L)}", Integer(0), LAYER, slope * before, before, Integer(0))
    kernel, inherited = symbols("K Theta_below")
    where = ((kernel, C_B + C_W * mean), (inherited, Integer(0)), (RATE_B, C_B), (RATE_W, C_W))
    return below, Equality(RATE_B + RATE_W * mean + slope * inherited, kernel, where)


def by_parts() -> Stated:
    """Every polynomial of degree 4 in two outputs, then the covariance of an output with a weight."""
    (z, y), weight, active = symbols("z_1:3"), WEIGHTS[0], (ONE[0], TWO[0])
    share, kernel = C_W / WIDTH, symbols("G_11 G_12 G_22")
    free = {(i, j): Symbol(f"o_{i}{j}") for i in range(5) for j in range(5 - i)}
    observable = sum(part * z**i * y**j for (i, j), part in free.items())
    spread = [[kernel[0], kernel[1], share * active[0]], [kernel[1], kernel[2], share * active[1]],
              [share * active[0], share * active[1], share]]  # fmt: skip
    of = ([z, y, weight], spread)
    slopes = (Expectation(Derivative(observable, out), *of) for out in (z, y))
    printed = share * sum(slope * s for slope, s in zip(slopes, active, strict=True))
    return (
        Equality(Expectation(_output(ONE) * weight, *DRAWN), share * ONE[0]),
        Equality(Expectation(observable * weight, *of), printed),
    )


DELTA, K, THETA, FIRST, TILT = symbols("delta K_00 Theta_00 k_1 t_1", positive=True)
PARALLEL, PERPENDICULAR = (Letter(f"chi_{name}", rf"\chi_\{name}", positive=True) for name in ("parallel", "perp"))
TAYLOR = symbols("sigma_1:4")
G, H = symbols("g_1:3", real=True)


def _sigma(place, times: int = 0):
    """A polynomial of degree 3 with sigma(0) = 0 and free derivatives, or its derivative."""
    value = sum(part * U**k / (1, 2, 6)[k - 1] for k, part in enumerate(TAYLOR, 1))
    return value.diff(U, times).subs(U, place) if times else value.subs(U, place)


def _one(inside, kernel=K):
    """<inside> over one output of variance `kernel`."""
    return Expectation(inside, [G], [[kernel]])


def parallel() -> Stated:
    """Theta_++ - Theta_-- of the next layer over 2, K_++ and Theta_++ with k_1 delta and t_1 delta."""

    def after(sign: int):
        kernel, tangent = K + sign * FIRST * DELTA, THETA + sign * TILT * DELTA
        return RATE_W * _one(_sigma(G) ** 2, kernel) + C_W * _one(_sigma(G, 1) ** 2, kernel) * tangent

    mixed = C_W / K * _one(G * _sigma(G, 1) * _sigma(G, 2))
    printed = PERPENDICULAR * TILT * DELTA + (RATE_W / C_W * PARALLEL + mixed * THETA) * FIRST * DELTA
    chi = ((PERPENDICULAR, C_W * _one(_sigma(G, 1) ** 2)), (PARALLEL, C_W / K * _one(G * _sigma(G) * _sigma(G, 1))))
    return (Truncation((after(1) - after(-1)) / 2, printed, DELTA, 3, chi),)


def perpendicular() -> Stated:
    """(Theta_++ - Theta_+-)/2 and (K_++ - K_+-)/2 of the next layer, equal norms."""
    k_0, k_2, t_0, t_2 = symbols("k_0 k_2 t_0 t_2")

    def after(sign: int, rate_w, through):
        kernel, tangent = K + (k_0 + k_2) * DELTA**2, THETA + (t_0 + sign * t_2) * DELTA**2
        spread = [[kernel, kernel - (1 - sign) * k_2 * DELTA**2], [kernel - (1 - sign) * k_2 * DELTA**2, kernel]]
        value, slope = (Expectation(_sigma(G, k) * _sigma(H, k), [G, H], spread) for k in (0, 1))
        return rate_w * value + through * slope * tangent

    chi = ((PERPENDICULAR, C_W * _one(_sigma(G, 1) ** 2)),)
    second = C_W * _one(_sigma(G, 2) ** 2)
    printed = (PERPENDICULAR * t_2 + (RATE_W / C_W * PERPENDICULAR + second * THETA) * k_2) * DELTA**2
    halves = [(after(1, *rates) - after(-1, *rates)) / 2 for rates in ((RATE_W, C_W), (C_W, 0))]
    return (
        Truncation(halves[0], printed, DELTA, 4, chi),
        Truncation(halves[1], PERPENDICULAR * k_2 * DELTA**2, DELTA, 4, chi),
    )


def critical() -> Stated:
    """a_1 and b_1 from C_W <sigma sigma> and C_W <sigma' sigma'> at C_W = 1/sigma_1^2."""
    s, t, u = TAYLOR
    a = u / s + Rational(3, 4) * (t / s) ** 2
    b = u / s + (t / s) ** 2
    return (
        Truncation(_one(_sigma(G) ** 2) / s**2, K + a * K**2, K, 3),
        Truncation(_one(_sigma(G, 1) ** 2) / s**2, 1 + b * K, K, 2),
    )


def exponent_bound() -> Stated:
    """b_1 - a_1 and 1 - p_perp, which has the sign of -1/a_1 or is 0 with sigma_2."""
    s, t, u = TAYLOR
    a, b = symbols("a_1 b_1")
    where = ((a, u / s + Rational(3, 4) * (t / s) ** 2), (b, u / s + (t / s) ** 2))
    return (Equality(b - a, (t / s) ** 2 / 4, where), Equality(1 - b / a, (t / s) ** 2 / (4 * (-a)), where))


N, BELOW = symbols("n Theta", positive=True)  # Theta of the layer below
T_PP, T_PM, T_MM = symbols("Theta_++ Theta_+- Theta_--", positive=True)
TARGET, OTHER = symbols("y_+ y_-", real=True)
ABOVE = RATE_W * K + C_W * BELOW  # Theta of the next layer, sigma(z) = z
FLUCTUATION = 2 * (RATE_W * K) ** 2 + 2 * (C_W * BELOW) ** 2  # n Var of the NTK of one neuron


def _hat(active: Matrix, weights: Matrix) -> Matrix:
    """The NTK of a layer of weights above sigma(z) = z, biases frozen."""
    return RATE_W / len(active) * active.dot(active) * eye(weights.rows) + BELOW * weights * weights.T


def _drawn(formula: Expr, size: int, rows: int, last: int = 0) -> Expr:
    """The mean over `size` active neurons, `rows` weights of each, and `last` more weights."""
    letters = symbols(f"a_:{size} B_:{rows * size} c_:{last}")
    share = C_W / size
    return Expectation(formula, letters, sympy.diag(*[K] * size, *[share] * (len(letters) - size)).tolist()).doit()


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


def curvature() -> Stated:
    """A sigma with sigma(0) = 0 to the fourth order, and the sine with z^2/2 added, sigma_2 = 1: in K."""
    two, three, four, z = symbols("sigma_2 sigma_3 sigma_4 z", real=True)
    second = two + three * z + four * z**2 / 2
    wave = 1 + (1 - exp(-2 * K)) / 2  # E[(1 - sin)^2]
    return (Truncation(Expectation(second**2, [z], [[K]]), two**2, K, 1), Truncation(wave, Integer(1), K, 1))


def inverse() -> Stated:
    matrix = Matrix([[T_PP, T_PM], [T_PM, T_MM]])
    printed = Matrix([[T_MM, -T_PM], [-T_PM, T_PP]]) / (T_PP * T_MM - T_PM**2)
    ranges = {T_PM.name: (Rational(1, 10), Integer(1)), **{t.name: (Integer(2), Integer(5)) for t in (T_PP, T_MM)}}
    return (Equality(matrix.inv(), printed, ranges=ranges, name=r"\tilde\Theta^{-1}"),)


def decomposition() -> Stated:
    """Any output; and the bracket of two linear layers with biases."""
    s, z, plus, minus, rest = symbols("s z z_+ z_- r", real=True)
    v, w, b, c, x, t = symbols("V W b c x_+ x_-", real=True)

    def bracket(output: Expr, one: Expr, two: Expr) -> Expr:
        return output - s * one - (1 - s) * two

    ends = [c + w * (b + v * at) for at in (s * x + (1 - s) * t, x, t)]
    whole = Equality(z, s * plus + (1 - s) * minus + rest, ((rest, bracket(z, plus, minus)),))
    return whole, Equality(bracket(*ends), Integer(0))


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
    ranges = {"x_1": (Integer(0), Integer(1)), "x_2": (Integer(2), Integer(3))}
    name = r"\sum_{i=0}^{n_0}\phi_i(x_{\delta_1})\phi_i(x_{\delta_2})"
    return (
        Equality(1 + inner, inner, true=1 + inner, name=name),
        Equality((row * gram.inv() * Matrix([y, z]))[0], line, ranges=ranges, name="z(x)"),
    )


STATED: Ledger = {
    "PDLT.10.10": by_parts,
    "PDLT.10.43": regulariser,
    "PDLT.10.45": recursions,
    "PDLT.10.49": bayesian,
    "PDLT.10.67": parallel,
    "PDLT.10.70": perpendicular,
    "PDLT.fn33": exponent_bound,
    # What the last layer learns at lambda_W = C_W, lambda_b = C_b is C_b + C_W/n sum sigma sigma.
    "PDLT.10.136": lambda: (StatedKernel(
        "plain", "weights", PLAIN[2], told=S_END - SIGMA_B**2, at=DEPTH, part=-1, given=("covariance",),
        name=r"\frac{C_W}n\sum_j\sigma_j\sigma_j"),),
    "PDLT.10.138": feature_gradients,
    "PDLT.10.2": first_update,
    "PDLT.10.8": last_hidden_layer,
    # The mean prediction from one training point, less the target.
    "PDLT.10.56": lambda: (Equality(T_PM / T_PP * TARGET - OTHER, (TARGET - OTHER) + (T_PM / T_PP - 1) * TARGET),),
    "PDLT.10.73": curvature,
    "PDLT.10.106": inverse,
    "PDLT.10.112": decomposition,
    "PDLT.10.132": linear_kernel,
}  # fmt: skip

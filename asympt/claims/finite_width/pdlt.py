"""Decisions on Roberts, Yaida and Hanin, chapter 10: the recursion with learning rates, random features, gradients.

C_W = sigma_w^2, C_b = sigma_b^2; weights learn at lambda_W/n, biases at lambda_b.
"""

from itertools import product

from sympy import Expr, Function, Integer, Matrix, Poly, Rational, Symbol, expand, factorial2, symbols

from asympt.claims.finite_width.comparison import Array, agreement, iterated, slopes, values
from asympt.claims.finite_width.runs import (
    DEPTH,
    PRODUCT,
    SIGMA_B,
    SIGMA_W,
    bias_rate,
    run,
    weight_rate,
)
from asympt.claims.forms import identity
from asympt.evidence.check import Check, Verification

WEIGHT, BIAS = SIGMA_W**2, SIGMA_B**2
SCALES = f"C_W = {WEIGHT}, C_b = {BIAS:.3g}"
RATES = "lambda_W = 1/2 + 1/l, lambda_b = 1/l"
NAMES = ("relu", "erf")


# ---- recursions ----------------------------------------------------------------------------------------


def _with_rates(phi: str):
    def step(layer: int, kernel: Array, tangent: Array):
        value = values(phi, kernel)
        inherited = WEIGHT * slopes(phi, kernel) * tangent
        return BIAS + WEIGHT * value, bias_rate(layer) + weight_rate(layer) * value + inherited

    return iterated(step, BIAS + WEIGHT * PRODUCT, bias_rate(1) + weight_rate(1) * PRODUCT, DEPTH)


def recursion() -> Verification:
    """PDLT.10.45, with rates that depend on the layer."""
    checks = []
    for phi in NAMES:
        found = run("rates", phi).quantities
        kernels, tangents = _with_rates(phi)
        checks.append(agreement(f"$K^(1)$ to $K^({DEPTH})$, {phi}, {SCALES}", found["nngp"], kernels))
        checks.append(agreement(f"$Theta^({DEPTH})$, {phi}, {SCALES}, {RATES}", found["ntk"], tangents[-1]))
    title = "K' = C_b + C_W <sigma sigma>, Theta' = lambda_b + lambda_W <sigma sigma> + C_W <sigma' sigma'> Theta"
    return Verification(title, tuple(checks))


def random_features() -> Verification:
    """PDLT.10.136: what the last layer learns at lambda_W = C_W, lambda_b = C_b is C_b + C_W/n sum sigma sigma."""
    checks = []
    for phi in NAMES:
        found = run("plain", phi).quantities
        kernels = _with_rates(phi)[0]
        share = found["weights"].part(-1)
        name = f"$C_W/n sum_j sigma_j sigma_j$ of layer {DEPTH - 1} against $K^({DEPTH}) - C_b$, {phi}, {SCALES}"
        checks.append(agreement(name, share, kernels[-1] - BIAS))
    return Verification("C_b + C_W/n sum_j sigma_j sigma_j -> C_b + C_W <sigma sigma> = K^(L)", tuple(checks))


# ---- gradients in symbols ------------------------------------------------------------------------------


def feature_gradients() -> Verification:
    """PDLT.10.138: three layers of width 2, any sigma, in symbols; the sum over parameters in random networks."""
    symbolic = _chain_rule()
    title = "dz_i/dW^(l)_(k1 k2) = (sum W^(L) sigma' ... W^(l+1) sigma')_(i k1) sigma_(k2), sum lambda phi phi = NTK"
    return Verification(title, (symbolic, *recursion().checks[1::2]))


def _chain_rule() -> Check:
    """Every derivative of a network with L = 3 and width 2 against the product in the claim."""
    sigma, width = Function("sigma"), 2
    x = Matrix(symbols("x:2"))
    matrices = [Matrix(width, width, symbols(f"w{layer}_:4")) for layer in (1, 2, 3)]
    preactivations, activations = [], [x]
    for matrix in matrices:
        preactivations.append(matrix * activations[-1])
        activations.append(preactivations[-1].applyfunc(sigma))
    slope = [z.applyfunc(lambda value: _slope(sigma, value)) for z in preactivations]
    rests = []
    for layer, (i, k, j) in product((1, 2, 3), product(range(width), repeat=3)):
        backward = Matrix.eye(width)[i, :]
        for above in range(3, layer, -1):
            backward = (backward * matrices[above - 1]).multiply_elementwise(slope[above - 2].T)
        claimed = backward[k] * activations[layer - 1][j]
        rests.append(expand((preactivations[-1][i].diff(matrices[layer - 1][k, j]) - claimed).doit()))
    name = f"{len(rests)} derivatives of a network with $L = 3$, width 2, any $sigma$, minus the products"
    return identity(name, rests)


def _slope(sigma, value: Expr) -> Expr:
    """sigma'(value)."""
    u = Symbol("u")
    return sigma(u).diff(u).subs(u, value)


def by_parts() -> Verification:
    """PDLT.10.10: every monomial O up to degree 4 in two preactivations, n = 2, in symbols.

    Given layer L - 1 both sides are polynomials in sigma_(j; delta), so Q(z^(L-1)) multiplies them alike.
    """
    degrees = [d for d in product(range(5), repeat=2) if 0 < sum(d) <= 4]
    rests = [_parts(degree) for degree in degrees]
    name = "$E[O W_1] - C_W/n sum_d E[dO/dz_d] sigma_(1; d)$ of the "
    name += f"{len(rests)} monomials of degree 1 to 4 in $z_1$, $z_2$"
    check = identity(name, rests, "two inputs, n = 2, with bias, C_b and C_W free")
    return Verification("E[O(z^(L)) W_ij Q] = C_W/n sum_d E[<<dO/dz_(i;d)>> sigma_(j;d) Q]", (check,))


W, B = symbols("w1 w2", real=True), Symbol("b", real=True)
C_W, C_B = symbols("C_W C_b", positive=True)
SIGMAS = symbols("s11 s12 s21 s22", real=True)  # sigma_(j; delta)


def _parts(degree: tuple[int, int]) -> Expr:
    z = symbols("z1 z2", real=True)
    inside = {z[d]: B + W[0] * SIGMAS[d] + W[1] * SIGMAS[2 + d] for d in range(2)}
    observable = z[0] ** degree[0] * z[1] ** degree[1]
    left = _mean(observable.subs(inside) * W[0])
    right = sum(_mean(observable.diff(z[d]).subs(inside)) * SIGMAS[d] for d in range(2))
    return expand(left - C_W / 2 * right)


def _mean(polynomial: Expr) -> Expr:
    """The expectation over W_j ~ N(0, C_W/2), b ~ N(0, C_b), moment by moment."""
    total = Integer(0)
    for powers, coefficient in Poly(expand(polynomial), *W, B).terms():
        moment = coefficient
        for power, variance in zip(powers, (C_W / 2, C_W / 2, C_B), strict=True):
            moment *= variance ** Rational(power, 2) * factorial2(power - 1) if power % 2 == 0 else 0
        total += moment
    return expand(total)

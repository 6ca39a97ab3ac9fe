"""Decisions on the layer recursions in the slides about Jacot et al. (JGH) and about Xiao et al. (XPS).

JGH has weights N(0, 1) with a factor 1/sqrt(d_l) and biases beta b; XPS sigma_w/sqrt(d_l) and sigma_b.  Both write the
derivative kernel of layer l + 1 in a way of their own:

    JGH   E[phi' phi'] over N(0, Sigma^(l+1)), where the network has N(0, Sigma^(l))
    XPS   without sigma_w^2

and for the first layer x.x'/sqrt(d) + beta^2 and x.x', where the network has sigma_w^2 x.x'/d + sigma_b^2.
"""

from sympy import Integer, Matrix, simplify, sqrt, symbols

from asympt.claims.finite_width.comparison import Array, agreement, iterated, slopes, values
from asympt.claims.finite_width.runs import DEPTH, PRODUCT, SIGMA_B, SIGMA_W, WIDE, X, run
from asympt.claims.forms import identity, inequality
from asympt.depth.finite import Dense, empirical_kernels
from asympt.evidence.check import Verification

BETA, WEIGHT = SIGMA_B**2, SIGMA_W**2
SIZE = X.shape[1]
JGH_SCALES, XPS_SCALES = f"beta = {SIGMA_B}", f"sigma_w = {SIGMA_W}, sigma_b = {SIGMA_B}"
NAMES = ("relu", "erf")


# ---- Jacot, Gabriel and Hongler ------------------------------------------------------------------------


def first_covariance() -> Verification:
    """JGH.T2.sigma1: the covariance of the first preactivations."""
    found = run("unit weights", "relu").quantities["nngp"].part(0)
    name = f"$Sigma^(1)$ of three inputs in $R^{SIZE}$, {JGH_SCALES}"
    return Verification(
        "Sigma^(1)(x,x') = x.x'/sqrt(d_0) + beta^2",
        (agreement(name, found, PRODUCT * SIZE**0.5 + BETA),),
        Verification("Sigma^(1)(x,x') = x.x'/d_0 + beta^2", (agreement(name, found, PRODUCT + BETA),)),
    )


def base_case() -> Verification:
    """JGH.base: the gradients of a linear layer in symbols, and in a network."""
    outputs, inputs = 2, 3
    w = Matrix(outputs, inputs, symbols(f"w:{outputs * inputs}"))
    x, other = (Matrix(symbols(f"{name}:{inputs}")) for name in "xy")

    def gradient(output: int, at: Matrix) -> Matrix:
        return (w * at / sqrt(inputs))[output].diff(Matrix(list(w)))

    same = {True: (x.T * other)[0] / inputs, False: Integer(0)}
    pairs = [(k, m) for k in range(outputs) for m in range(outputs)]
    rests = [simplify((gradient(k, x).T * gradient(m, other))[0] - same[k == m]) for k, m in pairs]
    symbolic = identity("gradient products of two outputs, $d_0 = 3$, minus $x.x'/d_0 1_kk'$", rests)
    found = empirical_kernels(Dense("relu", sigma_w=1), X, 1, width=16, most_seeds=4)
    numeric = inequality(
        "NTK of random networks with $L = 1$ minus $x.x'/d_0$", abs(found.ntk - PRODUCT).max(), "<= 1e-6"
    )
    return Verification("Theta^(1)_kk'(x,x') = x.x'/d_0 1_kk' = Sigma^(1) 1_kk' at beta = 0", (symbolic, numeric))


def _jgh(phi: str, first: Array, at_new: bool = False):
    """Theta' = Theta D + Sigma' with D over N(0, Sigma) or, `at_new`, over N(0, Sigma')."""

    def step(layer: int, sigma: Array, kernel: Array):
        following = values(phi, sigma) + BETA
        return following, kernel * slopes(phi, following if at_new else sigma) + following

    return iterated(step, first, first, DEPTH)


def covariance_recursion() -> Verification:
    """JGH.T2.rec, from the right first layer."""
    checks = tuple(
        agreement(
            f"$Sigma^(1)$ to $Sigma^({DEPTH})$, {phi}, {JGH_SCALES}", run("unit weights", phi).quantities["nngp"],
            _jgh(phi, PRODUCT + BETA)[0]
        )
        for phi in NAMES
    )
    return Verification("Sigma^(l) = E[sigma sigma] over N(0, Sigma^(l-1)) + beta^2", checks)


def tangent_recursion() -> Verification:
    """JGH.T3: the layer at which the derivative kernel is taken."""
    first = WIDE @ WIDE.T / SIZE + BETA
    printed, right = [], []
    for phi in NAMES:
        found = run("unit weights", phi, True).quantities["ntk"]
        name = f"$Theta^({DEPTH})$ of three inputs, {phi}, {JGH_SCALES}"
        printed.append(agreement(name, found, _jgh(phi, first, at_new=True)[1][-1]))
        right.append(agreement(name, found, _jgh(phi, first)[1][-1]))
    return Verification(
        "Theta^(l+1) = Theta^(l) dotSigma^(l+1) + Sigma^(l+1), dotSigma^(l+1) over N(0, Sigma^(l+1))",
        tuple(printed),
        Verification("the same with dotSigma^(l+1) = E[sigma' sigma'] over N(0, Sigma^(l))", tuple(right)),
    )


def inherited_terms() -> Verification:
    """JGH.T3.A: what all layers but the last contribute; derivative kernel at alpha^(l), as in this proof."""
    checks = []
    for phi in NAMES:
        found = run("unit weights", phi).quantities
        sigmas, kernels = _jgh(phi, PRODUCT + BETA)
        expected = kernels[-2] * slopes(phi, sigmas[-2])
        checks.append(agreement(f"A of layer {DEPTH}, {phi}, {JGH_SCALES}", found["below"], expected))
        name = f"$A_kk'$ of different outputs, {phi}"
        checks.append(agreement(name, found["between"], 0 * expected, scale=expected))
    return Verification("A -> Theta^(l) 1_kk' E[sigma'(alpha^(l)(x)) sigma'(alpha^(l)(x'))]", tuple(checks))


def own_terms() -> Verification:
    """JGH.T3.B: what the weights of the last layer contribute, beta = 0."""
    checks = []
    for phi in NAMES:
        sigma = PRODUCT
        for _ in range(DEPTH - 1):
            sigma = values(phi, sigma)
        found = run("unit weights, no bias", phi).quantities["weights"].part(-1)
        checks.append(agreement(f"$B$ of layer {DEPTH}, {phi}, $beta = 0$", found, sigma))
    return Verification("B = 1/d_l sum_j alpha_j(x) alpha_j(x') 1_kk' -> Sigma^(l+1) 1_kk'", tuple(checks))


# ---- Xiao, Pennington and Schoenholz -------------------------------------------------------------------


def _xps(phi: str, first: Array, weight: float):
    """Sigma' = sigma_w^2 T + sigma_b^2 and Theta' = weight Theta D + Sigma'."""

    def step(layer: int, sigma: Array, kernel: Array):
        following = WEIGHT * values(phi, sigma) + BETA
        return following, weight * kernel * slopes(phi, sigma) + following

    return iterated(step, first, first, DEPTH)


def xps_covariance() -> Verification:
    """XPS.nngp: the step is right; Sigma^(1) = x.x' is not that of a first layer sigma_w/sqrt(d) W x + sigma_b b."""
    first = WEIGHT * PRODUCT + BETA
    printed, right = [], []
    for phi in NAMES:
        found = run("plain", phi).quantities["nngp"]
        name = f"$Sigma^(1)$ to $Sigma^({DEPTH})$, {phi}, {XPS_SCALES}"
        printed.append(agreement(name, found, _xps(phi, SIZE * PRODUCT, WEIGHT)[0]))
        right.append(agreement(name, found, _xps(phi, first, WEIGHT)[0]))
    return Verification(
        "Sigma^(1) = x.x', Sigma^(l+1) = sigma_w^2 E[phi phi] + sigma_b^2",
        tuple(printed),
        Verification("the same from Sigma^(1) = sigma_w^2 x.x'/d + sigma_b^2", tuple(right)),
    )


def xps_tangent() -> Verification:
    """XPS.ntk: from the right first layer too, the derivative kernel needs its sigma_w^2."""
    first = WEIGHT * PRODUCT + BETA
    printed, right = [], []
    for phi in NAMES:
        found = run("plain", phi).quantities["ntk"]
        name = f"$Theta^({DEPTH})$, {phi}, {XPS_SCALES}"
        printed.append(agreement(name, found, _xps(phi, SIZE * PRODUCT, 1.0)[1][-1], "Sigma^(1) = x.x' as printed"))
        printed.append(agreement(name, found, _xps(phi, first, 1.0)[1][-1], "Sigma^(1) = sigma_w^2 x.x'/d + sigma_b^2"))
        right.append(agreement(name, found, _xps(phi, first, WEIGHT)[1][-1]))
    return Verification(
        "Theta^(1) = Sigma^(1) = x.x', Theta^(l+1) = Theta^(l) E[phi' phi'] + Sigma^(l+1)",
        tuple(printed),
        Verification(
            "Theta^(1) = sigma_w^2 x.x'/d + sigma_b^2, Theta^(l+1) = sigma_w^2 Theta^(l) E[phi' phi'] + Sigma^(l+1)",
            tuple(right),
        ),
    )

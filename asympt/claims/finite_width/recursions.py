"""Decisions on layer recursions: HDR's (plain, convolutional, residual, scaled residual), PDLT's and JGH's.

Each function writes the recursion as printed and compares it with networks drawn from the forward passes of HDR
eqs. (10), (11) and section 4.2; in PDLT C_W = sigma_w^2, C_b = sigma_b^2, weights learn at lambda_W/n, biases at
lambda_b.
"""

import numpy as np

from asympt.claims.finite_width.comparison import Array, agreement, diagonal, iterated, slopes, values
from asympt.claims.finite_width.runs import (
    DEPTH,
    PRODUCT,
    SIGMA_B,
    SIGMA_W,
    SIGNALS,
    X,
    bias_rate,
    run,
    weight_rate,
)
from asympt.claims.forms import inequality
from asympt.depth.finite import Dense, Estimate, empirical_kernels
from asympt.evidence.check import Check, Verification

WEIGHT, BIAS = SIGMA_W**2, SIGMA_B**2
FIRST = BIAS + WEIGHT * PRODUCT
CONSTANTS = f"C_W = {WEIGHT}, C_b = {BIAS:.3g}"
RATES = "lambda_W = 1/2 + 1/l, lambda_b = 1/l"
SCALES = f"sigma_w = {SIGMA_W}, sigma_b = {SIGMA_B}"
NAMES = ("relu", "erf")


# ---- dense ---------------------------------------------------------------------------------------


def _plain(phi: str):
    def step(layer: int, sigma: Array, kernel: Array):
        following = BIAS + WEIGHT * values(phi, sigma)
        return following, WEIGHT * slopes(phi, sigma) * kernel + following

    return iterated(step, FIRST, FIRST, DEPTH)


def covariances() -> Verification:
    """HDR.B1.sigma: layers 1 to 4."""
    checks = [agreement(_name(phi, f"Sigma^1 to Sigma^{DEPTH}"), _nngp("plain", phi), _plain(phi)[0]) for phi in NAMES]
    return Verification("Sigma^l = sigma_b^2 + sigma_w^2 E[phi phi] over N(0, Sigma^(l-1))", tuple(checks))


def tangent_kernel() -> Verification:
    """HDR.L2: the NTK of layer 4, and none between different outputs."""
    checks = []
    for phi in NAMES:
        found = run("plain", phi).quantities
        kernel = _plain(phi)[1][-1]
        checks.append(agreement(_name(phi, f"K^{DEPTH}"), found["ntk"], kernel))
        name = _name(phi, f"K^{DEPTH}_ii' of different outputs")
        checks.append(agreement(name, found["between"], 0 * kernel, scale=kernel))
    return Verification("K^l = dotSigma^l K^(l-1) + Sigma^l, K^1 = Sigma^1, delta_ii' between outputs", tuple(checks))


# ---- convolutional -------------------------------------------------------------------------------


def _averaged(matrix: Array, reach: int = 1) -> Array:
    """1/(2k + 1) sum_beta of the entries at (alpha + beta, alpha' + beta), pixels a M + alpha."""
    inputs, _, positions = SIGNALS.shape
    square = matrix.reshape(inputs, positions, inputs, positions)
    rolled = [np.roll(square, (-beta, -beta), axis=(1, 3)) for beta in range(-reach, reach + 1)]
    return np.mean(rolled, axis=0).reshape(matrix.shape)


def _first_of_signals() -> Array:
    inputs, channels, positions = SIGNALS.shape
    pixels = np.swapaxes(SIGNALS, 1, 2).reshape(inputs * positions, channels)
    return BIAS + WEIGHT * _averaged(pixels @ pixels.T / channels)


def _convolutional(phi: str, skip: int):
    """HDR Proposition 1 (skip = 0) and Lemma 4 (skip = 1); the state is the covariance of y^l and K^l."""

    def step(layer: int, covariance: Array, kernel: Array):
        sigma = BIAS + WEIGHT * values(phi, covariance)
        added = _averaged(WEIGHT * slopes(phi, covariance) * kernel + sigma)
        return skip * covariance + _averaged(sigma), skip * kernel + added

    first = _first_of_signals()
    return iterated(step, first, first, DEPTH)


def convolution() -> Verification:
    """HDR.P1: two signals of four positions, filter 3, all pairs of positions."""
    title = "K^l_aa' = 1/(2k+1) sum_b [dotSigma^l K^(l-1) + Sigma^l]_(a+b, a'+b)"
    return Verification(title, tuple(_convolutional_checks("convolution", 0)))


def residual_convolution() -> Verification:
    """HDR.L4: the same with residual."""
    title = "K^l_aa' = K^(l-1)_aa' + 1/(2k+1) sum_b [dotSigma^l K^(l-1) + Sigma^l]_(a+b, a'+b)"
    return Verification(title, tuple(_convolutional_checks("residual convolution", 1)))


def _convolutional_checks(kind: str, skip: int) -> list[Check]:
    checks = []
    for phi in NAMES:
        covariance, kernel = _convolutional(phi, skip)
        name = _name(phi, f"K^1 = Sigma^1, covariances to layer {DEPTH}")
        checks.append(agreement(name, _nngp(kind, phi), covariance, "two signals, four positions, filter 3"))
        checks.append(agreement(_name(phi, f"K^{DEPTH}"), run(kind, phi).quantities["ntk"], kernel[-1]))
    return checks


# ---- residual --------------------------------------------------------------------------------------


def residual() -> Verification:
    """HDR.L3."""
    checks = []
    for phi in NAMES:

        def step(layer: int, covariance: Array, kernel: Array, phi: str = phi):
            sigma = BIAS + WEIGHT * values(phi, covariance)
            return covariance + sigma, kernel * (WEIGHT * slopes(phi, covariance) + 1) + sigma

        covariance, kernel = iterated(step, FIRST, FIRST, DEPTH)
        checks.append(agreement(_name(phi, f"y^1 to y^{DEPTH}"), _nngp("residual", phi), covariance))
        checks.append(agreement(_name(phi, f"K^{DEPTH}"), run("residual", phi).quantities["ntk"], kernel[-1]))
    return Verification("K^l = K^(l-1) (dotSigma^l + 1) + Sigma^l, layer 1 without residual", tuple(checks))


def scaled_residual() -> Verification:
    """HDR.P3.rec: K^l(x, x) with the variance of y^l as the proof computes it, and with the branch's own Sigma^l/l."""
    detail = f"relu, sigma_w = {SIGMA_W}, sigma_b = 0, branch scaled by 1/sqrt(l)"
    printed, right = (_scaled(with_factor) for with_factor in (False, True))
    found = run("scaled", "relu").quantities
    same = diagonal(found["ntk"])
    name = f"$K^{DEPTH}(x, x)$"
    return Verification(
        "K^l(x,x) = K^(l-1)(x,x)(1 + sigma_w^2/(2l)) + Sigma^l(x,x)",
        (agreement(name, same, np.diag(printed[1][-1]), detail),),
        Verification(
            "K^l(x,x) = K^(l-1)(x,x)(1 + sigma_w^2/(2l)) + (sigma_w^2/(2l)) Sigma^(l-1)(x,x)",
            (
                agreement(name, same, np.diag(right[1][-1]), detail),
                agreement(f"the same for all pairs, $K^{DEPTH}(x, x')$", found["ntk"], right[1][-1], detail),
                agreement(f"covariances of $y^1$ to $y^{DEPTH}$", found["nngp"], right[0], detail),
            ),
        ),
    )


def _scaled(with_factor: bool):
    def step(layer: int, covariance: Array, kernel: Array):
        branch = WEIGHT * values("relu", covariance) / layer
        following = covariance + branch
        inherited = kernel * (1 + WEIGHT * slopes("relu", covariance) / layer)
        return following, inherited + (branch if with_factor else following)

    return iterated(step, WEIGHT * PRODUCT, WEIGHT * PRODUCT, DEPTH)


# ---- learning rates, features, one layer ---------------------------------------------------------------------------


def _with_rates(phi: str):
    def step(layer: int, kernel: Array, tangent: Array):
        value = values(phi, kernel)
        inherited = WEIGHT * slopes(phi, kernel) * tangent
        return BIAS + WEIGHT * value, bias_rate(layer) + weight_rate(layer) * value + inherited

    return iterated(step, FIRST, bias_rate(1) + weight_rate(1) * PRODUCT, DEPTH)


def recursion() -> Verification:
    """PDLT.10.45, with rates that depend on the layer."""
    checks = []
    for phi in NAMES:
        found = run("rates", phi).quantities
        kernels, tangents = _with_rates(phi)
        checks.append(agreement(f"$K^(1)$ to $K^({DEPTH})$, {phi}, {CONSTANTS}", found["nngp"], kernels))
        checks.append(agreement(f"$Theta^({DEPTH})$, {phi}, {CONSTANTS}, {RATES}", found["ntk"], tangents[-1]))
    title = "K' = C_b + C_W <sigma sigma>, Theta' = lambda_b + lambda_W <sigma sigma> + C_W <sigma' sigma'> Theta"
    return Verification(title, tuple(checks))


def random_features() -> Verification:
    """PDLT.10.136: what the last layer learns at lambda_W = C_W, lambda_b = C_b is C_b + C_W/n sum sigma sigma."""
    checks = []
    for phi in NAMES:
        found = run("plain", phi).quantities
        kernels = _with_rates(phi)[0]
        share = found["weights"].part(-1)
        name = f"$C_W/n sum_j sigma_j sigma_j$ of layer {DEPTH - 1} against $K^({DEPTH}) - C_b$, {phi}, {CONSTANTS}"
        checks.append(agreement(name, share, kernels[-1] - BIAS))
    return Verification("C_b + C_W/n sum_j sigma_j sigma_j -> C_b + C_W <sigma sigma> = K^(L)", tuple(checks))


def features() -> Verification:
    """PDLT.10.138: the sum over all parameters, in random networks."""
    return Verification("sum lambda phi phi = NTK", recursion().checks[1::2])


def base_case() -> Verification:
    """JGH.base: the gradients of a linear layer in a network."""
    found = empirical_kernels(Dense("relu", sigma_w=1), X, 1, width=16, most_seeds=4)
    numeric = inequality(
        "NTK of random networks with $L = 1$ minus $x.x'/d_0$", abs(found.ntk - PRODUCT).max(), "<= 1e-6"
    )
    return Verification("Theta^(1)_kk'(x,x') = x.x'/d_0 1_kk' = Sigma^(1) 1_kk' at beta = 0", (numeric,))


# ---- names -----------------------------------------------------------------------------------------


def _name(phi: str, quantity: str) -> str:
    return f"{quantity}, {phi}, {SCALES}"


def _nngp(kind: str, phi: str) -> Estimate:
    return run(kind, phi).quantities["nngp"]

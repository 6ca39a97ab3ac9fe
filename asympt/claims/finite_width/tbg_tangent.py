"""Decisions on the slides about Tirer, Bruna and Giryes: the NTK of residual networks with two matrices a block.

With a = alpha^2 sigma_v^2 sigma_w^2, T_m and D_m the expectations over N(0, Sigma^(m)), Sigma^(m) the covariance of
g^(m), L blocks and Pi^(L) = 1, Pi^(m-1) = Pi^(m) (1 + a D_m), the networks have

    E[delta^(m).delta^(m)'] = sigma_w^2 Pi^(m)
    V^(m):  a Pi^(m) T_m      W^(m):  a Pi^(m) Sigma^(m) D_m      U:  Pi^(0) Sigma^(1)      w:  Sigma^(L+1).
"""

import numpy as np

from asympt.claims.finite_width.comparison import Array, agreement, slopes, values
from asympt.claims.finite_width.runs import ALPHA, SIGMA_V, WIDTHS, run
from asympt.claims.finite_width.tbg import BLOCKS, BRANCH, FIRST, NAMES, SCALES, WEIGHT, blocks
from asympt.depth.finite import Estimate
from asympt.evidence.check import Verification


def _products(phi: str) -> Array:
    """Pi^(0), ..., Pi^(L)."""
    sigmas, found = blocks(phi), [np.ones_like(FIRST)]
    for m in range(BLOCKS, 0, -1):
        found.append(found[-1] * (1 + BRANCH * slopes(phi, sigmas[m - 1])))
    return np.array(found[::-1])


def _tangent(phi: str, readout: int, inner: float) -> Array:
    """Sigma^(readout) + Pi^(0) Sigma^(1) + a sum Pi^(m) T_m + inner sum Pi^(m) Sigma^(m) D_m."""
    sigmas, pi = blocks(phi), _products(phi)
    total = sigmas[readout - 1] + pi[0] * sigmas[0]
    for m in range(1, BLOCKS + 1):
        sigma = sigmas[m - 1]
        total = total + pi[m] * (BRANCH * values(phi, sigma) + inner * sigma * slopes(phi, sigma))
    return total


def block_tangent() -> Verification:
    """TBG.ntk.res: the W-part and the readout's Sigma."""
    printed, one_mended, right = [], [], []
    for phi in NAMES:
        found = run("block", phi).quantities["ntk"]
        name = f"$Theta_res$, {phi}, {SCALES}"
        printed.append(agreement(name, found, _tangent(phi, BLOCKS, ALPHA**2), "Sigma^(L), W-part with alpha^2"))
        detail = "Sigma^(L+1) in front, W-part with alpha^2"
        one_mended.append(agreement(name, found, _tangent(phi, BLOCKS + 1, ALPHA**2), detail))
        right.append(agreement(name, found, _tangent(phi, BLOCKS + 1, BRANCH)))
    return Verification(
        "Theta_res = Sigma^(L) + Pi^(0) Sigma^(1) + alpha^2 sum Pi^(m) [sigma_v^2 sigma_w^2 T_m + Sigma^(m) D_m]",
        (*printed, *one_mended),
        Verification(
            "Theta_res = Sigma^(L+1) + Pi^(0) Sigma^(1) + alpha^2 sigma_v^2 sigma_w^2 sum Pi^(m) [T_m + Sigma^(m) D_m]",
            tuple(right),
        ),
    )


def input_part() -> Verification:
    """TBG.ntk.U, with E[delta^(0).delta^(0)'] = sigma_w^2 Pi^(0)."""
    checks = []
    for phi in NAMES:
        expected = FIRST / WEIGHT * _squares(phi)[0]
        checks.append(agreement(f"share of $U$, {phi}, {SCALES}", run("block", phi).quantities["U"].part(0), expected))
    return Verification("U: Sigma^(1)/sigma_w^2 E[delta^(0).delta^(0)']", tuple(checks))


def outer_part() -> Verification:
    """TBG.ntk.V: with 1/n as printed, at the width of the networks, and without."""
    printed, right = [], []
    for phi in NAMES:
        found = run("block", phi).quantities["V"]
        expected = _each(phi, lambda sigma, square, phi=phi: (ALPHA * SIGMA_V) ** 2 * values(phi, sigma) * square)
        name = f"shares of $V^(1)$ to $V^({BLOCKS})$, {phi}, {SCALES}"
        printed.append(agreement(name, found, expected / WIDTHS[-1], f"n = {WIDTHS[-1]}"))
        right.append(agreement(name, found, expected))
    return Verification(
        "V^(l): alpha^2 sigma_v^2/n T(Sigma^(l)) E[delta^(l).delta^(l)']",
        tuple(printed),
        Verification("V^(l): alpha^2 sigma_v^2 T(Sigma^(l)) E[delta^(l).delta^(l)']", tuple(right)),
    )


def inner_part() -> Verification:
    """TBG.ntk.W."""
    checks = []
    for phi in NAMES:
        expected = _each(
            phi, lambda sigma, square, phi=phi: (ALPHA * SIGMA_V) ** 2 * sigma * slopes(phi, sigma) * square
        )
        name = f"shares of $W^(1)$ to $W^({BLOCKS})$, {phi}, {SCALES}"
        checks.append(agreement(name, run("block", phi).quantities["W"], expected))
    return Verification("W^(l): alpha^2 sigma_v^2 Sigma^(l) D(Sigma^(l)) E[delta^(l).delta^(l)']", tuple(checks))


def gradients() -> Verification:
    """TBG.ntk.Pi: delta^(L) = sigma_w/sqrt(n) w has E[delta.delta'] = sigma_w^2, not Pi^(L) = 1."""
    printed, right = [], []
    for phi in NAMES:
        found: Estimate = run("block", phi).quantities["delta"]
        name = f"$delta^(l).delta^(l)'$, $l = 0$ to {BLOCKS}, {phi}, {SCALES}"
        printed.append(agreement(name, found, _products(phi)))
        right.append(agreement(name, found, _squares(phi)))
    return Verification(
        "E[delta^(l).delta^(l)'] = Pi^(l)",
        tuple(printed),
        Verification("E[delta^(l).delta^(l)'] = sigma_w^2 Pi^(l)", tuple(right)),
    )


def _squares(phi: str) -> Array:
    """E[delta^(l).delta^(l)'] for l = 0, ..., L."""
    return WEIGHT * _products(phi)


def _each(phi: str, part) -> Array:
    """part(Sigma^(l), E[delta^(l).delta^(l)']) for l = 1, ..., L."""
    return np.array([part(s, d) for s, d in zip(blocks(phi)[:-1], _squares(phi)[1:], strict=True)])

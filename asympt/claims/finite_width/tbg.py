"""Decisions on the slides about Tirer, Bruna and Giryes: covariances, and the NTK of plain networks.

Sigma^(l) is the covariance of g^(l) = sigma_w/sqrt(n) W^(l) x^(l-1), as the first line of the slides
has it, so T(Sigma^(l)) = E[phi(g^(l)) phi(g^(l)')].
"""

import numpy as np
from mpmath import mp

from asympt.claims.finite_width.comparison import Array, agreement, diagonal, iterated, slopes, values
from asympt.claims.finite_width.runs import ALPHA, DEPTH, PRODUCT, SIGMA_V, SIGMA_W, X, run
from asympt.claims.forms import small
from asympt.evidence.check import Check, Verification
from asympt.gaussian.kernel import kernel_of
from asympt.meanfield.activations import activation

WEIGHT, BRANCH = SIGMA_W**2, (ALPHA * SIGMA_V * SIGMA_W) ** 2
FIRST = WEIGHT * PRODUCT
BLOCKS = DEPTH - 1
SCALES = f"sigma_w = {SIGMA_W}, sigma_v = {SIGMA_V}, alpha = {ALPHA}, L = {BLOCKS}"
NAMES = ("relu", "erf")


# ---- plain networks ------------------------------------------------------------------------------------


def _plain(phi: str, printed: bool = False):
    """Sigma' = sigma_w^2 T(Sigma); Theta' = sigma_w^2 (Theta D(Sigma) + T(Sigma)), or as printed."""

    def step(layer: int, sigma: Array, kernel: Array):
        following = WEIGHT * values(phi, sigma)
        if printed:
            return following, kernel * slopes(phi, following) + values(phi, following)
        return following, WEIGHT * kernel * slopes(phi, sigma) + following

    return iterated(step, FIRST, FIRST, DEPTH)


def plain_covariance() -> Verification:
    """TBG.nngp.mlp."""
    checks = tuple(
        agreement(
            f"$Sigma^(1)$ to $Sigma^({DEPTH})$, {phi}, $sigma_w = {SIGMA_W}$", run("no bias", phi).quantities["nngp"],
            _plain(phi)[0]
        )
        for phi in NAMES
    )
    return Verification("Sigma^(1) = sigma_w^2 x.x'/d, Sigma^(l+1) = sigma_w^2 T(Sigma^(l))", checks)


def last_layer() -> Verification:
    """TBG.nngp.lastlayer: the share of the last weights in the NTK, of plain networks and of those with blocks."""
    checks = []
    for phi in NAMES:
        found = run("no bias", phi).quantities["weights"].part(-1)
        name = f"share of the last layer's weights in the NTK, {phi}, $sigma_w = {SIGMA_W}$"
        checks.append(agreement(name, found, _plain(phi)[0][-1]))
        found = run("block", phi).quantities["readout"].part(0)
        checks.append(agreement(f"share of $w$, blocks, {phi}, {SCALES}", found, blocks(phi)[-1]))
    return Verification("Sigma^(L+1) is the NTK when only the top layer is trained", tuple(checks))


def plain_tangent() -> Verification:
    """TBG.ntk.mlp: no sigma_w^2, and expectations of the wrong layer."""
    printed, right = [], []
    for phi in NAMES:
        found = run("no bias", phi).quantities["ntk"]
        name = f"$Theta^({DEPTH})$, {phi}, $sigma_w = {SIGMA_W}$"
        printed.append(agreement(name, found, _plain(phi, printed=True)[1][-1]))
        right.append(agreement(name, found, _plain(phi)[1][-1]))
    return Verification(
        "Theta^(l+1) = Theta^(l) D(Sigma^(l+1)) + T(Sigma^(l+1))",
        tuple(printed),
        Verification("Theta^(l+1) = sigma_w^2 (Theta^(l) D(Sigma^(l)) + T(Sigma^(l)))", tuple(right)),
    )


# ---- covariances of residual networks --------------------------------------------------------------------


def blocks(phi: str) -> Array:
    """Sigma^(1), ..., Sigma^(L+1), Sigma' = Sigma + a T(Sigma)."""
    return iterated(lambda layer, s, k: (s + BRANCH * values(phi, s), k), FIRST, FIRST, DEPTH)[0]


def block_covariance() -> Verification:
    """TBG.nngp.res: right for every phi when Sigma^(l) is the covariance of g^(l), as its first line has it."""
    checks = tuple(
        agreement(
            f"$Sigma^(1)$ to $Sigma^({DEPTH})$, {phi}, {SCALES}", run("block", phi).quantities["nngp"], blocks(phi)
        )
        for phi in NAMES
    )
    return Verification("Sigma^(l+1) = Sigma^(l) + alpha^2 sigma_v^2 sigma_w^2 T(Sigma^(l))", checks)


def base_case() -> Verification:
    """TBG.nngp.base: the variance as printed; the covariance in the same line is right."""
    found = run("block", "relu").quantities["nngp"].part(0)
    name = f"variance of $sigma_w/sqrt(d) (Ux)_i$, $d = {X.shape[1]}$, $sigma_w = {SIGMA_W}$"
    covariance = agreement("its covariance against $sigma_w^2 x.x'/d$", found, FIRST)
    norms = np.sum(X**2, axis=1)
    return Verification(
        "sigma_w/sqrt(d) (Ux)_i ~ N(0, sigma_w ||x||^2), covariance sigma_w^2 x.x'/d",
        (agreement(name, diagonal(found), SIGMA_W * norms), covariance),
        Verification(
            "sigma_w/sqrt(d) (Ux)_i ~ N(0, sigma_w^2 ||x||^2/d), covariance sigma_w^2 x.x'/d",
            (agreement(name, diagonal(found), WEIGHT * norms / X.shape[1]), covariance),
        ),
    )


def induction_step() -> Verification:
    """TBG.nngp.step: E[phi^2(g)] against sigma_w^2 E[phi^2(g/sigma_w)] for homogeneous phi and others."""
    homogeneous, others = _rescaled("relu"), tuple(_rescaled(name) for name in ("erf", "tanh"))
    return Verification(
        "E[phi^2(g)] = sigma_w^2 E[phi^2(g/sigma_w)] for every phi",
        (homogeneous, *others),
        Verification("E[phi^2(g)] = sigma_w^2 E[phi^2(g/sigma_w)] for phi(c x) = c phi(x), c > 0", (homogeneous,)),
    )


def _rescaled(name: str) -> Check:
    kernel = kernel_of(activation(name).piecewise)
    with mp.workdps(30):
        variance, weight = mp.mpf(7) / 5, mp.mpf(9) / 4
        left = kernel.value(variance, variance, 1)
        right = weight * kernel.value(variance / weight, variance / weight, 1)
        figure = abs(left / right - 1)
    detail = "g of variance 7/5, sigma_w = 3/2"
    return small(f"{name}: $|E[phi^2(g)]/(sigma_w^2 E[phi^2(g/sigma_w)]) - 1|$", figure, 25, detail)

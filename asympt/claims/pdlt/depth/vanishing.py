"""Decisions on PDLT's laws of depth in the class K* = 0: the kernel, and the equivalence principle (10.71-10.78).

How they are decided, and on what, is in `examples`.
"""

from sympy import Integer

from asympt.claims.forms import agreement, inequality, same
from asympt.claims.pdlt.depth.examples import DEPTH, IN_CLOSED_FORM, by_numpy, by_theorem_at, implied, net
from asympt.claims.stated.pdlt.depth import TERMS
from asympt.evidence.check import Check, Verification
from asympt.evidence.components import float_components


def universality() -> Verification:
    """PDLT.10.71: K_00, ddK_[2] and chi_perp of examples."""
    checks = [_slope_along("tanh"), _slope_along("mixed")]
    for name in ("tanh", "sin", "mixed"):
        checks.append(by_numpy(name, "constant", "K 2"))
    checks += [*by_theorem_at("sin", "K 00", "1/n"), *by_theorem_at("erf", "K 00", "1/(2*n)")]
    return Verification("K_00 = 1/((-a_1) l) + ..., ddK_[2] = delta^2 l^(-p) + ..., p = b_1/a_1", tuple(checks))


def _slope_along(name: str) -> Check:
    """l (1 - chi_perp) from two neighbouring layers of ddK_[2], which chi_perp multiplies."""
    parts = net(name, "constant", True).components
    here, there = (float_components(parts, 1.0, depth)["K2"] for depth in (DEPTH, DEPTH + 1))
    expected = float(net(name, "constant").universality.exponent)
    title = f"$l (1 - chi_perp)$ at $l = {DEPTH}$ by NumPy against $p_perp$, {name}"
    return agreement(title, DEPTH * (1 - there / here), expected, 2e-3)


def _equivalence(part: str, equation: str, subject: str) -> Verification:
    """A printed term of the equivalence principle: the laws that its formula confirms, by NumPy, and theorems."""
    checks = [by_numpy(name, "equivalence", part) for name in ("tanh", "sin", "mixed")]
    checks += [row for name in IN_CLOSED_FORM for row in implied(name, "equivalence", part, TERMS[equation])]
    return Verification(subject, tuple(checks))


def midpoint() -> Verification:
    """PDLT.10.75; in a layer l of a network of depth L only the factor L^(p-1) does not belong to the layer."""
    title = "equivalence principle: Theta_00^(l) = (lambda_b + lambda_W sigma_1^2/(-a_1)) (L/l)^(p-1) + ..."
    return _equivalence("Theta 00", "10.75", title)


def second_component() -> Verification:
    """PDLT.10.77."""
    title = "equivalence principle: ddTheta_[2]^(l) = delta^2 L^(p-1)/(2-p) {...} l^(2-2p) + ..., at l = L"
    return _equivalence("Theta 2", "10.77", title)


def robustness_scheduled() -> Verification:
    """PDLT.10.78."""
    title = "-2 ddTheta_[2]/Theta_00 = 2 delta^2/(p-2) {...} L^(1-p) + ..."
    return _equivalence("robustness", "10.78", title)


def exponent_bound() -> Verification:
    """PDLT.fn33, on examples."""
    checks = []
    for name, odd in (("tanh", True), ("sin", True), ("erf", True), ("mixed", False)):
        p = net(name, "constant").universality.exponent
        checks.append(
            same(f"$p_perp$ of {name}", p, Integer(1)) if odd else inequality(f"$p_perp$ of {name}", p, "< 1")
        )
    return Verification("b_1 >= a_1 and a_1 < 0: p_perp <= 1, = 1 for odd phi, < 1 if sigma_2 != 0", tuple(checks))

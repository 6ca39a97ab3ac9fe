"""Decisions on PDLT's laws of depth in the class K* = 0: the kernel, and the equivalence principle (10.71-10.78).

How they are decided, and on what, is in `examples`.
"""

from sympy import Expr, Integer, Symbol, limit

from asympt.architectures.perceptron.components import DELTA
from asympt.architectures.perceptron.universality import SIGMA, expansion_coefficients
from asympt.claims.forms import agreement, inequality, same, vanishes
from asympt.claims.pdlt.depth.examples import BIAS, DEPTH, WEIGHT, by_numpy, by_theorem_at, leading, net
from asympt.evidence.check import Check, Verification
from asympt.evidence.components import float_components


def universality() -> Verification:
    """PDLT.10.71: K_00, ddK_[2], chi_perp, and the definitions of a_1 and b_1."""
    a1, b1 = expansion_coefficients()
    _, s1, s2, s3 = SIGMA
    checks = [
        vanishes("$a_1 - sigma_3/sigma_1 - (3/4) (sigma_2/sigma_1)^2$", a1 - s3 / s1 - 3 * (s2 / s1) ** 2 / 4),
        vanishes("$b_1 - sigma_3/sigma_1 - (sigma_2/sigma_1)^2$", b1 - s3 / s1 - (s2 / s1) ** 2),
        _slope_along("tanh"), _slope_along("mixed"),
    ]
    for name in ("tanh", "sin", "mixed"):
        checks += leading(name, "constant", "K 00", lambda k: (Integer(-1), 1 / k["a"]))
        checks += leading(name, "constant", "K 2", lambda k: (-k["p"], DELTA**2))
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


def _balance(name: str, power: Expr, expected: Expr) -> Check:
    """l^power in Theta' = (1 - p/l) Theta + source: what is left over l^(power - 1), for every p."""
    step, p = Symbol("h", positive=True), Symbol("p_perp", real=True)
    left = limit(((1 + step) ** power - (1 - p * step)) / step, step, 0)
    title = f"{name} in the recursion, for every $p$: what the source must be, minus ${expected}$"
    return vanishes(title, left - expected)


def midpoint_of(k: dict) -> Expr:
    """lambda_b + lambda_W sigma_1^2/(-a_1)."""
    return BIAS + WEIGHT * k["s1"] / k["a"]


def _driven_by(k: dict) -> Expr:
    """lambda_W sigma_1^2 + (sigma_2/sigma_1)^2 (...)."""
    return WEIGHT * k["s1"] + k["s2"] * midpoint_of(k)


def _equivalence(part: str, printed, subject: str, extra: tuple = ()) -> Verification:
    checks = list(extra)
    for name in ("tanh", "sin", "mixed"):
        checks += [*leading(name, "equivalence", part, printed), by_numpy(name, "equivalence", part)]
    return Verification(subject, tuple(checks))


def midpoint() -> Verification:
    """PDLT.10.75; in a layer l of a network of depth L only the factor L^(p-1) does not belong to the layer."""
    p = Symbol("p_perp", real=True)
    balance = _balance("$l^(1-p)$", 1 - p, Integer(1))
    return _equivalence(
        "Theta 00", lambda k: (Integer(0), midpoint_of(k)),
        "equivalence principle: Theta_00^(l) = (lambda_b + lambda_W sigma_1^2/(-a_1)) (L/l)^(p-1) + ...", (balance,),
    )  # fmt: skip


def second_component() -> Verification:
    """PDLT.10.77."""
    p = Symbol("p_perp", real=True)
    balance = _balance("$l^(2-2p)$", 2 - 2 * p, 2 - p)
    return _equivalence(
        "Theta 2", lambda k: (1 - k["p"], DELTA**2 * _driven_by(k) / (2 - k["p"])),
        "equivalence principle: ddTheta_[2]^(l) = delta^2 L^(p-1)/(2-p) {...} l^(2-2p) + ..., at l = L", (balance,),
    )  # fmt: skip


def robustness_scheduled() -> Verification:
    """PDLT.10.78."""

    def printed(k: dict) -> tuple:
        return 1 - k["p"], 2 * DELTA**2 / (k["p"] - 2) * (WEIGHT * k["s1"] / midpoint_of(k) + k["s2"])

    return _equivalence("robustness", printed, "-2 ddTheta_[2]/Theta_00 = 2 delta^2/(p-2) {...} L^(1-p) + ...")


def exponent_bound() -> Verification:
    """PDLT.fn33."""
    a1, b1 = expansion_coefficients()
    _, s1, s2, _ = SIGMA
    quarter = (s2 / s1) ** 2 / 4
    checks = [
        vanishes(
            "$b_1 - a_1 - (sigma_2/sigma_1)^2/4$, so $b_1 >= a_1$, equal only for $sigma_2 = 0$", b1 - a1 - quarter
        ),
        vanishes(
            "$1 - p_perp - (sigma_2/sigma_1)^2/(4 (-a_1))$, so $p_perp <= 1$ for $a_1 < 0$", 1 - b1 / a1 + quarter / a1
        ),
    ]
    for name, odd in (("tanh", True), ("sin", True), ("erf", True), ("mixed", False)):
        p = net(name, "constant").universality.exponent
        checks.append(
            same(f"$p_perp$ of {name}", p, Integer(1)) if odd else inequality(f"$p_perp$ of {name}", p, "< 1")
        )
    return Verification("b_1 >= a_1 and a_1 < 0: p_perp <= 1, = 1 for odd phi, < 1 if sigma_2 != 0", tuple(checks))

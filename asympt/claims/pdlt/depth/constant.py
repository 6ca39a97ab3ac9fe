"""Decisions on PDLT's laws of depth in the class K* = 0 for rates that do not depend on the layer (10.79-10.81).

Problem.  Theta_00 grows like l there, so <phi'' phi''> Theta_00 = O(1) counts at the leading order of 10.70 although
<phi'' phi''> = O(1/l): 10.80 and 10.81 lack a term, and for activations that are not odd it decides alone.
"""

from sympy import Expr

from asympt.architectures.perceptron.components import DELTA
from asympt.claims.forms import agreement, at_most
from asympt.claims.pdlt.depth.examples import (
    DEPTH,
    IN_CLOSED_FORM,
    NUMBERS,
    at,
    by_numpy,
    by_theorem_at,
    floats,
    implied,
    mixed,
    net,
)
from asympt.claims.stated.pdlt.depth import TERMS, TRUE
from asympt.evidence.check import Check, Verification
from asympt.evidence.components import float_components


def midpoint_constant() -> Verification:
    """PDLT.10.79."""
    checks = [by_numpy("tanh", "constant", "Theta 00")]
    checks += [row for name in ("sin", "erf") for row in by_theorem_at(name, "Theta 00", "n")]
    return Verification("odd phi, constant rates: Theta_00^(l) = (lambda_b/2) l + ...", tuple(checks))


def _numeric(name: str, part: str, term: Expr, which: str) -> Check:
    """The `which` leading term, delta^2 read off NumPy's ddK_[2], against NumPy at DEPTH."""
    found = floats(name, "constant")
    delta2 = found["K2"] * DEPTH
    value = found["Theta2"] if part == "Theta 2" else -2 * found["Theta2"] / found["Theta00"]
    power, coefficient = at(term, name)
    expected = float(coefficient.subs(NUMBERS | {DELTA: 1})) * delta2 * DEPTH ** float(power)
    detail = "lambda_b = 2, lambda_W = 3, K_00 = 1 in layer 1; delta^2 = l ddK_[2] there"
    return agreement(f"{part}, {name}: {which} term against NumPy at depth {DEPTH}", value, expected, 5e-3, detail)


def _printed_and_true(part: str, equation: str, subject: str, corrected: str) -> Verification:
    """Both terms of an equation in numbers and by theorem, for odd activations, whose p_perp is 1."""
    rows = []
    for which, term in (("printed", TERMS[equation]), ("corrected", TRUE[equation])):
        checks = [_numeric(name, part, term, which) for name in ("tanh", "sin")]
        rows.append(checks + [row for name in IN_CLOSED_FORM for row in implied(name, "constant", part, term)])
    right = (*rows[1], by_numpy("tanh", "constant", part))
    return Verification(subject, tuple(rows[0]), Verification(corrected, right))


def second_constant() -> Verification:
    """PDLT.10.80."""
    return _printed_and_true(
        "Theta 2", "10.80", "odd phi, constant rates: ddTheta_[2] = lambda_W sigma_1^2 delta^2 + ...",
        "ddTheta_[2] = (lambda_W sigma_1^2 + (-a_1) lambda_b/2) delta^2 + ...: <s'' s''> Theta_00 = O(1) counts",
    )  # fmt: skip


def robustness_constant() -> Verification:
    """PDLT.10.81."""
    return _printed_and_true(
        "robustness", "10.81",
        "odd phi, constant rates: -2 ddTheta_[2]/Theta_00 = -4 lambda_W sigma_1^2 delta^2/(lambda_b L) + ...",
        "-2 ddTheta_[2]/Theta_00 = -(4 lambda_W sigma_1^2/lambda_b + 2 (-a_1)) delta^2/L + ...",
    )  # fmt: skip


def robustness_not_odd() -> Verification:
    """PDLT.10.81, the remark in parentheses: p_perp != 1 changes the conclusion."""
    found = floats("mixed", "constant")
    ratio = abs(2 * found["Theta2"] / found["Theta00"])
    early = float_components(net("mixed", "constant", True).components, 1.0, DEPTH // 10)
    before = abs(2 * early["Theta2"] / early["Theta00"])
    name = f"$|2 ddTheta_[2]/Theta_00|$ of {mixed().name} at depth {DEPTH} over that at {DEPTH // 10}"
    decays = at_most(name, ratio / before, 1.0, "a decay would make it smaller than 1", digits=6)
    return Verification(
        "constant rates, p_perp != 1: the robustness decays with the depth L as well",
        (decays,),
        Verification(
            "-1 < p < 1, constant rates: -2 ddTheta_[2]/Theta_00 = -(sigma_2/sigma_1)^2 delta^2 L^(1-p) + ...",
            (by_numpy("mixed", "constant", "robustness"),),
        ),
    )

"""Decisions on PDLT's laws of depth in the class K* = 0 for rates that do not depend on the layer (10.79-10.81).

Problem.  Theta_00 grows like l there, so <phi'' phi''> Theta_00 = O(1) counts at the leading order of 10.70 although
<phi'' phi''> = O(1/l): 10.80 and 10.81 lack a term, and for activations that are not odd it decides alone.
"""

from sympy import Expr, Integer, expand

from asympt.architectures.perceptron.components import DELTA
from asympt.claims.forms import agreement, at_most
from asympt.claims.pdlt.depth.examples import (
    BIAS,
    DEPTH,
    NUMBERS,
    WEIGHT,
    by_numpy,
    by_theorem_at,
    constants,
    floats,
    leading,
    mixed,
    net,
)
from asympt.evidence.check import Check, Verification
from asympt.evidence.components import float_components

ODD = ("tanh", "sin", "erf")


def midpoint_constant() -> Verification:
    """PDLT.10.79."""
    checks = []
    for name in ODD:
        checks += leading(name, "constant", "Theta 00", lambda k: (Integer(1), BIAS / 2))
    checks.append(by_numpy("tanh", "constant", "Theta 00"))
    checks += [row for name in ("sin", "erf") for row in by_theorem_at(name, "Theta 00", "n")]
    return Verification("odd phi, constant rates: Theta_00^(l) = (lambda_b/2) l + ...", tuple(checks))


def _numeric(name: str, part: str, printed, which: str) -> Check:
    """The `which` leading term, delta^2 read off NumPy's ddK_[2], against NumPy at DEPTH."""
    found, k = floats(name, "constant"), constants(name)
    delta2 = found["K2"] * DEPTH ** float(k["p"])
    value = found["Theta2"] if part == "Theta 2" else -2 * found["Theta2"] / found["Theta00"]
    power, coefficient = printed(k)
    expected = float(coefficient.subs(NUMBERS | {DELTA: 1})) * delta2 * DEPTH ** float(power)
    detail = "lambda_b = 2, lambda_W = 3, K_00 = 1 in layer 1; delta^2 = l ddK_[2] there"
    return agreement(f"{part}, {name}: {which} term against NumPy at depth {DEPTH}", value, expected, 5e-3, detail)


def _second(k: dict) -> Expr:
    """What is true in place of lambda_W sigma_1^2."""
    return WEIGHT * k["s1"] + k["a"] * BIAS / 2


def _printed_and_true(part: str, printed, true, subject: str, corrected: str) -> Verification:
    right = []
    for name in ODD:
        right += leading(name, "constant", part, true)
    right += [_numeric(name, part, true, "corrected") for name in ("tanh", "sin")]
    right.append(by_numpy("tanh", "constant", part))
    wrong = tuple(_numeric(name, part, printed, "printed") for name in ("tanh", "sin"))
    return Verification(subject, wrong, Verification(corrected, tuple(right)))


def second_constant() -> Verification:
    """PDLT.10.80."""
    return _printed_and_true(
        "Theta 2",
        lambda k: (Integer(0), WEIGHT * k["s1"] * DELTA**2),
        lambda k: (Integer(0), _second(k) * DELTA**2),
        "odd phi, constant rates: ddTheta_[2] = lambda_W sigma_1^2 delta^2 + ...",
        "ddTheta_[2] = (lambda_W sigma_1^2 + (-a_1) lambda_b/2) delta^2 + ...: <s'' s''> Theta_00 = O(1) counts",
    )


def robustness_constant() -> Verification:
    """PDLT.10.81."""
    return _printed_and_true(
        "robustness",
        lambda k: (Integer(-1), -4 * WEIGHT * k["s1"] * DELTA**2 / BIAS),
        lambda k: (Integer(-1), expand(-4 * _second(k) * DELTA**2 / BIAS)),
        "odd phi, constant rates: -2 ddTheta_[2]/Theta_00 = -4 lambda_W sigma_1^2 delta^2/(lambda_b L) + ...",
        "-2 ddTheta_[2]/Theta_00 = -(4 lambda_W sigma_1^2/lambda_b + 2 (-a_1)) delta^2/L + ...",
    )


def robustness_not_odd() -> Verification:
    """PDLT.10.81, the remark in parentheses: p_perp != 1 changes the conclusion."""
    found = floats("mixed", "constant")
    ratio = abs(2 * found["Theta2"] / found["Theta00"])
    early = float_components(net("mixed", "constant", True).components, 1.0, DEPTH // 10)
    before = abs(2 * early["Theta2"] / early["Theta00"])
    name = f"$|2 ddTheta_[2]/Theta_00|$ of {mixed().name} at depth {DEPTH} over that at {DEPTH // 10}"
    decays = at_most(name, ratio / before, 1.0, "a decay would make it smaller than 1", digits=6)
    true = leading("mixed", "constant", "robustness", lambda k: (1 - k["p"], -k["s2"] * DELTA**2))
    return Verification(
        "constant rates, p_perp != 1: the robustness decays with the depth L as well",
        (decays,),
        Verification(
            "-1 < p < 1, constant rates: -2 ddTheta_[2]/Theta_00 = -(sigma_2/sigma_1)^2 delta^2 L^(1-p) + ...",
            (*true, by_numpy("mixed", "constant", "robustness")),
        ),
    )

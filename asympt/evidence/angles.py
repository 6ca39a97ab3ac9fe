"""The evidence for laws of PDLT's MLP in the scale-invariant class: psi, cos zeta, functions of them, exact laws.

The float64 iteration is a loop with the closed forms of the angle's recursion, PDLT 10.88 and 10.89.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from mpmath import mp, mpf
from sympy import Rational

from asympt.architectures.perceptron.angles import Angle, ExactRates
from asympt.evidence.check import Check
from asympt.evidence.combined import FLOAT_DEPTH, FLOAT_DIGITS, close_to_floats, recombined
from asympt.evidence.exact import identity_check
from asympt.evidence.orbits.constancy import constancy_checks
from asympt.evidence.symbolic.defect import linear_checks
from asympt.evidence.symbolic.inverse import observable_check
from asympt.numbers import to_mpf

GAPS = (("c^1 = 1/10", Rational(9, 10)), ("c^1 = -1/2", Rational(3, 2)))


@dataclass(frozen=True)
class AngleEvidence:
    """The checks of laws with one coordinate; `along`: of the recursion layer by layer, `floats`: in float64."""

    symbolic_checks: Callable
    along: Callable
    floats: Callable | None = None

    def numeric_checks(self, law, digits: int, depth: int, workers: int, progress, attempt: Callable) -> list[Check]:
        """The law against the original recursions."""
        checks = self.along(law, digits, progress, attempt)
        return checks + (attempt("float64 at depth", lambda: self.floats(law, depth)) if self.floats else [])


# ---- angles -------------------------------------------------------------------------------------------


def _solves(law) -> list[Check]:
    return linear_checks(law) if law.linear is not None else [observable_check(law)]


def _constancy(law, digits: int, progress, attempt: Callable) -> list[Check]:
    return attempt("constancy of C and D", lambda: [
        check for label, gap in GAPS for check in constancy_checks(law, gap, label, digits, progress)])  # fmt: skip


def float_angles(kink: float, lost: float, gap: float, depth: int) -> tuple[float, float]:
    """(psi, cos zeta) at a layer by PDLT 10.88-10.89, sin psi - psi cos psi summed where it cancels."""
    rho, kernel = 2 * kink / np.pi, 1 - lost * gap
    for _ in range(depth - 1):
        psi = 2 * np.arcsin(np.sqrt(gap / 2))
        gap = gap - rho * _bend(psi)
        kernel = (1 - rho * psi) * kernel + 1 - lost * gap
    return float(2 * np.arcsin(np.sqrt(gap / 2))), float(kernel / depth)


def _bend(psi: float) -> float:
    """sin psi - psi cos psi."""
    if psi > 0.5:
        return np.sin(psi) - psi * np.cos(psi)
    term, total = psi**3 / 3, 0.0
    for k in range(1, 12):
        total += term
        term *= -psi * psi * (k + 1) / (k * (2 * k + 2) * (2 * k + 3))
    return total


def angle_floats(law, depth: int) -> list[Check]:
    """psi or cos zeta against float64."""
    depth = min(depth, FLOAT_DEPTH)
    angle, cosine = _at(law, (law,), depth)
    return _against(law, angle if law.linear is None else cosine, depth)


def combined_floats(law, depth: int) -> list[Check]:
    """A function of cos zeta, and of 1 - cos psi, against float64; nothing where all parts are exact."""
    depth, parts = min(depth, FLOAT_DEPTH), law.coordinate.parts
    if Angle not in {type(part.coordinate) for part in parts}:
        return []
    angle, cosine = _at(law, parts, depth)
    return _against(law, law.coordinate.combine(*(cosine, 2 * np.sin(angle / 2) ** 2)[: len(parts)]), depth)


def _at(law, parts: tuple, depth: int) -> tuple[float, float]:
    """(psi, cos zeta) of the network in float64."""
    zeta = next((part for part in parts if part.linear is not None), None)
    lost = zeta.coordinate.own_lost if zeta else Rational(0)
    return float_angles(float(law.layer.layer.kink_weight), float(lost), 0.9, depth)


def _against(law, found: float, depth: int) -> list[Check]:
    expected = law.evaluate(depth=depth, gap=Rational(9, 10), digits=FLOAT_DIGITS)
    return [close_to_floats(law, found, expected, f"c^1 = 1/10, depth {depth}")]


# ---- exact laws ---------------------------------------------------------------------------------------


def _identity(law) -> list[Check]:
    """The diagonal: Theta_d grows by the same in every layer; cos zeta of a linear network: the same in every layer."""
    depth, formula = law.depth_variable, law.to_sympy()
    if law.name != "ntk diagonal":
        return [identity_check(formula, depth)]
    total = formula if formula.has(depth) else formula * depth  # the rates' factor 1/L taken off
    return [identity_check(total, depth, law.layer.layer.chi, total.subs(depth, 1))]


def exact_numbers(law, layers: int = 200) -> list[Check]:
    """cos zeta of a linear network layer by layer, by its statement: Theta' = lambda_b + lambda_W <s s> + Theta."""
    if law.name != "zeta":
        return []
    with mp.workdps(40):
        gap, unit = mpf(9) / 10, law.layer.layer.weight_variance
        weights, biases = to_mpf(law.layer.weight_rate * law.coordinate.variance / unit), to_mpf(law.layer.bias_rate)
        step, diagonal, worst = biases + weights * (1 - gap), biases + weights, mpf(0)
        same = kernel = mpf(0)
        for layer in range(1, layers + 1):
            kernel, same = kernel + step, same + diagonal
            worst = max(worst, abs(kernel / same - law.evaluate(depth=layer, gap=Rational(9, 10), digits=35)))
        return [Check.measured(f"$cos zeta$ against the recursion in each of {layers} layers", worst, mpf(10) ** -30)]


def _layer_by_layer(law, digits: int, progress, attempt: Callable) -> list[Check]:
    return attempt("the recursion layer by layer", lambda: exact_numbers(law))


# ---- functions of laws --------------------------------------------------------------------------------


def _of_parts(law) -> list[Check]:
    parts = law.coordinate.parts
    own = [check for part in parts if type(part.coordinate) in OWN for check in _own(part).symbolic_checks(part)]
    return [*own, recombined(law, [part.in_symbols_of(law).to_sympy() for part in parts])]


def _along_parts(law, digits: int, progress, attempt: Callable) -> list[Check]:
    return [check for part in law.coordinate.parts for check in _own(part).along(part, digits, progress, attempt)]


def _own(part) -> AngleEvidence:
    """The checks of a part; a law of another coordinate is an angle's as far as orbits go."""
    return OWN.get(type(part.coordinate), ANGLE)


ANGLE = AngleEvidence(_solves, _constancy, angle_floats)
EXACT = AngleEvidence(_identity, _layer_by_layer)
OWN = {Angle: ANGLE, ExactRates: EXACT}
COMBINED = AngleEvidence(_of_parts, _along_parts, combined_floats)

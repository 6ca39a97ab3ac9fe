"""Decisions on PDLT section 10.3.2: what a trained smooth network draws through two nearby training points.

`training.two_point` and `training.two_point_polation` expand the exact prediction 10.105 in delta, with a symbol for
every Taylor coefficient of Theta, z and y; `numbers` has the same for a tanh network.
"""

from math import log2

from sympy import Expr, Integer, Matrix, Symbol, symbols

from asympt.claims.forms import identity, inequality, same, vanishes
from asympt.claims.pdlt.two_point.numbers import NAME, STEPS, numbers, order, targets_apart
from asympt.evidence.check import Check, Verification
from asympt.training.two_point import DELTA, FIRST, SECOND, KernelJet, between, function_jet, pair_formula
from asympt.training.two_point_polation import S, output_spread, polation, trained_output, truncated

POLATED = symbols("z_s z_+ z_- y_+ y_-", real=True)


def pair() -> Verification:
    """PDLT.10.110."""
    jet = KernelJet("Theta")
    formula, unknowns, rank = pair_formula()
    half_sum, half_difference = (FIRST + SECOND) / 2, (FIRST - SECOND) / 2
    printed = jet.centre + half_sum * jet.tilt + half_sum**2 * (jet.spread + jet.curvature)
    printed += half_difference**2 * (jet.curvature - jet.spread)
    kernel = jet.at(FIRST, SECOND).series(DELTA, 0, 3).removeO()
    checks = (
        vanishes("the solution of the conditions minus the printed formula", (formula - printed).expand()),
        same("rank of the conditions on the coefficients", rank, unknowns,
             "as many independent conditions as unknowns: unique"),
        vanishes("a smooth symmetric kernel to order $delta^2$ minus the printed formula", (kernel - printed).expand()),
    )  # fmt: skip
    return Verification("10.110 is the only symmetric formula of the right degree through Theta_++, Theta_--, Theta_+-",
                        checks)  # fmt: skip


def row() -> Verification:
    """PDLT.10.111."""
    jet, rests = KernelJet("Theta"), []
    for sign in (1, -1):
        ends = [jet.at(sign, e).series(DELTA, 0, 3).removeO() for e in (1, -1)]
        rests.append(
            (between(jet, S, sign) - S * ends[0] - (1 - S) * ends[1] + 2 * S * (1 - S) * jet.curvature).expand()
        )
    return Verification(
        "Theta_(2s-1)+- = s Theta_+-+ + (1 - s) Theta_+-- - 2 s (1 - s) ddTheta_[0] + O(delta^3)",
        (vanishes("difference of the two sides to order $delta^2$, both signs", rests),),
    )


def _printed(jet: KernelJet, general: bool) -> Expr:
    """PDLT 10.113 (`general`) or 10.114 in the letters of POLATED."""
    z_s, z_plus, z_minus, y_plus, y_minus = POLATED
    line = z_s - S * z_plus - (1 - S) * z_minus + S * y_plus + (1 - S) * y_minus
    total, difference = z_plus + z_minus + y_plus + y_minus, z_plus - z_minus + y_plus - y_minus
    if not general:
        return line - 4 * S * (1 - S) * jet.curvature / jet.centre * total
    ratio = 2 * jet.curvature / (jet.centre * jet.spread - jet.tilt**2)
    return line - S * (1 - S) * ratio * (2 * jet.spread * total - jet.tilt * difference)


def _with_jets(value: Expr, no_start: bool = False) -> Expr:
    """Smooth z and y in the places of their values at the three points."""
    jets = [function_jet("z", 2 * S - 1), *(function_jet("z", e) for e in (1, -1))]
    jets = [Integer(0)] * 3 if no_start else jets
    return value.subs(dict(zip(POLATED, [*jets, function_jet("y", 1), function_jet("y", -1)], strict=True)))


def _remainder(jet: KernelJet, formula: Expr, no_start: bool = False) -> Check:
    """exact - formula to order delta^2, which a formula with remainder O(delta^3) leaves 0."""
    exact = trained_output(jet)
    if no_start:
        exact = exact.subs({Symbol(f"z_{k}", real=True): 0 for k in range(4)})
    rest = (exact - truncated(formula)).together().cancel()
    kind = "equal norms" if jet.equal_norms else "unequal norms"
    return identity(f"exact $z(T)$ minus the formula, over $delta^2$, {kind}", (rest / DELTA**2).factor())


def _exact_formula() -> Check:
    """At equal norms the kernel matrix has the eigenvectors (1, 1) and (1, -1): no expansion is needed."""
    a, b, plus, minus, up, down = symbols("a b k_+ k_- u v", positive=True)
    inverse = Matrix([[a, b], [b, a]]).inv()
    exact = (Matrix([[plus, minus]]) * inverse * Matrix([up, down]))[0]
    general = (plus + minus) * (up + down) / (2 * (a + b)) + (plus - minus) * (up - down) / (2 * (a - b))
    return vanishes("kernel regression on two points of equal norm minus the general formula", exact - general)


def _decided(title: str, formula: str, equal_norms: bool, no_start: bool = False) -> Verification:
    """A printed formula in symbols and numbers, with the right one."""
    jet = KernelJet("Theta", equal_norms)
    printed = _with_jets(_printed(jet, not equal_norms), no_start)
    right = polation(jet)
    if no_start:
        right = right.subs({Symbol(f"z_{k}", real=True): 0 for k in range(4)})
    return Verification(
        title,
        (_remainder(jet, printed, no_start), order("printed", equal_norms, no_start)),
        Verification(
            formula,
            (_remainder(jet, right, no_start), order("right", equal_norms, no_start),
             *((_exact_formula(), *targets_apart()) if equal_norms else ())),
        ),
    )


def general_output() -> Verification:
    """PDLT.10.113: factor 4, signs, and a third-order component of Theta that counts as much."""
    return _decided(
        "z_(2s-1)(T) = [z_(2s-1) - s z_+ - (1-s) z_-] + [s y_+ + (1-s) y_-] - s(1-s) 2 ddTheta_[0]/(Theta_00 "
        "ddTheta_[2] - dTheta_[1]^2) [2 ddTheta_[2] (z_+ + z_- + y_+ + y_-) - dTheta_[1] (z_+ - z_- + y_+ - y_-)]",
        "the last term is + 2 s(1-s)/(4 Theta_00 ddTheta_[2] - dTheta_[1]^2) {ddTheta_[0] (2 ddTheta_[2] S - "
        "dTheta_[1] D) + dddTheta_[21] (2 Theta_00 D - dTheta_[1] S)}, S and D the sum and difference of z - y at "
        "x_+-, dddTheta_[21] the coefficient of e_1 e_2 (e_1 + e_2)/2 in Theta",
        equal_norms=False,
    )


def equal_norm_output() -> Verification:
    """PDLT.10.114: -4 (z + y) should be z - y."""
    return _decided(
        "equal norms: the last term is -4 s(1-s) (ddTheta_[0]/Theta_00) (z_+ + z_- + y_+ + y_-)",
        "equal norms, y_+ - y_- and z_+ - z_- of the order delta: the last term is + s(1-s) (ddTheta_[0]/Theta_00) "
        "(z_+ + z_- - y_+ - y_-)",
        equal_norms=True,
    )


def mean_output() -> Verification:
    """PDLT.10.115: 4 should be 1."""
    return _decided(
        "m = s y_+ + (1-s) y_- - 4 s(1-s) (ddTheta_[0]/Theta_00) (y_+ + y_-)",
        "y_+ - y_- of the order delta: m = s y_+ + (1-s) y_- - s(1-s) (ddTheta_[0]/Theta_00) (y_+ + y_-)",
        equal_norms=True,
        no_start=True,
    )


def bias() -> Verification:
    """PDLT.10.116: an s is missing in the bracket, and the factor 4 of 10.115 is wrong."""
    jet = KernelJet("Theta", equal_norms=True)
    target, plus, minus = (function_jet("y", e) for e in (2 * S - 1, 1, -1))
    curve = S * (1 - S) * jet.curvature / jet.centre * (plus + minus)
    printed = plus + (1 - S) * minus - target - 4 * curve + target  # plus the target: compared with m
    right = S * plus + (1 - S) * minus - curve
    return Verification(
        "m - y_(2s-1) = [y_+ + (1-s) y_- - y_(2s-1)] - 4 s(1-s) (ddTheta_[0]/Theta_00) (y_+ + y_-)",
        (_remainder(jet, printed, no_start=True),),
        Verification(
            "y_+ - y_- of the order delta: m - y_(2s-1) = [s y_+ + (1-s) y_- - y_(2s-1)] - s(1-s) "
            "(ddTheta_[0]/Theta_00) (y_+ + y_-)",
            (_remainder(jet, right, no_start=True),),
        ),
    )


def variance() -> Verification:
    """PDLT.10.117: O(delta^3) holds, and the order is 4."""
    checks = []
    for equal_norms in (True, False):
        spread = output_spread(KernelJet("Theta", equal_norms))
        kind = "equal norms" if equal_norms else "unequal norms"
        low = [spread.coeff(DELTA, k) for k in (0, 1)]
        name = f"orders 1 and $delta$ of what differs between networks, {kind}"
        checks.append(vanishes(name, low, "so the variance is O(delta^4)"))
        found = [numbers(step, equal_norms) for step in STEPS]
        for quantity, least in (("variance", 3.0), ("curvature", 1.9)):
            slope = log2(abs(found[0][quantity] / found[1][quantity]))
            name = f"order of the {quantity} in $delta$, {NAME}, {kind}"
            checks.append(inequality(name, slope, f">= {least}", digits=4))
    return Verification("ddTheta_[0]/Theta_00 = O(delta^2), Var z_(2s-1)(T) = O(delta^3)", tuple(checks))

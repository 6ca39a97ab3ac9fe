"""PDLT section 10.3.2 in numbers: what a trained network of smooth kernels draws through two nearby training points.

The printed formulas (`stated.pdlt.nearby`) decide in symbols; here are their remainders for an explicit smooth kernel,
the order in delta from two values of it.

The NTK and the NNGP kernel of a tanh network of four layers at x_+-, x_(2s-1) and x_0, s = 3/10; y and z are smooth
functions of the place.  ddTheta_[..] come from Theta_+-, Theta_00, and dddTheta_[21] from Theta between x_0 and x_+-:

    Theta_0a - (Theta_+a + Theta_-a)/2 = -(ddTheta_[0] + a dddTheta_[21])/2 + O(delta^4),   a = +-1.
"""

from functools import lru_cache
from math import log2

import numpy as np
from sympy import Matrix, symbols

from asympt.architectures import FeedForward
from asympt.claims.forms import at_most, inequality, same, vanishes
from asympt.claims.stated.pdlt import nearby as of
from asympt.depth import gram
from asympt.evidence.check import Check, Verification
from asympt.training.two_point import pair_formula

NAME, LAYERS, PLACE = "tanh, sigma_w = 3/2, sigma_b = 1/5, L = 4, s = 3/10", 4, 0.3
STEPS = (0.1, 0.05)
CENTRE = np.array([1.0, 0.5, 0.0])
ACROSS, SLANTED = np.array([0.0, 0.0, 1.0]), np.array([0.6, 0.0, 0.8])
LEAST = 2.7


@lru_cache(maxsize=16)
def numbers(step: float, equal_norms: bool) -> dict[str, float]:
    """Remainders of the formulas, variance and curvature for a tanh network, y and z smooth functions of the place."""
    way = (ACROSS if equal_norms else SLANTED) * step
    places = np.array([1.0, -1.0, 2 * PLACE - 1, 0.0])
    points = CENTRE + places[:, None] * way / 2
    nngp, ntk = gram(FeedForward("tanh", sigma_w="3/2", sigma_b="1/5"), points, depth=LAYERS)
    weights = np.linalg.solve(ntk[:2, :2], ntk[2, :2])
    full = np.array([-weights[0], -weights[1], 1.0])
    zero = (ntk[0, 0] + ntk[1, 1] + 2 * ntk[0, 1]) / 4
    jet = {"00": ntk[3, 3], "0": zero - ntk[3, 3], "1": (ntk[0, 0] - ntk[1, 1]) / 2, "2": zero - ntk[0, 1]}
    jet["21"] = -(ntk[3, 0] - (ntk[0, 0] + ntk[1, 0]) / 2) + (ntk[3, 1] - (ntk[0, 1] + ntk[1, 1]) / 2)
    start, target = np.cos(1 + 0.7 * places * step), np.sin(1 + 0.6 * places * step)
    found = {"variance": float(full @ nngp[:3, :3] @ full), "curvature": jet["0"] / jet["00"]}
    formula = (of.equal_norm_output if equal_norms else of.general_output)()[0]
    for name, z in (("", start), (" mean", 0 * start)):
        exact = z[2] - weights @ (z[:2] - target[:2])
        values = {of.T_00: jet["00"], of.T_0: jet["0"], of.T_1: jet["1"], of.T_2: jet["2"], of.T_21: jet["21"],
                  of.Z_P: z[0], of.Z_M: z[1], of.Z_S: z[2], of.Y_P: target[0], of.Y_M: target[1], of.S: PLACE}
        found["printed" + name] = float(exact - formula.right.subs(values))
        found["right" + name] = float(exact - formula.true.right.subs(values))
    return found


@lru_cache(maxsize=1)
def apart() -> tuple[float, float]:
    """Equal norms, z = 0, y = (1, -1): exact minus the curvature formula over delta^2, and minus the general one."""
    way = ACROSS * STEPS[1]
    points = CENTRE + np.array([1.0, -1.0, 2 * PLACE - 1, 0.0])[:, None] * way / 2
    _, ntk = gram(FeedForward("tanh", sigma_w="3/2", sigma_b="1/5"), points, depth=LAYERS)
    plus, minus = 1.0, -1.0
    exact = float(np.linalg.solve(ntk[:2, :2], ntk[2, :2]) @ np.array([plus, minus]))
    curvature = ((ntk[0, 0] + ntk[1, 1] + 2 * ntk[0, 1]) / 4 - ntk[3, 3]) / ntk[3, 3]
    share = PLACE * (1 - PLACE)
    near = PLACE * plus + (1 - PLACE) * minus - share * curvature * (plus + minus)
    even, odd = ntk[2, 0] + ntk[2, 1], ntk[2, 0] - ntk[2, 1]
    general = even / (2 * (ntk[0, 0] + ntk[0, 1])) * (plus + minus)
    general += odd / (2 * (ntk[0, 0] - ntk[0, 1])) * (plus - minus)
    return (exact - near) / STEPS[1] ** 2, exact - float(general)


def targets_apart() -> tuple[Check, ...]:
    """Why the curvature formula asks for y_+ - y_- = O(delta), and the general one, which does not."""
    near, general = apart()
    return (
        inequality(f"$z = 0$, $y = (1, -1)$: remainder of the curvature formula over $delta^2$, {NAME}", near, "< -0.1",
                   "so y_+ - y_- = O(delta) is needed"),
        at_most("the same data: |exact minus the general formula|", abs(general), 1e-9),
    )  # fmt: skip


def order(formula: str, equal_norms: bool, no_start: bool) -> Check:
    """The order in delta of exact - formula, from two values of delta; O(delta^3) means about 3 or more."""
    key = formula + (" mean" if no_start else "")
    values = [numbers(step, equal_norms)[key] for step in STEPS]
    slope = log2(abs(values[0] / values[1]))
    kind = "equal norms" if equal_norms else "unequal norms"
    shown = f"remainders {values[0]:.3g} and {values[1]:.3g} at delta = {STEPS[0]} and {STEPS[1]}"
    return inequality(f"order of the remainder in $delta$, {NAME}, {kind}", slope, f">= {LEAST}", shown, digits=4)


# ---- decisions -----------------------------------------------------------------------------------------


def pair() -> Verification:
    """PDLT.10.110: why it is the only formula."""
    _, unknowns, rank = pair_formula()
    check = same("rank of the conditions on the coefficients", rank, unknowns,
                 "as many independent conditions as unknowns: unique")  # fmt: skip
    title = "10.110 is the only symmetric formula of the right degree through Theta_++, Theta_--, Theta_+-"
    return Verification(title, (check,))


def _exact_formula() -> Check:
    """At equal norms the kernel matrix has the eigenvectors (1, 1) and (1, -1): no expansion is needed."""
    a, b, plus, minus, up, down = symbols("a b k_+ k_- u v", positive=True)
    inverse = Matrix([[a, b], [b, a]]).inv()
    exact = (Matrix([[plus, minus]]) * inverse * Matrix([up, down]))[0]
    general = (plus + minus) * (up + down) / (2 * (a + b)) + (plus - minus) * (up - down) / (2 * (a - b))
    return vanishes("kernel regression on two points of equal norm minus the general formula", exact - general)


def _decided(title: str, formula: str, equal_norms: bool, no_start: bool = False) -> Verification:
    """A printed formula in numbers, with the right one."""
    right = (order("right", equal_norms, no_start), *((_exact_formula(), *targets_apart()) if equal_norms else ()))
    return Verification(title, (order("printed", equal_norms, no_start),), Verification(formula, right))


def polation() -> Verification:
    """PDLT.10.113: factor 4, signs, and a third-order component of Theta that counts as much."""
    return _decided(
        "z_(2s-1)(T) = [z_(2s-1) - s z_+ - (1-s) z_-] + [s y_+ + (1-s) y_-] - s(1-s) 2 ddTheta_[0]/(Theta_00 "
        "ddTheta_[2] - dTheta_[1]^2) [2 ddTheta_[2] (z_+ + z_- + y_+ + y_-) - dTheta_[1] (z_+ - z_- + y_+ - y_-)]",
        "the last term is + 2 s(1-s)/(4 Theta_00 ddTheta_[2] - dTheta_[1]^2) {ddTheta_[0] (2 ddTheta_[2] S - "
        "dTheta_[1] D) + dddTheta_[21] (2 Theta_00 D - dTheta_[1] S)}, S and D the sum and difference of z - y at "
        "x_+-, dddTheta_[21] the coefficient of e_1 e_2 (e_1 + e_2)/2 in Theta",
        equal_norms=False,
    )


def polation_equal_norms() -> Verification:
    """PDLT.10.114: -4 (z + y) should be z - y."""
    return _decided(
        "equal norms: the last term is -4 s(1-s) (ddTheta_[0]/Theta_00) (z_+ + z_- + y_+ + y_-)",
        "equal norms, y_+ - y_- and z_+ - z_- of the order delta: the last term is + s(1-s) (ddTheta_[0]/Theta_00) "
        "(z_+ + z_- - y_+ - y_-)",
        equal_norms=True,
    )


def mean_polation() -> Verification:
    """PDLT.10.115: 4 should be 1."""
    return _decided(
        "m = s y_+ + (1-s) y_- - 4 s(1-s) (ddTheta_[0]/Theta_00) (y_+ + y_-)",
        "y_+ - y_- of the order delta: m = s y_+ + (1-s) y_- - s(1-s) (ddTheta_[0]/Theta_00) (y_+ + y_-)",
        equal_norms=True,
        no_start=True,
    )


def variance() -> Verification:
    """PDLT.10.117: O(delta^3) holds, and the order is 4."""
    checks = []
    for equal_norms in (True, False):
        kind = "equal norms" if equal_norms else "unequal norms"
        found = [numbers(step, equal_norms) for step in STEPS]
        for quantity, least in (("variance", 3.0), ("curvature", 1.9)):
            slope = log2(abs(found[0][quantity] / found[1][quantity]))
            name = f"order of the {quantity} in $delta$, {NAME}, {kind}"
            checks.append(inequality(name, slope, f">= {least}", digits=4))
    return Verification("ddTheta_[0]/Theta_00 = O(delta^2), Var z_(2s-1)(T) = O(delta^3)", tuple(checks))

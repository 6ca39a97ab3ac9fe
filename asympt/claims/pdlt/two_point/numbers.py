"""Remainders of PDLT's two-point formulas for an explicit smooth kernel: the order in delta from two values of it.

The NTK and the NNGP kernel of a tanh network of four layers at x_+-, x_(2s-1) and x_0, s = 3/10; y and z are smooth
functions of the place.  ddTheta_[..] come from Theta_+-, Theta_00, and dddTheta_[21] from Theta between x_0 and x_+-:

    Theta_0a - (Theta_+a + Theta_-a)/2 = -(ddTheta_[0] + a dddTheta_[21])/2 + O(delta^4),   a = +-1.
"""

from functools import lru_cache
from math import log2

import numpy as np

from asympt.architectures import FeedForward
from asympt.claims.forms import at_most, inequality
from asympt.depth import gram
from asympt.evidence.check import Check

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
    for name, z in (("", start), (" mean", 0 * start)):
        exact = z[2] - weights @ (z[:2] - target[:2])
        line = z[2] + PLACE * (target[0] - z[0]) + (1 - PLACE) * (target[1] - z[1])
        found["printed" + name] = float(exact - line - _printed_term(jet, z, target, equal_norms))
        found["right" + name] = float(exact - line - _right_term(jet, z - target))
    return found


def _printed_term(jet: dict, z: np.ndarray, y: np.ndarray, equal_norms: bool) -> float:
    """The last term of 10.113 or 10.114 as printed."""
    both = z + y
    total, difference, share = both[0] + both[1], both[0] - both[1], PLACE * (1 - PLACE)
    if equal_norms:
        return -4 * share * jet["0"] / jet["00"] * total
    below = jet["00"] * jet["2"] - jet["1"] ** 2
    return -share * 2 * jet["0"] / below * (2 * jet["2"] * total - jet["1"] * difference)


def _right_term(jet: dict, rest: np.ndarray) -> float:
    total, difference = rest[0] + rest[1], rest[0] - rest[1]
    above = jet["0"] * (2 * jet["2"] * total - jet["1"] * difference)
    above += jet["21"] * (2 * jet["00"] * difference - jet["1"] * total)
    return 2 * PLACE * (1 - PLACE) * above / (4 * jet["00"] * jet["2"] - jet["1"] ** 2)


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

"""One layer for a vector of pairs, without bias: the gap and the NTK, free of cancellation.

Problem.  Near c = 1 a loop in c loses all digits of 1 - c, and arccos, sin and sqrt cost more than the rest.

Rule.  The state is w = (1 - c)/2 in [0, 1] and the NTK k normalised by the variance, in layer l.  With
w_r = min(w, 1 - w), over = w - w_r, s = sqrt(w_r), theta_r = 2 asin(s), kappa the kink weight,

    bend  = (kappa/pi) F(theta_r) = w_r s R(w_r),     slope = (2 kappa/pi) theta_r = s T(w_r),
    w'    = w   - kappa over       - bend             (kappa <= 1/2, where w' >= w/2)
          = w_r + (1 - kappa) over - bend             (kappa > 1/2, where bend <= (2/pi) w_r)
    1-f'  = slope for w <= 1/2,   2 kappa - slope beyond,
    k'    = f' k + 1 - 2 w'.

R and T are the polynomials of `polynomials`, of a degree that fits the largest w of the block.

Example.  ReLU, c = 0: w = 1/2, theta = pi/2, F = 1, bend = 1/(2 pi): 1 - 2w' = 1/pi = f(0); slope = 1/2 = f'(0).

Rounding.  The errors of single layers are damped by the recursion and add up like a random walk, about sqrt(L) 2^-53
relative, as long as the step changes by many last digits of w from layer to layer; `lowered` carries along what a
slower step loses.

Limits.  For slopes of opposite sign (kappa > 1/2) and w within rounding of 1, w itself is known to 2^-53 only,
unless 1 - w is given.
"""

from typing import NamedTuple

import numpy as np

from asympt.depth.constants import LayerConstants
from asympt.depth.loops.polynomials import FIRST, angle, bend, level

LEVELS = 16, 4, FIRST
SLOW = 3e-8  # relative step per layer below which rounding errors no longer look random
LONG = 2**15  # layers from which the same is true of the deficit, whose increments hardly change any more


def polynomials(constants: LayerConstants, at: int) -> tuple[tuple, tuple]:
    """(R, T) on [0, 2^-at], highest power first, as 0-d arrays (NumPy reads those faster than floats)."""
    weight = constants.kink_weight / np.pi
    return (
        tuple(np.array(weight * c) for c in bend(at)),
        tuple(np.array(2 * weight * c) for c in angle(at)),
    )


def horner(coefficients: tuple, w: np.ndarray, out: np.ndarray) -> None:
    """out = the polynomial at w."""
    highest, following, *rest = coefficients
    np.multiply(w, highest, out)
    np.add(out, following, out)
    for c in rest:
        np.multiply(out, w, out)
        np.add(out, c, out)


class LayerChange(NamedTuple):
    """(1 - f)/2 = base - drop and f' k = kernel - turn, unrounded so that the caller can compensate."""

    base: np.ndarray
    drop: np.ndarray
    kernel: np.ndarray
    turn: np.ndarray


def any_step(w: np.ndarray, k: np.ndarray, constants: LayerConstants, rest: np.ndarray | None = None) -> LayerChange:
    """One application of f and f' for any w in [0, 1]; base is w and kernel k, except where that would cancel.

    `rest` is 1 - w where more of it is known.
    """
    largest = w.max()
    if largest <= 0.5:
        bending, slope = _curves(w, polynomials(constants, level(largest)))
        return LayerChange(w, bending, k, slope * k)
    far = w > 0.5
    kinked = np.where(far, 1 - w if rest is None else rest, w)
    over = w - kinked
    bending, slope = _curves(kinked, polynomials(constants, FIRST))
    turn, flipped = np.where(far, -slope, slope) * k, far * (2 * constants.kink_weight * k)
    kernel, turn = (k, turn + flipped) if constants.kink_weight < 0.25 else (k - flipped, turn)
    if constants.kink_weight <= 0.5:
        return LayerChange(w, bending + constants.kink_weight * over, kernel, turn)
    return LayerChange(kinked + constants.linear_weight * over, bending, kernel, turn)


def bend_and_slope(w: np.ndarray, constants: LayerConstants) -> tuple[np.ndarray, np.ndarray]:
    """(bend, slope) for any w <= 1/2, by polynomials of a few levels, which are found once."""
    reached = level(w.max())
    return _curves(w, polynomials(constants, next(at for at in LEVELS if at <= reached)))


def _curves(w: np.ndarray, coefficients: tuple[tuple, tuple]) -> tuple[np.ndarray, np.ndarray]:
    """(bend, slope) for w <= 1/2."""
    bending, slope, root = np.empty_like(w), np.empty_like(w), np.sqrt(w)
    horner(coefficients[0], w, bending)
    horner(coefficients[1], w, slope)
    bending *= root
    bending *= w
    slope *= root
    return bending, slope


def lowered(base: np.ndarray, drop: np.ndarray, carry: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """base - drop - carry rounded, and the carry that rounding leaves (Kahan's compensated sum)."""
    wanted = drop + carry
    result = base - wanted
    return result, wanted - (base - result)


def lower_into(base, drop, carry, spare) -> tuple[np.ndarray, np.ndarray]:
    """`lowered` without new memory: (the result, a spare array); `drop`, `carry` and `base` are overwritten."""
    np.add(drop, carry, drop)
    np.subtract(base, drop, spare)
    np.subtract(base, spare, base)
    np.subtract(drop, base, carry)
    return spare, base

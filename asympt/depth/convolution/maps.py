"""What the branch of a layer does at one position, in float64: gaps and NTK before they are averaged over the filter.

Rule.  For pairs of equal, settled variance a `Change` holds the image of the gap as base - drop and f' k as
kernel - turn, unrounded so that the caller can compensate:

    ReLU-like phi        `step.any_step` in w = gap/2, times chi where a bias is mixed in
    any other phi        the tables of `tables`: gap (chi - w), k (chi - d)

For pairs of positions with variances of their own, the images are normalised by R = sqrt(V V'), the variances after the
branch:

    ReLU-like phi        1 - c = [b (sqrt x - sqrt y)^2/(R + b + m) + m (1 - f)]/R,
                         x = chi q, y = chi q', m = sqrt(x y)
    any other phi        `norms.move_pairs`

Tiny case.  ReLU, gap 1: 1 - 1/pi, and f' = 1/2.

Known limits.  Those of the dense engines read here.
"""

from typing import NamedTuple

import numpy as np

from asympt.depth.constants import LayerConstants
from asympt.depth.loops.blocks import mixed_gap
from asympt.depth.loops.general import MILD, far_layer, near_factors
from asympt.depth.loops.step import any_step
from asympt.depth.moving import Moving, Pairs
from asympt.depth.norms import move_pairs
from asympt.depth.tables import TURN, Tables


class Change(NamedTuple):
    """1 - f = base - drop and f' k = kernel - turn."""

    base: np.ndarray
    drop: np.ndarray
    kernel: np.ndarray
    turn: np.ndarray


def relu_like_change(gap: np.ndarray, kernel: np.ndarray, numbers: LayerConstants, chi: float) -> Change:
    """One application of f and f' for a ReLU-like phi, both times `chi`."""
    step = any_step(gap / 2, kernel, numbers)
    if chi == 1:
        return Change(2 * step.base, 2 * step.drop, step.kernel, step.turn)
    return Change(2 * chi * step.base, 2 * chi * step.drop, chi * step.kernel, chi * step.turn)


def table_change(gap: np.ndarray, kernel: np.ndarray, tables: Tables) -> Change:
    """One application of the gap map and of f' by tables."""
    near = np.minimum(gap, TURN)
    shrink, slope = near_factors(tables, near)
    if abs(tables.excess) <= MILD:
        change = Change(gap.copy(), near * shrink.rest, kernel.copy(), slope.rest * kernel)
    else:
        change = Change(near * shrink.value, np.zeros_like(gap), kernel * slope.value, np.zeros_like(gap))
    far = gap > TURN
    if far.any():
        image, learned = far_layer(tables, gap[far], kernel[far])
        change.base[far], change.drop[far] = image, 0.0
        change.kernel[far], change.turn[far] = learned - (1 - image), 0.0
    return change


def relu_like_pairs(gap, kernel, one, two, numbers: LayerConstants) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(image of the gap, f' k + image of c, R) for pairs of variances `one` and `two`.

    Without bias everything is in units in which a layer keeps the variance (chi = 1).
    """
    step = any_step(gap / 2, kernel, numbers)
    image, turned, bias = 2 * (step.base - step.drop), step.kernel - step.turn, numbers.bias
    if bias == 0:
        return image, turned + (1 - image), np.sqrt(one) * np.sqrt(two)
    mean = numbers.chi * np.sqrt(one) * np.sqrt(two)
    roots = np.sqrt(bias + numbers.chi * one) * np.sqrt(bias + numbers.chi * two)
    image = mixed_gap(image, bias, mean, numbers.chi * (np.sqrt(one) - np.sqrt(two)) ** 2, roots)
    return image, mean / roots * turned + (1 - image), roots


def relu_like_variances(q: np.ndarray, numbers: LayerConstants) -> np.ndarray:
    """V(q) of the branch, in the units of `relu_like_pairs`."""
    return q if numbers.bias == 0 else numbers.bias + numbers.chi * q


def moving_pairs(moving: Moving, gap, kernel, q: np.ndarray, first: np.ndarray, second: np.ndarray) -> tuple:
    """(image of the gap, f' k + image of c, V): q is flat, `first` and `second` say which entries a pair has."""
    shape = gap.shape
    pairs = Pairs(first.ravel(), second.ravel(), gap.ravel().copy(), kernel.ravel().copy())
    after, *_ = move_pairs(moving, pairs, q, lambda done: None)
    return pairs.gap.reshape(shape), pairs.kernel.reshape(shape), after

"""Layers of any activation whose variance has settled, by the tables of `tables`; one after the other.

With w = t^p A and d = t^p D one layer is

    gamma' = gamma - gamma (w - (chi - 1)),         k' = k - [k (d - (chi - 1)) - (1 - gamma')],

as compensated sums while |chi - 1| <= 1/2; beyond, errors are damped or amplified by the map itself, and the products
gamma (chi - w), k (chi - d) are taken as they stand, or from the tables where chi > 5.  Gaps above 3/2: tables in u.
"""

from typing import NamedTuple

import numpy as np

from asympt.depth.loops.step import lowered
from asympt.depth.tables import DEGREE, TURN, RootPanels, Tables

VANISHED = 1e-290
MILD = 0.5


class Change(NamedTuple):
    """1 - f = base - drop and f' k = kernel - turn."""

    base: np.ndarray
    drop: np.ndarray
    kernel: np.ndarray
    turn: np.ndarray


def iterated(tables: Tables, gap: np.ndarray, kernel: np.ndarray, constants: np.ndarray, slopes: np.ndarray) -> tuple:
    """Gaps and k after a layer for every entry of the last two: `constants` + `slopes` f(c) is what it adds to k."""
    carry = owed = np.zeros_like(gap)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        for constant, slope in zip(constants, slopes, strict=True):
            change = table_change(gap, kernel, tables)
            gap, carry = lowered(change.base, change.drop, carry)
            gap[gap < VANISHED] = carry[gap < VANISHED] = 0.0
            kernel, owed = lowered(change.kernel, change.turn - (constant + slope * (1.0 - gap)), owed)
            kept = (gap <= TURN) & (abs(tables.excess) <= MILD)
            carry, owed = np.where(kept, carry, 0.0), np.where(kept, owed, 0.0)
    return gap, kernel


def table_change(gap: np.ndarray, kernel: np.ndarray, tables: Tables) -> Change:
    """One application of the gap map and of f' by tables."""
    near, far = np.minimum(gap, TURN), gap > TURN
    shrink, slope = near_factors(tables, near)
    if abs(tables.excess) <= MILD:
        change = Change(gap.copy(), near * shrink.rest, kernel.copy(), slope.rest * kernel)
    else:
        change = Change(near * shrink.value, np.zeros_like(gap), kernel * slope.value, np.zeros_like(gap))
    if far.any():
        image, steep = far_curves(tables, 2.0 - gap[far])
        change.base[far], change.drop[far] = image, 0.0
        change.kernel[far], change.turn[far] = steep * kernel[far], 0.0
    return change


def horner(table: np.ndarray, index: np.ndarray, place: np.ndarray, out: np.ndarray, spare: np.ndarray) -> None:
    """out = the polynomial of panel `index` at `place`."""
    np.take(table[0], index, out=out, mode="clip")
    for power in range(1, DEGREE + 1):
        np.multiply(out, place, out)
        np.take(table[power], index, out=spare, mode="clip")
        np.add(out, spare, out)


class Factor(NamedTuple):
    """A number to multiply by and 1 minus it, both to full relative accuracy."""

    value: np.ndarray
    rest: np.ndarray


def near_curves(tables: Tables, gap: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(t^p A, t^p D) for gaps up to 3/2: how far (1 - f)/gamma and f' are below chi."""
    if tables.direct:
        return tuple(tables.chi - factor.value for factor in near_factors(tables, gap))
    power = np.sqrt(gap) if tables.power == 1 else gap
    step, slope = looked_up(tables.near, np.sqrt(gap), tables.step, tables.slope)
    return power * step, power * slope


def near_factors(tables: Tables, gap: np.ndarray) -> tuple[Factor, Factor]:
    """(1 - f)/gamma and f' for gaps up to 3/2."""
    if tables.direct:
        found = looked_up(tables.near, np.sqrt(gap), tables.step, tables.slope)
        return tuple(Factor(value, 1.0 - value) for value in found)
    return tuple(Factor(tables.chi - part, part - tables.excess) for part in near_curves(tables, gap))


def far_curves(tables: Tables, rest: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(1 - f, f') for gaps above 3/2, given as 2 - gap."""
    step, slope = looked_up(tables.far, np.sqrt(rest), tables.far_step, tables.far_slope)
    return tables.opposite - rest * step, slope


def looked_up(panels: RootPanels, root: np.ndarray, *curves: np.ndarray) -> list[np.ndarray]:
    """Tables at t or u, which is overwritten."""
    index, place = panels.located(root)
    found, spare = [np.empty_like(root) for _ in curves], np.empty_like(root)
    for table, out in zip(curves, found, strict=True):
        horner(table, index, place, out, spare)
    return found

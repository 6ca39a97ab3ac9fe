"""All layers of one block of pairs of any activation whose variance has settled.

Problem.  The loop over layers is where the time goes: some twenty passes over arrays that stay in the cache.

Rule.  With the tables of `tables`, w = t^p A and d = t^p D, one layer is

    gamma' = gamma - gamma (w - (chi - 1)),         k' = k - [k (d - (chi - 1)) - (1 - gamma')],

both as compensated sums: on the Edge of Chaos w falls like 1/l, far below the rounding of 1, and what rounding
takes from gamma and k in one layer is given back in the next.  Far from it (|chi - 1| > 1/2) errors are damped or
amplified by the map itself and the products gamma (chi - w), k (chi - d) are taken as they stand, or straight from the
tables where chi > 5.  Gaps above 3/2
are moved by the tables in u, on a copy.

Tiny case.  phi = x^2/2, q = sigma_w = 1: gamma' = gamma - gamma^2/2, k' = k - k gamma + 1 - gamma'.

Known limits.  In the ordered phase gaps end at 0 (below 1e-290); in the chaotic phase k of equal inputs grows like
chi^l and ends at infinity.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from asympt.depth.loops.step import lower_into
from asympt.depth.tables import DEGREE, TURN, RootPanels, Tables

VANISHED = 1e-290
LOOKS = 64  # layers between two looks for gaps that have vanished
MILD = 0.5


class Forcing(NamedTuple):
    """What is added to k in every layer, `constant` + `slope` f(c) instead of f(c): arrays, one entry a layer."""

    constant: np.ndarray
    slope: np.ndarray


@dataclass(frozen=True)
class GeneralBlock:
    """Pairs to iterate: 1 - c of the first layer, k of the first layer (None: 1 - gap), layers L >= 1.

    `forcing`: for networks whose weights and biases learn at rates of their own.
    """

    tables: Tables
    depth: int
    gap: np.ndarray
    kernel: np.ndarray | None = None
    forcing: Forcing | None = None

    def run(self, tick: Callable[[int], None]) -> tuple[np.ndarray, np.ndarray]:
        """(1 - c^L, K^L/q_L); `tick(layers)` is called as layers are done."""
        state = State(self.tables, self.gap, 1.0 - self.gap if self.kernel is None else self.kernel, self.forcing)
        done = 0
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            while done < self.depth - 1:
                layers = min(LOOKS, self.depth - 1 - done)
                state.advance(layers)
                done += layers
                tick(layers)
        return state.gap, state.kernel


class State:
    """The arrays of a block and the buffers its loop writes to."""

    def __init__(self, tables: Tables, gap: np.ndarray, kernel: np.ndarray, forcing: Forcing | None = None):
        self._forcing, self._done = forcing, 0
        self.tables, self.gap, self.kernel = tables, np.array(gap, dtype=float), np.array(kernel, dtype=float)
        self.carry, self.owed = np.zeros_like(self.gap), np.zeros_like(self.gap)
        self._root, self._place, self._step, self._slope, self._spare = (np.empty_like(self.gap) for _ in range(5))
        self._index = np.empty(self.gap.shape, dtype=np.int64)
        self._mild = abs(tables.excess) <= MILD

    def advance(self, layers: int) -> None:
        """`layers` layers, then gaps too small for float64 are set to 0."""
        for _ in range(layers):
            if self.gap.size and self.gap.max() > TURN:
                self._with_far_pairs()
            else:
                self._layer(self.gap)
            self._done += 1
        vanished = self.gap < VANISHED
        if vanished.any():
            self.gap[vanished] = self.carry[vanished] = 0.0

    def _with_far_pairs(self) -> None:
        far = np.flatnonzero(self.gap > TURN)
        gap, slope = far_curves(self.tables, 2.0 - self.gap[far])
        image = 1.0 - gap
        self._force(image)
        kernel = slope * self.kernel[far] + image
        self.gap[far], self.kernel[far] = TURN, 0.0
        self._layer(self.gap)
        self.gap[far], self.kernel[far] = gap, kernel
        self.carry[far] = self.owed[far] = 0.0

    def _layer(self, gap: np.ndarray) -> None:
        step, slope = self._curves(gap)
        if self._mild:
            self._compensated(step, slope)
        else:
            if not self.tables.direct:
                np.subtract(self.tables.chi, step, step)
                np.subtract(self.tables.chi, slope, slope)
            np.multiply(gap, step, gap)
            np.multiply(self.kernel, slope, self.kernel)
            np.subtract(1.0, gap, slope)
            self._force(slope)
            np.add(self.kernel, slope, self.kernel)

    def _force(self, image: np.ndarray) -> None:
        """What the layer adds to k, from f(c), in place."""
        if self._forcing is not None:
            image *= self._forcing.slope[self._done]
            image += self._forcing.constant[self._done]

    def _curves(self, gap: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(t^p A, t^p D), or (R, f'), in buffers."""
        root, place, index = self._root, self._place, self._index
        np.sqrt(gap, root)
        np.copyto(place, root)
        self.tables.near.located(place, index)
        horner(self.tables.step, index, place, self._step, self._spare)
        horner(self.tables.slope, index, place, self._slope, self._spare)
        if not self.tables.direct:
            power = root if self.tables.power == 1 else gap
            np.multiply(self._step, power, self._step)
            np.multiply(self._slope, power, self._slope)
        return self._step, self._slope

    def _compensated(self, step: np.ndarray, slope: np.ndarray) -> None:
        if self.tables.excess:
            np.subtract(step, self.tables.excess, step)
            np.subtract(slope, self.tables.excess, slope)
        np.multiply(step, self.gap, step)
        self.gap, self._spare = lower_into(self.gap, step, self.carry, self._spare)
        np.multiply(slope, self.kernel, slope)
        np.subtract(1.0, self.gap, step)
        self._force(step)
        np.subtract(slope, step, slope)
        self.kernel, self._spare = lower_into(self.kernel, slope, self.owed, self._spare)


def horner(table: np.ndarray, index: np.ndarray, place: np.ndarray, out: np.ndarray, spare: np.ndarray) -> None:
    """out = the polynomial of panel `index` at `place`."""
    np.take(table[0], index, out=out, mode="clip")
    for power in range(1, DEGREE + 1):
        np.multiply(out, place, out)
        np.take(table[power], index, out=spare, mode="clip")
        np.add(out, spare, out)


def far_layer(tables: Tables, gap: np.ndarray, kernel: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """One layer for gaps above 3/2."""
    image, slope = far_curves(tables, 2.0 - gap)
    return image, slope * kernel + (1.0 - image)


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

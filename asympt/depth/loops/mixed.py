"""All layers of one block of pairs of a ReLU-like network without a scale: skip connections and rates of any kind.

With kink weight kappa, share delta_l and source of `stack`, the state w = (1 - c)/2, k = K/q moves as

    w' = w - delta_l (w - w_f),     k' = (1 - delta_l (1 - f')) k + source_l (1 - 2 w_f),     w_f = (1 - f)/2,

the map of a phi with kink weight delta_l kappa, taken by `step.any_step` while some w exceeds 1/2.  After that, with
b = bend, T s = slope of `step` for kappa itself, and the deficit E = (K_l - k)/2 from the diagonal K_l = K_(l-1) +
source_l, all terms are positive:

    w_f = w - b,     w' = w - delta_l b,     E' = E + delta_l s T (K_(l-1)/2 - E) + source_l w_f.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from asympt.depth.constants import LayerConstants
from asympt.depth.loops.step import LONG, SLOW, LayerChange, any_step, horner, level, lower_into, lowered, polynomials
from asympt.depth.stack import DenseStack

STRETCH = 2048  # layers between two looks at the largest gap, at most
FAINT = 2.0**-10  # shares below which the increments of E hardly change from the beginning


class KinkWeight(NamedTuple):
    """The weights of |x| and x in a ReLU-like map, as `step` wants them."""

    kink_weight: float
    linear_weight: float


@dataclass(frozen=True)
class MixedBlock:
    """Pairs to iterate: coefficients, the constants of phi, 1 - c of layer 1 and, where more of it is known, 1 + c."""

    stack: DenseStack
    constants: LayerConstants
    gap: np.ndarray
    rest: np.ndarray | None = None

    @property
    def depth(self) -> int:
        """L."""
        return self.stack.depth

    def run(self, tick: Callable[[int], None]) -> tuple[np.ndarray, np.ndarray]:
        """(1 - c^L, K^L/q_L); `tick(layers)` is called as layers are done."""
        stack, w = self.stack, 0.5 * self.gap
        k, carry, owed = stack.first_kernel(self.gap, None), np.zeros_like(w), np.zeros_like(w)
        done, rest = 0, None if self.rest is None else 0.5 * self.rest
        while done < self.depth - 1 and w.max() > 0.5:
            step, image = mixed_step(w, k, self.constants, stack.branch_share[done], rest)
            w, carry = lowered(step.base, step.drop, carry)
            k, owed = lowered(step.kernel, step.turn - stack.source[done] * (1.0 - 2.0 * image), owed)
            done, rest = done + 1, None
            tick(1)
        if done == self.depth - 1:
            return 2.0 * w, k
        diagonal = diagonals(stack)
        descent = MixedDescent(w, carry, 0.5 * (diagonal[done] - k))
        descend(descent, self, diagonal, done, tick)
        return 2.0 * descent.w, diagonal[-1] - 2.0 * descent.deficit


def diagonals(stack: DenseStack) -> np.ndarray:
    """K^l(x, x)/q_l in layers 1, ..., L."""
    start, source = np.longdouble(stack.first_rates[0]), stack.source.astype(np.longdouble)
    sums = source * np.arange(1, stack.depth) if stack.is_uniform else np.cumsum(source)
    return np.concatenate([[start], start + sums]).astype(float)


def mixed_step(w, k, constants: LayerConstants, share: float, rest=None) -> tuple[LayerChange, np.ndarray]:
    """(one layer as `any_step` has it, w_f) for any w in [0, 1]."""
    weights = KinkWeight(share * constants.kink_weight, (1.0 - share) + share * constants.linear_weight)
    step = any_step(w, k, weights, rest)
    return step, w - ((w - step.base) + step.drop) / share


def descend(descent: "MixedDescent", block: MixedBlock, diagonal: np.ndarray, done: int, tick) -> None:
    """The layers that remain, in stretches: the gaps only fall, so the polynomials of a stretch serve all of it."""
    stack, at, curves = block.stack, None, None
    while done < block.depth - 1:
        here = level(descent.w.max())
        if here != at:
            at, curves = here, polynomials(block.constants, here)
        part = slice(done, min(done + 1 + (done + 1) // 8, done + STRETCH, block.depth - 1))
        descent.advance(done + 1, stack.branch_share[part], stack.source[part], 0.5 * diagonal[part], *curves)
        tick(part.stop - done)
        done = part.stop


class MixedDescent:
    """Layers with w <= 1/2: `w` and `deficit` E; all arrays are its own."""

    def __init__(self, w: np.ndarray, carry: np.ndarray, deficit: np.ndarray):
        self.w, self.deficit = w, deficit
        self._carry, self._owed = carry, np.zeros_like(w)
        self._root, self._bent, self._turned, self._spare = (np.empty_like(w) for _ in range(4))

    def is_slow(self, bending: tuple, share: float) -> bool:
        """True when some gap moves so little per layer that its rounding errors all fall on the same side."""
        smallest = np.min(self.w, where=self.w > 0, initial=1.0)
        return share * np.sqrt(smallest) * bending[-1] < SLOW

    def advance(self, layer: int, shares, sources, halves, bending: tuple, slope: tuple) -> None:
        """One step from layer `layer` for every entry of `shares`; the loop in which all the time is spent."""
        w, deficit, carry, owed = self.w, self.deficit, self._carry, self._owed
        root, bent, turned, spare = self._root, self._bent, self._turned, self._spare
        multiply, subtract, sqrt = np.multiply, np.subtract, np.sqrt
        slow, long = self.is_slow(bending, shares.min()), layer >= LONG or shares.min() < FAINT
        if not slow:
            carry.fill(0.0)  # what an earlier, larger w carried would be an error in a smaller one
        numbers = (map(np.array, part.tolist()) for part in (shares, sources, halves))
        for share, source, half in zip(*numbers, strict=True):
            sqrt(w, root)
            horner(bending, w, bent)
            horner(slope, w, turned)
            multiply(bent, root, bent)
            multiply(bent, w, bent)
            multiply(turned, root, turned)
            multiply(turned, share, turned)
            subtract(deficit, half, root)  # -(k/2)
            multiply(turned, root, turned)
            subtract(w, bent, root)
            multiply(root, source, root)
            subtract(turned, root, turned)
            multiply(bent, share, bent)
            if slow:
                w, spare = lower_into(w, bent, carry, spare)
            else:
                subtract(w, bent, w)
            if long:
                deficit, spare = lower_into(deficit, turned, owed, spare)
            else:
                subtract(deficit, turned, deficit)
        self.w, self.deficit, self._spare = w, deficit, spare

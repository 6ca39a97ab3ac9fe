"""All layers of one block of pairs, and how pairs are cut into blocks.

Problem.  Layer by layer over millions of pairs, every NumPy call waits for main memory.
Rule.     Pairs do not interact: a block small enough for the processor's cache runs through all its layers before
          the next one starts.  The cut depends on the number of pairs alone, so results do too, to the last bit,
          whatever the number of workers.
Example.  1,225 pairs (the pairs of 50 inputs) are one block; 499,500 (of 1,000 inputs) are 31 blocks.

With a bias (sigma_b > 0) two inputs of variances q, q' move, with r = sqrt(q q'), R = r of the next layer and
m = (sqrt q - sqrt q')^2 = (q - q')^2/(q + q' + 2r), as

    e = sigma_b^2 chi m/(R + sigma_b^2 + chi r),      R = sigma_b^2 + chi r + e   (exactly),
    1 - c' = (e + chi r (1 - f))/R = (1 - f) - (sigma_b^2 + e)/R (1 - f) + e/R,
    k'     = f' k - (sigma_b^2 + e)/R f' k + c',

sums of positive terms minus a small part; the variances come from their closed form (`variance`).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from asympt.depth.constants import LayerConstants
from asympt.depth.polynomials import level
from asympt.depth.step import Descent, any_step, lowered, polynomials
from asympt.depth.variance import Line, Variances

SMALLEST, LARGEST, PARTS = 2048, 16384, 8
STRETCH = 2048  # layers between two looks at the largest gap, at most
VANISHED = 1e-290  # with a bias gaps fall geometrically: below this a block's gaps are 0, before arithmetic slows down


@dataclass(frozen=True)
class PairBlock:
    """Pairs to iterate: 1 - c of layer 1, and their variances when there is a bias (else None)."""

    constants: LayerConstants
    depth: int
    gap: np.ndarray
    variances: Variances | None = None

    def run(self, tick: Callable[[int], None]) -> tuple[np.ndarray, np.ndarray]:
        """`iterate` on this block."""
        return iterate(self, tick)


def cut(pairs: int) -> Iterator[slice]:
    """Slices of nearly equal length that cover range(pairs), 2,048 to 16,384 pairs long where possible.

    >>> [part.stop for part in cut(5000)]
    [1667, 3334, 5000]
    """
    size = min(LARGEST, max(SMALLEST, -(-pairs // PARTS)))
    parts = -(-pairs // size)
    edges = [-(-pairs * part // max(parts, 1)) for part in range(parts + 1)]
    return (slice(start, stop) for start, stop in pairwise(edges))


def iterate(block: PairBlock, tick: Callable[[int], None]) -> tuple[np.ndarray, np.ndarray]:
    """(1 - c^L, K^L/q_L) of the pairs of a block; `tick(layers)` is called as layers are done."""
    w, k = 0.5 * block.gap, 1.0 - block.gap
    if block.variances is None:
        return _without_bias(w, k, block, tick)
    return _with_bias(w, k, block, tick)


def _without_bias(w, k, block: PairBlock, tick) -> tuple[np.ndarray, np.ndarray]:
    layer, carry, owed = 1, np.zeros_like(w), np.zeros_like(w)
    while layer < block.depth and w.max() > 0.5:
        step = any_step(w, k, block.constants)
        w, carry = lowered(step.base, step.drop, carry)
        k, owed = lowered(step.kernel, step.turn - (1.0 - 2.0 * w), owed)
        layer += 1
        tick(1)
    if layer == block.depth:
        return 2.0 * w, k
    descent = Descent(w, carry, 0.5 * (layer - k), layer)
    _descend(descent, block, tick)
    return 2.0 * descent.w, block.depth - 2.0 * descent.deficit


def _descend(descent: Descent, block: PairBlock, tick) -> None:
    """The layers that remain, in stretches: the gaps only fall, so the polynomials of a stretch serve all of it."""
    at, curves = None, None
    while descent.layer < block.depth:
        here = level(descent.w.max())
        if here != at:
            at, curves = here, polynomials(block.constants, here)
        layers = min(1 + descent.layer // 8, STRETCH, block.depth - descent.layer)
        descent.advance(layers, *curves)
        tick(layers)


def _with_bias(w, k, block: PairBlock, tick) -> tuple[np.ndarray, np.ndarray]:
    line, variances, carry, owed = Line(block.constants), block.variances, np.zeros_like(w), np.zeros_like(w)
    here = line.at(1)
    total, mean = variances.total_and_mean(*here[:2])
    for layer in range(1, block.depth):
        following = line.at(layer + 1)
        apart = (here[0] * variances.difference) ** 2 / (total + 2 * mean)
        total, after = variances.total_and_mean(*following[:2])
        step = any_step(w, k, block.constants)
        mixture = Mixture(following[2], line.gain * mean, line.gain * apart, after)
        w, carry = mixture.apply(step.base, step.drop, mixture.source, carry)
        k, owed = mixture.apply(step.kernel, step.turn, 1.0 - 2.0 * w, owed)
        if w.max() < VANISHED:
            w, carry = np.zeros_like(w), np.zeros_like(w)
        here, mean = following, after
        tick(1)
    return 2.0 * w, k


class Mixture:
    """A layer's bias: `kept` = chi r, `apart` = chi m and `after` = R as in the head of this file."""

    def __init__(self, bias, kept, apart, after):
        extra = bias * apart / (after + (bias + kept))
        self.source = 0.5 * (extra / after)
        self.lost = (bias + extra) / after
        self.share = kept / after
        self.mild = np.max(self.lost) <= 0.5  # then 1 - lost is better than the rounded share

    def apply(self, base, drop, source, carry) -> tuple[np.ndarray, np.ndarray]:
        """(chi r/R)(base - drop) + source, and the carry of `lowered`."""
        remaining = base - drop
        if self.mild:
            return lowered(base, drop + (self.lost * remaining - source), carry)
        return self.share * remaining + source, np.zeros_like(base)

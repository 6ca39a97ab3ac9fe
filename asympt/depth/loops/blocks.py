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

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from asympt.depth.loops.step import lowered

SMALLEST, LARGEST, PARTS = 2048, 16384, 8
STRETCH = 2048  # layers between two looks at the largest gap, at most
VANISHED = 1e-290  # with a bias gaps fall geometrically: below this a block's gaps are 0, before arithmetic slows down


def cut(pairs: int) -> Iterator[slice]:
    """Slices of nearly equal length that cover range(pairs), 2,048 to 16,384 pairs long where possible.

    >>> [part.stop for part in cut(5000)]
    [1667, 3334, 5000]
    """
    size = min(LARGEST, max(SMALLEST, -(-pairs // PARTS)))
    parts = -(-pairs // size)
    edges = [-(-pairs * part // max(parts, 1)) for part in range(parts + 1)]
    return (slice(start, stop) for start, stop in pairwise(edges))


class Mixture:
    """A layer's bias: `kept` = chi r, `apart` = chi m and `after` = R as in the head of this file."""

    def __init__(self, bias, kept, apart, after):
        extra = bias * apart / (after + (bias + kept))
        self.source = 0.5 * (extra / after)
        self.lost = (bias + extra) / after
        self.share = kept / after
        self.mild = np.max(self.lost, initial=0.0) <= 0.5  # then 1 - lost is better than the rounded share

    def apply(self, base, drop, source, carry) -> tuple[np.ndarray, np.ndarray]:
        """(chi r/R)(base - drop) + source, and the carry of `lowered`."""
        remaining = base - drop
        if self.mild:
            return lowered(base, drop + (self.lost * remaining - source), carry)
        return self.share * remaining + source, np.zeros_like(base)

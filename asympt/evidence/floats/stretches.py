"""A parabolic law of any activation against float64 iteration to great depth, cut into stretches of layers.

Problem.  A million layers of a general activation, one after the other, take minutes: the map is a table, and every
layer costs some forty calls of NumPy, however few the pairs.

Rule.  The layers from n to L are cut into stretches of equal length, which run side by side.  From layer n the law says
where every pair is at the beginning of each stretch; there the engine starts afresh, as a network whose first layer has
that gap (and K^1 = q c^1), and at the end of the stretch

    A(t) = A(t_0) + layers,        k = P(t) + (k_0 - P(t_0)) H(t)/H(t_0)

are compared with it.  Where all layers of all pairs take too long, every second (third, ...) pair is taken.

What it shows: that the law carries the pairs through every layer up to L, to the accuracy of the engine's tables.  What
it cannot show: terms of relative size below 1e-11, and errors that an end and the next beginning would share (none: the
engine knows nothing of the law).
"""

from dataclasses import dataclass

import numpy as np

from asympt import depth as engine
from asympt.evidence.check import Check
from asympt.evidence.floats.at_depth import digit_gaps, evaluated, first_accurate, floats, named_progress, solve_abel

STRETCHES, SHORTEST = 24, 500  # at most so many stretches, of at least so many layers
MOST = 2.6e8  # pairs times layers
BOUND = 1e-9


def stretch_checks(law, depth: int, workers: int = 1, progress=None) -> list[Check]:
    """Law against iteration on every stretch up to layer `depth`; undone if the depth is too small."""
    first = first_accurate(law)
    if depth <= first:
        reason = f"depth {depth} is not beyond layer {first}, where the law's series becomes accurate in float64"
        return [Check("float64 iteration of real pairs", reason, BOUND, None)]
    count = max(1, min(STRETCHES, (depth - first) // SHORTEST))
    length = (depth - first) // count
    gaps = digit_gaps()
    gaps = gaps[:: int(np.ceil(gaps.size * depth / MOST))]
    early = engine.pairs(law.layer, gaps, depth - count * length, workers=workers)[0]
    pieces = Pieces.of(law, early, count, length)
    starts = pieces.starts.ravel() ** law.dynamics.root
    found = engine.pairs(law.layer, starts, length + 1, workers=workers, progress=named_progress(progress, depth))
    figure = float(np.max(np.abs(pieces.predicted(law) / found[law.linear is not None] - 1)))
    name = f"law against float64 iteration of {gaps.size} real pairs to depth {depth}: largest relative deviation"
    detail = (
        f"{count} stretches of {length} layers from layer {depth - count * length}, side by side; each starts where "
        "the law says, as a network of its own, and the law is compared with it at the end"
    )
    return [Check.compare(name, float(f"{figure:.3g}"), BOUND, detail)]


@dataclass(frozen=True)
class Pieces:
    """t at the beginning and at the end of the stretches, by the law: arrays of shape (stretches, pairs)."""

    starts: np.ndarray
    ends: np.ndarray

    @classmethod
    def of(cls, law, gaps: np.ndarray, count: int, length: int) -> "Pieces":
        """From the gaps at the beginning of the first."""
        abel, t = floats(law.abel.expansion), gaps ** (1 / law.dynamics.root)
        age = evaluated(abel, t)
        later = np.array([solve_abel(abel, age + j * length) for j in range(1, count + 1)])
        return cls(np.vstack([t, later[:-1]]), later)

    def predicted(self, law) -> np.ndarray:
        """The gap, or k, at the end of every stretch."""
        gap = self.ends**law.dynamics.root
        if law.linear is None:
            return gap.ravel()
        particular, wave = floats(law.linear.particular), floats(law.linear.homogeneous)
        fresh = 1 - self.starts**law.dynamics.root - evaluated(particular, self.starts)
        carried = fresh * evaluated(wave, self.ends) / evaluated(wave, self.starts)
        return (evaluated(particular, self.ends) + carried).ravel()

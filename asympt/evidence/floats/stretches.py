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
from asympt.depth.activations import layers_of
from asympt.depth.recipe import Recipe, statement_of
from asympt.evidence.check import Check
from asympt.evidence.floats.at_depth import digit_gaps, evaluated, first_accurate, floats, named_progress, solve_abel

SHORTEST = 500  # layers of a stretch, at least
STRETCHES, MOST, BOUND = 24, 2.6e8, 1e-9  # at most so many stretches, and pairs times layers
OF_VARIANCE, VARIANCE_BOUND = 100, 1e-7


def stretch_checks(law, depth: int, workers: int = 1, progress=None) -> list[Check]:
    """Law against iteration on every stretch up to layer `depth`; undone if the depth is too small."""
    gaps = digit_gaps()
    gaps = gaps[:: int(np.ceil(gaps.size * depth / MOST))]

    def iterate(starts, layers: int, named) -> tuple:
        return engine.pairs(law.layer, starts, layers + 1, workers=workers, progress=named)

    return _compared(law, depth, f"{gaps.size} real pairs", gaps, iterate, STRETCHES, BOUND, progress)


def variance_checks(law, depth: int, progress=None) -> list[Check]:
    """The same for the parabolic law of a variance (PDLT's class K* = 0), from 40 starts.

    q' - q is far smaller than q, so an error of 1e-16 in V counts l times, and the bound is wider.
    """
    moving = layers_of(Recipe(statement_of(law.layer), 2))(1)

    def iterate(q, layers: int, named) -> tuple:
        for index in range(layers):
            q = moving.variances(q)[0]
            if named is not None and index % 256 == 0:
                named(index, layers)
        return (q,)

    starts = np.linspace(0.05, 1.0, 40)
    return _compared(law, depth, "40 variances", starts, iterate, OF_VARIANCE, VARIANCE_BOUND, progress)


def _compared(law, depth: int, what: str, starts, iterate, most: int, bound: float, progress) -> list[Check]:
    """The largest relative deviation at the end of the stretches; `iterate`: (starts, layers, progress) -> arrays."""
    first = first_accurate(law)
    if depth <= first:
        reason = f"depth {depth} is not beyond layer {first}, where the law's series becomes accurate in float64"
        return [Check(f"float64 iteration of {what.partition(' ')[2]}", reason, bound, None)]
    count = max(1, min(most, (depth - first) // SHORTEST))
    length = (depth - first) // count
    pieces = Pieces.of(law, iterate(starts, depth - count * length - 1, None)[0], count, length)
    found = iterate(pieces.starts.ravel() ** law.dynamics.root, length, named_progress(progress, depth))
    figure = float(np.max(np.abs(pieces.predicted(law) / found[law.linear is not None] - 1)))
    name = f"law against float64 iteration of {what} to depth {depth}: largest relative deviation"
    detail = (
        f"{count} stretches of {length} layers from layer {depth - count * length}, side by side; each starts where "
        "the law says, as a network of its own, and the law is compared with it at the end"
    )
    return [Check.compare(name, float(f"{figure:.3g}"), bound, detail)]


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

"""The parabolic law of a variance (PDLT's class K* = 0) against float64 iteration to great depth, in stretches.

Rule.  As in `stretches`, with the variance map in NumPy: q^l of 40 starts, C read where the series is accurate, the
layers up to L in stretches that run side by side, each starting where the law says.

Tiny case.  tanh, sigma_w = 1: 1/(2 q) + ... grows by 1 a layer.

Known limits.  q' - q is far smaller than q, so an error of 1e-16 in V counts l times: the bound is 1e-7.
"""

import numpy as np

from asympt.depth.activations import layers_of
from asympt.depth.recipe import Recipe, statement_of
from asympt.evidence.check import Check
from asympt.evidence.floats.at_depth import first_accurate
from asympt.evidence.floats.stretches import SHORTEST, Pieces

STRETCHES, BOUND = 100, 1e-7


def variance_depth_checks(law, depth: int, progress=None) -> list[Check]:
    """Law against iteration on every stretch up to layer `depth`; undone if the depth is too small."""
    first = first_accurate(law)
    if depth <= first:
        reason = f"depth {depth} is not beyond layer {first}, where the law's series becomes accurate in float64"
        return [Check("float64 iteration of variances", reason, BOUND, None)]
    count = max(1, min(STRETCHES, (depth - first) // SHORTEST))
    length = (depth - first) // count
    report = progress or (lambda what, done, total: None)
    early = _iterate(law, np.linspace(0.05, 1.0, 40), depth - count * length - 1, lambda done: None)
    pieces = Pieces.of(law, early, count, length)
    what = f"float64 iteration of the variance to depth {depth}"
    found = _iterate(law, pieces.starts.ravel() ** law.dynamics.root, length, lambda done: report(what, done, length))
    figure = float(np.max(np.abs(pieces.ends.ravel() ** law.dynamics.root / found - 1)))
    name = f"law against float64 iteration of 40 variances to depth {depth}: largest relative deviation"
    detail = f"{count} stretches of {length} layers, side by side, each starting where the law says"
    return [Check.compare(name, float(f"{figure:.3g}"), BOUND, detail)]


def _iterate(law, q: np.ndarray, layers: int, tick) -> np.ndarray:
    moving = layers_of(Recipe(statement_of(law.layer), 2))(1)
    for index in range(layers):
        q = moving.variances(q)[0]
        if index % 256 == 0:
            tick(index)
    return q

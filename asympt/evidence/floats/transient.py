"""An exponential law of a network against float64 iteration, while what decays can still be seen.

Problem.  1 - c^l, K^l/q and q^l reach their limits like chi^l; after some tens of layers float64 shows the limit only.

Rule.  Iterate until the Koenigs series is accurate for every pair (layer n), then DECADES decimal orders further (layer
m).  The law alone, S(t_m) = chi^(m - n) S(t_n) and P + D H, predicts layer m from layer n.  The figure is the largest
deviation over the pairs in units of the typical distance from the limit at layer m, as that is what the law is about.
A distance below FAINT of the limit is mostly rounding, which is 1e-14 of the limit: there the unit is FAINT of the
limit.  So layer m comes earlier where that is possible.

Tiny case.  chi = 1/50, limit 1: from 4e-6 at layer 5 the law goes on to layer 6 only.
"""

from dataclasses import dataclass

import numpy as np
from mpmath import mp

from asympt import depth as engine
from asympt.depth.activations import moving_of
from asympt.evidence.check import Check
from asympt.evidence.floats.at_depth import digit_gaps, evaluated, floats
from asympt.evidence.orbits.accuracy import accurate_below
from asympt.numbers import to_mpf

DECADES = 2.5
CLOSE = 13  # digits to which the series is accurate at layer n
BOUND = 1e-7
FAINT = 1e-7  # of the limit; rounding, 1e-14 of it, is BOUND of this
LONGEST = 4000  # layers until the series is accurate


@dataclass(frozen=True)
class Run:
    """Distances y and, for an NTK law, k of all pairs at one layer."""

    distance: np.ndarray
    kernel: np.ndarray | None

    @property
    def observed(self) -> np.ndarray:
        """What the law is about."""
        return self.distance if self.kernel is None else self.kernel


def transient_checks(law, depth: int, workers: int = 1) -> list[Check]:
    """Law against iteration from layer n to layer m, or to `depth` if that comes earlier."""
    with mp.workdps(30):
        edge, chi = float(accurate_below(law, CLOSE)), float(to_mpf(law.koenigs.multiplier))
    first = _first_close(law, edge**law.dynamics.root, chi, workers)
    early, limit = _run(law, first, workers), _limit(law)
    last = min(depth, first + _further(early, limit, chi))
    name = f"law against float64 iteration at layer {last}: largest deviation in units of the distance from the limit"
    if last <= first:
        reason = f"depth {depth} is not beyond layer {first}, where the law's series becomes accurate in float64"
        return [Check("float64 iteration", reason, BOUND, None)]
    late = _run(law, last, workers)
    predicted, observed = _predicted(law, early, chi, last - first), late.observed
    distance = float(np.median(np.abs(observed - limit)))
    figure = float(np.max(np.abs(predicted - observed))) / max(distance, FAINT * abs(limit))
    detail = f"{observed.size} starts, C and D read at layer {first}; at layer {last} the distance is {distance:.1e}"
    return [Check.compare(name, float(f"{figure:.3g}"), BOUND, detail)]


def _further(early: Run, limit: float, chi: float) -> int:
    """Layers that make the distance DECADES decimal orders smaller, or as many as keep it above FAINT; one at least."""
    left = np.log10(np.median(np.abs(early.observed - limit)) / (FAINT * abs(limit))) if limit else np.inf
    pace = -np.log10(abs(chi))
    return int(max(1, min(np.ceil(DECADES / pace), np.floor(left / pace))))


def _limit(law) -> float:
    """Where what is observed goes: the distance to 0, k to the constant of P."""
    if law.linear is None:
        return 0.0
    return next((c for p, j, c in floats(law.linear.particular) if p == 0 and not j), 0.0)


def _predicted(law, early: Run, chi: float, layers: int) -> np.ndarray:
    """The distance, or k, so many layers later by the law alone."""
    koenigs, root = floats(law.koenigs.expansion), law.dynamics.root
    t = early.distance ** (1 / root) if root > 1 else early.distance
    after = _solve(koenigs, evaluated(koenigs, t) * chi**layers, root)
    if law.linear is None:
        return after**root
    particular, wave = floats(law.linear.particular), floats(law.linear.homogeneous)
    growth = 1.0 if law.linear.runs_alone else float(to_mpf(law.linear.multiplier)) ** layers
    second = (early.kernel - evaluated(particular, t)) / evaluated(wave, t)
    return evaluated(particular, after) + growth * second * evaluated(wave, after)


def _solve(koenigs: list, target: np.ndarray, root: int) -> np.ndarray:
    """Newton's method for S(t) = target from S = t^root."""
    t = target ** (1 / root) if root > 1 else target.copy()
    slope = [(p - 1, 0, p * c) for p, _, c in koenigs]
    for _ in range(40):
        change = (evaluated(koenigs, t) - target) / evaluated(slope, t)
        t = t - change
    return t


# ---- iteration ----------------------------------------------------------------------------------


def _first_close(law, edge: float, chi: float, workers: int) -> int:
    """The first of the layers 2, 3, 4, 5, 6, 8, ... at which every start is within the edge."""
    layer = 2
    while np.max(np.abs(_run(law, layer, workers).distance)) > edge and layer < LONGEST:
        layer += max(1, layer // 3)
    return layer


def _run(law, layers: int, workers: int) -> Run:
    if law.name == "variance":
        return Run(_variances(law, layers), None)
    gap, kernel = engine.pairs(law.layer, digit_gaps(), layers, workers=workers)
    centre = 0.0 if law.place is None else float(to_mpf(law.place.point))
    return Run(gap - centre, None if law.linear is None else kernel)


def _variances(law, layers: int) -> np.ndarray:
    """q^l - q* from starts around q* (from 1/2 to 2 times; q* = 0: up to 1)."""
    moving, fixed = moving_of(law.layer.layer), float(to_mpf(law.place.point))
    q = np.linspace(0.5, 2.0, 41) * fixed if fixed else np.linspace(0.05, 1.0, 41)
    for _ in range(layers - 1):
        q = moving.variances(q)[0]
    return q - fixed

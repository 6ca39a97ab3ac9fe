"""Wide random networks against the maps: does the theory speak about networks at all?

Problem.  All other checks start from the layer as stated (V, f).  Is that what a random network does?

Rule.  Draw networks of finite width, fixed seed, push two inputs of correlation 1/2 and variance q^1 through three
layers, and compare every layer's correlation (variance) with the map in mpmath applied as often.  The figure is the
largest deviation in standard errors over the networks, the bound the quantile of Student's t that any of them exceeds
with a probability of 1e-4 at most.

What it shows: the map of one layer, to a few per cent, and that sigma_w and sigma_b enter as stated.  What it cannot
show: anything near c = 1 or at large depth, the NTK, and differences below the standard error, which the detail names.
"""

import numpy as np
from mpmath import mp, mpf
from scipy.stats import t as student

from asympt.depth.random_network import empirical_correlations
from asympt.evidence.check import Check
from asympt.meanfield.statement import Statement
from asympt.precise.dense import DenseStep
from asympt.precise.variance import image

WIDTH, NETWORKS, SEED, LAYERS = 512, 16, 2020, 3
CORRELATION, DOUBT = 0.5, 1e-4


def random_checks(law, progress=None) -> list[Check]:
    """The correlations (for a variance law: the variances) of the first layers of random networks."""
    report = None if progress is None else lambda done, total: progress("random networks", done, total)
    layer = law.layer
    with mp.workdps(20):
        start = _variance(law)
    found = empirical_correlations(
        layer, CORRELATION, LAYERS + 1, variance=float(start), width=WIDTH, seeds=NETWORKS, seed=SEED, progress=report
    )
    with mp.workdps(20):
        name = "the variance" if law.name == "variance" else "the correlation"
        if not layer.is_plain:
            expected = _states(layer, start, name == "the variance")
        elif law.name == "variance":
            expected = _orbit(lambda q: image(layer.layer, q), start)
        else:
            expected = _orbit(lambda c: 1 - _map(law).gap(1 - c), mpf(CORRELATION))
        if law.name == "variance":
            seen, error = found.covariance[1:, 0, 0], found.covariance_error[1:, 0, 0]
        else:
            seen, error = found.correlation[1:], found.correlation_error[1:]
    figure = float(np.max(np.abs(seen - expected) / error))
    bound = float(student.ppf(1 - DOUBT / (2 * LAYERS), NETWORKS - 1))
    title = f"{name} in {NETWORKS} random networks of width {WIDTH}: largest deviation in standard errors"
    detail = (
        f"layers 2 to {LAYERS + 1}, standard error at most {np.max(error / np.abs(expected)):.1%}; a right map exceeds "
        f"the bound with probability {DOUBT:g}; shows the map of one layer, nothing near c = 1 or at great depth"
    )
    return [Check.compare(title, float(f"{figure:.3g}"), float(f"{bound:.3g}"), detail)]


def _orbit(step, value) -> np.ndarray:
    values = []
    for _ in range(LAYERS):
        value = step(value)
        values.append(float(value))
    return np.array(values)


def _states(statement: Statement, variance, wants_variance: bool) -> np.ndarray:
    """The variances, or the correlations, of the first layers by the statement."""
    step, state, values = DenseStep(statement), (1, variance, variance, mpf(1) - mpf(CORRELATION), mpf(0)), []
    for _ in range(LAYERS):
        state = step(state)
        values.append(float(state[1] if wants_variance else 1 - state[3]))
    return np.array(values)


def _map(law):
    from asympt.meanfield.correlation import CorrelationMap

    return CorrelationMap.of(law.layer.layer)


def _variance(law):
    """Where the inputs start: at the fixed point of the variance; away from it for the variance's own law."""
    from asympt.numbers import to_mpf

    if not law.layer.is_plain:
        return mpf(1)
    if law.name == "variance":
        return mpf(1) if law.place is None or law.place.point == 0 else 2 * to_mpf(law.place.point)
    return mpf(1) if law.layer.is_scale_free else to_mpf(law.layer.layer.fixed_variance)

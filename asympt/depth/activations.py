"""`pairs` and `gram` for activations that are not ReLU-like.

Problem.  The variances of the inputs move before they settle, and most layers come after that.
Rule.     Layers in which some variance is still away from the fixed point q go through `moving`; from the first one in
          which all of them equal q to 1e-13 the pairs run in blocks through the tables of the layer (`general`), and
          the diagonal follows K' = chi K + q in closed form.
Example.  tanh, sigma_b = 1/5 on the Edge of Chaos: variances within 10% of q have settled after about 60 layers.
Limits.   Where the variance has no stable fixed point all layers go through `moving`.
"""

from collections.abc import Callable

import numpy as np

from asympt.depth.blocks import cut
from asympt.depth.constants import precise
from asympt.depth.general import GeneralBlock
from asympt.depth.moving import Moving, Pairs, settle
from asympt.depth.tables import tables
from asympt.depth.workers import Progress, run
from asympt.errors import InputError, UnsupportedError
from asympt.meanfield.layer import Layer


def fixed_variance(layer: Layer) -> float | None:
    """The fixed point q of the layer's variance; None when there is none."""
    try:
        return float(precise(layer.fixed_variance))
    except UnsupportedError:
        return None


def moving_of(layer: Layer) -> Moving:
    """phi, sigma_w^2 and sigma_b^2 in float64."""
    return Moving(
        layer.activation.piecewise, float(precise(layer.weight_variance)), float(precise(layer.bias_variance))
    )


def general_pairs(layer: Layer, gap: np.ndarray, depth: int, variances: tuple | None, workers: int, progress: Callable):
    """(1 - c^L, K^L/q_L), flat; `variances` is (q, q'), each one value or one per pair, or None for the fixed point."""
    fixed, report = fixed_variance(layer), Progress(progress, gap.size * (depth - 1))
    if variances is None and fixed is None:
        raise InputError(
            f"variance = None, but the variance of activation {layer.activation.name!r} with these standard deviations "
            "has no stable fixed point; give variance, the q^1 of the first layer"
        )
    pairs, q = _start(gap, variances, fixed)
    _, _, layer_reached = settle(moving_of(layer), pairs, q, q, depth, fixed, report.add)
    finish(layer, pairs, depth - layer_reached + 1, workers, report)
    return pairs.gap, pairs.kernel


def _start(gap: np.ndarray, variances: tuple | None, fixed: float) -> tuple[Pairs, np.ndarray]:
    """The pairs of layer 1 and the distinct variances that occur in them."""
    if variances is None:
        values, places = np.array([fixed]), np.zeros((2, gap.size), dtype=int)
    else:
        both = np.stack([np.broadcast_to(v, gap.shape) for v in variances])
        values, places = np.unique(both, return_inverse=True)
        places = places.reshape(both.shape)
    return Pairs(places[0], places[1], gap.copy(), 1.0 - gap), values


def finish(layer: Layer, pairs: Pairs, depth: int, workers: int, report: Progress) -> None:
    """`depth` - 1 further layers at the fixed point of the variance, in blocks."""
    if depth <= 1:
        return report.finish()
    curves, parts = tables(layer), list(cut(pairs.gap.size))

    def keep(part, gap, kernel):
        pairs.gap[part], pairs.kernel[part] = gap, kernel

    blocks = ((p, GeneralBlock(curves, depth, pairs.gap[p], pairs.kernel[p])) for p in parts)
    return run(blocks, max(1, min(workers, len(parts))), report, keep)


def general_gram(layer: Layer, pairs: Pairs, q: np.ndarray, depth: int, workers: int, progress: Callable):
    """(gaps, k, q_L, K^L(x, x)) after L layers, from the pairs and variances of layer 1."""
    fixed, report = fixed_variance(layer), Progress(progress, pairs.gap.size * (depth - 1))
    q, kernels, reached = settle(moving_of(layer), pairs, q, q, depth, fixed, report.add)
    if reached < depth:
        kernels = _diagonal(tables(layer).excess, kernels, q, depth - reached)
    finish(layer, pairs, depth - reached + 1, workers, report)
    return pairs.gap, pairs.kernel, q, kernels


def _diagonal(excess: float, kernels: np.ndarray, q: np.ndarray, layers: int) -> np.ndarray:
    """K' = chi K + q, `layers` times, with chi = 1 + excess."""
    if excess == 0:
        return kernels + layers * q
    with np.errstate(over="ignore"):
        growth = np.expm1(layers * np.log1p(excess))
    return kernels + growth * (kernels + q / excess)

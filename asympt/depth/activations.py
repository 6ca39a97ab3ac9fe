"""`pairs` and `gram` for activations that are not ReLU-like.

Problem.  The variances of the inputs move before they settle, and most layers come after that.
Rule.     Layers in which some variance is still away from the fixed point q go through `moving`; from the first one in
          which all of them equal q to 1e-13 the pairs run in blocks through the tables of the layer (`general`), and
          the diagonal follows K' = chi K + q in closed form.
Example.  tanh, sigma_b = 1/5 on the Edge of Chaos: variances within 10% of q have settled after about 60 layers.
Limits.   Where the variance has no stable fixed point above 0 (skip connections) all layers go through `moving`.
"""

from collections.abc import Callable

import numpy as np

from asympt.depth.blocks import cut
from asympt.depth.constants import precise
from asympt.depth.general import Forcing, GeneralBlock
from asympt.depth.moving import Added, Moving, Pairs, settle
from asympt.depth.recipe import Recipe
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
    """phi, sigma_w^2 and sigma_b^2 in float64: a layer of a plain network."""
    return Moving(
        layer.activation.piecewise, float(precise(layer.weight_variance)), float(precise(layer.bias_variance))
    )


def layers_of(recipe: Recipe) -> Callable[[int], Moving]:
    """l -> layer l + 1 of any architecture, l = 1, 2, ..."""
    plain = moving_of(recipe.statement.layer)
    if recipe.statement.is_plain:
        return lambda layer: plain

    def moving(layer: int) -> Moving:
        branch = recipe.branch[layer - 1]
        added = Added(recipe.skip, recipe.weight_rate[layer - 1], recipe.bias_rate[layer - 1])
        return Moving(plain.phi, branch * plain.weight, branch * plain.bias, added)

    return moving


def settled_variance(recipe: Recipe) -> float | None:
    """The fixed point q > 0 of the variance; None where it never settles (skip connections) or tends to 0."""
    statement = recipe.statement
    if statement.skip or statement.branch != 1:
        return None
    return fixed_variance(statement.layer) or None


def general_pairs(recipe: Recipe, gap: np.ndarray, variances: tuple | None, workers: int, progress: Callable):
    """(1 - c^L, K^L/q_L), flat; `variances` is (q, q'), each one value or one per pair, or None for the fixed point."""
    statement, depth = recipe.statement, recipe.depth
    fixed, report = settled_variance(recipe), Progress(progress, gap.size * (depth - 1))
    if variances is None and fixed is None:
        raise InputError(
            f"variance = None, but the variance of a network of activation {statement.activation.name!r} with these "
            "standard deviations has no stable fixed point above 0; give variance, the q^1 of the first layer"
        )
    pairs, q = _start(recipe, gap, variances, fixed)
    _, _, layer_reached = settle(layers_of(recipe), pairs, q, q, depth, fixed, report.add)
    finish(recipe, pairs, layer_reached, workers, report)
    return pairs.gap, pairs.kernel


def _start(recipe: Recipe, gap: np.ndarray, variances: tuple | None, fixed: float | None) -> tuple[Pairs, np.ndarray]:
    """The pairs of layer 1 and the distinct variances that occur in them."""
    if variances is None:
        values, places = np.array([fixed]), np.zeros((2, gap.size), dtype=int)
    else:
        both = np.stack([np.broadcast_to(v, gap.shape) for v in variances])
        values, places = np.unique(both, return_inverse=True)
        places = places.reshape(both.shape)
    mean = np.sqrt(values[places[0]]) * np.sqrt(values[places[1]])
    return Pairs(places[0], places[1], gap.copy(), recipe.first_kernel(gap, mean)), values


def finish(recipe: Recipe, pairs: Pairs, reached: int, workers: int, report: Progress) -> None:
    """The layers after layer `reached`, at the fixed point of the variance, in blocks."""
    if reached >= recipe.depth:
        return report.finish()
    curves, parts = tables(recipe.statement.layer), list(cut(pairs.gap.size))
    forcing = None if recipe.statement.is_plain else forcing_of(recipe, reached)

    def keep(part, gap, kernel):
        pairs.gap[part], pairs.kernel[part] = gap, kernel

    depth = recipe.depth - reached + 1
    blocks = ((p, GeneralBlock(curves, depth, pairs.gap[p], pairs.kernel[p], forcing)) for p in parts)
    return run(blocks, max(1, min(workers, len(parts))), report, keep)


def forcing_of(recipe: Recipe, reached: int) -> Forcing:
    """(lambda_b + lambda_W E[phi phi])/q in the layers after `reached`, E[phi phi] = (q f - sigma_b^2)/sigma_w^2."""
    layer = recipe.statement.layer
    q, weight, bias = (float(precise(v)) for v in (layer.fixed_variance, layer.weight_variance, layer.bias_variance))
    slope = recipe.weight_rate[reached - 1 :] / weight
    return Forcing(recipe.bias_rate[reached - 1 :] / q - slope * (bias / q), slope)


def general_gram(recipe: Recipe, pairs: Pairs, q: np.ndarray, workers: int, progress: Callable):
    """(gaps, k, q_L, K^L(x, x)) after L layers, from the pairs and variances of layer 1."""
    depth, report = recipe.depth, Progress(progress, pairs.gap.size * (recipe.depth - 1))
    ratio, rest = recipe.first_rates
    q, kernels, reached = settle(
        layers_of(recipe), pairs, q, ratio * q + rest, depth, settled_variance(recipe), report.add
    )
    if reached < depth:
        kernels = _diagonal(recipe, kernels, q, reached)
    finish(recipe, pairs, reached, workers, report)
    return pairs.gap, pairs.kernel, q, kernels


def _diagonal(recipe: Recipe, kernels: np.ndarray, q: np.ndarray, reached: int) -> np.ndarray:
    """K' = chi K + q in the layers after `reached`, chi = 1 + excess; with rates of their own, layer by layer."""
    excess, layers = tables(recipe.statement.layer).excess, recipe.depth - reached
    with np.errstate(over="ignore"):
        if not recipe.statement.is_plain:
            forcing = forcing_of(recipe, reached)
            for constant, slope in zip(forcing.constant, forcing.slope, strict=True):
                kernels = kernels + (excess * kernels + (constant + slope) * q)
            return kernels
        if excess == 0:
            return kernels + layers * q
        growth = np.expm1(layers * np.log1p(excess))
        return kernels + growth * (kernels + q / excess)

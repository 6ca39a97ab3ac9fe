"""Correlation gaps and NTK of pairs of inputs after L layers, at float64 speed and full relative accuracy."""

from collections.abc import Callable

import numpy as np

from asympt.depth.activations import general_pairs
from asympt.depth.constants import constants, precise
from asympt.depth.parsing import depth_of, gaps_of, progress_of, variances_of, workers_of
from asympt.depth.recipe import Recipe, statement_of
from asympt.depth.routes import in_blocks, with_scale, without_scale
from asympt.depth.variance import Variances
from asympt.depth.workers import Progress
from asympt.errors import InputError
from asympt.meanfield.statement import Statement


def pairs(
    net,
    gap,
    depth: int,
    *,
    variance=None,
    workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """1 - c^L and K^L/q_L of pairs of inputs, from their gap 1 - c^1 in layer 1; q_L is the variance of layer L.

    Parameters
    ----------
    net : a dense network of any architecture (or its Statement, or a Layer) with numbers in it, phi continuous.
    gap : array of any shape, values in [0, 2].  1 - c, not c: near c = 1 only the gap has digits to keep.
    depth : L, the layer asked for, up to 10^30 where layers are alike (they are composed, not counted), up to 10^9
        where they differ; ``depth=1`` returns the gap itself and K^1/q_1 (c^1 = 1 - gap, unless layer 1
        has rates of its own).
    variance : q^1 (a number, or an array that broadcasts with `gap`), or the tuple (q^1, q'^1) of the two inputs;
        q_L then means sqrt(q_L q'_L).  It matters unless phi is ReLU-like and no bias is drawn or learns; without it
        the fixed point of the variance is taken (a skip connection leaves none).  For other activations pairs of
        variances of their own cost about 1 microsecond a pair and layer until these have settled, with a skip
        connection in every layer (2 milliseconds when phi has breakpoints).
    workers : number of processes for layers that differ from pair to pair (a bias, variances of their own).  Pairs are
        cut into blocks of at least 2,048 (16,384 when there are many), so fewer pairs than that run in one process;
        results do not depend on `workers` in any bit.
    progress : called now and then, at most five times a second, as ``progress(done, total)``, both counted in
        pairs times layers; with several workers it is called from another thread.  Left out: a bar on a terminal, from
        two seconds on; False: none.

    Returns
    -------
    (gap_L, k_L), float64 arrays of the shape of `gap` (numbers for a number).  Relative errors are some 1e-15
    for gap_L and k_L at any depth and for gaps down to 1e-30 (1e-13 for a gap that has fallen to 1e-80); where k_L
    changes sign, 1e-16 of its largest values.  For activations that are not ReLU-like, whose maps are tabulated
    (`tables`), they are below 1e-12, or 1e-11 after thousands of layers in which the variance moves.

    Raises
    ------
    InputError : values outside their range, no `variance` where one is needed, symbolic slopes.

    Source: HDR = Hayou, Doucet and Rousseau (2020), Lemma 2 (the recursion) and Theorem 1 (its limit): K^L/(q L)
    -> 1/4 at the Edge of Chaos; Lemma 3 and Proposition 3 for skip connections.

    >>> from asympt.meanfield.activations import activation
    >>> from asympt.meanfield.layer import Layer
    >>> relu = Layer(activation("relu"), 2, 0)      # sigma_w^2 = 2: the Edge of Chaos
    >>> gap, k = pairs(relu, gap=[0.9, 1e-15], depth=1000)
    >>> print(f"{gap[0]:.10e}  {k[0] / 1000:.10f}  {gap[1]:.4e}")
    4.3194119238e-05  0.2533546462  9.9999e-16
    """
    depth, workers = depth_of(depth), workers_of(workers)
    statement, start = statement_of(net, depth), gaps_of(gap)
    recipe = Recipe(statement, depth)
    if not statement.activation.is_relu_like:
        given = tuple(_shaped(variances_of(values), start.shape) for values in _two(variance))
        ends, kernels = general_pairs(
            recipe, start.ravel(), (given[0], given[-1]) if given else None, workers, progress_of(progress)
        )
        return ends.reshape(start.shape)[()], kernels.reshape(start.shape)[()]
    report = Progress(progress_of(progress), start.size * (depth - 1))
    flat = start.ravel()
    found = _without_scale(recipe, flat, variance, start.shape, report) if not recipe.has_scale else _with_scale(
        recipe, flat, _variances(recipe, variance, start.shape), workers, report
    )
    report.finish()
    return tuple(values.reshape(start.shape)[()] for values in found)


def _without_scale(recipe: Recipe, gap: np.ndarray, variance, shape, report: Progress) -> tuple:
    """The variance cancels; it is still read, so that a wrong one does not pass unnoticed."""
    for values in _two(variance):
        _shaped(variances_of(values), shape)
    return without_scale(recipe, gap, lambda layers: report.add(layers * gap.size))


def _with_scale(recipe: Recipe, gap: np.ndarray, variances: Variances, workers: int, report: Progress) -> tuple:
    if variances.first.size == 1:
        return with_scale(recipe, gap, variances, lambda layers: report.add(layers * gap.size))
    return in_blocks(recipe, gap, variances, workers, report)


def _two(variance) -> tuple:
    """The variance argument as a tuple of none, one or two values."""
    if variance is None:
        return ()
    if isinstance(variance, tuple):
        if len(variance) != 2:
            raise InputError(
                f"variance has {len(variance)} entries; give one variance or the pair (q, q') of two inputs"
            )
        return variance
    return (variance,)


def _variances(recipe: Recipe, variance, shape) -> Variances:
    """The variances of every pair, as arrays of one value where all pairs share it."""
    given = [variances_of(values) for values in _two(variance)]
    if not given:
        given = [np.array(_fixed_point(recipe.statement))]
    first, second = given[0], given[-1]
    spread = [_shaped(values, shape) for values in (first, second)]
    if first.size == 1 and second.size == 1:
        return _of(first.reshape(1), second.reshape(1))
    return _of(*spread)


def _shaped(values: np.ndarray, shape) -> np.ndarray:
    """One variance per pair, flat."""
    try:
        return np.broadcast_to(values, shape).ravel()
    except ValueError:
        raise InputError(
            f"variance has shape {values.shape} and gap {shape}; give variances that broadcast to the shape of gap"
        ) from None


def _of(first, second) -> Variances:
    return Variances(first, second, first - second)


def _fixed_point(statement: Statement) -> float:
    """sigma_b^2/(1 - chi), if there is one."""
    layer = statement.layer
    if statement.skip or layer.bias_variance == 0 or statement.branch != 1:
        raise InputError(
            "variance = None, but the network's variance has no fixed point and its kernel depends on it; give "
            "variance, the q^1 of the first layer"
        )
    if constants(layer).chi_excess >= 0:
        raise InputError(
            f"variance = None with sigma_b^2 = {layer.bias_variance} and chi = {layer.chi}, where the variance has no "
            "fixed point; give variance, the q^1 of the first layer"
        )
    return float(precise(layer.bias_variance / (1 - layer.chi)))

"""Correlation gaps and NTK of pairs of inputs after L layers, at float64 speed and full relative accuracy."""

from collections.abc import Callable

import numpy as np

from asympt.arrays import library_of
from asympt.deadline import UNLIMITED, in_budget
from asympt.depth.devices import moved
from asympt.depth.inputs import Variances
from asympt.depth.parsing import depth_of, dtype_of, gaps_of, progress_of, rounded, variances_of, workers_of
from asympt.depth.routes import stack_of
from asympt.depth.workers import Progress, ticking
from asympt.errors import InputError


@in_budget("computing kernels", UNLIMITED)
def pairs(
    net,
    gap,
    depth: int,
    *,
    variance=None,
    dtype=np.float64,
    workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """1 - c^L and K^L/q_L of pairs of inputs, from their gap 1 - c^1 in layer 1; q_L is the variance of layer L.

    Parameters
    ----------
    net : a dense network of any architecture, or one of blocks (or a Statement, or a Layer), with numbers in it, phi
        continuous.
    gap : array of any shape, values in [0, 2].  1 - c, not c: near c = 1 only the gap has digits to keep.  With dropout
        gap 0 is one input twice, with one mask (two equal inputs have two: `gram`).
    depth : L, the layer asked for, up to 10^30 where layers are alike (they are composed, not counted), up to 10^9
        where they differ; ``depth=1`` returns the gap itself and K^1/q_1 (c^1 = 1 - gap, unless layer 1
        has rates of its own).
    variance : q^1 (a number, or an array that broadcasts with `gap`), or the tuple (q^1, q'^1) of the two inputs;
        q_L then means sqrt(q_L q'_L).  It matters unless phi is ReLU-like and no bias is drawn or learns; without it
        the fixed point of the variance is taken (a skip connection leaves none).  For other activations pairs of
        variances of their own cost some 1 (erf, GELU) to 8 microseconds a pair and layer until these have settled, with
        a skip connection in every layer, a tenth of that where all have the same two; phi with breakpoints, and steep
        ones, cost up to half a second a layer for tables besides, but few pairs 2 milliseconds each.
    dtype : of the results, float64 or float32 (computed in float64, rounded once).
    workers : number of processes for layers that differ from pair to pair (a bias, variances of their own).  Pairs are
        cut into blocks of at least 2,048 (16,384 when there are many), so fewer pairs than that run in one process;
        results do not depend on `workers` in any bit.
    progress : called now and then, at most five times a second, as ``progress(done, total)``, both counted in
        pairs times layers; with several workers it is called from another thread.  Left out: a bar on a terminal, from
        two seconds on; False: none.

    Returns
    -------
    (gap_L, k_L), arrays of the shape of `gap` (numbers for a number).  Relative errors are some 1e-15 for gap_L and k_L
    at any depth and for gaps down to 1e-30 (1e-13 for a gap that has fallen to 1e-80); where k_L changes sign, 1e-16 of
    its largest values.  For activations that are not ReLU-like, whose maps are tabulated (`tables`), they are below
    1e-12, or 1e-11 after thousands of layers in which the variance moves.  For a `gap` of JAX, PyTorch or CuPy (extra
    `array`) they are such arrays, looked up on its device where one variance is that of all inputs (`devices`).

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
    depth, workers, kind = depth_of(depth), workers_of(workers), dtype_of(dtype)
    home = library_of(gap=gap, **dict(zip(("variance", "the second variance"), _two(variance), strict=False)))
    if home is not None:
        home.require(kind)
    stack, start = stack_of(net, depth), gaps_of(gap)
    report, flat = Progress(progress_of(progress), start.size * (depth - 1)), start.ravel()
    given = tuple(variances_of(values) for values in _two(variance))
    shaped = [_shaped(values, start.shape) for values in given]  # what does not fit is an error in any case
    function = stack.function(np.concatenate([values.ravel() for values in given]) if given else None)
    if home is not None and home.holds_float64 and function is not None:
        found = moved(home, function, home.send(flat))
        report.finish()
        return tuple(home.xp.reshape(rounded(values, kind, depth, home), start.shape) for values in found)
    if function is not None:
        found = function(flat, ticking(report, flat.size))
    else:
        variances = Variances(shaped[0], shaped[-1], shaped[0] - shaped[-1])
        found = stack.of_every_pair(flat, variances, report, workers, twice=True)
    report.finish()
    found = [rounded(values.reshape(start.shape), kind, depth)[()] for values in found]
    return tuple(found) if home is None else tuple(map(home.send, found))


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


def _shaped(values: np.ndarray, shape) -> np.ndarray:
    """One variance per pair, flat."""
    try:
        return np.broadcast_to(values, shape).ravel()
    except ValueError:
        raise InputError(
            f"variance has shape {values.shape} and gap {shape}; give variances that broadcast to the shape of gap"
        ) from None

"""Correlation gaps and NTK of pairs of positions of a convolutional network after L layers, in float64.

Problem.  HDR Proposition 1 couples all pairs (alpha, alpha') of M positions; M = 256 has 65,536 of them, at any depth.
Rule.     Offsets alpha' - alpha do not mix: an array has one offset in each row, and `layers` moves rows.
Example.  M = 4, k = 1, gaps (1, 0, 0, 0): the next layer holds (1 - 1/pi)/3 at three positions and 0 at the fourth.
Limits.   Those of `layers`; one process.
"""

from collections.abc import Callable

import numpy as np

from asympt.deadline import UNLIMITED, in_budget
from asympt.depth.convolution.layers import Engine, Rows, conv_statement_of, iterate
from asympt.depth.parsing import depth_of, gaps_of, progress_of, variances_of
from asympt.depth.workers import Progress
from asympt.errors import InputError


@in_budget("computing kernels", UNLIMITED)
def conv_pairs(
    net,
    gaps,
    depth: int,
    *,
    variance=None,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """1 - c^L and K^L/sqrt(q_L q'_L) at all positions, from the gaps 1 - c^1 of layer 1.

    Parameters
    ----------
    net : a ConvNet or ConvResNet (or its ConvStatement) with numbers in it.
    gaps : array of shape (..., M), values in [0, 2]: along the last axis one offset d, entry alpha the gap of the pair
        (alpha, alpha + d mod M).  An array (M, M) is M offsets (or any M rows); `to_offsets` brings a matrix over
        (alpha, alpha') into this shape.
    depth : L, the layer asked for; ``depth=1`` returns the gaps and 1 - gaps.
    variance : q^1 at the positions of the first input, or the tuple of those of the two inputs (the second read at
        alpha + d); numbers or arrays that broadcast with `gaps`.  Left out: all variances are equal and settled
        ("constant variance approximation" of HDR).
    progress : called now and then as ``progress(done, total)``, in entries times layers.

    Returns
    -------
    (gap_L, k_L), float64 arrays of the shape of `gaps`.  Relative errors are a few 1e-16 for gap_L and below 1e-13 for
    k_L with settled variances and a ReLU-like phi, below 1e-12 for other activations.

    Raises
    ------
    InputError : values outside their range, a last axis that has not M entries, no `variance` where one is needed.
    UnsupportedError : skip connections with a phi that is not ReLU-like.

    Source: HDR = Hayou, Doucet and Rousseau (2020), Proposition 1 and Lemma 4.

    >>> from sympy import Integer
    >>> from asympt.meanfield.activations import activation
    >>> from asympt.meanfield.layer import Layer
    >>> from asympt.meanfield.statement import ConvStatement, Statement
    >>> relu = Statement.plain(Layer(activation("relu"), Integer(2), Integer(0)))
    >>> gap, k = conv_pairs(ConvStatement(relu, 4, 1), [1.0, 0.0, 0.0, 0.0], depth=2)
    >>> print(gap.round(6))
    [0.22723 0.22723 0.      0.22723]
    """
    statement, depth = conv_statement_of(net), depth_of(depth)
    start, engine = gaps_of(gaps), Engine.of(statement)
    if start.ndim == 0 or start.shape[-1] != statement.positions:
        raise InputError(
            f"gaps has shape {start.shape}, and the network {statement.positions} positions; give an array whose last "
            f"axis has {statement.positions} entries, one offset"
        )
    flat = start.reshape(-1, statement.positions)
    rows = Rows(flat, 1.0 - flat, *_table(engine, variance, start.shape, flat.shape))
    report = Progress(progress_of(progress), flat.size * (depth - 1))
    rows = iterate(engine, rows, depth, report.add)
    report.finish()
    return rows.gap.reshape(start.shape), rows.kernel.reshape(start.shape)


def _table(engine: Engine, variance, shape: tuple, flat: tuple) -> tuple:
    """(variances of layer 1 as rows, the flat indices of the first and of the second input), or three times None."""
    if variance is None:
        if not engine.layer.is_scale_free and engine.fixed is None:
            raise InputError(
                f"variance = None, but the variance of activation {engine.layer.activation.name!r} with these standard "
                "deviations has no stable fixed point; give variance, the q^1 of the first layer"
            )
        return None, None, None
    given = variance if isinstance(variance, tuple) else (variance, variance)
    if len(given) != 2:
        raise InputError(f"variance has {len(given)} entries; give one variance or the pair (q, q') of two inputs")
    index = np.arange(flat[0] * flat[1]).reshape(flat)
    if not isinstance(variance, tuple):
        return _spread_out(variance, shape, flat), index, index
    return np.concatenate([_spread_out(v, shape, flat) for v in given]), index, index + index.size


def _spread_out(values, shape: tuple, flat: tuple) -> np.ndarray:
    read = variances_of(values)
    try:
        return np.broadcast_to(read, shape).reshape(flat)
    except ValueError:
        raise InputError(
            f"variance has shape {read.shape} and gaps {shape}; give variances that broadcast to the shape of gaps"
        ) from None

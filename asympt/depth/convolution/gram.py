"""Sigma and K of a convolutional network for inputs or for pairs of positions.

Layer 1 compares windows of the inputs (HDR Proposition 1): its gaps are those of the angles between windows
(`gaps.angular_gaps`), mixed with the bias.  Every pair of inputs gives M rows, one for each offset d, entry alpha the
pair (alpha, alpha + d): N M (N M + 1)/2 pairs, about 200 bytes each.
"""

from collections.abc import Callable

import numpy as np

from asympt.arrays import finite_array
from asympt.deadline import UNLIMITED, in_budget
from asympt.depth.constants import precise
from asympt.depth.convolution.blocks import (
    block_gram,
    gap_with_bias,
    has_convolutions,
    read_positions,
    window_variances,
)
from asympt.depth.convolution.layers import Engine, Rows, conv_statement_of, iterate
from asympt.depth.gaps import angular_gaps, exponent_of, require_visible
from asympt.depth.parsing import depth_of, gaps_of, progress_of, variances_of
from asympt.depth.workers import Progress
from asympt.errors import InputError, UnsupportedError
from asympt.meanfield.statement import ConvStatement

# ---- pairs of positions ----------------------------------------------------------------------------------------------


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


# ---- kernels of inputs -----------------------------------------------------------------------------------------------


@in_budget("computing kernels", UNLIMITED)
def conv_gram(
    net, X, depth: int, *, progress: Callable[[int, int], None] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """(Sigma, K) of layer L at all pairs of inputs and of positions.

    Parameters
    ----------
    net : a ConvNet or ConvResNet (or its ConvStatement) with numbers in it, or a `Network` of any blocks with
        convolutions, in one or two dimensions, circular or with zeros beside the edge.
    X : inputs, shape (N, channels, M), of any norms; (N, channels, M, M') in two dimensions.
    depth : L, the layer asked for; ``depth=1`` returns Sigma^1 twice.
    progress : called now and then as ``progress(done, total)``.

    Returns
    -------
    (Sigma, K), float64 arrays of shape (N, N, M, M), entry (n, m, alpha, alpha'); not normalised.  Positions in two
    dimensions are counted row by row.  Behind a readout (N, N): `flatten` takes the mean over equal positions,
    `average_pool` over all pairs of them.

    Raises
    ------
    InputError : X not of shape (N, channels, M), NaN or infinity, a depth below 1.
    UnsupportedError : variances beyond the float64 range.

    Source: HDR Proposition 1; with skip connections, layer 1 without one, Lemma 4.

    >>> from sympy import Integer
    >>> from asympt.meanfield.activations import activation
    >>> from asympt.meanfield.layer import Layer
    >>> from asympt.meanfield.statement import Statement
    >>> relu = Statement.plain(Layer(activation("relu"), Integer(2), Integer(0)))
    >>> Sigma, K = conv_gram(ConvStatement(relu, 3, 1), [[[3.0, 0.0, 0.0]]], depth=1)
    >>> print(Sigma[0, 0].round(6))
    [[6. 0. 0.]
     [0. 6. 0.]
     [0. 0. 6.]]
    """
    statement, depth = _stated(net), depth_of(depth)
    if statement is None:
        found = block_gram(net, X, depth, lambda total: Progress(progress_of(progress), total))
        return tuple(read_positions(net.readout, kernel) for kernel in found)
    engine, inputs = Engine.of(statement), _inputs(X, statement.positions)
    shift = exponent_of(inputs.reshape(len(inputs), -1)) if statement.is_scale_free else 0
    inputs = np.ldexp(inputs, -shift)
    rows = first_rows(engine, inputs, statement)
    first = rows.variances.ravel()
    report = Progress(progress_of(progress), rows.gap.size * (depth - 1))
    rows = iterate(engine, rows, depth, report.add)
    report.finish()
    q = rows.variances.ravel() * _growth(engine, statement, depth)
    with np.errstate(over="ignore"):
        q = np.ldexp(q, 2 * shift)
        roots = np.sqrt(q)[rows.first] * np.sqrt(q)[rows.second]
        ntk = roots * rows.kernel
    require_visible(first, q, depth, "input and position")
    if not np.isfinite(ntk).all():
        raise UnsupportedError(
            f"the NTK of layer {depth} exceeds the float64 range; use asympt.depth.convolution.conv_pairs, which "
            "returns values normalised by the variance"
        )
    return _matrices(roots * (1.0 - rows.gap), len(inputs)), _matrices(ntk, len(inputs))


def _stated(net) -> ConvStatement | None:
    """The statement with layer 1 as the network has it; None for blocks that have none, and behind a readout."""
    if not has_convolutions(net):
        return conv_statement_of(net)
    found = net.statement_from_first
    if net.readout is not None or found is None or net.parameters:
        return None
    return None if found.layer.is_scale_free and found.first.bias != 0 else found


def _inputs(values, positions: int) -> np.ndarray:
    array = finite_array(values, "X")
    if array.ndim != 3 or 0 in array.shape or array.shape[2] != positions:
        raise InputError(
            f"X has shape {array.shape}; give inputs of shape (N, channels, {positions}), one entry for every position"
        )
    return array


def _growth(engine: Engine, statement: ConvStatement, depth: int) -> float:
    """What the units of a phi without a scale leave out: (skip + beta chi)^(L-1)."""
    if not engine.layer.is_scale_free:
        return 1.0
    with np.errstate(over="ignore"):
        return float(np.exp((depth - 1) * np.log(float(precise(statement.dense.growth)))))


# ---- layer 1 ---------------------------------------------------------------------------------------------


def first_rows(engine: Engine, inputs: np.ndarray, statement: ConvStatement) -> Rows:
    """The rows of layer 1: for inputs n <= m and every offset d, the pairs (n, alpha), (m, alpha + d)."""
    count, size = len(inputs), statement.positions
    windows = windows_of(inputs, statement.reach)
    weight, bias = (float(precise(value)) for value in (statement.dense.first.weight, statement.dense.first.bias))
    own = window_variances(windows, weight)
    if bias == 0:
        require_visible(np.abs(windows).max(axis=1), own, 1, "input and position")
    first, second = _places(count, size)
    gap = gap_with_bias(_lookup(angular_gaps(windows), first, second, count * size), own[first], own[second], bias)
    return Rows(gap, 1.0 - gap, (bias + own).reshape(count, size), first, second)


def windows_of(inputs: np.ndarray, reach: int) -> np.ndarray:
    """What every position sees: rows (n, alpha), columns (channel, b)."""
    parts = [np.roll(inputs, -step, axis=2) for step in range(-reach, reach + 1)]
    return np.stack(parts, axis=1).transpose(0, 3, 2, 1).reshape(inputs.shape[0] * inputs.shape[2], -1)


def _places(count: int, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Flat places (n, alpha) and (m, alpha + d) of all rows (n <= m, d)."""
    i, j = np.triu_indices(count)
    alpha, offset = np.arange(size), np.arange(size)[:, None]
    first = np.broadcast_to(alpha, (size, size)) + size * i[:, None, None]
    second = (alpha + offset) % size + size * j[:, None, None]
    return first.reshape(-1, size), second.reshape(-1, size)


def _lookup(flat: np.ndarray, first: np.ndarray, second: np.ndarray, size: int) -> np.ndarray:
    """Entries (p, p') of a symmetric matrix with zeros on its diagonal, given as its upper triangle."""
    low, high = np.minimum(first, second), np.maximum(first, second)
    place = low * (2 * size - low - 1) // 2 + high - low - 1
    return np.where(low == high, 0.0, np.append(flat, 0.0)[np.where(low == high, -1, place)])


# ---- matrices over positions -------------------------------------------------------------------------------


def to_offsets(matrices: np.ndarray) -> np.ndarray:
    """(..., alpha, alpha') -> (..., d, alpha): row d holds the pairs (alpha, alpha + d).

    >>> to_offsets(np.array([[0, 1], [2, 3]])).tolist()
    [[0, 3], [1, 2]]
    """
    size = matrices.shape[-1]
    alpha, offset = np.arange(size), np.arange(size)[:, None]
    return matrices[..., alpha, (alpha + offset) % size]


def from_offsets(rows: np.ndarray) -> np.ndarray:
    """The inverse of `to_offsets`."""
    size = rows.shape[-1]
    alpha, other = np.arange(size)[:, None], np.arange(size)
    return rows[..., (other - alpha) % size, alpha]


def _matrices(flat: np.ndarray, count: int) -> np.ndarray:
    """All pairs of inputs from the rows of n <= m."""
    size = flat.shape[1]
    found = from_offsets(flat.reshape(-1, size, size))
    i, j = np.triu_indices(count)
    result = np.empty((count, count, size, size))
    result[j, i] = found.transpose(0, 2, 1)
    result[i, j] = found
    return result

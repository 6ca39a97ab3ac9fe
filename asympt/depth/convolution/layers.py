"""All layers of a convolutional network for many rows of pairs, a row being one offset around the circle.

Pairs (alpha, alpha + d) of one offset d depend on one another only, so a layer is the branch at every position, then
the mean over the filter along the row, both as compensated sums.  Three stages, each cheaper:

    moving     variances of their own at every position (`Moving`, `relu_like_pairs`): until they have settled
    settled    one correlation map for all; rows in blocks that fit the cache
    even       rows in which no position differs any more are one look-up for all layers that remain (`squaring`)

Windows are sums of 1, 2, 4, ... neighbours, added up by the binary digits of 2k+1; where all entries of a row are
within a factor of 2 they are first taken relative to one of them, so that a uniform row stays exactly as it is.
With variances of their own, gaps are known to about 1e-16 sqrt(gap).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from asympt.depth.activations import fixed_variance, has_odd_map, moving_of
from asympt.depth.constants import LayerConstants, constants, layer_of, precise
from asympt.depth.inputs import ALIKE, mixed_gap
from asympt.depth.loops.general import Change, table_change
from asympt.depth.loops.step import any_step
from asympt.depth.moving import SETTLED, Moving, Pairs
from asympt.depth.norms import move_pairs
from asympt.depth.parsing import LONGEST, require_walkable
from asympt.depth.squaring import HomogeneousLayer, OneLayer, Tabulated, many_layers
from asympt.depth.tables import tables
from asympt.errors import InputError
from asympt.meanfield.layer import Layer
from asympt.meanfield.statement import ConvStatement

# ---- the mean over a filter ------------------------------------------------------------------------------------------


def window_mean(values: np.ndarray, reach: int) -> np.ndarray:
    """The mean over alpha - reach, ..., alpha + reach along the last axis, which is a circle.

    >>> window_mean(np.array([0.0, 3.0, 0.0, 0.0]), 1)
    array([1., 1., 1., 0.])
    """
    if reach == 0:
        return values
    reference = reference_of(values)
    return reference + bare_mean(values - reference, reach)


def bare_mean(values: np.ndarray, reach: int) -> np.ndarray:
    """The same, sums as they come."""
    if reach == 0:
        return values
    total = window_sum(values, reach)
    return np.divide(total, 2 * reach + 1, out=total)


def window_sum(values: np.ndarray, reach: int) -> np.ndarray:
    """The sum over the filter."""
    size, width = values.shape[-1], 2 * reach + 1
    power = np.concatenate([values[..., size - reach :], values, values[..., :reach]], axis=-1)
    total, start, span = None, 0, 1
    while width:
        if width & 1:
            part = power[..., start : start + size]
            total = part.copy() if total is None else np.add(total, part, out=total)
            start += span
        width >>= 1
        if width:
            power = power[..., :-span] + power[..., span:]
            span *= 2
    return total


def reference_of(*values: np.ndarray) -> np.ndarray:
    """For every row the first entry of the first array, or 0 where not all entries are within a factor 2."""
    low = np.min([v.min(axis=-1) for v in values], axis=0)
    high = np.max([v.max(axis=-1) for v in values], axis=0)
    return np.where((low > 0) & (high <= 2 * low) & np.isfinite(high), values[0][..., 0], 0.0)[..., None]


def spread(one: np.ndarray, two: np.ndarray, wide_one: np.ndarray, wide_two: np.ndarray, reach: int, share: float):
    """(sqrt(Q Q') - B(u v), sqrt(Q Q')), u = sqrt(q), v = sqrt(q'), Q = B q, Q' = B q', B = (1-share) + share * mean.

    Cauchy and Schwarz: Q Q' - (B u v)^2 = Q' B[(u - r v)^2] with r = B(u v)/Q', free of cancellation.
    """
    norm = np.sqrt(wide_one) * np.sqrt(wide_two)
    product = (1 - share) * (one * two) + share * bare_mean(one * two, reach)
    ratio = product / np.where(wide_two > 0, wide_two, 1.0)
    rest = (1 - share) * (one - ratio * two) ** 2
    for step in range(-reach, reach + 1):
        difference = np.roll(one, -step, axis=-1) - ratio * np.roll(two, -step, axis=-1)
        rest += share / (2 * reach + 1) * difference**2
    return rest * (wide_two / np.where(norm > 0, norm + product, 1.0)), norm


# ---- one position ----------------------------------------------------------------------------------------------------


def relu_like_change(gap: np.ndarray, kernel: np.ndarray, numbers: LayerConstants, chi: float) -> Change:
    """One application of f and f' for a ReLU-like phi, both times `chi`."""
    step = any_step(gap / 2, kernel, numbers)
    if chi == 1:
        return Change(2 * step.base, 2 * step.drop, step.kernel, step.turn)
    return Change(2 * chi * step.base, 2 * chi * step.drop, chi * step.kernel, chi * step.turn)


def relu_like_pairs(gap, kernel, one, two, numbers: LayerConstants) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(image of the gap, f' k + image of c, R) for pairs of variances `one` and `two`.

    Without bias everything is in units in which a layer keeps the variance (chi = 1).
    """
    step = any_step(gap / 2, kernel, numbers)
    image, turned, bias = 2 * (step.base - step.drop), step.kernel - step.turn, numbers.bias
    if bias == 0:
        return image, turned + (1 - image), np.sqrt(one) * np.sqrt(two)
    mean = numbers.chi * np.sqrt(one) * np.sqrt(two)
    roots = np.sqrt(bias + numbers.chi * one) * np.sqrt(bias + numbers.chi * two)
    image = mixed_gap(image, bias, mean, numbers.chi * (np.sqrt(one) - np.sqrt(two)) ** 2, roots)
    return image, mean / roots * turned + (1 - image), roots


def relu_like_variances(q: np.ndarray, numbers: LayerConstants) -> np.ndarray:
    """V(q) of the branch, in the units of `relu_like_pairs`."""
    return q if numbers.bias == 0 else numbers.bias + numbers.chi * q


def moving_pairs(moving: Moving, gap, kernel, q: np.ndarray, first: np.ndarray, second: np.ndarray) -> tuple:
    """(image of the gap, f' k + image of c, V): q is flat, `first` and `second` say which entries a pair has."""
    shape = gap.shape
    pairs = Pairs(first.ravel(), second.ravel(), gap.ravel().copy(), kernel.ravel().copy())
    after, *_ = move_pairs(moving, pairs, q, lambda done: None)
    return pairs.gap.reshape(shape), pairs.kernel.reshape(shape), after


# ---- all layers ------------------------------------------------------------------------------------------------------

BLOCK = 2**14  # entries of a block of rows
LOOKS = 16  # layers between two looks for rows that have become even
EVEN = 4e-16
VANISHED = 1e-290


@dataclass(frozen=True)
class Engine:
    """What the loop reads of a statement: phi with its numbers, the reach, and the branch's share of a layer."""

    layer: Layer
    reach: int
    branch_share: float

    @classmethod
    def of(cls, statement: ConvStatement) -> "Engine":
        """Read a statement; an error where it is not that of a convolutional network with equal layers."""
        dense = statement.dense
        layer = layer_of(dense.layer)
        statement.require_equal_layers()
        return cls(layer, statement.reach, float(precise(dense.branch_share)))

    @cached_property
    def is_relu_like(self) -> bool:
        """Whether phi is a kink or a line."""
        return self.layer.activation.is_relu_like

    @cached_property
    def numbers(self) -> LayerConstants:
        """Float64 constants of a ReLU-like layer."""
        return constants(self.layer)

    @cached_property
    def fixed(self) -> float | None:
        """The fixed point of the variance, None where there is none to settle at."""
        if not self.is_relu_like:
            value = fixed_variance(self.layer)
            return value if value else None
        found = self.numbers
        return found.bias / -found.chi_excess if found.bias > 0 and found.chi_excess < 0 else None

    @cached_property
    def alike(self) -> OneLayer:
        """A layer for pairs of positions that no longer differ."""
        if not self.is_relu_like:
            return Tabulated(tables(self.layer), is_odd=has_odd_map(self.layer))
        numbers = self.numbers
        if self.layer.is_scale_free:
            return HomogeneousLayer(numbers, share=self.branch_share, rate=self.branch_share)
        return HomogeneousLayer(numbers, chi_excess=numbers.chi_excess, constant=-numbers.chi_excess, rate=numbers.chi)

    def change(self, gap: np.ndarray, kernel: np.ndarray) -> Change:
        """The branch at the fixed point of the variance."""
        if not self.is_relu_like:
            return table_change(gap, kernel, tables(self.layer))
        return relu_like_change(gap, kernel, self.numbers, 1 if self.layer.is_scale_free else self.numbers.chi)


@dataclass
class Rows:
    """Gaps and K/sqrt(q q'), shape (rows, M); variances (inputs, M) with flat indices per pair, None if settled."""

    gap: np.ndarray
    kernel: np.ndarray
    variances: np.ndarray | None = None
    first: np.ndarray | None = None
    second: np.ndarray | None = None


def iterate(engine: Engine, rows: Rows, depth: int, tick: Callable[[int], None]) -> Rows:
    """The rows of layer `depth` from those of layer 1; `tick(entries)` is called as entries times layers are done."""
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        layer = 1
        if depth > LONGEST and rows.variances is not None and not engine.layer.is_scale_free and engine.fixed is None:
            require_walkable(depth, "variances do not settle")
        while layer < depth and rows.variances is not None and not _has_settled(engine, rows):
            rows, layer = _moving_layer(engine, rows), layer + 1
            tick(rows.gap.size)
        if layer < depth:
            rows = replace(rows, variances=_final(engine, rows), gap=rows.gap.copy(), kernel=rows.kernel.copy())
            per = max(1, BLOCK // rows.gap.shape[1])
            for start in range(0, len(rows.gap), per):
                part = slice(start, start + per)
                rows.gap[part], rows.kernel[part] = _settled(
                    engine, rows.gap[part], rows.kernel[part], depth - layer, tick
                )
    return rows


# ---- variances of their own ------------------------------------------------------------------------------


def _has_settled(engine: Engine, rows: Rows) -> bool:
    q = rows.variances
    if engine.layer.is_scale_free:
        return bool(np.all(np.ptp(q, axis=1) <= ALIKE * q.max(axis=1)))
    tolerance = 2 * EVEN if engine.is_relu_like else SETTLED
    if np.ptp(q) > 2 * tolerance * q.max():  # the fixed point may take seconds to find
        return False
    return engine.fixed is not None and bool(np.all(np.abs(q - engine.fixed) <= tolerance * engine.fixed))


def _final(engine: Engine, rows: Rows) -> np.ndarray | None:
    """Settled variances: the fixed point itself, or for a phi without a scale what they have come to."""
    if rows.variances is None or engine.layer.is_scale_free:
        return rows.variances
    return np.full_like(rows.variances, engine.fixed)


def _moving_layer(engine: Engine, rows: Rows) -> Rows:
    q, share, reach = rows.variances, engine.branch_share, engine.reach
    flat = q.ravel()
    if engine.is_relu_like:
        after = relu_like_variances(q, engine.numbers)
        one, two = flat[rows.first], flat[rows.second]
        image, learned, _ = relu_like_pairs(rows.gap, rows.kernel, one, two, engine.numbers)
    else:
        image, learned, after = moving_pairs(moving_of(engine.layer), rows.gap, rows.kernel, flat, *_indices(rows))
        after = after.reshape(q.shape)
    wide = (1 - share) * q + share * window_mean(after, reach)
    u, v = (np.sqrt(after).ravel()[index] for index in _indices(rows))
    apart, norm = spread(u, v, *(wide.ravel()[index] for index in _indices(rows)), reach, share)
    root, scale = u * v, np.where(norm > 0, norm, 1.0)
    gap = (apart + (1 - share) * root * rows.gap + share * bare_mean(root * image, reach)) / scale
    kernel = ((1 - share) * root * rows.kernel + share * bare_mean(root * learned, reach)) / scale
    gap = np.where(norm > 0, np.clip(gap, 0.0, 2.0), 1.0)
    return replace(rows, gap=gap, kernel=kernel, variances=wide)


def _indices(rows: Rows) -> tuple[np.ndarray, np.ndarray]:
    return rows.first, rows.second


# ---- settled variances -------------------------------------------------------------------------------------


def _settled(engine: Engine, gap: np.ndarray, kernel: np.ndarray, layers: int, tick) -> tuple[np.ndarray, np.ndarray]:
    """`layers` layers of one block of rows."""
    carry, owed = np.zeros_like(gap), np.zeros_like(gap)
    for done in range(layers):
        if done % LOOKS == 0:
            gap[gap < VANISHED] = 0.0
            if engine.reach == 0 or (_is_even(gap) and _is_even(kernel)):
                tick(gap.size * (layers - done))
                return _alike(engine, gap, kernel, layers - done)
        gap, kernel, carry, owed = _settled_layer(engine, gap, kernel, carry, owed)
        tick(gap.size)
    return gap, kernel


def _alike(engine: Engine, gap: np.ndarray, kernel: np.ndarray, layers: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows whose positions no longer differ: a fully connected network, all of whose layers are one table."""
    kept = slice(None) if engine.reach == 0 else slice(1)
    found = many_layers(engine.alike, layers, gap[:, kept].ravel(), kernel[:, kept].ravel())
    return tuple(np.broadcast_to(v.reshape(gap[:, kept].shape), gap.shape) for v in found)


def _settled_layer(engine: Engine, gap, kernel, carry, owed) -> tuple:
    change, share, reach = engine.change(gap, kernel), engine.branch_share, engine.reach

    def lower(kept, base, drop, extra, lost):
        """(1 - share) kept + share mean(base - drop) + extra, and what rounding it leaves.

        Relative to the reference everything is small, so that one mean of all of it loses nothing.
        """
        reference = base if reach == 0 else reference_of(base, kept) if share < 1 else reference_of(base)
        wanted = base - reference
        np.subtract(drop, wanted, wanted)
        wanted += lost
        wanted = bare_mean(wanted, reach)
        if share < 1:
            wanted = share * wanted + (1 - share) * (lost - (kept - reference))
        wanted -= extra
        result = reference - wanted
        wanted -= reference - result
        return result, wanted

    after, carry = lower(gap, change.base, change.drop, 0.0, carry)
    forcing = share - after + (1 - share) * gap
    kernel, owed = lower(kernel, change.kernel, change.turn, forcing, owed)
    return after, kernel, carry, owed


def _is_even(values: np.ndarray) -> bool:
    return bool(np.all(np.ptp(values, axis=1) <= EVEN * np.abs(values).max(axis=1)))


# ---- reading a network -----------------------------------------------------------------------------------


def conv_statement_of(net) -> ConvStatement:
    """The statement of a convolutional network, or the statement itself."""
    statement = getattr(net, "statement", net)
    if not isinstance(statement, ConvStatement):
        raise InputError(f"net = {net!r} is not convolutional; give a ConvNet, a ConvResNet or a ConvStatement")
    return statement

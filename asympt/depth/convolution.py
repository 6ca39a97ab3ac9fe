"""Sigma and K of a convolutional network for inputs or for pairs of positions.

Layer 1 compares windows of the inputs (HDR Proposition 1): its gaps are those of the angles between windows
(`gaps.angular_gaps`), mixed with the bias.  Every pair of inputs gives M rows, one for each offset d, entry alpha the
pair (alpha, alpha + d): N M (N M + 1)/2 pairs, about 200 bytes each.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from sympy import Expr

from asympt.arrays import finite_array
from asympt.blocks import nodes
from asympt.blocks.nodes import Node, every_node
from asympt.deadline import UNLIMITED, in_budget
from asympt.depth.activations import fixed_variance, has_odd_map, moving_of
from asympt.depth.composed.layers import BlockNetwork, Groups, Layers, NeuronGroup, Walk, number, numbered, roots
from asympt.depth.composed.run import AtLayer
from asympt.depth.finite.composition import taps
from asympt.depth.gaps import ALIKE, angular_gaps, exponent_of, mixed_gap, require_held, require_visible
from asympt.depth.moving import SETTLED, Pairs
from asympt.depth.norms import move_pairs
from asympt.depth.norms.tiles import Paired
from asympt.depth.parsing import LONGEST, depth_of, gaps_of, progress_of, require_walkable, spread_of, two_of
from asympt.depth.squaring import HomogeneousLayer, OneLayer, Tabulated, many_layers
from asympt.depth.stack import LayerChange, LayerConstants, any_step, constants, layer_of, precise
from asympt.depth.tables import table_change, tables
from asympt.depth.workers import Progress
from asympt.errors import InputError, UnsupportedError
from asympt.meanfield.layer import ConvStatement, Layer

__all__ = ["conv_gram", "conv_pairs", "from_offsets", "to_offsets"]
__dir__ = __all__.copy


# ---- any composition with convolutions: on a circle or a torus, or with zeros beside the edge ------------------------
#
# A position of an input is an input of its own to every primitive but the convolution (`depth.composed.layers`), which
# takes means over the filter, absent positions counted as zeros, b = sigma_b^2, w = sigma_w^2:
#
#     Q = b + w mean q_beta,      S = b + w mean s_beta,      K <- S + w mean K_beta
#
# and the gap 1 - S/sqrt(Q Q') without cancellation: with r = sqrt(q q'), B = b + w mean r_beta and z = B/Q',
#
#     sqrt(Q Q') - S = w mean r_beta gamma_beta + (sqrt(Q Q') - B),
#     Q Q' - B^2 = Q' (b (1 - z)^2 + w mean (sqrt q_beta - z sqrt q'_beta)^2).
#
# A layer costs 1.5 (N P)^2 numbers, some 100 bytes each.


Array = np.ndarray


def grid_of(net: BlockNetwork) -> tuple[int, ...]:
    """The positions in every direction, the same for all convolutions."""
    grids = {node.positions for node in (net.first, *net.all_nodes) if node.is_convolution}
    if len(grids) != 1 or not net.first.is_convolution:
        raise InputError(
            f"the convolutions have the positions {', '.join(map(str, sorted(grids)))} and layer 1 is {net.first!r}; "
            "give a convolution as layer 1, and all of them the same positions"
        )
    return grids.pop()


@dataclass(frozen=True)
class Places:
    """All pairs u <= v of the positions of `count` inputs, input by input, in the order of a triangle."""

    count: int
    grid: tuple[int, ...]

    @property
    def size(self) -> int:
        """The positions of all inputs."""
        return self.count * int(np.prod(self.grid))

    @property
    def pairs(self) -> Paired:
        """(u, v)."""
        return Paired(*np.triu_indices(self.size))

    def shifted(self, reach: tuple[int, ...], padding: str = "circular") -> Array:
        """For every entry of a filter the place that it reads at every place, -1 beside the edge."""
        inner = taps(reach, self.grid, padding)[:, None, :]
        moved = inner + inner.shape[-1] * np.arange(self.count)[:, None]
        return np.where(inner >= 0, moved, -1).reshape(len(inner), -1)

    def read(self, values: Array, one: Array, two: Array) -> Array:
        """What is known of the pairs (u, v), and 0 where one of them is absent."""
        low, high = np.minimum(one, two), np.maximum(one, two)
        place = low * (2 * self.size - low - 1) // 2 + high
        return np.where(low >= 0, values[np.where(low >= 0, place, 0)], 0.0)

    def matrices(self, values: Array) -> Array:
        """(N, N, P, P)."""
        found = np.empty((self.size, self.size))
        one, two = self.pairs
        found[one, two] = found[two, one] = values
        inner = self.size // self.count
        return found.reshape(self.count, inner, self.count, inner).swapaxes(1, 2)


@dataclass(frozen=True)
class PositionLayers(Layers):
    """Layers whose inputs are positions, with convolutions among them."""

    places: Places = field(default=None, kw_only=True)

    def _through(self, node: Node, groups: Groups, layer: int) -> Groups:
        if not node.is_convolution:
            return super()._through(node, groups, layer)
        return (convolved(node, self._whole(groups), self.places, self.pairs),)

    def _dropped(self, keep: float, read: NeuronGroup) -> NeuronGroup:
        """One mask for a position with itself alone."""
        one, two = self.pairs
        lift = (1.0 - keep) * (one != two)
        return read.moved(read.q / keep, read.track.through(-lift, 0.0, 0.0, lift))


def convolved(node: nodes.ConvNode, read: NeuronGroup, places: Places, pairs: Paired) -> NeuronGroup:
    weight, bias = number(node.sigma_w**2), number(node.sigma_b**2)
    shifted, root, kernel = places.shifted(node.reach, node.padding), np.sqrt(np.append(read.q, 0.0)), np.broadcast_to(
        read.track.source, read.track.gap.shape)  # fmt: skip
    share, present = weight / len(shifted), np.append(read.q, 0.0)  # place -1 is absent
    q = bias + share * sum(present[at] for at in shifted)
    lost, turned, mean = (np.zeros_like(read.track.gap) for _ in range(3))
    for at in shifted:
        one, two = pairs.first(at), pairs.second(at)
        r = share * root[one] * root[two]
        mean += r
        lost += r * places.read(read.track.gap, one, two)
        turned += r * places.read(kernel, one, two)
    total, product = roots(q, pairs), bias + mean
    safe = np.where(total > 0, total, 1.0)
    ratio = product / np.where(pairs.second(q) > 0, pairs.second(q), 1.0)
    apart = bias * (1.0 - ratio) ** 2
    for at in shifted:
        apart += share * (root[pairs.first(at)] - ratio * root[pairs.second(at)]) ** 2
    lag = apart * pairs.second(q) / (safe + product)
    gap = np.where(pairs.rows == pairs.columns, 0.0, (lost + lag) / safe)
    gap = np.clip(gap, 0.0, 2.0)
    return NeuronGroup(1.0, q, Walk(gap, None, 1.0 - gap + turned / safe))


def first_layer(net: BlockNetwork, X: Array, places: Places) -> AtLayer:
    """Layer 1: the angles between what the filter sees of the inputs, mixed with the bias."""
    node, pairs = net.first, places.pairs
    gap, q = window_gaps(X, places.shifted(node.reach, node.padding), node.sigma_w**2, node.sigma_b**2, *pairs)
    gap[pairs.rows == pairs.columns] = 0.0
    _require_loud(net, q)
    return AtLayer.begun(gap, q, pairs)


def window_gaps(X: Array, shifted: Array, weight: Expr, bias: Expr, first: Array, second: Array) -> tuple[Array, Array]:
    """(1 - (b + sqrt(x y) c)/sqrt((b + x)(b + y)) without cancellation, b + x), x = sigma_w^2 times the mean square.

    `shifted`: the places that every place sees; `first`, `second`: those of the pairs.
    """
    weight, bias = number(weight), number(bias)
    seen = np.append(X.reshape(*X.shape[:2], -1).swapaxes(1, 2).reshape(-1, X.shape[1]), np.zeros((1, X.shape[1])), 0)
    windows = np.concatenate([seen[at] for at in shifted], axis=1)
    with np.errstate(over="ignore"):
        own = weight * np.einsum("pd,pd->p", windows, windows) / windows.shape[1]
    if not np.isfinite(own).all():
        raise UnsupportedError(
            f"X has entries up to {np.abs(windows).max():.3g}, whose squares exceed the float64 range; divide X by a "
            "common factor"
        )
    gap, root = angular_gaps(windows)[first, second], np.sqrt(own)
    if bias == 0:
        require_visible(np.abs(windows).max(axis=1), own, 1, "input and position")
        return gap, own
    one, two, after = root[first], root[second], np.sqrt(bias + own)
    return mixed_gap(gap, bias, one * two, (one - two) ** 2, after[first] * after[second]), bias + own


def _require_loud(net: BlockNetwork, q: Array) -> None:
    silent = np.flatnonzero(q == 0)
    if silent.size and any(node.is_norm for node in net.all_nodes):
        raise UnsupportedError(
            f"input and position {int(silent[0])} has variance 0 in layer 1, and a norm divides by its deviation; take "
            "sigma_b > 0 in layer 1, or leave the input out"
        )


def block_gram(net, X, depth: int, report: Callable[[int], Progress]) -> tuple[Array, Array]:
    """(Sigma, K) of layer L at all pairs of inputs and of positions, (N, N, P, P)."""
    found = numbered(tuple(net.blocks), net.first)
    grid = grid_of(found)
    inputs = finite_array(X, "X")
    if inputs.ndim != 2 + len(grid) or 0 in inputs.shape or inputs.shape[2:] != grid:
        raise InputError(
            f"X has shape {inputs.shape}; give inputs of shape (N, channels, {', '.join(map(str, grid))}), one entry "
            "for every position"
        )
    require_walkable(depth, "every position has a variance of its own")
    places = Places(len(inputs), grid)
    at, done = first_layer(found, inputs, places), report(places.size**2 // 2 * (depth - 1))
    layers = PositionLayers(depth, places.pairs, places=places)
    while at.layer < depth:
        at = at.step(found, layers)
        layers.trace.clear()
        done.add(places.size**2 // 2)
    done.finish()
    gap, kernel, q = at.last
    root = roots(q, places.pairs)
    return places.matrices(root * (1.0 - gap)), places.matrices(root * kernel)


def has_convolutions(net) -> bool:
    """Whether a composed network has convolutions."""
    return any(node.is_convolution for node in every_node(getattr(net, "blocks", ())))


def read_positions(readout: Node | None, kernel: Array) -> Array:
    """What a readout sees of (N, N, P, P)."""
    if readout == nodes.AveragePoolNode():
        return kernel.mean(axis=(2, 3))
    if readout == nodes.FlattenNode():
        return np.einsum("nmaa->nm", kernel) / kernel.shape[-1]
    return kernel


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


def relu_like_change(gap: np.ndarray, kernel: np.ndarray, numbers: LayerConstants, chi: float) -> LayerChange:
    """One application of f and f' for a ReLU-like phi, both times `chi`."""
    step = any_step(gap / 2, kernel, numbers)
    if chi == 1:
        return LayerChange(2 * step.base, 2 * step.drop, step.kernel, step.turn)
    return LayerChange(2 * chi * step.base, 2 * chi * step.drop, chi * step.kernel, chi * step.turn)


def relu_like_pairs(gap, kernel, one, two, numbers: LayerConstants) -> tuple[np.ndarray, np.ndarray]:
    """(image of the gap, f' k + image of c) for pairs of variances `one` and `two`.

    Without bias everything is in units in which a layer keeps the variance (chi = 1).
    """
    step = any_step(gap / 2, kernel, numbers)
    image, turned, bias = 2 * (step.base - step.drop), step.kernel - step.turn, numbers.bias
    if bias == 0:
        return image, turned + (1 - image)
    mean = numbers.chi * np.sqrt(one) * np.sqrt(two)
    roots = np.sqrt(bias + numbers.chi * one) * np.sqrt(bias + numbers.chi * two)
    image = mixed_gap(image, bias, mean, numbers.chi * (np.sqrt(one) - np.sqrt(two)) ** 2, roots)
    return image, mean / roots * turned + (1 - image)


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

    def change(self, gap: np.ndarray, kernel: np.ndarray) -> LayerChange:
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
    """The rows of layer `depth` from those of layer 1; `tick(entries)` is called as entries times layers are done.

    Pairs (alpha, alpha + d) of one offset d depend on one another: the branch at every position, then the mean over
    the filter along the row.  Variances of their own until they have settled (gaps known to 1e-16 sqrt(gap)), then one
    map for all, then, where no position of a row differs any more, one look-up for all layers that remain.
    """
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
        after = q if engine.numbers.bias == 0 else engine.numbers.bias + engine.numbers.chi * q
        image, learned = relu_like_pairs(rows.gap, rows.kernel, flat[rows.first], flat[rows.second], engine.numbers)
    else:
        pairs = Pairs(rows.first.ravel(), rows.second.ravel(), rows.gap.flatten(), rows.kernel.flatten())
        after = move_pairs(moving_of(engine.layer), pairs, flat, lambda done: None)[0].reshape(q.shape)
        image, learned = (values.reshape(rows.gap.shape) for values in (pairs.gap, pairs.kernel))
    wide = (1 - share) * q + share * window_mean(after, reach)
    u, v, *both = (of.ravel()[index] for of in (np.sqrt(after), wide) for index in (rows.first, rows.second))
    apart, norm = spread(u, v, *both, reach, share)
    root, scale = u * v, np.where(norm > 0, norm, 1.0)
    gap = (apart + (1 - share) * root * rows.gap + share * bare_mean(root * image, reach)) / scale
    kernel = ((1 - share) * root * rows.kernel + share * bare_mean(root * learned, reach)) / scale
    gap = np.where(norm > 0, np.clip(gap, 0.0, 2.0), 1.0)
    return replace(rows, gap=gap, kernel=kernel, variances=wide)


# ---- settled variances -------------------------------------------------------------------------------------


def _settled(engine: Engine, gap: np.ndarray, kernel: np.ndarray, layers: int, tick) -> tuple[np.ndarray, np.ndarray]:
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
    depth : L, the requested layer; ``depth=1`` returns the gaps and 1 - gaps.
    variance : q^1 at the positions of the first input, or the tuple of those of the two inputs (the second read at
        alpha + d); numbers or arrays that broadcast with `gaps`.  Left out: all variances are equal and settled
        ("constant variance approximation" of HDR).
    progress : called now and then as ``progress(done, total)``, in entries times layers.

    Returns (gap_L, k_L), float64 arrays of the shape of `gaps`. Relative errors are a few 1e-16 for gap_L and below
    1e-13 for k_L with settled variances and a ReLU-like phi, below 1e-12 for other activations.
    Raises `InputError` for values outside their range, a last axis that has not M entries, no `variance` where one is
    needed; `UnsupportedError` for skip connections with a phi that is not ReLU-like.

    Source: HDR = Hayou, Doucet and Rousseau (2020), Proposition 1 and Lemma 4.

    >>> from asympt import ConvNet
    >>> gap, k = conv_pairs(ConvNet("relu", positions=4, reach=1), [1.0, 0.0, 0.0, 0.0], depth=2)
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
    if variance is None:
        if not engine.layer.is_scale_free and engine.fixed is None:
            raise InputError(
                f"variance = None, but the variance of activation {engine.layer.activation.name!r} with these standard "
                "deviations has no stable fixed point; give variance, the q^1 of the first layer"
            )
        return None, None, None
    first, second = (two_of(variance) * 2)[:2]
    index = np.arange(flat[0] * flat[1]).reshape(flat)
    if first is second:
        return spread_of(variance, shape, "gaps").reshape(flat), index, index
    both = [spread_of(values, shape, "gaps").reshape(flat) for values in (first, second)]
    return np.concatenate(both), index, index + index.size


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
    depth : L, the requested layer; ``depth=1`` returns Sigma^1 twice.
    progress : called now and then as ``progress(done, total)``.

    Returns (Sigma, K), float64 arrays of shape (N, N, M, M), entry (n, m, alpha, alpha'); not normalised.  Positions in
    two dimensions are counted row by row.  Behind a readout (N, N): `flatten` takes the mean over equal positions,
    `average_pool` over all pairs of them.
    Raises `InputError` for X not of shape (N, channels, M), NaN or infinity, a depth below 1; `UnsupportedError` for
    variances beyond the float64 range.

    Source: HDR Proposition 1; with skip connections, layer 1 without one, Lemma 4.

    >>> from asympt import ConvNet
    >>> Sigma, K = conv_gram(ConvNet("relu", positions=3, reach=1), [[[3.0, 0.0, 0.0]]], depth=1)
    >>> print(Sigma[0, 0].round(6))
    [[6. 0. 0.]
     [0. 6. 0.]
     [0. 0. 6.]]
    """
    statement, depth = _stated(net), depth_of(depth)
    if statement is None:
        blocks = net if has_convolutions(net) else net.composition
        found = block_gram(blocks, X, depth, lambda total: Progress(progress_of(progress), total))
        return tuple(read_positions(blocks.readout, kernel) for kernel in found)
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
    require_held(first, q, ntk, depth, "input and position", "convolution.conv_pairs")
    return _matrices(roots * (1.0 - rows.gap), len(inputs)), _matrices(ntk, len(inputs))


def _stated(net) -> ConvStatement | None:
    """The statement with layer 1 as the network has it; None for blocks without equal layers, and behind a readout."""
    if not has_convolutions(net):
        found = conv_statement_of(net)
        return None if found.skip and not found.is_scale_free and hasattr(net, "composition") else found
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
    if not engine.layer.is_scale_free:
        return 1.0
    with np.errstate(over="ignore"):
        return float(np.exp((depth - 1) * np.log(float(precise(statement.dense.growth)))))


# ---- layer 1 ---------------------------------------------------------------------------------------------


def first_rows(engine: Engine, inputs: np.ndarray, statement: ConvStatement) -> Rows:
    """The rows of layer 1: for inputs n <= m and every offset d, the pairs (n, alpha), (m, alpha + d)."""
    count, size, dense = len(inputs), statement.positions, statement.dense.first
    shifted, (first, second) = Places(count, (size,)).shifted((statement.reach,)), _places(count, size)
    gap, q = window_gaps(inputs, shifted, dense.weight, dense.bias, first, second)
    return Rows(gap, 1.0 - gap, q.reshape(count, size), first, second)


def _places(count: int, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Flat places (n, alpha) and (m, alpha + d) of all rows (n <= m, d)."""
    i, j = np.triu_indices(count)
    alpha, offset = np.arange(size), np.arange(size)[:, None]
    first = np.broadcast_to(alpha, (size, size)) + size * i[:, None, None]
    second = (alpha + offset) % size + size * j[:, None, None]
    return first.reshape(-1, size), second.reshape(-1, size)


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
    size = flat.shape[1]
    found = from_offsets(flat.reshape(-1, size, size))
    i, j = np.triu_indices(count)
    result = np.empty((count, count, size, size))
    result[j, i] = found.transpose(0, 2, 1)
    result[i, j] = found
    return result

"""Sigma and K of a convolutional network for inputs or for pairs of positions: any composition with convolutions.

A position of an input is an input of its own to every primitive but the convolution (`depth.composed.layers`), which
takes means over the filter, absent positions counted as zeros, b = sigma_b^2, w = sigma_w^2 (HDR Proposition 1):

    Q = b + w mean q_beta,      S = b + w mean s_beta,      K <- S + w mean K_beta

and the gap 1 - S/sqrt(Q Q') without cancellation: with r = sqrt(q q'), B = b + w mean r_beta and z = B/Q',

    sqrt(Q Q') - S = w mean r_beta gamma_beta + (sqrt(Q Q') - B),
    Q Q' - B^2 = Q' (b (1 - z)^2 + w mean (sqrt q_beta - z sqrt q'_beta)^2).

Every pair of inputs has a row for each offset d, entry alpha the pair (alpha, alpha + d), which the filter mixes: N
(N + 1)/2 P^2 pairs, some 100 bytes each.  Where no position of a row differs from the others any more, the layers that
remain are those of a dense network.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace

import numpy as np
from sympy import Expr

from asympt.arrays import finite_array
from asympt.blocks import nodes
from asympt.blocks.nodes import Node, every_node
from asympt.deadline import UNLIMITED, in_budget
from asympt.depth.composed.layers import (
    ALIKE,
    BlockNetwork,
    Groups,
    Layers,
    NeuronGroup,
    PairValues,
    blocks_of_statement,
    number,
    numbered,
    roots,
)
from asympt.depth.composed.run import PATIENCE, AtLayer, ComposedStack
from asympt.depth.finite.composition import taps
from asympt.depth.gaps import angular_gaps, exponent_of, mixed_gap, require_held, require_visible
from asympt.depth.norms.tiles import Paired
from asympt.depth.parsing import depths_of, gaps_of, progress_of, require_walkable, spread_of, two_of
from asympt.depth.stack import VANISHED, fixed_variance
from asympt.depth.workers import Progress
from asympt.errors import InputError, UnsupportedError
from asympt.meanfield.layer import ConvStatement
from asympt.spelling import publish

__all__ = ["conv_gram", "conv_pairs", "from_offsets", "to_offsets"]

Array = np.ndarray
LOOKS = 16  # layers between two looks for rows that have become even
EVEN = 4e-15

# ---- reading a network -----------------------------------------------------------------------------------------------


def network_of(net) -> BlockNetwork:
    """The blocks of a convolutional network, or of a ConvStatement, with numbers in them."""
    blocks = net if has_convolutions(net) else getattr(net, "composition", net)
    if isinstance(net, ConvStatement):
        net.require_equal_layers()
        dense, circle = blocks_of_statement(net.dense), (net.positions, net.reach)
        found = numbered(conv_of(dense.blocks, circle), conv_of(dense.first, circle))
    elif has_convolutions(blocks):
        found = numbered(tuple(blocks.blocks), blocks.first)
    else:
        raise InputError(f"net = {net!r} is not convolutional; give a ConvNet, a ConvResNet or blocks with conv(...)")
    grids = {node.positions for node in (found.first, *found.all_nodes) if node.is_convolution}
    if len(grids) != 1 or not found.first.is_convolution:
        raise InputError(
            f"the convolutions have the positions {', '.join(map(str, sorted(grids)))} and layer 1 is {found.first!r}; "
            "give a convolution as layer 1, and all of them the same positions"
        )
    return found


def has_convolutions(net) -> bool:
    """Whether a composed network has convolutions."""
    return any(node.is_convolution for node in every_node(getattr(net, "blocks", ())))


def dense_of(thing):
    """A node (or what its fields hold) with a dense for every convolution: what it is to positions that are alike."""
    return _exchanged(thing, lambda node: nodes.DenseNode(node.sigma_w, node.sigma_b) if node.is_convolution else None)


def conv_of(thing, circle: tuple[int, int]):
    """The same backwards, on a circle of positions and with a reach."""
    positions, reach = circle
    return _exchanged(thing, lambda node: nodes.ConvNode((reach,), (positions,), node.sigma_w, node.sigma_b, "circular")
                      if node.is_dense else None)  # fmt: skip


def _exchanged(thing, other: Callable[[Node], Node | None]):
    """With `other` of a node in its place, where there is one."""
    if isinstance(thing, tuple):
        return tuple(_exchanged(part, other) for part in thing)
    if not isinstance(thing, Node):
        return thing
    return other(thing) or replace(
        thing, **{part.name: _exchanged(getattr(thing, part.name), other) for part in fields(thing)}
    )


def read_positions(readout: Node | None, kernel: Array) -> Array:
    """What a readout sees of (N, N, P, P)."""
    if readout == nodes.AveragePoolNode():
        return kernel.mean(axis=(2, 3))
    if readout == nodes.FlattenNode():
        return np.einsum("nmaa->nm", kernel) / kernel.shape[-1]
    return kernel


# ---- pairs of positions, and the filter ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Places:
    """Rows of pairs of the positions of `count` inputs: the places (input and position) of both, shape (rows, P)."""

    count: int
    grid: tuple[int, ...]
    first: Array
    second: Array

    @classmethod
    def of(cls, count: int, grid: tuple[int, ...]) -> "Places":
        """All pairs of two inputs n <= m: a row for every offset."""
        size = int(np.prod(grid))
        i, j = (size * places[:, None, None] for places in np.triu_indices(count))
        first, second = np.broadcast_arrays(i + np.arange(size), j + shifts(grid))
        return cls(count, grid, first.reshape(-1, size), second.reshape(-1, size))

    @property
    def pairs(self) -> Paired:
        """(u, v)."""
        return Paired(self.first.ravel(), self.second.ravel())

    def shifted(self, inner: Array) -> Array:
        """For every entry of a filter the place that it reads at every place, -1 beside the edge."""
        moved = inner[:, None, :] + inner.shape[-1] * np.arange(self.count)[:, None]
        return np.where(inner[:, None, :] >= 0, moved, -1).reshape(len(inner), -1)

    def matrices(self, values: Array) -> Array:
        """(N, N, P, P) of those of `of`."""
        size = self.first.shape[1]
        upper = np.empty((len(values.ravel()) // size**2, size, size))
        upper[:, np.arange(size), shifts(self.grid)] = values.reshape(upper.shape)
        found = np.empty((self.count, self.count, size, size))
        i, j = np.triu_indices(self.count)
        found[j, i], found[i, j] = upper.swapaxes(1, 2), upper
        own = np.arange(self.count)
        found[own, own] = (found[own, own] + found[own, own].swapaxes(1, 2)) / 2
        return found


def shifts(grid: tuple[int, ...]) -> Array:
    """The position alpha + d at every offset d (rows) and alpha, counted row by row.

    >>> shifts((3,)).tolist()
    [[0, 1, 2], [1, 2, 0], [2, 0, 1]]
    """
    places = np.stack(np.unravel_index(np.arange(np.prod(grid)), grid))
    moved = (places[:, :, None] + places[:, None, :]) % np.array(grid)[:, None, None]
    return np.ravel_multi_index(tuple(moved), grid)


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
    """The mean over the filter; one variance of all inputs stays one, on a circle."""
    weight, bias, inner = number(node.sigma_w**2), number(node.sigma_b**2), taps(node.reach, places.grid, node.padding)
    gaps, kernels = (values.reshape(places.first.shape) for values in (read.track.gap, read.track.source))
    if len(read.q) == 1:
        q = bias + weight * read.q
        kept = weight * read.q / q / len(inner)
        gap, kernel = (kept * sum(values[:, at] for at in inner).ravel() for values in (gaps, kernels))
        return NeuronGroup(1.0, q, PairValues(gap, None, 1.0 - gap + kernel))
    share, padded = weight / len(inner), np.append(read.q, 0.0)  # place -1 is absent
    seen = [padded[at] for at in places.shifted(inner)]
    q, ends = bias + share * sum(seen), [(pairs.first(root), pairs.second(root)) for root in map(np.sqrt, seen)]
    lost, turned, mean = (np.zeros_like(read.track.gap) for _ in range(3))
    for at, (one, two) in zip(inner, ends, strict=True):
        r = share * one * two
        mean += r
        lost += r * gaps[:, at].ravel()
        turned += r * kernels[:, at].ravel()
    total, product = roots(q, pairs), bias + mean
    safe = np.where(total > 0, total, 1.0)
    ratio = product / np.where(pairs.second(q) > 0, pairs.second(q), 1.0)
    apart = bias * (1.0 - ratio) ** 2
    for one, two in ends:
        apart += share * (one - ratio * two) ** 2
    lag = apart * pairs.second(q) / (safe + product)
    gap = np.where(total > 0, np.clip((lost + lag) / safe, 0.0, 2.0), 1.0)
    gap[pairs.rows == pairs.columns] = 0.0
    return NeuronGroup(1.0, q, PairValues(gap, None, 1.0 - gap + turned / safe))


# ---- layer 1 ---------------------------------------------------------------------------------------------------------


def first_layer(net: BlockNetwork, X: Array, places: Places) -> AtLayer:
    """Layer 1: the angles between what the filter sees of the inputs, mixed with the bias."""
    node, pairs = net.first, places.pairs
    shifted = places.shifted(taps(node.reach, places.grid, node.padding))
    gap, q = window_gaps(X, shifted, node.sigma_w**2, node.sigma_b**2, *pairs)
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


# ---- all layers ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Iteration:
    """All layers of rows of pairs; `fixed`: the variance that all have in every layer, None where they move."""

    net: BlockNetwork
    depth: int
    places: Places
    fixed: float | None = None

    @property
    def period(self) -> int:
        """How many positions of a row the filters mix."""
        filters = [node for node in self.net.all_nodes if node.is_convolution]
        return self.places.first.shape[1] if any(any(node.reach) for node in filters) else 1

    @property
    def alike(self) -> ComposedStack:
        """The layers where all positions of a row are alike."""
        return ComposedStack(BlockNetwork(dense_of(self.net.blocks), dense_of(self.net.first)), self.depth, None)

    def run(self, at: AtLayer, tick: Callable[[int], None]) -> tuple[Array, Array, Array, int]:
        """(1 - c, K/sqrt(q q'), q/4^n, n) of layer L: without a scale the variances are kept near 1."""
        layers, exponent, alike = PositionLayers(self.depth, at.pairs, places=self.places), 0, self.alike
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            while at.layer < self.depth:
                if at.layer % LOOKS == 1 and self._mixes_evenly(at):
                    at = self._levelled(at)
                    if self._is_even(at):
                        return self._as_dense(at, alike, exponent, tick)
                if at.layer == PATIENCE:
                    require_walkable(self.depth, "every position has a variance of its own")
                at = at.step(self.net, layers, self.fixed is not None)
                layers.trace.clear()
                if self.fixed is not None or alike.is_scale_free:
                    q = at.groups[0].q
                    more = 0 if self.fixed is not None else int(np.frexp(q.max())[1]) // 2
                    q = np.full(1, self.fixed) if self.fixed is not None else np.ldexp(q, -2 * more)
                    at, exponent = replace(at, groups=(at.groups[0].of(q),)), exponent + more
                tick(self.places.first.size)
        return *at.last, exponent

    def _mixes_evenly(self, at: AtLayer) -> bool:
        """Whether positions that are alike remain so."""
        padded = any(node.is_convolution and node.padding != "circular" for node in self.net.all_nodes)
        return not (padded or self.net.drops or len(at.groups) > 1)

    def _levelled(self, at: AtLayer) -> AtLayer:
        """Without what rounding leaves of differences between the variances of one input, and of gaps next to 0."""
        group, size = at.groups[0], self.period
        group.track.gap[group.track.gap < VANISHED] = 0.0
        if len(group.q) == 1 or not _are_even(q := group.q.reshape(-1, size)):
            return at
        return replace(at, groups=(group.of(q.mean(axis=1).repeat(size)),))

    def _is_even(self, at: AtLayer) -> bool:
        """Whether no position of a row differs from the others."""
        group, size = at.groups[0], self.period
        is_level = len(group.q) == 1 or not np.ptp(group.q.reshape(-1, size), axis=1).any()
        return is_level and all(_are_even(v.reshape(-1, size)) for v in (group.track.gap, group.track.source))

    def _as_dense(self, at: AtLayer, alike: ComposedStack, exponent: int, tick) -> tuple[Array, Array, Array, int]:
        """The layers that remain: one position of every row goes on, with the variance of its input."""
        size, group, pairs = self.period, at.groups[0], ALIKE
        gap, kernel = (values.reshape(-1, size).mean(axis=1) for values in (group.track.gap, group.track.source))
        q = np.ones(1) if alike.is_scale_free else group.q[::size]
        if len(q) > 1:
            rows = (places.reshape(-1, size)[:, 0] // size for places in (self.places.first, self.places.second))
            pairs = Paired(*rows)
        *values, turned = alike.net.acute(gap, None, kernel)
        found = AtLayer(at.layer, pairs, (group.of(q, track=PairValues(*values)),), turned)
        gap, kernel, after = alike.onward(found, False, lambda layers: tick(layers * self.places.first.size))
        q = group.q * after if alike.is_scale_free else np.broadcast_to(after, q.shape).repeat(size)
        return gap.repeat(size), kernel.repeat(size), q, exponent


def _are_even(values: Array) -> bool:
    return bool(np.all(np.ptp(values, axis=1) <= EVEN * np.abs(values).max(axis=1)))


@in_budget("computing kernels", UNLIMITED)
def conv_pairs(
    net, gaps, depth: int | list[int], *, variance=None, progress: Callable[[int, int], None] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """1 - c^L and K^L/sqrt(q_L q'_L) at all positions, from the gaps 1 - c^1 of layer 1.

    Parameters
    ----------
    net : a ConvNet or ConvResNet (or its ConvStatement) with numbers in it, or a `Network` of any blocks with
        convolutions on one circle.
    gaps : array of shape (..., M), values in [0, 2]: along the last axis one offset d, entry alpha the gap of the pair
        (alpha, alpha + d mod M).  An array (M, M) is M offsets (or any M rows); `to_offsets` brings a matrix over
        (alpha, alpha') into this shape.
    depth : L, the requested layer; ``depth=1`` returns the gaps and 1 - gaps.  A list of depths gives them all: arrays
        of shape (depths, ...).
    variance : q^1 at the positions of the first input, or the tuple of those of the two inputs (the second read at
        alpha + d); numbers or arrays that broadcast with `gaps`.  Left out: all variances are equal and settled
        ("constant variance approximation" of HDR).
    progress : called now and then as ``progress(done, total)``, in entries times layers.

    Returns (gap_L, k_L), float64 arrays of the shape of `gaps`. Relative errors are a few 1e-15 for gap_L and below
    1e-13 for k_L with settled variances and a ReLU-like phi, below 1e-12 for other activations.
    Raises `InputError` for values outside their range, a last axis that has not M entries, no `variance` where one is
    needed.

    Source: HDR = Hayou, Doucet and Rousseau (2020), Proposition 1 and Lemma 4.

    >>> from asympt import ConvNet
    >>> gap, k = conv_pairs(ConvNet("relu", positions=4, reach=1), [1.0, 0.0, 0.0, 0.0], depth=2)
    >>> print(gap.round(6))
    [0.22723 0.22723 0.      0.22723]
    """
    found, depths, start = network_of(net), depths_of(depth), gaps_of(gaps)
    grid = found.first.positions
    if len(grid) > 1 or any(node.is_convolution and node.padding != "circular" for node in found.all_nodes):
        raise UnsupportedError(f"net = {net!r} is not on one circle, where offsets are; take conv_gram")
    if start.ndim == 0 or start.shape[-1:] != grid:
        raise InputError(
            f"gaps has shape {start.shape}, and the network {grid[0]} positions; give an array whose last axis has "
            f"{grid[0]} entries, one offset"
        )
    first = np.arange(start.size).reshape(-1, *grid)
    places = Places(2 * len(first), grid, first, first + start.size)
    given = [spread_of(values, start.shape, "gaps") for values in two_of(variance)]
    fixed = None if given else _fixed_variance(net, found)
    q = np.concatenate([given[0], given[-1]]) if given else np.full(1, fixed)
    report = Progress(progress_of(progress), start.size * (sum(depths) - len(depths)))
    ends = np.empty((2, len(depths), *start.shape))
    for place, each in enumerate(depths):
        at = AtLayer.begun(start.flatten(), q.copy(), ALIKE if len(q) == 1 else places.pairs)
        moved = Iteration(found, each, places, fixed).run(at, report.add)
        ends[:, place] = [values.reshape(start.shape) for values in moved[:2]]
    report.finish()
    return tuple(part if np.ndim(depth) else part[0] for part in ends)


def _fixed_variance(net, found: BlockNetwork) -> float:
    statement = getattr(net, "statement", net)
    if isinstance(statement, ConvStatement) and statement.is_scale_free:
        return 1.0
    if not isinstance(statement, ConvStatement) or statement.skip or not (q := fixed_variance(statement.layer)):
        phi = ", ".join(dict.fromkeys(phi.name for phi in found.activations))
        raise InputError(
            f"variance = None, but the variance of activation {phi!r} with these standard deviations has no stable "
            "fixed point; give variance, the q^1 of the first layer"
        )
    return q


@in_budget("computing kernels", UNLIMITED)
def conv_gram(
    net, X, depth: int | list[int], *, progress: Callable[[int, int], None] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """(Sigma, K) of layer L at all pairs of inputs and of positions.

    Parameters
    ----------
    net : a ConvNet or ConvResNet (or its ConvStatement) with numbers in it, or a `Network` of any blocks with
        convolutions, in one or two dimensions, circular or with zeros beside the edge.
    X : inputs, shape (N, channels, M), of any norms; (N, channels, M, M') in two dimensions.
    depth : L, the requested layer; ``depth=1`` returns Sigma^1 twice.  A list of depths gives them all, first axis.
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
    found, depths, inputs = network_of(net), depths_of(depth), finite_array(X, "X")
    grid = found.first.positions
    if inputs.ndim != 2 + len(grid) or 0 in inputs.shape or inputs.shape[2:] != grid:
        raise InputError(
            f"X has shape {inputs.shape}; give inputs of shape (N, channels, {', '.join(map(str, grid))}), one entry "
            "for every position"
        )
    places, readout = Places.of(len(inputs), grid), getattr(net, "readout", None)
    report = Progress(progress_of(progress), places.first.size * (sum(depths) - len(depths)))
    ends = []
    for each in depths:
        pair = _kernels(Iteration(found, each, places), inputs, report)
        ends.append([read_positions(readout, places.matrices(part)) for part in pair])
    report.finish()
    return tuple(np.array(part) if np.ndim(depth) else part[0] for part in zip(*ends, strict=True))


def _kernels(iteration: Iteration, inputs: Array, report: Progress) -> tuple[Array, Array]:
    """(Sigma, K) of the pairs of its places, not normalised."""
    shift = exponent_of(inputs.reshape(len(inputs), -1)) if iteration.alike.is_scale_free else 0
    at = first_layer(iteration.net, np.ldexp(inputs, -shift), iteration.places)
    gap, kernel, q, exponent = iteration.run(at, report.add)
    with np.errstate(over="ignore"):
        q = np.ldexp(q, 2 * (shift + exponent))
        root = roots(q, iteration.places.pairs)
        ntk = root * kernel
    require_held(at.groups[0].q, q, ntk, iteration.depth, "input and position", "convolution.conv_pairs")
    return root * (1.0 - gap), ntk


# ---- matrices over positions -------------------------------------------------------------------------------


def to_offsets(matrices: np.ndarray) -> np.ndarray:
    """(..., alpha, alpha') -> (..., d, alpha): row d holds the pairs (alpha, alpha + d).

    >>> to_offsets(np.array([[0, 1], [2, 3]])).tolist()
    [[0, 3], [1, 2]]
    """
    size = matrices.shape[-1]
    return matrices[..., np.arange(size), shifts((size,))]


def from_offsets(rows: np.ndarray) -> np.ndarray:
    """The inverse of `to_offsets`."""
    size = rows.shape[-1]
    alpha, other = np.arange(size)[:, None], np.arange(size)
    return rows[..., (other - alpha) % size, alpha]


publish(globals())

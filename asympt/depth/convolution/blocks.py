"""Sigma and K of any composition with convolutions: positions on a circle or a torus, or with zeros beside the edge.

A position of an input is an input of its own to every primitive but the convolution (`depth.composed.layers`), which
takes means over the filter, absent positions counted as zeros, b = sigma_b^2, w = sigma_w^2:

    Q = b + w mean q_beta,      S = b + w mean s_beta,      K <- S + w mean K_beta

and the gap 1 - S/sqrt(Q Q') without cancellation: with r = sqrt(q q'), B = b + w mean r_beta and z = B/Q',

    sqrt(Q Q') - S = w mean r_beta gamma_beta + (sqrt(Q Q') - B),
    Q Q' - B^2 = Q' (b (1 - z)^2 + w mean (sqrt q_beta - z sqrt q'_beta)^2).

A layer costs 1.5 (N P)^2 numbers, some 100 bytes each.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np

from asympt.arrays import finite_array
from asympt.blocks import nodes
from asympt.blocks.nodes import Node, every_node
from asympt.depth.composed.layers import BlockNetwork, Groups, Layers, NeuronGroup, Track, number, numbered, roots
from asympt.depth.composed.run import AtLayer
from asympt.depth.finite.composition import taps
from asympt.depth.gaps import angular_gaps, mixed_gap, require_visible
from asympt.depth.norms.tiles import Paired
from asympt.depth.parsing import require_walkable
from asympt.depth.workers import Progress
from asympt.errors import InputError, UnsupportedError

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

    def shifted(self, node: nodes.ConvNode) -> Array:
        """For every entry of the filter the place that it reads at every place, -1 beside the edge."""
        inner = taps(node.reach, node.positions, node.padding)[:, None, :]
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
    shifted, root, kernel = places.shifted(node), np.sqrt(np.append(read.q, 0.0)), np.broadcast_to(
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
    track = Track.begun(np.clip(gap, 0.0, 2.0))
    return NeuronGroup(1.0, q, replace(track, source=1.0 - track.gap + turned / safe))


def first_layer(net: BlockNetwork, X: Array, places: Places) -> AtLayer:
    """Layer 1: the angles between what the filter sees of the inputs, mixed with the bias."""
    node, pairs = net.first, places.pairs
    seen = np.append(X.reshape(*X.shape[:2], -1).swapaxes(1, 2).reshape(places.size, -1), np.zeros((1, X.shape[1])), 0)
    windows = np.concatenate([seen[at] for at in places.shifted(node)], axis=1)
    weight, bias = number(node.sigma_w**2), number(node.sigma_b**2)
    own = window_variances(windows, weight)
    require_visible(np.abs(windows).max(axis=1), own, 1, "input and position")
    gap = angular_gaps(windows)[pairs.rows, pairs.columns]
    gap = gap_with_bias(gap, pairs.first(own), pairs.second(own), bias)
    gap[pairs.rows == pairs.columns] = 0.0
    _require_loud(net, bias + own)
    return AtLayer.begun(gap, bias + own, pairs)


def window_variances(windows: Array, weight: float) -> Array:
    """sigma_w^2 times the mean square of every window."""
    with np.errstate(over="ignore"):
        own = weight * np.einsum("pd,pd->p", windows, windows) / windows.shape[1]
    if np.isfinite(own).all():
        return own
    raise UnsupportedError(
        f"X has entries up to {np.abs(windows).max():.3g}, whose squares exceed the float64 range; divide X by a "
        "common factor"
    )


def gap_with_bias(gap: Array, one: Array, two: Array, bias: float) -> Array:
    """1 - (b + sqrt(x y) c)/sqrt((b + x)(b + y)) without cancellation."""
    if bias == 0:
        return gap
    mean, total = np.sqrt(one) * np.sqrt(two), np.sqrt(bias + one) * np.sqrt(bias + two)
    return mixed_gap(gap, bias, mean, (np.sqrt(one) - np.sqrt(two)) ** 2, total)


def _require_loud(net: BlockNetwork, q: Array) -> None:
    silent = np.flatnonzero(q == 0)
    if silent.size and any(node.is_norm for node in net.all_nodes):
        raise UnsupportedError(
            f"input and position {int(silent[0])} has variance 0 in layer 1, and a norm divides by its deviation; take "
            "sigma_b > 0 in layer 1, or leave the input out"
        )


def block_gram(net, X, depth: int, report: Callable[[int], Progress]) -> tuple[Array, Array]:
    """(Sigma, K) of layer L at all pairs of inputs and of positions, (N, N, P, P)."""
    found = _network(tuple(net.blocks), net.first)
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


@lru_cache(maxsize=64)
def _network(blocks: tuple, first: Node) -> BlockNetwork:
    return numbered(blocks, first)


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

"""Random networks of finite width of any composition: every primitive of `asympt.blocks` forward and backward.

Layer l = 2, 3, ... is block number (l - 2) mod (number of blocks).  With x the signal read, y the one returned, d the
derivatives of the outputs with respect to y, means over the n neurons, and parameters counted in a `Tally`:

    dense              y = sigma_w/sqrt(m) W x + sigma_b b          d -> sigma_w/sqrt(m) W^T d
    conv               the same of the m C entries of a filter      and summed over the filter
    a x + b F(x)                                                    d -> a d + b F^T d
    A(x) B(x)                                                       d -> A^T(B d) + B^T(A d)
    (x, F(x))                                                       d -> d_1 + F^T d_2
    layer_norm         y = (x - mean)/deviation                     d -> (d - mean d - y mean(d y))/deviation
    rms_norm           y = x/root mean square                       d -> (d - y mean(d y))/root mean square
    dropout            y = mask x/p, drawn for every input          d -> mask d/p
    mix                y_i = sum_k A_ik x_k over the inputs, which are the tokens of one: forward only
    attention          the same with A of every head from its own queries and keys, values W_V x, outputs W_O
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sympy import Expr, Integer, sqrt

from asympt.blocks import nodes
from asympt.blocks.nodes import Node, every_node, parts_of
from asympt.depth.composed.layers import number, value_at
from asympt.depth.finite.kernels import Array, Nonlinear, Revealed, nonlinear, pairings
from asympt.errors import InputError, UnsupportedError
from asympt.numbers import symbol_names

HEAD = 64  # neurons of a head of attention

# ---- the primitives --------------------------------------------------------------------------------------------------


class Tally:
    """The NTK so far: `total` of every pair of outputs, (networks, outputs, outputs, N Q, N Q); `weights`, what each
    matrix gave of the NTK of one output, the last one first."""

    def __init__(self):
        self.total: Array | float = 0.0
        self.weights: list[Array] = []

    def dense(self, part: "DrawnDense", d: Array) -> None:
        """The weights and biases of a part, which has read its input, at its learning rates."""
        factor, rate = part.rates[0] / part.read.shape[1], part.rates[1]
        share = np.einsum("coaqxpbry,caxby->copaqbr", _paired(d), _paired(part.read), optimize=True)
        share = factor * _by_outputs(share)
        self.weights.append(same(share))
        self.total = self.total + share
        if rate:
            self.vector(d.sum(axis=-1), rate)

    def vector(self, gradient: Array, rate: float = 1.0) -> None:
        """One parameter a neuron; `gradient` has shape (networks, n, outputs, N, Q)."""
        self.total = self.total + rate * _products(gradient)


def _paired(array: Array) -> Array:
    """The products of all pairs of columns of an array (networks, n, ...)."""
    return pairings(array.reshape(*array.shape[:2], -1)).reshape(len(array), *array.shape[2:], *array.shape[2:])


def _by_outputs(share: Array) -> Array:
    """(networks, outputs, outputs, N Q, N Q) of (networks, outputs, outputs, N, Q, N, Q)."""
    pixels = share.shape[3] * share.shape[4]
    return share.reshape(*share.shape[:3], pixels, pixels)


def _products(gradient: Array) -> Array:
    """The same, of an array (networks, n, outputs, N, Q): its products, summed over n."""
    return _by_outputs(np.einsum("coaqpbr->copaqbr", _paired(gradient)))


def same(share: Array) -> Array:
    """The mean over outputs, of each with itself."""
    return np.einsum("...iiab->...ab", share) / share.shape[-3]


def different(share: Array) -> Array:
    """The mean over pairs of different outputs; NaN when there is only one."""
    outputs = share.shape[-3]
    if outputs == 1:
        return np.full(share.shape[:1] + share.shape[-2:], np.nan)
    return (share.sum(axis=(-4, -3)) - outputs * same(share)) / (outputs * (outputs - 1))


# A part has `forward(x)`, what it returns, and `backward(d, tally)`, the derivatives with respect to what it read; its
# own parameters go to the tally.


def _beside(x: Array) -> Array:
    """A signal beside derivatives: (networks, n, 1, N, 1, P)."""
    return x[:, :, None, :, None, :]


@dataclass
class DrawnDense:
    """sigma_w/sqrt(m) W x + b, over the entries of a filter where there is one.

    `bias` has its factor sigma_b; `rates`: lambda_W and lambda_b; `taps`: for every entry of the filter the position it
    reads at each position, -1 beside the edge; None: the same.
    """

    matrix: object
    bias: Array
    sigma_w: float
    rates: tuple[float, float]
    taps: Array | None = None
    read: Array = field(init=False, repr=False)

    def forward(self, x: Array) -> Array:
        self.read = x if self.taps is None else self._gathered(x)
        y = self.matrix.times(self.read.reshape(*self.read.shape[:2], -1))
        y = self._root * y.reshape(*y.shape[:2], *x.shape[2:3], -1)
        return y + self.bias[:, :, None, None]

    def backward(self, d: Array, tally: Tally) -> Array:
        tally.dense(self, d)
        pulled = self.matrix.transposed(d.reshape(*d.shape[:2], -1))
        pulled = self._root * pulled.reshape(*pulled.shape[:2], *d.shape[2:])
        return pulled if self.taps is None else self._scattered(pulled)

    @property
    def _root(self) -> float:
        return self.sigma_w / np.sqrt(self.read.shape[1])

    def _gathered(self, x: Array) -> Array:
        """(networks, m C, N, P): entry (j, beta) at position alpha is x_(j, alpha + beta)."""
        parts = [np.where(places >= 0, x[..., places], 0.0) for places in self.taps]
        return np.stack(parts, axis=2).reshape(len(x), -1, *x.shape[2:3], self.taps.shape[1])

    def _scattered(self, pulled: Array) -> Array:
        parts = pulled.reshape(len(pulled), -1, len(self.taps), *pulled.shape[2:])
        found = np.zeros((*parts.shape[:2], *parts.shape[3:]))
        for at, places in enumerate(self.taps):
            inside = places >= 0
            found[..., places[inside]] += parts[:, :, at][..., inside]
        return found


@dataclass
class Pointwise:
    """phi, neuron by neuron."""

    phi: Nonlinear
    read: Array = field(init=False, repr=False)

    def forward(self, x: Array) -> Array:
        self.read = x
        return self.phi.value(x)

    def backward(self, d: Array, tally: Tally) -> Array:
        return d * _beside(self.phi.slope(self.read))


@dataclass
class Times:
    """A number, or a mask for every neuron of every input."""

    factor: Array | float

    def forward(self, x: Array) -> Array:
        return x * self.factor

    def backward(self, d: Array, tally: Tally) -> Array:
        return d * (self.factor if np.ndim(self.factor) == 0 else _beside(self.factor))


@dataclass
class Norm:
    """Division by the deviation (`centres`) or by the root mean square over the neurons."""

    centres: bool
    image: Array = field(init=False, repr=False)
    size: Array = field(init=False, repr=False)

    def forward(self, x: Array) -> Array:
        centred = x - x.mean(axis=1, keepdims=True) if self.centres else x
        self.size = np.sqrt(np.mean(centred**2, axis=1, keepdims=True))
        self.image = centred / self.size
        return self.image

    def backward(self, d: Array, tally: Tally) -> Array:
        y = _beside(self.image)
        moved = d - y * np.mean(d * y, axis=1, keepdims=True)
        if self.centres:
            moved -= d.mean(axis=1, keepdims=True)
        return moved / _beside(self.size)


@dataclass
class Affine:
    """gain x + bias, one of each a neuron, trained."""

    gain: Array
    bias: Array
    read: Array = field(init=False, repr=False)

    def forward(self, x: Array) -> Array:
        self.read = x
        return self.gain[:, :, None, None] * x + self.bias[:, :, None, None]

    def backward(self, d: Array, tally: Tally) -> Array:
        tally.vector((d * _beside(self.read)).sum(axis=-1))
        tally.vector(d.sum(axis=-1))
        return d * self.gain[:, :, None, None, None, None]


@dataclass
class Serial:
    """One part after the other."""

    parts: list

    def forward(self, x: Array) -> Array:
        for part in self.parts:
            x = part.forward(x)
        return x

    def backward(self, d: Array, tally: Tally) -> Array:
        for part in reversed(self.parts):
            d = part.backward(d, tally)
        return d


@dataclass
class Sum:
    """skip x + scale F(x)."""

    branch: Any
    skip: float
    scale: float

    def forward(self, x: Array) -> Array:
        return self.skip * x + self.scale * self.branch.forward(x)

    def backward(self, d: Array, tally: Tally) -> Array:
        return self.skip * d + self.branch.backward(self.scale * d, tally)


@dataclass
class Mixing:
    """sum_k A_ik x_k."""

    rows: Array

    def forward(self, x: Array) -> Array:
        return np.einsum("ik,cnkp->cnip", self.rows, x)


@dataclass
class Attention:
    """Softmax attention of several heads: the dense layers of its queries, keys, values and outputs; `factor`: of the
    logits."""

    dense: list
    heads: int
    factor: float
    causal: bool

    def forward(self, x: Array) -> Array:
        shape = len(x), self.heads, -1, x.shape[2]
        asked, told, values = (part.forward(x).reshape(shape) for part in self.dense[:3])
        logits = self.factor * np.einsum("chdi,chdk->chik", asked, told)
        if self.causal:
            logits = np.where(np.tri(x.shape[2], dtype=bool), logits, -np.inf)
        rows = np.exp(logits - logits.max(axis=-1, keepdims=True))
        rows /= rows.sum(axis=-1, keepdims=True)
        mixed = np.einsum("chik,chdk->chdi", rows, values)
        return self.dense[3].forward(mixed.reshape(len(x), -1, x.shape[2], 1))


@dataclass
class Product:
    """A(x) B(x), neuron by neuron."""

    one: Any
    two: Any
    images: tuple[Array, Array] = field(init=False, repr=False)

    def forward(self, x: Array) -> Array:
        self.images = self.one.forward(x), self.two.forward(x)
        return self.images[0] * self.images[1]

    def backward(self, d: Array, tally: Tally) -> Array:
        one, two = map(_beside, self.images)
        return self.two.backward(d * one, tally) + self.one.backward(d * two, tally)


@dataclass
class Beside:
    """x and F(x) side by side."""

    branch: Any
    width: int

    def forward(self, x: Array) -> Array:
        return np.concatenate([x, self.branch.forward(x)], axis=1)

    def backward(self, d: Array, tally: Tally) -> Array:
        return d[:, : self.width] + self.branch.backward(d[:, self.width :], tally)


def taps(reach: tuple[int, ...], positions: tuple[int, ...], padding: str) -> Array:
    """For every entry of a filter the position it reads at each position; -1 beside the edge with zero padding.

    >>> taps((1,), (3,), "zero").tolist(), taps((1,), (3,), "circular").tolist()
    ([[-1, 0, 1], [0, 1, 2], [1, 2, -1]], [[2, 0, 1], [0, 1, 2], [1, 2, 0]])
    """
    places = np.stack(np.meshgrid(*map(np.arange, positions), indexing="ij")).reshape(len(positions), -1)
    shape, found = np.array(positions)[:, None], []
    for offset in np.ndindex(*(2 * k + 1 for k in reach)):
        moved = places + (np.array(offset) - np.array(reach))[:, None]
        outside = ((moved < 0) | (moved >= shape)).any(axis=0)
        flat = np.ravel_multi_index(tuple(moved % shape), positions)
        found.append(np.where(outside & (padding == "zero"), -1, flat))
    return np.array(found)


# ---- networks --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Composition:
    """A network of blocks; `readout`: average_pool() or flatten() behind the last layer of a convolutional one, or a
    dense behind every layer that is read.

    >>> from asympt.blocks import dense, read_block
    >>> net = Composition((read_block("residual(layer_norm, relu, dense(sqrt(2)))"),), dense(1))
    >>> net.spatial
    0
    """

    blocks: tuple[Node, ...]
    first: Node
    readout: Node | None = None

    def __post_init__(self):
        symbols = set().union(*(node.parameters for node in (*self.blocks, self.first)))
        if symbols:
            raise InputError(f"the network holds {symbol_names(symbols)}; give numbers, since it draws floats")
        if self.readout is not None and self.readout.is_readout and not self.spatial:
            raise InputError(f"readout {self.readout} reads positions, and the network has none; leave it out")
        for node in self._all:
            for phi in node.activations:
                nonlinear(phi)

    @property
    def _all(self) -> list[Node]:
        return every_node([self.first, *self.blocks, *filter(None, (self.readout,))])

    @property
    def grid(self) -> tuple[int, ...]:
        """The positions in every direction; () without convolutions."""
        grids = {node.positions for node in self._all if node.is_convolution}
        if len(grids) > 1:
            sizes = " and ".join(map(str, sorted(grids)))
            raise InputError(f"the network has convolutions of {sizes} positions; give all of them the same")
        return grids.pop() if grids else ()

    @property
    def spatial(self) -> int:
        """In how many directions inputs have positions."""
        return len(self.grid)

    def columns(self, X: Array, outputs: int) -> int:
        """How many columns the weights are multiplied by, forward and backward."""
        read, positions = self._readings().shape
        return len(X) * positions * (1 + outputs * read)

    def draw(self, random, X: Array, depth: int, width: int, networks: int, matrix) -> list[tuple]:
        """[(part, neurons, new neurons)] of layers 1, ..., depth and a dense readout; `matrix`: Drawn.new, Revealed."""
        for tokens in {node.tokens for node in self._all if node.is_mixing} - {len(X)}:
            raise InputError(f"X has {len(X)} rows and the network mixes {tokens} tokens; give one row a token")
        drawing = Drawing(random, networks, len(X), self._readings().shape[1], width, depth, matrix)
        groups, found = (X.shape[1],), []
        for layer in range(1, depth + 1):
            node = self.first if layer == 1 else self.blocks[(layer - 2) % len(self.blocks)]
            part, groups = drawing.part(node, groups, layer)
            found.append((part, sum(groups), groups[-1]))
        if self._reads_by_dense:
            part, groups = drawing.part(self.readout, groups, depth)
            found.append((part, *groups, *groups))
        return found

    @property
    def _reads_by_dense(self) -> bool:
        return self.readout is not None and not self.readout.is_readout

    def forward(self, layers: list[tuple], X: Array, networks: int = 1) -> list[Array]:
        """The new neurons of every layer, (networks, n, N, P)."""
        if X.shape[2:] != self.grid:
            raise InputError(f"X has positions {X.shape[2:]} and the network {self.grid}; give inputs of the same")
        inputs = X.reshape(*X.shape[:2], -1).swapaxes(0, 1)
        y, found = np.broadcast_to(inputs, (networks, *inputs.shape)), []
        for part, _, new in layers[: -1 if self._reads_by_dense else None]:
            y = part.forward(y)
            found.append(y[:, -new:])
        if not self._reads_by_dense:
            return found
        readout = layers[-1][0]
        images = readout.forward(np.concatenate(found, axis=2))  # at once, which reveals the weights once
        readout.read = y
        return np.split(images, len(found), axis=2)

    def covariances(self, X: Array, depth: int, width: int = 512, networks: int = 32, seed: int = 0) -> Array:
        """Sigma of every layer of random networks, the tokens (or inputs) being the rows of X: (networks, L, N, N).

        >>> from asympt import Network
        >>> net = Network("serial(residual(attention(3)), rms_norm)").finite()
        >>> net.covariances(np.eye(3), 4, width=64, networks=2).shape
        (2, 4, 3, 3)
        """
        layers = self.draw(np.random.default_rng(seed), X, depth, width, networks, Revealed)
        return np.stack([self._covariance(y) for y in self.forward(layers, X, networks)], axis=1)

    def backward(self, layers: list[tuple], inputs: int, outputs: int, tally: Tally, networks: int = 1) -> Iterator:
        """From the last layer to the first: the derivatives of the first `outputs` new neurons with respect to what it
        returned, (networks, n, outputs, N, Q, P); its parameters go to the tally afterwards."""
        _, neurons, new = layers[-1]
        d = np.zeros((networks, neurons, outputs, inputs, *self._readings().shape))
        for i in range(outputs):
            d[:, neurons - new + i, i] = self._readings()
        for part, _, _ in layers[:0:-1]:
            yield d
            d = part.backward(d, tally)
        yield d
        tally.dense(layers[0][0], d)

    def sample(self, random, X: Array, depth: int, width: int, networks: int, outputs: int, matrix) -> dict:
        if any(node.is_mixing for node in self._all):
            raise UnsupportedError(
                "the NTK of a network that mixes tokens is not computed; ask for the covariances of its tokens "
                "(finite().covariances)"
            )
        layers = self.draw(random, X, depth, width, networks, matrix)
        if layers[-1][2] < outputs:
            raise InputError(
                f"layer {depth} has {layers[-1][2]} new neurons, fewer than outputs = {outputs}; give a larger width"
            )
        nngp = np.stack([self._covariance(y) for y in self.forward(layers, X, networks)], axis=1)
        found = {"nngp": nngp, **self.tangents(layers, len(X), outputs, networks)}
        return {name: self._read(kernels, len(X)) for name, kernels in found.items()}

    def tangents(self, layers: list[tuple], inputs: int, outputs: int, networks: int = 1) -> dict[str, Array]:
        """The NTK after a forward pass and its parts, of the first `outputs` new neurons: see `kernels`."""
        tally, gradients, last = Tally(), [], None
        for d in self.backward(layers, inputs, outputs, tally, networks):
            last = tally.total if len(gradients) == 1 else last
            gradients.append(same(_products(np.moveaxis(d, 5, 2).reshape(len(d), -1, *d.shape[2:5]))))
        below = tally.total - (tally.total if last is None else last)
        stacks = {"weights": tally.weights, "gradients": gradients[self._reads_by_dense :]}
        found = {"ntk": same(tally.total), "between": different(tally.total), "below": same(below)}
        return found | {name: np.stack(parts[::-1], axis=1) for name, parts in stacks.items()}

    def _readings(self) -> Array:
        """What an output reads of the positions: (Q, P)."""
        positions = int(np.prod(self.grid, dtype=int))
        if self.readout == nodes.AveragePoolNode():
            return np.full((1, positions), 1 / positions)
        return np.eye(positions)

    def _covariance(self, y: Array) -> Array:
        """(networks, N Q, N Q)."""
        read = np.einsum("cnax,qx->cnaq", y, self._readings()).reshape(*y.shape[:2], -1)
        return read.swapaxes(1, 2) @ read / y.shape[1]

    def _read(self, kernel: Array, inputs: int) -> Array:
        if self.readout != nodes.FlattenNode():
            return kernel
        positions = kernel.shape[-1] // inputs
        split = kernel.reshape(*kernel.shape[:-2], inputs, positions, inputs, positions)
        return np.einsum("...axbx->...ab", split) / positions


@dataclass(frozen=True)
class Drawing:
    """What it takes to draw the parts of a network."""

    random: np.random.Generator
    networks: int
    inputs: int
    positions: int
    width: int
    depth: int
    matrix: Callable

    def part(self, node: Node, groups: tuple, layer: int, wanted: int | None = None) -> tuple[Any, tuple]:
        """The part of a node that reads `groups` of neurons, and the groups that it returns; `wanted`: how many."""
        found, pieces = [], parts_of(node)
        last = max((at for at, piece in enumerate(pieces) if piece.has_own_width), default=-1)
        for at, piece in enumerate(pieces):
            part, groups = self._part(piece, groups, layer, wanted if at == last else None)
            found.append(part)
        return (found[0] if len(found) == 1 else Serial(found)), groups

    def _part(self, node: Node, groups: tuple, layer: int, wanted: int | None) -> tuple[Any, tuple]:
        match node:
            case nodes.DenseNode() | nodes.ConvNode():
                return self._dense(node, sum(groups), wanted or self.width, layer)
            case nodes.ActivationNode(phi=phi):
                return Pointwise(nonlinear(phi)), groups
            case nodes.NormNode():
                norm, shape = Norm(node.takes_mean), (self.networks, sum(groups))
                return (Serial([norm, Affine(np.ones(shape), np.zeros(shape))]) if node.affine else norm), groups
            case nodes.DropoutNode(keep=keep):
                shape, kept = (self.networks, sum(groups), self.inputs, self.positions), number(keep)
                return Times((self.random.random(shape) < kept) / kept), groups
            case nodes.MixNode(matrix=rows):
                return Mixing(np.array([[number(value) for value in row] for row in rows])), groups
            case nodes.AttentionNode():
                return self._attention(node, sum(groups), wanted or self.width, layer)
            case nodes.ScaleNode(factor=factor):
                return Times(self._number(factor, layer)), groups
            case nodes.ResidualNode():
                return self._sum(node, groups, layer), groups
            case nodes.GatedNode(one=one, two=two):
                branches = [self.part(branch, groups, layer, wanted or self.width) for branch in (one, two)]
                return Product(*(part for part, _ in branches)), (wanted or self.width,)
            case nodes.DenseConnectionNode(growth=growth, branch=branch):
                more = max(1, round(number(growth) * self.width))
                part, added = self.part(branch, groups, layer, more)
                return Beside(part, sum(groups)), groups + added
        raise InputError(f"{node!r} has no finite width; give the primitives of asympt.blocks")

    def _dense(self, node, below: int, width: int, layer: int) -> tuple[Any, tuple]:
        read = taps(node.reach, node.positions, node.padding) if node.is_convolution else None
        below *= 1 if read is None else len(read)
        weights = self.matrix(self.random, self.networks, width, below)
        sigma_w, sigma_b = (self._number(value, layer) for value in (node.sigma_w, node.sigma_b))
        biases = sigma_b * self.random.standard_normal((self.networks, width))
        rates = tuple(self._number(rate, layer) for rate in node.rates)
        return DrawnDense(weights, biases, sigma_w, rates, read), (width,)

    def _attention(self, node: nodes.AttentionNode, below: int, wanted: int, layer: int) -> tuple[Attention, tuple]:
        """Heads of `HEAD` neurons, whose logits have the variance s^2, or 1/d."""
        heads = max(1, self.width // HEAD)
        if self.width % heads:
            raise InputError(f"width = {self.width} is not a multiple of {HEAD}, the neurons of a head; give one")

        one = nodes.DenseNode(Integer(1), Integer(0))
        drawn = [self._dense(one, below, self.width, layer)[0] for _ in range(3)]
        drawn.append(self._dense(node.parts[1], self.width, wanted, layer)[0])
        size = self.width // heads
        factor = 1 / size if node.logit_variance is None else number(sqrt(node.logit_variance / size))
        return Attention(drawn, heads, factor, node.causal), (wanted,)

    def _sum(self, node: nodes.ResidualNode, groups: tuple, layer: int) -> Any:
        branch, found = self.part(node.branch, groups, layer, sum(groups))
        if sum(found) != sum(groups):
            raise InputError(
                f"{node!r} adds {sum(found)} neurons to {sum(groups)}; end the branch with a dense, which takes as many"
            )
        return Sum(branch, self._number(node.skip, layer), self._number(node.scale, layer))

    def _number(self, factor: Expr, layer: int) -> float:
        return float(value_at(factor, layer, self.depth))

"""Random networks of finite width of any composition: the primitives of `asympt.blocks` as forward and backward passes.

Problem.  Rules, normal forms and laws of a composed network are derived; the network itself is the referee.

Rule.  Every node of every layer is drawn as a part (`parts`) with weights of its own; the signal goes forward through
all of them, the derivatives of a few neurons of the last layer go backward, and the parameters that they meet add up to
the NTK (`parts`).  Layer l = 2, 3, ... is block number (l - 2) mod (number of blocks); layer 1 is `first`.

A part has as many neurons as the network is wide, except where something is added to it, multiplied by it, or where a
growth says otherwise.  Where a layer puts new neurons beside the old ones, its kernels are those of the new ones.

Tiny case.  blocks = serial(relu, dense(sqrt(2))): a plain network.

Known limits.  growth times width is rounded.  Nothing of 10.1's kind is known here: norms are over the neurons that
there are, masks and weights are drawn.
"""

from dataclasses import dataclass

import numpy as np
from sympy import Expr

from asympt.blocks import nodes
from asympt.blocks.nodes import DEPTH, LAYER, Node, every_node, parts_of
from asympt.depth.constants import precise
from asympt.depth.finite import parts
from asympt.depth.finite.matrices import Array
from asympt.depth.finite.parsing import nonlinear
from asympt.depth.finite.parts import Tally
from asympt.errors import InputError
from asympt.numbers import symbol_names


@dataclass(frozen=True)
class Composition:
    """A network of blocks; `readout`: average_pool() or flatten() behind the last layer of a convolutional one, or a
    dense behind every layer that is looked at.

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
            raise InputError(f"the network holds {symbol_names(symbols)}; give numbers in their place, it draws floats")
        if self.readout is not None and self.readout.is_readout and not self.spatial:
            raise InputError(f"readout {self.readout} reads positions, and the network has none; leave it out")
        for node in self._all:
            for phi in node.activations:
                nonlinear(phi)

    @property
    def _all(self) -> list[Node]:
        """Every node."""
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
        """How many columns a weight matrix is applied to in both passes."""
        positions = int(np.prod(self.grid, dtype=int))
        return len(X) * positions * (1 + outputs * self._output_positions)

    @property
    def _output_positions(self) -> int:
        return 1 if self.readout == nodes.AveragePoolNode() else int(np.prod(self.grid, dtype=int))

    # ---- the two passes ---------------------------------------------------------------------------

    def draw(self, random, X: Array, depth: int, width: int, networks: int, matrix) -> list[tuple]:
        """[(part, neurons, new neurons)] of layers 1, ..., depth and a dense readout; `matrix` is Drawn or Revealed."""
        drawing = Drawing(random, networks, len(X), int(np.prod(self.grid, dtype=int)), width, depth, matrix)
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
        self._require_grid(X)
        inputs = X.reshape(*X.shape[:2], -1).swapaxes(0, 1)
        y, found = np.broadcast_to(inputs, (networks, *inputs.shape)), []
        read = layers[-1][0].forward if self._reads_by_dense else None
        for part, _, new in layers[: None if read is None else -1]:
            y = part.forward(y)
            found.append(y[:, -new:] if read is None else read(y))
        return found

    def backward(self, layers: list[tuple], inputs: int, outputs: int, networks: int = 1) -> Array:
        """The NTK, a mean over the first `outputs` new neurons: shape (networks, N Q, N Q)."""
        _, neurons, new = layers[-1]
        d = np.zeros((networks, neurons, outputs, inputs, *self._readings().shape))
        for i in range(outputs):
            d[:, neurons - new + i, i] = self._readings()
        tally = Tally()
        for part, _, _ in reversed(layers):
            d = part.backward(d, tally)
        return tally.total

    def sample(self, random, X: Array, depth: int, width: int, networks: int, outputs: int, matrix) -> dict:
        """One array (networks, ...) per quantity: see `kernels.empirical_kernels`."""
        layers = self.draw(random, X, depth, width, networks, matrix)
        if layers[-1][2] < outputs:
            raise InputError(
                f"layer {depth} has {layers[-1][2]} new neurons, fewer than outputs = {outputs}; give a larger width"
            )
        nngp = np.stack([self._covariance(y) for y in self.forward(layers, X, networks)], axis=1)
        ntk = self.backward(layers, len(X), outputs, networks)
        return {"nngp": self._read(nngp, len(X)), "ntk": self._read(ntk, len(X))}

    # ---- positions --------------------------------------------------------------------------------

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
        """Flattened: the mean over equal positions, (..., N, N)."""
        if self.readout != nodes.FlattenNode():
            return kernel
        positions = kernel.shape[-1] // inputs
        split = kernel.reshape(*kernel.shape[:-2], inputs, positions, inputs, positions)
        return np.einsum("...axbx->...ab", split) / positions

    def _require_grid(self, X: Array) -> None:
        if X.shape[2:] != self.grid:
            raise InputError(f"X has positions {X.shape[2:]} and the network {self.grid}; give inputs of the same")


@dataclass(frozen=True)
class Drawing:
    """What it takes to draw the parts of a network."""

    random: np.random.Generator
    networks: int
    inputs: int
    positions: int
    width: int
    depth: int
    matrix: type

    def part(self, node: Node, groups: tuple, layer: int, wanted: int | None = None) -> tuple[parts.DrawnPart, tuple]:
        """The part of a node that reads `groups` of neurons, and the groups that it returns; `wanted`: how many."""
        found, pieces = [], parts_of(node)
        last = max((at for at, piece in enumerate(pieces) if piece.has_own_width), default=-1)
        for at, piece in enumerate(pieces):
            part, groups = self._part(piece, groups, layer, wanted if at == last else None)
            found.append(part)
        return (found[0] if len(found) == 1 else parts.Serial(found)), groups

    def _part(self, node: Node, groups: tuple, layer: int, wanted: int | None) -> tuple[parts.DrawnPart, tuple]:
        match node:
            case nodes.DenseNode() | nodes.ConvNode():
                return self._dense(node, sum(groups), wanted or self.width, layer)
            case nodes.ActivationNode(phi=phi):
                return parts.Pointwise(nonlinear(phi)), groups
            case nodes.LayerNormNode(affine=affine):
                return self._norm(True, affine, groups), groups
            case nodes.RMSNormNode(affine=affine):
                return self._norm(False, affine, groups), groups
            case nodes.DropoutNode(keep=keep):
                return parts.Times(self._mask(float(precise(keep)), sum(groups))), groups
            case nodes.ScaleNode(factor=factor):
                return parts.Times(self._number(factor, layer)), groups
            case nodes.ResidualNode():
                return self._sum(node, groups, layer), groups
            case nodes.GatedNode(one=one, two=two):
                branches = [self.part(branch, groups, layer, wanted or self.width) for branch in (one, two)]
                return parts.Product(*(part for part, _ in branches)), (wanted or self.width,)
            case nodes.DenseConnectionNode(growth=growth, branch=branch):
                more = max(1, round(float(precise(growth)) * self.width))
                part, added = self.part(branch, groups, layer, more)
                return parts.Beside(part, sum(groups)), groups + added
        raise InputError(f"{node!r} has no finite width; give the primitives of asympt.blocks")

    def _dense(self, node, below: int, width: int, layer: int) -> tuple[parts.DrawnPart, tuple]:
        taps = None
        if node.is_convolution:
            taps = parts.taps(node.reach, node.positions, node.padding)
            below *= len(taps)
        weights = self.matrix.new(self.random, self.networks, width, below)
        biases = self.random.standard_normal((self.networks, width))
        deviations = (float(precise(value)) for value in (node.sigma_w, node.sigma_b))
        rates = None if node.is_trained_as_drawn else tuple(self._number(rate, layer) for rate in node.rates)
        return parts.DrawnDense(weights, biases, *deviations, rates, taps), (width,)

    def _norm(self, centres: bool, affine: bool, groups: tuple) -> parts.DrawnPart:
        shape = self.networks, sum(groups)
        norm = parts.Norm(centres)
        return parts.Serial([norm, parts.Affine(np.ones(shape), np.zeros(shape))]) if affine else norm

    def _mask(self, keep: float, neurons: int) -> Array:
        shape = self.networks, neurons, self.inputs, self.positions
        return (self.random.random(shape) < keep) / keep

    def _sum(self, node: nodes.ResidualNode, groups: tuple, layer: int) -> parts.DrawnPart:
        branch, found = self.part(node.branch, groups, layer, sum(groups))
        if sum(found) != sum(groups):
            raise InputError(
                f"{node!r} adds {sum(found)} neurons to {sum(groups)}; end the branch with a dense, which takes as many"
            )
        return parts.Sum(branch, self._number(node.skip, layer), self._number(node.scale, layer))

    def _number(self, factor: Expr, layer: int) -> float:
        found = precise(factor.subs({LAYER: layer, DEPTH: self.depth}))
        if not np.isfinite(complex(found)) or complex(found).imag:
            raise InputError(f"the factor {factor} is {found} in layer {layer}; give one that is a real number there")
        return float(found)

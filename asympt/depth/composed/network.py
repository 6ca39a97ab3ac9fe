"""A composed network as the NumPy engine reads it: blocks, layer 1, q_1, with numbers in all of them."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from sympy import Expr

from asympt.blocks import nodes
from asympt.blocks.nodes import DEPTH, INPUT, LAYER, Node, every_node, parts_of
from asympt.compiling import as_function
from asympt.depth.constants import precise
from asympt.depth.tables import power_of, require_continuous
from asympt.errors import InputError, UnsupportedError
from asympt.numbers import symbol_names

TURNS = 3  # of the blocks, after which what they leave is what they find


@dataclass(frozen=True)
class BlockNetwork:
    """Blocks in turn from layer 2 on, and layer 1."""

    blocks: tuple[Node, ...]
    first: nodes.DenseNode

    def block(self, layer: int) -> Node:
        """The block that layer l = 2, 3, ... is the output of."""
        return self.blocks[(layer - 2) % len(self.blocks)]

    @property
    def all_nodes(self) -> list[Node]:
        return every_node(self.blocks)

    @property
    def activations(self) -> list:
        return [phi for node in self.all_nodes for phi in node.activations]

    @property
    def drops(self) -> bool:
        """Whether one input meets itself otherwise than it meets another one that is equal to it."""
        return any(node.masks for node in self.all_nodes)

    @property
    def grows(self) -> bool:
        """Whether blocks put new neurons beside the old ones."""
        return any(part.is_dense_connection for block in self.blocks for part in parts_of(block))

    @property
    def has_layers(self) -> bool:
        return any(LAYER in node.own_symbols for node in self.all_nodes)

    @property
    def power(self) -> int:
        """1 where some phi' jumps, else 2: the maps are smooth in sqrt(gap) or in the gap."""
        return min((power_of(phi.piecewise) for phi in self.activations), default=2)

    @property
    def is_odd(self) -> bool:
        """Whether the map of c and what is added to k are odd: no bias, every phi odd, no products, no masks."""
        x = np.linspace(0.01, 9.0, 99)
        odd = all(np.allclose(f(x), -f(-x), rtol=1e-14, atol=0) for f in (p.piecewise.vectorised for p in
                                                                          self.activations))  # fmt: skip
        return odd and all(node.is_odd for node in self.all_nodes)


def blocks_of(net) -> BlockNetwork | None:
    """What there is to read of a composed network; None for any other one, and for one whose statement says more.

    `InputError` for symbols, and the like.
    """
    blocks = getattr(net, "blocks", None)
    if blocks is None or (_has_more(net) and net.statement is not None):
        return None
    if getattr(getattr(net, "readout", None), "is_dense", False):
        raise UnsupportedError(
            f"readout = {net.readout!r}: the NumPy engine of composed networks looks at their layers; leave the "
            "readout out, or ask for random networks (finite)"
        )
    return _read(tuple(blocks), net.first)


def _has_more(net) -> bool:
    """Whether there is a dense readout, learning rates of their own or a convolution, which no rule here reads."""
    readout = getattr(net, "readout", None)
    if readout is not None and readout.is_dense:
        return True
    own = [*BlockNetwork(tuple(net.blocks), net.first).all_nodes, net.first, *filter(None, [readout])]
    return any(node.is_convolution or (node.is_dense and not node.is_trained_as_drawn) for node in own)


def variance_of(net) -> float:
    """q_1 of pairs that do not say which variance they have."""
    try:
        found = net.variance
    except UnsupportedError:
        raise InputError(
            f"variance = None, but the variance of {net!r} settles nowhere and its kernel depends on it; give "
            "variance, the q^1 of the first layer"
        ) from None
    _require_numbers(found.free_symbols)
    return float(precise(found))


@lru_cache(maxsize=256)
def _read(blocks: tuple, first: Node) -> BlockNetwork:
    if any(node.is_convolution for node in every_node((first, *blocks))):
        raise UnsupportedError(
            f"layer 1 is {first!r} and the blocks are {', '.join(map(repr, blocks))}: with convolutions there are "
            "pairs of positions; take asympt.depth.convolution.conv_gram"
        )
    return numbered(blocks, first)


def numbered(blocks: tuple, first: Node) -> BlockNetwork:
    """Blocks and layer 1, with numbers in all of them, trained as drawn; errors for what the engines do not read."""
    found = BlockNetwork(blocks, first)
    _require_numbers(set().union(first.parameters, *(block.parameters for block in blocks)))
    trained = [node for node in (first, *found.all_nodes) if node.is_dense]
    if not all(node.is_trained_as_drawn for node in trained):
        raise UnsupportedError(
            f"layer 1 is {first!r} and the blocks are {', '.join(map(repr, blocks))}; the NumPy engine of composed "
            "networks knows no learning rates but those of weights as drawn; take pair(), or a network with a statement"
        )
    signal = INPUT
    for block in blocks * TURNS:
        signal = block.signal(signal)
    for phi in found.activations:
        require_continuous(phi)
    return found


def _require_numbers(symbols: set) -> None:
    if symbols:
        raise InputError(
            f"the network holds the symbols {symbol_names(symbols)}; give numbers, float64 iterates nothing else"
        )


@lru_cache(maxsize=1024)
def number(value: Expr) -> float:
    return float(precise(value))


def square_of(factor: Expr, layer: int, depth: int) -> float:
    if not factor.free_symbols:
        return number(factor**2)
    found = _factor(factor)(float(layer), float(depth))
    if not np.isfinite(found) or np.iscomplexobj(found):
        raise InputError(f"the factor {factor} is {found} in layer {layer}; give one that is a real number there")
    return float(found) ** 2


@lru_cache(maxsize=256)
def _factor(factor: Expr):
    return as_function([LAYER, DEPTH], factor, "numpy")

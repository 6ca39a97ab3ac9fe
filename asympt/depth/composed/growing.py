"""Blocks that put new neurons beside all old ones: what a branch reads of these, summed up once.

Problem.  Layer l of a densely connected network reads l groups of neurons, so L layers cost L^2; but a group never
changes, and neither does its part in what the next branches read.

Rule.  Of a branch dense(phi(x)) or dense(x), also behind a norm, only means over all neurons count: of x, and of phi(x)
group by group.  Both are kept (`signals.added`), and a new group is added to them when it is made.  A norm divides by
the deviation of all neurons, which a ReLU-like phi lets through.

Tiny case.  dense_connection(1, relu, dense(sqrt(2))): the mean of g(c) over layers is c of the next one.

Known limits.  Other branches (phi without such a scale behind a norm, gain and bias in front of phi, a sum around the
concatenation) are followed group by group.
"""

from dataclasses import dataclass, replace

from asympt.blocks.nodes import Node, parts_of
from asympt.depth.composed.layers import Layers
from asympt.depth.composed.network import BlockNetwork, number
from asympt.depth.composed.signals import NeuronGroup, added


@dataclass(frozen=True)
class GrowingBlock:
    """A block: whether a norm comes first, what then acts on every group by itself, and what is left of the branch."""

    growth: float
    has_norm: bool
    alone: tuple[Node, ...]
    rest: tuple[Node, ...]

    @classmethod
    def of(cls, block: Node) -> "GrowingBlock | None":
        """None for a block that needs all groups."""
        if not block.is_dense_connection:
            return None
        parts = parts_of(block.branch)
        has_norm = parts[0].is_norm
        if has_norm and parts[0].affine:
            return None
        parts = parts[1:] if has_norm else parts
        count = next(at for at, part in enumerate(parts) if not part.activations)
        if has_norm and not all(part.phi.is_relu_like for part in parts[:count]):
            return None
        if not parts[count].is_dense:
            return None
        return cls(number(block.growth), has_norm, parts[:count], parts[count:])


@dataclass(frozen=True)
class Grown:
    """Layer l: the newest neurons, the mean over all, and for every block the mean of what acts on every group."""

    layer: int
    newest: NeuronGroup
    mean: NeuronGroup
    images: tuple[NeuronGroup, ...]

    @classmethod
    def begun(cls, first: NeuronGroup, blocks: tuple[GrowingBlock, ...], layers: Layers) -> "Grown":
        """Layer 1."""
        return cls(1, first, first, tuple(_image(block, first, layers, 1) for block in blocks))

    def step(self, blocks: tuple[GrowingBlock, ...], layers: Layers) -> "Grown":
        """The next layer."""
        at = (self.layer - 1) % len(blocks)
        block, read = blocks[at], self.images[at]
        if block.has_norm:
            read = replace(read, q=read.q / self.mean.q)
        groups = (read,)
        for part in block.rest:
            groups = layers.through(part, groups, self.layer + 1)
        (found,) = layers.counted(groups)
        newest = replace(found.restarted(), width=block.growth)
        images = (_joined(mean, _image(block, newest, layers, self.layer + 1), layers) for mean, block in
                  zip(self.images, blocks, strict=True))  # fmt: skip
        return Grown(self.layer + 1, newest, _joined(self.mean, newest, layers), tuple(images))


def growing_blocks(net: BlockNetwork) -> tuple[GrowingBlock, ...] | None:
    """The blocks of a network, if all of them are such."""
    found = tuple(map(GrowingBlock.of, net.blocks))
    return None if None in found else found


def _image(block: GrowingBlock, group: NeuronGroup, layers: Layers, layer: int) -> NeuronGroup:
    """What a branch reads of one group."""
    groups = (group,)
    for part in block.alone:
        groups = layers.through(part, groups, layer)
    return groups[0].restarted()


def _joined(mean: NeuronGroup, more: NeuronGroup, layers: Layers) -> NeuronGroup:
    width = mean.width + more.width
    found = added(mean, more, mean.width / width, more.width / width, layers.pairs)
    return replace(found.restarted(), width=width)

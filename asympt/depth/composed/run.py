"""All layers of a composed network for pairs of inputs that have one variance.

The loop notes on which numbers every layer depends (`Layers.trace`).  Once they repeat from one turn of the blocks to
the next, the rest is composed by squaring, at the fixed point of the variance to 40 digits where there is one:

    post-LN, branches with a fixed share, plain networks       squared from the second turn on
    the variance settles                                       squared after some hundred layers
    pre-LN, 1/sqrt(l), growth                                  layer by layer, many pairs on the nodes of a table
    dropout                                                    layer by layer until c stands still; K then is geometric

Where blocks put new neurons beside all old ones, a branch dense(phi(x)) or dense(x), also behind a norm, reads means
over all neurons only: they are kept (`Grown`), not summed up anew in every layer.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain, pairwise

import numpy as np
from mpmath import mp, mpf

from asympt.blocks import nodes
from asympt.blocks.nodes import DEPTH, Node, parts_of
from asympt.depth.composed.layers import (
    ALIKE,
    BlockNetwork,
    Groups,
    Layers,
    NeuronGroup,
    PairValues,
    Track,
    added,
    blocks_of,
    number,
    positive,
    roots,
    square_of,
    variance_of,
)
from asympt.depth.composed.relu_like import FreeRun, is_straight, straight
from asympt.depth.gaps import ALIKE as EQUAL
from asympt.depth.gaps import Inputs, Variances, require_held, single
from asympt.depth.moving import require_finite
from asympt.depth.norms import Tiles
from asympt.depth.norms.tiles import Paired
from asympt.depth.parsing import require_walkable
from asympt.depth.squaring import Factor, HomogeneousLayer, Moved, Run, by_nodes, many_layers, repeated
from asympt.depth.workers import Progress, run
from asympt.errors import UnsupportedError
from asympt.gaussian.closed.moments import moments_at
from asympt.gaussian.moments import moment
from asympt.numbers import to_mpf

# ---- one block at c = 1 ----------------------------------------------------------------------------------------------

DIGITS = 40
ZERO = mpf(10) ** -30
SPREAD = 1e-6  # of the two points between which the fixed point is looked for
NEARBY = 0.1  # of the variance, by which it may be away
ROUNDS = 8


@dataclass(frozen=True)
class Response:
    """NeuronGroup: their number, q, d; (phi, q) where they come straight from phi."""

    width: object
    q: object
    d: object
    came_from: tuple | None = None


def slope_of(blocks: tuple[Node, ...], depth: int, q: mpf) -> mpf:
    """chi of the blocks in turn, at their variance q."""
    with mp.workdps(DIGITS):
        found = _turn(blocks, depth, mpf(q))
        chi = found.d * mpf(q) / found.q
        return mpf(1) if abs(chi - 1) < ZERO else chi


def growth_of(blocks: tuple[Node, ...], depth: int, q: float) -> mpf:
    """q'/q of the blocks in turn."""
    with mp.workdps(DIGITS):
        return _turn(blocks, depth, mpf(q)).q / mpf(q)


def polished(blocks: tuple[Node, ...], depth: int, q: float) -> mpf:
    """The fixed point of the variance near q, by the secant method; q where it has none and moves slowly."""
    with mp.workdps(DIGITS):
        one, two = mpf(q), mpf(q) * (1 + SPREAD)
        before, here = (_turn(blocks, depth, v).q - v for v in (one, two))
        if abs(before) < ZERO * one:
            return one
        for _ in range(ROUNDS):
            if here == before or abs(here) < ZERO * two:
                break
            one, two, before = two, two - here * (two - one) / (here - before), here
            if abs(two - q) > NEARBY * q:
                return mpf(q)
            here = _turn(blocks, depth, two).q - two
        return two


def _turn(blocks: tuple[Node, ...], depth: int, q) -> Response:
    groups = (Response(mpf(1), q, mpf(1)),)
    for block in blocks:
        groups = _through(block, groups, depth)
    return groups[-1]


def _through(node: Node, groups: tuple, depth: int) -> tuple:
    for part in parts_of(node):
        groups = _part(part, groups, depth)
    return groups


def _part(node: Node, groups: tuple, depth: int) -> tuple:
    match node:
        case nodes.DenseNode():
            weight, found = to_mpf(node.sigma_w) ** 2, _whole(groups)
            return (Response(mpf(1), to_mpf(node.sigma_b) ** 2 + weight * found.q, weight * found.d),)
        case nodes.ActivationNode(phi=phi):
            return tuple(_activated(phi.piecewise, group) for group in groups)
        case nodes.NormNode():
            found, centres = _whole(groups), node.takes_mean
            lost = moment(*found.came_from, mp.dps) ** 2 if centres and found.came_from is not None else 0
            size = found.q - lost
            return tuple(Response(g.width, (g.q - lost) / size, g.d / size) for g in groups)
        case nodes.ScaleNode(factor=factor):
            return tuple(Response(g.width, g.q * _square(factor, depth), g.d * _square(factor, depth)) for g in groups)
        case nodes.ResidualNode():
            branch, a, b = _whole(_through(node.branch, groups, depth)), *(_square(v, depth) for v in
                                                                           (node.skip, node.scale))  # fmt: skip
            return tuple(Response(g.width, a * g.q + b * branch.q, a * g.d + b * branch.d) for g in groups)
        case nodes.GatedNode():
            one, two = (_whole(_through(branch, groups, depth)) for branch in node.parts)
            return (Response(mpf(1), one.q * two.q, one.d * two.q + one.q * two.d),)
        case nodes.DenseConnectionNode(growth=growth, branch=branch):
            return groups + tuple(replace(g, width=to_mpf(growth)) for g in _through(branch, groups, depth))
    raise UnsupportedError(f"{node!r} does not leave equal inputs equal")


def _activated(phi, group: Response) -> Response:
    second, slope = moments_at(phi, 2, group.q, mp.dps)
    return Response(group.width, second, group.d * slope, (phi, group.q))


def _whole(groups: tuple) -> Response:
    if len(groups) == 1:
        return groups[0]
    total = mp.fsum(g.width for g in groups)
    return Response(total, *(mp.fsum(g.width * getattr(g, name) for g in groups) / total for name in ("q", "d")))


def _square(factor, depth: int):
    return to_mpf(factor.subs(DEPTH, depth)) ** 2


# ---- growth ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class GrowingBlock:
    """A block: whether a norm comes first, what then acts on every group by itself, and what is left of the branch."""

    growth: float
    has_norm: bool
    alone: Node
    rest: Node

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
        return cls(number(block.growth), has_norm, *map(nodes.SerialNode, (parts[:count], parts[count:])))


@dataclass(frozen=True)
class Grown:
    """Layer l: the newest neurons, the mean over all, and for every block the mean of what acts on every group."""

    layer: int
    newest: NeuronGroup
    mean: NeuronGroup
    images: tuple[NeuronGroup, ...]

    @classmethod
    def begun(cls, first: NeuronGroup, blocks: tuple[GrowingBlock, ...], layers: Layers) -> "Grown":
        return cls(1, first, first, tuple(_image(block, first, layers, 1) for block in blocks))

    def step(self, blocks: tuple[GrowingBlock, ...], layers: Layers) -> "Grown":
        at = (self.layer - 1) % len(blocks)
        block, read = blocks[at], self.images[at]
        if block.has_norm:
            read = read.of(read.q / self.mean.q)
        (found,) = layers.counted(layers.through(block.rest, (read,), self.layer + 1))
        newest = replace(found.restarted(), width=block.growth)
        images = (_joined(mean, _image(block, newest, layers, self.layer + 1), layers) for mean, block in
                  zip(self.images, blocks, strict=True))  # fmt: skip
        return Grown(self.layer + 1, newest, _joined(self.mean, newest, layers), tuple(images))


def _image(block: GrowingBlock, group: NeuronGroup, layers: Layers, layer: int) -> NeuronGroup:
    return layers.through(block.alone, (group,), layer)[0].restarted()


def _joined(mean: NeuronGroup, more: NeuronGroup, layers: Layers) -> NeuronGroup:
    width = mean.width + more.width
    found = added(mean, more, mean.width / width, more.width / width, layers.pairs)
    return replace(found.restarted(), width=width)


# ---- all layers ------------------------------------------------------------------------------------------------------


Array = np.ndarray
Tick = Callable[[float], None]
SETTLED = 1e-13  # relative change of a number on the trace
FIXED = 1e-9  # relative change of the variance from which on it grows or falls
ENORMOUS = mpf(10) ** 60  # a variance beside which a bias is nothing
PATIENCE = 20_000  # layers after which variances are not expected to settle any more
UNNOTICED = 1e-8  # of sqrt(gap): different variances add no more to a gap than the square of their relative difference
STILL = 4e-16  # change of c after which it stands still


@dataclass(frozen=True)
class AtLayer:
    """Layer l: its neurons, the newest ones last; their tracks begin here, with K/q as the source.

    `turned`: the pairs that are taken with one input turned round (`BlockNetwork.acute`); `last` turns them back.
    """

    layer: int
    pairs: Paired
    groups: Groups
    turned: Array | None = None

    @classmethod
    def begun(cls, gap: Array, q: Array, pairs: Paired = ALIKE, rest: Array | None = None,
              net: BlockNetwork | None = None, difference: Array | None = None) -> "AtLayer":  # fmt: skip
        """Layer 1, where K = Sigma unless the network says otherwise."""
        *start, turned = (gap, rest, 1.0 - gap, None) if net is None else net.begun(gap, rest, roots(q, pairs))
        group = NeuronGroup(1.0, q, PairValues(*start))
        if difference is not None:
            unit, one, two, _ = group.ends(pairs)
            group = replace(group, known=(unit, one, two, difference / positive(one + two, q)))
        return cls(1, pairs, (group,), turned)

    @property
    def is_alike(self) -> bool:
        """Whether all inputs have one variance, as far as gaps notice."""
        group = self.groups[0]
        if len(self.groups) > 1 or np.ptp(group.q) > EQUAL * group.q.max():
            return False
        if group.known is None:
            return True
        unit, _, _, apart = group.known
        return bool((np.abs(apart) <= UNNOTICED * np.sqrt(group.q.max() / unit * group.track.gap)).all())

    @property
    def last(self) -> tuple[Array, Array, Array]:
        """(1 - c, K/q, q) of the newest neurons."""
        newest = self.groups[-1].counted(self.pairs)
        gap, kernel = newest.track.gap, newest.track.source
        if self.turned is not None:
            gap, kernel = np.where(self.turned, 2.0 - gap, gap), np.where(self.turned, -kernel, kernel)
        return gap, kernel, newest.q

    def step(self, net: BlockNetwork, layers: Layers, settled: bool = False) -> "AtLayer":
        given = tuple(replace(group, settled=settled) for group in self.groups)
        found = layers.through(net.block(self.layer + 1), given, self.layer + 1)
        require_finite(found[-1].q, self.layer + 1)
        return replace(self, layer=self.layer + 1, groups=tuple(group.restarted() for group in found))

    def held(self, before: "AtLayer") -> tuple["AtLayer", bool]:
        """With the variance of the layer before where that is the same but for rounding, and whether it is."""
        (one, *others), (two, *_) = self.groups, before.groups
        if others or len(one.q) > 1 or abs(one.q - two.q) > 2 * STILL * two.q:
            return self, False
        return replace(self, groups=(one.of(two.q),)), True


@dataclass(frozen=True)
class ComposedRun:
    """Layers 1, ..., depth of pairs whose inputs all have the variance q_1, as a function of the gap.

    `twice`: gap 0 is one input twice, with one mask where there is dropout; else two inputs that are equal.
    """

    net: BlockNetwork
    depth: int
    variance: float
    twice: bool = True

    def __call__(self, gap: Array, tick: Tick, rest: Array | None = None) -> tuple[Array, Array]:
        """(1 - c^L, K^L/q_L) of flat gaps."""
        same = (gap == 0) & self.twice
        if not self.net.drops or not same.any():
            return self.of(gap, tick, rest=rest)
        found = np.zeros_like(gap), np.empty_like(gap)
        found[1][same] = self.of(gap[same][:1], lambda layers: None, True)[1]
        if not same.all():
            others = self.of(gap[~same], tick, rest=None if rest is None else rest[~same])
            for target, values in zip(found, others, strict=True):
                target[~same] = values
        return found

    def of(self, gap: Array, tick: Tick, same: bool = False, rest: Array | None = None) -> tuple[Array, Array]:
        """The same of pairs that are all of one sort."""
        at = AtLayer.begun(gap, np.array([self.variance]), rest=rest, net=self.net)
        return self.onward(at, tick, same)[:2]

    def onward(self, at: AtLayer, tick: Tick, same: bool = False) -> tuple[Array, Array, Array]:
        """(1 - c^L, K^L/q_L, q_L), from any layer on."""
        growing = tuple(map(GrowingBlock.of, self.net.blocks))
        if None not in growing and at.layer == 1:
            return self._grown(growing, at, tick, same)
        turn, traces, still = len(self.net.blocks), [], False
        while at.layer < self.depth:
            if at.layer == PATIENCE or self.net.grows or self.net.has_layers:
                require_walkable(self.depth, "no two layers are alike")
            layers, before = Layers(self.depth, same=same), at
            at = at.step(self.net, layers, still)
            if turn == 1:
                at, still = at.held(before)
            tick(1)
            traces = [*traces[1 - 2 * turn :], layers.trace]
            if self._repeats(traces, turn):
                return self._repeated(at, tick, same)
        return at.last

    def _grown(self, blocks: tuple, at: AtLayer, tick: Tick, same: bool) -> tuple[Array, Array, Array]:
        layers = Layers(self.depth, same=same)
        grown = Grown.begun(at.groups[0], blocks, layers)
        require_walkable(self.depth, "no two layers are alike")
        while grown.layer < self.depth:
            grown = grown.step(blocks, layers)
            layers.trace.clear()
            tick(1)
        return replace(at, groups=(grown.newest,)).last

    def _repeats(self, traces: list, turn: int) -> bool:
        """Whether two turns of the blocks have been alike, and all others will be."""
        if self.net.grows or self.net.has_layers or len(traces) < 2 * turn:
            return False
        pairs = zip(chain(*traces[:turn]), chain(*traces[turn:]), strict=True)
        return all(abs(one - two) <= SETTLED * abs(two) + floor for (one, floor), (two, _) in pairs)

    def _repeated(self, at: AtLayer, tick: Tick, same: bool) -> tuple[Array, Array, Array]:
        turns, left = divmod(self.depth - at.layer, len(self.net.blocks))
        for _ in range(left):
            at = at.step(self.net, Layers(self.depth, same=same), settled=False)
        if not turns:
            return at.last
        (group,) = at.groups
        repeated = RepeatedLayer.of(self.net, at.layer, self.depth, group)
        if self.net.drops and not same:
            gap, kernel = _until_still(repeated, turns, group.track.gap, group.track.source)
        else:
            gap, kernel = many_layers(repeated, turns, group.track.gap, group.track.source)
        tick(self.depth - at.layer)
        with mp.workdps(DIGITS):
            q = group.q * float(repeated.growth**turns)
        return replace(at, groups=(group.of(q, track=PairValues(gap, None, kernel)),)).last


def _until_still(layer: "RepeatedLayer", turns: int, gap: Array, kernel: Array) -> tuple[Array, Array]:
    """Turns until c stands still; from there on k' = a k + b with the same a and b."""
    for done in range(turns):
        track = layer.track(gap, 2.0 - gap)
        if np.abs(track.gap - gap).max(initial=0.0) <= STILL:
            a, n = track.slope, turns - done
            total = np.where(a == 1, n, np.expm1(n * np.log(np.abs(a))) / np.where(a == 1, 1.0, a - 1))
            return gap, a**n * kernel + track.source * total
        gap, kernel = track.gap, track.kernel(kernel)
    return gap, kernel


@dataclass(frozen=True)
class RepeatedLayer:
    """One turn of the blocks as a `squaring.OneLayer`, at the variance to which it returns (up to a factor, `growth`).

    `slope` is chi to 40 digits; `gain`: blocks end with a norm with gain (k is without its part then).
    """

    net: BlockNetwork
    start: int
    depth: int
    variance: float
    slope: mpf
    growth: mpf
    gain: bool

    @classmethod
    def of(cls, net: BlockNetwork, layer: int, depth: int, group: NeuronGroup) -> "RepeatedLayer":
        """The turn after this layer."""
        start, q = (layer - 1) % len(net.blocks), float(group.q[0])
        blocks = net.blocks[start:] + net.blocks[:start]
        if net.drops:
            return cls(net, start, depth, q, mpf(1), mpf(1), group.gain)
        growth = growth_of(blocks, depth, q)
        if growth > 1 + FIXED:
            return cls(net, start, depth, q, slope_of(blocks, depth, ENORMOUS), growth, group.gain)
        fixed = polished(blocks, depth, q) if growth > 1 - FIXED else mpf(q)
        growth = growth if fixed == q else mpf(1)
        return cls(net, start, depth, float(fixed), slope_of(blocks, depth, fixed), growth, group.gain)

    @cached_property
    def excess(self) -> float:
        """chi - 1 to all its digits."""
        with mp.workdps(DIGITS):
            return float(self.slope - 1)

    @property
    def power(self) -> int:
        return self.net.power

    def track(self, gap: Array, rest: Array) -> Track:
        layers, first = Layers(self.depth), self.start + 2
        groups = (NeuronGroup(1.0, np.array([self.variance]), Track.begun(gap, rest), True, gain=self.gain),)
        for layer in range(first, first + len(self.net.blocks)):
            groups = layers.through(self.net.block(layer), groups, layer)
        return groups[-1].track

    def __call__(self, gap: Array, rest: Array) -> Moved:
        track, chi = self.track(gap.ravel(), rest.ravel()), float(self.slope)
        unit = min(1.0, chi)
        lost, turned, after, source = (np.broadcast_to(v, gap.size).reshape(gap.shape) for v in
                                       (track.lost, track.turned, track.gap, track.source))  # fmt: skip
        value = np.divide(after / unit, gap, out=np.broadcast_to(chi / unit, gap.shape).copy(), where=gap > 0)
        if self.excess < 0:
            shrink, slope = Factor(value, lost / chi), Factor(1.0 - turned / chi, turned / chi)
        else:
            shrink, slope = Factor(value, lost - self.excess), Factor(chi - turned, turned - self.excess)
        return Moved(shrink, slope, source)

    def unit(self, layers: int) -> float:
        with mp.workdps(DIGITS):
            return float(min(self.slope, 1) ** layers)


# ---- as `pairs` and `gram` ask for it --------------------------------------------------------------------------------

SMALLEST, LARGEST, PARTS = 2048, 16384, 8  # pairs that go through the layers together


def cut(pairs: int, least: int = SMALLEST) -> Iterator[slice]:
    """Slices of nearly equal length that cover range(pairs), 2,048 (or `least`) to 16,384 pairs long where possible.

    >>> [part.stop for part in cut(5000)]
    [1667, 3334, 5000]
    """
    size = min(LARGEST, max(least, -(-pairs // PARTS)))
    parts = -(-pairs // size)
    edges = [-(-pairs * part // max(parts, 1)) for part in range(parts + 1)]
    return (slice(start, stop) for start, stop in pairwise(edges))


@dataclass(frozen=True)
class Block:
    """Pairs with variances of their own that go through the layers together, perhaps in another process."""

    stack: "ComposedStack"
    gap: Array
    q: Array
    pairs: Paired
    same: bool
    rest: Array | None
    difference: Array

    @property
    def depth(self) -> int:
        return self.stack.depth

    def run(self, tick: Tick) -> tuple[Array, Array]:
        at = AtLayer.begun(self.gap, self.q, self.pairs, self.rest, self.stack.net, self.difference)
        return self.stack.onward(at, self.same, tick)[:2]


@dataclass(frozen=True)
class ComposedStack:
    """The layers of a network of blocks up to `depth`; `asked`: the network as it was given.

    With one variance, or none that matters, a function of the gap; else pairs keep variances of their own until these
    have become one: behind a norm at the end of a block from layer 2 on, under pre-LN never.
    """

    net: BlockNetwork
    depth: int
    asked: object = field(compare=False)

    def __post_init__(self) -> None:
        beside = self.net.neurons[2] if self.net.neurons else None
        if beside is not None and square_of(beside.skip, 2, self.depth) >= 1:  # said at once, not after `PATIENCE`
            require_walkable(self.depth, "variances do not settle")

    @classmethod
    def of(cls, net, depth: int) -> "ComposedStack | None":
        found = blocks_of(net)
        return None if found is None else cls(found, depth, net)

    @property
    def together(self) -> bool:
        """Whether all pairs of two sets of inputs go through a layer before the next one begins."""
        return self.net.neurons is not None

    @cached_property
    def is_scale_free(self) -> bool:
        """Whether c and K/q move the same way at every variance."""
        kinds = nodes.NormNode | nodes.GatedNode
        return (
            all(phi.is_relu_like for phi in self.net.activations)
            and not any(isinstance(node, kinds) or getattr(node, "sigma_b", 0) != 0 for node in self.net.all_nodes)
            and self.net.first.sigma_b == 0
            and all(node.rates[1] == 0 for node in (self.net.first, *self.net.all_nodes) if node.is_dense)
        )

    @property
    def has_norm(self) -> bool:
        """Whether an input of zeros would be divided by its deviation."""
        return any(node.is_norm for node in self.net.all_nodes)

    def inputs(self, rows: Array, name: str = "X") -> Inputs:
        first = self.net.first
        remedy = "give smaller inputs (with this activation or these biases the kernels do not scale with X)"
        if self.is_scale_free:
            remedy = "divide X by a common factor and multiply Sigma and K by its square"
        found = Inputs.through(number(first.sigma_b**2), number(first.sigma_w**2), rows, name, remedy)
        silent = np.flatnonzero(found.variance == 0)
        if silent.size and self.has_norm:
            raise UnsupportedError(
                f"{found.what} {int(silent[0])} has variance 0 in layer 1, and a norm divides by its deviation; leave "
                "it out, or take sigma_b > 0 in layer 1"
            )
        drawn = [node for node in (first, *self.net.all_nodes) if node.is_dense]
        if silent.size and any(node.rates[1] != 0 for node in drawn) and all(node.sigma_b == 0 for node in drawn):
            raise UnsupportedError(
                f"{found.name} has a row of zeros, whose variance stays 0 while biases learn: its NTK depends on the "
                "slope of phi at 0; leave the row out, or take sigma_b > 0"
            )
        return found

    def function(self, variances: Array | None, twice: bool = True) -> Run | None:
        """The layers as a function of the gap alone, if they are one; `variances` of layer 1, None: the network's.

        `twice`: gap 0 is one input twice, not two that are equal.
        """
        if self.is_scale_free:
            if (run := self._homogeneous) is not None:
                return run
            q = 1.0
        elif variances is None:
            q = variance_of(self.asked)
        elif (q := single(variances)) is None:
            return None
        return partial(by_nodes, ComposedRun(self.net, self.depth, q, twice))

    @property
    def _homogeneous(self) -> Run | None:
        """Layers without a scale of one phi each: squared where they are alike."""
        if self.net.single is None:
            return None
        found = FreeRun(self.net, self.depth)
        if self.net.has_layers:
            return partial(by_nodes, found)
        layer = HomogeneousLayer(found.numbers, *map(float, found.weights_in(2)))
        return partial(repeated, layer, self.depth - 1, self.net.first_line[0])

    def of_every_pair(self, gap: Array, variances: Variances, report: Progress, workers: int = 1, twice: bool = False,
                      rest: Array | None = None) -> tuple:  # fmt: skip
        """(1 - c^L, K^L/sqrt(q_L q_L')) of flat gaps of pairs with variances of their own; `rest` is 2 - gap."""
        after, kernels = np.empty_like(gap), np.empty_like(gap)
        same = (gap == 0) & (variances.first == variances.second) & (twice and self.net.drops)

        def keep(part, end, kernel):
            after[part], kernels[part] = end, kernel

        def blocks():
            one = None not in map(single, variances)  # all pairs have the same two
            for alike in (False, True):
                chosen = np.flatnonzero(same == alike)
                least = LARGEST if self.together else SMALLEST  # that share tables
                for some in [slice(None)][: chosen.size] if one else cut(chosen.size, least):
                    part, place = chosen[some], chosen[some][:1] if one else chosen[some]
                    ends = np.stack([variances.first[place], variances.second[place]])
                    q, places = np.unique(ends, return_inverse=True)
                    pairs, known = Paired(*places.reshape(2, -1)), None if rest is None else rest[part]
                    yield part, Block(self, gap[part], q, pairs, alike, known, variances.difference[place])

        run(blocks(), workers if gap.size > SMALLEST else 1, report, keep)
        return after, kernels

    def onward(self, at: AtLayer, same: bool, tick: Tick) -> tuple[Array, Array, Array]:
        """(gap_L, k_L, q_L), from any layer on, layer by layer until the variances are one."""
        while at.layer < self.depth:
            if at.is_alike:
                alike = replace(at, pairs=ALIKE, groups=(at.groups[0].of(at.groups[0].q[:1]),))
                return ComposedRun(self.net, self.depth, float(alike.groups[0].q[0])).onward(alike, tick, same)
            if at.layer == PATIENCE:
                require_walkable(self.depth, "inputs have variances of their own")
            at = at.step(self.net, Layers(self.depth, at.pairs, same))
            tick(1)
        return at.last

    def diagonal(self, inputs: Inputs, shift: int) -> tuple[Array, Array]:
        """(q_L, K^L(x, x)) of inputs given in units of 2^shift."""
        q = inputs.variance
        after, ntk = self._diagonal(q, shift)
        remedy = f"divide {inputs.name} by a common factor" if self.is_scale_free else "give a smaller depth"
        require_held(
            q, after, ntk, self.depth, inputs.what, remedy=f", or {remedy}",
            is_finite=lambda layer: np.isfinite(replace(self, depth=layer)._diagonal(q, shift)[1]).all(),
        )  # fmt: skip
        return after, ntk

    def _diagonal(self, q: Array, shift: int) -> tuple[Array, Array]:
        if is_straight(self.net):
            slope, intercept, learnt, kernel = straight(self.net, self.depth)
            with np.errstate(over="ignore", invalid="ignore"):  # `require_held` sees it
                return np.ldexp(slope * q + intercept, 2 * shift), np.ldexp(learnt * q + kernel, 2 * shift)
        first = np.ones(1) if self.is_scale_free else q
        alone = np.arange(len(first))
        at = AtLayer.begun(np.zeros(len(first)), first, Paired(alone, alone), net=self.net)
        with np.errstate(over="ignore", invalid="ignore"):
            _, kernel, after = self.onward(at, True, lambda layers: None)
            after = np.ldexp(q * after, 2 * shift) if self.is_scale_free else after
            return np.broadcast_to(after, q.shape), np.broadcast_to(after * kernel, q.shape)


# ---- inputs of any norms, whose variances come to one another --------------------------------------------------------


def in_order(stacks: tuple[ComposedStack, ...]) -> list[int]:
    """The order in which `moved_together` comes to the depths; the arrays of the last one may be its memory."""
    return sorted(range(len(stacks)), key=lambda at: stacks[at].depth)


def moved_together(stacks: tuple[ComposedStack, ...], work: Tiles, report: Progress) -> Iterator[tuple]:
    """(which depth, rows, columns, gap_L, k_L) for inputs with variances of their own.

    All tiles move through one layer after the other, for all depths at once where these share their layers.
    """
    net, order = stacks[0].net, in_order(stacks)
    alike = not any(DEPTH in node.own_symbols for node in net.all_nodes) and all(s.net == net for s in stacks)
    for group in [order] if alike else [[at] for at in order]:
        net = stacks[group[0]].net
        q, layer, states = work.variances, 1, work.first(net.begun)
        other = q if stacks[group[-1]].depth == 1 else net.moving(2, stacks[group[0]].depth).variances(q)[0]
        for at in group:
            depth = stacks[at].depth
            while layer < depth and not _has_settled(q, other):
                if layer == PATIENCE:
                    require_walkable(depth, "variances do not settle")
                q, other = work.moved(net.moving(layer + 1, depth), layer + 1, q, states, report), q
                layer += 1
            for rows, columns, gap, kernel, turned in states:
                one = NeuronGroup(1.0, q[:1], PairValues(gap.flatten(), None, kernel.flatten()))
                run = ComposedRun(net, depth, float(q[0]))
                yield at, rows, columns, *run.onward(AtLayer(layer, ALIKE, (one,), turned), lambda done: None)[:2]


def _has_settled(q: Array, other: Array) -> bool:
    """Whether all variances are one, which no longer moves; `other` are those of the layer before or after."""
    return bool(np.ptp(q) <= SETTLED * q.max() and (np.abs(q - other) <= 4 * SETTLED * q).all())

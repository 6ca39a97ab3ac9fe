"""All layers of a composed network for pairs of inputs that have one variance.

Problem.  Layer after layer costs their number; but most networks come to repeat one layer, and L equal layers are a
look-up.

Rule.  The loop notes on which numbers every layer depends (`Layers.trace`: shares of branches, variances that an
activation reads).  Once they repeat from one turn of the blocks to the next, the rest is composed by squaring
(`squaring`), at the fixed point of the variance to 40 digits where there is one.  Networks whose layers never repeat
(a variance that grows under a norm, factors of the layer, growth) go layer by layer.

    post-LN, branches with a fixed share, plain networks       squared from the second turn on
    the variance settles                                       squared after some hundred layers
    pre-LN, 1/sqrt(l), growth                                  layer by layer, many pairs on the nodes of a table
    dropout                                                    layer by layer until c stands still; K then is geometric

Where blocks put new neurons beside all old ones, what the branch reads of these is summed up once, not in every layer,
if it reads nothing but their mean, or phi of them.

Tiny case.  relu, dense(sqrt(2)), L = 10^12: two layers in the loop, 10^12 - 3 in one look-up.

Known limits.  A variance that tends to 0, or approaches its fixed point like a power of l, never settles.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import chain

import mpmath
import numpy as np

from asympt.depth.composed.growing import Grown, growing_blocks
from asympt.depth.composed.layers import ALIKE, Groups, Layers
from asympt.depth.composed.network import BlockNetwork
from asympt.depth.composed.response import DIGITS, excess_of, growth_of, polished
from asympt.depth.composed.signals import NeuronGroup, Track
from asympt.depth.moving import require_finite
from asympt.depth.norms.pairing import Paired
from asympt.depth.parsing import require_walkable
from asympt.depth.squaring import many_layers
from asympt.depth.squaring.layer import Factor, Moved, power_of

Array = np.ndarray
Tick = Callable[[float], None]
SETTLED = 1e-13  # relative change of a number on the trace
FIXED = 1e-9  # relative change of the variance from which on it grows or falls
ENORMOUS = mpmath.mpf(10) ** 60  # a variance beside which a bias is nothing
PATIENCE = 20_000  # layers after which variances are not expected to settle any more
STILL = 4e-16  # change of c after which it stands still


@dataclass(frozen=True)
class AtLayer:
    """Layer l: its neurons, the newest ones last; their tracks begin here, with K/q as the source."""

    layer: int
    pairs: Paired
    groups: Groups

    @classmethod
    def begun(cls, gap: Array, q: Array, pairs: Paired = ALIKE, rest: Array | None = None) -> "AtLayer":
        """Layer 1, where K = Sigma."""
        return cls(1, pairs, (NeuronGroup(1.0, q, replace(Track.begun(gap, rest), source=1.0 - gap)),))

    @property
    def last(self) -> tuple[Array, Array, Array]:
        """(1 - c, K/q, q) of the newest neurons."""
        newest = self.groups[-1].counted(self.pairs)
        return newest.track.gap, newest.track.source, newest.q

    def step(self, net: BlockNetwork, layers: Layers, settled: bool = False) -> "AtLayer":
        """The next layer."""
        given = tuple(replace(group, settled=settled) for group in self.groups)
        found = layers.through(net.block(self.layer + 1), given, self.layer + 1)
        require_finite(found[-1].q, self.layer + 1)
        return AtLayer(self.layer + 1, layers.pairs, tuple(group.restarted() for group in found))


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
        return self.onward(AtLayer.begun(gap, np.array([self.variance]), rest=rest), tick, same)[:2]

    def onward(self, at: AtLayer, tick: Tick, same: bool = False) -> tuple[Array, Array, Array]:
        """(1 - c^L, K^L/q_L, q_L), from any layer on."""
        growing = growing_blocks(self.net)
        if growing is not None and at.layer == 1:
            return self._grown(growing, at.groups[0], tick, same)
        turn, traces = len(self.net.blocks), []
        while at.layer < self.depth:
            if at.layer == PATIENCE or self.net.grows or self.net.has_layers:
                require_walkable(self.depth, "no two layers are alike")
            layers = Layers(self.depth, same=same)
            at = at.step(self.net, layers)
            tick(1)
            traces = [*traces[1 - 2 * turn :], layers.trace]
            if self._repeats(traces, turn):
                return self._repeated(at, tick, same)
        return at.last

    def _grown(self, blocks: tuple, first: NeuronGroup, tick: Tick, same: bool) -> tuple[Array, Array, Array]:
        layers = Layers(self.depth, same=same)
        at = Grown.begun(first, blocks, layers)
        require_walkable(self.depth, "no two layers are alike")
        while at.layer < self.depth:
            at = at.step(blocks, layers)
            layers.trace.clear()
            tick(1)
        return at.newest.track.gap, at.newest.track.source, at.newest.q

    def _repeats(self, traces: list, turn: int) -> bool:
        """Whether two turns of the blocks have been alike, and all others will be."""
        if self.net.grows or self.net.has_layers or len(traces) < 2 * turn:
            return False
        pairs = zip(chain(*traces[:turn]), chain(*traces[turn:]), strict=True)
        return all(abs(one - two) <= SETTLED * abs(two) + floor for (one, floor), (two, _) in pairs)

    def _repeated(self, at: AtLayer, tick: Tick, same: bool) -> tuple[Array, Array, Array]:
        """All layers that are left: those beyond whole turns first, the turns in one look-up."""
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
        with mpmath.workdps(DIGITS):
            q = group.q * float(repeated.growth**turns)
        track = replace(Track.begun(gap), source=kernel)
        return AtLayer(self.depth, at.pairs, (replace(group, q=q, track=track),)).last


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

    `excess` is chi - 1, known to all its digits; `gain`: blocks end with a norm with gain (k is without its part then).
    """

    net: BlockNetwork
    start: int
    depth: int
    variance: float
    excess: float
    growth: mpmath.mpf
    gain: bool

    @classmethod
    def of(cls, net: BlockNetwork, layer: int, depth: int, group: NeuronGroup) -> "RepeatedLayer":
        """The turn after this layer."""
        start, q = (layer - 1) % len(net.blocks), float(group.q[0])
        blocks = net.blocks[start:] + net.blocks[:start]
        if net.drops:
            return cls(net, start, depth, q, 0.0, mpmath.mpf(1), group.gain)
        growth = growth_of(blocks, depth, q)
        if growth > 1 + FIXED:
            return cls(net, start, depth, 1.0, excess_of(blocks, depth, ENORMOUS), growth, group.gain)
        fixed = polished(blocks, depth, q) if growth > 1 - FIXED else mpmath.mpf(q)
        growth = growth if growth < 1 - FIXED else mpmath.mpf(1)
        return cls(net, start, depth, float(fixed), excess_of(blocks, depth, fixed), growth, group.gain)

    @property
    def power(self) -> int:
        """1 where some phi' jumps, else 2."""
        return self.net.power

    @property
    def is_odd(self) -> bool:
        """Whether what it does to c and K is odd."""
        return self.net.is_odd

    def track(self, gap: Array, rest: Array) -> Track:
        """What a turn does."""
        layers, first = Layers(self.depth), self.start + 2
        groups = (NeuronGroup(1.0, np.array([self.variance]), Track.begun(gap, rest), True, gain=self.gain),)
        for layer in range(first, first + len(self.net.blocks)):
            groups = layers.through(self.net.block(layer), groups, layer)
        return groups[-1].track

    def __call__(self, gap: Array, rest: Array) -> Moved:
        """r, a and what is added to k."""
        track, chi = self.track(gap.ravel(), rest.ravel()), 1.0 + self.excess
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
        """chi^layers in the ordered phase."""
        return power_of(1.0 + self.excess, float(np.log1p(self.excess)), layers)

"""The rules of the primitives on variances and gaps, to full relative accuracy: one block for many pairs of inputs.

With r = sqrt(q q') before and R after a primitive, k = K/r, b = sigma_b^2, w = sigma_w^2 and `signals` for sums:

    dense         gamma' = (w r/R) gamma + lift,   lift R = b w (sqrt q - sqrt q')^2/(R + b + w r),
                  k' = (w r/R) k + 1 - gamma'
    phi           gamma' = (1 + excess - drop) gamma + lift,  dc'/dc = 1 + excess - turn,  excess = chi - 1 (`Image`);
                  behind a norm with gain E[phi' phi' (1 + u u')]/R is added to k
    norm          q = 1;   of phi with mean m:  gamma' = (sqrt(M M')/sqrt(v v')) gamma - lag,   v = M - m^2, M = E phi^2
    dropout       gamma' = 1 - p + p gamma, q/p, k' = p k;   nothing for an input with itself
    product       1 - gamma' = (1 - gamma_A)(1 - gamma_B)
"""

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from sympy import Expr, Integer, sqrt

from asympt.blocks import nodes
from asympt.blocks.nodes import DEPTH, INPUT, LAYER, Node, every_node, parts_of
from asympt.compiling import as_function
from asympt.depth.moving import SMALLEST, Added, Moving, Pairs, cells
from asympt.depth.norms import move_pairs
from asympt.depth.norms.tiles import Paired
from asympt.depth.psi import FloatPsi, Smoothed, line, parity_of, product
from asympt.depth.squaring import HomogeneousLayer
from asympt.depth.stack import LayerConstants, any_step, fixed_variance, lowered, precise
from asympt.depth.tables import (
    TURN,
    ChebyshevPieces,
    far_curves,
    looked_up,
    near_curves,
    panels_of,
    power_of,
    table_change,
    tables_at,
)
from asympt.errors import InputError, UnsupportedError
from asympt.gaussian.piecewise import PiecewiseSmooth
from asympt.meanfield.activations import Activation
from asympt.meanfield.layer import Statement
from asympt.numbers import symbol_names

# ---- networks --------------------------------------------------------------------------------------------------------

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
    def single(self) -> tuple | None:
        """(phi, dense layer, skip connection or None) where every layer is phi and a dense layer."""
        (block, *others), beside = self.blocks, None
        if isinstance(block, nodes.ResidualNode):
            block, beside = block.branch, block
        match parts_of(block):
            case (nodes.ActivationNode(phi=phi), nodes.DenseNode() as read) if not others:
                return phi, read, beside
        return None

    @property
    def neurons(self) -> tuple | None:
        """`single` where phi is not ReLU-like."""
        found = self.single
        return None if found is None or found[0].is_relu_like else found

    def moving(self, layer: int, depth: int) -> Moving:
        """Layer l = 2, 3, ... of `neurons`."""
        (phi, read, beside), skip, scale = self.neurons, 0.0, 1.0
        if beside is not None:
            skip, scale = (square_of(value, layer, depth) for value in (beside.skip, beside.scale))
        more = None
        if beside is not None or not read.is_trained_as_drawn:
            more = Added(skip, *(scale * value_at(rate, layer, depth) for rate in read.rates))
        return Moving(phi.piecewise, scale * squared(read.sigma_w), scale * squared(read.sigma_b), more)

    def begun(self, gap: "Array", rest: "Array | None", mean: "Array") -> tuple:
        """`acute` of layer 1, where r = `mean`."""
        return self.acute(gap, rest, self.first_kernel(gap, mean))

    def acute(self, gap: "Array", rest: "Array | None", kernel: "Array") -> tuple:
        """Gap, 2 - gap and K/r, and of which pairs one input is turned round, None for none.

        These are the obtuse pairs where all layers are odd, which turn the signs of c and K then: of 1 + c, which holds
        what a gap near 2 does not, they lose no digit.
        """
        if not (self.is_odd and (turned := gap > 1).any()):
            return gap, rest, kernel, None
        near = np.where(turned, 2.0 - gap if rest is None else rest, gap)
        return near, None, np.where(turned, -kernel, kernel), turned

    def first_kernel(self, gap: "Array", mean: "Array") -> "Array":
        """K^1/r, r = sqrt(q q') = `mean`, of layer 1."""
        ratio, constant = self.first_line
        kernel = ratio * (1.0 - gap)
        return kernel + constant / np.where(mean > 0, mean, 1.0) if constant else kernel

    @property
    def first_line(self) -> tuple[float, float]:
        """u and v of K^1 = u q^1 + v."""
        ratio = self.first.rates[0] / self.first.sigma_w**2
        return number(ratio), number(self.first.rates[1] - ratio * self.first.sigma_b**2)

    @property
    def is_odd(self) -> bool:
        """Whether the map of c and what is added to k are odd: no bias, every phi odd, no products, no masks."""
        odd = all(parity_of(phi.piecewise.vectorised) == -1 for phi in self.activations)
        return odd and all(node.is_odd for node in self.all_nodes)


def blocks_of(net) -> BlockNetwork | None:
    """What there is to read of a composed network; None for any other one, and for one whose statement says more.

    No rule here reads a dense readout or a convolution.  `InputError` for symbols, and the like.
    """
    blocks, readout = getattr(net, "blocks", None), getattr(net, "readout", None)
    if blocks is None:
        return None
    reads = readout is not None and readout.is_dense
    convolves = any(node.is_convolution for node in every_node((net.first, *blocks)))
    if (reads or convolves) and net.statement is not None:
        return None
    if reads:
        raise UnsupportedError(
            f"readout = {readout!r}: the NumPy engine of composed networks has no readouts; leave the "
            "readout out, or ask for random networks (finite)"
        )
    if convolves:
        raise UnsupportedError(
            f"layer 1 is {net.first!r} and the blocks are {', '.join(map(repr, blocks))}: with convolutions there are "
            "pairs of positions; take asympt.depth.convolution.conv_gram"
        )
    return numbered(tuple(blocks), net.first)


@lru_cache(maxsize=64)
def blocks_of_statement(statement: Statement) -> BlockNetwork:
    """The layers of a statement as blocks."""
    first, (phi, *deviations), branch = statement.first, statement.layer.deviations, statement.branch
    rates = statement.weight_rate / branch, statement.bias_rate / branch
    layer = nodes.SerialNode((nodes.ActivationNode(phi, phi.name), nodes.DenseNode(*deviations, *rates)))
    if statement.skip or branch != 1:
        layer = nodes.ResidualNode(layer, Integer(int(statement.skip)), sqrt(branch))
    return numbered((layer,), nodes.DenseNode(sqrt(first.weight), sqrt(first.bias), first.weight_rate, first.bias_rate))


def variance_of(net) -> float:
    """q_1 of pairs that do not say which variance they have."""
    if isinstance(net, Statement):
        found = None if net.skip or net.branch != 1 else fixed_variance(net.layer)
    else:
        found = _settled_variance(net)
    if not found:
        raise InputError(
            f"variance = None, but the variance of {getattr(net, 'layer', net)!r} has no stable fixed point above 0 "
            "and its kernel depends on it; give variance, the q^1 of the first layer"
        )
    return found


def _settled_variance(net) -> float | None:
    try:
        found = net.variance
    except UnsupportedError:
        return None
    _require_numbers(found.free_symbols)
    return float(precise(found))


@lru_cache(maxsize=256)
def numbered(blocks: tuple, first: Node) -> BlockNetwork:
    """Blocks and layer 1, with numbers in all of them; errors for what the engines do not read."""
    found = BlockNetwork(blocks, first)
    _require_numbers(set().union(first.parameters, *(block.parameters for block in blocks)))
    signal = INPUT
    for block in blocks * TURNS:
        signal = block.signal(signal)
    for phi in found.activations:
        phi.require_ntk()
    return found


def _require_numbers(symbols: set) -> None:
    if symbols:
        raise InputError(f"the network contains the symbols {symbol_names(symbols)}; give numbers, which float64 needs")


@lru_cache(maxsize=1024)
def number(value: Expr) -> float:
    return float(precise(value))


@lru_cache(maxsize=1024)
def squared(value: Expr) -> float:
    return number(value**2)


def square_of(factor: Expr, layer: int, depth: int) -> float:
    return value_at(factor, layer, depth) ** 2 if factor.free_symbols else squared(factor)


def value_at(factor: Expr, layer: "int | Array", depth: int) -> "float | Array":
    """A factor or a learning rate in one layer, or in every one of an array."""
    if not factor.free_symbols:
        return number(factor)
    with np.errstate(all="ignore"):  # what is not finite is refused
        found = _factor(factor)(np.float64(layer), np.float64(depth))
    bad = np.flatnonzero(~np.isfinite(found) | np.iscomplexobj(found))
    if bad.size:
        at, value = (np.broadcast_to(v, np.shape(layer)).flat[bad[0]] for v in (layer, found))
        raise InputError(f"the factor {factor} is {value} in layer l = {at}; give one that is a real number there")
    return found


@lru_cache(maxsize=256)
def _factor(factor: Expr):
    return as_function([LAYER, DEPTH], factor, "numpy")


# ---- signals ---------------------------------------------------------------------------------------------------------

Array = np.ndarray


@dataclass(frozen=True)
class PairValues:
    """Gaps and K/sqrt(q q') = `source` as they are; `rest` is 2 - gap, None where no more of it is known.

    It is all that one layer after another needs; `Track` knows besides what has become of gap and K since it began.
    `carry`: by how much the gap is rounded up (Kahan's compensated sum), where a layer hardly changes it.
    """

    gap: Array
    rest: Array | None
    source: Array | float
    carry: Array | float = field(default=0.0, kw_only=True)

    @property
    def far(self) -> Array:
        """2 - gap."""
        return 2.0 - self.gap if self.rest is None else self.rest

    def through(self, excess, drop, turn, lift=None) -> "PairValues":
        """gamma' = (1 + excess - drop) gamma + lift, dc'/dc = 1 + excess - turn."""
        gap, rest = self.gap * (1.0 + excess - drop), self.rest
        if rest is not None:
            rest = rest - (excess - drop) * self.gap
        if lift is not None:
            gap, rest = gap + lift, None if rest is None else rest - lift
        return PairValues(gap, _rest(gap, rest), self.source * (1.0 + excess - turn))

    def shrunk(self, share, lost, lift=None) -> "PairValues":
        """gamma' = share gamma + lift, dc'/dc = share = 1 - lost."""
        if self.rest is not None or np.max(lost, initial=0.0) > 0.5:
            gap, carry = share * self.gap + (0.0 if lift is None else lift), 0.0
        else:
            drop = lost * self.gap
            gap, carry = lowered(self.gap, drop if lift is None else drop - lift, self.carry)
        rest = None if self.rest is None else _rest(gap, 2.0 - gap)
        return PairValues(gap, rest, share * self.source, carry=carry)

    def mixed(self, two: "PairValues", first, second, lift=None) -> "PairValues":
        """first gamma + second gamma_F + lift, of two that began in one place; first + second = 1 - lift."""
        gap, source = (first * a + second * b for a, b in ((self.gap, two.gap), (self.source, two.source)))
        rest = None if self.rest is None and two.rest is None else first * self.far + second * two.far
        if lift is not None:
            gap, rest = gap + lift, None if rest is None else rest + lift
        return PairValues(gap, _rest(gap, rest), source, carry=first * self.carry + second * two.carry)

    def multiplied(self, two: "PairValues") -> "PairValues":
        """1 - gamma' = (1 - gamma_A)(1 - gamma_B)."""
        a, b = 1.0 - self.gap, 1.0 - two.gap
        return PairValues(self.gap + two.gap * a, None, self.source * b + two.source * a)

    def with_source(self, source) -> "PairValues":
        return replace(self, source=self.source + source)

    def restarted(self) -> "PairValues":
        """The same where a layer begins."""
        far = self.rest is not None and self.gap.max(initial=0.0) > 1.5
        rest = np.clip(self.rest, 0.0, 2.0) if far else None
        return PairValues(np.clip(self.gap, 0.0, 2.0), rest, self.source, carry=self.carry)


@dataclass(frozen=True)
class Track(PairValues):
    """What has become of gaps gamma_0 and of K = k_0 q_0 since a layer began:

        gamma = (1 + excess - lost) gamma_0,       K/sqrt(q q') = (1 + excess - turned) k_0 + source,

    all terms not negative; the first holds until something was added to the gap (a mask, other variances).
    """

    excess: Array | float
    lost: Array
    turned: Array

    @classmethod
    def begun(cls, gap: Array, rest: Array) -> "Track":
        """Where nothing has happened yet."""
        none = np.zeros_like(gap)
        return cls(gap, rest, 0.0, 0.0, none, none)

    def _with(self, walk: PairValues, excess, lost, turned) -> "Track":
        return Track(walk.gap, walk.far, walk.source, excess, lost, turned)

    def through(self, excess, drop, turn, lift=None) -> "Track":
        factor, kept, so_far = 1.0 + excess - drop, 1.0 + excess - turn, 1.0 + self.excess
        return self._with(
            super().through(excess, drop, turn, lift),
            self.excess + excess + self.excess * excess,
            self.lost * factor + so_far * drop,
            self.turned * kept + so_far * turn,
        )

    def shrunk(self, share, lost, lift=None) -> "Track":
        walk = super().shrunk(share, lost, lift)
        return self._with(walk, self.excess - lost - self.excess * lost, self.lost * share, self.turned * share)

    def mixed(self, two: "Track", first, second, lift=None) -> "Track":
        excess, lost, turned = (first * a + second * b for a, b in ((self.excess, two.excess), (self.lost, two.lost),
                                                                    (self.turned, two.turned)))  # fmt: skip
        excess = excess if lift is None else excess - lift
        return self._with(super().mixed(two, first, second, lift), excess, lost, turned)

    def multiplied(self, two: "Track") -> "Track":
        return self._with(
            super().multiplied(two),
            1.0 + self.excess + two.excess,
            self.lost + two.lost + self.gap * (1.0 + two.excess - two.lost),
            self.turned + two.turned + self.slope * two.gap + two.slope * self.gap,
        )

    @property
    def slope(self) -> Array:
        """What k_0 is multiplied by."""
        return 1.0 + self.excess - self.turned

    def kernel(self, before: Array) -> Array:
        return self.slope * before + self.source


def _rest(gap: Array, rest: Array | None) -> Array | None:
    """2 - gap: as `rest` knows it beyond 3/2, as the gap does elsewhere."""
    return None if rest is None else np.where(gap > 1.5, np.maximum(rest, 0.0), 2.0 - gap)


@dataclass(frozen=True)
class NeuronGroup:
    """NeuronGroup of one distribution, of all inputs.

    `settled`: q comes again in every layer; `came_from`: straight from phi of that variance (phi, q); `gain`: straight
    from a norm with trained gain and bias, which add c + 1 to the NTK; `known`: `ends` of its pairs, where more
    is known of their difference than q and q' tell, or q has only been multiplied by a number.
    """

    width: float
    q: Array
    track: PairValues
    settled: bool = False
    came_from: tuple | None = None
    gain: bool = False
    known: tuple[float, Array, Array, Array] | None = None

    def moved(self, q: Array, track: PairValues, **more) -> "NeuronGroup":
        return NeuronGroup(self.width, q, track, **{"settled": self.settled, **more})

    def restarted(self) -> "NeuronGroup":
        """The same where a layer begins."""
        return NeuronGroup(self.width, self.q, self.track.restarted(), gain=self.gain, known=self.known)

    def times(self, factor: float, still: bool) -> "NeuronGroup":
        """The variance times a number, which is the same in all layers where it is `still`."""
        settled = self.settled and still
        return self.moved(self.q * factor, self.track, settled=settled, known=self.stretched(factor))

    def of(self, q: Array, **more) -> "NeuronGroup":
        """The same at other variances."""
        return replace(self, q=q, known=None, **more)

    def ends(self, pairs: Paired) -> tuple[float, Array, Array, Array]:
        """a, sqrt(q/a), sqrt(q'/a) and their difference, of pairs."""
        return _ends(self.q, pairs) if self.known is None else self.known

    def stretched(self, factor: float) -> tuple[float, Array, Array, Array] | None:
        """`known` where q is multiplied by a number."""
        return None if self.known is None else (factor * self.known[0], *self.known[1:])

    def counted(self, pairs: Paired) -> "NeuronGroup":
        """With the NTK of gain and bias in the mean over the neurons, where they were still to come."""
        if not self.gain:
            return self
        return self.moved(self.q, self.track.with_source(1.0 / roots(self.q, pairs) + (1.0 - self.track.gap)))


def roots(q: Array, pairs: Paired) -> Array:
    """sqrt(q q') of pairs."""
    root = np.sqrt(q)
    return pairs.first(root) * pairs.second(root)


def _ends(q: Array, pairs: Paired, *parts: tuple) -> tuple[float, Array, Array, Array]:
    """1, sqrt(q), sqrt(q') and their difference; `parts`: (b_i, ends of q_i), where q - q' = sum b_i (q_i - q_i')."""
    root = np.sqrt(q)
    one, two = pairs.first(root), pairs.second(root)
    if not parts:
        return 1.0, one, two, one - two
    apart, total = sum(b * a * (here + there) * between for b, (a, here, there, between) in parts), one + two
    return 1.0, one, two, apart / positive(total, q)


def added(one: NeuronGroup, two: NeuronGroup, a: float, b: float, pairs: Paired) -> NeuronGroup:
    """a x + b F(x) by the squares a and b: gamma' = (a r/R) gamma + (b r_F/R) gamma_F + lift, and with R of the sum

    lift R = a b (sqrt(q q_F') - sqrt(q' q_F))^2/(R + a r + b r_F), r, r_F, R geometric means of two variances.
    """
    q = a * one.q + b * two.q
    settled = one.settled and two.settled
    if len(q) == 1:
        share = b * two.q / q
        return NeuronGroup(one.width, q, one.track.mixed(two.track, 1.0 - share, share), settled)
    kept, branch = one.ends(pairs), two.ends(pairs)
    known = _ends(q, pairs, (a, kept), (b, branch))
    (unit, here, there, apart), (scale, first, second, other) = kept, branch
    a, b, safe = a * unit, b * scale, positive(known[1] * known[2], q)
    kept, branch, lift = a * here * there, b * first * second, apart * second
    lift -= there * other
    lift *= lift
    lift *= a * b
    lift /= safe + kept + branch
    for part in (lift, kept, branch):
        part /= safe
    return NeuronGroup(one.width, q, one.track.mixed(two.track, kept, branch, lift), settled, known=known)


def positive(root: Array, q: Array) -> Array:
    """1 where an input of the pair has the variance 0."""
    return root if q.min() > 0 else np.where(root > 0, root, 1.0)


def whole(groups: tuple[NeuronGroup, ...], pairs: Paired) -> NeuronGroup:
    """The mean over all neurons; those of gain and bias counted."""
    found = groups[0].counted(pairs)
    for group in groups[1:]:
        width = found.width + group.width
        total = added(found, group.counted(pairs), found.width / width, group.width / width, pairs)
        found = replace(total, width=width)
    return found if len(groups) > 1 else replace(found, came_from=groups[0].came_from)


# ---- what an activation does -----------------------------------------------------------------------------------------


class Image(NamedTuple):
    """E phi^2 of every input, and what becomes of the gap; `lift`: what is added to it besides."""

    second: Array
    excess: Array | float
    drop: Array
    turn: Array
    lift: Array | None = None


def image(phi: Activation, read: NeuronGroup, pairs: Paired, same: bool) -> Image:
    """The image of gaps of pairs of inputs; `same`: every one is an input with itself."""
    q, gap, rest = read.q, read.track.gap, read.track.far
    if phi.is_relu_like:
        numbers, second = kink(phi)
        found = HomogeneousLayer(numbers)(gap, rest)
        return Image(second * q, 0.0, found.shrink.rest, found.slope.rest)
    _require_seen(phi, q)
    if len(q) == 1 and read.settled:
        return _tabulated(phi.piecewise, q, gap, rest)
    return _moved(phi.piecewise, q, pairs, gap, rest, same)


def _require_seen(phi: Activation, q: Array) -> None:
    if ((q < SMALLEST) & ((q > 0) | (len(q) == 1))).any():
        raise UnsupportedError(
            f"activation {phi.name} reads neurons of variance {q.min():.3g}, below {SMALLEST:.0e}, where float64 no "
            "longer tells phi from its value at 0: the variance tends to 0; give a smaller depth or larger deviations"
        )


def walked(phi: Activation, read: NeuronGroup, pairs: Paired, same: bool) -> tuple[Array, PairValues]:
    """(E phi^2, gaps and K behind phi), without what becomes of each of them."""
    q, track = read.q, read.track
    if phi.is_relu_like:
        numbers, second = kink(phi)
        step = any_step(track.gap / 2, track.source, numbers, None if track.rest is None else track.rest / 2)
        gap, carry = lowered(2.0 * step.base, 2.0 * step.drop, track.carry)
        rest = None if track.rest is None else 2.0 - gap
        return second * q, PairValues(gap, rest, step.kernel - step.turn, carry=carry)
    _require_seen(phi, q)
    if len(q) == 1 and read.settled and track.rest is None:
        tables, second = tables_at(phi.piecewise, float(q[0]))
        change = table_change(track.gap, track.source, tables)
        return np.array([second]), PairValues(change.base - change.drop, None, change.kernel - change.turn)
    second, state = _moved_pairs(phi.piecewise, q, pairs, track.gap, track.rest, track.source, same)
    return second, PairValues(state.gap, None if track.rest is None else 2.0 - state.gap, state.kernel)


# ---- a line and a kink ----------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def kink(phi: Activation) -> tuple[LayerConstants, float]:
    """The constants of phi, and E phi^2 at q = 1."""
    return LayerConstants(number(phi.kink_weight), number(phi.linear_weight)), number(phi.second_moment)


# ---- one variance ---------------------------------------------------------------------------------------------


def _tabulated(phi: PiecewiseSmooth, q: Array, gap: Array, rest: Array) -> Image:
    tables, second = tables_at(phi, float(q[0]))
    drop, turn = near_curves(tables, np.minimum(gap, TURN))
    far = gap > TURN
    if far.any():
        after, steep = far_curves(tables, rest[far])
        drop[far], turn[far] = tables.chi - after / gap[far], tables.chi - steep
    return Image(np.array([second]), tables.excess, drop, turn)


# ---- any variances --------------------------------------------------------------------------------------------


def _moved(phi: PiecewiseSmooth, q: Array, pairs: Paired, gap: Array, rest: Array, same: bool) -> Image:
    second, state = _moved_pairs(phi, q, pairs, gap, rest, np.ones_like(gap), same)
    if len(q) == 1:
        slopes = q * cells(phi).moments(q)[:, 1] / second
        factor = np.divide(state.gap, gap, out=np.broadcast_to(slopes, gap.shape).copy(), where=gap > 0)
        return Image(second, slopes - 1, slopes - factor, slopes - state.kernel)
    return Image(second, state.kernel - 1, np.zeros_like(gap), np.zeros_like(gap), state.gap - state.kernel * gap)


def _moved_pairs(phi: PiecewiseSmooth, q: Array, pairs: Paired, gap: Array, rest: Array | None, kernel: Array,
                 same: bool) -> tuple:  # fmt: skip
    """(E phi^2, the pairs behind phi); `same`: every one is an input with itself."""
    if same:
        second, factor, _ = Moving(phi, 1.0, 0.0).variances(q)
        slopes = np.divide(q * factor, second, out=np.ones_like(q), where=second > 0)
        return second, Pairs(pairs.rows, pairs.columns, np.zeros_like(gap), pairs.first(slopes) * kernel)
    i, j = (np.broadcast_to(places, gap.shape).copy() for places in (pairs.rows, pairs.columns))
    state = Pairs(i, j, gap.copy(), kernel.copy(), rest)
    second, _, _ = move_pairs(Moving(phi, 1.0, 0.0, Added(0.0, 0.0, 0.0)), state, q, lambda done: None)
    return second, state


def mean_of(phi: Activation, q: Array) -> Array:
    """E phi(sqrt(q) Z) of every input."""
    if phi.is_relu_like:
        right, left = (float(precise(slope)) for slope in phi.slopes)
        return (right - left) * np.sqrt(q / (2 * np.pi))
    values, places = np.unique(q, return_inverse=True)
    return np.array([_mean(phi.piecewise, float(value)) for value in values])[places]


@lru_cache(maxsize=1024)
def _mean(phi: PiecewiseSmooth, q: float) -> float:
    psi = FloatPsi(phi, q)
    x, w = line(psi)
    return float(np.sum(w * psi(x)))


# ---- behind a norm with gain ------------------------------------------------------------------------------------


def radial(phi: Activation, q: Array, pairs: Paired, track: PairValues) -> Array:
    """E[phi'(u) phi'(u') u u'] of pairs of inputs: what a gain in front of phi adds to the NTK."""
    gap = track.gap
    if phi.is_relu_like:  # x phi' = phi
        numbers, second = kink(phi)
        return second * roots(q, pairs) * (1 - gap * HomogeneousLayer(numbers)(gap, track.far).shrink.value)
    if len(q) > 1 and np.ptp(q) > 0:
        raise UnsupportedError(
            f"activation {phi.name} reads neurons of several layers behind one norm with affine=True, for inputs of "
            "different norms; take inputs of one norm, or affine=False"
        )
    near, far = _radial_table(phi.piecewise, float(q[0]))
    beyond = gap > TURN
    found = looked_up(near[0], np.sqrt(np.minimum(gap, TURN)), *near[1])[0]
    return np.where(beyond, looked_up(far[0], np.sqrt(np.where(beyond, track.far, 0.0)), *far[1])[0], found)


@lru_cache(maxsize=16)
def _radial_table(phi: PiecewiseSmooth, q: float) -> tuple:
    slope = phi.derivative()
    psi = FloatPsi(PiecewiseSmooth(slope.symbol, slope.breaks, tuple(slope.symbol * p for p in slope.pieces)), q)
    first, mirror = min(1.0, 1 / psi.steepness), psi.reflected()
    smoothed = None if phi.breaks else Smoothed(psi, 0)

    def mean(c: float, t: float) -> float:
        return product(psi, mirror if c < 0 else psi, t / np.sqrt(2), 0) if phi.breaks else smoothed.product(c, t)

    def near(t: float) -> float:
        return mean(1 - t * t, np.sqrt(2 - t * t) if t > 1 else t)

    ends, root = (np.sqrt(TURN), np.sqrt(2 - TURN)), 1 if phi.breaks else 2
    curves = (near, lambda u: mean(u * u - 1, u))
    return tuple(panels_of((ChebyshevPieces.of(curve, end, root, first),), end)
                 for curve, end in zip(curves, ends, strict=True))  # fmt: skip


# ---- the primitives --------------------------------------------------------------------------------------------------


Groups = tuple[NeuronGroup, ...]
ABSENT = 1e-17  # a share of a sum that is not noticed
ALIKE = Paired(np.zeros(1, dtype=int), np.zeros(1, dtype=int))  # pairs of inputs that have one variance


@dataclass(frozen=True)
class Layers:
    """The layers of a network of this depth; `same`: every pair is one input twice.

    `trace`: the numbers on which what layers do to gaps depends, one after the other, where all variances are one, and
    below which size each of them no longer counts.
    """

    depth: int
    pairs: Paired = ALIKE
    same: bool = False
    trace: list = field(default_factory=list, compare=False)

    def through(self, node: Node, groups: Groups, layer: int) -> Groups:
        for part in parts_of(node):
            groups = self._through(part, groups, layer)
        return groups

    def _through(self, node: Node, groups: Groups, layer: int) -> Groups:
        match node:
            case nodes.DenseNode():
                return (self._dense(node, self._whole(groups), layer),)
            case nodes.ActivationNode(phi=phi):
                return tuple(self._activated(phi, group) for group in groups)
            case nodes.NormNode(affine=affine):
                return self._normed(groups, node.takes_mean, affine)
            case nodes.ResidualNode():
                return self._added(node, groups, layer)
            case nodes.GatedNode(one=one, two=two):
                return (self._multiplied(*(self._whole(self.through(branch, groups, layer)) for branch in (one, two))),)
            case nodes.DenseConnectionNode(growth=growth, branch=branch):
                found = self.counted(self.through(branch, groups, layer))
                return self.counted(groups) + tuple(replace(group, width=number(growth)) for group in found)
            case nodes.DropoutNode(keep=keep):
                return tuple(self._dropped(number(keep), group) for group in self.counted(groups))
            case nodes.ScaleNode(factor=factor):
                square, still = square_of(factor, layer, self.depth), LAYER not in factor.free_symbols
                return tuple(group.times(square, still) for group in self.counted(groups))
        raise UnsupportedError(
            f"{node!r} has no rule for two vectors; a convolution has pairs of positions, and tokens that are mixed "
            "are followed by similarity(depth, ...)"
        )

    def counted(self, groups: Groups) -> Groups:
        """With the NTK of gains and biases that come last."""
        return tuple(group.counted(self.pairs) for group in groups)

    def _whole(self, groups: Groups) -> NeuronGroup:
        if len(groups) > 1:
            self.trace.extend((float(group.q[0] / groups[0].q[0]), ABSENT) for group in groups)
        return whole(groups, self.pairs)

    def _dense(self, node: nodes.DenseNode, read: NeuronGroup, layer: int) -> NeuronGroup:
        weight, bias = squared(node.sigma_w), squared(node.sigma_b)
        q, known = bias + weight * read.q, read.stretched(weight)
        if len(q) == 1:
            track = read.track.shrunk(weight * read.q / q, bias / q) if bias else read.track
            self.trace.append((float(bias / q[0]), ABSENT))
        elif bias == 0:
            track = read.track
        else:
            before = unit, one, two, apart = read.ends(self.pairs)
            known = _ends(q, self.pairs, (weight, before))
            share, lift, root = (weight * unit) * one * two, (bias * weight * unit) * apart, known[1] * known[2]
            lift *= apart
            lift /= root + bias + share
            share /= root
            lift /= root
            track = read.track.shrunk(share, lift + bias / root, lift)
        track = track.with_source(self._learnt(node, read, q, track.gap, layer))
        return NeuronGroup(1.0, q, track, read.settled, known=known)

    def _learnt(self, node: nodes.DenseNode, read: NeuronGroup, q: Array, gap: Array, layer: int) -> Array:
        """(lambda_b + lambda_W E)/R, E what is read: 1 - gap where trained as drawn."""
        if node.is_trained_as_drawn:
            return 1.0 - gap
        weight, bias = (value_at(rate, layer, self.depth) for rate in node.rates)
        read_root, root = roots(read.q, self.pairs), positive(roots(q, self.pairs), q)
        return (bias + weight * read_root * (1.0 - read.track.gap)) / root

    def _activated(self, phi, read: NeuronGroup) -> NeuronGroup:
        if not phi.is_relu_like:
            self.trace.append((float(read.q[0]), 0.0))
        if type(read.track) is PairValues and not read.gain:
            second, track = walked(phi, read, self.pairs, self.same)
            known = read.stretched(kink(phi)[1]) if phi.is_relu_like else None
            return read.moved(second, track, came_from=(phi, read.q), known=known)
        found = image(phi, read, self.pairs, self.same)
        track = read.track.through(found.excess, found.drop, found.turn, found.lift)
        if read.gain:
            slope = (1.0 + found.excess - found.turn) / roots(read.q, self.pairs)
            moved = radial(phi, read.q, self.pairs, read.track)
            track = track.with_source(slope + moved / roots(found.second, self.pairs))
        return read.moved(found.second, track, came_from=(phi, read.q))

    def _normed(self, groups: Groups, centres: bool, affine: bool) -> Groups:
        read = self._whole(groups)
        if centres and read.came_from is not None:
            return (self._centred(read, affine),)
        q = np.where(read.q > 0, read.q, 1.0)
        if len(groups) == 1:
            return (read.moved(np.ones_like(q), read.track, settled=True, gain=affine),)
        return tuple(group.moved(group.q / q, group.track, gain=affine) for group in self.counted(groups))

    def _centred(self, read: NeuronGroup, affine: bool) -> NeuronGroup:
        phi, before = read.came_from
        mean = mean_of(phi, before)
        v = read.q - mean**2
        if len(v) == 1:
            self.trace.append((float(mean[0] ** 2 / v[0]), 0.0))
            track = read.track.through(mean**2 / v, 0.0, 0.0)
        else:
            root, of_squares = roots(v, self.pairs), roots(read.q, self.pairs)
            deviation = np.sqrt(v)
            one, two = (f(mean) for f in (self.pairs.first, self.pairs.second))
            crossed = one * self.pairs.second(deviation) - two * self.pairs.first(deviation)
            lag = crossed**2 / (root + one * two + of_squares) / root
            track = read.track.through(of_squares / root - 1.0, 0.0, 0.0, -lag)
        return read.moved(np.ones_like(v), track, settled=True, gain=affine)

    def _dropped(self, keep: float, read: NeuronGroup) -> NeuronGroup:
        lift = None if self.same or keep == 1 else 1.0 - keep
        track = read.track if lift is None else read.track.through(-lift, 0.0, 0.0, lift)
        return read.moved(read.q / keep, track)

    def _added(self, node: nodes.ResidualNode, groups: Groups, layer: int) -> Groups:
        branch = self._whole(self.through(node.branch, groups, layer))
        skip, scale = (square_of(value, layer, self.depth) for value in (node.skip, node.scale))
        still, found = LAYER not in node.skip.free_symbols | node.scale.free_symbols, []
        for group in self.counted(groups):
            total = added(group, branch, skip, scale, self.pairs)
            self.trace.append((float(scale * branch.q[0] / total.q[0]), ABSENT))
            found.append(replace(total, settled=total.settled and still))
        return tuple(found)

    def _multiplied(self, one: NeuronGroup, two: NeuronGroup) -> NeuronGroup:
        return NeuronGroup(1.0, one.q * two.q, one.track.multiplied(two.track), one.settled and two.settled)

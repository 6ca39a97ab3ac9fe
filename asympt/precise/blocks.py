"""A composed network in mpmath, by the rules of its primitives as they stand: what every compiled law is held against.

Every primitive takes two variances, their covariance and the NTK (q, q', s, K) to its own; nothing is divided by a
variance, no map of correlations and no weight of a branch is formed (`architectures.composed` does that).

    dense            s <- sigma_b^2 + sigma_w^2 s,              K <- s_new + sigma_w^2 K
      own rates                                                 K <- lambda_b + lambda_W s + sigma_w^2 K
    phi              s <- E phi(u) phi(u'),                     K <- K E phi'(u) phi'(u')
    a x + b F(x)     s <- a^2 s + b^2 s_F,                      K likewise
    norms            s <- s/sqrt(q q'),                         K <- K/sqrt(q q');  with gain and bias K + c + 1
      after phi      s <- s - m m' first, for layer_norm;       after a norm with gain: E[phi' phi' u u'] besides
    dropout          unchanged; for one input with itself       s/p, K/p
    product          s_A s_B,                                   K_A s_B + s_A K_B
    concatenation    groups of neurons, which a dense and a norm average and phi takes one by one

The gap 1 - c is a difference, so the precision is raised by the digits that it loses.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial, reduce
from operator import add

import numpy as np
from mpmath import mp, mpf
from sympy import Expr

from asympt.blocks import nodes
from asympt.blocks.nodes import LAYER, Node, parts_of
from asympt.errors import UnsupportedError
from asympt.gaussian.kernel import kernel_of
from asympt.gaussian.moments import moment
from asympt.gaussian.piecewise import PiecewiseSmooth
from asympt.meanfield.activations import Activation
from asympt.numbers import to_mpf

GUARD, SHARED = 15, 5  # digits beyond those requested; of these a variance gives up so many
MOST_ROUNDS = 4


@dataclass(frozen=True)
class Group:
    """Neurons of one distribution: their share `width`, q, q', s and K; `phi` and its q and q', straight after it.

    Of tokens (`precise.tokens`) q, q' and s may be arrays; K of 0 is not followed through activations.
    """

    width: object
    q: object
    other: object
    s: object
    k: object
    phi: tuple | None = None

    @property
    def means(self) -> tuple:
        """m and m'."""
        if self.phi is None:
            return mpf(0), mpf(0)
        return tuple(each(partial(moment, self.phi[0], digits=mp.dps), q) for q in self.phi[1:])

    @classmethod
    def total(cls, width, *weighted: tuple) -> "Group":
        """The sum of pairs (factor, group)."""
        columns = zip(*((f * g.q, f * g.other, f * g.s, f * g.k) for f, g in weighted), strict=True)
        return cls(width, *(reduce(add, column) for column in columns))


@dataclass(frozen=True)
class PairState:
    """What is known of two inputs in one place of a network; `same`: they are one input, with one dropout mask.

    `gain`: straight after a norm with trained gain and bias, so that K = K_x + c + 1 is a mean over unequal neurons.
    """

    groups: tuple[Group, ...]
    same: bool = False
    gain: bool = False

    @property
    def whole(self) -> Group:
        """The mean over all neurons, and their total width."""
        if len(self.groups) == 1:
            return self.groups[0]
        width = mp.fsum(group.width for group in self.groups)
        return Group.total(width, *((group.width / width, group) for group in self.groups))

    def each(self, change, **flags) -> "PairState":
        """`change` of every group."""
        return replace(self, groups=tuple(map(change, self.groups)), gain=False, **flags)


@dataclass(frozen=True)
class PairStep:
    """The layers of a network, `blocks` in turn from layer 2 on, without `DEPTH` (`nodes.at_depth`)."""

    blocks: Sequence[Node]

    def __call__(self, state: PairState, layer: int) -> PairState:
        """The state of layer `layer` from that of the layer before."""
        return self.through(self.blocks[(layer - 2) % len(self.blocks)], state, layer)

    def through(self, node: Node, state: PairState, layer: int) -> PairState:
        """What comes out of a node."""
        for part in parts_of(node):
            state = self._through(part, state, layer)
        return state

    def _through(self, node: Node, state: PairState, layer: int) -> PairState:
        match node:
            case nodes.DenseNode():
                return self._dense(node, state, layer)
            case nodes.ActivationNode(phi=phi):
                return _with_gain(phi, state) if state.gain else state.each(lambda group: _activated(phi, group))
            case nodes.LayerNormNode(affine=affine):
                return _normed(state, True, affine)
            case nodes.RMSNormNode(affine=affine):
                return _normed(state, False, affine)
            case nodes.DropoutNode(keep=keep):
                return _dropped(to_mpf(keep), state)
            case nodes.ScaleNode(factor=factor):
                square = self.factor(factor, layer) ** 2
                return state.each(lambda group: Group.total(group.width, (square, group)))
            case nodes.ResidualNode():
                return self._added(node, state, layer)
            case nodes.GatedNode(one=one, two=two):
                return _multiplied(self.through(one, state, layer), self.through(two, state, layer))
            case nodes.DenseConnectionNode(growth=growth, branch=branch):
                found = self.through(branch, state, layer).groups
                added = tuple(replace(group, width=to_mpf(growth)) for group in found)
                return replace(state, groups=state.groups + added, gain=False)
        raise UnsupportedError(
            f"{node!r} has no rule for two vectors; a convolution has pairs of positions, and tokens that are mixed "
            "are followed by similarity(depth, ...)"
        )

    def _added(self, node: nodes.ResidualNode, state: PairState, layer: int) -> PairState:
        branch = self.through(node.branch, state, layer).whole
        skip, scale = (self.factor(value, layer) ** 2 for value in (node.skip, node.scale))
        return state.each(lambda group: Group.total(group.width, (skip, group), (scale, branch)))

    def _dense(self, node: nodes.DenseNode, state: PairState, layer: int) -> PairState:
        weight, bias, found = to_mpf(node.sigma_w) ** 2, to_mpf(node.sigma_b) ** 2, state.whole
        q, other, s = (bias + weight * value for value in (found.q, found.other, found.s))
        learnt = s
        if not node.is_trained_as_drawn:
            rate, constant = (self.factor(value, layer) for value in node.rates)
            learnt = constant + rate * found.s
        return PairState((Group(mpf(1), q, other, s, learnt + weight * found.k),), state.same)

    def factor(self, value: Expr, layer: int):
        """A factor in one layer."""
        return to_mpf(value.subs(LAYER, layer))


def _activated(phi: Activation, group: Group) -> Group:
    function, variances = phi.piecewise, _variances(group)
    square = lru_cache(maxsize=None)(lambda q: kernel_of(function).value(q, q, 1))  # q and q' are often the same
    q, other = (each(square, value) for value in variances)
    k = group.k * _expectation(function.derivative(), group) if group.k else group.k
    return replace(group, q=q, other=other, s=_expectation(function, group), k=k, phi=(function, *variances))


def _with_gain(phi: Activation, state: PairState) -> PairState:
    """phi straight after a norm with gain and bias: the neuron with u, u' has K = K_x + 1 + u u'."""
    def change(group: Group) -> Group:
        plain = _activated(phi, replace(group, k=group.k - group.s))
        return replace(plain, k=plain.k + _expectation(phi.piecewise.radial, group))

    return state.each(change)


def each(function: Callable, *values):
    """`function` of numbers; entry by entry of arrays, once for equal entries."""
    if not any(isinstance(value, np.ndarray) for value in values):
        return function(*values)
    return np.frompyfunc(lru_cache(maxsize=None)(function), len(values), 1)(*values)


def _variances(group: Group) -> list:
    """q and q' without their last digits: a variance that has settled is one number, whose tables every layer shares.

    The correlation keeps all of its digits, so a small gap loses none.
    """
    with mp.workdps(mp.dps - SHARED):
        return [+group.q, +group.other]


def _expectation(phi: PiecewiseSmooth, group: Group):
    c = each(lambda c: min(max(c, mpf(-1)), mpf(1)), group.s / each(mp.sqrt, group.q * group.other))
    return each(kernel_of(phi).value, *_variances(group), c)


def _normed(state: PairState, centres: bool, affine: bool) -> PairState:
    found = state.whole
    means = found.means if centres else (mpf(0), mpf(0))
    q, other = (value - mean**2 for value, mean in zip((found.q, found.other), means, strict=True))
    root, product = each(mp.sqrt, q * other), means[0] * means[1]

    def change(group: Group) -> Group:
        s = (group.s - product) / root
        k = group.k / root + (s + 1 if affine else 0)
        return Group(group.width, (group.q - means[0] ** 2) / q, (group.other - means[1] ** 2) / other, s, k)

    return replace(state.each(change), gain=affine)


def _dropped(keep, state: PairState) -> PairState:
    def change(group: Group) -> Group:
        again = 1 / keep if state.same else mpf(1)
        return replace(group, q=group.q / keep, other=group.other / keep, s=group.s * again, k=group.k * again)

    return state.each(change)


def _multiplied(one: PairState, two: PairState) -> PairState:
    a, b = one.whole, two.whole
    product = Group(mpf(1), a.q * b.q, a.other * b.other, a.s * b.s, a.k * b.s + a.s * b.k)
    return PairState((product,), one.same)


@dataclass(frozen=True)
class OuterLayers:
    """Layer 1 and the dense behind which a network is read; None: trained as drawn, so K^1 = Sigma^1, and none."""

    first: nodes.DenseNode | None = None
    readout: nodes.DenseNode | None = None

    def begun(self, gap, variance, other=None) -> PairState:
        """Layer 1 in front of the readout, for 1 - c^1 = gap and the variances of two inputs behind it; gap 0 is one
        input twice."""
        other = variance if other is None else other
        found = variance, other, (1 - gap) * mp.sqrt(variance * other)
        q, other, s = found if self.readout is None else _undone(self.readout, found)
        learnt = s
        if self.first is not None and not self.first.is_trained_as_drawn:
            rate, constant = (to_mpf(value.subs(LAYER, 1)) for value in self.first.rates)
            learnt = constant + rate * _undone(self.first, [s])[0]
        return PairState((Group(mpf(1), q, other, s, learnt),), same=gap == 0 and other == q)


def _undone(node: nodes.DenseNode, values) -> list:
    weight, bias = to_mpf(node.sigma_w) ** 2, to_mpf(node.sigma_b) ** 2
    return [(value - bias) / weight for value in values]


def newest(state: PairState) -> Group:
    """The neurons that the last layer made: all of them, or the last group of a concatenation."""
    return state.groups[-1]


def pairs_along(
    blocks: Sequence[Node], gap, variance, depths: Sequence[int], other=None, ends: OuterLayers | None = None
) -> list[tuple]:
    """(1 - c^L, K^L/sqrt(q_L q'_L), q_L) for increasing depths L, at mpmath's precision.

    A `variance` given exactly is read to all digits that are calculated with: one that has settled stays where it is.

    >>> from asympt.blocks import read_block
    >>> block = read_block("residual(layer_norm, relu, dense(sqrt(2)))")
    >>> [[mp.nstr(number, 8) for number in found] for found in pairs_along([block], mpf("0.9"), mpf(1), [1, 2])]
    [['0.9', '0.1', '1.0'], ['0.76504862', '0.2615456', '2.0']]
    """
    def follow() -> list[tuple]:
        q = to_mpf(variance) if isinstance(variance, Expr) else variance
        outer = ends or OuterLayers()
        return followed(PairStep(blocks), outer.begun(gap, q, other), depths, outer.readout)

    return [tuple(+mp.convert(number) for number in one) for one in refined(follow, gap)]


def refined(follow: Callable[[], list[tuple]], start) -> list[tuple]:
    """What `follow` finds, tuples that begin with a gap, with as many digits more as the smallest gap has lost.

    A gap of 0 that began with another `start` has lost all of them.
    """
    digits, more = mp.dps, GUARD
    for _ in range(MOST_ROUNDS):
        with mp.workdps(digits + more):
            found = follow()
            smallest = min((abs(gap) for gap, *_ in found if gap or start), default=mpf(1))
            lost = 2 * int(max(0, -mp.log10(smallest)) if smallest else mp.dps)
        if lost + GUARD <= more:
            break
        more = 2 * lost + GUARD
    return found


def followed(step: PairStep, state: PairState, depths: Sequence[int], readout: Node | None = None) -> list[tuple]:
    """(1 - c, K/sqrt(q q'), q) at increasing depths, from the state of layer 1."""
    layer, found = 1, []
    for depth in depths:
        while layer < depth:
            layer += 1
            state = step(state, layer)
        last = newest(state if readout is None else step.through(readout, state, layer))
        root = each(mp.sqrt, last.q * last.other)
        found.append((mpf(0) if state.same else 1 - last.s / root, last.k / root, last.q))
    return found

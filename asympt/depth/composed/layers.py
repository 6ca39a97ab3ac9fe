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
from sympy import Integer

from asympt.blocks import nodes
from asympt.blocks.nodes import LAYER, Node, parts_of
from asympt.depth.cells import SMALLEST, cells
from asympt.depth.composed.network import number, square_of
from asympt.depth.composed.signals import NeuronGroup, Track, added, multiplied, roots, whole
from asympt.depth.constants import LayerConstants, constants, precise
from asympt.depth.loops.general import far_curves, looked_up, near_curves
from asympt.depth.moving import Added, Moving, Pairs
from asympt.depth.norms import move_pairs
from asympt.depth.norms.tiles import Paired
from asympt.depth.plane import product
from asympt.depth.psi import FloatPsi, line
from asympt.depth.smoothing import Smoothed
from asympt.depth.squaring import HomogeneousLayer
from asympt.depth.tables import TURN, ChebyshevPieces, Tables, panels_of, tables_at
from asympt.errors import UnsupportedError
from asympt.gaussian.piecewise import PiecewiseSmooth
from asympt.meanfield.activations import Activation
from asympt.meanfield.layer import Layer

# ---- what an activation does -----------------------------------------------------------------------------------------


Array = np.ndarray


class Image(NamedTuple):
    """E phi^2 of every input, and what becomes of the gap; `lift`: what is added to it besides."""

    second: Array
    excess: Array | float
    drop: Array
    turn: Array
    lift: Array | None = None


def image(phi: Activation, q: Array, pairs: Paired, gap: Array, rest: Array, settled: bool) -> Image:
    """The image of gaps of pairs of inputs of the variances q; `settled`: q will come again."""
    if phi.is_relu_like:
        return _kinked(phi, q, gap, rest)
    if ((q < SMALLEST) & ((q > 0) | (len(q) == 1))).any():
        raise UnsupportedError(
            f"activation {phi.name} reads neurons of variance {q.min():.3g}, below {SMALLEST:.0e}, where float64 no "
            "longer tells phi from its value at 0: the variance tends to 0; give a smaller depth or larger deviations"
        )
    if len(q) == 1 and settled:
        return _tabulated(phi.piecewise, q, gap, rest)
    return _moved(phi.piecewise, q, pairs, gap, rest)


# ---- a line and a kink ----------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def kink(phi: Activation) -> tuple[LayerConstants, float]:
    """The constants of phi, and E phi^2 at q = 1."""
    return constants(Layer(phi, 1 / phi.second_moment, Integer(0))), float(precise(phi.second_moment))


def _kinked(phi: Activation, q: Array, gap: Array, rest: Array) -> Image:
    numbers, second = kink(phi)
    found = HomogeneousLayer(numbers)(gap, rest)
    return Image(second * q, 0.0, found.shrink.rest, found.slope.rest)


# ---- one variance ---------------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def curve(phi: PiecewiseSmooth, q: float) -> tuple[Tables, float]:
    """The tables of phi at the variance q, normalised by E phi^2, and E phi^2."""
    return tables_at(phi, q)


def _tabulated(phi: PiecewiseSmooth, q: Array, gap: Array, rest: Array) -> Image:
    tables, second = curve(phi, float(q[0]))
    drop, turn = near_curves(tables, np.minimum(gap, TURN))
    far = gap > TURN
    if far.any():
        after, steep = far_curves(tables, rest[far])
        drop[far], turn[far] = tables.chi - after / gap[far], tables.chi - steep
    return Image(np.array([second]), tables.excess, drop, turn)


# ---- any variances --------------------------------------------------------------------------------------------


def _moved(phi: PiecewiseSmooth, q: Array, pairs: Paired, gap: Array, rest: Array) -> Image:
    layer = Moving(phi, 1.0, 0.0, Added(0.0, 0.0, 0.0))
    i, j = (np.broadcast_to(places, gap.shape).copy() for places in (pairs.rows, pairs.columns))
    state = Pairs(i, j, gap.copy(), np.ones_like(gap), rest)
    second, _, _ = move_pairs(layer, state, q, lambda done: None)
    if len(q) == 1:
        slopes = q * cells(phi).moments(q)[:, 1] / second
        factor = np.divide(state.gap, gap, out=np.broadcast_to(slopes, gap.shape).copy(), where=gap > 0)
        return Image(second, slopes - 1, slopes - factor, slopes - state.kernel)
    return Image(second, state.kernel - 1, np.zeros_like(gap), np.zeros_like(gap), state.gap - state.kernel * gap)


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


def radial(phi: Activation, q: Array, pairs: Paired, track: Track) -> Array:
    """E[phi'(u) phi'(u') u u'] of pairs of inputs: what a gain in front of phi adds to the NTK."""
    gap = track.gap
    if phi.is_relu_like:  # x phi' = phi
        numbers, second = kink(phi)
        return second * roots(q, pairs) * (1 - gap * HomogeneousLayer(numbers)(gap, track.rest).shrink.value)
    if len(q) > 1 and np.ptp(q) > 0:
        raise UnsupportedError(
            f"activation {phi.name} reads neurons of several layers behind one norm with affine=True, for inputs of "
            "different norms; take inputs of one norm, or affine=False"
        )
    near, far = _radial_table(phi.piecewise, float(q[0]))
    beyond = gap > TURN
    found = looked_up(near[0], np.sqrt(np.minimum(gap, TURN)), *near[1])[0]
    return np.where(beyond, looked_up(far[0], np.sqrt(np.where(beyond, track.rest, 0.0)), *far[1])[0], found)


@lru_cache(maxsize=16)
def _radial_table(phi: PiecewiseSmooth, q: float) -> tuple:
    """Panels of t = sqrt(gap) and of sqrt(2 - gap)."""
    slope = phi.derivative()
    psi = FloatPsi(PiecewiseSmooth(slope.symbol, slope.breaks, tuple(slope.symbol * p for p in slope.pieces)), q)
    first, mirror = min(1.0, 1 / psi.steepness), psi.reflected()
    smoothed = None if phi.breaks else Smoothed(psi, 0)

    def mean(c: float, t: float) -> float:
        """At the correlation c, t^2 = 1 - |c|."""
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
        """What comes out of a node in layer l."""
        for part in parts_of(node):
            groups = self._through(part, groups, layer)
        return groups

    def _through(self, node: Node, groups: Groups, layer: int) -> Groups:
        match node:
            case nodes.DenseNode():
                return (self._dense(node, self._whole(groups)),)
            case nodes.ActivationNode(phi=phi):
                return tuple(self._activated(phi, group) for group in groups)
            case nodes.LayerNormNode(affine=affine):
                return self._normed(groups, True, affine)
            case nodes.RMSNormNode(affine=affine):
                return self._normed(groups, False, affine)
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
        raise UnsupportedError(f"{node!r} has no rule for two vectors; a convolution has pairs of positions")

    def counted(self, groups: Groups) -> Groups:
        """With the NTK of gains and biases that come last."""
        return tuple(group.counted(self.pairs) for group in groups)

    def _whole(self, groups: Groups) -> NeuronGroup:
        """The mean over all neurons."""
        if len(groups) > 1:
            self.trace.extend((float(group.q[0] / groups[0].q[0]), ABSENT) for group in groups)
        return whole(groups, self.pairs)

    # ---- the rules ----------------------------------------------------------------------------------

    def _dense(self, node: nodes.DenseNode, read: NeuronGroup) -> NeuronGroup:
        weight, bias = number(node.sigma_w**2), number(node.sigma_b**2)
        q = bias + weight * read.q
        if len(q) == 1:
            track = read.track.through(-bias / q if bias else 0.0, 0.0, 0.0)
            self.trace.append((float(bias / q[0]), ABSENT))
        else:
            r, root = roots(read.q, self.pairs), roots(q, self.pairs)
            safe = np.where(root > 0, root, 1.0)
            apart = (self.pairs.first(read.q) - self.pairs.second(read.q)) ** 2
            total = self.pairs.first(np.sqrt(read.q)) + self.pairs.second(np.sqrt(read.q))
            apart = apart / np.where(total > 0, total, 1.0) ** 2
            lift = bias * weight * apart / (safe + bias + weight * r) / safe
            track = read.track.through(-lift - bias / safe, 0.0, 0.0, lift if bias else None)
        return NeuronGroup(1.0, q, track.with_source(1.0 - track.gap), read.settled)

    def _activated(self, phi, read: NeuronGroup) -> NeuronGroup:
        if not phi.is_relu_like:
            self.trace.append((float(read.q[0]), 0.0))
        found = image(phi, read.q, self.pairs, read.track.gap, read.track.rest, read.settled)
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
        """layer_norm straight after phi."""
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
        return NeuronGroup(1.0, one.q * two.q, multiplied(one.track, two.track), one.settled and two.settled)

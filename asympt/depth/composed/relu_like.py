"""Layers of straight lines: the loop over different ones that are the same for all pairs, and all that diagonals are.

Equal layers without a scale are squared (`composed.run`).  One ReLU-like activation a layer, no scale, and a branch or
a rate that moves with the layer: the loop on the nodes of a table (`FreeRun`), which keeps digits and time that a walk
through the blocks loses.  An input with itself moves on straight lines, whatever blocks these activations stand in:

    q' = a q + b,     K' = a K + c q + d,     K^1 = u q^1 + v.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, reduce

import mpmath
import numpy as np

from asympt.blocks import nodes
from asympt.blocks.nodes import DEPTH, Node, parts_of
from asympt.depth.composed.layers import BlockNetwork, kink, value_at
from asympt.depth.parsing import require_walkable
from asympt.depth.stack import (
    DIGITS,
    LONG,
    SLOW,
    LayerChange,
    LayerConstants,
    any_step,
    horner,
    level,
    lower_into,
    lowered,
    polynomials,
    precise,
)

Tick = Callable[[int], None]
Array = np.ndarray
STRETCH = 2048  # layers between two looks at the largest gap, at most
FAINT = 2.0**-10  # shares below which the increments of E hardly change from the beginning


@dataclass(frozen=True)
class FreeRun:
    """Layers without a scale that differ, as a function of the gap.

    With kink weight kappa, delta_l = `share` and `source`, the state w = (1 - c)/2, k = K/q moves as

        w' = w - delta_l (w - w_f),     k' = (1 - delta_l (1 - f')) k + source_l (1 - 2 w_f),     w_f = (1 - f)/2,

    the map of a phi with kink weight delta_l kappa, taken by `any_step` while some w exceeds 1/2.  After that, with
    b = bend, T s = slope of `step` for kappa itself, and the deficit E = (K_l - k)/2 from the diagonal
    K_l = K_(l-1) + source_l, all terms are positive:

        w_f = w - b,     w' = w - delta_l b,     E' = E + delta_l s T (K_(l-1)/2 - E) + source_l w_f.
    """

    net: BlockNetwork
    depth: int

    @cached_property
    def numbers(self) -> LayerConstants:
        return kink(self.net.single[0])[0]

    @cached_property
    def weights(self) -> tuple[Array, Array]:
        layers = layers_to(self.depth)
        return tuple(np.broadcast_to(value, layers.shape) for value in self.weights_in(layers))

    def weights_in(self, layers: int | Array) -> tuple[Array, Array]:
        """delta_l, the part of the branch in the variance, and the source lambda_W m_2 q_(l-1)/q_l."""
        phi, read, beside = self.net.single
        second, skip, scale = kink(phi)[1], 0.0, 1.0
        if beside is not None:
            skip, scale = (value_at(factor, layers, self.depth) ** 2 for factor in (beside.skip, beside.scale))
        weight, rate = (value_at(value, layers, self.depth) for value in (read.sigma_w**2, read.rates[0]))
        growth = skip + scale * second * weight
        return scale * second * weight / growth, scale * second * rate / growth

    @cached_property
    def diagonal(self) -> Array:
        """K^l(x, x)/q_l in layers 1, ..., L."""
        sums = np.cumsum(np.append(np.longdouble(self.net.first_line[0]), self.weights[1].astype(np.longdouble)))
        return sums.astype(float)

    def __call__(self, gap: Array, tick: Tick, rest=None) -> tuple[Array, Array]:
        (shares, sources), w = self.weights, 0.5 * gap
        k, carry, owed = self.diagonal[0] * (1.0 - gap), np.zeros_like(w), np.zeros_like(w)
        done, rest = 0, None if rest is None else 0.5 * rest
        while done < self.depth - 1 and w.max() > 0.5:
            step, image = mixed_step(w, k, self.numbers, shares[done], rest)
            w, carry = lowered(step.base, step.drop, carry)
            k, owed = lowered(step.kernel, step.turn - sources[done] * (1.0 - 2.0 * image), owed)
            done, rest = done + 1, None
            tick(1)
        if done == self.depth - 1:
            return 2.0 * w, k
        descent = MixedDescent(w, carry, 0.5 * (self.diagonal[done] - k))
        descent.descend(self, done, tick)
        return 2.0 * descent.w, self.diagonal[-1] - 2.0 * descent.deficit


def layers_to(depth: int) -> Array:
    require_walkable(depth, "weights differ from layer to layer or variances do not settle")
    return np.arange(2, depth + 1)


def mixed_step(w, k, constants: LayerConstants, share: float, rest=None) -> tuple[LayerChange, np.ndarray]:
    """(one layer as `any_step` has it, w_f) for any w in [0, 1]."""
    kink_weight, linear_weight = share * constants.kink_weight, (1.0 - share) + share * constants.linear_weight
    step = any_step(w, k, replace(constants, kink_weight=kink_weight, linear_weight=linear_weight), rest)
    return step, w - ((w - step.base) + step.drop) / share


class MixedDescent:
    """Layers with w <= 1/2: `w` and `deficit` E; all arrays are its own."""

    def __init__(self, w: np.ndarray, carry: np.ndarray, deficit: np.ndarray):
        self.w, self.deficit = w, deficit
        self._carry, self._owed = carry, np.zeros_like(w)
        self._root, self._bent, self._turned, self._spare = (np.empty_like(w) for _ in range(4))

    def descend(self, run: FreeRun, done: int, tick: Tick) -> None:
        """The layers that remain, in stretches: the gaps only fall, so the polynomials of a stretch serve all of it."""
        at, curves, (shares, sources) = None, None, run.weights
        while done < run.depth - 1:
            here = level(self.w.max())
            if here != at:
                at, curves = here, polynomials(run.numbers, here)
            part = slice(done, min(done + 1 + (done + 1) // 8, done + STRETCH, run.depth - 1))
            self.advance(done + 1, shares[part], sources[part], 0.5 * run.diagonal[part], *curves)
            tick(part.stop - done)
            done = part.stop

    def is_slow(self, bending: tuple, share: float) -> bool:
        """True when some gap moves so little per layer that its rounding errors all fall on the same side."""
        smallest = np.min(self.w, where=self.w > 0, initial=1.0)
        return share * np.sqrt(smallest) * bending[-1] < SLOW

    def advance(self, layer: int, shares, sources, halves, bending: tuple, slope: tuple) -> None:
        """One step from layer `layer` for every entry of `shares`; the loop in which all the time is spent."""
        w, deficit, carry, owed = self.w, self.deficit, self._carry, self._owed
        root, bent, turned, spare = self._root, self._bent, self._turned, self._spare
        multiply, subtract, sqrt = np.multiply, np.subtract, np.sqrt
        slow, long = self.is_slow(bending, shares.min()), layer >= LONG or shares.min() < FAINT
        if not slow:
            carry.fill(0.0)  # what an earlier, larger w carried would be an error in a smaller one
        numbers = (map(np.array, part.tolist()) for part in (shares, sources, halves))
        for share, source, half in zip(*numbers, strict=True):
            sqrt(w, root)
            horner(bending, w, bent)
            horner(slope, w, turned)
            multiply(bent, root, bent)
            multiply(bent, w, bent)
            multiply(turned, root, turned)
            multiply(turned, share, turned)
            subtract(deficit, half, root)  # -(k/2)
            multiply(turned, root, turned)
            subtract(w, bent, root)
            multiply(root, source, root)
            subtract(turned, root, turned)
            multiply(bent, share, bent)
            if slow:
                w, spare = lower_into(w, bent, carry, spare)
            else:
                subtract(w, bent, w)
            if long:
                deficit, spare = lower_into(deficit, turned, owed, spare)
            else:
                subtract(deficit, turned, deficit)
        self.w, self.deficit, self._spare = w, deficit, spare


# ---- diagonals -------------------------------------------------------------------------------------------------------

NOTHING = (1, 0, 0, 0)  # a, b, c, d of no layer


def is_straight(net: BlockNetwork) -> bool:
    """Whether inputs with themselves move on straight lines that are known."""
    kinds = nodes.DenseNode | nodes.ActivationNode | nodes.ScaleNode | nodes.ResidualNode | nodes.SerialNode
    known = all(isinstance(node, kinds) for node in net.all_nodes) and all(phi.is_relu_like for phi in net.activations)
    return known and (len(net.blocks) == 1 or not net.has_layers)


def straight(net: BlockNetwork, depth: int) -> tuple[float, float, float, float]:
    """A, B, C and D with q_L = A q_1 + B and K^L(x, x) = C q_1 + D: equal layers by squaring, others in pairs."""
    ratio, rest = net.first_line
    with mpmath.workdps(DIGITS + len(str(depth))), np.errstate(all="ignore"):
        if net.has_layers:
            layers, unit = layers_to(depth), np.ones(depth - 1, np.longdouble)
            a, b, c, d = _all_after(_lines(net.block(2), lambda factor: unit * value_at(factor, layers, depth)))
        else:
            digits, at = mpmath.mp.dps, {DEPTH: depth}
            lines = [_lines(block, lambda factor: precise(factor.subs(at), digits)) for block in net.blocks]
            a, b, c, d = _repeated(lines, depth - 1)
        return tuple(map(float, (a, b, ratio * a + c, rest * a + d)))


def _lines(node: Node, read: Callable) -> tuple:
    """a, b, c and d of a node; `read` makes numbers of factors."""
    total = NOTHING
    for part in parts_of(node):
        match part:
            case nodes.DenseNode():
                one = *(read(value) for value in part.drawn_rates), *(read(rate) for rate in part.rates)
            case nodes.ActivationNode(phi=phi):
                one = read(phi.second_moment), 0, 0, 0
            case nodes.ScaleNode(factor=factor):
                one = read(factor**2), 0, 0, 0
            case nodes.ResidualNode(branch=branch):
                a, *more = (read(part.scale**2) * value for value in _lines(branch, read))
                one = read(part.skip**2) + a, *more
        total = _after(total, one)
    return total


def _after(one: tuple, two: tuple) -> tuple:
    """`two` after `one`."""
    (a, b, c, d), (slope, intercept, learnt, kernel) = one, two
    return slope * a, slope * b + intercept, slope * c + learnt * a, slope * d + learnt * b + kernel


def _repeated(blocks: list[tuple], layers: int) -> tuple:
    turns, left = divmod(layers, len(blocks))
    total, turn = NOTHING, reduce(_after, blocks)
    for digit in bin(turns)[2:]:
        total = _after(total, total)
        total = _after(total, turn) if digit == "1" else total
    return reduce(_after, blocks[:left], total)


def _all_after(layers: tuple) -> list:
    """All layers, entries of arrays, in turn."""
    more = (1 << len(layers[0]).bit_length()) - len(layers[0])
    layers = [np.append(part, np.full(more, none, np.longdouble)) for none, part in zip(NOTHING, layers, strict=True)]
    while len(layers[0]) > 1:
        layers = _after([values[::2] for values in layers], [values[1::2] for values in layers])
    return [values[0] for values in layers]

"""Tokens of one input in mpmath, by the rules of the primitives: numbers of networks that mix them.

Of every two tokens the covariance, Sigma_ij; of tokens that are all alike the numbers q = Sigma_ii and p = Sigma_ij.

    dense, phi, norms, sums, products    entry by entry, as for two inputs (`precise.blocks`)
    mix, attention with 1/d              Sigma <- A Sigma A^T
    attention with 1/sqrt(d)             q <- p + (q - p) D_1,   p <- p + (q - p) D_c, by `gaussian.softmax` at c = p/q
                                         and tau^2 = s^2 q (q - p); of float64, so good for 12 digits

The gap 1 - p/q is a difference, so the precision is raised by the digits that it loses.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from mpmath import mp, mpf
from sympy import Expr

from asympt.blocks import nodes
from asympt.blocks.nodes import MixingNode, Node, every_node
from asympt.errors import UnsupportedError
from asympt.gaussian import softmax
from asympt.gaussian.kernel import kernel_of
from asympt.gaussian.moments import moment
from asympt.meanfield.activations import Activation
from asympt.numbers import to_mpf
from asympt.precise.blocks import GUARD, MOST_ROUNDS, PairStep

Array = np.ndarray
MOST_FOLLOWED = 64  # tokens of which every two are followed
GRIDS = 0.27, 0.24  # steps of two grids for softmax weights: how far their numbers agree tells their digits


def mixing_nodes(blocks: Sequence[Node]) -> list[MixingNode]:
    """The parts that mix tokens."""
    return [node for node in every_node(blocks) if node.is_mixing]


@dataclass(frozen=True)
class Alike:
    """(q, p) of tokens that are all alike; `source`: the activation straight behind which they are, and its q, q'."""

    values: Array
    source: tuple | None = None

    @property
    def sides(self) -> tuple[Array, Array]:
        """The variances that every entry is between."""
        return (np.array([self.values[0]] * 2),) * 2

    def mixed(self, node: MixingNode) -> "Alike":
        """A Sigma A^T."""
        (q, p), tokens = self.values, node.tokens
        apart = _number(node.eigenvalue, mp.prec) ** 2 * (q - p)
        q = p + (q - p - apart) / tokens + apart
        return Alike(np.array([q, q - apart]))

    def attended(self, node: nodes.AttentionNode, step: float) -> "Alike":
        """Softmax weights with 1/sqrt(d), on a grid of this step."""
        q, p = self.values
        tau = mp.sqrt(to_mpf(node.logit_variance) * q * (q - p))
        same, apart = softmax.overlap(float(tau), float((q - p) / q), node.tokens, step)
        return Alike(np.array([p + (q - p) * same, p + (q - p) * same - (q - p) * apart]))

    def gap(self, i: int, j: int):
        """1 - c_ij."""
        return 1 - self.values[1] / self.values[0]


@dataclass(frozen=True)
class Apart:
    """Sigma, T x T."""

    values: Array
    source: tuple | None = None

    @property
    def sides(self) -> tuple[Array, Array]:
        """The variances that every entry is between."""
        q = np.diagonal(self.values)
        return tuple(np.broadcast_to(side, self.values.shape) for side in (q[:, None], q))

    def mixed(self, node: MixingNode) -> "Apart":
        """A Sigma A^T."""
        rows = np.array([[_number(value, mp.prec) for value in row] for row in node.matrix])
        return Apart(rows @ self.values @ rows.T)

    def attended(self, node: nodes.AttentionNode, step: float) -> "Apart":
        """None: an expectation over the logits of all tokens for every two rows."""
        raise UnsupportedError(
            f"{node!r}: random softmax weights are followed for tokens that are all alike, without masks and matrices; "
            "take scaling='1/d' with them"
        )

    def gap(self, i: int, j: int):
        """1 - c_ij."""
        s = self.values
        return 1 - s[i, j] / mp.sqrt(s[i, i] * s[j, j])


@dataclass(frozen=True)
class TokenStep(PairStep):
    """The layers of a network of tokens, from layer 2 on; `grid`: the step of the one for softmax weights."""

    grid: float = GRIDS[0]

    def factor(self, value: Expr, layer: int):
        return super().factor(value, layer) if value.free_symbols else _number(value, mp.prec)

    def _through(self, node: Node, state, layer: int):
        match node:
            case nodes.DenseNode(sigma_w=weight, sigma_b=bias):
                return _plain(state, _number(bias, mp.prec) ** 2 + _number(weight, mp.prec) ** 2 * state.values)
            case nodes.ActivationNode(phi=phi):
                return _activated(phi, state)
            case nodes.LayerNormNode() | nodes.RMSNormNode():
                return _normed(state, node.takes_mean)
            case nodes.ScaleNode(factor=factor):
                return _plain(state, self.factor(factor, layer) ** 2 * state.values)
            case nodes.ResidualNode(branch=branch, skip=skip, scale=scale):
                skipped, added = (self.factor(value, layer) ** 2 for value in (skip, scale))
                return _plain(state, skipped * state.values + added * self.through(branch, state, layer).values)
            case nodes.GatedNode(one=one, two=two):
                return _plain(state, self.through(one, state, layer).values * self.through(two, state, layer).values)
            case nodes.MixNode():
                return state.mixed(node)
            case nodes.AttentionNode(sigma_w=weight):
                found = state.mixed(node) if node.logit_variance is None else state.attended(node, self.grid)
                return _plain(found, _number(weight, mp.prec) ** 2 * found.values)
        raise UnsupportedError(f"{node!r} has no rule in a network that mixes tokens; take it out")


@lru_cache(maxsize=256)
def _number(value: Expr, precision: int):
    return to_mpf(value)


def _plain(state, values: Array):
    return replace(state, values=values, source=None)


def _activated(phi: Activation, state):
    kernel, known = kernel_of(phi.piecewise), {}

    def image(q, other, s):
        place = q, other, s
        if place not in known:
            c = 1 if q == other == s else min(max(s / mp.sqrt(q * other), mpf(-1)), mpf(1))
            known[place] = kernel.value(q, other, c)
        return known[place]

    return replace(state, values=_each(image, *state.sides, state.values), source=(phi.piecewise, *state.sides))


def _normed(state, centres: bool):
    values = state.values
    if centres and state.source is not None:
        phi, *sides = state.source
        one, two = (_each(lambda q: moment(phi, q, mp.dps), side) for side in sides)
        values = values - one * two
    one, two = replace(state, values=values).sides
    same = one is two
    return _plain(state, values / (one if same else _each(lambda a, b: mp.sqrt(a * b), one, two)))


def _each(function: Callable, *arrays: Array) -> Array:
    return np.frompyfunc(function, len(arrays), 1)(*arrays)


@dataclass(frozen=True)
class Tokens:
    """The tokens of a network of `blocks`, from a first layer in which all have `variance` and the gap 1 - c^1."""

    blocks: tuple[Node, ...]
    variance: Expr

    @cached_property
    def count(self) -> int:
        """T."""
        return mixing_nodes(self.blocks)[0].tokens

    @cached_property
    def are_alike(self) -> bool:
        """Whether nothing tells one token from another."""
        return all(node.eigenvalue is not None for node in mixing_nodes(self.blocks))

    @property
    def has_logits(self) -> bool:
        """Whether softmax weights stay random."""
        return any(getattr(node, "logit_variance", None) is not None for node in mixing_nodes(self.blocks))

    def gap(self, gap, depth: int, pair: tuple[int, int] = (0, 1), grid: int = 0):
        """1 - c_ij in a layer, at mpmath's precision (that of float64 with softmax weights, on either of two grids).

        >>> from asympt.blocks import read_block
        >>> from sympy import Integer
        >>> net = Tokens((read_block("serial(residual(attention(8)), rms_norm)"),), Integer(1))
        >>> print(mp.nstr(net.gap(mpf("0.9"), 3), 10))
        0.5496183206
        """
        digits, more = mp.dps, GUARD
        for _ in range(MOST_ROUNDS):
            with mp.workdps(digits + more):
                found = self._followed(gap, depth, GRIDS[grid]).gap(*pair)
                lost = int(max(0, -mp.log10(abs(found)))) * 2 if found else 2 * mp.dps * bool(gap)
            if lost + GUARD <= more:
                break
            more = 2 * lost + GUARD
        return +found

    def _followed(self, gap, depth: int, grid: float):
        q = to_mpf(self.variance)
        if self.are_alike:
            state = Alike(np.array([q, q * (1 - gap)]))
        elif self.count > MOST_FOLLOWED:
            raise UnsupportedError(
                f"{self.count} tokens that are not alike: every two of at most {MOST_FOLLOWED} are followed; take fewer"
            )
        else:
            state = Apart(q * (1 - gap) + q * gap * np.eye(self.count, dtype=int))
        step = TokenStep(self.blocks, depth, grid)
        for layer in range(2, depth + 1):
            state = step(state, layer)
        return state

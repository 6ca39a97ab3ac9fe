"""Tokens of one input in mpmath: what mixing does to them; the rest is as for two inputs (`precise.blocks`).

    mix, attention with 1/d     Sigma <- A Sigma A^T; of tokens all alike q - p <- lambda^2 (q - p), and q by the mean
    attention with 1/sqrt(d)    q <- p + (q - p) D_1,   p <- p + (q - p) D_c, by `gaussian.softmax` at c = p/q and
                                tau^2 = s^2 q (q - p); of float64, so good for 12 digits

Tokens that are all alike are two of them, q = Sigma_ii and p = Sigma_ij; others are arrays, Sigma_ii as a column and as
a row beside all of Sigma.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from mpmath import mp, mpf
from sympy import Expr

from asympt.blocks import nodes
from asympt.blocks.nodes import MixNode, Node, every_node
from asympt.errors import UnsupportedError
from asympt.gaussian import softmax
from asympt.numbers import to_mpf
from asympt.precise.blocks import Group, PairState, PairStep, followed, refined

MOST_FOLLOWED = 64  # tokens of which every two are followed
GRIDS = 0.27, 0.24  # steps of two grids for softmax weights: how far their numbers agree tells their digits


def mixing_nodes(blocks: Sequence[Node]) -> list[MixNode]:
    """The means over tokens in blocks, those of attention among them."""
    return [node for node in every_node(blocks) if node.is_mixing]


def random_weights(blocks: Sequence[Node]) -> list[nodes.AttentionNode]:
    """The attention whose softmax weights stay random."""
    return [node for node in every_node(blocks) if getattr(node, "logit_variance", None) is not None]


@dataclass(frozen=True)
class TokenStep(PairStep):
    """The layers of a network of tokens, from layer 2 on, without NTK; `grid`: of softmax weights, its step."""

    grid: float = GRIDS[0]

    def _through(self, node: Node, state: PairState, layer: int) -> PairState:
        match node:
            case nodes.MixNode():
                return PairState((_mixed(node, state.whole),))
            case nodes.AttentionNode(logit_variance=None):
                return self.through(nodes.SerialNode(node.parts), state, layer)
            case nodes.AttentionNode(parts=(_, drawn)):
                return self._through(drawn, PairState((_attended(node, state.whole, self.grid),)), layer)
        return super()._through(node, state, layer).each(lambda group: replace(group, k=mpf(0)))


def _tokens(q, p) -> Group:
    return Group(mpf(1), q, q, p, mpf(0))


def _apart(s: np.ndarray) -> Group:
    q = np.diagonal(s)
    return Group(mpf(1), q[:, None], q, s, mpf(0))


def _mixed(node: MixNode, group: Group) -> Group:
    """A Sigma A^T."""
    q, p = group.q, group.s
    if isinstance(p, np.ndarray):
        rows = np.array([[to_mpf(value) for value in row] for row in node.matrix])
        return _apart(rows @ np.where(np.eye(len(p), dtype=bool), q, p) @ rows.T)
    apart = to_mpf(node.eigenvalue) ** 2 * (q - p)
    q = p + (q - p - apart) / node.tokens + apart
    return _tokens(q, q - apart)


def _attended(node: nodes.AttentionNode, group: Group, step: float) -> Group:
    """Softmax weights with 1/sqrt(d), on a grid of this step."""
    q, p = group.q, group.s
    if isinstance(p, np.ndarray):  # an expectation over the logits of all tokens for every two rows
        raise UnsupportedError(
            f"{node!r}: random softmax weights are followed for tokens that are all alike, without masks and matrices; "
            "take scaling='1/d' with them"
        )
    tau = mp.sqrt(to_mpf(node.logit_variance) * q * (q - p))
    same, apart = softmax.overlap(float(tau), float((q - p) / q), node.tokens, step)
    return _tokens(p + (q - p) * same, p + (q - p) * same - (q - p) * apart)


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

    @cached_property
    def has_logits(self) -> bool:
        """Whether softmax weights stay random."""
        return bool(random_weights(self.blocks))

    def gap(self, gap, depth: int, pair: tuple[int, int] = (0, 1), grid: int = 0):
        """1 - c_ij in a layer, at mpmath's precision (that of float64 with softmax weights, on either of two grids).

        >>> from asympt.blocks import read_block
        >>> from sympy import Integer
        >>> net = Tokens((read_block("serial(residual(attention(8)), rms_norm)"),), Integer(1))
        >>> print(mp.nstr(net.gap(mpf("0.9"), 3), 10))
        0.5496183206
        """
        step = TokenStep(self.blocks, GRIDS[grid])

        def follow() -> list[tuple]:
            found = followed(step, PairState((self._begun(gap),)), [depth])[0][0]
            return [(found if self.are_alike else found[pair],)]

        return +refined(follow, gap)[0][0]

    def _begun(self, gap) -> Group:
        q = to_mpf(self.variance)
        if self.are_alike:
            return _tokens(q, q * (1 - gap))
        if self.count > MOST_FOLLOWED:
            raise UnsupportedError(
                f"{self.count} tokens that are not alike: every two of at most {MOST_FOLLOWED} are followed; take fewer"
            )
        return _apart(q * (1 - gap) + q * gap * np.eye(self.count, dtype=int))

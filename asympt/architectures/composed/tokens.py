"""The laws of how alike the tokens of one input become: 1 - c^l of two of them, in networks that mix tokens.

    tokens all alike, the same map in every layer, no random weights           every law of `composed.laws`
    the rest: softmax weights with 1/sqrt(d), matrices and masks, pre-norm     the leading order, numbers by the layers

A matrix acts by its slowest eigenvalue lambda; softmax weights are 1/T up to (1 - c)^2, so both leave chi, e_3 and
g''(1) what they are for A = lambda + (1 - lambda)/T, with chi = g'(1) of that block:

    post-norm          1 - c ~ D chi^l for chi < 1; at chi = 1 the powers of any parabolic fixed point
    pre-norm           q_l d(1 - c)/dq = g - c of all branches together, normed, q_l ~ (sum of v_i) l:
                       1 - c ~ D l^(-(1 - chi)), and in 1/log l at chi = 1
    chi = 0            no law in powers: one layer makes tokens equal, or every layer cubes 1 - c (softmax)
"""
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

import numpy as np
from mpmath import mp
from sympy import Expr, Integer, Rational, sqrt

from asympt.architectures.composed import flow
from asympt.architectures.composed.compiling import CONSTANT, factors_of, normal_form
from asympt.architectures.composed.flow import MOST_LAYERS
from asympt.architectures.composed.form import ComposedMap, FormInside
from asympt.architectures.composed.laws import CHAOTIC, EDGE, ComposedLaws
from asympt.architectures.composed.layer_steps import LayerSteps
from asympt.architectures.law_parts import read_start
from asympt.architectures.relu_like import LAYER
from asympt.blocks import nodes, primitives
from asympt.blocks.nodes import MixNode, Node
from asympt.errors import InputError, UnsupportedError
from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.expansions.opaque import RealConstant
from asympt.expansions.scale import Exponential
from asympt.numbers import is_whole, to_mpf
from asympt.precise.tokens import Tokens, mixing_nodes, random_weights
from asympt.recursions.agreement import Route
from asympt.recursions.coordinates.abel_inversion import SECOND
from asympt.recursions.law import Law
from asympt.recursions.protocol import APART, FollowedLayers

# ---- the slowest mode of a matrix that mixes tokens ----------------------------------------------
#
# Near c = 1 tokens are points x_i with 1 - c_ij = |x_i - x_j|^2/2, and A moves them: x <- A x.  With the eigenvalues
# 1 > |lambda| > |lambda'| >= ... and A v = lambda v, 1 - c_ij = D (v_i - v_j)^2 lambda^(2 l) + O((lambda lambda')^l).

MOST_MODES = 300
EQUAL = 1e-9  # what two floats are that differ by less


@dataclass(frozen=True)
class Slowest:
    """lambda, |lambda'| (None where lambda is the only one beside 1) and v, exact where A is triangular."""

    eigenvalue: Expr
    following: Expr | None = None
    vector: tuple = ()


@lru_cache(maxsize=64)
def slowest(node: MixNode) -> Slowest:
    """Of the matrix of a node; `UnsupportedError` where no single mode is the slowest.

    >>> from asympt.blocks import attention, mix
    >>> slowest(mix(tokens=4, eigenvalue="1/3")).eigenvalue, slowest(attention(4, mask="causal").parts[0])
    (1/3, Slowest(eigenvalue=1/2, following=1/3, vector=(0, 1, 2, 3)))
    """
    if node.eigenvalue is not None:
        return Slowest(node.eigenvalue)
    if node.tokens > MOST_MODES:
        raise UnsupportedError(
            f"{node.tokens} tokens that are not alike: the modes of at most {MOST_MODES} are computed; take fewer"
        )
    rows = node.matrix
    if any(value.free_symbols for row in rows for value in row):
        raise UnsupportedError(f"{node!r}: the modes of a matrix follow from numbers; give numbers for its entries")
    if len(rows) == 2:  # all that differs is one number
        return Slowest(rows[0][0] - rows[1][0], vector=(Integer(0), Integer(1)))
    triangular = not any(value for i, row in enumerate(rows) for value in row[i + 1 :])
    return (_triangular if triangular else _numeric)(node)


def _require_single(moduli: list, node: MixNode) -> None:
    if moduli[1] > 1 - EQUAL:
        raise UnsupportedError(f"{node!r}: groups of its tokens never mix, so they have no common law; connect them")
    if moduli[1] - moduli[2] < EQUAL:
        raise UnsupportedError(
            f"{node!r}: two modes of the matrix decay alike (eigenvalues of modulus {moduli[1]:.6g}), and which of "
            "them a pair of tokens sees depends on the start; ask for numbers (similarity)"
        )


def _triangular(node: MixNode) -> Slowest:
    rows, count = node.matrix, node.tokens
    order = sorted(range(count), key=lambda i: -abs(rows[i][i]))
    _require_single([float(rows[i][i]) for i in order[:3]], node)
    place = order[1]
    eigenvalue, vector = rows[place][place], [Integer(0)] * count
    vector[place] = Integer(1)
    for i in range(place + 1, count):
        vector[i] = sum(rows[i][k] * vector[k] for k in range(place, i)) / (eigenvalue - rows[i][i])
    return Slowest(eigenvalue, rows[order[2]][order[2]], tuple(vector))


def _numeric(node: MixNode) -> Slowest:
    values, vectors = np.linalg.eig(np.array([[float(value) for value in row] for row in node.matrix]))
    order = np.argsort(-abs(values))
    _require_single(abs(values[order[:3]]).tolist(), node)

    def mode(k: int):
        found = mp.eig(mp.matrix([[to_mpf(entry) for entry in row] for row in node.matrix]), right=False)
        z = sorted(found, key=lambda z: -abs(z))[k]
        return mp.re(z) if k == 1 else abs(z)

    own, other = (
        RealConstant(name, lambda k=k: mode(k), ("eigenvalue", k, node), latex)
        for k, name, latex in ((1, "lambda", r"\lambda"), (2, "lambda2", r"\lambda_2"))
    )
    return Slowest(own, other, tuple(vectors[:, order[1]].real.tolist()))


SOFTMAX_DIGITS = 12
ONE = Integer(1)


def exchanged(node: Node, eigenvalue: Expr) -> Node:
    """The block with A = lambda + (1 - lambda)/T in place of every matrix and mask."""
    match node:
        case nodes.MixNode(eigenvalue=None):
            return replace(node, eigenvalue=eigenvalue)  # its rows stay, for messages
        case nodes.ResidualNode(branch=branch):
            return replace(node, branch=exchanged(branch, eigenvalue))
        case nodes.GatedNode(one=one, two=two):
            return replace(node, one=exchanged(one, eigenvalue), two=exchanged(two, eigenvalue))
        case nodes.SerialNode(parts=parts) | nodes.AttentionNode(causal=True, parts=parts):
            return primitives.serial(*(exchanged(part, eigenvalue) for part in parts))
    return node


def check_tokens(blocks: tuple[Node, ...]) -> None:
    """`InputError` unless all parts mix the same number of tokens and nothing stands beside them that has no rule."""
    found = mixing_nodes(blocks)
    counts = {node.tokens for node in found}
    if len(counts) > 1:
        raise InputError(f"the network mixes {' and '.join(map(str, sorted(counts)))} tokens; give every part the same")
    for node in nodes.every_node(blocks) if found else ():
        if node.masks or node.is_convolution or node.is_dense_connection:
            raise InputError(f"{node!r} has no rule in a network that mixes tokens; take it out")


@dataclass(frozen=True)
class FollowedTokens(FollowedLayers):
    """The layers of a network of tokens, one by one; a start is the gap 1 - c^1 of every two tokens."""

    tokens: Tokens
    pair: tuple[int, int]

    evidence = "tokens"
    most_layers = MOST_LAYERS
    extras = (0,)
    unproved = "there is no theorem yet about tokens that are followed layer by layer"

    def routes(self, digits: int, depth: int | None = None) -> list[Route]:
        require_digits(self.tokens, digits - self.spare[0])
        return [Route(0, digits), Route(1, digits + APART)]  # also of two grids for softmax weights

    def to_layer(self, start: Expr, depth: int, route: Route, crossing: None) -> tuple:
        with mp.workdps(route.digits):
            layer = 1 + len(self.tokens.blocks) * (depth - 1)  # a law counts whole periods
            return (self.tokens.gap(to_mpf(start), layer, self.pair, route.last),)


def require_digits(tokens: Tokens, digits: int) -> None:
    """`UnsupportedError` for more digits than softmax weights have."""
    if digits > SOFTMAX_DIGITS and tokens.has_logits:
        raise UnsupportedError(
            f"digits = {digits}: random softmax weights are integrated to {SOFTMAX_DIGITS} digits; ask for no more"
        )


def reader_of(count: int, given=read_start):
    """The reader of a start that `count` tokens can have."""

    def read(correlation=None, gap=None) -> Expr:
        if read_start(correlation, gap) > Rational(count, count - 1):
            raise InputError(
                f"{count} tokens cannot all have correlations below -1/{count - 1} with each other; give a larger one"
            )
        return given(correlation, gap)

    return read


@dataclass(frozen=True)
class TokenLaws(ComposedLaws):
    """Of the network with A = lambda + (1 - lambda)/T for its matrices and masks."""

    network: object = field(compare=False, kw_only=True)
    slow: Slowest = field(kw_only=True)

    @classmethod
    def of(cls, network) -> "TokenLaws":
        """The laws of a network that mixes tokens."""
        found = mixing_nodes(network.blocks)
        apart = [node for node in found if node.eigenvalue is None]
        slow = slowest((apart or found)[0])
        if factors_of(network.block):
            raise UnsupportedError(
                f"{network.block!r}: factors that depend on the layer have no law with tokens; leave them out, or ask "
                "for numbers (similarity)"
            )
        if apart and len({node.matrix for node in found}) > 1:
            raise UnsupportedError(
                "the network mixes its tokens by several matrices or masks, whose modes are not the same, so there is "
                "no law; take one of them, or ask for numbers (similarity)"
            )
        if apart and random_weights(network.blocks):
            raise UnsupportedError(
                "random softmax weights under a mask, or beside a matrix, have no law here; take scaling='1/d', or no "
                "mask"
            )
        form = normal_form(exchanged(network.block, slow.eigenvalue), network.given_variance)
        return cls(form, network=network, slow=slow)

    @property
    def correlation_map(self) -> ComposedMap:
        """That of two tokens; `UnsupportedError` where it is known near 1 only."""
        require_map(self.network.blocks)
        return super().correlation_map

    def _require_moving(self) -> None:
        """Mixing moves."""

    @cached_property
    def tokens(self) -> Tokens:
        """What is followed."""
        return Tokens(self.network.blocks, self.network.variance)

    def similarity_law(self, terms: int, pair: tuple[int, int] | None) -> Law:
        """The law of 1 - c^l of two tokens."""
        places = read_pair(pair, self.tokens.count)
        if self.normal.kind == CONSTANT and self.form.chi == 0:
            raise self._collapse()
        if self.normal.kind == CONSTANT and self.tokens.are_alike and not self.tokens.has_logits:
            law = self.correlation_law(terms)
            return replace(law, reader=reader_of(self.tokens.count, law.reader))
        self.network.require_numbers()
        quantity = "1-c^{l}" if self.tokens.are_alike else f"1-c_{{{places[0] + 1},{places[1] + 1}}}^{{l}}"
        coordinate = FollowedTokens(self.tokens, places)
        reader = reader_of(self.tokens.count)
        return Law(quantity, self._leading(places), reader, "correlation", coordinate=coordinate)

    def _collapse(self) -> UnsupportedError:
        for node in random_weights(self.network.blocks):
            cubic = node.logit_variance * Rational(node.tokens - 1, node.tokens**2)
            return UnsupportedError(
                f"without a skip connection softmax attention makes 1 - c a cubic of itself, {cubic} (1 - c)^3 near "
                "0, so it falls doubly exponentially and has no law in powers; ask for numbers (similarity)"
            )
        return UnsupportedError(
            "without a skip connection the mean over all tokens makes them equal in one layer, so 1 - c^l = 0 from "
            "there on; put a skip connection around it"
        )

    def _leading(self, places: tuple[int, int]) -> Expansion:
        alike = self.tokens.are_alike
        if self.phase == CHAOTIC and (self.normal.kind == CONSTANT or not alike):
            raise UnsupportedError(
                f"chi = {self.form.chi} > 1 keeps tokens apart, and where they end with random softmax weights, "
                "matrices or masks has no formula; ask for numbers (similarity)"
            )
        if self.phase == EDGE and not alike:
            raise UnsupportedError(
                "at lambda^2 chi = 1 a law needs all tokens alike; take mix(tokens=T, eigenvalue=lambda), or ask for "
                "numbers (similarity)"
            )
        if self.normal.kind == CONSTANT and self.phase == EDGE:
            return self.correlation_law(1).expansion
        return {CHAOTIC: self._apart, EDGE: self._logarithmic}.get(self.phase, lambda: self._ordered(places))()

    def _ordered(self, places: tuple[int, int]) -> Expansion:
        """D (v_i - v_j)^2 times chi^l, or a power of l, up to its next power or the next mode."""
        chi, depthwise = self.form.chi, self.normal.kind != CONSTANT
        p = 1 - chi if depthwise else ONE
        rest = [Monomial(p * (1 + Rational(1, self.form.root)), int(depthwise and p == 1))]  # q_l = v l + O(log l)
        mixed = max(self._mixed(), key=lambda rate: float(to_mpf(rate)), default=None)
        scale = Scale.at_infinity(LAYER) if depthwise else Exponential(LAYER, base=chi, second=mixed)
        rest += [] if mixed is None else [Monomial(1 - mixed if depthwise else scale.weight)]
        least = min(rest, key=lambda monomial: float(to_mpf(monomial.order)))
        return Expansion.build(scale, {(p, 0): self._size(places) * SECOND}, Formal(least))

    def _mixed(self) -> list[Expr]:
        """The rates of lambda with the next mode and, where no norm pins |x_i| to 1, with the mean m of all tokens.

        Then 1 - c_ij ~ (|m|^2 |d|^2 - (m.d)^2)/(2 |x_i|^2 |x_j|^2) with d = x_i - x_j; m.d has the rate of lambda.
        """
        def rate(other: Expr) -> Expr:  # chi with |lambda lambda'| in place of lambda^2
            block = exchanged(self.network.block, sqrt(abs(self.slow.eigenvalue * other)))
            return ComposedLaws(normal_form(block, self.network.given_variance)).form.chi

        following = self.slow.following
        found = [] if following is None or to_mpf(following) == 0 else [rate(following)]
        if self.tokens.are_alike or any(node.is_norm for node in nodes.every_node(self.network.blocks)):
            return found
        chi, mean = self.form.chi, rate(ONE)
        return [*found, mean**2 if float(to_mpf(chi - mean**2)) > EQUAL else chi * mean]

    def _logarithmic(self) -> Expansion:
        return flow.correlation_law(self.form, LayerSteps(ONE, ONE, Integer(0)), 1).expansion

    def _apart(self) -> Expansion:
        """1 - c*; layers shift it by O(1/l), as their branches take turns."""
        series = FormInside(self.form)
        p = 1 - series.slope(1)[0]
        rest = Monomial(min(p, ONE, key=lambda power: float(to_mpf(power))), int(p == 1))
        return Expansion.build(Scale.at_infinity(LAYER), {(0, 0): series.fixed_gap}, Formal(rest))

    def _size(self, places: tuple[int, int]) -> Expr:
        """(v_i - v_j)^2 where it is exact, else 1."""
        if not self.slow.vector:
            return ONE
        one, two = (self.slow.vector[k] for k in places)
        if abs(float(one - two)) < 1e-9:
            raise UnsupportedError(
                f"tokens {places[0] + 1} and {places[1] + 1} have the same part in the slowest mode of the matrix, so "
                "they come together faster than others, without a law here; ask for numbers (similarity)"
            )
        return (one - two) ** 2 if isinstance(one, Expr) else ONE


def require_map(blocks: tuple[Node, ...]) -> None:
    """`UnsupportedError` where there is no map of one correlation in formulas."""
    if random_weights(blocks) or any(node.eigenvalue is None for node in mixing_nodes(blocks)):
        raise UnsupportedError(
            "tokens that are not alike, or weigh each other by random softmax weights, give no map of one correlation "
            "in formulas; ask for similarity_law(), or numbers (similarity)"
        )


def read_pair(pair, count: int) -> tuple[int, int]:
    """The places of two tokens, from 0; None: the first and the last."""
    if pair is None:
        return 0, count - 1
    found = tuple(pair) if isinstance(pair, tuple | list) else ()
    whole = all(is_whole(i, 1, count) for i in found)
    if len(found) != 2 or not whole or found[0] == found[1]:
        raise InputError(f"pair = {pair!r} is not two of the {count} tokens; give two numbers such as (1, {count})")
    return int(found[0]) - 1, int(found[1]) - 1

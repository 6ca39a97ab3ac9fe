"""A network of any composition of primitives: type it, get its law.

`Network(block, first, variance, readout)`: layer 1 is `first`, with K^1 = Sigma^1 and the variance q_1 (`variance`);
layers 2, ..., L are `block`, or those of `period` in turn; it is read behind `readout`, if there is one.  One
activation a block has the laws of `architectures.laws`, as the preset architectures, which are such compositions.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain
from typing import Any

from mpmath import mp, mpf
from sympy import Dummy, Expr, Integer, cancel, latex, oo, solve, sqrt

from asympt.architectures.composed.compiling import CONSTANT, NormalFormOfBlock, normal_form
from asympt.architectures.composed.depthwise import NTK, depth_law
from asympt.architectures.composed.form import ComposedMap
from asympt.architectures.composed.laws import ENDLESS, ComposedLaws, pace, total_time
from asympt.architectures.composed.tokens import (
    TokenLaws,
    check_tokens,
    read_pair,
    reader_of,
    require_digits,
    require_map,
)
from asympt.architectures.fluctuations import ResidualFluctuations
from asympt.architectures.law_parts import read_start
from asympt.architectures.laws import HasLaws, Laws
from asympt.architectures.registry import network_of, record_of
from asympt.blocks import dense, nodes, serial
from asympt.blocks.nodes import DEPTH, LAYER, OUTPUT, ConvNode, DenseNode, Node, every_node, require_fixed, within
from asympt.blocks.parsing import read_block
from asympt.blocks.primitives import conv
from asympt.deadline import in_budget
from asympt.depth.finite import Composition
from asympt.errors import AsymptError, InputError, UnsupportedError
from asympt.expansions.opaque import in_digits
from asympt.expansions.printing import plain_quantity
from asympt.meanfield.activations import Activation, activation
from asympt.meanfield.catalogue import catalogue
from asympt.meanfield.layer import ConvStatement, First, Layer, Statement
from asympt.meanfield.stability import Stability
from asympt.numbers import check_depth, check_digits, check_terms, positive, refuse_symbols, symbol_names, to_mpf
from asympt.precise.blocks import OuterLayers, pairs_along
from asympt.precise.tokens import Tokens, mixing_nodes
from asympt.recursions.agreement import agreed
from asympt.recursions.law import Law
from asympt.saving import Saved
from asympt.showing import LETTERS, formula, html_table, one_line
from asympt.symbols import require_no_depth

GUARD = 10


@dataclass(frozen=True, init=False)
class Network(ResidualFluctuations, HasLaws):
    """A network composed of primitives, at infinite width.

    Parameters: `block`, a node of `asympt.blocks` or its text, the same in layers 2, 3, ..., or several of them as
    `period`, in turn; `first`, a dense (or a convolution, where the blocks have one), layer 1; `variance`, q_1 > 0
    (left out: 1, or the variance that settles); `readout`, a dense behind which every layer is read, or
    average_pool() or flatten() of a convolutional network.
    Raises `InputError` where the rules of infinite width do not hold.

    >>> from asympt import blocks as b
    >>> net = Network(b.residual(b.layer_norm(), b.activation("relu"), b.dense("sqrt(2)")))
    >>> net.weight, net.phase
    (1/l, 'edge of chaos')
    >>> print(net.correlation_law(terms=1))
    9*pi^2/(2*log(l)^2) + O(1/log(l)^3)
    >>> print(net.ntk_diagonal_law())
    log(L) + EulerGamma + 1/(2*L) - 1/(12*L^2) + O(1/L^4)
    """

    blocks: tuple[Node, ...]
    first: DenseNode | ConvNode
    given_variance: Expr | None
    readout: Node | None

    def __init__(
        self, block: Node | str | Sequence[Node | str] | None = None, *, period: Sequence[Node | str] | None = None,
        first: Node | str | None = None, variance: Any = None, readout: Node | str | None = None,
    ) -> None:  # fmt: skip
        object.__setattr__(self, "blocks", _blocks(block, period))
        object.__setattr__(self, "first", _first(first, self.blocks))
        object.__setattr__(self, "readout", _readout(readout, self.blocks))
        found = None if variance is None else positive(variance, "variance", "the variance of layer 1")
        object.__setattr__(self, "given_variance", found)
        given = set() if found is None else found.free_symbols
        require_no_depth(self.block.parameters | self.first.parameters | given)
        check_tokens(self.blocks)
        signal = OUTPUT
        for part in self.blocks * 3:  # what a block leaves is what the next one reads
            signal = part.signal(signal)

    def __repr__(self) -> str:
        shown = repr(self.blocks[0]) if len(self.blocks) == 1 else f"period=[{', '.join(map(repr, self.blocks))}]"
        variance = "" if self.given_variance is None else f", variance={self.given_variance}"
        first = "" if self.first == _first(None, self.blocks) else f", first={self.first!r}"
        readout = "" if self.readout is None else f", readout={self.readout!r}"
        return f"Network({shown}{first}{variance}{readout})"

    def _repr_html_(self) -> str:
        return html_table([(part, _asked(self, part)) for part in ("phase", "weight")], title=repr(self))

    @property
    def block(self) -> Node:
        """The block, or all blocks of a period, one after the other."""
        return serial(*self.blocks)

    @property
    def parameters(self) -> set:
        """The symbols for which numbers must be given before anything can be evaluated."""
        return self.block.parameters | self.first.parameters | (self.variance.free_symbols)

    # ---- the normal form --------------------------------------------------------------------------

    @property
    def mixes_tokens(self) -> bool:
        """Whether it has `mix` or `attention`: then its laws are of two tokens of one input (`similarity_law`)."""
        return bool(mixing_nodes(self.blocks))

    @cached_property
    def normal_form(self) -> NormalFormOfBlock:
        """(g, o, w) and the variances; it prints, and has `latex()`."""
        require_map(self.blocks)
        if within(self.blocks) & {LAYER, DEPTH} and not self._is_homogeneous:
            raise UnsupportedError(
                "an activation or weights hold DEPTH (or LAYER), and the variance moves the maps of the layers; take "
                "ReLU-like activations without biases, or ask for numbers (pair)"
            )
        found = normal_form(self.block, self.given_variance)
        if self.mixes_tokens and found.kind != CONSTANT:
            raise UnsupportedError(
                "the variance of tokens grows the faster the more alike they are, so pre-norm blocks that mix them "
                "have no weights w_l; ask for similarity_law()"
            )
        return found

    def at_depth(self, depth: int) -> "Network":
        """The network of that depth: with the number for `DEPTH`."""
        change = partial(nodes.at_depth, depth=check_depth(depth))
        variance = self.variance if DEPTH in within(self.blocks) else self.given_variance  # none settles at every depth
        return Network(period=change(self.blocks), first=change(self.first), variance=variance, readout=self.readout)

    @property
    def _is_homogeneous(self) -> bool:
        inside = every_node(self.blocks)
        return all(phi.is_relu_like for node in inside for phi in node.activations) and all(
            getattr(node, "sigma_b", 0) == 0 for node in inside
        )

    @property
    def block_map(self) -> ComposedMap:
        """g, the map of the branch."""
        return self.normal_form.block_map

    @property
    def weight(self) -> Expr:
        """w_l, an expression in `blocks.LAYER` (the layer that the block produces) and `blocks.DEPTH`."""
        return self.normal_form.weight

    @property
    def variance(self) -> Expr:
        """q_1: the one given, that which settles, or 1 where the layers have no normal form."""
        if self.given_variance is not None:
            return self.given_variance
        try:
            return self.normal_form.first_variance
        except UnsupportedError:
            return Integer(1)

    @cached_property
    def statement(self) -> Statement | ConvStatement | None:
        """The layer recursion as `meanfield.layer` has it; None where no such recursion is that of the blocks.

        A layer 1 that is trained as drawn is that of the branch here, whatever its variances: no law depends on them.
        """
        is_read = self.readout is not None and self.readout.is_dense
        begins = is_read or not self.first.is_trained_as_drawn
        return self.statement_from_first if begins else statement_of(self.blocks, readout=self.readout)

    @cached_property
    def statement_from_first(self) -> Statement | ConvStatement | None:
        """The same with layer 1 as it is; None also where a convolution in layer 1 is another one than the blocks'."""
        return statement_of(self.blocks, self.first, self.readout)

    @cached_property
    def _laws(self) -> "Laws | ComposedLaws":
        require_fixed(self.blocks)
        if self.mixes_tokens:
            return TokenLaws.of(self)
        statement = self.statement
        if statement is not None and not statement.is_dense:
            found = network_of(statement)
            if found is None:
                raise UnsupportedError(
                    "a composition with convolutions whose branches fall with the layer has no law here; leave scale "
                    "out, or ask for random networks (finite)"
                )
            return found
        if statement is not None and statement.has_laws:
            return Laws(statement, self)
        if self.readout is not None:
            raise UnsupportedError(
                f"readout {self.readout!r}: behind it there is a law where the block reads its input by the same "
                "dense; leave the readout out, or ask for numbers"
            )
        return ComposedLaws(self.normal_form)

    def _require_inputs(self) -> None:
        if self.mixes_tokens:
            raise UnsupportedError(
                "this network mixes the tokens of one input, and laws of two inputs (their kernel, their NTK, their "
                "variance) are not derived for it; ask for similarity_law(), of two tokens of one input"
            )

    def _require_ntk(self) -> None:
        """`UnsupportedError` where K^1 is not the Sigma^1 that a compiled law begins with."""
        self._require_inputs()
        if isinstance(self._laws, ComposedLaws):
            self._require_trained()

    def _require_trained(self) -> None:
        if not self.first.is_trained_as_drawn:
            raise UnsupportedError(
                f"first = {self.first!r}: with learning rates of its own K^1 is not Sigma^1, with which these laws "
                "begin; leave its rates out, take asympt.MLP, or ask for numbers"
            )

    def _counted(self, law: Law) -> Law:
        """The law; of a period of n blocks it counts whole periods: its l stands for layer 1 + n (l - 1)."""
        count = len(self.blocks)
        law = replace(law, network=self) if isinstance(self._laws, ComposedLaws) else law
        if count == 1:
            return law
        quantity = re.sub(r"\{([lL])\}", lambda found: f"{{1+{count}({found[1]}-1)}}", law.quantity)
        plain = plain_quantity(quantity).replace("{", "(").replace("}", ")")
        return replace(law, quantity=quantity, text=plain)

    @in_budget("deriving the law in the depth of a {0}")
    def depth_law(self, of: str = "correlation", *, correlation=None, gap=None, terms: int = 4) -> Law:
        """The law of 1 - c^L, or of K^L/q_L, in the depth L of a network whose parts hold `DEPTH`.

        Parameters
        ----------
        of : "correlation", or "ntk": K^L/q_L, and K^L/(q_L L) where it grows like L.
        correlation, gap : c^1 or 1 - c^1, to which the law belongs; -1 < c^1 < 1.
        terms : how many terms the law has, from 1 on; three at most where sigma_w and sigma_b hold `DEPTH`.

        Where the branches add up to a finite time, 1 - c^L = k_0 + k_1/L + ..., to any number of digits; where they add
        up to nothing, c^L tends to c^1, in formulas; where they add up to infinity, c^L tends to 1.

        Raises
        ------
        InputError : the start is a fixed point, or `terms` is not from 1 to 20.
        UnsupportedError : there is no law: the layers do not depend on `DEPTH`, or the weights depend on the layer.

        Examples
        --------
        >>> law = Network("residual(relu, dense(sqrt(2)), scale=1/sqrt(DEPTH))").depth_law(correlation=0, terms=2)
        >>> print(law, law.coefficient("1/L", digits=20))
        k_0 + k_1/L + O(1/L^2) 0.35737227172543827571
        """
        start, terms = read_start(correlation, gap), check_terms(terms)
        self._require_inputs()
        if of == NTK:
            self._require_trained()
        return depth_law(self, of, start, terms)

    # ---- tokens -----------------------------------------------------------------------------------

    @in_budget("deriving how alike the tokens of a {0} become")
    def similarity_law(self, terms: int = 4, pair: tuple[int, int] | None = None) -> Law:
        """The law of 1 - c^l of two tokens of one input; layer 1 has correlation c^1 between every two of them.

        `terms`: how many it has; it is of leading order, with numbers from at most 20,000 layers, for pre-norm blocks,
        softmax weights with 1/sqrt(d) (12 digits), matrices and masks.  `pair`: the two tokens, counted from 1, where
        not all are alike (the first and the last).  Raises `UnsupportedError` where there is no law, with the reason:
        pure attention, whose 1 - c is cubed by every layer.

        >>> post = Network("serial(residual(attention(8)), rms_norm)")
        >>> print(post.phase, post.similarity_law(terms=2))
        ordered C/2^l - 7*C^2/(8*4^l) + O(1/8^l)
        >>> pre = Network("residual(layer_norm, attention(8)), residual(layer_norm, relu, dense(sqrt(2)))")
        >>> print(pre.similarity_law())
        D/sqrt(l) + O(1/l^(3/4))
        """
        terms = check_terms(terms)
        self._require_tokens()
        return self._counted(self._laws.similarity_law(terms, pair))

    @in_budget("following the tokens of a {0}")
    def similarity(self, depth: int, correlation=None, gap=None, pair: tuple[int, int] | None = None, digits: int = 12):
        """1 - c^L of two tokens, by the rules of the primitives, layer by layer; arguments as in `similarity_law`.

        >>> pure = Network("serial(attention(4, scaling=1/sqrt(d), logit_variance=4), rms_norm)")
        >>> print(*(mp.nstr(pure.similarity(depth, correlation="1/10"), 12) for depth in (2, 3, 4)))
        0.425719081538 0.0541822747138 0.000122034047682
        """
        depth, digits = check_depth(depth, followed=True), check_digits(digits)
        self._require_tokens()
        self.require_numbers()
        tokens = Tokens(self.at_depth(depth).blocks, self.variance)
        start, places = reader_of(tokens.count)(correlation, gap), read_pair(pair, tokens.count)
        require_digits(tokens, digits)

        def on(grid: int):
            with mp.workdps(digits + GUARD * (1 + grid)):
                return tokens.gap(to_mpf(start), depth, places, grid)

        return agreed(lambda _: [on(0), on(1)], digits, extras=(0,))

    def critical_values(self, symbol) -> list[Expr]:
        """The values > 0 of one of its symbols at which lambda^2 chi = 1: the edge between tokens that grow alike and
        tokens that stay apart (of any composition, g'(1) = 1).

        >>> from sympy import Symbol
        >>> from asympt import blocks as b
        >>> s = Symbol("s", positive=True)
        >>> gated = b.residual(b.gated(b.dense(1), b.read_block("serial(dense(sqrt(2)), relu)")), b.dense(1))
        >>> post = b.serial(b.residual(b.attention(8, sigma_w=s)), b.rms_norm(), gated, b.rms_norm())
        >>> Network(post).critical_values(s)
        [sqrt(2)/2]
        """
        found = next((one for one in self.parameters if str(one) == str(symbol)), None)
        if found is None:
            raise InputError(
                f"symbol = {symbol} is not in the network (it has {symbol_names(self.parameters) or 'none'}); give a "
                "SymPy symbol that stands in one of its blocks"
            )
        value = Dummy("x", positive=True)
        return [root for root in solve(self._laws.form.chi.subs(found, value) - 1, value) if root.is_positive]

    def _require_tokens(self) -> None:
        if not self.mixes_tokens:
            raise UnsupportedError(
                "no part of this network mixes tokens (mix, attention), so each goes its own way, as an input does; "
                "ask for correlation_law()"
            )

    # ---- numbers --------------------------------------------------------------------------------

    @in_budget("following the layers of a {0}")
    def pair(self, depth: int, correlation=None, gap=None, digits: int = 30) -> tuple:
        """(1 - c^L, K^L/q_L, q_L) of two inputs of variance q_1, by the rules of the primitives, layer by layer.

        >>> print(*Network("residual(layer_norm, relu, dense(sqrt(2)))").pair(3, correlation="1/10", digits=15))
        0.695161619642789 0.372740418010349 3.0
        """
        start, depth, digits = read_start(correlation, gap), check_depth(depth, followed=True), check_digits(digits)
        self._require_inputs()
        self.require_numbers()
        if any(node.is_convolution for node in every_node((self.first, *self.blocks))):
            raise UnsupportedError(
                "a network with convolutions has pairs of positions, not one pair; take "
                "asympt.depth.convolution.conv_gram(net, X, depth), or its random networks (finite)"
            )

        net = self.at_depth(depth)

        def at(more: int) -> tuple:
            with mp.workdps(digits + more):
                ends = OuterLayers(net.first, net.readout)
                return pairs_along(net.blocks, to_mpf(start), self.variance, [depth], ends=ends)[0]

        return agreed(lambda extra: [at(extra + 5), at(extra + 5 + GUARD)], digits)

    @in_budget("following the flow of a {0}")
    def limit(self, correlation=None, gap=None, digits: int = 15) -> tuple:
        """(1 - c, K/q) at infinite depth, where the branches are scaled with the depth of the network.

        The flow dc/dT = g(c) - c, dR/dT = o + (g' - 1) R up to the time that the weights add up to.  The digits are
        those on which two integrations of different precision agree: checked, and no bound is proved.  How far a
        network of L layers is from it is not said; `pair` has its numbers.
        """
        start, digits = read_start(correlation, gap), check_digits(digits)
        require_fixed(self.blocks)
        self.require_numbers()
        weight, form = self.weight, self.normal_form.branch
        if DEPTH not in weight.free_symbols:
            raise UnsupportedError(
                f"the weights {weight} do not depend on the depth of the network; ask for a law instead"
            )
        rate = pace(weight)
        if rate == oo:
            raise UnsupportedError(f"the weights {weight} {ENDLESS}; ask for depth_law(correlation=...) or pair")

        def moved(_, state):
            flow = form.numbers(state[0])
            return [flow.lost - state[0], flow.own + (flow.slope - 1) * state[1]]

        def at(more: int) -> tuple:
            with mp.workdps(digits + more):
                gap = to_mpf(start)
                return tuple(mp.odefun(moved, mpf(0), [gap, 1 - gap])(total_time(rate)))

        return agreed(lambda extra: [at(extra + 5), at(extra + 5 + GUARD)], digits)

    def finite(self) -> Composition:
        """Its random network of finite width, for `asympt.depth.finite.empirical_kernels` and `asympt.referee`."""
        return Composition(self.blocks, self.first, self.readout)

    def require_numbers(self) -> None:
        """`UnsupportedError` for symbols."""
        refuse_symbols(self.parameters, "the network contains")


def _blocks(block, period) -> tuple[Node, ...]:
    if isinstance(block, tuple | list):
        block, period = None, block if period is None else period
    if (block is None) == (period is None):
        raise InputError("give either one block, or period=[...] with blocks in turn")
    found = (block,) if period is None else tuple(period)
    if not found:
        raise InputError("period = [] has no block; give at least one")
    return tuple(_read(part) for part in found)


def _read(part) -> Node:
    found = read_block(part) if isinstance(part, str) else part
    if not isinstance(found, Node):
        raise InputError(f"block = {part!r} is not a block; give one of asympt.blocks, or its text")
    return found


def _first(given, blocks: tuple[Node, ...]) -> DenseNode | ConvNode:
    """Layer 1: what was given, or a dense or a convolution with sigma_w = 1."""
    found = next((node for node in every_node(blocks) if node.is_convolution), None)
    if given is None:
        return dense() if found is None else conv(found.reach, found.positions, padding=found.padding)
    first = _read(given)
    if not (first.is_dense if found is None else first.is_convolution):
        kind = "dense; layer 1 reads the inputs by a dense, such as dense(1)"
        if found is not None:
            kind = f"conv; layer 1 reads the positions of the inputs by a convolution, such as {_first(None, blocks)!r}"
        raise InputError(f"first = {first!r} is not a {kind}")
    return first


def _readout(given, blocks: tuple[Node, ...]) -> Node | None:
    found = None if given is None else _read(given)
    inside = every_node(blocks)
    convolves = any(node.is_convolution for node in inside)
    if found is None or (found.is_readout and convolves):
        return found
    if found.is_dense and not convolves and not any(node.is_dense_connection for node in inside):
        return found
    raise InputError(
        f"readout = {found!r} does not fit these blocks; give a dense, or average_pool() or flatten() behind "
        "convolutions, and none behind dense connections"
    )


# ---- the statement of its layer ----------------------------------------------------------------------
#
# Look at the network where phi reads it, behind the dense `readout` where there is one.  With s and K there,
# T = E[phi phi] and T' = E[phi' phi'], every primitive takes (s, K), sums of multiples of 1, s, T and of 1, s, K, T,
# K T', to its own, and a statement is there when one block makes of them
#
#     s' = skip s + beta_l (sigma_b^2 + sigma_w^2 T),     K' = (skip + beta_l sigma_w^2 T') K + lambda_b + lambda_W T.
#
# x + alpha V phi(W x), read by a dense like W: with a = alpha^2 sigma_v^2 sigma_w^2 the terms in s T' cancel and
# K' = (1 + a T') K + 2 a T.  One activation a block; beta_l a power of l; circular convolutions, the same throughout.


ONE, S, K, T, K_SLOPE = "1", "s", "K", "T", "K T'"
Sum = dict[str, Expr]  # what each of these is multiplied by


class NoStatement(Exception):
    """A composition whose layers are not those of a statement."""


def statement_of(blocks: tuple[Node, ...], first: Node | None = None, readout: Node | None = None):
    """The `Statement` or `ConvStatement` of a network, None where it has none; `first` None: trained as drawn.

    >>> from asympt.blocks import dense, read_block
    >>> block = read_block("residual(dense(2), relu, dense(1/3), scale=1/2)")
    >>> found = statement_of((block,), dense(1), dense(2))
    >>> found.layer.weight_variance, found.weight_rate, found.first
    (1/9, 2/9, First(weight=4, bias=0, weight_rate=8, bias_rate=0))
    """
    if len(blocks) > 1 or (readout is not None and readout.is_readout):
        return None
    try:
        return _stated(blocks[0], first, readout)
    except NoStatement:
        return None


def _stated(block: Node, first: Node | None, readout: Node | None) -> Statement | ConvStatement:
    walk = _NodeWalk(circle_of([block, *filter(None, (first, readout))]))
    seen = walk.before(readout)
    after = walk.through(block, seen)
    after = after if readout is None else walk.through(readout, after)
    layer, skip, beta = walk.layer(after[0])
    walk.require_kernel(after[1], skip, beta * layer.weight_variance)
    rates = [after[1].get(term, Integer(0)) for term in (T, ONE)]
    found = Statement(layer, skip, beta, *rates, first=_first_layer(layer, first, readout, walk))
    return found if walk.circle is None else ConvStatement(found, *walk.circle)


def circle_of(given: list[Node]) -> tuple[int, int] | None:
    """(positions, reach) of the convolutions in some nodes, None without any; a dense between them has none."""
    convolutions = [node for node in every_node(given) if node.is_convolution]
    found = {(node.positions[0], node.reach[0]) for node in convolutions}
    if len(found) > 1 or any(len(node.positions) > 1 or node.padding != "circular" for node in convolutions):
        raise NoStatement
    return found.pop() if found else None


def _times(found: Sum, factor: Expr) -> Sum:
    return {term: factor * c for term, c in found.items()}


def _plus(*sums: Sum) -> Sum:
    found = {term: sum(one.get(term, 0) for one in sums) for term in chain(*sums)}
    return {term: c for term, c in found.items() if c != 0 and not (c.is_Add and cancel(c) == 0)}


SecondMoments = tuple[Sum, Sum]  # s and K
SEEN = {S: Integer(1)}, {K: Integer(1)}


class _NodeWalk:
    """Through the nodes; `phi`: the activation met on the way."""

    def __init__(self, circle: tuple[int, int] | None):
        self.circle, self.phi = circle, None

    def before(self, readout: nodes.DenseNode | None) -> SecondMoments:
        """(s, K) in front of the readout, behind which they are read."""
        if readout is None:
            return SEEN
        kept, (rate, constant) = 1 / readout.sigma_w**2, readout.rates
        s = _plus({S: kept}, {ONE: -readout.sigma_b**2 * kept})
        learnt = _plus({K: Integer(1)}, {ONE: -constant}, _times(s, -rate))
        return s, _times(learnt, kept)

    def through(self, node: Node, found: SecondMoments) -> SecondMoments:
        """Behind a node."""
        for part in nodes.parts_of(node):
            found = self._behind(part, found)
        return found

    def _behind(self, node: Node, found: SecondMoments) -> SecondMoments:
        match node:
            case nodes.DenseNode() | nodes.ConvNode():
                return self._drawn(node, found)
            case nodes.ActivationNode(phi=phi):
                return self._bent(phi, found)
            case nodes.ScaleNode(factor=factor):
                return tuple(_times(part, factor**2) for part in found)
            case nodes.ResidualNode(branch=branch, skip=skip, scale=scale):
                both = zip(found, self.through(branch, found), strict=True)
                return tuple(_plus(_times(one, skip**2), _times(two, scale**2)) for one, two in both)
        raise NoStatement

    def _drawn(self, node, found: SecondMoments) -> SecondMoments:
        if self.circle is not None and not node.is_convolution:
            raise NoStatement
        (s, k), weight, (rate, constant) = found, node.sigma_w**2, node.rates
        learnt = _plus(_times(k, weight), _times(s, rate), {ONE: constant})
        return _plus(_times(s, weight), {ONE: node.sigma_b**2}), learnt

    def _bent(self, phi: Activation, found: SecondMoments) -> SecondMoments:
        if found != SEEN or self.phi is not None:
            raise NoStatement
        self.phi = phi
        return {T: Integer(1)}, {K_SLOPE: Integer(1)}

    # ---- what is read off ---------------------------------------------------------------------------

    def layer(self, s: Sum) -> tuple[Layer, bool, Expr]:
        """The layer of the branch, whether there is a skip connection, and beta_l."""
        if T not in s or s.get(S, 0) not in (0, 1):
            raise NoStatement
        weight, beta = s[T].as_independent(LAYER) if S in s else (s[T], Integer(1))
        bias = s.get(ONE, Integer(0)) / beta
        falls = beta == 1 or (beta.as_base_exp()[0] == LAYER and beta.as_base_exp()[1].is_negative)
        if not falls or (weight.free_symbols | bias.free_symbols) & {LAYER, DEPTH}:
            raise NoStatement
        return Layer(self.phi, weight, bias), S in s, beta

    @staticmethod
    def require_kernel(k: Sum, skip: bool, weight: Expr) -> None:
        """No statement unless K' is (skip + weight T') K and what is learnt in one phi."""
        kept = {K: Integer(1)} if skip else {}
        rest = _plus(k, _times({**kept, K_SLOPE: weight}, Integer(-1)))
        if set(rest) - {ONE, T} or any(DEPTH in c.free_symbols for c in rest.values()):
            raise NoStatement


def _first_layer(layer: Layer, first: Node | None, readout: Node | None, walk: _NodeWalk) -> First:
    if first is None:
        weight, bias = layer.weight_variance, layer.bias_variance
        return First(weight, bias, weight, bias)
    found = walk.through(first, ({S: Integer(1)}, {}))
    found = found if readout is None else walk.through(readout, found)
    at_first = [{term: c.subs(LAYER, 1) for term, c in part.items()} for part in found]
    return First(*(part.get(term, Integer(0)) for part in at_first for term in (S, ONE)))


# ---- what every preset architecture has -----------------------------------------------------------------


class Stated(Saved):
    """A network with a `statement`, and what that says of it."""

    __call__ = HasLaws.__call__

    def __repr__(self) -> str:
        return one_line(type(self).__name__, ", ".join(self._given()))

    def _repr_html_(self) -> str:
        rows = [(formula(LETTERS.get(name, name)), _shown(value)) for name, value in self._numbers().items()]
        title = f"{type(self).__name__}, {self.activation.name}"
        rows += [(name, _asked(self, part)) for name, part in (("phase", "phase"), ("variance", "stability"))]
        rows = [row for row in rows if row[1] is not None]
        return html_table([("activation", formula(latex(self.activation.expression))), *rows], title=title)

    def _given(self) -> list[str]:
        phi = self.activation
        is_known = phi.name in catalogue() and activation(phi.name).expression == phi.expression
        numbers = [f"{name}={_shown(value)}" for name, value in self._numbers().items()]
        return [repr(phi.name if is_known else phi), *numbers]

    def _numbers(self) -> dict:
        record, first = record_of(self), self.statement.first
        taken = [(record.sigma_w, self.sigma_w), (record.sigma_b, sqrt(first.bias))] if record else []
        found = {how.keyword: value**how.power for how, value in taken if how is not None}
        return found | {own.name: getattr(self, own.name) for own in (record.parameters if record else ())}

    def finite(self) -> Composition:
        """Its random network of finite width, for `asympt.depth.finite.empirical_kernels` and `asympt.referee`."""
        return self.composition.finite()

    @property
    def activation(self) -> Activation:
        """The activation phi."""
        return self.statement.activation

    @property
    def sigma_w(self) -> Expr:
        """The standard deviation of the weights, exact or known to any number of digits."""
        return sqrt(self.statement.first.weight)

    @property
    def stability(self) -> Stability | None:
        """What becomes of an input whose variance is not q; None with a skip connection, where no variance settles."""
        return self.statement.stability


@dataclass(frozen=True, init=False, repr=False)
class Preset(HasLaws, Stated):
    """A dense network; `statement` is its layer, compiled from its `composition`."""

    statement: Statement
    composition: Network = field(compare=False)

    def _compose(self, block: Node, first: DenseNode, readout: DenseNode | None = None) -> None:
        """The fields, from the primitives; layer 1 is `first` itself, whatever the branch has."""
        require_fixed([block])
        composition = Network(block, first=first, readout=readout)
        object.__setattr__(self, "composition", composition)
        object.__setattr__(self, "statement", composition.statement_from_first)

    @cached_property
    def _laws(self) -> Laws:
        return Laws(self.statement, self.composition)

    def _require_ntk(self) -> None:
        self.activation.require_ntk()


def _asked(net: Stated, part: str) -> object:
    try:
        return getattr(net, part)
    except AsymptError as reason:
        return f"none: {reason}"


def _shown(value) -> str:
    """A parameter as one gives it: an exact value, or the digits of one that was solved for."""
    return in_digits(value) if isinstance(value, Expr) else repr(value)

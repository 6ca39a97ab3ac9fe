"""From a composition to the statement of its layer: skip connection, branch, learning rates, layer 1.

Look at the network where phi reads it, behind the dense `readout` where there is one.  With s and K there,
T = E[phi phi] and T' = E[phi' phi'], every primitive takes (s, K), sums of multiples of 1, s, T and of 1, s, K, T, T',
s T', K T', to its own, and a statement is there when one block makes of them

    s' = skip s + beta_l (sigma_b^2 + sigma_w^2 T),     K' = (skip + beta_l sigma_w^2 T') K + lambda_b + lambda_W T.

x + alpha V phi(W x), read by a dense like W: with a = alpha^2 sigma_v^2 sigma_w^2 the terms in s T' cancel and
K' = (1 + a T') K + 2 a T.  One activation a block; beta_l a power of l; circular convolutions, the same throughout.
"""

from dataclasses import dataclass
from functools import reduce

from sympy import Expr, Integer, cancel

from asympt.blocks import nodes
from asympt.blocks.nodes import DEPTH, LAYER, Node, every_node, parts_of
from asympt.meanfield.activations import Activation
from asympt.meanfield.layer import Layer
from asympt.meanfield.statement import ConvStatement, First, Statement

ONE, S, K, T, SLOPE, S_SLOPE, K_SLOPE = "1", "s", "K", "T", "T'", "s T'", "K T'"
THROUGH_PHI = {ONE: SLOPE, S: S_SLOPE, K: K_SLOPE}
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
    layer, skip, beta = walk.layer(after.s)
    walk.require_kernel(after.k, skip, beta * layer.weight_variance)
    rates = [after.k.get(term, Integer(0)) for term in (T, ONE)]
    found = Statement(layer, skip, beta, *rates, first=_first(layer, first, readout, walk))
    return found if walk.circle is None else ConvStatement(found, *walk.circle)


def circle_of(given: list[Node]) -> tuple[int, int] | None:
    """(positions, reach) of the convolutions in some nodes, None without any."""
    found = {_circle(node) for node in every_node(given)} - {None}
    if len(found) > 1:
        raise NoStatement
    return found.pop() if found else None


def _circle(node: Node) -> tuple[int, int] | None:
    """The positions and the reach of a node with weights; a dense in between the convolutions has none of its own."""
    if not node.is_convolution:
        return None
    if len(node.positions) > 1 or node.padding != "circular":
        raise NoStatement
    return node.positions[0], node.reach[0]


@dataclass(frozen=True)
class SecondMoments:
    """s and K as sums."""

    s: Sum
    k: Sum

    def times(self, factor: Expr) -> "SecondMoments":
        """Both multiplied."""
        return SecondMoments(_times(self.s, factor), _times(self.k, factor))

    def plus(self, other: "SecondMoments") -> "SecondMoments":
        """Both added."""
        return SecondMoments(_plus(self.s, other.s), _plus(self.k, other.k))


def _times(found: Sum, factor: Expr) -> Sum:
    return {term: factor * c for term, c in found.items()}


def _plus(*sums: Sum) -> Sum:
    terms = dict.fromkeys(term for one in sums for term in one)
    found = {term: reduce(lambda a, b: a + b, (one[term] for one in sums if term in one)) for term in terms}
    return {term: c for term, c in found.items() if not _vanishes(c)}


def _vanishes(c: Expr) -> bool:
    return c == 0 or (c.is_Add and cancel(c) == 0)


SEEN = SecondMoments({S: Integer(1)}, {K: Integer(1)})


class _NodeWalk:
    """Through the nodes; `phi`: the activation met on the way."""

    def __init__(self, circle: tuple[int, int] | None):
        self.circle, self.phi = circle, None

    def before(self, readout: nodes.DenseNode | None) -> SecondMoments:
        """(s, K) in front of the readout, behind which they are looked at."""
        if readout is None:
            return SEEN
        kept, (rate, constant) = 1 / readout.sigma_w**2, readout.rates
        s = _plus({S: kept}, {ONE: -readout.sigma_b**2 * kept})
        learnt = _plus({K: Integer(1)}, {ONE: -constant}, _times(s, -rate))
        return SecondMoments(s, _times(learnt, kept))

    def through(self, node: Node, found: SecondMoments) -> SecondMoments:
        """Behind a node."""
        for part in parts_of(node):
            found = self._behind(part, found)
        return found

    def _behind(self, node: Node, found: SecondMoments) -> SecondMoments:
        match node:
            case nodes.DenseNode() | nodes.ConvNode():
                return self._drawn(node, found)
            case nodes.ActivationNode(phi=phi):
                return self._bent(phi, found)
            case nodes.ScaleNode(factor=factor):
                return found.times(factor**2)
            case nodes.ResidualNode(branch=branch, skip=skip, scale=scale):
                return found.times(skip**2).plus(self.through(branch, found).times(scale**2))
        raise NoStatement

    def _drawn(self, node, found: SecondMoments) -> SecondMoments:
        if self.circle is not None and not node.is_convolution:
            raise NoStatement
        weight, (rate, constant) = node.sigma_w**2, node.rates
        s = _plus(_times(found.s, weight), {ONE: node.sigma_b**2})
        return SecondMoments(s, _plus(_times(found.k, weight), _times(found.s, rate), {ONE: constant}))

    def _bent(self, phi: Activation, found: SecondMoments) -> SecondMoments:
        if found != SEEN or self.phi is not None:
            raise NoStatement
        self.phi = phi
        return SecondMoments({T: Integer(1)}, {THROUGH_PHI[term]: c for term, c in found.k.items()})

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


def _first(layer: Layer, first: Node | None, readout: Node | None, walk: _NodeWalk) -> First:
    """Layer 1; that of the branch itself where none is given."""
    if first is None:
        weight, bias = layer.weight_variance, layer.bias_variance
        return First(weight, bias, weight, bias)
    found = walk.through(first, SecondMoments({S: Integer(1)}, {}))
    found = found if readout is None else walk.through(readout, found)
    at_first = [{term: c.subs(LAYER, 1) for term, c in part.items()} for part in (found.s, found.k)]
    return First(*(part.get(term, Integer(0)) for part in at_first for term in (S, ONE)))

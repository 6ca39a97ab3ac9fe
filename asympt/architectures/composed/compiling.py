"""From a composition to its normal form: the branch map g with its own NTK o, the weights w_l, and the variances.

    c <- c + w_l (g(c) - c),      R <- R + w_l (o(c) + g'(c) R - R),      R = K/q_l,      T_L = sum of w_l

    block                                          q_l                       w_l
    the same map at every variance                 q_1 V^(l-1), V = q'/q     1, or the share b v/(a + b v) of a branch
    a residual block of a homogeneous branch,      product of 1 + b_l^2 v    b_l^2 v/(1 + b_l^2 v)
      scaled by b_l
    pre-norm: residual blocks, branches of v_i,    q_1 + (l - 1) v           v/(q_1 + (l - 1) v), v = sum of v_i; g, o:
      each in turn                                                             their means by v_i/v, up to O(w^2)
    the same with skip a_l and scale b_l           see `layer_steps`         b_l^2 v/q_l
    anything with a stable variance                q* = V(q*)                as for the same map, at q*
    dense_connection of growth k                   q_1                       1/(l - 2 + 1/k), but w_2 = 1

l is the layer that the block produces.  A variance that grows and moves the map is refused.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from mpmath import mp, mpf
from sympy import Expr, Integer, Product, Sum, Symbol, cancel, simplify

from asympt.architectures.composed.form import ComposedMap, Form
from asympt.architectures.composed.layer_steps import Adding, adding_of
from asympt.architectures.composed.stages import ONE, Averaged, Compiled, Mixed, VarianceMoves, compiled, refusal
from asympt.blocks import nodes, primitives
from asympt.blocks.nodes import DEPTH, LAYER, Node, parts_of
from asympt.errors import UnsupportedError
from asympt.expansions.opaque import RealConstant
from asympt.expansions.typesetting import tex
from asympt.gaussian.kernel import kernel_of
from asympt.gaussian.moments import square_moment
from asympt.meanfield.layer import Layer
from asympt.meanfield.roots import Zero
from asympt.numbers import to_mpf
from asympt.symbols import Reserved

Q = Reserved("q", positive=True)
CONSTANT, FALLING, DEPTHWISE = "the same in every layer", "falling with the layer", "falling with the depth"
ROUNDS, CLOSE, POINTS = 10_000, 1e-9, 120  # of the search for a variance that settles; points of a quadrature
NEARBY, SEEN = (1e-6, 1e-4, 1e-2), 30  # shares of it within which V(q) - q must change its sign, in so many digits


@dataclass(frozen=True)
class NormalFormOfBlock:
    """(g, o, w) of a block, and its variances.

    `branch`: g and o; `weight`: w_l, an expression in LAYER and DEPTH; `total`: the whole layer where it is the same in
    every layer, else None; `variance`: q_l as an expression in LAYER (None where only its recursion is known);
    `first_weight`: w_2 where it is not what `weight` says; `sequence`: of several branches in turn each one and its
    share of the variance that they add, (g, o) being their mean and w what they weigh together, up to O(w^2);
    `adding`: of a pre-norm block with factors in LAYER, how its variance grows.
    """

    branch: Form
    weight: Expr
    total: Form | None
    first_variance: Expr
    variance: Expr | None
    first_weight: Expr | None = None
    sequence: tuple[tuple[Form, Expr], ...] = ()
    adding: Adding | None = None

    @property
    def kind(self) -> str:
        """How the weights go."""
        if self.total is not None:
            return CONSTANT
        return DEPTHWISE if DEPTH in self.weight.free_symbols else FALLING

    @property
    def block_map(self) -> ComposedMap:
        """g."""
        return ComposedMap(self.branch)

    @property
    def own(self) -> Expr | None:
        """o(c), None without a closed form."""
        return self.block_map.own_form

    @cached_property
    def time(self) -> Expr:
        """T_L."""
        if self.total is not None:
            return self.weight * (DEPTH - 1)
        index = Symbol("k", integer=True, positive=True)
        before, first = (0, 2) if self.first_weight is None else (self.first_weight, 3)
        later = Sum(self.weight.subs(LAYER, index), (index, first, DEPTH))
        return later if self.adding is not None else before + later.doit()

    def __str__(self) -> str:
        several = f"{len(self.sequence)} branches in turn, up to O(w^2) " if self.sequence else ""
        found = f"g(c) = {self.block_map}, o(c) = {self.own}, w = {self.weight}, T = {self.time}"
        return f"{several}c <- c + w (g(c) - c), {found}"

    def latex(self) -> str:
        """The recursion of c, in LaTeX."""
        own = "" if self.own is None else rf",\quad o(c) = {tex(self.own)}"
        return (
            rf"c \leftarrow c + w_{{l}}(g(c) - c),\quad g(c) = {self.block_map.latex()}{own},\quad "
            rf"w_{{l}} = {tex(self.weight)},\quad T_{{L}} = {tex(self.time)}"
        )


@dataclass(frozen=True)
class Settled:
    """What is known beforehand of the variance that settles: q, and whether it was solved from chi = 1."""

    q: Expr
    critical: bool = False


def normal_form(block: Node, variance: Expr | None, settled: Settled | None = None) -> NormalFormOfBlock:
    """The normal form of a block; `variance`: q_1, None for 1 or the variance that settles."""
    if block.is_dense_connection:
        return _concatenated(block, ONE if variance is None else variance)
    factors = factors_of(block)
    if settled is not None:
        return _settled(block, variance, factors, settled)
    try:
        found = compiled(block, Q)
    except VarianceMoves:
        return _settled(block, variance, factors)
    if not _depends(found.stages, Q):
        return _homogeneous(block, found, ONE if variance is None else variance)
    if _is_pre_norm(found):
        return _pre_norm(block, found, ONE if variance is None else variance, factors)
    return _settled(block, variance, factors)


def factors_of(node: Node) -> set:
    """The symbols LAYER and DEPTH in the factors of a block."""
    own = [getattr(node, name) for name in ("skip", "scale", "factor") if isinstance(getattr(node, name, None), Expr)]
    return set().union(*(value.free_symbols & {LAYER, DEPTH} for value in own), *map(factors_of, node.parts))


def _depends(stages: tuple, symbol: Symbol) -> bool:
    return symbol in Form(stages, ()).parameters


def _branch_of(stages: tuple) -> tuple[tuple, Expr]:
    """(the stages of the branch, its weight): of a residual block alone, or the whole with weight 1."""
    if len(stages) == 1 and isinstance(stages[0], Mixed):
        return stages[0].branch, stages[0].weight
    return stages, ONE


def read_behind(block: Node, readout: Node | None) -> Node | None:
    """The block as it is behind a dense with which it begins: that dense at its end; None where it does not.

    y = W x: x' = x + F(W x) reads y' = y + W F(y), and W is trained in front of every F and at the end.
    """
    if readout is None:
        return block
    match parts_of(block):
        case (nodes.ResidualNode(branch=branch) as node,):
            drawn = replace(readout, sigma_b=Integer(0), bias_rate=None)
            first, *inner = parts_of(branch)
            return replace(node, branch=primitives.serial(*inner, drawn)) if first == readout and inner else None
        case (first, *rest):
            return primitives.serial(*rest, readout) if first == readout and rest else None


def without_biases(node: Node) -> Node:
    """The block with sigma_b = 0 in every dense."""
    match node:
        case nodes.DenseNode():
            return replace(node, sigma_b=Integer(0), bias_rate=None)
        case nodes.ResidualNode(branch=branch):
            return replace(node, branch=without_biases(branch))
        case nodes.SerialNode(parts=parts):
            return replace(node, parts=tuple(map(without_biases, parts)))
    return node


def _homogeneous(block: Node, found: Compiled, first: Expr) -> NormalFormOfBlock:
    stages = found.stages + found.closing
    branch, weight = _branch_of(stages)
    growth = cancel(found.variance / Q)
    if not weight.free_symbols & {LAYER, DEPTH}:
        if factors_of(block):
            raise UnsupportedError(f"{block!r}: a factor that depends on the layer moves variances alone; leave it out")
        variance = found.variance if Q not in found.variance.free_symbols else first * growth ** (LAYER - 1)
        return NormalFormOfBlock(Form(branch, ("g", block)), weight, Form(stages, (block,)), first, variance)
    if len(found.stages) != 1:
        raise UnsupportedError(
            f"{block!r}: the weights of its branches depend on the layer and there are several parts that move c; take "
            "one residual block, with a norm behind it at most"
        )
    k = Symbol("k", integer=True, positive=True)
    variance = None
    if Q in found.variance.free_symbols:
        variance = first * Product(growth.subs(LAYER, k), (k, 2, LAYER))
    return NormalFormOfBlock(Form(branch, ("g", block)), simplify(weight), None, first, variance)


def _is_pre_norm(found: Compiled) -> bool:
    """Whether q' = q + v, or a_l^2 q + v, with branches that do not depend on q; an error for a^2 > 1."""
    if not all(isinstance(stage, Mixed) and not _depends(stage.branch, Q) for stage in found.stages):
        return False
    growth = simplify(found.variance.diff(Q))
    if LAYER in growth.free_symbols:
        return True
    if growth.is_number and growth > 1:
        raise UnsupportedError(
            f"the skip connections multiply the variance by {growth} in every layer and branches begin with a norm, "
            "so their weights fall geometrically: 1 - c^l tends to a number that depends on c^1, and there is no law; "
            "take skip = 1, or ask for numbers"
        )
    return growth == 1


def _pre_norm(block: Node, found: Compiled, first: Expr, factors: set) -> NormalFormOfBlock:
    if LAYER in factors:
        return _adding(block, found, first)
    added = simplify(found.variance - Q)
    weight, variance = cancel(added / (first + (LAYER - 1) * added)), first + (LAYER - 1) * added
    if len(found.stages) == 1 and not found.spread:
        return NormalFormOfBlock(Form(found.stages[0].branch, ("g", block)), weight, None, first, variance)
    branches, shares = tuple(stage.branch for stage in found.stages), _shares(found.stages, added)
    sequence = tuple((Form(branch, ("g", at, block)), share) for at, (branch, share) in
                     enumerate(zip(branches, shares, strict=True)))  # fmt: skip
    mean = Form((Averaged(branches, shares), *found.closing), ("g", block))
    return NormalFormOfBlock(mean, weight, None, first, variance, sequence=() if found.spread else sequence)


def _adding(block: Node, found: Compiled, first: Expr) -> NormalFormOfBlock:
    """Factors in LAYER: a variance that stays q_1 after all, or what the branches add to it (`adding`)."""
    if len(found.stages) > 1:
        raise UnsupportedError(
            f"{block!r}: several pre-norm branches with factors that depend on the layer have no law here; take one "
            "residual block, or leave scale and skip out"
        )
    branch, growth = Form(found.stages[0].branch, ("g", block)), simplify(found.variance.diff(Q))
    added = simplify(found.variance - growth * Q)
    if simplify(growth * first + added - first) == 0:
        return NormalFormOfBlock(branch, simplify(added / first), None, first, first)
    adding = adding_of(block, growth, added, first)
    return NormalFormOfBlock(branch, adding.weight, None, first, adding.variance, adding=adding)


def _shares(stages: tuple, added: Expr) -> tuple[Expr, ...]:
    """v_i/(v_1 + v_2 + ...), from the weights v_i/(q + v_1 + ... + v_i)."""
    total, found = ONE, []
    for stage in stages:
        weight = stage.weight.subs(Q, 1)  # v_i is the same at every q
        own = cancel(weight * total / (1 - weight))
        total, found = total + own, [*found, cancel(own / added)]
    return tuple(found)


def _settled(block: Node, variance: Expr | None, factors: set, known: Settled | None = None) -> NormalFormOfBlock:
    """The layer at the fixed point q* of the variance that attracts q_1."""
    if factors:
        raise UnsupportedError(
            f"{block!r}: the variance moves the map of the branch and the factor depends on the layer; begin the "
            "branch with a norm, or take a ReLU-like activation without biases; for scale^2 = v/DEPTH + ... and a phi "
            "with a closed kernel there is depth_law(correlation=...)"
        )
    known = known or Settled(settled_variance(block, variance))
    q, critical, layer = known.q, known.critical, plain_layer(block, known)
    found = compiled(block, q, after=q)
    if found.spread:
        raise UnsupportedError(
            f"{block!r}: the variance of its tokens depends on how alike they are and moves an activation or softmax "
            "weights; put a norm at the end of the block, or one in front of every branch"
        )
    branch, weight = _branch_of(found.stages)
    total = Form(found.stages, (block, q), critical, layer)
    return NormalFormOfBlock(Form(branch, ("g", block, q), critical, layer), weight, total, q, q)


def plain_layer(block: Node, known: Settled) -> Layer | None:
    """phi, sigma_w, sigma_b and q of an activation and one dense."""
    match parts_of(block):
        case (nodes.ActivationNode(phi=phi), nodes.DenseNode(sigma_w=weight, sigma_b=bias) as drawn):
            if drawn.is_trained_as_drawn:
                return Layer(phi, weight**2, bias**2, known.q, known.critical)
    return None


def settled_variance(block: Node, variance: Expr | None) -> Expr:
    """q* = V(q*) to which the variance converges from q_1 (1 if None); `UnsupportedError` where it does not settle."""
    parts = parts_of(block)
    norms = [k for k, part in enumerate(parts) if part.is_norm]
    if norms:  # whatever comes in leaves the last norm with variance 1
        rest = parts[norms[-1] + 1 :]
        return compiled(primitives.serial(*rest), ONE).variance if rest else ONE
    try:
        image = compiled(block, Q).variance
        slope = cancel(image.diff(Q))
        if not slope.free_symbols and slope.is_number and 0 <= slope < 1:
            return simplify((image - slope * Q) / (1 - slope))
    except VarianceMoves:
        pass
    parameters = block.parameters
    if parameters:
        raise UnsupportedError(
            f"the variance of {block!r} settles where numbers decide; give numbers for "
            f"{', '.join(sorted(map(str, parameters)))}"
        )
    start = float(ONE if variance is None else variance)
    approximate = _iterated(block, start)
    _require_crossing(block, approximate)
    zero = Zero(lambda q, digits: _precise_image(block, q, digits) / q - 1, approximate)
    return RealConstant("q", lambda: zero.to_digits(mp.dps), ("q*", block, f"near {approximate!r}"), "q")


def _image(node: Node, q, number: Callable, square: Callable):
    for part in parts_of(node):
        match part:
            case nodes.DenseNode(sigma_w=weight, sigma_b=bias):
                q = number(bias) ** 2 + number(weight) ** 2 * q
            case nodes.ActivationNode(phi=phi):
                q = square(phi, q)
            case nodes.LayerNormNode() | nodes.RMSNormNode():
                q = q * 0 + 1
            case nodes.AttentionNode(sigma_w=weight):
                q = number(weight) ** 2 * q
            case nodes.MixNode():
                pass
            case nodes.DropoutNode(keep=keep):
                q = q / number(keep)
            case nodes.ScaleNode(factor=factor):
                q = number(factor) ** 2 * q
            case nodes.ResidualNode(branch=branch, skip=skip, scale=scale):
                q = number(skip) ** 2 * q + number(scale) ** 2 * _image(branch, q, number, square)
            case nodes.GatedNode(one=one, two=two):
                q = _image(one, q, number, square) * _image(two, q, number, square)
            case _:
                raise UnsupportedError(refusal(part))
    return q


def _precise_image(block: Node, q, digits: int):
    def square(phi, q):
        kernel = kernel_of(phi.piecewise)
        if kernel.closed is None:
            return square_moment(phi.piecewise, 0, q, digits)
        with mp.workdps(digits):
            return kernel.value(q, q, 1)

    return _image(block, q, to_mpf, square)


def _iterated(block: Node, start: float) -> float:
    nodes_of, weights = np.polynomial.hermite_e.hermegauss(POINTS)
    weights = weights / weights.sum()

    def square(phi, q: float) -> float:
        return float(weights @ phi.vectorised(np.sqrt(q) * nodes_of) ** 2)

    q, number = start, lru_cache(maxsize=None)(float)  # the block's factors are SymPy's: they are read once
    for _ in range(ROUNDS):
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows settles nowhere
            following = _image(block, q, number, square)
        if not 1e-9 < following < 1e9:
            raise _moving(block)
        if abs(following - q) <= CLOSE * following:
            return following
        q = following
    raise UnsupportedError(
        f"{block!r}: the variance has not settled after {ROUNDS} layers, and laws suppose that it has; put a norm into "
        "the block, or ask for numbers at a depth (pair)"
    )


def _require_crossing(block: Node, q: float) -> None:
    """V(q) - q changes its sign near an iterate that stands still; one that creeps on for ever has one sign there."""
    for share in NEARBY:
        with mp.workdps(SEEN):
            below, above = (_precise_image(block, q * (1 + side * share), SEEN) / (q * (1 + side * share)) - 1
                            for side in (-1, 1))  # fmt: skip
            if below * above <= 0 or max(abs(below), abs(above)) < mpf(10) ** (5 - SEEN):
                return
    raise _moving(block)


def _moving(block: Node) -> UnsupportedError:
    return UnsupportedError(
        f"{block!r}: the variance settles at no positive number, so every layer has a map of its own; put a norm into "
        "the block, or take a ReLU-like activation without biases"
    )


def _concatenated(block: nodes.DenseConnectionNode, first: Expr) -> NormalFormOfBlock:
    """The newest group is the mean of what an activation and one dense make of all groups before it."""
    parts = parts_of(block.branch)
    if not parts[-1].is_dense or any(part.is_dense for part in parts[:-1]):
        raise UnsupportedError(
            f"{block!r}: a law is derived for branches of a norm, an activation and one dense at the end; take "
            "dense_connection(growth, layer_norm, relu, dense(...)), or ask for numbers"
        )
    found = compiled(block.branch, first)
    if simplify(found.variance - first) != 0:
        raise UnsupportedError(
            f"{block!r}: the branch has the variance {found.variance} and layer 1 has {first}; give variance="
            f"{found.variance}, so that all groups are alike"
        )
    branch, growth = Form(found.stages, ("g", block)), block.growth
    if growth == 1:
        return NormalFormOfBlock(branch, 1 / (LAYER - 1), None, first, first)
    return NormalFormOfBlock(branch, cancel(1 / (LAYER - 2 + 1 / growth)), None, first, first, first_weight=ONE)

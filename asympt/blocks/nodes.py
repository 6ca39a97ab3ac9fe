"""The primitives of which a block is composed: what a user writes, as data.

A node is immutable and equal to every node of the same parts; it prints as the text that `parsing` reads.  `skip`,
`scale` and `factor` are numbers or expressions in `LAYER`, the layer l = 2, 3, ... that the block produces, and
`DEPTH`, the number L of layers of the network.

The rules of infinite width hold under conditions: phi acts on Gaussian neurons of mean 0 whose NTK is the same for
every neuron, and a sum needs parts that are independent.  Outside them the formulas still give numbers, and wrong ones:
x + phi(x) by the rule for sums is 52 % off, a branch that ends in phi 120 % off after three blocks.  A signal says what
conditions hold, and every primitive asks for those it needs (they are sufficient) and says what it leaves:

    dense, conv        any input; Gaussian, of mean 0, uniform, with weights of its own
    phi                Gaussian and uniform, or fresh from a norm with gain; nothing of it may be summed, multiplied or
                       sent through another phi before a dense
    residual           a branch with a dense of its own at its end
    norms              mean 0 (layer_norm also straight after phi, where the mean is known)
    dropout            masks its neurons: not Gaussian afterwards, though it may still be summed
    gated              two branches with a dense of their own; a dense must follow
    dense_connection   any branch with a dense; its groups keep their own distributions
    mix                any input; a mean over the tokens of one input, neuron by neuron, keeps Gaussian neurons Gaussian
    attention          any input; Gaussian, with values of its own
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from typing import ClassVar

from sympy import Expr, Integer, Rational, Symbol

from asympt.errors import InputError, UnsupportedError
from asympt.meanfield.activations import Activation
from asympt.meanfield.layer import LAYER
from asympt.symbols import Reserved

# ---- what passes between two primitives: whether its neurons are Gaussian, and whose weights made it -------------


@dataclass(frozen=True)
class Signal:
    """What is known of a signal.

    `gaussian`: its neurons are Gaussian (of mean 0); `uniform`: their NTKs are alike; `centred`: they have mean 0;
    `drawn`: it came through weights of its own since its branch began; `last`: what made it other than the output of
    a dense, for messages; `after_phi`, `after_gain`: it comes straight from phi, or from a norm with gain and bias.
    """

    gaussian: bool = True
    uniform: bool = True
    centred: bool = True
    drawn: bool = False
    last: str = ""
    after_phi: bool = False
    after_gain: bool = False

    def begun(self) -> "Signal":
        """The same where a branch begins."""
        return replace(self, drawn=False, last="")

    def plain(self, **changes) -> "Signal":
        """The same, no longer straight after anything."""
        return replace(self, after_phi=False, after_gain=False, **changes)

    def beside(self, branch: "Signal", **changes) -> "Signal":
        """The same, with only those properties that a branch beside it has as well."""
        kept = {name: getattr(self, name) and getattr(branch, name) for name in ("gaussian", "uniform", "centred")}
        return self.plain(**kept, **changes)


INPUT = Signal()  # what a block reads, as long as nothing else is known: the output of a dense layer
OUTPUT = Signal(drawn=True)  # what a dense layer leaves

DEPTH = Reserved("L", positive=True)
SHOWN = {LAYER: Symbol("LAYER"), DEPTH: Symbol("DEPTH")}  # as a text has them
RATES = ("weight_rate", "bias_rate")
ARGUMENT = Symbol("x", real=True)  # of an activation that is written as a formula


class Node:
    """A part of a network: `signal` says what comes out of it, refusing what may not go in; `parts`: its own parts."""

    parts: ClassVar[tuple] = ()
    activations: ClassVar[tuple] = ()  # its own phi, if it has one
    is_odd: ClassVar[bool] = True  # whether -x makes of it -1 times what x makes, phi and its parts aside
    has_own_width: ClassVar[bool] = False  # it returns as many neurons as it is told, whatever it reads
    masks: ClassVar[bool] = False  # it leaves neurons out, others for every input
    is_dense: ClassVar[bool] = False
    is_convolution: ClassVar[bool] = False
    is_norm: ClassVar[bool] = False
    is_dense_connection: ClassVar[bool] = False
    is_readout: ClassVar[bool] = False
    is_mixing: ClassVar[bool] = False  # it mixes the tokens of one input
    takes_mean: ClassVar[bool] = False  # a norm that subtracts the mean over the neurons

    def signal(self, given: Signal) -> Signal:
        """What comes out where `given` goes in; `InputError` with reason and remedy where the rules do not hold."""
        raise NotImplementedError

    @property
    def own_symbols(self) -> set:
        """The symbols in its numbers, not in those of its parts."""
        own = (getattr(self, field.name) for field in fields(self))
        return set().union(*(value.free_symbols for value in own if isinstance(value, Expr)))

    @property
    def parameters(self) -> set:
        """The symbols in it for which numbers must be given before anything can be evaluated."""
        return self.own_symbols.union(*(part.parameters for part in self.parts)) - {LAYER, DEPTH}


def text_of(value: Expr) -> str:
    """A number or a factor as a text has it."""
    return str(value.xreplace(SHOWN))


def called(name: str, *arguments: str) -> str:
    """name(arguments), as a text has it."""
    given = ", ".join(argument for argument in arguments if argument)
    return f"{name}({given})" if given else name


def _option(name: str, value: Expr, usual) -> str:
    return "" if value == usual else f"{name}={text_of(value)}"


# ---- weights ----------------------------------------------------------------------------------------


class WeightsNode(Node):
    """A layer with weights: Gaussian, whatever goes in."""

    has_own_width: ClassVar[bool] = True

    @property
    def is_odd(self) -> bool:
        """Without a bias, drawn or learnt."""
        return self.sigma_b == 0 == self.rates[1]

    @property
    def drawn_rates(self) -> tuple[Expr, Expr]:
        """lambda_W and lambda_b of weights and biases as drawn."""
        return self.sigma_w**2, self.sigma_b**2

    rates = drawn_rates

    @property
    def is_trained_as_drawn(self) -> bool:
        """Whether what it adds to the NTK is the s that it makes."""
        return self.rates == self.drawn_rates

    def signal(self, given: Signal) -> Signal:
        return OUTPUT


@dataclass(frozen=True, repr=False)
class DenseNode(WeightsNode):
    """sigma_w/sqrt(n) W x + sigma_b b; `weight_rate`, `bias_rate`: learning rates, None where trained as drawn."""

    is_dense: ClassVar[bool] = True

    sigma_w: Expr
    sigma_b: Expr
    weight_rate: Expr | None = None
    bias_rate: Expr | None = None

    def __repr__(self) -> str:
        given = ((name, getattr(self, name)) for name in RATES)
        rates = [f"{name}={text_of(rate)}" for name, rate in given if rate is not None]
        return called("dense", text_of(self.sigma_w), "" if self.sigma_b == 0 else text_of(self.sigma_b), *rates)

    @property
    def rates(self) -> tuple[Expr, Expr]:
        """lambda_W and lambda_b: K <- lambda_b + lambda_W s + sigma_w^2 K."""
        own = self.weight_rate, self.bias_rate
        return tuple(drawn if rate is None else rate for rate, drawn in zip(own, self.drawn_rates, strict=True))


@dataclass(frozen=True, repr=False)
class ConvNode(WeightsNode):
    """A dense at every position, over the positions alpha - reach, ..., alpha + reach in every direction.

    `reach` and `positions` have one number for every direction; `padding` is "circular" or "zero".
    """

    reach: tuple[int, ...]
    positions: tuple[int, ...]
    sigma_w: Expr
    sigma_b: Expr
    padding: str

    is_convolution: ClassVar[bool] = True

    def __repr__(self) -> str:
        def counts(found: tuple) -> str:
            return str(found[0]) if len(found) == 1 else str(found)

        bias = "" if self.sigma_b == 0 else text_of(self.sigma_b)
        padding = "" if self.padding == "circular" else f"padding={self.padding}"
        return called("conv", counts(self.reach), counts(self.positions), text_of(self.sigma_w), bias, padding)


# ---- tokens --------------------------------------------------------------------------------------------
#
# T tokens of one input, with the covariances Sigma (T x T).  Where all of them are alike, Sigma = (q - p) I + p 1 1^T
# and a matrix acts by its second eigenvalue lambda alone: q - p -> lambda^2 (q - p), 1^T Sigma 1 as before.


@dataclass(frozen=True, repr=False)
class MixNode(Node):
    """x_i <- sum_k A_ik x_k over `tokens` tokens, for every neuron; `eigenvalue`: of A beside 1, None where tokens are
    not all alike; `rows`: A there, or None for the means over every token and those before it.  With both, A is what
    the eigenvalue says, in place of the rows that are printed."""

    is_mixing: ClassVar[bool] = True

    tokens: int
    eigenvalue: Expr | None
    rows: tuple[tuple[Expr, ...], ...] | None = None

    def __repr__(self) -> str:
        if self.rows is not None or self.eigenvalue is None:
            rows = self.rows or self.matrix
            return f"mix([{', '.join('[' + ', '.join(map(text_of, row)) + ']' for row in rows)}])"
        return called("mix", f"tokens={self.tokens}", _option("eigenvalue", self.eigenvalue, 0))

    def signal(self, given: Signal) -> Signal:
        return given.plain()

    @property
    def matrix(self) -> tuple[tuple[Expr, ...], ...]:
        """A."""
        every = range(self.tokens)
        if self.eigenvalue is None:
            return self.rows or tuple(tuple(Rational(int(k <= i), i + 1) for k in every) for i in every)
        off = (1 - self.eigenvalue) / self.tokens
        return tuple(tuple(off + (self.eigenvalue if i == k else 0) for k in every) for i in every)


@dataclass(frozen=True, repr=False)
class AttentionNode(Node):
    """Attention of many heads at initialisation, values and outputs together one dense of sigma_w.

    `logit_variance`: s^2 of the logits of tokens of variance 1 that are scaled by 1/sqrt(d); None: they are scaled by
    1/d and vanish with the width of a head.  `causal`: a token attends to itself and those before it.
    """

    has_own_width: ClassVar[bool] = True

    tokens: int
    sigma_w: Expr
    logit_variance: Expr | None
    causal: bool

    def __repr__(self) -> str:
        weights = _option("sigma_w", self.sigma_w, 1)
        variance = self.logit_variance
        logits = "" if variance is None else f"scaling=1/sqrt(d), logit_variance={text_of(variance)}"
        return called("attention", str(self.tokens), weights, logits, "mask=causal" if self.causal else "")

    def signal(self, given: Signal) -> Signal:
        return OUTPUT

    @property
    def parts(self) -> tuple[Node, ...]:
        """What it is at infinite width where the logits vanish: a mean over the tokens that are seen, and a dense."""
        return MixNode(self.tokens, None if self.causal else Integer(0)), DenseNode(self.sigma_w, Integer(0))


# ---- neuron by neuron -------------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class ActivationNode(Node):
    """phi; `text` is how it is written."""

    phi: Activation
    text: str = field(compare=False)

    def __repr__(self) -> str:
        return self.text

    @property
    def activations(self) -> tuple[Activation, ...]:
        return (self.phi,)

    def signal(self, given: Signal) -> Signal:
        if not given.gaussian:
            raise InputError(
                f"activation {self.text} after {given.last or 'neurons that are not Gaussian'}: an activation acts on "
                "Gaussian preactivations, which come from a dense; put a dense between them"
            )
        if not (given.uniform or given.after_gain):
            raise InputError(
                f"activation {self.text} reads neurons whose NTKs differ, because a norm with affine=True came before "
                "without a dense since; put a dense in front of the activation, or take affine=False"
            )
        return Signal(False, False, False, given.drawn, f"activation {self.text}", after_phi=True)

    @property
    def parameters(self) -> set:
        return self.phi.expression.free_symbols - {self.phi.symbol}


@dataclass(frozen=True, repr=False)
class DropoutNode(Node):
    """Neurons kept with probability `keep` and divided by it, independently for every input."""

    keep: Expr

    @property
    def is_odd(self) -> bool:
        """Without masks."""
        return not self.masks

    @property
    def masks(self) -> bool:
        """Unless every neuron is kept."""
        return self.keep != 1

    def __repr__(self) -> str:
        return f"dropout({text_of(self.keep)})"

    def signal(self, given: Signal) -> Signal:
        return given if self.keep == 1 else given.plain(gaussian=False, uniform=False)


@dataclass(frozen=True, repr=False)
class ScaleNode(Node):
    """factor x."""

    factor: Expr

    def __repr__(self) -> str:
        return f"scale({text_of(self.factor)})"

    def signal(self, given: Signal) -> Signal:
        return given.plain()


@dataclass(frozen=True, repr=False)
class NormNode(Node):
    """A norm over the neurons, times a trained gain plus a trained bias if `affine`; called `name` in a text."""

    is_norm: ClassVar[bool] = True
    name: ClassVar[str]

    affine: bool

    @property
    def is_odd(self) -> bool:
        """Without a bias."""
        return not self.affine

    def __repr__(self) -> str:
        return called(self.name, "affine=True" if self.affine else "")

    def signal(self, given: Signal) -> Signal:
        if self.takes_mean and not (given.centred or given.after_phi):
            raise InputError(
                f"{self.name} after {given.last}: it subtracts a mean that is known only for neurons of mean 0 and "
                "straight after an activation; put a dense in front of it, or take rms_norm"
            )
        found = given.plain(centred=given.centred or self.takes_mean)
        return replace(found, uniform=False, after_gain=given.gaussian and given.uniform) if self.affine else found


class LayerNormNode(NormNode):
    """(x - mean)/deviation over the neurons."""

    name, takes_mean = "layer_norm", True


class RMSNormNode(NormNode):
    """x/root mean square over the neurons."""

    name = "rms_norm"


# ---- compositions -----------------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class SerialNode(Node):
    """One part after the other."""

    parts: tuple[Node, ...]

    def __repr__(self) -> str:
        return called("serial", *map(repr, self.parts))

    def signal(self, given: Signal) -> Signal:
        for part in self.parts:
            given = part.signal(given)
        return given


@dataclass(frozen=True, repr=False)
class ResidualNode(Node):
    """skip x + scale F(x)."""

    branch: Node
    skip: Expr
    scale: Expr

    def __repr__(self) -> str:
        options = _option("skip", self.skip, 1), _option("scale", self.scale, 1)
        return called("residual", *map(repr, parts_of(self.branch)), *options)

    def signal(self, given: Signal) -> Signal:
        branch = self.branch.signal(given.begun())
        if not branch.drawn:
            raise InputError(
                f"{self!r}: the branch has no dense, so it is not independent of what it is added to; end it with a "
                "dense"
            )
        if branch.last:
            raise InputError(
                f"{self!r}: the branch ends in {branch.last}, and the rule for a sum needs weights of its own at its "
                "end; put a dense behind it"
            )
        return given.beside(branch)

    @property
    def parts(self) -> tuple[Node, ...]:
        """The branch."""
        return (self.branch,)


@dataclass(frozen=True, repr=False)
class GatedNode(Node):
    """The product of two branches."""

    has_own_width: ClassVar[bool] = True
    is_odd: ClassVar[bool] = False

    one: Node
    two: Node

    def __repr__(self) -> str:
        return f"gated({self.one!r}, {self.two!r})"

    def signal(self, given: Signal) -> Signal:
        one, two = (branch.signal(given.begun()) for branch in self.parts)
        if not (one.drawn and two.drawn):
            raise InputError(
                f"{self!r}: a branch of the product has no dense, so the factors are not independent; give each a dense"
            )
        return Signal(False, False, one.centred or two.centred, drawn=True, last="a product")

    @property
    def parts(self) -> tuple[Node, ...]:
        """The branches."""
        return self.one, self.two


@dataclass(frozen=True, repr=False)
class DenseConnectionNode(Node):
    """x and F(x) side by side; `growth`: neurons of F(x) per neuron of layer 1."""

    is_dense_connection: ClassVar[bool] = True

    growth: Expr
    branch: Node

    def __repr__(self) -> str:
        return called("dense_connection", text_of(self.growth), *map(repr, parts_of(self.branch)))

    def signal(self, given: Signal) -> Signal:
        branch = self.branch.signal(given.begun())
        if not branch.drawn:
            raise InputError(f"{self!r}: the branch has no dense, so it adds nothing of its own; give it a dense")
        return given.beside(branch, last=given.last or branch.last)

    @property
    def parts(self) -> tuple[Node, ...]:
        """The branch."""
        return (self.branch,)


# ---- readouts ---------------------------------------------------------------------------------------


class ReadoutNode(Node):
    """What reads the positions of a convolutional network after its last layer."""

    is_readout: ClassVar[bool] = True

    def signal(self, given: Signal) -> Signal:
        """None: it is not part of a block."""
        raise InputError(f"{self!r} reads the last layer of a network and is not part of a block; give it as readout")


@dataclass(frozen=True)
class AveragePoolNode(ReadoutNode):
    """The mean over the positions."""

    def __repr__(self) -> str:
        return "average_pool"


@dataclass(frozen=True)
class FlattenNode(ReadoutNode):
    """All positions side by side."""

    def __repr__(self) -> str:
        return "flatten"


# ---- reading them ------------------------------------------------------------------------------------


def parts_of(node: Node) -> tuple[Node, ...]:
    """The parts of a serial node, or the node itself."""
    return node.parts if isinstance(node, SerialNode) else (node,)


def require_fixed(given: Iterable[Node]) -> None:
    """`UnsupportedError` where an activation or weights are expressions in `LAYER` or `DEPTH`."""
    for symbol in sorted(within(given) & {LAYER, DEPTH}, key=str):
        raise UnsupportedError(
            f"{SHOWN[symbol]} stands in an activation or in weights, which laws in the layer take as fixed; with DEPTH "
            "there ask asympt.Network for depth_law(correlation=...), with LAYER there is no law"
        )


def at_depth(thing, depth: int):
    """A node (or what its fields hold) with the number `depth` for `DEPTH`.

    >>> from asympt.blocks.primitives import activation, dense, residual
    >>> at_depth(residual(activation("leaky_relu", slope=1 / DEPTH), dense(1), scale=1 / DEPTH), 4)
    residual(leaky_relu(slope=1/4), dense(1), scale=1/4)
    """
    if isinstance(thing, Expr):
        return thing.subs(DEPTH, depth)
    if isinstance(thing, tuple):
        return tuple(at_depth(one, depth) for one in thing)
    if isinstance(thing, ActivationNode) and DEPTH in (phi := thing.phi).expression.free_symbols:
        phi = Activation(phi.expression.subs(DEPTH, depth), phi.symbol, name=phi.name)
        return ActivationNode(phi, thing.text.replace(str(SHOWN[DEPTH]), str(depth)))
    if not isinstance(thing, Node) or isinstance(thing, ActivationNode):
        return thing
    return replace(thing, **{part.name: at_depth(getattr(thing, part.name), depth) for part in fields(thing)})


def within(given: Iterable[Node]) -> set:
    """The symbols in activations, weights and masks, not those in factors and learning rates."""
    found = set()
    for node in every_node(given):
        values = [getattr(node, name) for name in ("sigma_w", "sigma_b", "keep") if hasattr(node, name)]
        found = found.union(*(value.free_symbols for value in (*values, *(phi.expression for phi in node.activations))))
    return found


def every_node(given: Iterable[Node]) -> list[Node]:
    """The nodes given, then their parts, then the parts of these, ...

    >>> from asympt.blocks.primitives import activation, dense, residual
    >>> [type(node).__name__ for node in every_node([residual(activation("relu"), dense())])]
    ['ResidualNode', 'SerialNode', 'ActivationNode', 'DenseNode']
    """
    found = list(given)
    for node in found:
        found += node.parts
    return found

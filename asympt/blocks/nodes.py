"""The primitives of which a block is composed: what a user writes, as data.

Problem.  An architecture should be typed, not programmed: a block is an expression in a few primitives, and whoever
derives, iterates, samples or prints it reads that expression.

Rule.  A node is immutable and equal to every node of the same parts; it prints as the text that `parsing` reads.  What
the rules of infinite width do not allow is refused where it is written (`signals`).

    dense(sigma_w, sigma_b, ...)     sigma_w/sqrt(n) W x + sigma_b b, all of W and b drawn from N(0, 1) and trained, at
                                     learning rates of their own if given
    activation(name or formula)      phi, neuron by neuron
    residual(*branch, skip, scale)   skip x + scale F(x)
    serial(*parts)                   one after the other
    layer_norm(affine)               (x - mean)/deviation over the neurons; with trained gain 1 and bias 0 if affine
    rms_norm(affine)                 x/root mean square over the neurons
    dropout(keep)                    neurons kept with probability keep and divided by it, masks drawn for every input
    gated(branch, branch)            the product of two branches, neuron by neuron
    dense_connection(growth, ...)    x and F(x) side by side; growth: neurons of F(x) per neuron of layer 1
    conv(reach, positions, ...)      a dense at every position over a filter of 2 reach + 1 positions
    scale(factor)                    factor x
    average_pool(), flatten()        readouts of a convolutional network

`skip`, `scale` and `factor` are numbers or expressions in `LAYER`, the layer l = 2, 3, ... that the block produces, and
`DEPTH`, the number L of layers of the network.

Tiny case.  residual(layer_norm(), activation("relu"), dense("sqrt(2)")) is the block of a pre-norm residual network.

Known limits.  One activation at a time; no attention.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from typing import ClassVar

from sympy import Expr, Symbol

from asympt.blocks import signals
from asympt.blocks.signals import Signal
from asympt.errors import InputError
from asympt.meanfield.activations import Activation, catalogue
from asympt.meanfield.activations import activation as known_activation
from asympt.meanfield.statement import LAYER
from asympt.numbers import as_expression, deviations_of, exact, is_truth, positive, symbol_names
from asympt.symbols import Reserved

DEPTH = Reserved("L", positive=True)
SHOWN = {LAYER: Symbol("LAYER"), DEPTH: Symbol("DEPTH")}  # as a text has them
RATES = ("weight_rate", "bias_rate")
ARGUMENT = Symbol("x", real=True)  # of an activation that is written as a formula


class Node:
    """A part of a network: `signal` says what comes out of it, refusing what may not go in; `parts`: its own parts."""

    parts: ClassVar[tuple] = ()
    activations: ClassVar[tuple] = ()  # its own phi, if it has one
    is_odd: ClassVar[bool] = True  # whether -x makes of it -1 times what x makes, phi and its parts aside
    is_dense: ClassVar[bool] = False
    is_convolution: ClassVar[bool] = False
    is_norm: ClassVar[bool] = False
    is_dense_connection: ClassVar[bool] = False
    is_readout: ClassVar[bool] = False
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


def _text(value: Expr) -> str:
    return str(value.xreplace(SHOWN))


def _called(name: str, *arguments: str) -> str:
    given = ", ".join(argument for argument in arguments if argument)
    return f"{name}({given})" if given else name


def _option(name: str, value: Expr, usual) -> str:
    return "" if value == usual else f"{name}={_text(value)}"


# ---- weights ----------------------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class DenseNode(Node):
    """sigma_w/sqrt(n) W x + sigma_b b; `weight_rate`, `bias_rate`: learning rates, None where trained as drawn."""

    is_dense: ClassVar[bool] = True

    sigma_w: Expr
    sigma_b: Expr
    weight_rate: Expr | None = None
    bias_rate: Expr | None = None

    def __repr__(self) -> str:
        given = ((name, getattr(self, name)) for name in RATES)
        rates = [f"{name}={_text(rate)}" for name, rate in given if rate is not None]
        return _called("dense", _text(self.sigma_w), "" if self.sigma_b == 0 else _text(self.sigma_b), *rates)

    @property
    def is_odd(self) -> bool:
        """Without a bias."""
        return self.sigma_b == 0

    @property
    def rates(self) -> tuple[Expr, Expr]:
        """lambda_W and lambda_b: K <- lambda_b + lambda_W s + sigma_w^2 K."""
        drawn = self.sigma_w**2, self.sigma_b**2
        return tuple(rate if own is None else own for own, rate in zip((self.weight_rate, self.bias_rate), drawn,
                                                                       strict=True))  # fmt: skip

    @property
    def is_trained_as_drawn(self) -> bool:
        """Whether what it adds to the NTK is the s that it makes."""
        return self.rates == (self.sigma_w**2, self.sigma_b**2)

    def signal(self, given: Signal) -> Signal:
        """Gaussian, whatever goes in."""
        return signals.OUTPUT


@dataclass(frozen=True, repr=False)
class ConvNode(Node):
    """A dense at every position, over the positions alpha - reach, ..., alpha + reach in every direction.

    `reach` and `positions` have one number for every direction; `padding` is "circular" or "zero".
    """

    reach: tuple[int, ...]
    positions: tuple[int, ...]
    sigma_w: Expr
    sigma_b: Expr
    padding: str

    is_convolution: ClassVar[bool] = True
    is_trained_as_drawn: ClassVar[bool] = True

    def __repr__(self) -> str:
        def counts(found: tuple) -> str:
            return str(found[0]) if len(found) == 1 else str(found)

        bias = "" if self.sigma_b == 0 else _text(self.sigma_b)
        padding = "" if self.padding == "circular" else f"padding={self.padding}"
        return _called("conv", counts(self.reach), counts(self.positions), _text(self.sigma_w), bias, padding)

    @property
    def is_odd(self) -> bool:
        """Without a bias."""
        return self.sigma_b == 0

    @property
    def rates(self) -> tuple[Expr, Expr]:
        """lambda_W and lambda_b, those of weights and biases as drawn."""
        return self.sigma_w**2, self.sigma_b**2

    def signal(self, given: Signal) -> Signal:
        """Gaussian, whatever goes in."""
        return signals.OUTPUT


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
        """phi."""
        return (self.phi,)

    def signal(self, given: Signal) -> Signal:
        """No longer Gaussian."""
        return signals.through_activation(given, self.text)

    @property
    def parameters(self) -> set:
        """The parameters of phi."""
        return self.phi.expression.free_symbols - {self.phi.symbol}


@dataclass(frozen=True, repr=False)
class DropoutNode(Node):
    """Neurons kept with probability `keep` and divided by it, independently for every input."""

    keep: Expr

    @property
    def is_odd(self) -> bool:
        """Without masks."""
        return self.keep == 1

    def __repr__(self) -> str:
        return f"dropout({_text(self.keep)})"

    def signal(self, given: Signal) -> Signal:
        """Masked."""
        return given if self.keep == 1 else signals.through_dropout(given)


@dataclass(frozen=True, repr=False)
class ScaleNode(Node):
    """factor x."""

    factor: Expr

    def __repr__(self) -> str:
        return f"scale({_text(self.factor)})"

    def signal(self, given: Signal) -> Signal:
        """As it was."""
        return given.plain()


@dataclass(frozen=True, repr=False)
class LayerNormNode(Node):
    """(x - mean)/deviation over the neurons, times a trained gain plus a trained bias if `affine`."""

    is_norm: ClassVar[bool] = True
    takes_mean: ClassVar[bool] = True

    affine: bool

    @property
    def is_odd(self) -> bool:
        """Without a bias."""
        return not self.affine

    def __repr__(self) -> str:
        return _called("layer_norm", "affine=True" if self.affine else "")

    def signal(self, given: Signal) -> Signal:
        """Of variance 1 and mean 0."""
        return signals.through_norm(given, "layer_norm", True, self.affine)


@dataclass(frozen=True, repr=False)
class RMSNormNode(Node):
    """x/root mean square over the neurons, times a trained gain plus a trained bias if `affine`."""

    is_norm: ClassVar[bool] = True

    affine: bool

    @property
    def is_odd(self) -> bool:
        """Without a bias."""
        return not self.affine

    def __repr__(self) -> str:
        return _called("rms_norm", "affine=True" if self.affine else "")

    def signal(self, given: Signal) -> Signal:
        """Of second moment 1."""
        return signals.through_norm(given, "rms_norm", False, self.affine)


# ---- compositions -----------------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class SerialNode(Node):
    """One part after the other."""

    parts: tuple[Node, ...]

    def __repr__(self) -> str:
        return _called("serial", *map(repr, self.parts))

    def signal(self, given: Signal) -> Signal:
        """What comes out of the last part."""
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
        return _called("residual", *map(repr, parts_of(self.branch)), *options)

    def signal(self, given: Signal) -> Signal:
        """The sum, whose branch has weights of its own at its end."""
        return signals.added(given, self.branch.signal(given.begun()), repr(self))

    @property
    def parts(self) -> tuple[Node, ...]:
        """The branch."""
        return (self.branch,)


@dataclass(frozen=True, repr=False)
class GatedNode(Node):
    """The product of two branches."""

    is_odd: ClassVar[bool] = False

    one: Node
    two: Node

    def __repr__(self) -> str:
        return f"gated({self.one!r}, {self.two!r})"

    def signal(self, given: Signal) -> Signal:
        """A product, which needs a dense behind it."""
        one, two = (branch.signal(given.begun()) for branch in (self.one, self.two))
        return signals.multiplied(one, two, repr(self))

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
        return _called("dense_connection", _text(self.growth), *map(repr, parts_of(self.branch)))

    def signal(self, given: Signal) -> Signal:
        """Groups of neurons."""
        return signals.concatenated(given, self.branch.signal(given.begun()), repr(self))

    @property
    def parts(self) -> tuple[Node, ...]:
        """The branch."""
        return (self.branch,)


# ---- readouts ---------------------------------------------------------------------------------------


class ReadoutNode(Node):
    """What reads the positions of a convolutional network after its last layer."""

    is_readout: ClassVar[bool] = True

    def signal(self, given: Signal) -> Signal:
        """None: it is no part of a block."""
        raise InputError(f"{self!r} reads the last layer of a network and is no part of a block; give it as readout")


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


# ---- what the user calls ------------------------------------------------------------------------------


def dense(sigma_w=1, sigma_b=0, *, weight_rate=None, bias_rate=None) -> DenseNode:
    """A dense layer; standard deviations sigma_w > 0 and sigma_b >= 0, numbers, texts or symbols.

    `weight_rate` and `bias_rate` >= 0, numbers or expressions in `LAYER`: what its weights and biases add to the NTK is
    bias_rate + weight_rate s.  Left out: sigma_w^2 and sigma_b^2, those of the NTK parametrisation; 0: not trained.

    >>> dense("sqrt(2)"), dense(1, sigma_b="1/10"), dense(2, weight_rate=0)
    (dense(sqrt(2)), dense(1, 1/10), dense(2, weight_rate=0))
    """
    return DenseNode(*deviations_of(sigma_w, sigma_b), _rate(weight_rate, RATES[0]), _rate(bias_rate, RATES[1]))


def _rate(value, name: str) -> Expr | None:
    found = None if value is None else exact(value, name)
    if found is not None and (found.is_negative or (not found.is_extended_nonnegative and found.is_number)):
        raise InputError(f"{name} = {found} is no learning rate; give a number >= 0, or leave it out")
    return found


def conv(reach=1, positions=3, sigma_w=1, sigma_b=0, padding: str = "circular") -> ConvNode:
    """A convolutional layer on a circle of positions, or on a torus for pairs; `padding` "circular" or "zero".

    >>> conv(1, 8, "sqrt(2)"), conv((1, 1), (8, 8))
    (conv(1, 8, sqrt(2)), conv((1, 1), (8, 8), 1))
    """
    sizes = positions if isinstance(positions, tuple) else (positions,)
    reaches = reach if isinstance(reach, tuple) else (reach,) * len(sizes)
    if len(sizes) not in (1, 2) or len(reaches) != len(sizes):
        raise InputError(f"reach = {reach} and positions = {positions} are not one number each, nor two; give these")
    for one, size in zip(reaches, sizes, strict=True):
        if any(is_truth(n) or not isinstance(n, int) for n in (one, size)) or not 0 <= 2 * one < size:
            raise InputError(
                f"reach = {one} and positions = {size}: a filter of 2 reach + 1 positions must fit on the circle; give "
                "whole numbers with 0 <= 2 reach < positions"
            )
    if padding not in ("circular", "zero"):
        raise InputError(f"padding = {padding!r} is unknown; give 'circular' or 'zero'")
    return ConvNode(reaches, sizes, *deviations_of(sigma_w, sigma_b), padding)


def activation(name, **options) -> ActivationNode:
    """phi: a name of the catalogue with its options, an `Activation`, or a formula in x (a text or SymPy's).

    >>> activation("relu"), activation("leaky_relu", slope="1/10"), activation("x*erf(x)")
    (relu, leaky_relu(slope=1/10), activation(x*erf(x)))
    """
    if isinstance(name, Activation):
        return ActivationNode(known_activation(name, **options), _written(name))
    if isinstance(name, str) and name.isidentifier() and name != ARGUMENT.name:
        shown = [f"{key}={_text(exact(value, key))}" for key, value in options.items()]
        return ActivationNode(known_activation(name, **options), _called(name, *shown))
    if options:
        raise InputError(f"activation {name} is given complete; options {', '.join(options)} go with a name")
    phi = Activation(as_expression(name, "the activation", ARGUMENT), _argument(name))
    return ActivationNode(phi, _written(phi))


def _argument(given) -> Symbol:
    """The variable of a formula: x in a text, its only symbol in an expression."""
    symbols = set() if isinstance(given, str) else getattr(given, "free_symbols", set())
    if len(symbols) > 1:
        raise InputError(
            f"activation {given} has the symbols {symbol_names(symbols)}; give asympt.Activation(expression, symbol)"
        )
    return next(iter(symbols), ARGUMENT)


def _written(phi: Activation) -> str:
    """How an activation is written: its name where the catalogue knows it by that, else its formula in x."""
    if phi.name in catalogue() and known_activation(phi.name) == phi:
        return phi.name
    return f"activation({phi.expression.xreplace({phi.symbol: ARGUMENT})})"


def layer_norm(affine: bool = False) -> LayerNormNode:
    """Layer normalisation, with trained gain and bias if `affine`.

    >>> layer_norm(), layer_norm(affine=True)
    (layer_norm, layer_norm(affine=True))
    """
    return LayerNormNode(_truth(affine))


def rms_norm(affine: bool = False) -> RMSNormNode:
    """Root mean square normalisation, with trained gain and bias if `affine`."""
    return RMSNormNode(_truth(affine))


def _truth(affine) -> bool:
    if not is_truth(affine):
        raise InputError(f"affine = {affine!r} is neither True nor False; give one of them")
    return bool(affine)


def dropout(keep) -> DropoutNode:
    """Dropout that keeps a neuron with probability `keep`, 0 < keep <= 1.

    >>> dropout("9/10")
    dropout(9/10)
    """
    found = positive(keep, "keep", "the probability with which a neuron is kept")
    if found.is_number and found > 1:
        raise InputError(f"keep = {found} is above 1; give the probability with which a neuron is kept")
    return DropoutNode(found)


def scale(factor) -> ScaleNode:
    """factor x."""
    return ScaleNode(_factor(factor, "factor"))


def serial(*parts: Node) -> Node:
    """One part after the other.

    >>> serial(dense(1), activation("relu"))
    serial(dense(1), relu)
    >>> serial(activation("relu"), activation("tanh"))
    Traceback (most recent call last):
    ...
    asympt.errors.InputError: activation tanh after activation relu: an activation acts on Gaussian preactivations, \
which come from a dense; put a dense between them
    """
    found = []
    for part in parts:
        found += parts_of(_node(part))
    if not found:
        raise InputError("serial() has no part; give at least one")
    whole = found[0] if len(found) == 1 else SerialNode(tuple(found))
    whole.signal(signals.INPUT)
    return whole


def residual(*branch: Node, skip=1, scale=1) -> ResidualNode:
    """skip x + scale F(x), F the parts of the branch in order, a dense with its own weights at its end.

    >>> residual(layer_norm(), activation("relu"), dense("sqrt(2)"), scale=1 / LAYER)
    residual(layer_norm, relu, dense(sqrt(2)), scale=1/LAYER)
    """
    whole = ResidualNode(_branch(branch, "residual"), _factor(skip, "skip"), _factor(scale, "scale"))
    whole.signal(signals.INPUT)
    return whole


def gated(one: Node, two: Node) -> GatedNode:
    """The product of two branches, each with a dense of its own.

    >>> gated(dense(1), serial(dense(1), activation("sigmoid")))
    gated(dense(1), serial(dense(1), sigmoid))
    """
    whole = GatedNode(_node(one), _node(two))
    whole.signal(signals.INPUT)
    return whole


def dense_connection(growth, *branch: Node) -> DenseConnectionNode:
    """x and F(x) side by side, F the parts of the branch; growth: neurons of F(x) per neuron of layer 1.

    >>> dense_connection(1, activation("relu"), dense("sqrt(2)"))
    dense_connection(1, relu, dense(sqrt(2)))
    """
    size = positive(growth, "growth", "the neurons of the branch per neuron of layer 1")
    whole = DenseConnectionNode(size, _branch(branch, "dense_connection"))
    whole.signal(signals.INPUT)
    return whole


def average_pool() -> AveragePoolNode:
    """The mean over the positions, as the readout of a convolutional network."""
    return AveragePoolNode()


def flatten() -> FlattenNode:
    """All positions side by side, as the readout of a convolutional network."""
    return FlattenNode()


def parts_of(node: Node) -> tuple[Node, ...]:
    """The parts of a serial node, or the node itself."""
    return node.parts if isinstance(node, SerialNode) else (node,)


def every_node(given: Iterable[Node]) -> list[Node]:
    """The nodes given, then their parts, then the parts of these, ...

    >>> [type(node).__name__ for node in every_node([residual(activation("relu"), dense())])]
    ['ResidualNode', 'SerialNode', 'ActivationNode', 'DenseNode']
    """
    found = list(given)
    for node in found:
        found += node.parts
    return found


def _node(part) -> Node:
    if not isinstance(part, Node):
        raise InputError(
            f"{part!r} is no part of a network; give one of asympt.blocks, such as dense(1) or activation('relu')"
        )
    return part


def _branch(parts: tuple, name: str) -> Node:
    if not parts:
        raise InputError(f"{name}() has an empty branch; give its parts, the last one a dense")
    return serial(*parts)


def _factor(value, name: str) -> Expr:
    """A number other than 0, or an expression in `LAYER` and `DEPTH`."""
    found = exact(value, name)
    if found.is_zero:
        raise InputError(f"{name} = 0 leaves nothing; give a number other than 0, or leave the part out")
    return found

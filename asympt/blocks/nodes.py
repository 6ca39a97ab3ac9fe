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
from asympt.meanfield.activations import Activation
from asympt.meanfield.statement import LAYER
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
    has_own_width: ClassVar[bool] = False  # it returns as many neurons as it is told, whatever it reads
    masks: ClassVar[bool] = False  # it leaves neurons out, others for every input
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


@dataclass(frozen=True, repr=False)
class DenseNode(Node):
    """sigma_w/sqrt(n) W x + sigma_b b; `weight_rate`, `bias_rate`: learning rates, None where trained as drawn."""

    has_own_width: ClassVar[bool] = True
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

    has_own_width: ClassVar[bool] = True
    is_convolution: ClassVar[bool] = True
    is_trained_as_drawn: ClassVar[bool] = True

    def __repr__(self) -> str:
        def counts(found: tuple) -> str:
            return str(found[0]) if len(found) == 1 else str(found)

        bias = "" if self.sigma_b == 0 else text_of(self.sigma_b)
        padding = "" if self.padding == "circular" else f"padding={self.padding}"
        return called("conv", counts(self.reach), counts(self.positions), text_of(self.sigma_w), bias, padding)

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
        return not self.masks

    @property
    def masks(self) -> bool:
        """Unless every neuron is kept."""
        return self.keep != 1

    def __repr__(self) -> str:
        return f"dropout({text_of(self.keep)})"

    def signal(self, given: Signal) -> Signal:
        """Masked."""
        return given if self.keep == 1 else signals.through_dropout(given)


@dataclass(frozen=True, repr=False)
class ScaleNode(Node):
    """factor x."""

    factor: Expr

    def __repr__(self) -> str:
        return f"scale({text_of(self.factor)})"

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
        return called("layer_norm", "affine=True" if self.affine else "")

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
        return called("rms_norm", "affine=True" if self.affine else "")

    def signal(self, given: Signal) -> Signal:
        """Of second moment 1."""
        return signals.through_norm(given, "rms_norm", False, self.affine)


# ---- compositions -----------------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class SerialNode(Node):
    """One part after the other."""

    parts: tuple[Node, ...]

    def __repr__(self) -> str:
        return called("serial", *map(repr, self.parts))

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
        return called("residual", *map(repr, parts_of(self.branch)), *options)

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

    has_own_width: ClassVar[bool] = True
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
        return called("dense_connection", text_of(self.growth), *map(repr, parts_of(self.branch)))

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


# ---- reading them ------------------------------------------------------------------------------------


def parts_of(node: Node) -> tuple[Node, ...]:
    """The parts of a serial node, or the node itself."""
    return node.parts if isinstance(node, SerialNode) else (node,)


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

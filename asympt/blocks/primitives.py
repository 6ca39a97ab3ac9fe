"""The primitives as a user writes them: what is given is read, and refused with a reason where it has no place."""

from sympy import Expr

from asympt.blocks.nodes import (
    ARGUMENT,
    INPUT,
    RATES,
    ActivationNode,
    AveragePoolNode,
    ConvNode,
    DenseConnectionNode,
    DenseNode,
    DropoutNode,
    FlattenNode,
    GatedNode,
    LayerNormNode,
    Node,
    ResidualNode,
    RMSNormNode,
    ScaleNode,
    SerialNode,
    called,
    parts_of,
    text_of,
)
from asympt.errors import InputError
from asympt.meanfield.activations import Activation, catalogue
from asympt.meanfield.activations import activation as known_activation
from asympt.meanfield.catalogue import is_named
from asympt.numbers import deviations_of, exact, is_truth, positive


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
        raise InputError(f"{name} = {found} is not a learning rate; give a number >= 0, or leave it out")
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
    phi = known_activation(name, **options)
    shown = [f"{key}={text_of(exact(value, key))}" for key, value in options.items()]
    return ActivationNode(phi, called(phi.name, *shown) if is_named(name) else _written(phi))


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
    whole.signal(INPUT)
    return whole


def residual(*branch: Node, skip=1, scale=1) -> ResidualNode:
    """skip x + scale F(x), F the parts of the branch in order, a dense with its own weights at its end.

    >>> from asympt.blocks.nodes import LAYER
    >>> residual(layer_norm(), activation("relu"), dense("sqrt(2)"), scale=1 / LAYER)
    residual(layer_norm, relu, dense(sqrt(2)), scale=1/LAYER)
    """
    whole = ResidualNode(_branch(branch, "residual"), _factor(skip, "skip"), _factor(scale, "scale"))
    whole.signal(INPUT)
    return whole


def gated(one: Node, two: Node) -> GatedNode:
    """The product of two branches, each with a dense of its own.

    >>> gated(dense(1), serial(dense(1), activation("sigmoid")))
    gated(dense(1), serial(dense(1), sigmoid))
    """
    whole = GatedNode(_node(one), _node(two))
    whole.signal(INPUT)
    return whole


def dense_connection(growth, *branch: Node) -> DenseConnectionNode:
    """x and F(x) side by side, F the parts of the branch; growth: neurons of F(x) per neuron of layer 1.

    >>> dense_connection(1, activation("relu"), dense("sqrt(2)"))
    dense_connection(1, relu, dense(sqrt(2)))
    """
    size = positive(growth, "growth", "the neurons of the branch per neuron of layer 1")
    whole = DenseConnectionNode(size, _branch(branch, "dense_connection"))
    whole.signal(INPUT)
    return whole


def average_pool() -> AveragePoolNode:
    """The mean over the positions, as the readout of a convolutional network."""
    return AveragePoolNode()


def flatten() -> FlattenNode:
    """All positions side by side, as the readout of a convolutional network."""
    return FlattenNode()


def _node(part) -> Node:
    if not isinstance(part, Node):
        raise InputError(
            f"{part!r} is not part of a network; give one of asympt.blocks, such as dense(1) or activation('relu')"
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

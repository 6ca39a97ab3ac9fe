"""The primitives as a user writes them: what is given is read, and refused with a reason where it has no place."""

from sympy import Expr, Rational

from asympt.blocks import nodes
from asympt.blocks.nodes import INPUT, RATES, Node
from asympt.errors import InputError
from asympt.meanfield.activations import Activation, catalogue
from asympt.meanfield.activations import activation as known_activation
from asympt.meanfield.catalogue import is_named
from asympt.numbers import deviations_of, exact, is_truth, is_whole, positive

WIDE, ROOT = "1/d", "1/sqrt(d)"  # scalings of logits
MOST_TOKENS = 10**6


def dense(sigma_w=1, sigma_b=0, *, weight_rate=None, bias_rate=None) -> nodes.DenseNode:
    """A dense layer; standard deviations sigma_w > 0 and sigma_b >= 0, numbers, texts or symbols.

    `weight_rate` and `bias_rate` >= 0, numbers or expressions in `LAYER`: what its weights and biases add to the NTK is
    bias_rate + weight_rate s.  Left out: sigma_w^2 and sigma_b^2, those of the NTK parametrisation; 0: not trained.

    >>> dense("sqrt(2)"), dense(1, sigma_b="1/10"), dense(2, weight_rate=0)
    (dense(sqrt(2)), dense(1, 1/10), dense(2, weight_rate=0))
    """
    return nodes.DenseNode(*deviations_of(sigma_w, sigma_b), _rate(weight_rate, RATES[0]), _rate(bias_rate, RATES[1]))


def _rate(value, name: str) -> Expr | None:
    found = None if value is None else exact(value, name)
    if found is not None and (found.is_negative or (not found.is_extended_nonnegative and found.is_number)):
        raise InputError(f"{name} = {found} is not a learning rate; give a number >= 0, or leave it out")
    return found


def conv(reach=1, positions=3, sigma_w=1, sigma_b=0, padding: str = "circular") -> nodes.ConvNode:
    """A convolutional layer on a circle of positions, or on a torus for pairs; `padding` "circular" or "zero".

    >>> conv(1, 8, "sqrt(2)"), conv((1, 1), (8, 8))
    (conv(1, 8, sqrt(2)), conv((1, 1), (8, 8), 1))
    """
    sizes = positions if isinstance(positions, tuple) else (positions,)
    reaches = reach if isinstance(reach, tuple) else (reach,) * len(sizes)
    if len(sizes) not in (1, 2) or len(reaches) != len(sizes):
        raise InputError(f"reach = {reach} and positions = {positions} are not one number each, or two each; give one")
    for one, size in zip(reaches, sizes, strict=True):
        if not is_whole(one, 0) or not is_whole(size, 2 * one + 1):
            raise InputError(
                f"reach = {one} and positions = {size}: a filter of 2 reach + 1 positions must fit on the circle; give "
                "whole numbers with 0 <= 2 reach < positions"
            )
    if padding not in ("circular", "zero"):
        raise InputError(f"padding = {padding!r} is unknown; give 'circular' or 'zero'")
    return nodes.ConvNode(tuple(map(int, reaches)), tuple(map(int, sizes)), *deviations_of(sigma_w, sigma_b), padding)


def activation(name, **options) -> nodes.ActivationNode:
    """phi: a name of the catalogue with its options, an `Activation`, or a formula in x (a text or SymPy's).

    >>> activation("relu"), activation("leaky_relu", slope="1/10"), activation("x*erf(x)")
    (relu, leaky_relu(slope=1/10), activation(x*erf(x)))
    """
    phi = known_activation(name, **options)
    shown = [f"{key}={nodes.text_of(exact(value, key))}" for key, value in options.items()]
    return nodes.ActivationNode(phi, nodes.called(phi.name, *shown) if is_named(name) else _written(phi))


def _written(phi: Activation) -> str:
    """How an activation is written: its name where the catalogue knows it by that, else its formula in x."""
    if phi.name in catalogue() and known_activation(phi.name) == phi:
        return phi.name
    return f"activation({phi.expression.xreplace({phi.symbol: nodes.ARGUMENT})})"


def layer_norm(affine: bool = False) -> nodes.LayerNormNode:
    """Layer normalisation, with trained gain and bias if `affine`.

    >>> layer_norm(), layer_norm(affine=True)
    (layer_norm, layer_norm(affine=True))
    """
    return nodes.LayerNormNode(_truth(affine))


def rms_norm(affine: bool = False) -> nodes.RMSNormNode:
    """Root mean square normalisation, with trained gain and bias if `affine`."""
    return nodes.RMSNormNode(_truth(affine))


def _truth(affine) -> bool:
    if not is_truth(affine):
        raise InputError(f"affine = {affine!r} is neither True nor False; give one of them")
    return bool(affine)


def dropout(keep) -> nodes.DropoutNode:
    """Dropout that keeps a neuron with probability `keep`, 0 < keep <= 1.

    >>> dropout("9/10")
    dropout(9/10)
    """
    found = positive(keep, "keep", "the probability with which a neuron is kept")
    if found.is_number and found > 1:
        raise InputError(f"keep = {found} is above 1; give the probability with which a neuron is kept")
    return nodes.DropoutNode(found)


def scale(factor) -> nodes.ScaleNode:
    """factor x."""
    return nodes.ScaleNode(_factor(factor, "factor"))


# ---- tokens ------------------------------------------------------------------------------------------------


def mix(matrix=None, *, tokens=None, eigenvalue=0) -> nodes.MixNode:
    """x_i <- sum_k A_ik x_k over the T tokens (or the nodes of a graph) of one input.

    `matrix`: A, a list of T rows of numbers >= 0 that add up to 1; or, for tokens that are all alike, `tokens` = T >= 2
    and the `eigenvalue` of A on what differs from the mean, from -1/(T - 1) to below 1: A = lambda + (1 - lambda)/T,
    the mean over all tokens for lambda = 0.  Raises `InputError` for anything else.

    >>> mix(tokens=8), mix(tokens=5, eigenvalue="1/sqrt(2)"), mix([[1, 0], ["1/2", "1/2"]])
    (mix(tokens=8), mix(tokens=5, eigenvalue=sqrt(2)/2), mix([[1, 0], [1/2, 1/2]]))
    >>> mix([["1/2", "1/2"], ["1/4", "3/4"]]), mix([["3/4", "1/4"], ["1/4", "3/4"]])
    (mix([[1/2, 1/2], [1/4, 3/4]]), mix(tokens=2, eigenvalue=1/2))
    """
    if (matrix is None) == (tokens is None):
        raise InputError("mix takes either a matrix, a list of rows such as [[1, 0], [1/2, 1/2]], or tokens=T")
    if tokens is not None:
        return _alike(_tokens(tokens), exact(eigenvalue, "eigenvalue"))
    rows = _rows(matrix)
    kept, given = rows[0][:2]
    alike = all(value == (kept if i == k else given) for i, row in enumerate(rows) for k, value in enumerate(row))
    return _alike(len(rows), kept - given) if alike else nodes.MixNode(len(rows), None, rows)


def _alike(tokens: int, eigenvalue: Expr) -> nodes.MixNode:
    if eigenvalue.is_number and not (eigenvalue.is_real and Rational(-1, tokens - 1) <= eigenvalue < 1):
        raise InputError(
            f"eigenvalue = {eigenvalue}: rows of weights >= 0 over {tokens} tokens that add up to 1 and mix them have "
            f"an eigenvalue from -1/{tokens - 1} to below 1; give such a number"
        )
    return nodes.MixNode(tokens, eigenvalue)


def _rows(matrix) -> tuple[tuple[Expr, ...], ...]:
    rows = matrix.tolist() if hasattr(matrix, "tolist") else matrix  # an array, or a matrix of SymPy
    if not isinstance(rows, list | tuple) or not all(isinstance(row, list | tuple) for row in rows):
        raise InputError(f"matrix = {matrix!r} is not a list of rows; give one such as [[1, 0], [1/2, 1/2]]")
    found = tuple(tuple(exact(value, "an entry of the matrix") for value in row) for row in rows)
    if len({len(found), *map(len, found)}) > 1:
        sizes = ", ".join(map(str, map(len, found)))
        raise InputError(f"the matrix has {len(found)} rows of {sizes} entries; give a square one")
    _tokens(len(found))
    for i, row in enumerate(found, 1):
        if not sum(row).equals(1):
            raise InputError(
                f"row {i} of the matrix adds up to {sum(row)}; a mean over tokens has rows of weights that add up to "
                "1 exactly; give fractions as texts, such as '1/3'"
            )
        if not all(value.is_nonnegative for value in row):
            raise InputError(f"row {i} of the matrix has an entry that is not >= 0; give the weights of a mean")
    return found


def attention(
    tokens, sigma_w=1, *, scaling: str = "1/d", logit_variance=None, mask: str | None = None
) -> nodes.AttentionNode:
    """Softmax attention over T tokens at initialisation: many heads, each wide; values and outputs are one dense.

    `sigma_w` > 0: the variance of the values is multiplied by sigma_w^2.  `scaling` of the logits q_i . k_j: "1/d",
    with which they vanish in wide heads and the weights are 1/T; or "1/sqrt(d)", with which they stay random, of
    variance `logit_variance` >= 0 for tokens of variance 1.  `mask`: None, or "causal".  Raises `InputError` for
    anything else.  Exact for any T; Noci et al. (2022) have uniform weights, Y. Dong, J.-B. Cordonnier and A. Loukas
    (2021) bounds.

    >>> attention(8), attention(8, "1/2", scaling="1/sqrt(d)", logit_variance=4), attention(5, mask="causal")
    (attention(8), attention(8, sigma_w=1/2, scaling=1/sqrt(d), logit_variance=4), attention(5, mask=causal))
    """
    if scaling not in (WIDE, ROOT):
        raise InputError(f"scaling = {scaling!r} is unknown; give {WIDE!r} or {ROOT!r}")
    if mask not in (None, "causal"):
        raise InputError(f"mask = {mask!r} is unknown; give None or 'causal'")
    if (logit_variance is None) != (scaling == WIDE):
        told = "needs logit_variance" if scaling == ROOT else "has no logits left and takes no logit_variance"
        raise InputError(f"attention with scaling = {scaling!r} {told}; give logit_variance with {ROOT!r}")
    variance = None if logit_variance is None else exact(logit_variance, "logit_variance")
    if variance is not None and not variance.is_nonnegative:
        raise InputError(f"logit_variance = {variance} is not a variance; give a number >= 0")
    weight = positive(sigma_w, "sigma_w", "the standard deviation of values and outputs")
    return nodes.AttentionNode(_tokens(tokens), weight, None if variance == 0 else variance, mask == "causal")


def _tokens(tokens) -> int:
    if not is_whole(tokens, 2, MOST_TOKENS):
        raise InputError(
            f"tokens = {tokens} is not a number of tokens that can be mixed; give a whole number from 2 to "
            f"{MOST_TOKENS}"
        )
    return int(tokens)


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
        found += nodes.parts_of(_node(part))
    if not found:
        raise InputError("serial() has no part; give at least one")
    return _fitting(found[0] if len(found) == 1 else nodes.SerialNode(tuple(found)))


def residual(*branch: Node, skip=1, scale=1) -> nodes.ResidualNode:
    """skip x + scale F(x), F the parts of the branch in order, a dense with its own weights at its end.

    >>> from asympt.blocks.nodes import LAYER
    >>> residual(layer_norm(), activation("relu"), dense("sqrt(2)"), scale=1 / LAYER)
    residual(layer_norm, relu, dense(sqrt(2)), scale=1/LAYER)
    """
    return _fitting(nodes.ResidualNode(_branch(branch, "residual"), _factor(skip, "skip"), _factor(scale, "scale")))


def gated(one: Node, two: Node) -> nodes.GatedNode:
    """The product of two branches, each with a dense of its own.

    >>> gated(dense(1), serial(dense(1), activation("sigmoid")))
    gated(dense(1), serial(dense(1), sigmoid))
    """
    return _fitting(nodes.GatedNode(_node(one), _node(two)))


def dense_connection(growth, *branch: Node) -> nodes.DenseConnectionNode:
    """x and F(x) side by side, F the parts of the branch; growth: neurons of F(x) per neuron of layer 1.

    >>> dense_connection(1, activation("relu"), dense("sqrt(2)"))
    dense_connection(1, relu, dense(sqrt(2)))
    """
    size = positive(growth, "growth", "the neurons of the branch per neuron of layer 1")
    return _fitting(nodes.DenseConnectionNode(size, _branch(branch, "dense_connection")))


def average_pool() -> nodes.AveragePoolNode:
    """The mean over the positions, as the readout of a convolutional network."""
    return nodes.AveragePoolNode()


def flatten() -> nodes.FlattenNode:
    """All positions side by side, as the readout of a convolutional network."""
    return nodes.FlattenNode()


def _fitting(whole: Node) -> Node:
    """The node; an error where its parts do not fit together."""
    whole.signal(INPUT)
    return whole


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

"""The network that a law belongs to, found again from the statement of its layer."""

from collections.abc import Iterator

from sympy import sqrt

from asympt.architectures import FeedForward
from asympt.architectures.conv_resnet import ConvResNet
from asympt.architectures.convnet import ConvNet
from asympt.architectures.resnet import ResNet
from asympt.architectures.scaled_resnet import ScaledResNet
from asympt.errors import AsymptError
from asympt.meanfield.layer import Layer
from asympt.meanfield.statement import ConvStatement, Statement


def network_of(stated: Layer | Statement | ConvStatement):
    """A network with this layer; None when standard deviations do not give it back.

    >>> from asympt.architectures.resnet import ResNet
    >>> network_of(ResNet("relu", sigma_w=3).statement).sigma_w
    3
    """
    if isinstance(stated, Layer):
        return _plain(stated)
    for net in _candidates(stated):
        if net.statement == stated:
            return net
    return None


def _candidates(stated: Statement | ConvStatement) -> Iterator:
    layer = stated.layer
    given = (layer.activation, sqrt(layer.weight_variance), sqrt(layer.bias_variance))
    try:
        if isinstance(stated, ConvStatement):
            kind = ConvResNet if stated.skip else ConvNet
            yield kind(given[0], stated.positions, stated.reach, *given[1:])
        elif stated.skip:
            yield ResNet(*given) if stated.decay == 0 else ScaledResNet(*given, stated.decay)
        else:
            yield _plain(layer)
    except AsymptError:  # a layer that no constructor takes, such as one with symbols for its standard deviations
        return


def _plain(layer: Layer) -> FeedForward | None:
    """The fully connected network of a layer."""
    phi = layer.activation
    if layer.is_scale_free:
        return FeedForward(phi)
    bias = sqrt(layer.bias_variance)
    if not layer.critical:
        return FeedForward(phi, sigma_w=sqrt(layer.weight_variance), sigma_b=bias)
    net = FeedForward.on_edge_of_chaos(phi, sigma_b=bias)
    return net if net.layer == layer else None

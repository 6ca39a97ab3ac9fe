"""From a network at infinite width to random networks of finite width of the same architecture.

Problem.  `depth.finite` knows nothing of the statements of layers, so that it can referee them; somebody has to say
which random network belongs to which statement.

Rule.  One line for each architecture, from its own parameters.

Tiny case.  ResNet("relu", sigma_w=1) belongs to Residual("relu", sigma_w=1.0).
"""

from collections.abc import Callable

from sympy import Expr, sqrt

from asympt.architectures.block_resnet import BlockResNet
from asympt.architectures.conv_resnet import ConvResNet
from asympt.architectures.convnet import ConvNet
from asympt.architectures.feedforward import FeedForward
from asympt.architectures.mlp import MLP
from asympt.architectures.resnet import ResNet
from asympt.architectures.scaled_resnet import ScaledResNet
from asympt.compiling import as_function
from asympt.depth.finite import Block, Convolution, Dense, Residual, ResidualConvolution, ScaledResidual
from asympt.errors import InputError
from asympt.meanfield.statement import LAYER


def random_network(net):
    """The random network of finite width, for `asympt.depth.finite.empirical_kernels`.

    `net` is any network of this package with numbers in it.  An `MLP` with the equivalence principle's schedule has the
    rates of its `statement`, without the factor that depends on the final depth.
    Raises `InputError` for anything else.

    >>> random_network(ResNet("relu", sigma_w=1)).branch(3)
    1.0
    """
    for kind, make in _MAKERS.items():
        if isinstance(net, kind):
            return make(net)
    raise InputError(f"net = {net!r} is not a network of this package; give FeedForward, ResNet, ConvNet, ...")


def _deviations(net) -> tuple:
    """phi, sigma_w and sigma_b of the branch."""
    layer = net.statement.layer
    return layer.activation, sqrt(layer.weight_variance), sqrt(layer.bias_variance)


def _rate(rate: Expr) -> Callable[[int], float]:
    """A learning rate as a function of the layer."""
    return as_function(LAYER, rate, "math")


def _block(net: BlockResNet) -> Block:
    return Block(net.activation, alpha=net.alpha, sigma_w=net.sigma_w, sigma_v=net.sigma_v)


def _trained(net: MLP) -> Dense:
    statement = net.statement
    return Dense(*_deviations(net), _rate(statement.weight_rate), _rate(statement.bias_rate))


_MAKERS = {
    FeedForward: lambda net: Dense(*_deviations(net)),
    ScaledResNet: lambda net: ScaledResidual(*_deviations(net), kappa=float(net.kappa)),
    ResNet: lambda net: Residual(*_deviations(net)),
    BlockResNet: _block,
    ConvNet: lambda net: Convolution(*_deviations(net), reach=net.reach),
    ConvResNet: lambda net: ResidualConvolution(*_deviations(net), reach=net.reach),
    MLP: _trained,
}

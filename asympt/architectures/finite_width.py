"""From a network at infinite width to random networks of finite width of the same architecture.

Problem.  `depth.finite` knows nothing of the statements of layers, so that it can referee them; somebody has to say
which random network belongs to which statement.

Rule.  Every architecture says so itself, in `finite`, from its own parameters.

Tiny case.  ResNet("relu", sigma_w=1) belongs to Residual("relu", sigma_w=1.0).
"""

from sympy import sqrt

from asympt.architectures.registry import homes, record_of
from asympt.errors import InputError


def random_network(net):
    """The random network of finite width, for `asympt.depth.finite.empirical_kernels`.

    `net` is any network of this package with numbers in it.  An `MLP` with the equivalence principle's schedule has the
    rates of its `statement`, without the factor that depends on the final depth.
    Raises `InputError` for anything else.

    >>> from asympt.architectures import ResNet
    >>> random_network(ResNet("relu", sigma_w=1)).branch(3)
    1.0
    """
    if record_of(net) is None:
        raise InputError(f"net = {net!r} is not a network of this package; give one of {', '.join(homes())}")
    return net.finite()


def deviations(statement) -> tuple:
    """phi, sigma_w and sigma_b of the branch, as random networks take them."""
    layer = statement.layer
    return layer.activation, sqrt(layer.weight_variance), sqrt(layer.bias_variance)

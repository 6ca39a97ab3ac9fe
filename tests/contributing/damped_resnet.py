"""An architecture in one file, as an author would add one: y^l = y^(l-1) + beta F(y^(l-1)), one beta for every layer.

F is a layer of the fully connected network; layer 1 has no beta.
"""

from dataclasses import dataclass

from sympy import Expr

from asympt.architectures.composition import Preset
from asympt.architectures.registry import LAYERS, NUMBER, Architecture, Parameter
from asympt.blocks import activation, dense, residual
from asympt.numbers import positive


@dataclass(frozen=True, init=False)
class DampedResNet(Preset):
    """A residual network with branches of weight beta > 0."""

    beta: Expr

    def __init__(self, phi, sigma_w=1, sigma_b=0, beta=1, **options):
        drawn, factor = dense(sigma_w, sigma_b), positive(beta, "beta", "the weight of the branches")
        self._compose(residual(activation(phi, **options), drawn, scale=factor), first=drawn)
        object.__setattr__(self, "beta", factor)

RECORD = Architecture(
    "damped-resnet", f"{__name__}:DampedResNet", (Parameter("beta", NUMBER, "1", "1/2"),), figures=LAYERS
)

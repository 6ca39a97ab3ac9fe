"""An architecture in one file, as an author would add one: y^l = y^(l-1) + beta F(y^(l-1)), one beta for every layer.

The branch has the variances beta^2 sigma_w^2 and beta^2 sigma_b^2 and learns as drawn; layer 1 has no beta.
"""

from dataclasses import dataclass, replace

from sympy import Expr, sqrt

from asympt.architectures.network import Preset
from asympt.architectures.registry import LAYERS, NUMBER, Architecture, Parameter
from asympt.depth.finite import Residual
from asympt.meanfield.activations import activation
from asympt.meanfield.layer import Layer
from asympt.meanfield.statement import Statement
from asympt.numbers import deviations_of, positive


@dataclass(frozen=True)
class Damped(Residual):
    """Its random network: a residual network whose branches are multiplied by beta."""

    beta: float = 1.0

    def branch(self, layer: int) -> float:
        return self.beta


@dataclass(frozen=True, init=False)
class DampedResNet(Preset):
    """A residual network with branches of weight beta > 0."""

    beta: Expr

    def __init__(self, phi, sigma_w=1, sigma_b=0, beta=1, **options):
        weight, bias = (value**2 for value in deviations_of(sigma_w, sigma_b))
        factor = positive(beta, "beta", "the weight of the branches")
        phi = activation(phi, **options)
        first = Statement.residual(Layer(phi, weight, bias)).first
        branch = Statement.residual(Layer(phi, factor**2 * weight, factor**2 * bias))
        object.__setattr__(self, "statement", replace(branch, first=first))
        object.__setattr__(self, "beta", factor)

    def finite(self) -> Damped:
        first = self.statement.first
        return Damped(self.activation, sqrt(first.weight), sqrt(first.bias), beta=float(self.beta))


RECORD = Architecture(
    "damped-resnet", f"{__name__}:DampedResNet", (Parameter("beta", NUMBER, "1", "1/2"),), figures=LAYERS
)

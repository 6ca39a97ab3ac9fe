"""The dense residual networks of HDR: z^l = z^(l-1) + F(z^(l-1)) for l >= 2, layer 1 without residual.

F is a layer of the fully connected network: F(z)_i = sigma_w/sqrt(n) sum_j w_ij phi(z_j) + sigma_b b_i, section 4.2; in
section 4.3 it is scaled, z^l = z^(l-1) + l^(-kappa/2) F(z^(l-1)), theirs with kappa = 1.
"""

from dataclasses import dataclass
from typing import ClassVar

from asympt.depth.finite.layered import Layered
from asympt.depth.finite.parsing import scale


@dataclass(frozen=True)
class Residual(Layered):
    """A residual network.

    >>> Residual("relu").branch(3)
    1.0
    """

    has_skip: ClassVar[bool] = True


@dataclass(frozen=True)
class ScaledResidual(Residual):
    """A residual network whose branch at layer l is scaled by l^(-kappa/2).

    >>> ScaledResidual("relu", kappa=1).branch(4)
    0.5
    """

    kappa: float = 1.0

    def __post_init__(self):
        super().__post_init__()
        object.__setattr__(self, "kappa", scale(self.kappa, "kappa", zero=True))

    def branch(self, layer: int) -> float:
        """l^(-kappa/2)."""
        return layer ** (-self.kappa / 2)

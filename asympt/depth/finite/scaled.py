"""The scaled residual network of HDR section 4.3: z^l = z^(l-1) + l^(-kappa/2) F(z^(l-1)), theirs with kappa = 1."""

from dataclasses import dataclass

from asympt.depth.finite.parsing import scale
from asympt.depth.finite.residual import Residual


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

"""What the convolutional networks share: a dense network at every position of a circle.

Rule.  The dense network has phi, sigma_w, the phase and the map of a layer where all positions are alike; the positions
and the reach of the filter say how layers are averaged.

Known limits.  One dimension, periodic.
"""

from dataclasses import dataclass

from sympy import Expr

from asympt.architectures.feedforward import FeedForward
from asympt.architectures.resnet import ResNet
from asympt.meanfield.activations import Activation
from asympt.meanfield.correlation import CorrelationMap
from asympt.meanfield.stability import Stability


@dataclass(frozen=True, init=False)
class ConvNetwork:
    """`dense` at every one of `positions`, averaged over a filter of 2 `reach` + 1 of them."""

    dense: FeedForward | ResNet
    positions: int
    reach: int

    def _set(self, dense: FeedForward | ResNet, circle: tuple[int, int]) -> None:
        """The fields; `circle` is what `check_circle` returns."""
        for name, value in zip(("dense", "positions", "reach"), (dense, *circle), strict=True):
            object.__setattr__(self, name, value)

    @property
    def activation(self) -> Activation:
        """phi."""
        return self.dense.activation

    @property
    def sigma_w(self) -> Expr:
        """sigma_w, exact or known to any number of digits."""
        return self.dense.sigma_w

    @property
    def phase(self) -> str:
        """That of the dense network."""
        return self.dense.phase

    @property
    def stability(self) -> Stability | None:
        """What becomes of an input whose variance is not q: whether it comes to q, grows, or goes elsewhere."""
        return self.statement.stability

    @property
    def correlation_map(self) -> CorrelationMap:
        """The map of a layer where all positions are alike."""
        return self.dense.correlation_map

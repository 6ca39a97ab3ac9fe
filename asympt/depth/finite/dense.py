"""The fully connected network, with the learning rates it is trained with.

Forward pass (HDR eq. (10), PDLT (10.1) with C_W = sigma_w^2, C_b = sigma_b^2):

    z^1_i = sigma_w/sqrt(d) sum_j w^1_ij x_j + sigma_b b^1_i
    z^l_i = sigma_w/sqrt(n) sum_j w^l_ij phi(z^(l-1)_j) + sigma_b b^l_i

The NTK weighs the effective weights sigma_w w/sqrt(n) with lambda_W/n and the effective biases with lambda_b; sigma_w^2
and sigma_b^2, the default, is the NTK parametrisation of HDR and Jacot et al.
"""

from collections.abc import Callable
from dataclasses import dataclass

from asympt.depth.finite.layered import Layered
from asympt.depth.finite.parsing import rate


@dataclass(frozen=True)
class Dense(Layered):
    """A plain network; `weight_rates`, `bias_rates`: lambda_W and lambda_b, numbers or functions of the layer.

    >>> net = Dense("relu", sigma_w=2, weight_rates=lambda layer: 1 / layer)
    >>> net.weight_rate(2), net.bias_rate(2)
    (0.5, 0.0)
    """

    weight_rates: float | Callable[[int], float] | None = None
    bias_rates: float | Callable[[int], float] | None = None

    def weight_rate(self, layer: int) -> float:
        """lambda_W of layer l."""
        return self.sigma_w**2 if self.weight_rates is None else rate(self.weight_rates, "weight_rates")(layer)

    def bias_rate(self, layer: int) -> float:
        """lambda_b of layer l."""
        return self.sigma_b**2 if self.bias_rates is None else rate(self.bias_rates, "bias_rates")(layer)

"""The networks of HDR and PDLT with one matrix a layer: dense, residual, convolutional, and both of the latter.

Forward passes (HDR eqs. (10) and (11), sections 4.2 and 4.3; PDLT (10.1) with C_W = sigma_w^2, C_b = sigma_b^2):

    dense            z^1_i = sigma_w/sqrt(d) sum_j w^1_ij x_j + sigma_b b^1_i
                     z^l_i = sigma_w/sqrt(n) sum_j w^l_ij phi(z^(l-1)_j) + sigma_b b^l_i = F(z^(l-1))_i
    residual         z^l = z^(l-1) + F(z^(l-1)) for l >= 2, layer 1 without residual
    scaled           z^l = z^(l-1) + l^(-kappa/2) F(z^(l-1)), theirs with kappa = 1
    convolutional    z^l_(i, alpha) = sigma_w/sqrt(n (2k + 1)) sum_j sum_(|beta| <= k) w^l_(i, j, beta)
                     phi(z^(l-1)_(j, alpha + beta)) + sigma_b b^l_i  on a circle of M positions, x_(j, alpha) in the
                     place of phi(z) in layer 1; weights and biases are the same at every position

The NTK weighs the effective weights sigma_w w/sqrt(n) with lambda_W/n and the effective biases with lambda_b; sigma_w^2
and sigma_b^2, the default, is the NTK parametrisation of HDR and Jacot et al.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from asympt.arrays import whole
from asympt.depth.finite.layered import Layered
from asympt.depth.finite.matrices import Array
from asympt.depth.finite.parsing import rate, scale
from asympt.errors import InputError


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


@dataclass(frozen=True)
class Convolution(Layered):
    """A convolutional network with a filter of 2 reach + 1 positions; inputs have shape (N, channels, M).

    >>> Convolution("relu", reach=2).filters
    5
    """

    reach: int = 1
    spatial: ClassVar[int] = 1

    def __post_init__(self):
        super().__post_init__()
        if self.reach != 0:
            whole(self.reach, "reach", "k of a filter of 2k + 1 positions, 0 or more")

    @property
    def filters(self) -> int:
        """2k + 1."""
        return 2 * self.reach + 1

    def arranged(self, X: Array) -> Array:
        """The inputs as (channels, N, M)."""
        if X.shape[2] < self.filters:
            raise InputError(f"X has {X.shape[2]} positions, fewer than the {self.filters} of the filter; give more")
        return np.transpose(X, (1, 0, 2))


@dataclass(frozen=True)
class ResidualConvolution(Convolution):
    """The convolutional residual network of HDR sec. 4.2: z^l = z^(l-1) + F(z^(l-1)), layer 1 without residual.

    >>> ResidualConvolution("relu").has_skip
    True
    """

    has_skip: ClassVar[bool] = True

"""The one-dimensional convolutional network of HDR eq. (11), on a circle of M positions:

    z^l_(i, alpha) = sigma_w/sqrt(n (2k + 1)) sum_j sum_(|beta| <= k) w^l_(i, j, beta) phi(z^(l-1)_(j, alpha + beta))
                     + sigma_b b^l_i

with x_(j, alpha) in the place of phi(z) in layer 1.  Weights and biases are the same at every position.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from asympt.arrays import whole
from asympt.depth.finite.layered import Layered
from asympt.depth.finite.matrices import Array
from asympt.errors import InputError


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

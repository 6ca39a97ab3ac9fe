"""The dense residual network of HDR section 4.2: z^l = z^(l-1) + F(z^(l-1)) for l >= 2, layer 1 without residual.

F is a layer of the fully connected network: F(z)_i = sigma_w/sqrt(n) sum_j w_ij phi(z_j) + sigma_b b_i.
"""

from dataclasses import dataclass
from typing import ClassVar

from asympt.depth.finite.layered import Layered


@dataclass(frozen=True)
class Residual(Layered):
    """A residual network.

    >>> Residual("relu").branch(3)
    1.0
    """

    has_skip: ClassVar[bool] = True

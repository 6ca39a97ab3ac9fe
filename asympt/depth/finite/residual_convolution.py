"""The convolutional residual network of HDR sec. 4.2: z^l = z^(l-1) + F(z^(l-1)), l >= 2, F a convolutional layer."""

from dataclasses import dataclass
from typing import ClassVar

from asympt.depth.finite.convolution import Convolution


@dataclass(frozen=True)
class ResidualConvolution(Convolution):
    """A convolutional residual network, layer 1 without residual.

    >>> ResidualConvolution("relu").has_skip
    True
    """

    has_skip: ClassVar[bool] = True

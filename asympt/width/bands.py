"""The mean over networks of one width and the deviation of one of them, for arrays of inputs."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from asympt.arrays import entries
from asympt.errors import InputError
from asympt.numbers import check_depth
from asympt.width.laws import check_width


class Band(NamedTuple):
    """`mean` over networks and `deviation` of one network from it, arrays of the shape of the gaps."""

    mean: object
    deviation: object


@dataclass(frozen=True)
class AtWidth:
    """A network whose layers have `width` neurons, to first order in 1/width; `inputs` reads a start (`StartingPair`).

    >>> from asympt import FeedForward
    >>> mean, deviation = FeedForward("relu").at_width(256).pairs(0.9, depth=20)
    >>> round(mean, 4), round(deviation, 4)  # one network is not the law
    (0.0544, 0.0252)
    """

    inputs: Callable
    width: int

    def __post_init__(self):
        check_width(self.width)

    def pairs(self, gap, depth: int, of: str = "gap", variances=None) -> Band:
        """Mean and deviation of a quantity for inputs with these gaps 1 - c^1 in layer 1; `of` as for `fluctuation`.

        Raises `InputError` for a width below the depth, where first order in depth/width says nothing.
        """
        depth, width = check_depth(depth), check_width(self.width)
        if width < depth:
            raise InputError(
                f"width = {width} is smaller than depth = {depth}: the expansion is one in depth/width; give a wider "
                "network, or draw some with net.finite()"
            )
        gaps = entries(gap, "gap")
        found = np.array([self._at(value, depth, of, variances) for value in gaps.ravel()]).reshape(*gaps.shape, 2)
        parts = found[..., 0], found[..., 1]
        return Band(*(map(float, parts) if gaps.ndim == 0 else parts))

    def _at(self, gap, depth: int, of: str, variances) -> tuple[float, float]:
        seen = self.inputs(of, gap=gap, variances=variances)
        mean = seen.limit(of, depth) + seen.shift(of, depth) / self.width
        return mean, (seen.variance(of, depth) / self.width) ** 0.5

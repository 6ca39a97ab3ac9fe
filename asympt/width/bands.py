"""The mean over networks of one width and the deviation of one of them, for arrays of inputs."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from asympt.arrays import entries
from asympt.errors import InputError
from asympt.numbers import check_depth


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

    def pairs(self, gap, depth: int, of: str = "gap", variances=None) -> Band:
        """Mean and deviation of a quantity for inputs with these gaps 1 - c^1 in layer 1; `of` as for `fluctuation`.

        Raises `InputError` for a width below the depth, where first order in depth/width says nothing.
        """
        depth = check_depth(depth)
        if self.width < depth:
            raise InputError(
                f"width = {self.width} is smaller than depth = {depth}: the expansion is one in depth/width; give a "
                "wider network, or draw some with net.finite()"
            )
        gaps = entries(gap, "gap")
        found = np.empty((2, *gaps.shape))
        for at, value in np.ndenumerate(gaps):
            seen = self.inputs(of, gap=value, variances=variances)
            mean = seen.limit(of, depth) + seen.shift(of, depth) / self.width
            found[:, *at] = mean, (seen.variance(of, depth) / self.width) ** 0.5
        return Band(*(found.tolist() if gaps.ndim == 0 else found))

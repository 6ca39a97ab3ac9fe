"""One settled layer at any gaps: how it shrinks a gap, what it does to the NTK, without cancellation.

    gamma' = r gamma,        k' = a k + constant + rate (image of c),

r with 1 - r and a with 1 - a (`Factor`), each to full relative accuracy, divided by chi in the ordered phase (`unit`):

    ReLU-like phi    with w, bend and slope of `step`, share delta, chi: x = (kappa over + bend)/w,
                     1 - r = delta (1 - chi + chi x),     1 - a = delta (1 - chi + chi (1 - f'));
    any other phi    1 - r = t^p A - (chi - 1),           1 - a = t^p D - (chi - 1)              (`tables`).
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Protocol

import mpmath
import numpy as np

from asympt.depth.constants import LayerConstants
from asympt.depth.loops.general import Factor, far_curves, near_curves, near_factors
from asympt.depth.loops.step import bend_and_slope
from asympt.depth.tables import TURN, Tables


class Moved(NamedTuple):
    """gamma' = shrink gamma and k' = slope k + source."""

    shrink: Factor
    slope: Factor
    source: np.ndarray


class OneLayer(Protocol):
    """A layer at arrays (gap, 2 - gap) of one shape; hashable, so that its tables can be kept.

    `excess` is chi - 1 of the map of c, `power` p where gap' = chi gap - O(gap^(1+p/2)); `is_odd`: the map of c is odd,
    so that gap 2 is as fixed as gap 0 and only gaps up to 1 are looked up.
    """

    excess: float
    power: int
    is_odd: bool

    def __call__(self, gap: np.ndarray, rest: np.ndarray) -> Moved: ...

    def unit(self, layers: int) -> float:
        """What r and a of `layers` layers are given in units of: chi^layers in the ordered phase, else 1."""


def power_of(chi: float, log_chi: float, layers: int) -> float:
    """chi^layers for chi < 1, as accurate as chi and its logarithm allow; 1 for other chi."""
    if log_chi >= 0:
        return 1.0
    with mpmath.workdps(40):
        return float(mpmath.mpf(chi) ** layers if log_chi < -1 else mpmath.exp(layers * mpmath.mpf(log_chi)))


@dataclass(frozen=True)
class HomogeneousLayer:
    """A layer of a ReLU-like phi whose branch has the share delta.

    `chi_excess` is chi - 1 where a bias is mixed in, else 0; k' = a k + constant + rate f(c), f the map of phi itself.
    """

    numbers: LayerConstants
    share: float = 1.0
    chi_excess: float = 0.0
    constant: float = 0.0
    rate: float = 1.0
    power: ClassVar[int] = 1
    is_odd: ClassVar[bool] = False

    @property
    def excess(self) -> float:
        """chi - 1."""
        return self.share * self.chi_excess

    def __call__(self, gap: np.ndarray, rest: np.ndarray) -> Moved:
        """r, a and what is added to k."""
        kink_weight, linear_weight = self.numbers.kink_weight, self.numbers.linear_weight
        share, chi = self.share, 1.0 + self.chi_excess
        small, over = np.minimum(gap, rest) / 2, np.where(gap > 1, 1.0 - rest, 0.0)
        bend, slope = bend_and_slope(small, self.numbers)
        half = np.where(gap > 0, gap / 2, 1.0)
        drop = (kink_weight * over + bend) / half
        keep = np.where(gap > 0, (small + linear_weight * over - bend) / half, 1.0)
        turn = np.where(gap > 1, 2 * kink_weight - slope, slope)
        steep = np.where(gap > 1, linear_weight - kink_weight + slope, 1.0 - slope)
        source = self.constant + self.rate * (1.0 - gap * keep)
        if self.excess < 0:
            return Moved(Factor(keep, drop), Factor(steep, turn), source)
        return Moved(
            Factor((1 - share) + share * chi * keep, share * (chi * drop - self.chi_excess)),
            Factor((1 - share) + share * chi * steep, share * (chi * turn - self.chi_excess)),
            source,
        )

    def unit(self, layers: int) -> float:
        """chi^layers where a bias is mixed in (the share is then 1)."""
        return power_of(self.numbers.chi, self.numbers.log_chi if self.chi_excess else 0.0, layers)


@dataclass(frozen=True)
class Tabulated:
    """A layer of any phi at the fixed point of its variance: k' = a k + constant + rate (image of c)."""

    tables: Tables
    constant: float = 0.0
    rate: float = 1.0
    is_odd: bool = False

    @property
    def excess(self) -> float:
        """chi - 1."""
        return self.tables.excess

    @property
    def power(self) -> int:
        """1 when phi' jumps, else 2."""
        return self.tables.power

    def __call__(self, gap: np.ndarray, rest: np.ndarray) -> Moved:
        """r, a and what is added to k."""
        chi, excess = self.tables.chi, self.excess
        unit = min(1.0, chi)
        near = np.minimum(gap, TURN)
        shrink, turned = near_factors(self.tables, near)
        image = 1.0 - gap * shrink.value
        if excess < 0:
            shrink, turned = (Factor(1.0 - part / chi, part / chi) for part in near_curves(self.tables, near))
        far = gap > TURN
        if far.any():
            after, steep = far_curves(self.tables, rest[far])
            image[far] = 1.0 - after
            for factor, value in ((shrink, after / gap[far] / unit), (turned, steep / unit)):
                factor.value[far], factor.rest[far] = value, 1.0 - value
        return Moved(shrink, turned, self.constant + self.rate * image)

    def unit(self, layers: int) -> float:
        """chi^layers in the ordered phase."""
        return power_of(self.tables.chi, float(np.log1p(self.excess)), layers)

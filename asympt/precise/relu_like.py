"""One layer of a ReLU-like network in mpmath: the original recursion, in the gap, at any precision.

The step reads the correlation map's exact weights and evaluates HDR Lemma 2 as it stands, normalised by the
variance of the layer:

    gamma -> 1 - f(1 - gamma),      k -> f'(c) k + 1 - gamma',      gamma = 1 - c, k = K/q.

It knows no series and no law, so iterating it is evidence for both.
"""

from dataclasses import dataclass

from sympy import Expr

from asympt.gaussian.closed.arccosine import gap_map, gap_slope
from asympt.numbers import to_mpf


@dataclass(frozen=True)
class GapStep:
    """(gamma,) -> (gamma',); exact at gamma = 0, and at gamma = 2 for |x|."""

    fold: Expr
    unfolded: Expr

    def __call__(self, state: tuple) -> tuple:
        return (gap_map(state[0], to_mpf(self.fold), to_mpf(self.unfolded)),)


@dataclass(frozen=True)
class KernelStep:
    """(gamma, k) -> (gamma', k')."""

    fold: Expr
    unfolded: Expr

    def __call__(self, state: tuple) -> tuple:
        gap, kernel = state
        weights = to_mpf(self.fold), to_mpf(self.unfolded)
        following = gap_map(gap, *weights)
        return following, gap_slope(gap, *weights) * kernel + 1 - following

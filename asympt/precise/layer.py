"""One layer of any network in mpmath: the original recursion at the fixed point of the variance, at any precision.

The steps evaluate HDR Lemma 2 as it stands, in units of q:

    gamma -> 1 - f(1 - gamma),      k -> f'(c) k + 1 - gamma',      gamma = 1 - c, k = K/q,

or, in the chaotic phase, the same in the distance y = gamma - (1 - c*).  They know no series at the fixed point and no
law, so iterating them is evidence for both.

Rule for digits.  The gap has full relative accuracy by itself.  y is a difference, so it is computed with as many more
digits as it is small; these are rounded up to whole blocks, because a kernel prepares itself anew for every precision.
"""

from dataclasses import dataclass

import mpmath
from mpmath import mp
from sympy import Expr

from asympt.errors import InputError
from asympt.meanfield.correlation import CorrelationMap
from asympt.numbers import to_mpf

SPARE, BLOCK = 20, 128  # bits


@dataclass(frozen=True)
class MapStep:
    """(gamma,) -> (gamma',) for any correlation map; exact at gamma = 0."""

    map: CorrelationMap

    def __call__(self, state: tuple) -> tuple:
        gap = state[0]
        return (self.map.gap(gap) if gap else gap,)


@dataclass(frozen=True)
class MapKernelStep:
    """(gamma, k) -> (gamma', k')."""

    map: CorrelationMap

    def __call__(self, state: tuple) -> tuple:
        gap, kernel = state
        if not gap:
            return gap, to_mpf(self.map.multiplier) * kernel + 1
        following = self.map.gap(gap)
        return following, self.map.gap_slope(gap) * kernel + 1 - following


@dataclass(frozen=True)
class StepAbout:
    """(y,) -> (y',) or (y, k) -> (y', k') with gamma = `centre` + y, the centre being a gap that f keeps."""

    map: CorrelationMap
    centre: Expr

    def __call__(self, state: tuple) -> tuple:
        y = state[0]
        if not y:
            raise InputError("the orbit lands on the fixed point c*, so it has no law; start elsewhere")
        extra = BLOCK * -(-(max(0, -mp.mag(y)) + SPARE) // BLOCK)
        with mp.workprec(BLOCK * -(-mp.prec // BLOCK) + extra):
            centre = to_mpf(self.centre)
            gap = centre + y
            image = self.map.gap(gap)
            following = image - centre
            rest = (self.map.gap_slope(gap) * state[1] + 1 - image,) if len(state) > 1 else ()
        if abs(following) <= abs(y) * mpmath.ldexp(1, -mp.prec):
            raise InputError("the orbit lands on the fixed point c* in one step, so it has no law; start elsewhere")
        return tuple(+value for value in (following, *rest))

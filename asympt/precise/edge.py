"""The coefficients of the correlation map at c = 1 in numbers: f = sum e_k t^k, t = sqrt(1 - c).

Rule.  f = (sigma_b^2 + sigma_w^2 F)/q, and `gaussian.price.numeric` has the coefficients of F.  A list is computed once
for an order and a number of digits; whoever asks for fewer digits is served from a list with more, if there is one.

Tiny case.  phi = exp, any q: F = exp(q (1 + c)), so e_2 = -sigma_w^2 exp(2 q).

Known limits.  Those of the Price expansion: beyond-all-orders terms between two breakpoints are not in it.
"""

from functools import lru_cache

from mpmath import mp

from asympt.gaussian.price.numeric import price_numbers
from asympt.meanfield.layer import Layer
from asympt.numbers import to_mpf

STEP = 10  # digits are rounded up to a multiple of this, so that slightly different requests share a list
SPARE = 3


class EdgeNumbers:
    """e_k of one layer, to mpmath's precision."""

    def __init__(self, layer: Layer):
        self.layer, self.reach = layer, 0

    def __call__(self, power: int):
        """e_k for k = `power`; `reach` says up to which power will be asked for."""
        digits = STEP * -(-(mp.dps + SPARE) // STEP)
        return +_numbers(self.layer, max(self.reach, power), digits)[power]


@lru_cache(maxsize=64)
def _numbers(layer: Layer, order: int, digits: int) -> list:
    found = price_numbers(layer.activation.piecewise, layer.fixed_variance, order, digits)
    with mp.workdps(digits):
        unit = to_mpf(layer.weight_variance) / to_mpf(layer.fixed_variance)
        return [unit * value if k else mp.one for k, value in enumerate(found)]

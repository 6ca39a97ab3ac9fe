"""Figures that several claims need: exact numbers in digits, and orbits of a network in float64.

Known limits.  Orbits start from c^1 = 1/10 with the variance at its fixed point.
"""

from functools import lru_cache

import numpy as np
from mpmath import mp
from sympy import Expr

from asympt import depth as engine
from asympt.architectures import FeedForward
from asympt.meanfield.layer import Layer
from asympt.numbers import to_mpf

START_GAP = 0.9
CHECK_DIGITS = 20


def number(value: Expr, digits: int = CHECK_DIGITS):
    """An exact number as an mpmath number."""
    with mp.workdps(digits):
        return to_mpf(value)


@lru_cache(maxsize=256)
def state(net: FeedForward | Layer, depth: int, gap: float = START_GAP) -> tuple[float, float]:
    """(1 - c^L, K^L/q) at a layer by the original recursion in float64."""
    gaps, kernel = engine.pairs(net, np.array([gap]), depth)
    return float(gaps[0]), float(kernel[0])

"""Figures that several claims need: digits, relative differences, and orbits of a network in float64.

Known limits.  Orbits start from c^1 = 1/10 with the variance at its fixed point.
"""

from functools import lru_cache

import mpmath
import numpy as np
from mpmath import mp
from sympy import Expr

from asympt import depth as engine
from asympt.architectures import FeedForward
from asympt.evidence.check import Check
from asympt.meanfield.layer import Layer
from asympt.numbers import to_mpf

START_GAP = 0.9
CHECK_DIGITS = 20


def digits_check(name: str, figure, digits: int, detail: str = "") -> Check:
    """A number that must vanish to `digits` digits."""
    bound = mpmath.mpf(10) ** -digits
    return Check(name, mpmath.nstr(figure, 3), mpmath.nstr(bound, 3), bool(figure <= bound), "checked", detail)


def close(name: str, found, expected, tolerance: float, detail: str = "") -> Check:
    """|found/expected - 1| against a tolerance (|found| where 0 is expected); the two numbers are shown."""
    found, expected = mpmath.mpf(found), mpmath.mpf(expected)
    figure = abs(found / expected - 1) if expected else abs(found)
    shown = f"{mpmath.nstr(mpmath.mpf(found), 10)} against {mpmath.nstr(mpmath.mpf(expected), 10)}"
    detail = f"{shown}; {detail}" if detail else shown
    return Check.compare(name, float(mpmath.nstr(figure, 3)), tolerance, detail)


def number(value: Expr, digits: int = CHECK_DIGITS):
    """An exact number as an mpmath number."""
    with mp.workdps(digits):
        return to_mpf(value)


@lru_cache(maxsize=256)
def state(net: FeedForward | Layer, depth: int, gap: float = START_GAP) -> tuple[float, float]:
    """(1 - c^L, K^L/q) at a layer by the original recursion in float64."""
    gaps, kernel = engine.pairs(net, np.array([gap]), depth)
    return float(gaps[0]), float(kernel[0])

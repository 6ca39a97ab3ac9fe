"""Whether the drift of a driven recursion is smooth on the whole way from a point down to 0.

Problem.  Far along the orbit h is known at Chebyshev nodes only: a narrow bump between them would not be noticed.

Rule.  Intervals are a few units of log x wide and have dozens of nodes.  So look at x^p/h, which tends to a constant,
on discs of the size of x (`circle`): one around 0, and around points c = c_1, c_2, ... up to x such that discs of
radius c/2 (c/4, c/8 where these are too large) overlap.  If it is analytic and nearly constant on each of them, nothing
in it is narrower than the nodes lie apart.

Tiny case.  h = x^2/(1 + x): (1 + x) is 1 + O(R) on |x| < R, so one disc around 0 will do up to x = 2 or so.

Known limits.  Those of `circle`: evidence, no proof.
"""

from functools import lru_cache

import mpmath
from mpmath import mp
from sympy import Expr, Symbol

from asympt.expansions.circle import NotAnalytic, circle_values
from asympt.numbers import to_mpf
from asympt.recursions.coordinates.flow_time.drift import Drift
from asympt.recursions.orbits.discs import LOWEST
from asympt.recursions.protocol import T

TAME = 8  # x^p/h may grow by this factor from the middle of a disc to its rim
PARTS = (2, 4, 8)  # a disc around c has the radius c/2, or c/4, or c/8
SPARE = 120  # bits


@lru_cache(maxsize=256)
def smooth_up_to(drift: Drift, start: Expr):
    """The largest x found, `start` at most, such that h is seen to be smooth on (0, x]; 0 when there is none.

    >>> from sympy import Abs, Integer, Rational
    >>> x = Symbol("x", positive=True)
    >>> smooth_up_to(Drift.read(x**2 / (1 + x), x), Integer(1))
    mpf('1.0')
    >>> smooth_up_to(Drift.read(x**2 * (1 + Abs(x - Rational(1, 100))), x), Integer(1)) < 0.01
    True
    """
    with mp.workprec(SPARE):
        last = to_mpf(start)
        if drift.known:
            return last
        place = _radius(drift) ** drift.root / 2**drift.root
        while 0 < place < last:
            part = _part(drift, place)
            if not part:
                break
            place *= 1 + mpmath.mpf(1) / (2 * part)
        return min(place, last)


def _part(drift: Drift, x) -> int:
    """The first part of x for which the disc around it is a tame one; 0 when there is none."""
    inverse = drift.symbol ** drift.power / drift.formula
    for part in PARTS:
        if _is_tame(inverse, drift.symbol, x / part, x, 1 / to_mpf(drift.lead)):
            return part
    return 0


@lru_cache(maxsize=256)
def _radius(drift: Drift):
    """The radius in t of the largest tame disc around 0, a power of two; 0 when there is none."""
    inverse = T**drift.order / drift.formula.subs(drift.symbol, T**drift.root)
    for k in range(4, LOWEST, -1):
        with mp.workprec(SPARE + 3 * (drift.order + 2) * max(0, -k)):
            radius = mpmath.ldexp(1, k)
            if _is_tame(inverse, T, radius, 0, 1 / to_mpf(drift.lead)):
                return radius
    return mpmath.mpf(0)


def _is_tame(inverse: Expr, symbol: Symbol, radius, centre, first) -> bool:
    try:
        values = circle_values(inverse, symbol, radius, centre)
    except NotAnalytic:
        return False
    middle = abs(mp.fsum(values[:-1]) / (len(values) - 1)) if centre else abs(first)
    return max(map(abs, values)) <= TAME * middle

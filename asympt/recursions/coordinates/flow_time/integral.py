"""The flow time T(x) in numbers, with the normalisation of its series.

Problem.  T' = -1/h with no constant term in T = T_(-m) t^(-m) + ... + r log t + ...; compute T at any x, to any digits.

Rule.  Very close to 0 the series itself; from there up to x, the integral of x/h over log x, interval by interval, with
Chebyshev nodes (`chebyshev`).  An interval whose last coefficients are not negligible is halved.

Tiny case.  h = sin(x)^2: T = cot x = 1/x - x/3 - ..., and T(1) = 1/x_0 - ... - integral of 1/sin(x)^2 from x_0 to 1.
"""

import mpmath
from mpmath import mp

from asympt.errors import UnsupportedError
from asympt.numbers import to_mpf
from asympt.recursions.coordinates.flow_time.chebyshev import grid_of, tail, value
from asympt.recursions.coordinates.flow_time.drift import KNOWN, Drift
from asympt.recursions.coordinates.flow_time.series import inverse_series

WIDTH = 2.0  # of an interval in log x
NARROWEST = 0.001


def time_at(drift: Drift, x):
    """T(x) at mpmath's precision (relative to T where that is large).

    >>> from sympy import Symbol, sin
    >>> h = Drift.read(sin(Symbol("x")) ** 2, Symbol("x"))
    >>> mpmath.nstr(time_at(h, mpmath.mpf(1)), 12), mpmath.nstr(mp.cot(1), 12)
    ('0.642092615934', '0.642092615934')
    """
    digits = mp.dps
    lost = digits * drift.excess // KNOWN  # T is that large where the series is used
    with mp.workdps(digits + lost + 10):
        near = drift.near
        if x <= near:
            return _by_series(drift, x)
        return _by_series(drift, near) + _between(drift, near, x, digits + lost + 3)


def _by_series(drift: Drift, x):
    """T from its known coefficients."""
    m, t = drift.excess, drift.uniformiser(x)
    total = mpmath.mpf(0)
    for k, coefficient in enumerate(inverse_series(drift, KNOWN), start=-m):
        c = to_mpf(coefficient)
        total += c * (t**k / k if k else mp.log(t)) if c else 0
    return -total * drift.root / to_mpf(drift.lead)


def _between(drift: Drift, low, high, digits: int):
    """T(high) - T(low)."""
    place, end, width, total = mp.log(low), mp.log(high), mpmath.mpf(WIDTH), mpmath.mpf(0)
    while place < end:
        width = min(width, end - place)
        part = _panel(drift, place, width, digits)
        if part is None:
            width /= 2
            if width < NARROWEST:
                raise UnsupportedError(
                    f"h = {drift.formula} is not smooth near {drift.symbol} = {mpmath.nstr(mp.exp(place), 8)}, so its "
                    "flow time cannot be computed; start below that"
                )
            continue
        total, place, width = total + part, place + width, width * 2
    return total


def _panel(drift: Drift, place, width, digits: int):
    grid = grid_of(3 * digits // 5 + 12)
    xs = [mp.exp(place + width * (tau + 1) / 2) for tau in grid.nodes]
    derivative = grid.series([-x / drift(x) * width / 2 for x in xs])
    if tail(derivative) > mpmath.mpf(10) ** -digits * max(abs(c) for c in derivative):
        return None
    return value(grid.primitive(derivative), mpmath.mpf(1))

"""A formula as a function of NumPy arrays that is right to 1e-14, or goes to mpmath where it would not be.

Problem.  A user's formula compiled for float64 may overflow ((e^x - e^-x)/(e^x + e^-x) at 800 is inf/inf) or cancel
(x + sqrt(x^2 + 4) at -1000), silently.

Rule.  The formula is made stable (`gaussian.stable`) and compiled.  Once, it is compared with 60 digits at
points on a logarithmic grid up to 10^3; between grid lines where the comparison fails, and wherever the result is not
finite, values are computed one by one with mpmath.

Tiny case.  log(1 + exp(x)) passes everywhere; x + sqrt(x^2 + 4) fails below about -10, and only there it is slow.

Known limits.  The comparison is at two points between neighbouring lines.  The error allowed is 1e-14 of the value
plus what an error of 1e-15 in x does to it, so that values near a zero need not have 14 digits.
"""

from collections.abc import Callable

import numpy as np
from mpmath import mp
from sympy import Expr, Symbol

from asympt.compiling import as_function
from asympt.gaussian.stable import IN_MPMATH, IN_NUMPY, stable
from asympt.numbers import to_mpf

WORKING, TOLERANCE, STEP = 60, 1e-14, 1e-15
_POSITIVE = np.concatenate([[0.0], np.logspace(-10, 3, 53)])
GRID = np.concatenate([-_POSITIVE[:0:-1], _POSITIVE])
SMALLEST = 1e-300  # below it float64 has fewer digits


def in_mpmath(formula: Expr, symbol: Symbol, holes: dict[Expr, Expr]) -> Callable:
    """The formula as a function of an mpmath number; `holes` gives the values where it reads 0/0.

    >>> from sympy import Integer, sin
    >>> x = Symbol("x", real=True)
    >>> in_mpmath(sin(x) / x, x, {Integer(0): Integer(1)})(mp.zero)
    mpf('1.0')
    """
    compiled = as_function(symbol, stable(formula), [IN_MPMATH, "mpmath"])
    if not holes:
        return lambda x: mp.convert(compiled(x))

    def value(x):
        for point, limit in holes.items():
            if x == to_mpf(point):
                return to_mpf(limit)
        return mp.convert(compiled(x))

    return value


def in_numpy(formula: Expr, symbol: Symbol, holes: dict[Expr, Expr], low: float, high: float) -> Callable:
    """The formula as a function of a float64 array with entries in [low, high].

    >>> from sympy import exp, log
    >>> x = Symbol("x", real=True)
    >>> in_numpy(log(1 + exp(x)), x, {}, -np.inf, np.inf)(np.array([-1000.0, 0.0, 1000.0])).tolist()
    [0.0, 0.6931471805599453, 1000.0]
    """
    compiled = as_function(symbol, stable(formula), [IN_NUMPY, "scipy", "numpy"])
    exactly = in_mpmath(formula, symbol, holes)
    special = np.array([float(point) for point in holes])

    def fast(x):
        with np.errstate(all="ignore"):
            return np.broadcast_to(compiled(x), x.shape).astype(float)

    doubtful = _doubtful(fast, exactly, low, high)

    def value(x):
        result = fast(x)
        slow = ~np.isfinite(result)
        if special.size:
            slow |= np.isin(x, special)
        if doubtful.any():
            slow |= doubtful[np.searchsorted(GRID, x)]
        if slow.any():
            result[slow] = [_rounded(exactly, u) for u in x[slow]]
        return result

    return value


def _rounded(exactly: Callable, x: float) -> float:
    if np.isnan(x):
        return x
    with mp.workdps(WORKING):
        return float(exactly(mp.mpf(float(x))))


def _doubtful(fast: Callable, exactly: Callable, low: float, high: float) -> np.ndarray:
    """For each interval of the grid (and the two outside), whether the compiled formula has failed in it."""
    failed = np.zeros(len(GRID) + 1, dtype=bool)
    lines = np.concatenate([[2 * GRID[0]], GRID, [2 * GRID[-1]]])
    first, last = np.maximum(lines[:-1], low), np.minimum(lines[1:], high)
    meets = first < last  # a narrow piece lies within one interval
    for share in (0.29, 0.83):
        x = (first + share * (last - first))[meets]
        got = fast(x)
        failed[meets] |= np.array([not _close(g, u, exactly) for g, u in zip(got, x, strict=True)], dtype=bool)
    return failed


def _close(got: float, x: float, exactly: Callable) -> bool:
    with mp.workdps(WORKING):
        x = mp.mpf(float(x))
        want, beside = exactly(x), exactly(x * (1 + mp.mpf(STEP)))
        allowed = TOLERANCE * abs(want) + abs(want - beside) + SMALLEST
        return bool(np.isfinite(got)) and abs(mp.mpf(float(got)) - want) <= allowed

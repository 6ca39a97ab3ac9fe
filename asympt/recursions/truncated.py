"""What the numeric coordinates have in common: a truncated series, its inverse, and how far it may be trusted."""

from collections.abc import Callable, Sequence

import mpmath
from mpmath import mp

from asympt.errors import PrecisionError

GUARD = 12  # digits carried beyond those that a result must have
SAFETY = mpmath.mpf(2) / 3
LAST = 6  # terms
MOST_ROUNDS = 100


def summed(coefficients: Sequence, t, start=0):
    """sum_k coefficients[k] t^(start + k) by Horner's rule.

    >>> summed([mpmath.mpf(1), mpmath.mpf(2)], mpmath.mpf(10), start=-1)
    mpf('2.1000000000000001')
    """
    total = mpmath.mpf(0)
    for coefficient in reversed(coefficients):
        total = total * t + coefficient
    return total * t**start if start else total


def inverted(function: Callable, derivative: Callable, target, guess, name: str):
    """t with function(t) = target, by Newton's method from a guess; `name` is what an error calls the function."""
    t = guess
    for _ in range(MOST_ROUNDS):
        change = (function(t) - target) / derivative(t)
        t -= change
        if abs(change) <= abs(t) * mp.eps * 8:
            return t
    target = mpmath.nstr(target, 5)
    raise PrecisionError(f"Newton's method did not settle on {name}(t) = {target}; ask for fewer digits")


def radius_of_divergent(coefficients: Sequence, start: int, digits: int):
    """The largest t at which the last terms of sum_k coefficients[k] t^(start + k) are below 10^-digits."""
    count = len(coefficients)
    powers = [(start + k, c) for k, c in enumerate(coefficients) if c and start + k > 0 and 2 * k >= count][-LAST:]
    if not powers:  # the series is a finite sum: any t will do
        return mpmath.mpf(1)
    return min((mpmath.mpf(10) ** -digits / abs(c)) ** (mpmath.mpf(1) / k) for k, c in powers) * SAFETY


def radius_of_convergent(coefficients: Sequence, digits: int):
    """The largest |t| at which sum_k coefficients[k] t^k is good to `digits` digits."""
    late = [(k, c) for k, c in enumerate(coefficients) if c and 2 * k > len(coefficients)]
    radius = 1 / max((abs(c) ** (mpmath.mpf(1) / k) for k, c in late), default=mpmath.mpf(1))
    return radius * mpmath.mpf(10) ** (-mpmath.mpf(digits) / len(coefficients)) * SAFETY

"""To which order a function vanishes at 0, measured in numbers.

Rule.  If f(t) = c t^N (1 + O(t)), then log|f(s)/f(t)| / log(s/t) is N up to O(s)/log(s/t).  Two small arguments and
enough digits give N; an order that is stated too high shows as a shortfall of nearly 1 (1/root, if t is a root).

Tiny case.  f = sin t - t at 10^-8 and 10^-12:  N = 3.

What it shows: that a sum of terms agrees with the function to the order stated, every coefficient of it, because a
wrong one leaves its own, lower power behind.  What it cannot show: the next coefficient.
"""

from collections.abc import Callable

import mpmath
from mpmath import mp, mpf

TOLERANCE = mpf(1) / 4
APART = mpf(10) ** -4
SPARE, SLACK = 40, 4  # digits for rounding; powers of t beyond the order, where the function counts as zero


def shortfall(function: Callable, order, point, growth=0) -> mpf:
    """How much the order at which `function` vanishes falls short of `order`, between `point` and point/10^4.

    The function is called at a precision that makes t^order visible although its parts are as large as t^(-growth).

    >>> [mpmath.nstr(shortfall(lambda t: mp.sin(t) - t, order, 10**-8), 3) for order in (2, 3, 5)]
    ['0.0', '5.43e-19', '2.0']
    """
    first, second = mpf(point), mpf(point) * APART
    digits = -mp.log10(abs(second))
    needed = int(digits * (max(order, 0) + growth + SLACK)) + SPARE
    with mp.workdps(needed):
        here, there = abs(function(first)), abs(function(second))
        if there < mpf(10) ** (SPARE // 2 + digits * growth - needed):
            return mpf(0)
        if here == 0:
            return mpf(order)
        measured = mp.log(here / there) / mp.log(first / second)
    return max(order - measured, mpf(0))  # in this order: of nan and 0, Python's max takes the first


def is_short(amount) -> bool:
    """Whether a shortfall is one."""
    return not mpmath.isfinite(amount) or amount > TOLERANCE

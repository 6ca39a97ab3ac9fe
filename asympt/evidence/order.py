"""To which order a function vanishes at 0, measured in numbers.

If f(t) = c t^N (1 + O(t)), then log|f(s)/f(t)| / log(s/t) is N up to O(s)/log(s/t).  If f(t) = t^N (c_0 + c_1 log t +
... + c_J log^J t + O(t)), the J-th differences of f/t^N over arguments in geometric progression are constant, and grow
by 1/t for every power that is missing.  An order that is stated too high shows as a shortfall of nearly 1 (1/root, if t
is a root): a wrong coefficient leaves its own, lower power behind.

Where the exponent falls short, either the law is wrong or the next terms are still large there.  So the arguments
move closer to 0 until two readings agree; an exponent that never settles decides nothing.

Tiny case.  f = sin t - t at 10^-8 and 10^-12:  N = 3.  f = t^3 (1 - 99 t) at 10^-2 and 10^-3:  N = 1.04, and then 3.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise

import mpmath
from mpmath import mp, mpf, nstr

from asympt.evidence.check import Check

TOLERANCE = mpf(1) / 4
SETTLED = TOLERANCE / 4  # by which two readings of an exponent may differ
MOST = 7  # readings
APART = mpf(10) ** -4
GROWTH = 1.5  # by which what is left may grow, in units of the remainder
NOTHING = mpf(10) ** -100  # of a remainder, which counts as none
SLOW = 0.1  # of a power of the depth, by which a rate may fall short
SPARE, SLACK = 40, 4  # digits for rounding; powers of t beyond the order, where the function counts as zero


def shortfall(function: Callable, order, point, growth=0, apart=APART, logs: int = 0, spare: int = SPARE) -> mpf | None:
    """How much the order at which `function` vanishes falls short of `order`, up to so many logs; None: unsettled.

    Measured between `point`, point * apart, and so on, and closer while it falls short and moves.  The function is
    called at a precision that makes t^order visible although its parts are as large as t^(-growth), with `spare` digits
    for what cancels in it.

    >>> [mpmath.nstr(shortfall(lambda t: mp.sin(t) - t, order, 10**-8), 3) for order in (2, 3, 5)]
    ['0.0', '5.43e-19', '2.0']
    >>> [mpmath.nstr(shortfall(lambda t: t**3 * (mp.log(t) + 5), 3, 10**-2, 0, mpf("0.1"), logs), 3) for logs in (0, 1)]
    ['0.131', '0.0']
    >>> mpmath.nstr(shortfall(lambda t: t**3 * (1 - 99 * t), 3, 10**-2, 0, mpf("0.1")), 3)
    '0.00389'
    """
    last = None
    for closer in range(MOST):
        missing = _reading(function, order, mpf(point) * apart**closer, growth, apart, logs, spare)
        if closer == 0 and not is_short(missing):
            return missing
        if last is not None and (not mpmath.isfinite(missing) or abs(missing - last) <= SETTLED):
            return missing
        last = missing
    return None


def _reading(function: Callable, order, point, growth, apart, logs: int, spare: int) -> mpf:
    points = [point * apart**k for k in range(logs + 2)]
    digits = -mp.log10(abs(points[-1]))
    needed = int(digits * (max(order, 0) + growth + SLACK)) + spare
    with mp.workdps(needed):
        values = [function(t) for t in points]
        if abs(values[-1]) < mpf(10) ** (spare // 2 + digits * growth - needed):
            return mpf(0)
        values = [value / abs(t) ** order for value, t in zip(values, points, strict=True)]
        for _ in range(logs):
            values = [after - before for before, after in pairwise(values)]
        here, there = map(abs, values)
        if here == 0:
            return mpf(order)
        missing = mp.log(there / here) / -mp.log(apart) if there else mpf(0)
    return max(missing, mpf(0))  # in this order: of nan and 0, Python's max takes the first


def is_short(amount) -> bool:
    """Whether a shortfall is one; what is not a number, or has not settled, counts as one."""
    return amount is None or not mpmath.isfinite(amount) or amount > TOLERANCE


def order_check(name: str, missing, detail: str) -> Check:
    """The verdict of a shortfall on the equation `name`: none if it has not settled."""
    title, bound = f"{name}: expected minus observed order", nstr(TOLERANCE, 3)
    if missing is None:
        return Check(title, f"the exponent still moves after {MOST} readings, ever closer to 0", bound, None)
    return Check(title, nstr(missing, 3), bound, not is_short(missing), "checked", detail)


def growth_check(name: str, left: Sequence, sizes: Sequence, where: str, bound=GROWTH, nothing=NOTHING) -> Check:
    """What is left at some depths, in units of the remainder there, must not grow from one depth to the next.

    `nothing`: of a remainder, which counts as none.

    >>> growth_check("x - 1/l", [mpf(1) / 100, mpf(1) / 400], [mpf(1) / 100, mpf(1) / 200], "layers 10 and 20").figure
    '0.5'
    """
    units = [abs(rest) / size for rest, size in zip(left, sizes, strict=True)]
    growth = max((b / max(a, nothing) for a, b in pairwise(units) if not b <= nothing), default=mpf(0))
    detail = f"{where}: {', '.join(nstr(unit, 4) for unit in units)} remainders"
    return Check.measured(f"{name}: growth over the stated remainder", growth, bound, detail, digits=4)


def rate_check(name: str, left: Sequence, rate, shown, where: str) -> Check:
    """What is left at depths that double must at last fall like depth^(-rate); `shown`: the rate in the name."""
    before, last = left[-2:]
    found = mp.log(abs(before / last), 2) if last else mp.inf
    detail = f"{where}; at the last one {nstr(last, 3)} is left"
    title = f"{name}: expected minus observed rate $l^(-{shown})$"
    return Check.measured(title, max(mpf(0), rate - found), mpf(SLOW), detail)

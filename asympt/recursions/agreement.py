"""A number is certified when two routes to it agree: two precisions, two lengths of the series, two matching layers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import mpmath
from mpmath import mp, nstr

from asympt.errors import PrecisionError

DEEPER = mpmath.mpf(3) / 2  # how much further the second route takes the original recursion, as a factor
LATER = 8  # and so many steps at least
LONGER, FINER = 5, 10  # coefficients and digits of the second route beyond those of the first
REMEDY = "ask for fewer digits or report the case"
EXTRA = (0, 25, 75)  # digits added in each attempt
ROOM = 10
SHOWN = 3


@dataclass(frozen=True)
class Route:
    """One way to a number: length of the series, digits, matching layer (`deeper` times as far and `later` more)."""

    last: int
    digits: int
    deeper: object = 1
    later: int = 0


def two_routes(last: int, digits: int) -> list[Route]:
    """Two ways to `digits` digits, the first with a series that ends at t^last."""
    return [Route(last, digits), Route(last + LONGER, digits + FINER, DEEPER, LATER)]


def agree(one, two, digits: int) -> bool:
    """Whether two numbers agree to `digits` significant digits (half a unit of the last); of tuples, every entry.

    >>> agree(mpmath.mpf("1.41421"), mpmath.mpf("1.41422"), 4), agree((1, None), (1, None), 30)
    (True, True)
    """
    if isinstance(two, tuple):
        return all(agree(first, second, digits) for first, second in zip(one, two, strict=True))
    if two is None:
        return one is None
    with mp.workdps(digits + ROOM):
        return abs(one - two) <= abs(two) * mpmath.mpf(10) ** -digits / 2


def agreed(
    pair: Callable[[int], Sequence], digits: int, what: str = "two evaluations at this depth",
    remedy: str = REMEDY, extras: Sequence[int] = EXTRA,
):
    """The second of the two results of pair(extra), for the first `extra` number of digits with which they agree.

    Raises `PrecisionError` when they never do: "`what` do not agree to ... digits (...); `remedy`".
    """
    for extra in extras:
        one, two = pair(extra)
        if agree(one, two, digits):
            return two
    raise PrecisionError(f"{what} do not agree to {digits} digits ({_shown(one)} and {_shown(two)}); {remedy}")


def _shown(result) -> str:
    if isinstance(result, tuple):
        return ", ".join(_shown(entry) for entry in result if entry is not None)
    return nstr(result, SHOWN)


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

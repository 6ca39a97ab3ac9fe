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
GUARD = 10
SHOWN = 3


@dataclass(frozen=True)
class Route:
    """One way to a number: length of the series, digits, matching layer (`deeper` times as far and `later` more).

    `spare`: digits to calculate with beyond those that the number must have.
    """

    last: int
    digits: int
    deeper: object = 1
    later: int = 0
    spare: int = 0


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
    with mp.workdps(digits + GUARD):
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

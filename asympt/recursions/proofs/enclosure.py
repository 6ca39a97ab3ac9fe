"""The quantity of one start at one depth, and the connection constants, between two numbers that are proved."""

from collections.abc import Callable, Mapping
from functools import lru_cache

from flint import arb

from asympt.balls.arithmetic import Refused, bits_for, ends, nearest
from asympt.balls.numbers import digit_class
from asympt.balls.printed import PrintedLaw
from asympt.deadline import in_budget
from asympt.errors import PrecisionError
from asympt.numbers import check_depth, check_digits
from asympt.recursions.agreement import GUARD

SPARE = 8  # digits beyond those asked
PLAIN = 2_000  # layers that are iterated without a theorem
OUTRIGHT = 16  # layers that are iterated before a theorem is looked for
ATTEMPTS = 4
PLAIN_ATTEMPTS = 6  # each with twice as many bits: an orbit may be chaotic before it falls


@in_budget("enclosing the law's quantity")
def enclosed_value(law, depth: int, digits: int, given: Mapping) -> tuple:
    """(lower, upper) of the quantity at the depth, to about so many digits."""
    depth, digits = check_depth(depth), check_digits(digits)
    return ends(value_ball(law.asked, law._start(given), depth, digits), digits + 3)


def proved_value(asked: PrintedLaw, start, depth: int, digits: int):
    """The quantity at the depth as an mpmath number, correct to the digits; `Refused` or `PrecisionError` otherwise."""
    return nearest(value_ball(asked, start, depth, digits), digits + GUARD)


def proved_constants(asked: PrintedLaw, start, digits: int, second: bool = False) -> tuple:
    """(C, D) likewise; D is None for a law without one, and may be None unless it is asked for as the `second`."""
    balls = _accurate(lambda more: _numbers(asked).constants(start, more), digits)
    if second and balls[1] is None:
        raise Refused("D of this law is not proved to given digits")
    return tuple(None if ball is None else nearest(ball, digits + GUARD) for ball in balls)


def require_theorem(asked: PrintedLaw, digits: int) -> None:
    """An error, with the reason, unless the coordinate is proved near the fixed point."""
    _numbers(asked).edge(digit_class(digits + SPARE))


def value_ball(asked: PrintedLaw, start, depth: int, digits: int) -> arb:
    """A ball for the quantity whose relative radius is below 10^-digits."""
    if start == 0:
        raise Refused("the start is the fixed point itself")
    if depth - asked.first <= OUTRIGHT:
        return _iterated(asked, start, depth, digits)
    try:
        return _accurate(lambda more: (_numbers(asked).value(start, depth, more),), digits)[0]
    except (Refused, PrecisionError):
        if depth - asked.first > PLAIN:
            raise
        return _iterated(asked, start, depth, digits)


def _accurate(balls: Callable[[int], tuple], digits: int) -> tuple:
    """The first of a few attempts whose balls fix the digits; each has so many more as the one before had lost."""
    asked = digit_class(digits + SPARE)
    for _ in range(ATTEMPTS):
        found = balls(asked)
        if all(ball is None or _fixes(ball, digits) for ball in found):
            return found
        asked = digit_class(asked + max(2, min(digits + SPARE, digits + 2 - _seen(found))))
    raise PrecisionError(f"{digits} digits are not enclosed; ask for fewer digits")


def _seen(found: tuple) -> int:
    """Digits that all of these balls show; negative where one shows none."""
    return min(int(ball.rel_accuracy_bits() / 3.33) for ball in found if ball is not None)


def _fixes(ball: arb, digits: int) -> bool:
    return ball.is_finite() and ball.rel_accuracy_bits() > bits_for(digits, 2)


def _iterated(asked: PrintedLaw, start, depth: int, digits: int) -> arb:
    """The recursion itself in balls, with so many bits that the digits are left."""
    bits = bits_for(digit_class(digits + SPARE))
    reason = PrecisionError(f"{digits} digits at depth {depth} are lost on the way; ask for fewer digits")
    for _ in range(PLAIN_ATTEMPTS):
        try:
            found = _numbers(asked).at(start, depth, bits)
            if _fixes(found, digits):
                return found
        except (Refused, PrecisionError) as refused:  # a wide ball is not seen to fall either
            reason = refused
        bits *= 2
    raise reason


@lru_cache(maxsize=256)
def _numbers(asked: PrintedLaw):
    """Made once for a law."""
    return asked.numbers

"""Any depth at one price: iterate a little, cross to the coordinate (`Coordinate.crossing`), advance, and come back.

Everything is done by two routes that must agree (`agreement`); an error that both make is not seen.  Where the map has
a theorem in ball arithmetic a law's numbers come from there (`proofs.enclosure`), and `Evaluated` says which it was.
"""

from collections.abc import Callable
from dataclasses import dataclass

from mpmath import mp
from sympy import Expr

from asympt.errors import PrecisionError
from asympt.recursions.agreement import agreed
from asympt.recursions.protocol import Coordinate
from asympt.recursions.truncated import GUARD

FINER = (0, 100, 330)  # digits more, one after the other, for a C of which no digit is seen: A - n cancels

FURTHER = (100, 400, 1600)  # digits more for a depth that is iterated to because two crossings do not agree
PROVED, AGREED = "proved", "two routes agree"


@dataclass(frozen=True)
class Evaluated:
    """A number and how far to trust it.

    trust: 'proved' for one that is rounded from a ball in which it is proved to lie, else 'two routes agree': two
    computations at two precisions, with series of two lengths, gave it;  reason: why it is not proved.
    """

    value: object
    trust: str
    reason: str = ""


def first(state: tuple):
    """x."""
    return state[0]


def value_at(coordinate: Coordinate, start: Expr, depth: int, route) -> tuple:
    """(x,) or (x, a) at index `depth`, by one route: one precision, one length of the series, one crossing."""
    crossing = coordinate.crossing_before(start, depth, route)
    if crossing is None or depth <= crossing.layer:
        return coordinate.to_layer(start, depth, route, crossing)
    return crossing.state(depth)


def certified(coordinate: Coordinate, start: Expr, depth: int, digits: int, read: Callable | None = None):
    """The quantity (or what `read` finds in the state) at index `depth`, to digits on which two routes agree."""

    def pair(extra: int) -> list:
        return [at(route) for route in coordinate.routes(digits + coordinate.spare[0] + extra, depth)]

    def at(route):
        state = value_at(coordinate, start, depth, route)
        with mp.workdps(route.digits + GUARD):
            return (read or coordinate.read)(state)

    def iterated(extra: int) -> list:
        found = []
        for route in coordinate.routes(digits + coordinate.spare[0] + extra, depth):
            with mp.workdps(route.digits + GUARD):
                found.append((read or coordinate.read)(coordinate.to_layer(start, depth, route, None)))
        return found

    try:
        return agreed(pair, digits, remedy=coordinate.value_remedy, extras=coordinate.extras)
    except PrecisionError:
        if depth > coordinate.plain_depth:
            raise
        return agreed(iterated, digits, remedy=coordinate.value_remedy, extras=FURTHER)


def constants(coordinate: Coordinate, start: Expr, digits: int, second: bool = False) -> tuple:
    """(C, D) as the law has them; D may be None unless it is asked for as the `second`."""
    lost = 0

    def pair(extra: int) -> list[tuple]:
        nonlocal lost
        routes = coordinate.routes(digits + coordinate.spare[1] + lost + extra)
        found = [_crossing(coordinate, start, route) for route in routes]
        lost = max(lost, found[1].lost)
        return [crossing.constants(second) for crossing in found]

    for finer in FINER:
        found = agreed(
            lambda extra, more=finer: pair(extra + more), digits, coordinate.constants_named, coordinate.remedy,
            coordinate.extras,
        )  # fmt: skip
        if found[0] != 0 or not coordinate.cancels:
            return found
    raise PrecisionError(f"C cannot be told from 0 with {digits + FINER[-1]} digits; it may be 0")


def _crossing(coordinate: Coordinate, start: Expr, route):
    crossing = coordinate.crossing(start, route)
    if crossing is None:
        raise PrecisionError("the orbit reaches the fixed point exactly, so it has no connection constant")
    return crossing

"""Where the numerical checks begin: the start that was asked for, or one that the map itself is seen to bring in."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from mpmath import mp
from sympy import Expr, Rational

from asympt.errors import AsymptError, InputError, PrecisionError
from asympt.evidence.check import Check
from asympt.evidence.law_terms import changes_sides
from asympt.numbers import exact, to_mpf

WATCHED = 50
TRIED = (*range(1, 13), 16, 24, 32, 48, 64, 96, 128)  # powers of 1/4; the last ones for a hundred digits and more
DIGITS = 30
SHORT, LONG = 12_000, 400_000  # layers that may be iterated from a start that was chosen, and from one that was given


@dataclass(frozen=True)
class Start:
    """The exact distance y_0, how a reader calls it, and how many layers it may take."""

    value: Expr
    label: str
    most: int


def starts(law, given=None, approaches: Callable | None = None) -> Iterator[Start]:
    """The start that was given, or those that approach the fixed point, one after the other."""
    if given is not None:
        yield Start(read_start(law, given), f"x_0 = {given}", LONG)
        return
    for k in TRIED:
        value = Rational(1, 4**k)
        if (approaches or _approaches)(law, value):
            yield Start(value, f"x_0 = {outer(law, value)}", SHORT)


def from_first(law, given, work: Callable[[Start], list[Check]], approaches: Callable | None = None) -> list[Check]:
    """The checks from the first start for which they can be done in time."""
    reason = "none of the starts y_0 = 1/4, 1/16, ... is brought closer to the fixed point by the map; give start=..."
    for start in starts(law, given, approaches):
        try:
            return work(start)
        except PrecisionError as error:
            reason = str(error)
    raise PrecisionError(reason)


def read_start(law, given) -> Expr:
    """The exact distance of a start from the fixed point, as the law's own reader takes it."""
    if law.reader is None:
        return exact(given, "start")
    if "start" not in inspect.signature(law.reader).parameters:
        raise InputError(f"start = {given}: the start of this law is not given as `start`; leave it out")
    return law.reader(start=given)


def outer(law, value: Expr) -> Expr:
    """The start that lies at this distance from the fixed point."""
    fixed = law.fixed
    if fixed is None:
        return value
    return fixed.sign / value if fixed.at_infinity else fixed.point + fixed.sign * value


def _approaches(law, value: Expr) -> bool:
    """Whether the original map brings the distance down, every second step, without changing sides unless it may."""
    try:
        with mp.workdps(DIGITS):
            state = (to_mpf(value), law.dynamics.linear.start(to_mpf(value))) if law.linear else (to_mpf(value),)
            distances = _distances(law, value, state)
            closer = all(0 < abs(b) < abs(a) for a, b in zip(distances, distances[2:], strict=False))
            return closer and (law.abel is None or changes_sides(law) or min(distances) > 0)
    except AsymptError:
        return False


def _distances(law, value: Expr, state: tuple) -> list:
    """Those of `WATCHED` steps."""
    if not hasattr(law.dynamics, "step"):  # steps that depend on the layer
        return [law.dynamics.iterate(value, law.dynamics.first + k) for k in range(WATCHED)]
    orbit = [state]
    for _ in range(WATCHED):
        orbit.append(law.dynamics.step(orbit[-1]))
    return [entry[0] for entry in orbit]

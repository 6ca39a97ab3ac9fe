"""Any depth at one price: iterate a little, cross to the coordinate (`Coordinate.crossing`), advance, and come back.

By two routes that must agree (`agreement`), or, where the map has one, by a theorem in ball arithmetic
(`proofs.formal`); `Evaluated` tells which.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from math import isqrt

from mpmath import mp, mpf, nstr
from sympy import Expr, Float, Integer

from asympt.compiling import as_function
from asympt.errors import InputError, PrecisionError, UnsupportedError
from asympt.expansions import Heuristic
from asympt.expansions.printing import numbered
from asympt.numbers import check_depth, exact, to_mpf
from asympt.recursions.agreement import GUARD, agreed
from asympt.recursions.protocol import Coordinate

FINER = (0, 100, 330)  # digits more, one after the other, for a C of which no digit is seen: A - n cancels

FURTHER = (100, 400, 1600)  # digits more for a depth that is iterated to because two crossings do not agree
FLOAT = 17  # digits of a float64
LIBRARY, AGREED = "library", "two routes"
MONOTONE = "only a monotone quantity has such a depth"


@dataclass(frozen=True)
class Evaluated:
    """A number and how far to trust it.

    trust: 'library' for one that is rounded from a ball in which the library proves it to lie, else 'two routes': two
    computations at two precisions, with series of two lengths, agree upon it;  reason: why it is not proved.
    """

    value: object
    trust: str
    reason: str = ""


def first(state: tuple):
    return state[0]


def value_at(coordinate: Coordinate, start: Expr, depth: int, route) -> tuple:
    """(x,) or (x, a) at index `depth`, by one route: one precision, one length of the series, one crossing."""
    crossing = coordinate.crossing_before(start, depth, route)
    if crossing is None or depth <= crossing.layer:
        return coordinate.to_layer(start, depth, route, crossing)
    return crossing.state(depth)


def certified(coordinate: Coordinate, start: Expr, depth: int, digits: int, read: Callable | None = None):
    """The quantity (or what `read` finds in the state) at index `depth`, to digits on which two routes agree."""

    def pair(state_by: Callable, extra: int) -> list:
        found = []
        for route in coordinate.routes(digits + coordinate.spare[0] + extra, depth):
            state = state_by(route)
            with mp.workdps(route.digits + GUARD):
                found.append((read or coordinate.read)(state))
        return found

    try:
        return agreed(partial(pair, partial(value_at, coordinate, start, depth)), digits, extras=coordinate.extras)
    except PrecisionError:
        if depth > coordinate.plain_depth:
            raise
        iterated = partial(coordinate.to_layer, start, depth, crossing=None)
        return agreed(partial(pair, iterated), digits, extras=FURTHER)


def constants(coordinate: Coordinate, start: Expr, digits: int, second: bool = False) -> tuple:
    """(C, D) as the law has them; D may be None unless requested as the `second`."""
    lost = 0

    def pair(extra: int) -> list[tuple]:
        nonlocal lost
        routes = coordinate.routes(digits + coordinate.spare[1] + lost + extra)
        found = [coordinate.crossing(start, route) for route in routes]
        if None in found:
            raise PrecisionError("the orbit reaches the fixed point exactly, so it has no connection constant")
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


DEPTHS = (10**3, 10**4, 10**6, 10**9)
LENGTHS = (4, 8, 16)  # depths of a hyperbolic law, in units of 1/|log|chi||
SPARE = 12
FIGURES = 3


def estimated(law, depths, start: dict) -> Heuristic:
    """The measured remainder of a law for one start."""
    if law.remainder is None:
        raise UnsupportedError("the law is an exact finite sum, so it has no remainder to estimate")
    law.coordinate.require_drawn("estimated remainder")
    law = law.for_start(**start)
    depths = _depths(law) if depths is None else _read(depths)
    figures = [_figure(law, depth, start) for depth in depths]
    return Heuristic(law.remainder.monomial, Float(nstr(max(figures), FIGURES)), Integer(min(depths)))


def _read(depths) -> tuple:
    """Several depths, each a whole number."""
    given = None if isinstance(depths, str) or not isinstance(depths, Iterable) else tuple(depths)
    if not given:
        raise InputError(f"depths = {depths!r} is not a list of depths; give several, such as (1000, 10**6), or None")
    return tuple(map(check_depth, given))


def _depths(law) -> tuple:
    """Where to look: powers of ten, or a few correlation lengths where the approach is exponential."""
    if law.koenigs is None:
        return tuple(depth + r for depth in DEPTHS for r in law.branches)
    length = 1 / abs(mp.log(abs(to_mpf(law.koenigs.multiplier))))
    return tuple(int(times * length) + 1 for times in LENGTHS)


def _figure(law, depth: int, start: dict):
    """|quantity - law| in units of the monomial at one depth."""
    expansion = law.branch(depth)
    scale, at = expansion.scale, {expansion.scale.depth: Integer(depth)}
    size, lead = (to_mpf(scale.to_sympy(m).subs(at)) for m in (law.remainder.monomial, expansion.leading[0]))
    digits = min(200, SPARE + max(0, int(mp.log10(abs(lead / size)))))
    values = at | {law.constant_symbols["C"]: exact(law.connection_constant(digits=digits, **start))}
    if law.linear is not None:
        values[law.constant_symbols["D"]] = exact(law.second_constant(digits=digits, **start))
    with mp.workdps(digits + SPARE):
        printed = to_mpf(expansion.to_sympy().subs(values))
        return abs(law.evaluate(depth=depth, digits=digits, **start) - printed) / abs(size)


# ---- the formula in float64, and its inverse ----------------------------------------------------

ROUGH, SURE = 15, 25  # digits more than a depth has, to which values are compared; and more where these agree
DEEPEST = 10**150
EARLY = 12  # depths 1, 2, 4, ..., between which a quantity may have gone beyond its limit and come back


def in_floats(law) -> Callable:
    """f(depth, **start): the formula in NumPy; see `Law.to_numpy`."""
    from asympt.arrays import finite_array

    once = None if len(law.branches) > 1 else _compiled(law)
    known = {"C": law.connection_constant, "D": law.second_constant}

    def values(depth, **start):
        depths = finite_array(depth, "depth")
        if not (depths >= 1).all():
            raise InputError(f"depth = {depth} is not a depth everywhere; give numbers from 1 on")
        function, used = once or _compiled(law.for_start(**start) if start else law)
        given = [finite_array(known[name](digits=None, **start), name) for name in used]
        return function(depths, *given) + 0 * depths

    return values


def _compiled(law) -> tuple[Callable, list[str]]:
    """The formula as a function of the depth and of those of C and D that it has, and which these are."""
    formula = numbered(law.to_sympy(), FLOAT)
    used = {name: letter for name, letter in law.constant_symbols.items() if formula.has(letter)}
    return as_function([law.depth_variable, *used.values()], formula, "numpy"), list(used)


def first_depth(law, value, start: dict) -> int:
    """The first depth at which the quantity has reached the value; see `Law.depth_for`."""
    value = exact(value, "value")
    if len(law.branches) > 1 or (law.koenigs is not None and law.koenigs.multiplier.is_negative):
        raise UnsupportedError(f"{law.plain} changes sides at every step; {MONOTONE}")

    def beyond(depth: int) -> mpf:
        """The quantity minus the value; 0 where no digit tells them apart."""
        for more in (ROUGH, ROUGH + SURE + len(str(value))):
            with mp.workdps(len(str(depth)) + more):
                found = law.evaluate(depth=depth, digits=mp.dps, **start) - to_mpf(value)
                if abs(found) > abs(to_mpf(value)) * mp.eps * 10:
                    return found
        return mpf(0)

    first = beyond(1)
    if first == 0:
        return 1
    side = mp.sign(first)
    if law.limit == value or bool((law.limit - value).is_extended_positive) == (side > 0):
        if _turns(lambda depth: side * beyond(depth)):
            raise UnsupportedError(f"{law.plain} reaches {value} and turns back; {MONOTONE}")
        shown = nstr(first + to_mpf(value), FIGURES)
        told = f"goes from {shown} to {numbered(law.limit)} and never reaches {value}"
        raise InputError(f"{law.plain} {told}; give one between")
    low, high = _passed(law, value, beyond, first)
    while high - low > 1:
        middle = (low + high) // 2 if high < 4 * low else isqrt(low * high)
        low, high = (middle, high) if mp.sign(beyond(middle)) == side else (low, middle)
    return high


def _turns(left: Callable) -> bool:
    """Whether what is left to a value, which has one least, is gone there: it lies beside the least at 1, 2, 4, ..."""
    depths = [2**k for k in range(EARLY)]
    least = min(range(EARLY), key=lambda k: left(depths[k]))
    low, high = depths[max(least - 1, 0)], depths[min(least + 1, EARLY - 1)]
    while high - low > 2:
        one, two = low + (high - low) // 3, high - (high - low) // 3
        low, high = (low, two) if left(one) <= left(two) else (one, high)
    return any(left(depth) <= 0 for depth in range(low, high + 1))


def _passed(law, value: Expr, beyond: Callable, first: mpf) -> tuple[int, int]:
    """Two depths between which the quantity passes the value, each far deeper than the one before."""
    depth, now, side = 1, first, mp.sign(first)
    while mp.sign(now) == side:
        last, before, depth = depth, now, 2 * depth if depth < 2**64 else depth**2
        if depth > DEEPEST:
            raise UnsupportedError(f"{law.plain} has not reached {value} at a depth of 10^150; give a closer value")
        now = beyond(depth)
        if (now - before) * side > 0:
            raise UnsupportedError(f"{law.plain} turns before depth {depth}; {MONOTONE}")
    return last, depth

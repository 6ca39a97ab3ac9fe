"""Any depth at one price: iterate a little, cross to the coordinate, advance there, and come back.

Problem.  x_L for L = 10^100, to 100 digits, with a certificate.

Rule.  Iterate the original recursion from x until t is within the accuracy radius of the numeric coordinate N (the
matching layer n).  There read off the position N(t_n) and the weight (a_n - P(t_n))/H(t_n); advance both by L - n
layers, solve N(t) = position by Newton's method, and evaluate x or a = P(t) + weight H(t):

    Abel      A + (L - n)          weight                     C = A(t_n) - n,        D = weight
    Koenigs   mu^(L - n) U         lambda_0^(L-n) (weight + r U^k (L - n))
                                                              C = U(t_n)^root/chi^n, D = weight/lambda_0^n or so

mu^(L - n) is computed with as many more digits as L has.  Everything is done by two routes that must agree
(`agreement`): the second iterates the original map further, by half as many layers again (Abel) or a third closer
(Koenigs) and some layers later, even from a start where the first crosses at once.

Tiny case.  ReLU, 30 digits: 30 coefficients, matching layer 60 or so; 10^3 and 10^100 cost the same.

Known limits.  The number of layers before the matching layer grows like 1/rho for a nearly linear activation, and like
1/log|mu| for a multiplier near 1: see `orbit`.
"""

from dataclasses import dataclass
from functools import lru_cache

import mpmath
from mpmath import mp
from sympy import Expr

from asympt.errors import PrecisionError
from asympt.numbers import to_mpf
from asympt.recursions.agreement import Route, agreed, two_routes
from asympt.recursions.coordinates.numeric import GUARD
from asympt.recursions.orbit import SHALLOW
from asympt.recursions.protocol import Coordinate, Dynamics, NumericCoordinate

MOST_FORGETTING = 20_000
EXTRA = (0, 25, 100)
FINER = (0, 100, 330)  # digits more, one after the other, for a C of which no digit is seen: A - n cancels


@dataclass(frozen=True)
class MatchingLayer:
    """Layer n where the orbit crosses into the coordinate, N(t_n), the weight of H there and the digits it lost."""

    layer: int
    position: object
    weight: object = 0
    lost: int = 0


def routes(coordinate: Coordinate, digits: int) -> list[Route]:
    """Two ways to `digits` digits."""
    return two_routes(coordinate.series_length(digits), digits)


# ---- the matching layer ---------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def matching_layer(coordinate: Coordinate, start: Expr, route: Route) -> MatchingLayer | None:
    """Iterate from `start` to the matching layer; None when the orbit reaches the fixed point exactly."""
    numeric = coordinate.numeric(route.last, route.digits)
    state, layer = coordinate.orbit.to_matching(coordinate, start, route)
    with mp.workdps(route.digits + GUARD):
        if state[0] == 0:
            return None
        if coordinate.dynamics.linear is not None and numeric.forgets:
            state, layer = _forgotten(coordinate.dynamics, numeric, state, layer, route.digits)
        return _crossing(numeric, state, layer)


def _crossing(numeric: NumericCoordinate, state: tuple, layer: int) -> MatchingLayer:
    t = numeric.enter(state[0])
    if len(state) == 1 or numeric.forgets:
        return MatchingLayer(layer, numeric.position(t))
    rest = state[1] - numeric.particular(t)
    lost = int(mp.log10(abs(state[1] / rest))) if rest and state[1] else 0
    return MatchingLayer(layer, numeric.position(t), rest / numeric.homogeneous(t), max(0, lost))


def _forgotten(dynamics: Dynamics, numeric: NumericCoordinate, state: tuple, layer: int, digits: int) -> tuple:
    """Further, until the part of a that remembers the start is below the precision; then a = P(t)."""
    for _ in range(MOST_FORGETTING):
        value = numeric.particular(numeric.enter(state[0]))
        if abs(state[1] - value) <= abs(value) * mpmath.mpf(10) ** -digits:
            return state, layer
        state, layer = dynamics.step(state), layer + 1
    raise PrecisionError(
        f"after {MOST_FORGETTING} steps a_n still remembers its start to the digits asked; ask for fewer digits"
    )


def require_basin(coordinate: Coordinate, start: Expr, digits: int) -> None:
    """An error, with the reason, when the orbit of `start` does not come to the fixed point."""
    try:
        matching_layer(coordinate, start, routes(coordinate, digits + 8)[0])
    except PrecisionError:
        return  # too slow for the expansion: whoever evaluates decides what can still be said


# ---- values ---------------------------------------------------------------------------------------


def value_at(coordinate: Coordinate, start: Expr, depth: int, route: Route) -> tuple:
    """(x,) or (x, a) at index `depth`, by one route: one precision, one length of the series, one matching layer."""
    crossing = _matching_before(coordinate, start, depth, route)
    if crossing is None or depth <= crossing.layer:
        return coordinate.orbit.to_layer(coordinate, start, depth, route, by_leaps=crossing is not None)
    numeric, steps = coordinate.numeric(route.last, route.digits), depth - crossing.layer
    with mp.workdps(route.digits + GUARD):
        t = numeric.solve(numeric.advance(crossing.position, steps))
        if coordinate.dynamics.linear is None:
            return (numeric.leave(t),)
        weight = numeric.weight_after(crossing.weight, crossing.position, steps)
        return numeric.leave(t), numeric.particular(t) + numeric.homogeneous(t) * weight


def _matching_before(coordinate: Coordinate, start: Expr, depth: int, route: Route) -> MatchingLayer | None:
    """The matching layer, unless `depth` is so small, or that layer so far away, that `depth` is iterated to."""
    steps = depth - coordinate.dynamics.first
    if coordinate.orbit.is_short(coordinate, start, depth, route):
        return None
    try:
        crossing = matching_layer(coordinate, start, route)
    except PrecisionError:
        if steps > coordinate.orbit.longest_without:
            raise
        return None
    return crossing if steps > SHALLOW else None


def certified(coordinate: Coordinate, start: Expr, depth: int, digits: int, which: int = -1):
    """a, or x where there is no linear part (`which` = 0: x), to `digits` digits, agreed upon by two routes."""

    def pair(extra: int) -> list:
        ways = routes(coordinate, digits + 8 + extra)
        return [value_at(coordinate, start, depth, route)[which] for route in ways]

    return agreed(pair, digits, extras=EXTRA)


def at_rest(dynamics: Dynamics, depth: int, digits: int):
    """a at index `depth` when x_0 = 0: lambda and b are constant, so a - b/(1 - lambda) is multiplied by lambda."""

    def pair(extra: int) -> list:
        return [_at_rest(dynamics, depth, digits + more + extra) for more in (8, 30)]

    return agreed(pair, digits, extras=EXTRA)


def _at_rest(dynamics: Dynamics, depth: int, digits: int):
    steps = depth - dynamics.first
    with mp.workdps(digits + GUARD):
        a, lead, push = dynamics.linear.start(mpmath.mpf(0)), dynamics.linear.multiplier(1)[0], dynamics.linear.forcing
        pull, push = to_mpf(lead), to_mpf(push(1)[0])
        if lead == 1:
            return a + steps * push
        fixed = push / (1 - pull)
        with mp.workdps(mp.dps + len(str(steps)) + GUARD):
            power = to_mpf(lead) ** steps
        return fixed + power * (a - fixed)


# ---- constants ------------------------------------------------------------------------------------


def constants(coordinate: Coordinate, start: Expr, digits: int) -> tuple:
    """(C, D) as the law has them (`NumericCoordinate.constants`)."""
    lost, what = 0, "two readings of the connection constants"

    def pair(extra: int) -> list[tuple]:
        nonlocal lost
        found = [_constants(coordinate, start, route) for route in routes(coordinate, digits + 10 + lost + extra)]
        lost = max(lost, found[1][1])
        return [pair for pair, _ in found]

    for finer in FINER:
        found = agreed(lambda extra, more=finer: pair(extra + more), digits, what, coordinate.remedy, EXTRA)
        if found[0] != 0:
            return found
    raise PrecisionError(f"C cannot be told from 0 with {digits + FINER[-1]} digits; it may be 0")


def _constants(coordinate: Coordinate, start: Expr, route: Route) -> tuple:
    """(C, D), and how many digits D has lost."""
    crossing = matching_layer(coordinate, start, route)
    if crossing is None:
        raise PrecisionError("the orbit reaches the fixed point exactly, so it has no connection constant")
    numeric = coordinate.numeric(route.last, route.digits)
    with mp.workdps(route.digits + GUARD):
        return numeric.constants(crossing.layer, crossing.position, crossing.weight), crossing.lost

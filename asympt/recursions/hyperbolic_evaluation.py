"""Any depth at one price: iterate a little, cross to the Koenigs coordinate, multiply by chi^steps, and come back.

Problem.  x_n for n = 10^100, to 100 digits, with a certificate; the distance is then of the size 10^(-10^99).

Rule.  Iterate the original recursion from y_0 until |t| is within the reach of the chart (the hand-over, index m).
Then

    U(t_n) = mu^(n-m) U(t_m),     a_n = p(t_n) + h(t_n) lambda_0^(n-m) ((a_m - p(t_m))/h(t_m) + r U(t_m)^k (n-m)),

and U is inverted by Newton's method.  mu^(n-m) is computed with as many more digits as n has.  The constants are

    C = U(t_m)^root / chi^m,      D = (a_m - P(t_m))/H(t_m)   or   (a_m - P(t_m))/(lambda_0^m h(t_m)).

Everything is done by two routes that must agree (`agreement`), the second hand-over a third closer to the fixed point
and some steps later, even from a start where the first hands over at once.

Tiny case.  y' = y/(2 - y) from 1/2, 30 digits: hand-over at step 6; 10^3 and 10^100 cost the same.
"""

from dataclasses import dataclass
from functools import lru_cache

import mpmath
from mpmath import mp
from sympy import Expr

from asympt.errors import PrecisionError
from asympt.numbers import to_mpf
from asympt.recursions.agreement import Route, agreed, two_routes
from asympt.recursions.coordinates.abel_numeric import GUARD
from asympt.recursions.coordinates.koenigs_numeric import Chart, chart, multiplier, pace, series_length
from asympt.recursions.hyperbolic_orbit import to_index, travel
from asympt.recursions.orbit import MOST_STEPS, SHALLOW
from asympt.recursions.protocol import Dynamics

CHEAP = 5000  # so many steps to the hand-over are taken even for a smaller depth, to see that the orbit comes there
EXTRA = (0, 25, 100)


@dataclass(frozen=True)
class HandOver:
    """Index m where the orbit crosses into the chart, U(t_m), and (a_m - p(t_m))/h(t_m) with the digits it lost."""

    index: int
    position: object
    weight: object = None
    lost: int = 0


def routes(dynamics: Dynamics, digits: int) -> list[Route]:
    """Two ways to `digits` digits."""
    return two_routes(series_length(dynamics, digits), digits)


@lru_cache(maxsize=4096)
def hand_over(dynamics: Dynamics, start: Expr, route: Route) -> HandOver:
    """Iterate from y_0 = `start` to the hand-over of a route."""
    known = chart(dynamics, route.last, route.digits)
    with mp.workdps(route.digits + GUARD):
        edge, later = _edge(dynamics, known, start, route)
        carry = _carry(dynamics, edge, later)
    entered = None

    def arrived(state, index):
        nonlocal entered
        if index == dynamics.first:
            entered = None
        if entered is None and abs(uniformiser(dynamics, state[0])) <= edge:
            entered = index
        return entered is not None and index >= entered + later

    state, index = travel(dynamics, start, route.digits, arrived, carry)
    with mp.workdps(route.digits + GUARD):
        return _crossing(dynamics, known, state, index)


def _crossing(dynamics: Dynamics, known: Chart, state: tuple, index: int) -> HandOver:
    t = uniformiser(dynamics, state[0])
    if dynamics.linear is None:
        return HandOver(index, known.position(t))
    rest = state[1] - known.value(t)
    lost = int(mp.log10(abs(state[1] / rest))) if rest and state[1] else 0
    return HandOver(index, known.position(t), rest / known.wave(t), max(0, lost))


def uniformiser(dynamics: Dynamics, y):
    """t = y^(1/root), with the sign of y where root is 1."""
    return y if dynamics.root == 1 else mp.root(y, dynamics.root)


def _edge(dynamics: Dynamics, known: Chart, start: Expr, route: Route) -> tuple:
    """Up to which |t| the orbit is iterated, and how many steps more."""
    if not route.later:
        return known.reach, 0
    edge = min(known.reach, abs(uniformiser(dynamics, abs(to_mpf(start))))) / route.deeper
    return edge, max(1, min(route.later, int(-40 / mp.log10(abs(to_mpf(multiplier(dynamics)))))))


def steps_ahead(dynamics: Dynamics, start: Expr, route: Route):
    """About how many steps lie before the hand-over, from within the circle of convergence."""
    known = chart(dynamics, route.last, route.digits)
    with mp.workdps(20):
        edge = _edge(dynamics, known, start, route)[0]
        radius = edge * mpmath.mpf(10) ** (mpmath.mpf(route.digits) / route.last)
        first = abs(uniformiser(dynamics, abs(to_mpf(start))))
        return mp.log(min(first, radius) / edge) / -mp.log(abs(pace(dynamics)))


def _carry(dynamics: Dynamics, edge, later: int) -> int:
    """Digits that a distance at the hand-over loses when the map is evaluated as G(x* + y) - x*."""
    chi = abs(to_mpf(multiplier(dynamics)))
    below = -dynamics.root * mp.log10(edge) - (later + 1) * mp.log10(chi) - mp.log10(1 - chi)
    return int(max(0, below)) + 5


# ---- values ---------------------------------------------------------------------------------------


def value_at(dynamics: Dynamics, start: Expr, depth: int, route: Route) -> tuple:
    """(y,) or (y, a) at index `depth`, by one route."""
    crossing = _crossing_before(dynamics, start, depth, route)
    if crossing is None:
        return travel(dynamics, start, route.digits, to_index(depth))[0]
    steps = depth - crossing.index
    known = chart(dynamics, route.last, route.digits)
    with mp.workdps(route.digits + GUARD):
        t = known.solve(crossing.position * grown(pace, dynamics, steps))
        if dynamics.linear is None:
            return (t**dynamics.root,)
        weight = crossing.weight
        if known.free is not None:
            weight = weight + known.resonance * crossing.position**known.free * steps
        return t**dynamics.root, known.value(t) + known.wave(t) * grown(slope, dynamics, steps) * weight


def _crossing_before(dynamics: Dynamics, start: Expr, depth: int, route: Route) -> HandOver | None:
    """The hand-over, if it lies before `depth`; otherwise `depth` is near enough to be iterated to."""
    steps, ahead = depth - dynamics.first, steps_ahead(dynamics, start, route)
    if ahead > CHEAP and steps <= min(ahead, MOST_STEPS):
        return None
    if ahead > MOST_STEPS:
        raise PrecisionError(
            f"about {mpmath.nstr(ahead, 2)} steps would have to be iterated before the expansion is accurate, more "
            f"than {MOST_STEPS}, because the multiplier is so close to 1 in size; start closer, or take a smaller depth"
        )
    crossing = hand_over(dynamics, start, route)
    return crossing if steps > SHALLOW and depth > crossing.index else None


def slope(dynamics: Dynamics):
    """lambda_0 at mpmath's precision."""
    return to_mpf(dynamics.linear.multiplier(1)[0])


def grown(base, dynamics: Dynamics, steps: int):
    """base(dynamics)^steps to mpmath's precision, however large `steps` is."""
    with mp.workdps(mp.dps + len(str(abs(steps))) + 5):
        value = base(dynamics) ** steps
    return +value


def certified(dynamics: Dynamics, start: Expr, depth: int, digits: int, which: int = 0):
    """y (`which` = 0) or a (1) at index `depth` to `digits` significant digits, agreed upon by two routes."""

    def pair(extra: int) -> list:
        return [value_at(dynamics, start, depth, route)[which] for route in routes(dynamics, digits + 8 + extra)]

    return agreed(pair, digits, extras=EXTRA)


def resting(dynamics: Dynamics, depth: int, digits: int):
    """a at index `depth` when y_0 = 0: lambda and b are constant, so a - b/(1 - lambda) is multiplied by lambda."""

    def pair(extra: int) -> list:
        return [_resting(dynamics, depth, digits + more + extra) for more in (8, 30)]

    return agreed(pair, digits, extras=EXTRA)


def _resting(dynamics: Dynamics, depth: int, digits: int):
    steps = depth - dynamics.first
    with mp.workdps(digits + GUARD):
        a, pull, push = dynamics.linear.start(mpmath.mpf(0)), slope(dynamics), to_mpf(dynamics.linear.forcing(1)[0])
        if dynamics.linear.multiplier(1)[0] == 1:
            return a + steps * push
        fixed = push / (1 - pull)
        return fixed + grown(slope, dynamics, steps) * (a - fixed)


# ---- constants --------------------------------------------------------------------------------------


def constants(dynamics: Dynamics, start: Expr, digits: int) -> tuple:
    """(C, D) as the law has them; D is None without a linear part."""
    lost = 0

    def pair(extra: int) -> list[tuple]:
        nonlocal lost
        one, two = (_constants(dynamics, start, route) for route in routes(dynamics, digits + 10 + lost + extra))
        lost = max(lost, two[2])
        return [one[:2], two[:2]]

    what = "two readings of the connection constants"
    return agreed(pair, digits, what, "one may be 0; otherwise ask for fewer digits", EXTRA)


def _constants(dynamics: Dynamics, start: Expr, route: Route) -> tuple:
    """C, D and how many digits D has lost."""
    crossing = hand_over(dynamics, start, route)
    known = chart(dynamics, route.last, route.digits)
    with mp.workdps(route.digits + GUARD):
        first = crossing.position**dynamics.root / grown(pace, dynamics, crossing.index * dynamics.root)
        if dynamics.linear is None:
            return first, None, 0
        if known.free is None:
            return first, crossing.weight / grown(slope, dynamics, crossing.index), crossing.lost
        passed = mp.log(abs(crossing.position)) / mp.log(abs(pace(dynamics)))
        return first, crossing.weight / crossing.position**known.free - known.resonance * passed, crossing.lost

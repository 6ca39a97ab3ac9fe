"""Any depth at one price: iterate a little, cross to the Abel coordinate, jump, and come back.

Problem.  x_L for L = 10^100, to 100 digits, with a certificate.

Rule.  Iterate the original recursion from x until tau is so small that the truncated Abel series is accurate
(the hand-over, layer n).  There read off the connection constants

    C = A(tau_n) - n,        D = (a_n - P(tau_n)) / H(tau_n),

solve A(tau) = L + C by Newton's method, and evaluate x = (scale tau)^root or a = P(tau) + D H(tau).
Everything is done by two routes that must agree (`agreement`): the second iterates the original map further, by half
as many layers again and at least `LATER` of them, even from a start where the first hands over at once.

Tiny case.  ReLU, 30 digits: 30 coefficients, hand-over at layer 60 or so; 10^3 and 10^100 cost the same.

Known limits.  The number of layers before the hand-over grows like 1/rho for a nearly linear activation: see `orbit`.
"""

from dataclasses import dataclass
from functools import lru_cache

import mpmath
from mpmath import mp
from sympy import Expr

from asympt.errors import PrecisionError
from asympt.numbers import to_mpf
from asympt.recursions.agreement import Route, agreed, two_routes
from asympt.recursions.coordinates.abel_numeric import GUARD, coordinate, series_length
from asympt.recursions.orbit import LONG_WAY, SHALLOW, descend, iterate, leap_to
from asympt.recursions.protocol import Dynamics

MOST_FORGETTING = 20_000
FINER = (0, 100, 330)  # digits more, one after the other, for a C of which no digit is seen: A - n cancels


@dataclass(frozen=True)
class HandOver:
    """Layer n where the orbit crosses into the coordinate, with C and D (normalised in tau)."""

    layer: int
    constant: object
    second: object = 0


@lru_cache(maxsize=4096)
def hand_over(dynamics: Dynamics, start: Expr, route: Route) -> HandOver | None:
    """Iterate from `start` to the hand-over; None when the orbit reaches the fixed point exactly."""
    chart = coordinate(dynamics, route.last, route.digits)
    with mp.workdps(route.digits + GUARD):
        state, layer = descend(dynamics, start, chart, route.deeper, route.later)
        if state[0] == 0:
            return None
        tau = dynamics.uniformiser(state[0]) / to_mpf(dynamics.scale)
        if dynamics.linear and not chart.homogeneous:
            state, layer, tau = _forgotten(dynamics, chart, state, layer, route.digits)
            return HandOver(layer, chart.position(tau) - layer)
        second = (state[1] - chart.value(tau)) / chart.wave(tau) if dynamics.linear else 0
        return HandOver(layer, chart.position(tau) - layer, second)


def _forgotten(dynamics: Dynamics, chart, state: tuple, layer: int, digits: int) -> tuple:
    """Further, until the part of a that remembers the start is below the precision; then a = P(tau)."""
    for _ in range(MOST_FORGETTING):
        tau = dynamics.uniformiser(state[0]) / to_mpf(dynamics.scale)
        value = chart.value(tau)
        if abs(state[1] - value) <= abs(value) * mpmath.mpf(10) ** -digits:
            return state, layer, tau
        state, layer = dynamics.step(state), layer + 1
    raise PrecisionError(
        f"after {MOST_FORGETTING} steps a_n still remembers its start to the digits asked; ask for fewer digits"
    )


def require_basin(dynamics: Dynamics, start: Expr, digits: int) -> None:
    """An error, with the reason, when the orbit of `start` does not come to the fixed point."""
    try:
        hand_over(dynamics, start, routes(dynamics, digits + 8)[0])
    except PrecisionError:
        return  # too slow for the expansion: whoever evaluates decides what can still be said


def value_at(dynamics: Dynamics, start: Expr, depth: int, route: Route):
    """x or a at index `depth`, by one route: one precision, one length of the series, one hand-over."""
    crossing = _crossing_before(dynamics, start, depth, route)
    with mp.workdps(route.digits + GUARD):
        if crossing is None or depth <= crossing.layer:
            far = crossing is not None and dynamics.calm is not None and depth - dynamics.first > LONG_WAY
            return leap_to(dynamics, start, depth) if far else iterate(dynamics, start, depth)
        chart = coordinate(dynamics, route.last, route.digits)
        tau = chart.solve(mpmath.mpf(depth) + crossing.constant)
        if dynamics.linear:
            value = chart.value(tau)
            return value + crossing.second * chart.wave(tau) if chart.homogeneous else value
        return (to_mpf(dynamics.scale) * tau) ** dynamics.root


def _crossing_before(dynamics: Dynamics, start: Expr, depth: int, route: Route) -> HandOver | None:
    """The hand-over, unless `depth` is so small, or the hand-over so far away, that `depth` is iterated to."""
    if depth - dynamics.first <= SHALLOW:
        return None
    try:
        return hand_over(dynamics, start, route)
    except PrecisionError:
        if depth - dynamics.first > LONG_WAY:
            raise
        return None


def certified(dynamics: Dynamics, start: Expr, depth: int, digits: int):
    """x or a at index `depth` to `digits` significant digits, agreed upon by two independent routes."""

    def pair(extra: int) -> list:
        return [value_at(dynamics, start, depth, route) for route in routes(dynamics, digits + 8 + extra)]

    return agreed(pair, digits)


def routes(dynamics: Dynamics, digits: int) -> list[Route]:
    """Two ways to `digits` digits."""
    return two_routes(series_length(dynamics, digits), digits)


def constants(dynamics: Dynamics, start: Expr, digits: int) -> tuple:
    """(C, D) in the normalisation of t: alpha_0 = 0, P has no pure power where H starts; D is None without a P."""

    def pair(extra: int) -> list[tuple]:
        return [_constants(dynamics, start, route) for route in routes(dynamics, digits + 10 + extra)]

    for finer in FINER:
        what = "two readings of the connection constants"
        found = agreed(lambda extra, more=finer: pair(extra + more), digits, what, "ask for fewer digits")
        if found[0] != 0:
            return found
    raise PrecisionError(f"C cannot be told from 0 with {digits + FINER[-1]} digits; it may be 0")


def _constants(dynamics: Dynamics, start: Expr, route: Route) -> tuple:
    crossing = hand_over(dynamics, start, route)
    if crossing is None:
        raise PrecisionError("the orbit reaches the fixed point exactly, so it has no connection constant")
    chart = coordinate(dynamics, route.last, route.digits)
    with mp.workdps(route.digits + GUARD):
        scale = to_mpf(dynamics.scale)
        constant = crossing.constant + chart.residue * mp.log(scale)
        if dynamics.linear is None or not chart.homogeneous:
            return constant, None
        return constant, (crossing.second - chart.resonance * mp.log(scale)) / scale**dynamics.root

"""Driven recursions in numbers: x_L at any depth, and the connection constant, certified by two routes.

Problem.  x_L for L = 10^100 to 100 digits, and C to as many.

Rule.  Iterate to a hand-over layer (about digits^2 of them), then follow the curve of the orbit (`continuation`).

    C = constant term of T(x_l) - clock(l + beta):
        kappa = 1:  the two differ by O(1/l), so go to l = 10^digits;
        kappa < 1:  y = clock + C + c_1(C) v^(-p_1) + ... is known formally (`inversion`), so go to where its
                    remainder is negligible and solve for C.

Everything is done by two routes that must agree (`agreement`): two precisions, hence two sets of nodes, and two
hand-over layers.

Tiny case.  h = x, delta = 1/(2l), x_0 = 1: x_l = Gamma(l + 1/2)/(Gamma(1/2) Gamma(l + 1)), C = log(pi)/2.
"""

from collections.abc import Callable
from functools import lru_cache
from math import ceil, log10

import mpmath
from mpmath import mp
from sympy import Expr, Rational

from asympt.compiling import as_function
from asympt.errors import InputError, PrecisionError, UnsupportedError
from asympt.numbers import to_mpf
from asympt.recursions.agreement import DEEPER, agreed
from asympt.recursions.coordinates.abel_inversion import CONNECTION
from asympt.recursions.coordinates.flow_time.continuation import Track
from asympt.recursions.coordinates.flow_time.integral import time_at
from asympt.recursions.coordinates.flow_time.interval import working_digits
from asympt.recursions.coordinates.flow_time.inversion import clock_at_depth, pace, time_at_depth
from asympt.recursions.coordinates.flow_time.orbit import DrivenDynamics, TooEarly
from asympt.recursions.coordinates.flow_time.series import inverse_series
from asympt.recursions.coordinates.flow_time.smooth import smooth_up_to

FEWEST, LATEST = 300, 300_000  # layers before the hand-over
SPARE, APART = 5, 7  # digits of the first route beyond those asked, and of the second beyond the first
EXTRA = (0, 15, 50)
SLACK, ROUNDING = 1.2, mpmath.mpf(10) ** -9
MOST_DIGITS = 600
TERMS = 4  # powers of t beyond the first correction, v^(-kappa), in the formal flow time from which C is solved
FAST = Rational(3, 4)  # for kappa from here on the correction itself is negligible soon enough


def certified(dynamics: DrivenDynamics, start: Expr, depth: int, digits: int):
    """x at layer `depth` to `digits` significant digits, agreed upon by two routes."""
    if depth < dynamics.first:
        raise InputError(f"depth = {depth} lies before the layer of the start, {dynamics.first}; ask for a later one")
    dynamics.drift.require_way_down(start)
    lost = _lost_at(dynamics, depth)

    def pair(extra: int) -> list:
        return [_value(dynamics, start, depth, digits + lost + more, deeper) for more, deeper in ways(extra)]

    return agreed(pair, digits, extras=EXTRA)


def constant(dynamics: DrivenDynamics, start: Expr, digits: int):
    """C to `digits` significant digits, agreed upon by two routes."""
    dynamics.drift.require_way_down(start)
    _require_constant(dynamics)

    def pair(extra: int) -> list:
        return [_constant(dynamics, start, digits + more, deeper) for more, deeper in ways(extra)]

    return agreed(pair, digits, "two readings of C", extras=EXTRA)


def ways(extra: int) -> tuple:
    """(digits beyond those asked, how much further the original recursion is taken) of the two routes."""
    return (SPARE + extra, 1), (SPARE + APART + extra, DEEPER)


# ---- one route --------------------------------------------------------------------------------------


def _value(dynamics: DrivenDynamics, start: Expr, depth: int, digits: int, deeper):
    with mp.workdps(working_digits(digits)):
        if depth <= _hand_over(dynamics, digits, deeper):
            return dynamics.iterate(start, depth)
        return _followed(dynamics, start, digits, deeper, lambda track: track.x_at(depth), depth)


def _constant(dynamics: DrivenDynamics, start: Expr, digits: int, deeper):
    """T(x) - clock(v) far out, less what it still differs from C there."""
    order, rest = _rest_of_time(dynamics)
    digits = ceil(digits / (1 - float(1 - dynamics.steps.exponent) / order))  # T and the clock grow like v^(1 - kappa)
    with mp.workdps(working_digits(digits)):
        far = dynamics.steps.clock(mpmath.mpf(10) ** (digits / mpmath.mpf(order)))
        point = _followed(dynamics, start, digits, deeper, lambda track: track.extend(far))
        difference = time_at(dynamics.drift, point.x) - dynamics.steps.clock(point.v)
        return _solved(difference, rest, point.v)


def _followed(dynamics: DrivenDynamics, start: Expr, digits: int, deeper, ask, depth: int | None = None):
    """What `ask` finds on the track; the hand-over moves out while the differences there are not small enough."""
    if depth is None or depth > LATEST:
        _require_smooth_in_time(dynamics, start)
    return handed_over(
        _hand_over(dynamics, digits, deeper), LATEST, digits,
        lambda: dynamics.iterate(start, depth), lambda layer: ask(_track(dynamics, start, digits, layer)), depth,
    )  # fmt: skip


def _require_smooth_in_time(dynamics: DrivenDynamics, start: Expr) -> None:
    """A refusal, before anything is iterated, when h is not smooth up to a point that layer `LATEST` does not reach."""
    edge, drift = smooth_up_to(dynamics.drift, start), dynamics.drift
    with mp.workdps(15):
        if edge >= to_mpf(start) * (1 - ROUNDING):
            return
        excess = to_mpf(drift.power) - 1
        needed = edge**-excess / excess if excess and edge else mp.log(to_mpf(start) / edge) if edge else mpmath.inf
        if needed > SLACK * to_mpf(drift.lead) * dynamics.steps.clock(dynamics.place(LATEST)):
            raise UnsupportedError(
                f"h = {drift.formula} is not smooth, as far as can be seen, beyond {drift.symbol} = "
                f"{mpmath.nstr(edge, 3)}, and more than {LATEST} layers would have to be iterated to come "
                "down there; give a smaller depth"
            )


def handed_over(layer: int, latest: int, digits: int, iterated: Callable, asked: Callable, depth: int | None = None):
    """asked(layer) for the first hand-over layer at which it is not too early, or iterated() up to a `depth` before."""
    reason = TooEarly.reason
    while layer <= latest:
        if depth is not None and depth <= layer:
            return iterated()
        try:
            return asked(layer)
        except TooEarly as early:
            layer, reason = layer * 3, early.reason
    raise PrecisionError(f"after {latest} layers {reason} for {digits} digits; ask for fewer digits or a smaller depth")


@lru_cache(maxsize=64)
def _track(dynamics: DrivenDynamics, start: Expr, digits: int, layer: int) -> Track:
    return Track(dynamics, start, digits, layer)


def _hand_over(dynamics: DrivenDynamics, digits: int, deeper) -> int:
    return dynamics.first + int(max(FEWEST, min(digits**2, LATEST / 4)) * deeper)


def _lost_at(dynamics: DrivenDynamics, depth: int) -> int:
    """Digits that x = exp(-c y) needs more in y than it has itself, where y is large: p = 1 and kappa < 1."""
    if dynamics.drift.excess or dynamics.steps.harmonic:
        return 0
    lost = ceil(float(1 - dynamics.steps.exponent) * log10(depth))
    if lost > MOST_DIGITS:
        raise PrecisionError(f"x at this depth needs {lost} digits more than asked; give a smaller depth")
    return lost


# ---- the formal rest of the flow time ---------------------------------------------------------------


def _require_constant(dynamics: DrivenDynamics) -> None:
    if not dynamics.drift.excess and not dynamics.steps.harmonic:
        raise UnsupportedError(
            f"h starts with a multiple of x and the steps are of the size l^(-{dynamics.steps.exponent}), so x decays "
            "faster than every power of l and there is no connection constant of this kind"
        )


@lru_cache(maxsize=64)
def _rest_of_time(dynamics: DrivenDynamics) -> tuple[float, list]:
    """(p, terms): T(x) - clock - C is the sum of terms (order, logs, coefficient as a function of C) up to v^(-p)."""
    drift, steps = dynamics.drift, dynamics.steps
    if steps.exponent >= FAST:
        return float(steps.exponent), []
    logarithm = inverse_series(drift, drift.excess + 1)[-1] != 0
    terms = TERMS // 2 if logarithm else TERMS  # with logs in it a formal series costs much more
    order = max(steps.exponent + terms * pace(drift, steps), 2 * (1 - steps.exponent))
    rest = time_at_depth(drift, steps, order) - clock_at_depth(steps, order) - CONNECTION
    return float(order), [(m.order, m.logs, as_function(CONNECTION, c, "mpmath")) for m, c in rest.terms]


def _solved(difference, rest: list, v):
    """C with C + rest(C, v) = difference."""
    found = difference
    for _ in range(200):
        sizes = [c(found) * mp.log(v) ** logs * v ** -(mpmath.mpf(int(p.p)) / int(p.q)) for p, logs, c in rest]
        previous, found = found, difference - mpmath.fsum(sizes)
        if abs(found - previous) <= abs(found) * mp.eps * 8:
            return found
    raise PrecisionError("the connection constant did not settle; ask for fewer digits")

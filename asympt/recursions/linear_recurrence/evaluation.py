"""Any depth of a layered recursion at one price: iterate a little, read off D, and jump.

Problem.  a_L for L = 10^100, to 100 digits, with a certificate.

Rule.  Solve for P and H over mpmath numbers, to as many orders as the digits need.  Iterate the recursion itself from
the start to the matching layer n, where the last orders are negligible (`accurate_from`); there read off

    D = (a_n - P(n))/H(n),        and return        P(L) + D H(L).

Everything is done by two routes that must agree (`agreement`): two precisions, two numbers of orders, two matching
layers.

    Start       the recursion with its start       Route            one way to a number
    certified   a_L                                second_constant  D

Tiny case.  lambda = 1 - 1/l, b = 1, a_1 = 3: a_l = (l + 1)/2 + D/l with D = 2.

Known limits.  P and H are asymptotic series: with alpha = 1000 they are accurate only beyond l = 10^6, and a matching
layer further than `MOST_STEPS` layers from the start is refused.  A D that is tiny but not exactly 0 costs digits.
"""

from dataclasses import dataclass, replace
from functools import lru_cache

import mpmath
from mpmath import mp
from sympy import Expr

from asympt.errors import InputError, PrecisionError, UnsupportedError
from asympt.expansions import Expansion
from asympt.numbers import check_depth, exact, symbol_names, to_mpf
from asympt.recursions.agreement import agreed
from asympt.recursions.linear_recurrence.field import NumberField
from asympt.recursions.linear_recurrence.homogeneous import Homogeneous
from asympt.recursions.linear_recurrence.numeric import (
    FIRST_LAYER,
    MOST_STEPS,
    NumericSolution,
    coordinates,
    numeric_solution,
    sum_by_horner,
)
from asympt.recursions.linear_recurrence.parsing import grid_of, series_of
from asympt.recursions.linear_recurrence.solver import Problem, homogeneous, particular

GUARD = 15  # digits carried beyond those that a result must have
EXTRA = (0, 25, 75, 200, 400)
SMALLER = "smaller than every power"


@dataclass(frozen=True)
class Start:
    """lambda_l and b_l as finite sums with numbers, and a_layer = value."""

    multiplier: Expansion
    forcing: Expansion
    layer: int
    value: Expr

    @classmethod
    def read(cls, multiplier: Expansion, forcing: Expansion, layer, value) -> "Start":
        """Checked input: numbers only, no remainders, a whole start layer."""
        for name, expansion in (("lambda_l", multiplier), ("b_l", forcing)):
            if expansion.remainder is not None:
                raise UnsupportedError(f"{name} = {expansion} is not known exactly; give a finite sum to evaluate a_l")
            symbols = set().union(*(c.free_symbols for _, c in expansion.terms))
            if symbols:
                raise UnsupportedError(f"{name} contains the symbols {symbol_names(symbols)}; give numbers to evaluate")
        value = exact(value, "start_value")
        if value.free_symbols:
            raise InputError(f"start_value = {value} is not a number; give a number such as 1/10")
        return cls(multiplier, forcing, 0 if layer == 0 else check_depth(layer), value)

    @property
    def expansions(self) -> tuple[Expansion, Expansion]:
        """lambda_l and b_l."""
        return self.multiplier, self.forcing


# ---- the recursion itself ---------------------------------------------------------------------------


def iterate(start: Start, layer: int):
    """a at this layer, by the recursion itself."""
    grid = grid_of(start.expansions)
    multiplier, forcing = (series_of(e, grid, NumberField()) for e in start.expansions)
    logs = any(len(q) > 1 for series in (multiplier, forcing) for q in series.values())
    multiplier, forcing = (sorted(series.items(), reverse=True) for series in (multiplier, forcing))
    a = to_mpf(start.value)
    for current in range(start.layer + 1, layer + 1):
        here = coordinates(grid, current, logs)
        a = sum_by_horner(multiplier, *here) * a + sum_by_horner(forcing, *here)
    return a


@dataclass(frozen=True)
class Route:
    """One way to a number: orders, digits that they must give, digits to calculate with, the matching layer."""

    orders: int
    digits: int
    precision: int
    layer: int | None = None

    def solution(self, start: Start) -> NumericSolution:
        """P and H for this route."""
        return numeric_solution(*start.expansions, self.orders, self.digits, self.precision)


def routes(start: Start, digits: int, spare: int = 0) -> list[Route]:
    """Two ways to `digits` digits, the second in everything beyond the first; no layer when it lies too far.

    Logs make long expansions dear (the fourth power of their length), so with them the matching layer lies deeper.
    """
    logs = any(m.logs for e in start.expansions for m, _ in e.terms)
    orders = 10 + (3 * digits // 14 if logs else digits // 2)
    one = Route(orders, digits, digits + spare + GUARD)
    two = Route(orders + 5, digits + 10, digits + 10 + spare + GUARD)
    near, far = (route.solution(start).accurate_from for route in (one, two))
    if near is None or far is None or max(near, far) - start.layer > MOST_STEPS:
        return [one, two]
    near = max(near, start.layer)
    return [replace(one, layer=near), replace(two, layer=max(far, near + min(near // 4, FIRST_LAYER**2)))]


@lru_cache(maxsize=1024)
def left_over(start: Start, route: Route):
    """a_n - P(n) at the matching layer; exactly 0 when the start lies on a P that is a finite sum."""
    with mp.workdps(route.precision):
        if _lies_on_particular(start):
            return mpmath.mpf(0)
        return iterate(start, route.layer) - route.solution(start).particular(route.layer)


@lru_cache(maxsize=64)
def _lies_on_particular(start: Start) -> bool:
    found, _ = particular(Problem.exact(*start.expansions), terms=20)
    if found.remainder is not None or start.layer == 0:
        return False
    return (found.to_sympy().subs(found.scale.variable, start.layer) - start.value).expand() == 0


# ---- certified numbers ------------------------------------------------------------------------------


def value_at(start: Start, depth: int, route: Route):
    """a_L by one route."""
    with mp.workdps(route.precision):
        if route.layer is None or depth <= route.layer:
            if depth - start.layer > MOST_STEPS:
                raise _too_far(start)
            return iterate(start, depth)
        known, left = route.solution(start), left_over(start, route)
        if not left:
            return known.particular(depth)
        if known.base is None:
            return known.particular(depth) * _without_homogeneous(known, left, route.layer)
        return known.particular(depth) + left / known.homogeneous(route.layer) * known.homogeneous(depth)


def _without_homogeneous(known: NumericSolution, left, layer: int):
    """1 where P is all there is: H has died out, so what is left shows the error of P."""
    if not known.particular_series:
        raise UnsupportedError(
            "lambda_l tends to 0 and b_l = 0, so a_l falls faster than every exponential; ask for a depth below "
            f"{layer} or give a forcing"
        )
    return 1 + left / known.particular(layer)


def certified(start: Start, depth: int, digits: int):
    """a_L to `digits` significant digits, agreed upon by two routes."""
    if depth < start.layer:
        raise InputError(f"depth = {depth} lies before start_layer = {start.layer}; ask for a later layer")
    spare = 0 if _is_power(start) else len(str(depth))  # lambda_0^L and exp(c L^r) multiply relative errors by L

    def pair(extra: int) -> list:
        return [value_at(start, depth, route) for route in routes(start, digits + 8 + extra, spare)]

    return agreed(pair, digits, remedy="the number may be 0, otherwise ask for fewer digits", extras=EXTRA)


@lru_cache(maxsize=64)
def _wave(start: Start) -> Homogeneous | None:
    return homogeneous(Problem.exact(*start.expansions), terms=1)


def _is_power(start: Start) -> bool:
    wave = _wave(start)
    return wave is None or wave.character == "power"


def second_constant(start: Start, digits: int):
    """D to `digits` significant digits, agreed upon by two routes."""
    wave = _wave(start)
    if wave is None or wave.character == SMALLER:
        raise UnsupportedError(
            "the homogeneous solution is smaller than every power of l, so the remainder of P hides it and D cannot be "
            "read off; use evaluate"
        )

    def pair(extra: int) -> list:
        return [_second(start, route) for route in routes(start, digits + 8 + extra)]

    return agreed(pair, digits, "two readings of D", "D may be 0, otherwise ask for fewer digits", EXTRA)


def _second(start: Start, route: Route):
    if route.layer is None:
        raise _too_far(start)
    with mp.workdps(route.precision):
        return left_over(start, route) / route.solution(start).homogeneous(route.layer)


def _too_far(start: Start) -> PrecisionError:
    return PrecisionError(
        f"more than {MOST_STEPS} layers would have to be iterated from layer {start.layer} before the expansion is "
        "accurate; ask for fewer digits or a smaller depth"
    )

"""Any depth of a linear recurrence in the layer at one price: the coordinate is P and H themselves, in numbers.

The series are asymptotic: at a fixed number of orders they are accurate from some layer on, which is estimated from the
sizes of their last orders.  Iterate the recursion to the matching layer n; there read off D = (a_n - P(n))/H(n), and
return P(L) + D H(L).

Known limits.  With alpha = 1000 P and H are accurate only beyond l = 10^6, and a matching layer further than
`MOST_STEPS` layers from the start is refused.  A D that is tiny but not exactly 0 costs digits.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import mpmath
import numpy as np
from mpmath import mp
from sympy import Expr

from asympt.errors import InputError, PrecisionError, UnsupportedError
from asympt.expansions import Expansion
from asympt.numbers import check_depth, exact, symbol_names, to_mpf
from asympt.recursions.agreement import DEEPER, FINER, LONGER, Route
from asympt.recursions.linear_recurrence.solver import (
    Elimination,
    Homogeneous,
    NumberField,
    Problem,
    Series,
    homogeneous,
    homogeneous_parts,
    normalised,
    particular,
)
from asympt.recursions.protocol import MOVES, Coordinate

GUARD = 15  # digits carried beyond those that a result must have
SMALLER = "smaller than every power"
MOST_STEPS = 200_000
FIRST_LAYER = 64


# ---- P and H in numbers -----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class NumericSeries:
    """sum_k l^(-k/grid) q_k(log l), cut off at the order `last`."""

    grid: int
    series: Series
    last: int = 0

    @cached_property
    def _falling(self) -> list:
        return sorted(self.series.items(), reverse=True)

    @cached_property
    def has_logs(self) -> bool:
        """Whether log l occurs."""
        return any(len(q) > 1 for q in self.series.values())

    def at(self, layer: int):
        """The value by Horner's rule, the highest order first."""
        return self.summed(*place(self.grid, layer, self.has_logs))

    def summed(self, inverse, logarithm):
        """The value from l^(-1/grid) and log l."""
        total, last = mpmath.mpf(0), None
        for k, polynomial in self._falling:
            value = mpmath.polyval(polynomial[::-1], logarithm) if len(polynomial) > 1 else polynomial[0]
            if last is not None:
                value = value + total * (inverse if last - k == 1 else inverse ** (last - k))
            total, last = value, k
        return total * inverse**last if last else total

    def tail(self, layer: int):
        """The last two powers of l before the cut at this layer, relative to the largest order there."""
        sizes = {k: abs(NumericSeries(self.grid, {k: q}).at(layer)) for k, q in self.series.items()}
        late = max((size for k, size in sizes.items() if k >= self.last - 2 * self.grid), default=0)
        return late / max(sizes.values(), default=1)


def place(grid: int, layer: int, logs: bool) -> tuple:
    """l^(-1/grid), and log l if it is needed."""
    inverse = 1 / mpmath.mpf(layer)
    if grid > 1:
        inverse = mp.sqrt(inverse) if grid == 2 else mp.root(inverse, grid)
    return inverse, mp.log(layer) if logs else None


@dataclass(frozen=True, eq=False)
class NumericSolution:
    """P and H = base^l exp(growth) relative in numbers, good from layer `accurate_from` on; no `base`: no H."""

    particular: NumericSeries
    base: object
    growth: NumericSeries
    relative: NumericSeries
    accurate_from: int | None

    def homogeneous(self, layer: int):
        """H(layer)."""
        return self.base**layer * mp.exp(self.growth.at(layer)) * self.relative.at(layer)


@lru_cache(maxsize=64)
def numeric_solution(
    multiplier: Expansion, forcing: Expansion, orders: int, digits: int, precision: int
) -> NumericSolution:
    """P and H to `orders` powers of l with `precision` decimal digits, and where they are good to `digits`."""
    with mp.workdps(precision):
        problem = Problem.of(multiplier, forcing, NumberField())
        grid, slope = problem.grid, problem.series(multiplier)
        base, parts, relative = slope[0][0] if 0 in slope else None, {}, {0: [mpmath.mpf(1)]}
        if base is not None:
            parts, relative = homogeneous_parts(problem, normalised(slope), (orders + 1) * grid)
        found, relative = _particular_of(problem, slope, orders), NumericSeries(grid, relative, orders * grid)
        layer = _accurate_from((found, relative), digits)
        return NumericSolution(found, base, NumericSeries(grid, parts), relative, layer)


def _particular_of(problem: Problem, slope: Series, orders: int) -> NumericSeries:
    source = problem.series(problem.forcing)
    if not source:
        return NumericSeries(problem.grid, {})
    steps = Elimination(problem, slope, source)
    for _ in range(orders * problem.grid):
        steps.advance()
    return NumericSeries(problem.grid, steps.solved, steps.order)


def _accurate_from(cut: Sequence[NumericSeries], digits: int) -> int | None:
    """The first layer 64, 96, 144, ... where the last orders of all are negligible; None beyond `MOST_STEPS`."""
    layer, small = FIRST_LAYER, mpmath.mpf(10) ** -digits
    while layer <= MOST_STEPS:
        if all(series.tail(layer) <= small for series in cut):
            return layer
        layer = layer * 3 // 2
    return None


# ---- the coordinate ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class FirstLayer:
    """a_layer = value."""

    layer: int
    value: Expr

    @classmethod
    def read(cls, layer, value) -> "FirstLayer":
        """Checked input: a number, and a whole start layer."""
        value = exact(value, "start_value")
        if value.free_symbols:
            raise InputError(f"start_value = {value} is not a number; give a number such as 1/10")
        return cls(0 if np.ndim(layer) == 0 and layer == 0 else check_depth(layer), value)


@dataclass(frozen=True)
class LinearRecurrence(Coordinate):
    """P and H of a_l = lambda_l a_(l-1) + b_l in numbers (see `Coordinate`); a start is a `FirstLayer`."""

    multiplier: Expansion
    forcing: Expansion

    spare = (8, 8)
    extras = (0, 25, 75, 200, 400)
    value_remedy = "the number may be 0, otherwise ask for fewer digits"
    remedy = "D may be 0, otherwise ask for fewer digits"
    constants_named = "two readings of D"
    unproved = MOVES

    @classmethod
    def checked(cls, multiplier: Expansion, forcing: Expansion) -> "LinearRecurrence":
        """lambda_l and b_l as finite sums with numbers; an error when they are anything else."""
        for name, expansion in (("lambda_l", multiplier), ("b_l", forcing)):
            if expansion.remainder is not None:
                raise UnsupportedError(f"{name} = {expansion} is not known exactly; give a finite sum to evaluate a_l")
            symbols = set().union(*(c.free_symbols for _, c in expansion.terms))
            if symbols:
                raise UnsupportedError(f"{name} contains the symbols {symbol_names(symbols)}; give numbers to evaluate")
        return cls(multiplier, forcing)

    def routes(self, digits: int, depth: int | None = None) -> list[Route]:
        """Two ways to `digits` digits.

        lambda_0^L and exp(c L^r) multiply relative errors by L, so they are calculated with as many more digits.  Logs
        make long expansions dear (the fourth power of their length), so with them the matching layer lies deeper.
        """
        logs = any(m.logs for e in (self.multiplier, self.forcing) for m, _ in e.terms)
        orders = 10 + (3 * digits // 14 if logs else digits // 2)
        found = _homogeneous(self)
        spare = 0 if depth is None or found is None or found.character == "power" else len(str(depth))
        return [
            Route(orders, digits, spare=spare), Route(orders + LONGER, digits + FINER, DEEPER, spare=spare)
        ]  # fmt: skip

    def crossing(self, start: FirstLayer, route: Route) -> "Matched":
        """The matching layer, where D can be read off; an error where it cannot."""
        found = _homogeneous(self)
        if found is None or found.character == SMALLER:
            raise UnsupportedError(
                "the homogeneous solution is smaller than every power of l, so the remainder of P hides it and D "
                "cannot be read off; use evaluate"
            )
        matched = matched_layer(self, start, route)
        if matched is None:
            raise _too_far(start)
        return matched

    def crossing_before(self, start: FirstLayer, depth: int, route: Route) -> "Matched | None":
        """The matching layer; None when it lies too far."""
        if depth < start.layer:
            raise InputError(f"depth = {depth} lies before start_layer = {start.layer}; ask for a later layer")
        return matched_layer(self, start, route)

    def to_layer(self, start: FirstLayer, depth: int, route: Route, crossing: "Matched | None") -> tuple:
        """(a,) at a layer, by the recursion itself."""
        if depth - start.layer > MOST_STEPS:
            raise _too_far(start)
        with mp.workdps(precision(route)):
            return (self.iterate(start, depth),)

    def iterate(self, start: FirstLayer, layer: int):
        """a at this layer, layer by layer."""
        problem = Problem.of(self.multiplier, self.forcing, NumberField())
        multiplier, forcing = (NumericSeries(problem.grid, problem.series(e)) for e in (self.multiplier, self.forcing))
        a, logs = to_mpf(start.value), multiplier.has_logs or forcing.has_logs
        for current in range(start.layer + 1, layer + 1):
            here = place(problem.grid, current, logs)
            a = multiplier.summed(*here) * a + forcing.summed(*here)
        return a


@dataclass(frozen=True)
class Matched:
    """An orbit from the matching layer on; `left`: a_n - P(n) there."""

    known: NumericSolution
    route: Route
    layer: int
    left: object

    lost = 0

    def state(self, depth: int) -> tuple:
        """(a,) at a later layer: P(L) + D H(L)."""
        known = self.known
        with mp.workdps(precision(self.route)):
            value = known.particular.at(depth)
            if self.left and known.base is None:
                value *= self._without_homogeneous()
            elif self.left:
                value += self.left / known.homogeneous(self.layer) * known.homogeneous(depth)
            return (value,)

    def constants(self, second: bool) -> tuple:
        """(None, D)."""
        with mp.workdps(precision(self.route)):
            return None, self.left / self.known.homogeneous(self.layer)

    def _without_homogeneous(self):
        """1 where P is all there is: H has died out, so what is left shows the error of P."""
        if not self.known.particular.series:
            raise UnsupportedError(
                "lambda_l tends to 0 and b_l = 0, so a_l falls faster than every exponential; ask for a depth below "
                f"{self.layer} or give a forcing"
            )
        return 1 + self.left / self.known.particular.at(self.layer)


def precision(route: Route) -> int:
    """Digits to calculate with."""
    return route.digits + route.spare + GUARD


@lru_cache(maxsize=1024)
def matched_layer(recurrence: LinearRecurrence, start: FirstLayer, route: Route) -> Matched | None:
    """The matching layer; None when it lies too far.

    What is left there is exactly 0 when the start lies on a P that is a finite sum.
    """
    known = numeric_solution(recurrence.multiplier, recurrence.forcing, route.last, route.digits, precision(route))
    near = known.accurate_from
    if near is None or near - start.layer > MOST_STEPS:
        return None
    near = max(near, start.layer)
    near += min(near // 4, FIRST_LAYER**2) if route.deeper > 1 else 0
    with mp.workdps(precision(route)):
        left = mpmath.mpf(0)
        if not _lies_on_particular(recurrence, start):
            left = recurrence.iterate(start, near) - known.particular.at(near)
        return Matched(known, route, near, left)


@lru_cache(maxsize=64)
def _lies_on_particular(recurrence: LinearRecurrence, start: FirstLayer) -> bool:
    found, _ = particular(Problem.of(recurrence.multiplier, recurrence.forcing), terms=20)
    if found.remainder is not None or start.layer == 0:
        return False
    return (found.to_sympy().subs(found.scale.variable, start.layer) - start.value).expand() == 0


@lru_cache(maxsize=64)
def _homogeneous(recurrence: LinearRecurrence) -> Homogeneous | None:
    return homogeneous(Problem.of(recurrence.multiplier, recurrence.forcing), terms=1)


def _too_far(start: FirstLayer) -> PrecisionError:
    return PrecisionError(
        f"more than {MOST_STEPS} layers would have to be iterated from layer {start.layer} before the expansion is "
        "accurate; ask for fewer digits or a smaller depth"
    )

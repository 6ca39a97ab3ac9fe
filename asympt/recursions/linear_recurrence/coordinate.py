"""Any depth of a linear recurrence in the layer at one price: the coordinate is P and H themselves.

Problem.  a_L for L = 10^100, to 100 digits, with a certificate; D to as many.

Rule.  Solve for P and H once more over mpmath numbers, to as many orders as the digits need.  The series are
asymptotic: at a fixed number of orders they are accurate from some layer on, which is estimated from the sizes of their
last orders (`accurate_from`).  Iterate the recursion itself from the start to the matching layer n, beyond that; there
read off

    D = (a_n - P(n))/H(n),        and return        P(L) + D H(L).

Two routes (`evaluation`) have two precisions, two numbers of orders, two matching layers.

Tiny case.  lambda = 1 - 1/l, b = 1, a_1 = 3: a_l = (l + 1)/2 + D/l with D = 2.

Known limits.  P and H are asymptotic series: with alpha = 1000 they are accurate only beyond l = 10^6, and a matching
layer further than `MOST_STEPS` layers from the start is refused.  A D that is tiny but not exactly 0 costs digits.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import mpmath
import numpy as np
from mpmath import mp
from sympy import Expr

from asympt.errors import InputError, PrecisionError, UnsupportedError
from asympt.expansions import Expansion
from asympt.numbers import check_depth, exact, symbol_names, to_mpf
from asympt.recursions.agreement import DEEPER, Route
from asympt.recursions.linear_recurrence.elimination import Elimination
from asympt.recursions.linear_recurrence.field import ExactField, NumberField
from asympt.recursions.linear_recurrence.homogeneous import Homogeneous, growth, normalised, relative_steps
from asympt.recursions.linear_recurrence.solver import Problem, grid_of, homogeneous, particular, series_of
from asympt.recursions.protocol import MOVES, Coordinate

GUARD = 15  # digits carried beyond those that a result must have
LONGER, FINER = 5, 10  # orders and digits of the second route beyond those of the first
SMALLER = "smaller than every power"
MOST_STEPS = 200_000
FIRST_LAYER = 64


# ---- P and H in numbers -----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class NumericSolution:
    """P and H as truncated series with mpmath coefficients, good from layer `accurate_from` on; no `base`: no H."""

    grid: int
    particular_series: Mapping
    base: object
    growth: Mapping
    relative: Mapping
    accurate_from: int | None

    def particular(self, layer: int):
        """P(layer)."""
        return evaluate(self.particular_series, self.grid, layer)

    def homogeneous(self, layer: int):
        """H(layer)."""
        if self.base is None:
            return mpmath.mpf(0)
        front = mp.exp(evaluate(self.growth, self.grid, layer))
        return self.base**layer * front * evaluate(self.relative, self.grid, layer)


def evaluate(series: Mapping, grid: int, layer: int):
    """sum_k l^(-k/grid) q_k(log l) at l = layer."""
    logs = any(len(q) > 1 for q in series.values())
    return sum_by_horner(sorted(series.items(), reverse=True), *coordinates(grid, layer, logs))


def coordinates(grid: int, layer: int, logs: bool) -> tuple:
    """l^(-1/grid), and log l if it is needed."""
    inverse = 1 / mpmath.mpf(layer)
    if grid > 1:
        inverse = mp.sqrt(inverse) if grid == 2 else mp.root(inverse, grid)
    return inverse, mp.log(layer) if logs else None


def sum_by_horner(falling: Sequence[tuple[int, Sequence]], inverse, logarithm):
    """sum_k inverse^k q_k(logarithm) by Horner's rule, the highest order first."""
    total, last = mpmath.mpf(0), None
    for k, polynomial in falling:
        value = polynomial[-1]
        for c in reversed(polynomial[:-1]):
            value = value * logarithm + c
        if last is not None:
            value = value + total * (inverse if last - k == 1 else inverse ** (last - k))
        total, last = value, k
    return total * inverse**last if last else total


@lru_cache(maxsize=64)
def numeric_solution(
    multiplier: Expansion, forcing: Expansion, orders: int, digits: int, precision: int
) -> NumericSolution:
    """P and H to `orders` powers of l with `precision` decimal digits, and where they are good to `digits`."""
    with mp.workdps(precision):
        exact_field = ExactField.of([c for e in (multiplier, forcing) for _, c in e.terms])
        problem = Problem.over(NumberField(), multiplier, forcing, exact_field)
        solved, last = _particular_of(problem, orders)
        base, parts, relative = _relative_of(problem, orders)
        layer = _accurate_from(((solved, last), (relative, orders * problem.grid)), problem.grid, digits)
        return NumericSolution(problem.grid, solved, base, parts, relative, layer)


def _particular_of(problem: Problem, orders: int) -> tuple[dict[int, list], int]:
    """P, and the order at which it was cut."""
    multiplier, forcing = problem.series
    if not forcing:
        return {}, 0
    steps = Elimination(problem.field, problem.grid, multiplier, forcing, problem.pivot)
    for _ in range(orders * problem.grid):
        steps.advance()
    return steps.solved, steps.order


def _relative_of(problem: Problem, orders: int) -> tuple:
    """(lambda_0, E, g); (None, {}, {}) when lambda_l -> 0."""
    multiplier = problem.series[0]
    if 0 not in multiplier:
        return None, {}, {}
    base, multiplier = multiplier[0][0], normalised(problem.field, multiplier)
    relative = {0: [mpmath.mpf(1)]}
    steps = relative_steps(problem.field, problem.grid, multiplier, (orders + 1) * problem.grid)
    while steps is not None and steps.order < orders * problem.grid:
        steps.advance()
    relative.update(steps.solved if steps is not None else {})
    return base, growth(problem.field, problem.grid, multiplier), relative


def _accurate_from(cut_series: Sequence[tuple[Mapping, int]], grid: int, digits: int) -> int | None:
    """The first layer 64, 96, 144, ... where the last orders of all are negligible; None beyond `MOST_STEPS`."""
    layer, small = FIRST_LAYER, mpmath.mpf(10) ** -digits
    while layer <= MOST_STEPS:
        if all(_tail(series, last, grid, layer) <= small for series, last in cut_series):
            return layer
        layer = layer * 3 // 2
    return None


def _tail(series: Mapping, last: int, grid: int, layer: int):
    """The last two powers of l before the cut at this layer, relative to the largest order there."""
    sizes = {k: abs(evaluate({k: q}, grid, layer)) for k, q in series.items()}
    return max((size for k, size in sizes.items() if k >= last - 2 * grid), default=0) / max(sizes.values(), default=1)


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
        spare = 0 if depth is None or self._is_power() else len(str(depth))
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
        matched = self._matched(start, route)
        if matched is None:
            raise _too_far(start)
        return matched

    def crossing_before(self, start: FirstLayer, depth: int, route: Route) -> "Matched | None":
        """The matching layer; None when it lies too far."""
        if depth < start.layer:
            raise InputError(f"depth = {depth} lies before start_layer = {start.layer}; ask for a later layer")
        return self._matched(start, route)

    def _matched(self, start: FirstLayer, route: Route) -> "Matched | None":
        near = self.solution(route).accurate_from
        if near is None or near - start.layer > MOST_STEPS:
            return None
        near = max(near, start.layer)
        later = min(near // 4, FIRST_LAYER**2) if route.deeper > 1 else 0
        return Matched(self, start, route, near + later)

    def to_layer(self, start: FirstLayer, depth: int, route: Route, crossing: "Matched | None") -> tuple:
        """(a,) at a layer, by the recursion itself."""
        if depth - start.layer > MOST_STEPS:
            raise _too_far(start)
        with mp.workdps(precision(route)):
            return (self.iterate(start, depth),)

    def iterate(self, start: FirstLayer, layer: int):
        """a at this layer, layer by layer."""
        grid = grid_of((self.multiplier, self.forcing))
        multiplier, forcing = (series_of(e, grid, NumberField()) for e in (self.multiplier, self.forcing))
        logs = any(len(q) > 1 for series in (multiplier, forcing) for q in series.values())
        multiplier, forcing = (sorted(series.items(), reverse=True) for series in (multiplier, forcing))
        a = to_mpf(start.value)
        for current in range(start.layer + 1, layer + 1):
            here = coordinates(grid, current, logs)
            a = sum_by_horner(multiplier, *here) * a + sum_by_horner(forcing, *here)
        return a

    def solution(self, route: Route) -> NumericSolution:
        """P and H for a route."""
        return numeric_solution(self.multiplier, self.forcing, route.last, route.digits, precision(route))

    def _is_power(self) -> bool:
        found = _homogeneous(self)
        return found is None or found.character == "power"


@dataclass(frozen=True)
class Matched:
    """An orbit from the matching layer on."""

    recurrence: LinearRecurrence
    start: FirstLayer
    route: Route
    layer: int

    lost = 0

    def state(self, depth: int) -> tuple:
        """(a,) at a later layer: P(L) + D H(L)."""
        with mp.workdps(precision(self.route)):
            known, left = self.recurrence.solution(self.route), left_over(self)
            if not left:
                return (known.particular(depth),)
            if known.base is None:
                return (known.particular(depth) * _without_homogeneous(known, left, self.layer),)
            return (known.particular(depth) + left / known.homogeneous(self.layer) * known.homogeneous(depth),)

    def constants(self, second: bool) -> tuple:
        """(None, D)."""
        with mp.workdps(precision(self.route)):
            return None, left_over(self) / self.recurrence.solution(self.route).homogeneous(self.layer)


def precision(route: Route) -> int:
    """Digits to calculate with."""
    return route.digits + route.spare + GUARD


@lru_cache(maxsize=1024)
def left_over(matched: Matched):
    """a_n - P(n) at the matching layer; exactly 0 when the start lies on a P that is a finite sum."""
    recurrence, start = matched.recurrence, matched.start
    with mp.workdps(precision(matched.route)):
        if _lies_on_particular(recurrence, start):
            return mpmath.mpf(0)
        return recurrence.iterate(start, matched.layer) - recurrence.solution(matched.route).particular(matched.layer)


@lru_cache(maxsize=64)
def _lies_on_particular(recurrence: LinearRecurrence, start: FirstLayer) -> bool:
    found, _ = particular(Problem.exact(recurrence.multiplier, recurrence.forcing), terms=20)
    if found.remainder is not None or start.layer == 0:
        return False
    return (found.to_sympy().subs(found.scale.variable, start.layer) - start.value).expand() == 0


def _without_homogeneous(known: NumericSolution, left, layer: int):
    """1 where P is all there is: H has died out, so what is left shows the error of P."""
    if not known.particular_series:
        raise UnsupportedError(
            "lambda_l tends to 0 and b_l = 0, so a_l falls faster than every exponential; ask for a depth below "
            f"{layer} or give a forcing"
        )
    return 1 + left / known.particular(layer)


@lru_cache(maxsize=64)
def _homogeneous(recurrence: LinearRecurrence) -> Homogeneous | None:
    return homogeneous(Problem.exact(recurrence.multiplier, recurrence.forcing), terms=1)


def _too_far(start: FirstLayer) -> PrecisionError:
    return PrecisionError(
        f"more than {MOST_STEPS} layers would have to be iterated from layer {start.layer} before the expansion is "
        "accurate; ask for fewer digits or a smaller depth"
    )

"""P and H of a layered recursion in numbers: truncated series with mpmath coefficients.

Problem.  `evaluation` reads D off at some layer and returns P(L) + D H(L), at any precision.

Rule.  The elimination runs once more, over mpmath numbers and to as many orders as the digits need.  The series are
asymptotic: at a fixed number of orders they are accurate from some layer on, which is estimated from the sizes of their
last orders (whoever uses it compares two of them).

Tiny case.  lambda = 1 - 3/l + 2 log(l)/l^2, 38 digits: 18 orders, accurate from about 1600 on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import mpmath
from mpmath import mp

from asympt.expansions import Expansion
from asympt.recursions.linear_recurrence.elimination import Elimination
from asympt.recursions.linear_recurrence.field import ExactField, NumberField
from asympt.recursions.linear_recurrence.homogeneous import growth, normalised, relative_steps
from asympt.recursions.linear_recurrence.solver import Problem

MOST_STEPS = 200_000
FIRST_LAYER = 64


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


# ---- P and H in numbers -----------------------------------------------------------------------------


@lru_cache(maxsize=64)
def numeric_solution(
    multiplier: Expansion, forcing: Expansion, orders: int, digits: int, precision: int
) -> NumericSolution:
    """P and H to `orders` powers of l with `precision` decimal digits, and where they are good to `digits`."""
    with mp.workdps(precision):
        exact_field = ExactField.of([c for e in (multiplier, forcing) for _, c in e.terms])
        problem = Problem.over(NumberField(), multiplier, forcing, exact_field)
        solved, last = _particular(problem, orders)
        base, parts, relative = _homogeneous(problem, orders)
        layer = _accurate_from(((solved, last), (relative, orders * problem.grid)), problem.grid, digits)
        return NumericSolution(problem.grid, solved, base, parts, relative, layer)


def _particular(problem: Problem, orders: int) -> tuple[dict[int, list], int]:
    """P, and the order at which it was cut."""
    multiplier, forcing = problem.series
    if not forcing:
        return {}, 0
    steps = Elimination(problem.field, problem.grid, multiplier, forcing, problem.pivot)
    for _ in range(orders * problem.grid):
        steps.advance()
    return steps.solved, steps.order


def _homogeneous(problem: Problem, orders: int) -> tuple:
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

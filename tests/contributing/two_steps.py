"""A kind of recursion in one file: x' = x/(1 + s_l x) with two step sizes in turn, s_1, s_2, s_1, s_2, ...

In the coordinate N = 1/x a layer is a step of known length: N(x_l) = S_l + 1/x_0, S_l the sum of the step sizes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from mpmath import mp, mpf
from sympy import Expr, Symbol

from asympt.expansions import Expansion, Formal, Scale
from asympt.expansions.scale import Monomial
from asympt.numbers import exact, to_mpf
from asympt.recursions import Law
from asympt.recursions.agreement import Route, two_routes
from asympt.recursions.protocol import Coordinate

GUARD = 10


@dataclass(frozen=True)
class TwoSteps(Coordinate):
    """N = 1/x; `odd` and `even`: the step sizes of odd and of even layers."""

    odd: Expr
    even: Expr

    kind = "two steps"

    def parameters(self, linear) -> set:
        return self.odd.free_symbols | self.even.free_symbols

    def routes(self, digits: int, depth: int | None = None) -> Sequence[Route]:
        return two_routes(1, digits)

    def crossing(self, start: Expr, route: Route) -> "Orbit":
        return Orbit(self, start, route.digits + GUARD)

    def crossing_before(self, start: Expr, depth: int, route: Route) -> "Orbit":
        return self.crossing(start, route)

    def to_layer(self, start: Expr, depth: int, route: Route, crossing: "Orbit") -> tuple:
        return crossing.state(depth)  # the coordinate is exact, so the first layer is like all others


@dataclass(frozen=True)
class Orbit:
    """The orbit of one start; there is nothing to iterate before it enters the coordinate."""

    steps: TwoSteps
    start: Expr
    digits: int

    layer = lost = 0

    def state(self, depth: int) -> tuple:
        with mp.workdps(self.digits):
            return (1 / (self.constants(False)[0] + self.gone(depth)),)

    def gone(self, depth: int):
        """S_l."""
        return to_mpf(self.steps.odd) * ((depth + 1) // 2) + to_mpf(self.steps.even) * (depth // 2)

    def constants(self, second: bool) -> tuple:
        with mp.workdps(self.digits):
            return mpf(1) / to_mpf(self.start), None


def law(odd, even) -> Law:
    """x_n = 2/((s_1 + s_2) n) + O(1/n^2)."""
    steps = TwoSteps(exact(odd, "odd"), exact(even, "even"))
    leading = 2 / (steps.odd + steps.even)
    scale = Scale.at_infinity(Symbol("n", positive=True))
    expansion = Expansion.build(scale, {(1, 0): leading}, Formal(Monomial(2)))
    return Law("x_n", expansion, lambda start: exact(start, "start"), coordinate=steps)

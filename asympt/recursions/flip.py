"""Multiplier -1: the orbit jumps from side to side, and its second iterate is parabolic.

Problem.  x' = G(x) with G'(x*) = -1: x_n alternates around x* and approaches it like a power of n.

Rule.  G(G(x)) has multiplier 1 and an Abel function with A2(G(G(x))) = A2(x) + 1.  Put A = 2 A2.  Then

    A(x_n) = n + C      for all n,      C = A(x_0):

G commutes with its second iterate, so A(G) - A is a constant, the same formal series on both sides, and twice it
is 2.  Inverting A on the side of x_0 gives x_n for even n; for odd n the branch on the other side is taken, which
for a Taylor series means t -> -t.

Tiny case.  G = -sin x:  A = 3/x^2 + (6/5) log|x| + ..., x_n = (-1)^n sqrt(3/n) (1 + ...).

Known limits.  G must have a Taylor series (no fractional powers), since it is used on both sides.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from mpmath import mp
from sympy import Expr, Integer, Symbol

from asympt.errors import UnsupportedError
from asympt.expansions import Expansion
from asympt.expansions.puiseux import puiseux
from asympt.numbers import to_mpf
from asympt.recursions import evaluation
from asympt.recursions.dynamics import Dynamics
from asympt.recursions.law import Law
from asympt.recursions.orbit import OtherSideError
from asympt.recursions.parabolic import AbelFunction, T
from asympt.recursions.parabolic_law import inverted, require_attracting
from asympt.recursions.place import Observable, Place


@dataclass(frozen=True, kw_only=True)
class FlipLaw(Law):
    """x_n for even n is `expansion`, for odd n it is `odd`, with one constant C.

    abel: A with A(x_n) = n + C on both sides;  single, double: the map and its second iterate in the distance y.
    """

    odd: Expansion
    abel: AbelFunction
    place: Place
    view: Place | Observable
    single: Dynamics
    double: Dynamics

    kind = "flip"

    @property
    def dynamics(self) -> Dynamics:
        """The original map."""
        return self.single

    @cached_property
    def mirrored(self) -> tuple[Dynamics, Dynamics]:
        """(double, single) in the distance -y, for orbits whose even steps come in on the other side."""
        return mirror(self.double), mirror(self.single)

    @property
    def parameters(self) -> set:
        """The parameters of the map."""
        return self.single.parameters

    def _value(self, start: Expr, depth: int, digits: int):
        side = self._side(start, digits)

        def distance(more: int):
            value = self._distance(side, depth, more)
            return value if side.sign > 0 else mp.fneg(value, exact=True)

        return self.view.value(distance, digits)

    def _side(self, start: Expr, digits: int) -> "Side":
        """The side on which the even steps of this orbit come in."""
        here = Side(self.double, self.single, start, 1)
        try:
            evaluation.require_basin(here.double, start, digits)
            return here
        except OtherSideError:
            there = Side(*self.mirrored, -start, -1)
            evaluation.require_basin(there.double, -start, digits)
            return there

    def _distance(self, side: "Side", depth: int, digits: int):
        """y_n: an even number of steps by the second iterate, an odd one by one step more of the map itself."""
        even = depth - depth % 2
        if even == 0:
            with mp.workdps(digits + evaluation.GUARD):
                value = to_mpf(side.start)
        else:
            value = evaluation.certified(side.double, side.start, even // 2, digits + 4)
        if depth % 2 == 0:
            return value
        with mp.workdps(digits + evaluation.GUARD):
            return side.single.step((value,))[0]

    def _constants(self, start: Expr, digits: int) -> tuple:
        side = self._side(start, digits)
        constant, _ = evaluation.constants(side.double, side.start, digits + 1)
        with mp.workdps(digits + evaluation.GUARD):
            return 2 * constant, None


@dataclass(frozen=True)
class Side:
    """The map and its second iterate seen from one side, and the start as seen from there."""

    double: Dynamics
    single: Dynamics
    start: Expr
    sign: int


def flip_law(
    dynamics: Dynamics, place: Place, terms: int, reader: Callable, depth: Symbol, view: Observable | None = None
) -> FlipLaw:
    """The law of x_n, or of what `view` sees of it, with `terms` terms for even n, and the same for odd n."""
    if dynamics.root != 1:
        raise UnsupportedError(
            f"the map has fractional powers at {place.describe()} and multiplier -1: it is not real on the other side"
        )
    double = second_iterate(dynamics)
    require_attracting(double, place)
    other = Place(place.point, -place.sign)
    here, there = (place, other) if view is None else (view, replace(view, place=other))
    abel, even = inverted(double, here, terms, depth, doubled)
    _, odd = inverted(double, there, terms, depth, lambda a: doubled(a).rescale(Integer(-1)))
    return FlipLaw(
        here.quantity, even, reader, "recursion", odd=odd, abel=abel, place=place, view=here,
        single=dynamics, double=double,
    )


def doubled(abel: AbelFunction) -> AbelFunction:
    """A = 2 A2."""
    return AbelFunction(abel.expansion * 2, abel.root)


def second_iterate(dynamics: Dynamics) -> Dynamics:
    """The map applied twice."""
    formula = dynamics.formula.subs(T, dynamics.formula)
    return Dynamics(
        lambda count: list(puiseux(formula, T, count).coefficients),
        lambda state: dynamics.step(dynamics.step(state)),
        formula=formula,
    )


def mirror(dynamics: Dynamics) -> Dynamics:
    """The map seen from the other side: y -> -g(-y)."""
    return Dynamics(
        lambda count: [c * (-1) ** k for k, c in enumerate(dynamics.ratio(count))],
        lambda state: (-dynamics.step((-state[0],))[0],),
        formula=-dynamics.formula.subs(T, -T),
    )

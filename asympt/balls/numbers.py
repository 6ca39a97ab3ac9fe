"""Values and constants of one start in balls, for maps that are the same in every layer.

Iterate the recursion in balls until the coordinate (`abel`, `koenigs`) is known to the requested digits (the edge),
read the constants off there, and solve A(t) = l + C: for an approximate root x

    A_N(x - w) - E > l + C > A_N(x + w) + E,   E = E(2x);     A_N(2x) + E(t_1) < l + C when t_1 > 2x

prove that t_l lies within w of it, since A_N falls on (0, t_1] and t_l < t_1, the last layer that was iterated.  Terms
and bits come from the digits alone, in classes of `CLASS` digits: theorem and edge serve all starts of a class.
"""

from bisect import bisect_left
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from functools import lru_cache, wraps

import flint
from flint import arb
from sympy import S

from asympt.balls.abel import AbelTheorem
from asympt.balls.arithmetic import Refused, bits_for, working
from asympt.balls.disc import LocalBallMap
from asympt.balls.expression import number
from asympt.balls.linear import LinearTheorem
from asympt.balls.orbit import LANDS
from asympt.balls.printed import PrintedLaw, one_orbit
from asympt.balls.theorem import BITS, RADII, GeometricProver, best_theorem
from asympt.deadline import check_time
from asympt.errors import PrecisionError

CLASS = 10  # digits: requests are rounded up to a multiple
MOST = 20_000  # layers that are iterated on the way to the edge
FEW = 16  # terms of the series with which a wrong one is looked for
EDGES = 400
SHRINK = 0.95  # from one candidate for the edge to the next


def digit_class(digits: int) -> int:
    return -(-digits // CLASS) * CLASS


def kept(most: int) -> Callable:
    """`lru_cache` that keeps refusals too."""

    def decorate(work: Callable) -> Callable:
        @lru_cache(maxsize=most)
        def outcome(*given):
            try:
                return work(*given), None
            except (Refused, PrecisionError) as reason:
                return None, reason

        @wraps(work)
        def recalled(*given):
            found, reason = outcome(*given)
            if reason is not None:
                raise type(reason)(*reason.args)
            return found

        return recalled

    return decorate


@dataclass(frozen=True)
class Theorem:
    """A theorem for one class of digits; below the edge its errors are smaller than these."""

    abel: AbelTheorem
    linear: LinearTheorem | None
    edge: arb

    @classmethod
    @kept(64)
    def of(cls, asked: PrintedLaw, digits: int) -> "Theorem":
        """With as many terms as the digits need, in a region that can be proved."""
        bits = bits_for(digits)
        asked.map_.require_reach(bits)
        asked, last = asked.sharp(bits), max(FEW, int(0.75 * digits), asked.power + 8)
        abel, linear = best_theorem(asked.map_, asked.along, asked.power, last, bits, RADII)
        AbelTheorem(asked.map_, FEW, abel.radius, BITS).refute()  # of the same map: a high order would take long
        with working(bits):
            return cls(abel, linear, _edge(abel, linear, digits))


def _edge(abel: AbelTheorem, linear: LinearTheorem | None, digits: int) -> arb:
    """The largest of some t at which the errors, which grow with t, are below 10^-digits."""

    def issharp(k: int) -> bool:
        t, goal = abel.radius * arb(SHRINK) ** k, arb(10) ** -digits
        try:
            abel.require_falling(t)
            return bool(abel.error(t) < goal and (linear is None or linear.weight_error(t) < goal))
        except Refused:
            return False

    if not issharp(EDGES):
        raise PrecisionError(f"the Abel function is not proved to {digits} digits anywhere")
    first = bisect_left(range(EDGES), True, 1, key=issharp)
    return (abel.radius * arb(SHRINK) ** first).lower()


@dataclass(frozen=True)
class Entrance:
    """The first layer below the edge, the theorem from there on, the largest t there, and the constants read off."""

    layer: int
    theorem: AbelTheorem
    top: arb
    connection: arb
    linear: LinearTheorem | None
    weight: arb | None


class NumbersOfMap:
    """Values and constants of a law of one map."""

    def __init__(self, asked: PrintedLaw):
        self.asked = asked

    def at(self, start, depth: int, bits: int) -> arb:
        """The quantity in a layer that is iterated to."""
        orbit = one_orbit(self.asked, start, bits)
        with working(orbit.bits):
            return self._quantity(self.asked.moving(orbit, depth)[0], orbit.map)

    def _quantity(self, moved: arb, map_: LocalBallMap) -> arb:
        """With its offset."""
        return moved if self.asked.offset == 0 else number(self.asked.offset, map_.known(flint.ctx.prec)) + moved


class ParabolicNumbers(NumbersOfMap):
    """Of a parabolic law."""

    def edge(self, digits: int) -> arb:
        """Up to which t the theorem is good to so many digits."""
        return Theorem.of(self.asked, digits).edge

    def value(self, start, depth: int, digits: int) -> arb:
        """The quantity at any depth."""
        theorem, bits = Theorem.of(self.asked, digits), bits_for(digits)
        entrance = _entrance(self.asked, start, digits)
        if depth <= entrance.layer:
            return self.at(start, depth, bits)
        with working(bits):
            t, a, linear, weight = _solved(entrance, depth), None, entrance.linear, entrance.weight
            if linear is not None:  # P + D H and its error
                size, power = linear.error_factor(t.upper(), weight)
                a = linear.solution.at(t) + weight * linear.solution.homogeneous(t)
                a += arb(0, (size * t.upper() ** power).upper())
            return self._quantity(self.asked.seen(t, a, depth), theorem.abel.map)

    def constants(self, start, digits: int) -> tuple:
        """C, and D in the units of the law."""
        entrance, bits = _entrance(self.asked, start, digits), bits_for(digits)
        if entrance.weight is None:
            return entrance.connection, None
        with working(bits):
            unit = number(self.asked.unit, Theorem.of(self.asked, digits).abel.map.known(bits))
            return entrance.connection, entrance.weight / unit


@kept(1024)
def _entrance(asked: PrintedLaw, start, digits: int) -> Entrance:
    """Where the orbit comes below the edge."""
    theorem, bits = Theorem.of(asked, digits), bits_for(digits)
    orbit = one_orbit(asked, start, bits)
    for layer, state in orbit:
        if state.upper < theorem.edge and layer >= orbit.settled:
            break
        check_time()
        if layer - asked.first > MOST:
            raise PrecisionError(f"the orbit takes more than {MOST} layers to where {digits} digits are proved")
    with working(bits):
        t, linear = state.low, theorem.linear
        linear = None if linear is None else orbit.theorem(linear, layer)
        weight = None if linear is None else linear.weight(t, orbit.a(layer).low)
        abel = orbit.theorem(theorem.abel, layer)
        return Entrance(layer, abel, t.upper(), abel.constant(t, layer), linear, weight)


def _solved(entrance: Entrance, depth: int) -> arb:
    """t at a depth beyond the entrance."""
    theorem = entrance.theorem
    goal, top = entrance.connection + depth, entrance.top
    x = _approximate(theorem, goal.mid())
    error = theorem.error((2 * x).min(top))
    width = (error + goal.rad()) * x ** (theorem.order + 1) * 2 / theorem.series.alpha[-theorem.order]
    width = width + x * arb(2) ** (24 - theorem.bits)
    for _ in range(40):
        low, high = x - width, x + width
        if theorem.series.at(low) - error > goal and theorem.series.at(high) + error < goal:
            break
        width = width * 2
    else:
        raise PrecisionError(f"the depth {depth} is not solved for in balls; more digits are needed")
    if 2 * x < top and not theorem.series.at(2 * x) + theorem.error(top) < goal:
        raise PrecisionError(f"a second solution at depth {depth} is not excluded")
    return low.union(high)


def _approximate(theorem: AbelTheorem, goal: arb) -> arb:
    """A midpoint near the root of A_N = goal, by Newton's method; nothing is proved of it."""
    series, m = theorem.series, theorem.order
    x = series.alpha[-m] / goal
    x = x.root(m).mid()
    for _ in range(200):
        step = ((series.at(x) - goal) * x ** (m + 1) / series.slope(x)).mid()
        step = step.max(-x / 2).min(x / 2)
        x = (x - step).mid()
        if abs(step) < x * arb(2) ** (16 - theorem.bits):
            break
    return x


@kept(64)
def _prover(asked: PrintedLaw, digits: int) -> GeometricProver:
    """With as many terms as the digits need; of no start yet."""
    bits = bits_for(digits)
    return GeometricProver(asked.sharp(bits), S.Zero, S.Zero, bits, max(24, int(0.6 * digits)))


@lru_cache(maxsize=256)
def _started(asked: PrintedLaw, start, digits: int) -> GeometricProver:
    found = copy(_prover(asked, digits))
    found.low = found.high = start
    return found


class GeometricNumbers(NumbersOfMap):
    """Of a hyperbolic law."""

    def edge(self, digits: int) -> arb:
        """The radius of the region in which the Koenigs function is known."""
        return _prover(self.asked, digits).theorem.radius

    def value(self, start, depth: int, digits: int) -> arb:
        """The quantity at any depth; a power mu^l loses log l of its digits."""
        digits = digit_class(digits + len(str(depth)))
        prover = _started(self.asked, start, digits)
        moved = prover.value(depth, digits)
        with working(prover.bits):
            return self._quantity(moved, prover.law.map_)

    def constants(self, start, digits: int) -> tuple:
        """C; a D is left to two routes."""
        if self.asked.along is not None:
            raise Refused("the constants of a linear recursion along a hyperbolic map are not rounded from balls yet")
        return _started(self.asked, start, digits).connection(digits), None

    def _quantity(self, moved: arb, map_: LocalBallMap) -> arb:
        if self.asked.along is None and moved.contains(0):
            raise Refused(LANDS)
        return super()._quantity(moved, map_)

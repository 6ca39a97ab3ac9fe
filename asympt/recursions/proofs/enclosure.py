"""The quantity of one start at one depth, and the connection constants, between two numbers that are proved.

Problem.  Two routes that agree may err together.  A proof needs no second route, and says how far to trust each digit.

Rule.  Iterate the recursion in balls until the coordinate's error (`balls.abel`, `balls.koenigs`) is below the digits
asked (the edge), read the constants off there, and solve A(t) = l + C: an approximate root x is taken, and

    A_N(x - w) - E > l + C > A_N(x + w) + E,   E = E(2x);     A_N(2x) + E(t_1) < l + C when t_1 > 2x

prove that t_l lies within w of it, since A_N falls on (0, t_1] and t_l < t_1, the last layer that was iterated.  A
depth before the edge is iterated to.  The number of terms and of bits come from the digits alone (A is large with l,
and l digits of it are not needed), in classes of `CLASS` digits: theorem and edge are made once for all starts and
depths of a class.  A ball that does not fix the digits is made again with more.

Tiny case.  ReLU NTK, c^1 = 1/10, depth 10^100: 50 digits in a tenth of a second, the next start in 15 ms.

Known limits.  Those of `formal`; one start, not an interval.  Where no theorem stands, a depth of at most `PLAIN`
layers is still iterated to, and proved.  Falling steps: `flow_numbers`.
"""

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, replace
from functools import lru_cache, wraps

import flint
from flint import arb
from sympy import S

from asympt.balls.abel import AbelTheorem
from asympt.balls.arithmetic import Refused, ends, nearest, working
from asympt.balls.disc import LocalBallMap
from asympt.balls.expression import number
from asympt.balls.flows.law import FlowLaw
from asympt.balls.flows.power_law import PowerLaw
from asympt.balls.geometric import GeometricLaw, GeometricProver
from asympt.balls.linear import LinearTheorem
from asympt.balls.orbit import BallOrbit
from asympt.balls.theorem import BITS, RADII, FormalLaw, best_theorem
from asympt.deadline import check_time, in_budget
from asympt.errors import PrecisionError
from asympt.numbers import check_depth, check_digits
from asympt.recursions.proofs.flow_numbers import FlowNumbers
from asympt.recursions.truncated import GUARD

SPARE = 8  # digits beyond those asked
CLASS = 20  # digits: what is asked is rounded up to a multiple
MOST = 20_000  # layers that are iterated on the way to the edge
PLAIN = 2_000  # layers that are iterated without a theorem
OUTRIGHT = 16  # layers that are iterated before a theorem is looked for
ATTEMPTS = 4
PLAIN_ATTEMPTS = 6  # each with twice as many bits: an orbit may be chaotic before it falls
FEW = 16  # terms of the series with which a wrong one is looked for
EDGES = 400
SHRINK = 0.95  # from one candidate for the edge to the next


@in_budget("enclosing the law's quantity")
def enclosed_value(law, depth: int, digits: int, given: Mapping) -> tuple:
    """(lower, upper) of the quantity at the depth, to about so many digits."""
    depth, digits = check_depth(depth), check_digits(digits)
    return ends(value_ball(law.asked, law._start(given), depth, digits), digits + 3)


def proved_value(asked: FormalLaw | GeometricLaw | FlowLaw, start, depth: int, digits: int):
    """The quantity at the depth as an mpmath number, correct to the digits; `Refused` or `PrecisionError` otherwise."""
    return nearest(value_ball(asked, start, depth, digits), digits + GUARD)


def proved_constants(asked: FormalLaw | GeometricLaw | FlowLaw, start, digits: int, second: bool = False) -> tuple:
    """(C, D) likewise; D is None for a law without one, and may be None unless it is asked for as the `second`."""
    balls = _accurate(lambda more: _proof(asked).constants(start, more), digits)
    if second and balls[1] is None:
        raise Refused("D of this law is not proved to given digits")
    return tuple(None if ball is None else nearest(ball, digits + GUARD) for ball in balls)


def require_theorem(asked: FormalLaw | GeometricLaw | FlowLaw, digits: int) -> None:
    """An error, with the reason, unless the coordinate is proved near the fixed point."""
    _proof(asked).edge(_class(digits + SPARE))


def value_ball(asked: FormalLaw | GeometricLaw | FlowLaw, start, depth: int, digits: int) -> arb:
    """A ball for the quantity whose relative radius is below 10^-digits."""
    if start == 0:
        raise Refused("the start is the fixed point itself")
    if depth - asked.first <= OUTRIGHT:
        return _iterated(asked, start, depth, digits)
    try:
        return _accurate(lambda more: (_proof(asked).value(start, depth, more),), digits)[0]
    except (Refused, PrecisionError):
        if depth - asked.first > PLAIN:
            raise
        return _iterated(asked, start, depth, digits)


def _accurate(balls: Callable[[int], tuple], digits: int) -> tuple:
    """The first of a few attempts whose balls fix the digits; each has so many more as the one before had lost."""
    asked = _class(digits + SPARE)
    for _ in range(ATTEMPTS):
        found = balls(asked)
        if all(ball is None or _fixes(ball, digits) for ball in found):
            return found
        asked = _class(asked + max(2, min(digits + SPARE, digits + 2 - _seen(found))))
    raise PrecisionError(f"{digits} digits are not enclosed; ask for fewer digits")


def _seen(found: tuple) -> int:
    """Digits that all of these balls show; negative where one shows none."""
    return min(int(ball.rel_accuracy_bits() / 3.33) for ball in found if ball is not None)


def _fixes(ball: arb, digits: int) -> bool:
    return ball.is_finite() and ball.rel_accuracy_bits() > _bits(digits) + 2


def _bits(digits: int) -> int:
    return int(3.33 * digits)


def _class(digits: int) -> int:
    return -(-digits // CLASS) * CLASS


def _iterated(asked: FormalLaw | GeometricLaw | FlowLaw, start, depth: int, digits: int) -> arb:
    """The recursion itself in balls, with so many bits that the digits are left."""
    bits = _bits(_class(digits + SPARE)) + 64
    reason = PrecisionError(f"{digits} digits at depth {depth} are lost on the way; ask for fewer digits")
    for _ in range(PLAIN_ATTEMPTS):
        try:
            found = _proof(asked).at(start, depth, bits)
            if _fixes(found, digits):
                return found
        except (Refused, PrecisionError) as refused:  # a wide ball is not seen to fall either
            reason = refused
        bits *= 2
    raise reason


# ---- what is kept -------------------------------------------------------------------------------------


def _kept(most: int) -> Callable:
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


@lru_cache(maxsize=16)
def _orbit(asked: FormalLaw | GeometricLaw, start, bits: int) -> BallOrbit:
    sharp = _sharp(asked, bits)
    return BallOrbit(sharp.map_, start, start, asked.first, bits, sharp.along)


@lru_cache(maxsize=64)
def _sharp(asked: FormalLaw | GeometricLaw, bits: int) -> FormalLaw | GeometricLaw:
    """The law of the same map with numbers good for so many bits; a kernel goes along that map too."""
    map_ = asked.map_.sharp(bits)
    if map_ is asked.map_:
        return asked
    return replace(asked, map_=map_, along=None if asked.along is None else map_.tangents)


@lru_cache(maxsize=256)
def _proof(asked: FormalLaw | GeometricLaw | FlowLaw) -> "_ParabolicNumbers | _GeometricNumbers | FlowNumbers":
    return _KINDS[type(asked)](asked)


# ---- parabolic ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Theorem:
    """A theorem for one class of digits; below the edge its errors are smaller than these."""

    abel: AbelTheorem
    linear: LinearTheorem | None
    edge: arb

    @classmethod
    @_kept(64)
    def of(cls, asked: FormalLaw, digits: int) -> "Theorem":
        """With as many terms as the digits need, in a region that can be proved."""
        bits = _bits(digits) + 64
        asked, last = _sharp(asked, bits), max(FEW, int(0.75 * digits), asked.power + 8)
        abel, linear = best_theorem(asked, last, bits, RADII)
        AbelTheorem(asked.map_, FEW, abel.radius, BITS).refute()  # of the same map: a high order would take long
        with working(bits):
            return cls(abel, linear, _edge(abel, linear, digits))


def _edge(abel: AbelTheorem, linear: LinearTheorem | None, digits: int) -> arb:
    """The largest of some t at which the errors, which grow with t, are below 10^-digits."""

    def is_sharp(k: int) -> bool:
        t, goal = abel.radius * arb(SHRINK) ** k, arb(10) ** -digits
        try:
            abel.require_falling(t)
            return bool(abel.error(t) < goal and (linear is None or linear.weight_error(t) < goal))
        except Refused:
            return False

    low, high = 0, EDGES
    if not is_sharp(high):
        raise PrecisionError(f"the Abel function is not proved to {digits} digits anywhere")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_sharp(middle) else (middle, high)
    return (abel.radius * arb(SHRINK) ** high).lower()


@dataclass(frozen=True)
class Entrance:
    """The first layer below the edge, the largest t there, and the constants read off."""

    layer: int
    top: arb
    connection: arb
    weight: arb | None


class _ParabolicNumbers:
    """Values and constants of a parabolic law."""

    def __init__(self, asked: FormalLaw):
        self.asked = asked

    def edge(self, digits: int) -> arb:
        """Up to which t the theorem is good to so many digits."""
        return Theorem.of(self.asked, digits).edge

    def at(self, start, depth: int, bits: int) -> arb:
        """The quantity in a layer that is iterated to."""
        orbit = _orbit(self.asked, start, bits)
        t, a = orbit.t(depth).low, orbit.a(depth).low if self.asked.along else None
        with working(orbit.bits):
            return self._quantity(t, a, depth, orbit.map)

    def value(self, start, depth: int, digits: int) -> arb:
        """The quantity at any depth."""
        theorem, bits = Theorem.of(self.asked, digits), _bits(digits) + 64
        entrance = _entrance(self.asked, start, digits)
        if depth <= entrance.layer:
            return self.at(start, depth, bits)
        with working(bits):
            t = _solved(theorem.abel, entrance, depth)
            return self._quantity(t, _linear_value(theorem.linear, entrance.weight, t), depth, theorem.abel.map)

    def constants(self, start, digits: int) -> tuple:
        """C, and D in the units of the law."""
        entrance, bits = _entrance(self.asked, start, digits), _bits(digits) + 64
        if entrance.weight is None:
            return entrance.connection, None
        with working(bits):
            unit = number(self.asked.unit, Theorem.of(self.asked, digits).abel.map.known(bits))
            return entrance.connection, entrance.weight / unit

    def _quantity(self, t: arb, a: arb | None, depth: int, map_: LocalBallMap) -> arb:
        asked = self.asked
        if a is not None:
            return a / depth if asked.average else a
        return number(asked.offset, map_.known(flint.ctx.prec)) + asked.sign * t**asked.exponent


@_kept(1024)
def _entrance(asked: FormalLaw, start, digits: int) -> Entrance:
    """Where the orbit comes below the edge."""
    theorem, bits = Theorem.of(asked, digits), _bits(digits) + 64
    for layer, state in _orbit(asked, start, bits):
        if state.upper < theorem.edge:
            break
        check_time()
        if layer - asked.first > MOST:
            raise PrecisionError(f"the orbit takes more than {MOST} layers to come where {digits} digits are proved")
    with working(bits):
        t, linear = state.low, theorem.linear
        a = None if linear is None else _orbit(asked, start, bits).a(layer).low
        weight = None if linear is None else linear.weight(t, a)
        return Entrance(layer, t.upper(), theorem.abel.constant(t, layer), weight)


def _solved(theorem: AbelTheorem, entrance: Entrance, depth: int) -> arb:
    """t at a depth beyond the entrance."""
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
    x = (x.root(m) if m > 1 else x).mid()
    for _ in range(200):
        slope = sum((k * c * x ** (k - 1) for k, c in series.alpha.items()), arb(0)) + series.residue / x
        step = ((series.at(x) - goal) / slope).mid()
        step = step.max(-x / 2).min(x / 2)
        x = (x - step).mid()
        if abs(step) < x * arb(2) ** (16 - theorem.bits):
            break
    return x


def _linear_value(linear: LinearTheorem | None, weight: arb | None, t: arb) -> arb | None:
    """a where the orbit is at t: P + D H and its error."""
    if linear is None:
        return None
    size, power = linear.error_factor(t.upper(), weight)
    solution = linear.solution
    return solution.at(t) + weight * solution.homogeneous(t) + arb(0, (size * t.upper() ** power).upper())


# ---- hyperbolic ---------------------------------------------------------------------------------------


@_kept(64)
def _prover(asked: GeometricLaw, digits: int) -> GeometricProver:
    """With as many terms as the digits need; of no start yet."""
    bits = _bits(digits) + 64
    return GeometricProver(_sharp(asked, bits), S.Zero, S.Zero, bits, max(24, int(0.6 * digits)))


@lru_cache(maxsize=256)
def _started(asked: GeometricLaw, start, digits: int) -> GeometricProver:
    found = copy(_prover(asked, digits))
    found.low = found.high = start
    return found


class _GeometricNumbers:
    """Values and constants of a hyperbolic law."""

    def __init__(self, asked: GeometricLaw):
        self.asked = asked

    def edge(self, digits: int) -> arb:
        """The radius of the region in which the Koenigs function is known."""
        return _prover(self.asked, digits).theorem.radius

    def at(self, start, depth: int, bits: int) -> arb:
        """The quantity in a layer that is iterated to."""
        orbit = _orbit(self.asked, start, bits)
        with working(orbit.bits):
            if self.asked.along is not None:
                return self._quantity(orbit.a(depth).low, orbit.map)
            return self._quantity(self.asked.sign * orbit.t(depth).low ** self.asked.map_.root, orbit.map)

    def value(self, start, depth: int, digits: int) -> arb:
        """The quantity at any depth; a power mu^l loses log l of its digits."""
        digits = _class(digits + len(str(depth)))
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
            raise Refused("the orbit may land on the fixed point, where there is no law of how it is approached")
        return number(self.asked.offset, map_.known(flint.ctx.prec)) + moved


_KINDS = {FormalLaw: _ParabolicNumbers, GeometricLaw: _GeometricNumbers, FlowLaw: FlowNumbers, PowerLaw: FlowNumbers}

"""The quantity of one start at one depth, between two numbers that are proved.

Problem.  `evaluate` trusts two routes that agree.  A proof needs no second route, and says how far to trust each digit.

Rule.  Iterate the recursion in balls until the coordinate's error (`balls.abel`, `balls.koenigs`) is below the digits
asked, read the constants off there, and solve A(t) = l + C: an approximate root x is taken, and

    A_N(x - w) - E > l + C > A_N(x + w) + E,   E = E(2x);     A_N(2x) + E(t_1) < l + C when t_1 > 2x

prove that t_l lies within w of it, since A_N falls on (0, t_1] and t_l < t_1, the last layer that was iterated.  The
number of terms and of bits come from the digits and from the depth: log2 l^3 bits are lost on the way.

Tiny case.  ReLU NTK, c^1 = 1/10, depth 10^100: 50 digits in a tenth of a second.

Known limits.  Those of `formal`; one start, not an interval.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from flint import arb

from asympt.balls.abel import AbelTheorem
from asympt.balls.arithmetic import Refused, ends, working
from asympt.balls.expression import number
from asympt.balls.geometric import GeometricLaw, GeometricProver
from asympt.balls.linear import LinearTheorem
from asympt.balls.orbit import BallOrbit
from asympt.balls.theorem import BITS, RADII, FormalLaw, best_theorem
from asympt.deadline import check_time, in_budget
from asympt.errors import PrecisionError
from asympt.numbers import check_depth, check_digits

GUARD = 8  # digits beyond those asked
MOST = 20000  # layers that are iterated
STRIDE = 16  # layers between two looks at the error
ATTEMPTS = 4
FEW = 16  # terms of the series with which a wrong one is looked for


@in_budget("enclosing the law's quantity")
def enclosed_value(law, depth: int, digits: int, given: Mapping) -> tuple:
    """(lower, upper) of the quantity at the depth, to about so many digits."""
    depth, digits = check_depth(depth), check_digits(digits)
    start = law._start(given)
    asked = law.asked
    if start == 0:
        raise Refused("the start is the fixed point itself")
    for attempt in range(ATTEMPTS):
        wanted = digits * (1 + attempt) + GUARD * (1 + 2 * attempt)
        found = _geometric if isinstance(asked, GeometricLaw) else _parabolic
        value = found(asked, start, depth, wanted)
        if value.rel_accuracy_bits() > 3.33 * digits:
            return ends(value, digits + 3)
    raise PrecisionError(f"{digits} digits at depth {depth} are not enclosed; ask for fewer digits")


# ---- parabolic --------------------------------------------------------------------------------------


def _parabolic(asked: FormalLaw, start, depth: int, digits: int) -> arb:
    bits = int(3.33 * digits) + 4 * depth.bit_length() + 64
    asked = _sharp(asked, bits)
    orbit = BallOrbit(asked.map_, start, start, asked.first, bits, asked.along)
    if depth - asked.first <= STRIDE:
        with working(bits):
            return _quantity(asked, orbit.t(depth).low, orbit.a(depth).low if asked.along else None, depth, bits)
    theorem, linear = _theorem(asked, digits, bits)
    layer = _entrance(theorem, linear, orbit, digits, depth)
    with working(bits):
        if layer >= depth:
            return _quantity(asked, orbit.t(depth).low, orbit.a(depth).low if asked.along else None, depth, bits)
        t, last = _solved(theorem, orbit, layer, depth)
        return _quantity(asked, t, _linear_value(linear, orbit, layer, t, last), depth, bits)


@lru_cache(maxsize=32)
def _sharp(asked: FormalLaw | GeometricLaw, bits: int) -> FormalLaw | GeometricLaw:
    return replace(asked, map_=asked.map_.sharp(bits))


@lru_cache(maxsize=32)
def _theorem(asked: FormalLaw, digits: int, bits: int) -> tuple[AbelTheorem, LinearTheorem | None]:
    """With as many terms as the digits need, on a circle that can be proved."""
    last = max(FEW, int(0.75 * digits), asked.power + 8)
    theorem, linear = best_theorem(asked, last, bits, RADII)
    AbelTheorem(asked.map_, FEW, theorem.radius, BITS).refute()  # of the same map: a high order would take long
    return theorem, linear


def _entrance(theorem: AbelTheorem, linear: LinearTheorem | None, orbit: BallOrbit, digits: int, depth: int) -> int:
    """The first layer (of every STRIDE) at which the errors are below the digits; the depth if that comes first."""
    for layer in range(orbit.first + STRIDE, MOST, STRIDE):
        check_time()
        if layer >= depth:
            return depth
        t = orbit.t(layer).upper
        with working(theorem.bits):
            goal = arb(10) ** -digits
            try:
                theorem.require_falling(t)
                small = theorem.error(t) < goal and (linear is None or linear.weight_error(t) < goal)
            except Refused:
                continue
            if small:
                return layer
    raise PrecisionError(f"the orbit takes more than {MOST} layers to come where {digits} digits are proved")


def _solved(theorem: AbelTheorem, orbit: BallOrbit, layer: int, depth: int) -> tuple[arb, arb]:
    """t at the depth, and the t that it is below of."""
    top = orbit.t(layer).upper
    constant = theorem.constant(orbit.t(layer).low, layer)
    goal = constant + depth
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
    return low.union(high), top


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


def _linear_value(linear: LinearTheorem | None, orbit: BallOrbit, layer: int, t: arb, top: arb) -> arb | None:
    """a at the depth: P + D H and its error."""
    if linear is None:
        return None
    weight = linear.weight(orbit.t(layer).low, orbit.a(layer).low)
    size, power = linear.error_factor(t.upper(), weight)
    solution = linear.solution
    return solution.at(t) + weight * solution.homogeneous(t) + arb(0, (size * t.upper() ** power).upper())


def _quantity(asked: FormalLaw, t: arb, a: arb | None, depth: int, bits: int) -> arb:
    if a is not None:
        return a / depth if asked.average else a
    return number(asked.offset, asked.map_.known(bits)) + asked.sign * t**asked.exponent


# ---- hyperbolic -------------------------------------------------------------------------------------


def _geometric(asked: GeometricLaw, start, depth: int, digits: int) -> arb:
    bits = int(3.33 * digits) + 64
    asked = _sharp(asked, bits)
    prover = GeometricProver(asked, start, start, bits, max(24, int(0.6 * digits)))
    value = prover.value(depth, digits)
    with working(bits):
        return number(asked.offset, asked.map_.known(bits)) + value

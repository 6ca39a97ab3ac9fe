"""The original orbit in mpmath: step by step, or by squaring where the way is long.

Creeping (Abel): at a fixed precision.  Geometric (Koenigs): all digits of y must be correct relative to y, so iterate
again where the smallest |y| needs more digits than were carried; one that settles elsewhere comes back to where it was
(Brent).  Squaring, for nearly linear networks: 2^k layers take (x, a) to (x r_k(t), lambda_k(t) a + b_k(t)), known at
Chebyshev points up to the interpolation radius; t_k being where t has gone after 2^k layers,

    r_(k+1)(t) = r_k(t) r_k(t_k),   lambda_(k+1) = lambda_k(t_k) lambda_k,   b_(k+1) = lambda_k(t_k) b_k + b_k(t_k).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import mpmath
from flint import arb, arb_mat
from mpmath import mp
from sympy import Expr, Symbol

from asympt.balls.arithmetic import midpoint, of_mpf, working
from asympt.errors import InputError, NoValueError, PrecisionError
from asympt.expansions.circle import NotAnalytic, circle_values
from asympt.numbers import to_mpf
from asympt.recursions.agreement import GUARD, Route, two_routes
from asympt.recursions.local import OrbitValue
from asympt.recursions.protocol import Coordinate, Dynamics, T

# ---- by squaring ----------------------------------------------------------------------------------


POINTS_PER_DIGIT, SPARE_BITS = 3, 10


@dataclass(frozen=True, eq=False)
class Nodes:
    """Chebyshev points of (0, end) with their barycentric weights."""

    points: tuple
    weights: tuple

    @classmethod
    def on(cls, end, count: int) -> "Nodes":
        """`count` points of the first kind."""
        angles = [(2 * j + 1) * mp.pi / (2 * count) for j in range(count)]
        points = tuple(end * (1 - mp.cos(angle)) / 2 for angle in angles)
        return cls(points, tuple((-1) ** j * mp.sin(angle) for j, angle in enumerate(angles)))

    def interpolate(self, places: Sequence, columns: Sequence[Sequence]) -> list[list]:
        """For every place the values there of all columns of values at the points: one product of matrices.

        >>> grid = Nodes.on(mpmath.mpf(1), 5)
        >>> [[value]] = grid.interpolate([mpmath.mpf(1) / 3], [[t**4 for t in grid.points]])
        >>> mpmath.nstr(value, 8)
        '0.012345679'
        """
        with working(mp.prec + SPARE_BITS):
            grid = [*zip(map(of_mpf, self.points), map(of_mpf, self.weights), strict=True)]
            table = arb_mat([[*map(of_mpf, row), arb(1)] for row in zip(*columns, strict=True)])
            found = arb_mat([_shares(of_mpf(t), grid) for t in places]) * table
            return [[midpoint(value / total) for value in row] for *row, total in found.tolist()]


def _shares(t: arb, grid: Sequence[tuple[arb, arb]]) -> list[arb]:
    at = [t == point for point, _ in grid]
    return [arb(here) for here in at] if any(at) else [weight / (t - point) for point, weight in grid]


@dataclass(frozen=True, eq=False)
class Iterate:
    """2^k layers: the columns r, and with a linear part lambda and b, at the points of the grid."""

    grid: Nodes
    columns: tuple
    root: int

    @classmethod
    def one_layer(cls, dynamics: Dynamics, grid: Nodes) -> "Iterate":
        """The original step at the points."""
        rows = [_measure(dynamics, t) for t in grid.points]
        return cls(grid, tuple(zip(*rows, strict=True)), dynamics.root)

    def doubled(self) -> "Iterate":
        """Twice as many layers."""
        places = [t * r ** (mpmath.mpf(1) / self.root) for t, r in zip(self.grid.points, self.columns[0], strict=True)]
        rows = map(_then, zip(*self.columns, strict=True), self.grid.interpolate(places, self.columns))
        return Iterate(self.grid, tuple(zip(*rows, strict=True)), self.root)

    def apply(self, state: tuple) -> tuple:
        """The state after 2^k layers."""
        (moved,) = self.grid.interpolate([state[0] ** (mpmath.mpf(1) / self.root)], self.columns)
        return state[0] * moved[0], *(moved[1] * a + moved[2] for a in state[1:])


def _measure(dynamics: Dynamics, t) -> tuple:
    """One layer at t: (x'/x,) or (x'/x, lambda, b), from the original step alone."""
    x = t**dynamics.root
    if dynamics.linear is None:
        return (dynamics.step((x,))[0] / x,)
    following, source = dynamics.step((x, mpmath.mpf(0)))
    return following / x, dynamics.step((x, mpmath.mpf(1)))[1] - source, source


def _then(first: Sequence, second: Sequence) -> tuple:
    if len(first) == 1:
        return (first[0] * second[0],)
    return first[0] * second[0], second[1] * first[1], second[1] * first[2] + second[2]


class Iterates:
    """The iterates of 1, 2, 4, ... layers of one recursion at one precision, built when first needed."""

    def __init__(self, dynamics: Dynamics, digits: int):
        self.end, self.digits = to_mpf(dynamics.interpolation_radius), digits
        grid = Nodes.on(self.end, POINTS_PER_DIGIT * digits + 20)
        self.iterates = [Iterate.one_layer(dynamics, grid)]

    def iterate(self, k: int) -> Iterate:
        while len(self.iterates) <= k:
            self.iterates.append(self.iterates[-1].doubled())
        return self.iterates[k]

    def advance(self, state: tuple, layers: int) -> tuple:
        """The state after any number of layers, from a start within the grid."""
        for k in reversed(range(layers.bit_length())):
            if layers >> k & 1:
                state = self.iterate(k).apply(state)
        return state

    def descend(self, state: tuple, edge, most: int) -> tuple[tuple, int]:
        """The last state, within `most` layers, whose x still exceeds `edge`, and how many layers away it is."""
        layers = 0
        for k in reversed(range(most.bit_length())):
            further = self.iterate(k).apply(state)
            if further[0] > edge:
                state, layers = further, layers + 2**k
        return state, layers


@lru_cache(maxsize=16)
def iterates_of(dynamics: Dynamics, digits: int) -> Iterates:
    """The iterates of a recursion for `digits` digits; call it at that working precision."""
    return Iterates(dynamics, digits)


SHALLOW = 32  # this many steps are iterated outright, whether or not the expansion is within reach
MOST_STEPS = 300_000
LONG_WAY = 20_000
MOST_BY_SQUARING = 2**40
FEW_STEPS = 20_000
CLOSER = "start closer to the fixed point"
LARGEST = 1_000_000  # an orbit this many times its start away is taken to escape
ENDLESS = mpmath.mpf(10) ** 10_000
CHEAP = 5000  # so many steps are taken even for a smaller depth, to see that the orbit comes near
ATTEMPTS = 4
CLOSEST = 20_000  # digits carried at most
SAME = mpmath.mpf(10) ** -15


def initial(dynamics: Dynamics, start: Expr) -> tuple:
    """The first state, from the exact starting value of x."""
    if dynamics.begin is not None:
        return dynamics.begin(start)
    x = OrbitValue(to_mpf(start), start)
    return (x, dynamics.linear.start(x)) if dynamics.linear else (x,)


# ---- creeping -------------------------------------------------------------------------------------


class Creeping:
    """How a parabolic orbit is followed: at a fixed precision, by squaring where the way is long."""

    longest_without = LONG_WAY  # steps that are iterated when the matching layer is out of reach

    def to_matching(self, coordinate: Coordinate, start: Expr, route) -> tuple[tuple, int]:
        """The state at the matching layer of a route, and its index."""
        numeric = coordinate.numeric(route.last, route.digits)
        with mp.workdps(route.digits + GUARD):
            return _descend(coordinate.dynamics, numeric, start, route)

    def to_layer(self, coordinate: Coordinate, start: Expr, depth: int, route, by_squaring: bool = False) -> tuple:
        """The state at index `depth`; by squaring where that is allowed, possible and worth while."""
        dynamics = coordinate.dynamics
        with mp.workdps(route.digits + GUARD):
            if by_squaring and dynamics.interpolation_radius is not None and depth - dynamics.first > LONG_WAY:
                state, layer = _into_interpolation(dynamics, initial(dynamics, start), dynamics.first, depth)
                return iterates_of(dynamics, mp.dps).advance(state, depth - layer)
            return _iterate(dynamics, start, depth)

    def is_short(self, coordinate: Coordinate, start: Expr, depth: int, route) -> bool:
        """Whether `depth` is iterated to outright."""
        return depth - coordinate.dynamics.first <= SHALLOW


def _descend(dynamics: Dynamics, numeric, start: Expr, route) -> tuple[tuple, int]:
    near, later = numeric.edge(None, route)
    edge, (state, layer) = numeric.leave(near), (initial(dynamics, start), dynamics.first)
    way = numeric.layers_between(numeric.enter(abs(state[0])), near, route)
    if way > LONG_WAY:
        state, layer = _squared_down(dynamics, state, edge, way)
    watch = Watch(LARGEST * (1 + abs(state[0])), edge, min(MOST_STEPS, max(FEW_STEPS, 20 * way)))
    while not (0 <= state[0] <= edge and dynamics.settled(state, route.digits)):
        state, layer = watch.step(dynamics, state), layer + 1
    return _onward(dynamics, state, layer, later)


def _onward(dynamics: Dynamics, state: tuple, layer: int, layers: int) -> tuple[tuple, int]:
    """So many layers more, except at the fixed point itself."""
    for _ in range(layers if state[0] else 0):
        state, layer = dynamics.step(state), layer + 1
    return state, layer


def require_after_start(dynamics, depth: int) -> None:
    """`InputError` for a layer before that of the start."""
    if depth < dynamics.first:
        raise InputError(f"depth = {depth} lies before the layer {dynamics.first} of the start; ask for a later one")


def _iterate(dynamics: Dynamics, start: Expr, depth: int) -> tuple:
    """Layer by layer; at the fixed point itself a grows by the constant forcing there."""
    require_after_start(dynamics, depth)
    state = initial(dynamics, start)
    for layer in range(dynamics.first, depth):
        if state[0] == 0:  # x stays there; lambda = 1 on the Edge of Chaos, so a grows by b(0) a layer
            linear, layers = dynamics.linear, depth - layer
            return state if linear is None else (state[0], state[1] + layers * to_mpf(linear.forcing(1)[0]))
        state = dynamics.step(state)
        if not abs(state[0]) <= ENDLESS:  # the next sine of it would take as many digits as it has
            raise InputError(f"the orbit escapes: {_distance(state[0])} after {layer + 1} steps; {CLOSER}")
    return state


def _squared_down(dynamics: Dynamics, state: tuple, edge, way: int) -> tuple[tuple, int]:
    """Close to the matching layer by squaring; a refusal where the map is too slow or cannot be composed."""
    if dynamics.interpolation_radius is None or way > MOST_BY_SQUARING:
        if way > MOST_STEPS:
            raise _too_slow(way)
        return state, dynamics.first
    state, layer = _into_interpolation(dynamics, state, dynamics.first, None)
    state, squared = iterates_of(dynamics, mp.dps).descend(state, edge, 2 * way)
    return state, layer + squared


def _into_interpolation(dynamics: Dynamics, state: tuple, layer: int, depth: int | None) -> tuple[tuple, int]:
    """Layer by layer until squaring is allowed, or to `depth`."""
    end = to_mpf(dynamics.interpolation_radius) ** dynamics.root
    # beyond the interpolation radius there are about scale (1/radius - 1/t) layers: few, unless the map is slow
    way = to_mpf(dynamics.scale) * (1 / dynamics.uniformiser(end) - 1 / dynamics.uniformiser(state[0]))
    if way > MOST_STEPS:
        raise _too_slow(int(way))
    while state[0] > end and layer != depth:
        state, layer = dynamics.step(state), layer + 1
    return state, layer


class OtherSideError(InputError):
    """The orbit settles on the other side of the fixed point."""


@dataclass
class Watch:
    """Looks after an orbit that should come near its fixed point: an error, with the reason, if it does not.

    A sojourn on the other side (y < 0) is allowed unless the orbit settles there.
    """

    ceiling: object
    edge: object
    most: int
    taken: int = 0

    def step(self, dynamics: Dynamics, state: tuple) -> tuple:
        following = dynamics.step(state)
        self.taken += 1
        before, after = state[0], following[0]
        if after.imag or not abs(after) <= self.ceiling:
            raise InputError(f"the orbit escapes: {_distance(after)} after {self.taken} steps; {CLOSER}")
        if before < 0 and after < 0 and -after < -before <= self.edge:
            raise OtherSideError(
                f"the orbit approaches the fixed point from the other side, not from this one ({_distance(after)}"
                f" after {self.taken} steps); {_other_law(dynamics)}, or {CLOSER}"
            )
        self._require_progress(before, after)
        return following

    def _require_progress(self, before, after) -> None:
        if self.taken % 64 == 0 and abs(after - before) <= abs(after) * mpmath.mpf(10) ** (8 - mp.dps):
            where = f"settles elsewhere or moves too little to be seen ({_distance(after)})"
            raise InputError(f"the orbit {where}; {CLOSER}, on this side")
        if self.taken > self.most:
            raise PrecisionError(
                f"after {self.taken} steps the orbit is still too far from the fixed point for the expansion to be "
                f"accurate ({_distance(after)}); ask for fewer digits, or {CLOSER}"
            )


def _other_law(dynamics: Dynamics) -> str:
    """Where the law of an orbit is that has settled on the other side."""
    fixed = getattr(dynamics.step, "fixed", None)
    if fixed is None:
        return "take the law of the other side"
    if fixed.at_infinity:
        return f"take fixed_point={-fixed.point}"
    return f"take side='{'below' if fixed.sign > 0 else 'above'}'"


def _distance(y) -> str:
    return f"distance {mpmath.nstr(y, 5)} from the fixed point"


def _too_slow(layers: int) -> PrecisionError:
    return PrecisionError(
        f"about {layers} layers would have to be iterated before the expansion is accurate, more than {MOST_STEPS}; "
        f"ask for fewer digits, {CLOSER}, or take a map (an activation) further from linear"
    )


# ---- geometric ------------------------------------------------------------------------------------


class Geometric:
    """How a hyperbolic orbit is followed: as precisely as the distance deserves."""

    longest_without = -1

    def to_matching(self, coordinate: Coordinate, start: Expr, route) -> tuple[tuple, int]:
        dynamics, numeric = coordinate.dynamics, coordinate.numeric(route.last, route.digits)
        with mp.workdps(route.digits + GUARD):
            y = initial(dynamics, start)[0]
            edge, later = numeric.edge(y, route)
            carry = numeric.digits_lost(edge, later)
            near = numeric.enter(abs(y)) <= numeric.circle(numeric.accuracy_radius, route)
        entered, looked = None, dynamics.first + (0 if near else CHEAP)  # from far away it may come near at once

        def arrived(state, index):
            nonlocal entered
            if index == dynamics.first:
                entered = None
            if entered is None and abs(numeric.enter(state[0])) <= edge and dynamics.settled(state, route.digits):
                entered = index
            if entered is None and index == looked:
                _require_reachable(_steps_ahead(coordinate, state[0], route))
            return entered is not None and index >= entered + later

        return _travel(dynamics, start, route.digits, arrived, carry)

    def to_layer(self, coordinate: Coordinate, start: Expr, depth: int, route, by_squaring: bool = False) -> tuple:
        return _travel(coordinate.dynamics, start, route.digits, lambda state, index: index == depth)[0]

    def is_short(self, coordinate: Coordinate, start: Expr, depth: int, route) -> bool:
        """Whether `depth` is iterated to although the matching layer is far; an error when both are too far."""
        dynamics = coordinate.dynamics
        ahead, steps = _steps_ahead(coordinate, initial(dynamics, start)[0], route), depth - dynamics.first
        if ahead > CHEAP and steps <= min(ahead, MOST_STEPS):
            return True
        _require_reachable(ahead)
        return False


def _require_reachable(ahead) -> None:
    if ahead > MOST_STEPS:
        raise PrecisionError(
            f"about {mpmath.nstr(ahead, 2)} steps would have to be iterated before the expansion is accurate, more "
            f"than {MOST_STEPS}, because the multiplier is so close to 1 in size; start closer (smaller depths are "
            "iterated to)"
        )


def _steps_ahead(coordinate: Coordinate, y, route):
    """About how many steps lie before the matching layer, of those within the circle of convergence."""
    numeric = coordinate.numeric(route.last, route.digits)
    with mp.workdps(20):
        return numeric.layers_between(numeric.enter(abs(y)), numeric.edge(y, route)[0], route)


def _travel(dynamics: Dynamics, start: Expr, digits: int, arrived: Callable, carry: int = 5) -> tuple[tuple, int]:
    """The first state with arrived(state, index), good to `digits` digits and `GUARD`, and its index.

    `carry`: how many digits more to begin with.
    """
    precision = digits + GUARD + carry
    for _ in range(ATTEMPTS):
        with mp.workdps(precision):
            state, index, smallest = _walk(dynamics, start, arrived)
        needed = digits + GUARD + 2 + max(0, -int(mpmath.mag(smallest) * 0.30103) if smallest else 2 * mp.dps)
        if needed <= precision and arrived(state, index):
            return state, index
        if needed > CLOSEST:
            raise PrecisionError(
                f"the orbit comes within 10^(-{needed - digits}) of the fixed point before the expansion is used, too "
                "close to be iterated; start further away"
            )
        precision = max(needed + 5, 3 * precision // 2)
    raise _landed(dynamics, index, precision)


def _walk(dynamics: Dynamics, start: Expr, arrived: Callable) -> tuple[tuple, int, object]:
    """The state where the orbit arrives or is lost among rounding errors, its index, and the smallest |y| met."""
    state, index = initial(dynamics, start), dynamics.first
    smallest, ceiling = abs(state[0]), LARGEST * (1 + abs(state[0]))
    mark, until = state, 2
    coordinates = len(state) if dynamics.linear is None else 1
    _require_side(dynamics, state[0], index)
    while not arrived(state, index):
        state, index = _next(dynamics, state, index), index + 1
        y = state[0]
        _require_orbit(dynamics, y, ceiling, index)
        if all(abs(x - m) <= SAME * abs(x) for x, m in zip(state[:coordinates], mark, strict=False)):
            if mp.mag(y) > -mp.prec // 2:
                raise InputError(
                    f"the orbit settles elsewhere (at distance {mpmath.nstr(abs(y), 8)} from the fixed point after "
                    f"{index} steps); start in the basin of the fixed point"
                )
            break
        if index - dynamics.first == until:
            mark, until = state, 2 * until
        smallest = min(smallest, abs(y))
    return state, index, smallest


def _next(dynamics: Dynamics, state: tuple, index: int) -> tuple:
    if index - dynamics.first >= MOST_STEPS:
        raise PrecisionError(
            f"after {MOST_STEPS} steps the orbit is still too far from the fixed point (distance "
            f"{mpmath.nstr(abs(state[0]), 5)}) for the expansion to be accurate; start closer to it"
        )
    try:
        return dynamics.step(state)
    except NoValueError as error:
        raise InputError(
            f"the map has no value at distance {mpmath.nstr(state[0], 5)} from the fixed point, where the orbit is at "
            f"step {index} ({error}); start closer to the fixed point"
        ) from None


def _require_orbit(dynamics: Dynamics, y, ceiling, index: int) -> None:
    if isinstance(y, mpmath.mpc) or not mpmath.isfinite(y):
        raise InputError(f"the orbit leaves the real numbers at step {index}; start closer to the fixed point")
    if abs(y) > ceiling:
        raise InputError(
            f"the orbit goes away from the fixed point (distance {mpmath.nstr(abs(y), 5)} at step {index}); start "
            "closer to it"
        )
    if y == 0:
        raise _landed(dynamics, index, mp.dps)
    _require_side(dynamics, y, index)


def _require_side(dynamics: Dynamics, y, index: int) -> None:
    if dynamics.root > 1 and y < 0:
        raise InputError(
            f"the orbit is on the other side of the fixed point at step {index} (distance {mpmath.nstr(y, 5)}), where "
            f"the powers y^(1/{dynamics.root}) of the map are not real; start on the side that the law is for"
        )


def _landed(dynamics: Dynamics, index: int, digits: int) -> InputError:
    """y = 0: the fixed point, or in a system (which alone has a `begin`) a point that the orbit may leave again."""
    where, then = "lands on the fixed point", "so C = 0 and there is no law; start elsewhere"
    if dynamics.begin is not None:
        where, then = "has the coordinate 0 along the slowest direction", "and is not followed; start at a later point"
    return InputError(f"the orbit {where} at step {index} (to {digits} digits), {then}")


# ---- where an orbit crosses from the original recursion into a coordinate that is a series ---------------
#
# Iterate until t is within the accuracy radius (layer n), read off N(t_n) and the weight (a_n - P(t_n))/H(t_n), advance
# both by L - n layers (A + (L - n), or mu^(L - n) U), solve N(t) = position by Newton's method.


MOST_FORGETTING = 20_000


class SeriesCoordinate(Coordinate):
    """A coordinate N whose numbers come from a series: `numeric`, `series_length` and `orbit` make one.

    What `numeric` gives has the truncated series, a = P + weight H along N: `enter` and `leave` lead from x to t and
    back, `position` is N(t) and `solve` its inverse, `advance` N and `weight_after` the weight so many steps on,
    `particular` P(t), `homogeneous` H(t) but for factors that depend on the layer alone, `constants` (C, D) from one
    layer; `forgets`: a forgets its start, a = P;  `accuracy_radius`: up to which |t| the series have their digits;
    `edge`: to which |t| a route iterates, and how many layers more;  `layers_between`: about how many lead there.
    """

    extras = (0, 25, 100)
    cancels = True
    plain_depth = 2000

    def routes(self, digits: int, depth: int | None = None) -> list[Route]:
        """Two ways to `digits` digits."""
        return two_routes(self.series_length(digits), digits)

    def crossing(self, start: Expr, route: Route) -> "MatchingLayer | None":
        """The matching layer; None when the orbit reaches the fixed point exactly."""
        return matching_layer(self, start, route)

    def crossing_before(self, start: Expr, depth: int, route: Route) -> "MatchingLayer | None":
        """The matching layer, unless `depth` is so small, or that layer so far away, that `depth` is iterated to."""
        steps = depth - self.dynamics.first
        if self.dynamics.costly and steps <= SHALLOW:
            return None  # the layers of a network are dear, and no start of it has to be seen in the basin
        if self.orbit.is_short(self, start, depth, route):
            return None
        try:
            crossing = matching_layer(self, start, route)
        except PrecisionError:
            if steps > self.orbit.longest_without:
                raise
            return None
        return crossing if steps > SHALLOW else None

    def to_layer(self, start: Expr, depth: int, route: Route, crossing: "MatchingLayer | None") -> tuple:
        """The state at a layer that is not beyond the matching layer, by the original recursion."""
        return self.orbit.to_layer(self, start, depth, route, by_squaring=crossing is not None)


@dataclass(frozen=True, eq=False)
class MatchingLayer:
    """Layer n where the orbit crosses into the coordinate, N(t_n), the weight of H there and the digits it lost."""

    numeric: object
    digits: int
    layer: int
    position: object
    weight: object = 0
    lost: int = 0

    def state(self, depth: int) -> tuple:
        """(x,) or (x, a) at a later layer."""
        numeric, steps = self.numeric, depth - self.layer
        with mp.workdps(self.digits + GUARD):
            t = numeric.solve(numeric.advance(self.position, steps))
            if numeric.dynamics.linear is None:
                return (numeric.leave(t),)
            weight = numeric.weight_after(self.weight, self.position, steps)
            return numeric.leave(t), numeric.particular(t) + numeric.homogeneous(t) * weight

    @property
    def distance(self):
        """|x| where the orbit crosses."""
        with mp.workdps(self.digits + GUARD):
            return abs(self.numeric.leave(self.numeric.solve(self.position)))

    def constants(self, second: bool) -> tuple:
        """(C, D) as the law has them (`SeriesCoordinate`)."""
        with mp.workdps(self.digits + GUARD):
            return self.numeric.constants(self.layer, self.position, self.weight)


@lru_cache(maxsize=4096)
def matching_layer(coordinate: SeriesCoordinate, start: Expr, route: Route) -> MatchingLayer | None:
    """Iterate from `start` to the matching layer; None when the orbit reaches the fixed point exactly."""
    numeric = coordinate.numeric(route.last, route.digits)
    state, layer = coordinate.orbit.to_matching(coordinate, start, route)
    with mp.workdps(route.digits + GUARD):
        if state[0] == 0:
            return None
        if coordinate.dynamics.linear is not None and numeric.forgets:
            state, layer = _forgotten(coordinate.dynamics, numeric, state, layer, route.digits)
        return _matched(numeric, state, layer, route.digits)


def _matched(numeric, state: tuple, layer: int, digits: int) -> MatchingLayer:
    t = numeric.enter(state[0])
    if numeric.dynamics.linear is None or numeric.forgets:
        return MatchingLayer(numeric, digits, layer, numeric.position(t))
    rest = state[1] - numeric.particular(t)
    lost = int(mp.log10(abs(state[1] / rest))) if rest and state[1] else 0
    return MatchingLayer(numeric, digits, layer, numeric.position(t), rest / numeric.homogeneous(t), max(0, lost))


def _forgotten(dynamics: Dynamics, numeric, state: tuple, layer: int, digits: int) -> tuple:
    """Further, until the part of a that remembers the start is below the precision; then a = P(t)."""
    for _ in range(MOST_FORGETTING):
        value = numeric.particular(numeric.enter(state[0]))
        if abs(state[1] - value) <= abs(value) * mpmath.mpf(10) ** -digits:
            return state, layer
        state, layer = dynamics.step(state), layer + 1
    raise PrecisionError(
        f"after {MOST_FORGETTING} steps a_n still remembers its start to the requested digits; ask for fewer digits"
    )


LOWEST = -400  # the radius of the smallest disc that is tried, as a power of two
SPARE = 120  # bits
NAME = Symbol("t")
BETWEEN = 2  # how much larger the values may be between two points of a circle


@dataclass(frozen=True, eq=False)
class Disc:
    """f(t) = c_p t^p + ...: the formula in T, p and c_p; sizes by circle, as far as they are known.

    x - x^2 (1 + exp(-10^8 (x - 1/500)^2)/10) has the same first hundred coefficients as x - x^2, to 100 digits, and yet
    another orbit.  If f is analytic in |t| < R and |f| <= M |c_p R^p| there, N terms of its series are right to
    M (t/R)^N of it: the matching layer may lie where this is below 10^-digits, for some R.  R and M are read off
    circles (`circle`), a power of two apart: evidence, no proof.
    """

    formula: Expr
    order: int
    lead: Expr
    sizes: dict = field(default_factory=dict)

    @classmethod
    def of(cls, formula: Expr, source: Callable[[int], Sequence[Expr]], shift: int, scale: Expr) -> "Disc | None":
        """`source` gives the coefficients of f/t^shift in t/scale; None for a constant or a function that is 0."""
        if T not in formula.free_symbols:
            return None
        for count in (1, 4, 12):
            for k, c in enumerate(source(count)):
                if c != 0:
                    return cls(formula, shift + k, c * scale**-k)
        return None

    def size(self, k: int):
        """M for the disc |t| < 2^k; None when the formula cannot be seen to be analytic there."""
        if k not in self.sizes:
            with mp.workprec(SPARE + 3 * (self.order + 2) * max(0, -k)):
                self.sizes[k] = self._measured(mpmath.ldexp(1, k))
        return self.sizes[k]

    def _measured(self, radius):
        try:
            values = circle_values(self.formula, T, radius)
        except NotAnalytic:
            return None
        first = abs(to_mpf(self.lead)) * radius**self.order
        return BETWEEN * max(1, max(map(abs, values)) / first)

    def accuracy_radius(self, count: int, digits: int, wanted):
        """The largest t up to `wanted` where `count` terms are seen to give the function to `digits` digits."""
        goal, part, best = mpmath.mpf(10) ** -digits, mpmath.mpf(1) / count, mpmath.mpf(0)
        k = mpmath.mag(wanted / goal**part) + 1
        while best < wanted and k >= LOWEST and mpmath.ldexp(1, k) * goal**part > best:
            size = self.size(k)
            if size is not None:
                best = max(best, mpmath.ldexp(1, k) * (goal / size) ** part)
            k -= 1
        if not best:
            raise PrecisionError(
                f"no neighbourhood of the fixed point is found in which {self.formula.subs(T, NAME)} is one analytic "
                "function, so its series cannot be trusted with numbers; write the map in another form"
            )
        return min(best, wanted)


@lru_cache(maxsize=256)
def discs(dynamics: Dynamics) -> tuple[Disc, ...]:
    """Of the map, and of lambda and b, where nothing but formulas is known (no `interpolation_radius`)."""
    if dynamics.formula is None or dynamics.interpolation_radius is not None:
        return ()
    scale, linear = dynamics.scale, dynamics.linear
    seen = [(dynamics.formula, dynamics.beyond, dynamics.ratio, dynamics.root)]
    if linear is not None and linear.formulas is not None:
        sources = (linear.multiplier, linear.forcing)
        seen += [(*both, 0) for both in zip(linear.formulas, linear.beyond, sources, strict=True)]
    both = dynamics.ratio(1)[0] != 1  # orbits that do not creep cross into the coordinate on either side
    found = [
        Disc.of(formula, source, shift, scale)
        for here, there, source, shift in seen for formula in ((here, there) if both else (here,))
        if formula is not None
    ]  # fmt: skip
    return tuple(disc for disc in found if disc is not None)


def within(dynamics: Dynamics, count: int, digits: int, radius):
    """A radius in t, cut down to where series of `count` terms are seen to be the functions of the recursion."""
    for disc in discs(dynamics):
        radius = disc.accuracy_radius(count, digits, radius)
    return radius

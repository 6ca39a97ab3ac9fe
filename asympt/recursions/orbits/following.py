"""The original orbit in mpmath: step by step, or by squaring where the way is long.

Creeping (Abel): at a fixed precision.  Geometric (Koenigs): all digits of y must be correct relative to y, so iterate
again where the smallest |y| needs more digits than were carried; one that settles elsewhere comes back to where it was
(Brent).  Squaring, for nearly linear networks: 2^k layers take (x, a) to (x r_k(t), lambda_k(t) a + b_k(t)), known at
Chebyshev points up to the interpolation radius; t_k being where t has gone after 2^k layers,

    r_(k+1)(t) = r_k(t) r_k(t_k),   lambda_(k+1) = lambda_k(t_k) lambda_k,   b_(k+1) = lambda_k(t_k) b_k + b_k(t_k).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import mpmath
from flint import arb, arb_mat
from mpmath import mp
from sympy import Expr

from asympt.balls.arithmetic import midpoint, of_mpf, working
from asympt.errors import InputError, NoValueError, PrecisionError
from asympt.numbers import to_mpf
from asympt.recursions.agreement import GUARD
from asympt.recursions.local import OrbitValue
from asympt.recursions.protocol import Coordinate, Dynamics

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
        if state[0] == 0:
            return _at_fixed_point(dynamics, state, depth - layer)
        state = dynamics.step(state)
        if not abs(state[0]) <= ENDLESS:  # the next sine of it would take as many digits as it has
            raise InputError(f"the orbit escapes: {_distance(state[0])} after {layer + 1} steps; {CLOSER}")
    return state


def _at_fixed_point(dynamics: Dynamics, state: tuple, layers: int) -> tuple:
    """lambda = 1 on the Edge of Chaos, so a grows by b(0) a layer; x stays 0."""
    if dynamics.linear is None:
        return state
    return state[0], state[1] + layers * to_mpf(dynamics.linear.forcing(1)[0])


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
        needed = digits + GUARD + 2 + max(0, -_magnitude(smallest))
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


def _magnitude(y) -> int:
    """The decimal exponent of y; that of nothing is the precision twice over."""
    return int(mpmath.mag(y) * 0.30103) if y else -2 * mp.dps

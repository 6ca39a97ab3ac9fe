"""The matching layer: where an orbit crosses from the original recursion into a coordinate that is a series.

Iterate until t is within the accuracy radius (layer n), read off N(t_n) and the weight (a_n - P(t_n))/H(t_n), advance
both by L - n layers (A + (L - n), or mu^(L - n) U), solve N(t) = position by Newton's method.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import mpmath
from mpmath import mp
from sympy import Expr, Symbol

from asympt.errors import PrecisionError
from asympt.expansions.circle import NotAnalytic, circle_values
from asympt.numbers import to_mpf
from asympt.recursions.agreement import GUARD, Route, two_routes
from asympt.recursions.orbits.following import SHALLOW
from asympt.recursions.protocol import Coordinate, Dynamics, T

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

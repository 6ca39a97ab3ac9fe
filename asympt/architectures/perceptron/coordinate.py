"""The components of the class K* = 0 in numbers, at any depth: Abel's coordinate of the variance, with five along it.

The original recursion (`precise.mlp`) is followed to a layer n where the series of `basis` are accurate at u = K_00:
A(u_n) - n = C, and the components give delta^2, epsilon, D, E and F one after the other.  At depth L, A(u_L) = L + C is
solved, and the series are summed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from mpmath import mp, mpf
from sympy import Expr, Integer, S

from asympt.architectures.perceptron.basis import Basis, LogSeries, MomentSeries, layer_series
from asympt.architectures.perceptron.components import NAMES, ORDERS, Components
from asympt.errors import PrecisionError
from asympt.numbers import to_mpf
from asympt.precise.layer import VarianceStep
from asympt.precise.mlp import ComponentStep
from asympt.recursions import steps
from asympt.recursions.agreement import Route, two_routes
from asympt.recursions.coordinates.abel_numeric import Abel, NumericAbel
from asympt.recursions.protocol import Coordinate, Dynamics, Step

MOST_LAYERS = 20_000
SHALLOW = 60  # layers that are simply followed
GUARD = 12


@dataclass(frozen=True)
class Constants:
    """What the start leaves behind: C, the weights of H and G in ddK_[2] and dK_[1], and D, E, F."""

    C: object
    second: object
    first: object
    D: object
    E: object
    F: object


@dataclass(frozen=True)
class ComponentFlow(Coordinate):
    """The components of kernel and NTK along the variance (see `Coordinate`); the start is the variance.

    States are (K_00, dK_1, ddK_2, Theta_00, dTheta_1, ddTheta_2), and the quantity is `combine` of those called `parts`
    (`components.NAMES`); it is arithmetic, so that it takes expansions as well as numbers.  Constants are those of the
    formulas, for ddK_[2] = dK_[1] = 1 in layer 1; D is the weight of the homogeneous solution in Theta_00.
    """

    components: Components
    parts: tuple[str, ...] = NAMES[:1]
    combine: Callable = lambda value: value

    kind = "rates"
    names = ("C", "D", "delta^2", "epsilon", "E", "F")
    spare = (4, 4)
    remedy = "ask for fewer digits"
    constants_named = "two readings of the constants"

    def parameters(self, linear) -> set:
        """Symbols among the learning rates and in the activation."""
        rates = self.components.weight_rate.free_symbols | self.components.bias_rate.free_symbols
        return rates | self.components.statement.layer.parameters

    def read(self, state: tuple):
        """The combination of the parts."""
        values = dict(zip(NAMES, state, strict=True))
        return self.combine(*(values[name] for name in self.parts))

    def require_second(self, linear) -> None:
        """There is one."""

    def steps(self, law) -> tuple[Step, ...]:
        """K_00 = u as its own flow, and the components as series in u."""
        found, abel = self.components, self.components.abel(ORDERS)
        layer = steps.map_step(found.moments(ORDERS)[0])
        growth = layer["ratio"] - 1
        components = {name: law.renamed(found.in_variance(name)) for name in self.parts}
        return (
            layer, Step("uniformiser", {"growth": growth, "root": S.One}), steps.abel_step(abel, growth),
            steps.depth_of(law, abel), Step("linear", components),
        )  # fmt: skip

    def routes(self, digits: int, depth: int | None = None) -> list[Route]:
        """Two ways to so many digits."""
        return two_routes(int(digits * 9 / 20) + 12, digits)

    def crossing(self, start: Expr, route: Route) -> "Summed":
        """The layer from which the series are accurate."""
        return Summed(self.components, route, *matching_layer(self.components, start, route))

    def crossing_before(self, start: Expr, depth: int, route: Route) -> "Summed | None":
        """The same; None for a depth that is iterated to."""
        return None if depth <= SHALLOW else self.crossing(start, route)

    def to_layer(self, start: Expr, depth: int, route: Route, crossing: "Summed | None") -> tuple:
        """The components at a layer by the original recursion."""
        with mp.workdps(route.digits + GUARD):
            step = ComponentStep(self.components.statement)
            state = step.first(to_mpf(start))
            for _ in range(depth - 1):
                state = step(state)
            return _scheduled(self.components, state[1:], depth)


@dataclass(frozen=True)
class Summed:
    """One orbit from the layer on where the series are accurate, with its constants."""

    components: Components
    route: Route
    known: Constants
    layer: int

    lost = 0

    def state(self, depth: int) -> tuple:
        """The components at a later layer, by their series."""
        with mp.workdps(self.route.digits + GUARD):
            return _scheduled(self.components, _summed(self.components, self.known, depth, self.route), depth)

    def constants(self, second: bool) -> tuple:
        """(C, D, delta^2, epsilon, E, F)."""
        known, components = self.known, self.components
        with mp.workdps(self.route.digits + GUARD):
            slope = to_mpf(-components.universality.a1)
            weight = known.second / slope ** to_mpf(components.exponent)
            return known.C, known.D, weight, known.first / slope**2, known.E, known.F


def _scheduled(components: Components, values: tuple, depth: int) -> tuple:
    """The NTK times the power of the depth that the learning rates bring."""
    power = to_mpf(components.exponent) - 1 if components.is_scheduled else 0
    return (*values[:3], *(value * mpf(depth) ** power for value in values[3:]))


# ---- series in numbers --------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def flow_of(components: Components) -> Dynamics:
    """u -> V(u)."""
    layer = components.statement.layer
    return Dynamics(lambda count: components.moments(count)[0][:count], VarianceStep(layer, Integer(0)), first=1)


def _abel(components: Components, route: Route) -> NumericAbel:
    """The Abel coordinate of V for this route."""
    return Abel(flow_of(components)).numeric(route.last, route.digits)


@lru_cache(maxsize=64)
def _lists(components: Components, count: int, digits: int) -> MomentSeries:
    with mp.workdps(digits + GUARD):
        return MomentSeries(*([to_mpf(c) for c in series[:count]] for series in components.moments(count)))


@lru_cache(maxsize=64)
def numeric_basis(components: Components, route: Route, constant=None) -> Basis:
    """The series over mpmath numbers; `constant`: C, which the equivalence principle brings into them."""
    with mp.workdps(route.digits + GUARD):
        number = lambda q: mpf(q.numerator) / q.denominator  # noqa: E731
        lists = _lists(components, route.last + 3, route.digits)
        layer = None
        if components.is_scheduled:
            numeric = _abel(components, route)
            known = {k - 1: c for k, c in enumerate(numeric.abel) if k != 1}
            layer = layer_series(known, numeric.residue, constant, mpf(1))
        scale = to_mpf(-1 / components.universality.a1)
        return Basis(lists, components.exponent, scale, number, layer)


def value_of(series: LogSeries, u):
    """A series at u > 0."""
    logarithm, rows = mp.log(u), {}
    for (k, j), c in series.terms.items():
        rows.setdefault(k, []).append(c * logarithm**j)
    total = mp.fsum(mp.fsum(row) * u**k for k, row in rows.items())
    return total * u ** (mpf(series.start.numerator) / series.start.denominator)


def reach_of(series: LogSeries, digits: int):
    """The u below which the last terms of a series are smaller than 10^-digits of the first."""
    first, sizes = series.first, {}
    for (k, _), c in series.terms.items():
        sizes[k] = max(sizes.get(k, 0), abs(c))
    last = [k for k in sorted(sizes)[-4:] if k > first]
    edges = [(sizes[first] * mpf(10) ** -digits / sizes[k]) ** (mpf(1) / (k - first)) for k in last]
    return min(edges, default=mpf(1)) * 2 / 3


# ---- constants ----------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def matching_layer(components: Components, start: Expr, route: Route) -> tuple[Constants, int]:
    """The constants of a start, and the layer where they are read."""
    with mp.workdps(route.digits + GUARD):
        step, numeric = ComponentStep(components.statement), _abel(components, route)
        edge = min(numeric.accuracy_radius, reach_of(_homogeneous(components, route), route.digits)) / route.deeper
        state = step.first(to_mpf(start))
        while not state[1] <= edge or state[0] < SHALLOW:
            state = step(state)
            if state[0] > MOST_LAYERS:
                raise PrecisionError(
                    f"the series are not accurate to {route.digits} digits within {MOST_LAYERS} layers; ask for fewer"
                )
        for _ in range(route.later):
            state = step(state)
        return constants_at(components, state, route), state[0]


@lru_cache(maxsize=64)
def _homogeneous(components: Components, route: Route) -> LogSeries:
    lists = _lists(components, route.last + 3, route.digits)
    return Basis(lists, components.exponent, mpf(1), lambda q: mpf(q.numerator) / q.denominator).perpendicular


def constants_at(components: Components, state: tuple, route: Route) -> Constants:
    """The constants as one layer shows them."""
    layer, u, parallel, second, ntk, first_ntk, second_ntk = state
    with mp.workdps(route.digits + GUARD):
        numeric = _abel(components, route)
        constant = numeric.position(u) - layer
        basis = numeric_basis(components, route, constant if components.is_scheduled else None)
        homogeneous, along = value_of(basis.perpendicular, u), value_of(basis.parallel, u)
        weight = second / homogeneous, parallel / along
        d = (ntk - _forced(components, basis.ntk, u)) / homogeneous
        e, f = (
            (value / factor - _forced(components, sources, u) - d * value_of(sources["D"], u)) / homogeneous
            for value, factor, sources in (
                (second_ntk, weight[0], basis.second), (first_ntk, weight[1], basis.first)
            )
        )
        return Constants(constant, *weight, d, e, f)


def _forced(components: Components, sources: dict, u):
    """What the learning rates bring."""
    factors = components.factors
    return sum(to_mpf(factors[key]) * value_of(sources[key], u) for key in ("b", "W") if factors[key] != 0)


# ---- components at a depth ----------------------------------------------------------------------------


def _summed(components: Components, known: Constants, depth: int, route: Route) -> tuple:
    u = _abel(components, route).solve(mpf(depth) + known.C)
    basis = numeric_basis(components, route, known.C if components.is_scheduled else None)
    homogeneous, parts = value_of(basis.perpendicular, u), []
    for sources, free in ((basis.ntk, 0), (basis.first, known.F), (basis.second, known.E)):
        driven = known.D * value_of(sources["D"], u)
        parts.append(_forced(components, sources, u) + driven + free * homogeneous)
    first = known.first * value_of(basis.parallel, u)
    return u, first, known.second * homogeneous, parts[0], known.first * parts[1], known.second * parts[2]

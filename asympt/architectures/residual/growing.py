r"""The laws of residual networks with a phi that has a straight line on each side, and of those with biases.

phi(x) = a+- x + b+- + r(x) with r falling fast (`tails`).  With alpha = sigma_w^2 (a+^2 + a-^2)/2 the variance is
q_l = C (1+alpha)^l (1 + O((1+alpha)^(-l/2))), and at fixed c the layer is that of the ReLU-like phi with slopes a+, a-
and no bias, up to a part of relative size q_l^(-1/2).  With its Abel function A

    A(t_(l+1)) - A(t_l) - 1 = O(l q_l^(-1/2))

is summable, so 1 - c^l and K^L/(q_L L) have the ReLU-like laws with these slopes, every term; only C and D depend on
phi and q^1.  Where branches fall the flow time T of the limit and the clock of its steps stand for A and l; T - clock
settles like l^(-alpha/2), so C and D are not read off, and numbers come from the layers.  The constant in O(.) is not
computed: numbers are agreed upon by two matching layers and two precisions.
"""

from dataclasses import dataclass, field, replace
from functools import lru_cache

from mpmath import mp

from asympt.architectures import relu_like
from asympt.architectures.residual.tails import ORBIT, ByLayers, limit_form, read_pair, require_fast, step_of
from asympt.architectures.scaled import law as scaled_law
from asympt.architectures.scaled.coordinate import GapFlow, KernelFlow
from asympt.meanfield.statement import Statement
from asympt.precise.moving import settled
from asympt.recursions.agreement import EXTRA, Route
from asympt.recursions.coordinates.abel_numeric import Abel, NumericAbel
from asympt.recursions.law import Law
from asympt.recursions.orbits.matching import MatchingLayer
from asympt.recursions.protocol import MOVES
from asympt.recursions.truncated import GUARD


def correlation_law(statement: Statement, terms: int) -> Law:
    """The law of 1 - c^l; the start is correlation=c^1 (or gap) and variance=q^1."""
    limit = limit_form(statement)
    if statement.decay != 0:
        law = scaled_law.correlation_law(limit, terms)
        coordinate = FallingGap(law.dynamics, network=statement, time=law.time)
        return replace(law, coordinate=coordinate, reader=read_pair, layer=statement)
    return _along(statement, relu_like.correlation_law(limit, terms))


def ntk_law(statement: Statement, terms: int) -> Law:
    """The law of K^L(x, x')/(q_L L), of K^L/q_L where branches fall; q_L is the variance of both inputs in layer L."""
    limit = limit_form(statement)
    if statement.decay != 0:
        return _falling_ntk(statement, scaled_law.kernel_law(limit, terms))
    return _along(statement, relu_like.ntk_law(limit, terms, None, relu_like.GROWING))


def _along(statement: Statement, law: Law) -> Law:
    """The same formula, evaluated along the orbit of `statement`."""
    coordinate = Growing(law.dynamics, law.abel, statement=statement)
    return replace(law, coordinate=coordinate, reader=read_pair, layer=statement, universal_source=None)


def _falling_ntk(statement: Statement, law: Law) -> Law:
    coordinate = FallingKernel(law.dynamics, limit_form(statement), network=statement, time=law.time)
    return replace(law, coordinate=coordinate, reader=read_pair, layer=statement)


@dataclass(frozen=True)
class FallingGap(ByLayers, GapFlow):
    """The flow time of the limit, `dynamics`, along the layers of another network, `network`."""

    network: Statement = field(kw_only=True)

    kind = "leading"
    with_ntk = False


@dataclass(frozen=True)
class FallingKernel(ByLayers, KernelFlow):
    """The same with the NTK."""

    network: Statement = field(kw_only=True)

    kind = "leading"


@dataclass(frozen=True)
class Growing(Abel):
    """Abel's coordinate of the limit (`dynamics`, `abel`), entered from the orbit of another network, `statement`.

    Constants and states are those of the coordinate, (gap,) or (gap, kernel); a start is (gap, variance).
    """

    statement: Statement = field(kw_only=True)

    kind = "growing"
    unproved = MOVES
    extras = EXTRA
    cancels = False

    def parameters(self, linear) -> set:
        """The symbols of the network."""
        return self.statement.parameters

    def crossing(self, start: tuple, route: Route) -> "Entered":
        """Where the series is accurate, by the limit's own recursion beyond the layer where phi acts like its lines."""
        require_fast(self.statement)
        return Entered(self, route, self.followed(start, route).layer, start)

    def crossing_before(self, start: tuple, depth: int, route: Route) -> "Entered | None":
        """The same; None for a depth that the network itself is followed to."""
        require_fast(self.statement)
        return None if self.followed(start, route, depth).layer == depth else self.crossing(start, route)

    def to_layer(self, start: tuple, depth: int, route: Route, crossing: "Entered | None") -> tuple:
        """The state at a layer of the network itself."""
        return self.moving(self.followed(start, route, depth))

    def followed(self, start: tuple, route: Route, last: int | None = None):
        """The network's own orbit, to layer `last` or until phi acts like its lines."""
        return _settled(self.statement, start, route.digits, last)

    def moving(self, state) -> tuple:
        """(gap,) or (gap, kernel)."""
        return (state.gap,) if self.dynamics.linear is None else (state.gap, state.kernel)


@lru_cache(maxsize=256)
def _settled(statement: Statement, start: tuple, digits: int, last: int | None):
    with mp.workdps(digits + ORBIT):
        return settled(step_of(statement), *start, digits, last)


@dataclass(frozen=True)
class Entered:
    """One orbit from `layer` on, where phi acts like its lines."""

    coordinate: Growing
    route: Route
    layer: int
    start: tuple

    lost = 0

    def state(self, depth: int) -> tuple:
        """The state at a later layer: by the limit's own recursion, and by the series where that is accurate."""
        numeric, series = self._numeric, _entry(self)
        with mp.workdps(self.route.digits + GUARD):
            tau = numeric.solve(depth + series.position)
            if tau > numeric.accuracy_radius:
                return self._between(depth)
        return series.state(depth)

    def constants(self, second: bool) -> tuple:
        """(C, D) in the normalisation of t."""
        return _entry(self).constants(second)

    @property
    def _numeric(self) -> NumericAbel:
        return self.coordinate.numeric(self.route.last, self.route.digits)

    def _between(self, depth: int) -> tuple:
        moving = self.coordinate.moving(self.coordinate.followed(self.start, self.route))
        for _ in range(depth - self.layer):
            moving = self.coordinate.dynamics.step(moving)
        return moving


@lru_cache(maxsize=256)
def _entry(entered: Entered) -> MatchingLayer:
    """The matching layer of the limit's series, counted as layer 0."""
    coordinate, numeric, route = entered.coordinate, entered._numeric, entered.route
    with mp.workdps(route.digits + GUARD):
        layer, moving = entered.layer, coordinate.moving(coordinate.followed(entered.start, route))
        edge = numeric.leave(numeric.accuracy_radius / route.deeper)
        while moving[0] > edge:
            moving, layer = coordinate.dynamics.step(moving), layer + 1
        tau = numeric.enter(moving[0])
        weight = 0
        if coordinate.dynamics.linear is not None:
            weight = (moving[1] - numeric.particular(tau)) / numeric.homogeneous(tau)
        return MatchingLayer(numeric, route.digits, 0, numeric.position(tau) - layer, weight)

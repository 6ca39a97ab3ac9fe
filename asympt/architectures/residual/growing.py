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
from sympy import Expr, Integer, Rational, Symbol, pi, sqrt

from asympt.architectures import relu_like, scaled
from asympt.architectures.composed import flow
from asympt.architectures.law_parts import read_variance
from asympt.architectures.relu_like import LAYER
from asympt.architectures.residual.tails import (
    ORBIT,
    OfAnother,
    VarianceByLayers,
    added_variance,
    limit_form,
    limit_statement,
    read_pair,
    require_fast,
    step_of,
    tails,
)
from asympt.architectures.scaled import LayerSum
from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.expansions.scale import Exponential
from asympt.meanfield.layer import Statement
from asympt.numbers import exact, to_mpf
from asympt.precise.dense import settled
from asympt.recursions.agreement import EXTRA, Route
from asympt.recursions.coordinates.abel_inversion import CONNECTION
from asympt.recursions.coordinates.abel_numeric import Abel, NumericAbel, numeric_abel
from asympt.recursions.law import Law
from asympt.recursions.orbits import MatchingLayer
from asympt.recursions.protocol import MOVES, Coordinate, Dynamics, Known, Step


def correlation_law(statement: Statement, terms: int) -> Law:
    """The law of 1 - c^l; the start is correlation=c^1 (or gap) and variance=q^1."""
    limit = limit_form(statement)
    if statement.decay != 0:
        return _along(statement, flow.correlation_law(limit.form, limit.steps, terms))
    return _along(statement, relu_like.correlation_law(limit, terms))


def ntk_law(statement: Statement, terms: int) -> Law:
    """The law of K^L(x, x')/(q_L L), of K^L/q_L where branches fall; q_L is the variance of both inputs in layer L."""
    limit = limit_form(statement)
    if statement.decay != 0:
        return _along(statement, flow.kernel_law(limit.form, limit.steps, terms))
    return _along(statement, relu_like.ntk_law(limit, terms, None, relu_like.GROWING))


def _along(statement: Statement, law: Law) -> Law:
    """The law of the limit, its numbers from the network's own layers."""
    falls = statement.decay != 0
    coordinate = OfAnother(statement, law) if falls else Growing(law.dynamics, law.abel, statement=statement)
    return replace(law, coordinate=coordinate, reader=read_pair, layer=statement, family=None)


@dataclass(frozen=True)
class Growing(Abel):
    """Abel's coordinate of the limit (`dynamics`, `abel`), entered from the orbit of another network, `statement`.

    Constants and states are those of the coordinate, (gap,) or (gap, kernel); a start is (gap, variance).
    """

    statement: Statement = field(kw_only=True)

    kind = evidence = "growing"
    unproved = MOVES
    extras = EXTRA
    cancels = False

    def parameters(self, linear) -> set:
        return self.statement.parameters

    def crossing(self, start: tuple, route: Route) -> MatchingLayer:
        """Where the series is accurate, by the limit's own recursion beyond the layer where phi acts like its lines."""
        beyond, gap = _beyond(self, start, route)
        return beyond.crossing(gap, route)

    def crossing_before(self, start: tuple, depth: int, route: Route) -> MatchingLayer | None:
        """The same; None for a depth that the network itself is followed to."""
        require_fast(self.statement)
        return None if self.followed(start, route, depth).layer == depth else self.crossing(start, route)

    def to_layer(self, start: tuple, depth: int, route: Route, crossing: MatchingLayer | None) -> tuple:
        if crossing is None:
            return self.moving(self.followed(start, route, depth))
        beyond, gap = _beyond(self, start, route)
        return beyond.to_layer(gap, depth, route, crossing)

    def followed(self, start: tuple, route: Route, last: int | None = None):
        """The network's own orbit, to layer `last` or until phi acts like its lines."""
        with mp.workdps(route.digits + ORBIT):
            return settled(step_of(self.statement), *start, route.digits, last)

    def moving(self, state) -> tuple:
        """(gap,) or (gap, kernel)."""
        return (state.gap,) if self.dynamics.linear is None else (state.gap, state.kernel)


@dataclass(frozen=True)
class AbelOfLimit(Abel):
    """Abel's coordinate from a later layer on, by the series of the recursion `limit`."""

    limit: Dynamics = field(kw_only=True)

    def numeric(self, last: int, digits: int) -> NumericAbel:
        return numeric_abel(self.limit, last, digits)


@lru_cache(maxsize=256)
def _beyond(coordinate: Growing, start: tuple, route: Route) -> tuple[AbelOfLimit, Expr]:
    """The limit from the layer on where phi acts like its lines, and the gap there."""
    require_fast(coordinate.statement)
    state, limit = coordinate.followed(start, route), coordinate.dynamics
    linear = limit.linear and replace(limit.linear, start=lambda gap: state.kernel)
    with mp.workdps(route.digits + ORBIT):
        return AbelOfLimit(replace(limit, first=state.layer, linear=linear), limit=limit), exact(state.gap)


# With h the two lines, J_k the integral of (phi^2 - h^2) x^(2k) and B = sigma_w^2 sqrt(2/pi) (a+ b+ - a- b-)
#
#     q' = g q + B sqrt(q) + c_0 + (sigma_w^2/sqrt(2 pi)) sum_k (-1/2)^k J_k/(k! q^(k + 1/2)),
#     q_l = C g^l + E sqrt(C) g^(l/2) - (c_0 + B E/2)/alpha + O(g^(-l/2)),       E = -B/(g - sqrt(g)),
#
# g = 1 + alpha and c_0 what the offsets and biases add: the J_k are beyond these three terms.  Where branches fall
# log q_l is that of the ReLU-like limit but for its constant (`scaled`).


def variance_law(statement: Statement, terms: int) -> Law:
    """The law of q^l, three terms at most; of log q^l where branches fall."""
    return _growing_law(statement, terms) if statement.decay == 0 else _falling_growing(statement, terms)


def _growing_law(statement: Statement, terms: int) -> Law:
    growth, mixed, constant = coefficients(statement)
    half = -mixed / (growth - sqrt(growth))
    rest = -(constant + mixed * half / 2) / (growth - 1)
    wanted = ((-1, CONNECTION), (Rational(-1, 2), half * sqrt(CONNECTION)), (0, rest))
    kept = tuple((Monomial(k), c) for k, c in wanted if c != 0)[:terms]
    dropped = [Monomial(k) for k, c in wanted if c != 0][terms:]
    rest = Formal(dropped[0] if dropped else Monomial(Rational(1, 2)))
    expansion = Expansion(Exponential(LAYER, base=1 / growth), kept, rest)
    coordinate = GrowingVariance(statement)
    return Law("q^{l}", expansion, read_variance, "variance", coordinate=coordinate, layer=statement)


def _falling_growing(statement: Statement, terms: int) -> Law:
    """log q_l = sum of log(1 + alpha l^(-kappa)) + C, up to O(l^(-alpha/2)) where q_l is a power of l."""
    alpha, kappa = limit_statement(statement).layer.chi, statement.decay
    expansion = scaled.sum_with_terms(LayerSum(alpha, kappa, True), LAYER, terms, lambda found: found + CONNECTION)
    if kappa == 1:
        expansion = expansion.up_to(Monomial(min(Integer(1), alpha / 2)))
    coordinate = VarianceByLayers(statement, is_logarithm=True)
    return Law(r"\log q^{l}", expansion, read_variance, "variance", coordinate=coordinate, layer=statement)


def coefficients(statement: Statement) -> tuple[Expr, Expr, Expr]:
    """(g, B, c_0) of q' = g q + B sqrt(q) + c_0 + ..."""
    found = tails(statement.layer.activation)
    (right, left), (up, down) = found.slopes, found.offsets
    mixed = statement.layer.weight_variance * sqrt(2 / pi) * (right * up - left * down)
    return limit_statement(statement).growth, mixed, added_variance(statement)


@dataclass(frozen=True)
class GrowingVariance(Coordinate):
    """q^l/(1 + alpha)^l, which tends to C (see `Coordinate`); two precisions read it at two layers."""

    statement: Statement

    kind = evidence = "growing"

    def parameters(self, linear) -> set:
        return self.statement.parameters

    def steps(self, law) -> tuple[Step, ...]:
        """q' in q."""
        growth, mixed, constant = coefficients(self.statement)
        known = {(-1, 0): growth, (-Rational(1, 2), 0): mixed, (0, 0): constant}
        image = Expansion.build(Scale.at_infinity(Symbol("q", positive=True)), known, Formal(Monomial(Rational(1, 2))))
        return (Step("map", {"grown": image, "multiplier": growth}),)

    def to_layer(self, start: Expr, depth: int, route: Route, crossing: None) -> tuple:
        layer, q = self._followed(start, route, depth)
        with mp.workdps(route.digits + ORBIT):
            return (q * self._growth() ** (depth - layer),)

    def crossing(self, start: Expr, route: Route) -> Known:
        """C."""
        layer, q = self._followed(start, route, None)
        with mp.workdps(route.digits + ORBIT):
            return Known(q / self._growth() ** layer)

    def _growth(self):
        return to_mpf(limit_statement(self.statement).growth)

    def _followed(self, start: Expr, route: Route, last: int | None) -> tuple:
        require_fast(self.statement)
        with mp.workdps(route.digits + ORBIT):
            return settled(step_of(self.statement), None, start, route.digits, last)[:2]

r"""The laws of residual networks with a phi that has a straight line on each side, and of those with biases.

Problem.  y^l = y^(l-1) + F(y^(l-1)) with ELU, SiLU, GELU, softplus, or with sigma_b > 0: no map serves every layer.

Rule.  phi(x) = a+- x + b+- + r(x) with r falling fast (`tails`).  With alpha = sigma_w^2 (a+^2 + a-^2)/2 the
variance is q_l = C (1+alpha)^l (1 + O((1+alpha)^(-l/2))), and at fixed c the layer is that of the ReLU-like phi with
slopes a+, a- and no bias, up to a part of relative size q_l^(-1/2).  With its Abel function A,

    A(t_(l+1)) - A(t_l) - 1 = O(l q_l^(-1/2)),

which is summable: A(t_l) - l tends to a constant C(c^1, q^1) exponentially fast, and so does (k_l - P)/H to D.  Hence

    1 - c^l and K^L/(q_L L) have the ReLU-like laws with these slopes, every term; only C and D depend on phi and q^1.

What is shown and what is not.  The bound holds where q_l gamma_l grows without bound, which it does: gamma falls by no
more than a factor 1/(1+alpha) + O(q^(-1/2)) a layer at first, and like l^(-2) later.  The constant in O(.) is not
computed; `evaluate` is certified by two hand-overs at different layers and precisions, not by a bound.

Tiny case.  ReLU, sigma_w^2 = 2, sigma_b^2 = 1: 1 - c^l = 18 pi^2/l^2 + ..., and C(c^1, q^1) moves with q^1.

Known limits.  Numbers for every symbol; two inputs of the same variance; a+ != a-.
"""

from dataclasses import dataclass
from functools import lru_cache

from mpmath import mp
from sympy import Expr

from asympt.architectures import relu_like
from asympt.architectures.residual.growing_variance import MARGIN, ORBIT, variance_law
from asympt.architectures.residual.limit import limit_statement, read_pair, require_fast, step_of
from asympt.errors import UnsupportedError
from asympt.meanfield.statement import Statement
from asympt.precise.moving import settled
from asympt.recursions.agreement import Route, agreed
from asympt.recursions.parabolic_law import ParabolicLaw
from asympt.recursions.truncated import GUARD

__all__ = ["GrowingLaw", "correlation_law", "ntk_law", "variance_law"]


def correlation_law(statement: Statement, terms: int) -> "GrowingLaw":
    """The law of 1 - c^l; the start is correlation=c^1 (or gap) and variance=q^1."""
    limit = limit_statement(statement)
    return GrowingLaw.like(relu_like.correlation_law(limit.normal_form, terms, limit), statement)


def ntk_law(statement: Statement, terms: int) -> "GrowingLaw":
    """The law of K^L(x, x')/(q_L L), q_L the variance of both inputs in layer L."""
    limit = limit_statement(statement)
    return GrowingLaw.like(relu_like.ntk_law(limit.normal_form, terms, limit, relu_like.GROWING), statement)


@dataclass(frozen=True, kw_only=True)
class GrowingLaw(ParabolicLaw):
    """A ReLU-like law whose constants C and D come from an orbit of another network.

    `dynamics`, `abel` and `linear` are those of the limit; `layer` is the network's own statement.
    """

    kind = "growing"

    @classmethod
    def like(cls, law: ParabolicLaw, statement: Statement) -> "GrowingLaw":
        """The same formula, evaluated along the orbit of `statement`."""
        return cls(
            law.quantity, law.expansion, read_pair, law.name, abel=law.abel, dynamics=law.dynamics, layer=statement,
            linear=law.linear, average=law.average, flow_source=law.flow_source,
        )

    @property
    def parameters(self) -> set:
        """The symbols of the network."""
        return self.layer.parameters

    def deviation(self, depth: int, digits: int = 30, **start):
        """1 - c^l, of a correlation law."""
        if self.linear is not None:
            raise UnsupportedError("an NTK law has no deviation of its own; ask the correlation law")
        return self.evaluate(depth, digits=digits, **start)

    def _value(self, start: Expr, depth: int, digits: int):
        require_fast(self.layer)

        def pair(extra: int) -> list:
            return [_value_at(self, start, depth, route) for route in self.coordinate.routes(digits + MARGIN + extra)]

        return agreed(pair, digits)

    def _constants(self, start: Expr, digits: int, second: bool = False) -> tuple:
        require_fast(self.layer)

        def pair(extra: int) -> list[tuple]:
            return [_constants_at(self, start, route) for route in self.coordinate.routes(digits + MARGIN + extra)]

        return agreed(pair, digits, "two readings of the connection constants", "ask for fewer digits")


@lru_cache(maxsize=256)
def _crossing(law: GrowingLaw, start: Expr, route: Route) -> tuple:
    """(C, D) in the unit of the coordinate, read where phi acts like its lines and the series is accurate."""
    numeric, dynamics = law.coordinate.numeric(route.last, route.digits), law.dynamics
    state = _followed(law, start, route)
    layer, moving = state.layer, (state.gap, state.kernel) if law.linear else (state.gap,)
    edge = numeric.leave(numeric.accuracy_radius / route.deeper)
    while moving[0] > edge:
        moving, layer = dynamics.step(moving), layer + 1
    tau = numeric.enter(moving[0])
    second = (moving[1] - numeric.particular(tau)) / numeric.homogeneous(tau) if law.linear else None
    return numeric.position(tau) - layer, second


def _followed(law: GrowingLaw, start: Expr, route: Route, last: int | None = None):
    """The network's own orbit, to layer `last` or until phi acts like its lines."""
    with mp.workdps(route.digits + ORBIT):
        return settled(step_of(law.layer), *start, route.digits, last)


def _value_at(law: GrowingLaw, start: Expr, depth: int, route: Route):
    with mp.workdps(route.digits + GUARD):
        state = _followed(law, start, route, depth)
        if state.layer == depth:
            return state.kernel / depth if law.linear else state.gap
        numeric = law.coordinate.numeric(route.last, route.digits)
        constant, second = _crossing(law, start, route)
        tau = numeric.solve(depth + constant)
        if tau > numeric.accuracy_radius:
            return _between(law, state, depth)
        if law.linear:
            return (numeric.particular(tau) + second * numeric.homogeneous(tau)) / depth
        return numeric.leave(tau)


def _between(law: GrowingLaw, state, depth: int):
    """Layers after phi has become its lines and before the series is accurate: the limit's own recursion."""
    moving = (state.gap, state.kernel) if law.linear else (state.gap,)
    for _ in range(depth - state.layer):
        moving = law.dynamics.step(moving)
    return moving[1] / depth if law.linear else moving[0]


def _constants_at(law: GrowingLaw, start: Expr, route: Route) -> tuple:
    """(C, D) in the normalisation of t (see `recursions.evaluation`)."""
    with mp.workdps(route.digits + GUARD):
        numeric = law.coordinate.numeric(route.last, route.digits)
        return numeric.constants(0, *_crossing(law, start, route))

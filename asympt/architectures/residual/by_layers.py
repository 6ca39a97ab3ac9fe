"""Laws whose numbers are those of the layers, and the clock by which variances grow.

Rule.  y^l = y^(l-1) + l^(-kappa/2) F(y^(l-1)), 0 <= kappa <= 1: where the branch comes to add the same v to the
variance, q_l ~ v sum l^(-kappa), which is l^(1 - kappa)/(1 - kappa) or, for kappa = 1, log l.  What a law of q says of
l holds of this clock.

Tiny case.  kappa = 1/2: q_l ~ 2 v sqrt(l).

Known limits.  Layers are followed one by one, `precise.moving.MOST_LAYERS` of them at most.
"""

from dataclasses import dataclass

from mpmath import mp
from sympy import Expr, Integer, Symbol, log

from asympt.architectures.residual.tails import step_of
from asympt.expansions import Scale
from asympt.meanfield.statement import Statement
from asympt.precise.moving import MOST_LAYERS, followed, followed_variance
from asympt.recursions.agreement import Route
from asympt.recursions.protocol import MOVES, Coordinate, FollowedLayers

ORBIT = 5  # digits of the orbit beyond its route


class ByLayers(FollowedLayers):
    """No numbers but those of the layers: a start is (gap, variance), and C and D have no formula.

    A subclass says whose layers these are, `network`, and whether the NTK goes along, `with_ntk`.
    """

    most_layers = MOST_LAYERS
    unproved = MOVES
    network: Statement
    with_ntk: bool = True
    formulas = None  # of the network's own recursion: the limit's are another one's, of which a proof would say nothing

    def routes(self, digits: int, depth: int | None = None) -> list[Route]:
        """Two precisions."""
        return Coordinate.routes(self, digits, depth)

    def to_layer(self, start: tuple, depth: int, route: Route, crossing: None) -> tuple:
        """(gap, kernel), or (gap,), at a layer."""
        state = followed(step_of(self.network), *start, route.digits + ORBIT, depth)
        return (state.gap, state.kernel)[: 1 + self.with_ntk]


@dataclass(frozen=True)
class VarianceByLayers(ByLayers):
    """q of the layers, or its logarithm."""

    network: Statement
    is_logarithm: bool = False

    def to_layer(self, start: Expr, depth: int, route: Route, crossing: None) -> tuple:
        """(q,) or (log q,) at a layer."""
        q = followed_variance(step_of(self.network), start, route.digits + ORBIT, depth)
        with mp.workdps(route.digits + ORBIT):
            return (mp.log(q) if self.is_logarithm else q,)


# ---- the clock ------------------------------------------------------------------------------------------


def clock_of(statement: Statement, depth: Symbol) -> Expr:
    """What grows like the sum of the branches' l^(-kappa): l^(1 - kappa), or log l."""
    kappa = statement.decay
    return log(depth) if kappa == 1 else depth ** (1 - kappa)


def clock_scale(statement: Statement, depth: Symbol) -> tuple[Scale, Expr]:
    """The scale of a law and the power of its variable that grows like the clock."""
    kappa = statement.decay
    return (Scale.at_infinity(log(depth)), Integer(1)) if kappa == 1 else (Scale.at_infinity(depth), 1 - kappa)

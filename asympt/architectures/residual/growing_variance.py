r"""The variance of residual networks with a phi that has a straight line on each side: a law of three terms.

Rule.  With B = sigma_w^2 sqrt(2/pi) (a+ b+ - a- b-) and g = 1 + alpha, q' = g q + B sqrt(q) + O(1), so

    q_l = C g^l + E sqrt(C) g^(l/2) - (c_0 + B E/2)/alpha + O(g^(-l/2)),       E = -B/(g - sqrt(g)),

c_0 = sigma_b^2 + sigma_w^2 (b+^2 + b-^2)/2.

Tiny case.  ReLU with biases has b+- = 0: q_l = C g^l - sigma_b^2/alpha (exact, `exact`).

Known limits.  Numbers for every symbol; C = lim q_l/g^l by iteration, certified at two precisions and two layers.
"""

from dataclasses import dataclass

from mpmath import mp
from sympy import Expr, Rational, pi, sqrt

from asympt.architectures.relu_like import LAYER
from asympt.architectures.residual.limit import limit_statement, require_fast, step_of
from asympt.architectures.residual.tails import tails
from asympt.architectures.starts import read_variance
from asympt.expansions import Expansion, Formal, Monomial
from asympt.expansions.scale import Exponential
from asympt.meanfield.statement import Statement
from asympt.numbers import to_mpf
from asympt.precise.moving import settled_variance
from asympt.recursions.agreement import Route
from asympt.recursions.coordinates.abel_inversion import CONNECTION
from asympt.recursions.law import Law
from asympt.recursions.protocol import Coordinate, Known, Step
from asympt.recursions.steps import series
from asympt.recursions.truncated import GUARD

ORBIT = 5  # digits of the orbit beyond its route


def variance_law(statement: Statement, terms: int) -> Law:
    """The law of q^l, three terms at most."""
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


def coefficients(statement: Statement) -> tuple[Expr, Expr, Expr]:
    """(g, B, c_0) of q' = g q + B sqrt(q) + c_0 + ..."""
    found, layer = tails(statement.layer.activation), statement.layer
    (right, left), (up, down) = found.slopes, found.offsets
    mixed = layer.weight_variance * sqrt(2 / pi) * (right * up - left * down)
    constant = layer.bias_variance + layer.weight_variance * (up**2 + down**2) / 2
    return limit_statement(statement).growth, mixed, constant


@dataclass(frozen=True)
class GrowingVariance(Coordinate):
    """q^l/(1 + alpha)^l, which tends to C (see `Coordinate`)."""

    statement: Statement

    kind = "growing"

    def parameters(self, linear) -> set:
        """The symbols of the network."""
        return self.statement.parameters

    def steps(self, law) -> tuple[Step, ...]:
        """q'/q in t = q^(-1/2)."""
        ratio = series(coefficients(self.statement))
        return (Step("map", {"ratio": ratio, "multiplier": ratio.coefficient(0)}),)

    def routes(self, digits: int, depth: int | None = None) -> list[Route]:
        """Two precisions, and with them two layers where q grows by 1 + alpha to the digits asked."""
        return [Route(0, digits), Route(0, digits + GUARD)]

    def to_layer(self, start: Expr, depth: int, route: Route, crossing: None) -> tuple:
        """q at a layer."""
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
        """(layer, q) at `last`, or where q grows by 1 + alpha to the digits asked."""
        require_fast(self.statement)
        with mp.workdps(route.digits + ORBIT):
            return settled_variance(step_of(self.statement), start, route.digits, last)

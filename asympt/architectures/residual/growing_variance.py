r"""The variance of residual networks with a phi that has a straight line on each side: a law of three terms.

Rule.  With B = sigma_w^2 sqrt(2/pi) (a+ b+ - a- b-) and g = 1 + alpha, q' = g q + B sqrt(q) + O(1), so

    q_l = C g^l + E sqrt(C) g^(l/2) - (c_0 + B E/2)/alpha + O(g^(-l/2)),       E = -B/(g - sqrt(g)),

c_0 = sigma_b^2 + sigma_w^2 (b+^2 + b-^2)/2.

Tiny case.  ReLU with biases has b+- = 0: q_l = C g^l - sigma_b^2/alpha (exact, `exact`).

Known limits.  Numbers for every symbol; C = lim q_l/g^l by iteration, certified at two precisions and two layers.
"""

from collections.abc import Callable
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
from asympt.recursions.agreement import agreed
from asympt.recursions.coordinates.abel_inversion import CONNECTION
from asympt.recursions.law import Law
from asympt.recursions.protocol import Step
from asympt.recursions.steps import quantity, series
from asympt.recursions.truncated import GUARD

MARGIN, ORBIT = 8, 5  # digits beyond those asked, and of the orbit beyond its route


def variance_law(statement: Statement, terms: int) -> "GrowingVarianceLaw":
    """The law of q^l, three terms at most."""
    growth, mixed, constant = coefficients(statement)
    half = -mixed / (growth - sqrt(growth))
    rest = -(constant + mixed * half / 2) / (growth - 1)
    wanted = ((-1, CONNECTION), (Rational(-1, 2), half * sqrt(CONNECTION)), (0, rest))
    kept = tuple((Monomial(k), c) for k, c in wanted if c != 0)[:terms]
    dropped = [Monomial(k) for k, c in wanted if c != 0][terms:]
    rest = Formal(dropped[0] if dropped else Monomial(Rational(1, 2)))
    expansion = Expansion(Exponential(LAYER, base=1 / growth), kept, rest)
    return GrowingVarianceLaw("q^{l}", expansion, read_variance, "variance", layer=statement)


def coefficients(statement: Statement) -> tuple[Expr, Expr, Expr]:
    """(g, B, c_0) of q' = g q + B sqrt(q) + c_0 + ..."""
    found, layer = tails(statement.layer.activation), statement.layer
    (right, left), (up, down) = found.slopes, found.offsets
    mixed = layer.weight_variance * sqrt(2 / pi) * (right * up - left * down)
    constant = layer.bias_variance + layer.weight_variance * (up**2 + down**2) / 2
    return limit_statement(statement).growth, mixed, constant


@dataclass(frozen=True, kw_only=True)
class GrowingVarianceLaw(Law):
    """q^l = C (1+alpha)^l + ..., C = lim q^l/(1+alpha)^l."""

    layer: Statement

    kind = "growing"

    @property
    def parameters(self) -> set:
        """The symbols of the network."""
        return self.layer.parameters

    def _steps(self) -> tuple[Step, ...]:
        """q'/q in t = q^(-1/2)."""
        ratio = series(coefficients(self.layer))
        return (Step("map", {"ratio": ratio, "multiplier": ratio.coefficient(0)}), quantity(self))

    def _value(self, start: Expr, depth: int, digits: int):
        growth = limit_statement(self.layer).growth
        return self._certified(start, digits, depth, lambda layer, q: q * to_mpf(growth) ** (depth - layer))

    def _constants(self, start: Expr, digits: int) -> tuple:
        growth = limit_statement(self.layer).growth
        return self._certified(start, digits, None, lambda layer, q: q / to_mpf(growth) ** layer), None

    def _certified(self, start: Expr, digits: int, last: int | None, read: Callable):
        """read(layer, q) at `last`, or where q grows by 1 + alpha to the digits asked, by two precisions and layers."""
        require_fast(self.layer)

        def at(more: int):
            with mp.workdps(digits + MARGIN + more + ORBIT):
                return read(*settled_variance(step_of(self.layer), start, digits + MARGIN + more, last))

        return agreed(lambda extra: [at(extra), at(extra + GUARD)], digits)

"""A law that is an identity: evaluating it is evaluating its terms, at two precisions that must agree."""

from collections.abc import Callable
from dataclasses import dataclass

from mpmath import mp
from sympy import Expr, Integer, Symbol

from asympt.errors import UnsupportedError
from asympt.expansions import Expansion
from asympt.numbers import to_mpf
from asympt.recursions import steps
from asympt.recursions.agreement import Route
from asympt.recursions.coordinates.abel_inversion import CONNECTION
from asympt.recursions.fixed_point import numeric
from asympt.recursions.law import Law
from asympt.recursions.protocol import Coordinate, Known, Step
from asympt.symbols import Reserved

GUARD = 12


def no_start() -> Expr:
    """The reader of a law that holds whatever the start is."""
    return Integer(0)


@dataclass(frozen=True)
class Identity(Coordinate):
    """A quantity known for every depth: `formula` in the depth and C; `constant`: what C is for a start, or None."""

    formula: Expr
    depth: Symbol
    constant: Callable[[Expr], Expr] | None = None

    kind = "exact"

    def parameters(self, linear) -> set:
        """The free symbols other than C and the depth."""
        return {s for s in self.formula.free_symbols - {self.depth, CONNECTION} if not isinstance(s, Reserved)}

    def steps(self, law) -> tuple[Step, ...]:
        """The affine recursion that this solves, if it is one."""
        return steps.exact(law)

    def to_layer(self, start: Expr, depth: int, route: Route, crossing: None) -> tuple:
        values = {CONNECTION: self.constant(start)} if self.constant else {}
        formula = numeric(self.formula.subs(values), self.depth)
        with mp.workdps(route.digits + GUARD + len(str(depth))):
            return (formula(mp.mpf(depth)),)

    def crossing(self, start: Expr, route: Route) -> Known:
        """C."""
        if self.constant is None:
            raise UnsupportedError("this law holds exactly for every start and has no connection constant")
        with mp.workdps(route.digits + GUARD):
            return Known(to_mpf(self.constant(start)))


def exact_law(quantity: str, expansion: Expansion, reader: Callable, name: str, layer, constant=None) -> Law:
    """quantity = expansion, for every depth; `constant`: what C is for a start, None when C does not occur.

    >>> from asympt.architectures import FeedForward
    >>> law = FeedForward("relu").ntk_diagonal_law()
    >>> print(law, law.evaluate(depth=7))
    L 7.0
    """
    coordinate = Identity(expansion.to_sympy(), expansion.scale.depth, constant)
    return Law(quantity, expansion, reader, name, coordinate=coordinate, layer=layer)

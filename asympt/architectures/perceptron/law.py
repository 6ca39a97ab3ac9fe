"""The coordinates of an MLP's laws that are more than one expansion along one flow, or not along a flow at all.

    `ComponentFlow`  a component of kernel or NTK in the class K* = 0, or a ratio of two      start: variance
    Combination      a function of other laws from the same start (robustness, variance)      start: that of the parts
    Angle            along the flow of the angle, scale-invariant class                       start: correlation or gap
    ExactRates       known at every depth

All are of the kind 'rates', which is how `evidence.rates` finds them.
"""

from collections.abc import Callable
from dataclasses import dataclass

from mpmath import mp
from sympy import Expr, S

from asympt.architectures.exact_law import Identity
from asympt.recursions.agreement import Route
from asympt.recursions.coordinates.abel_numeric import Abel
from asympt.recursions.law import Law
from asympt.recursions.protocol import Coordinate, Step

APART = 6  # digits of the second route beyond those of the first
PLAIN = {
    "kernel 00": "K_00^(L)", "kernel 1": "dK_[1]^(L)/dK_[1]^(1)", "kernel 2": "ddK_[2]^(L)/ddK_[2]^(1)",
    "ntk 00": "Theta_00^(L)", "ntk 1": "dTheta_[1]^(L)/dK_[1]^(1)", "ntk 2": "ddTheta_[2]^(L)/ddK_[2]^(1)",
    "robustness": "Theta_-+/Theta_++ - 1", "prediction variance": "Cov[z_-, z_-]", "zeta": "cos zeta^(L)",
    "angle": "psi^(l)", "ntk diagonal": "Theta_d^(L)",
}  # fmt: skip


@dataclass(frozen=True)
class Combination(Coordinate):
    """`combine` of the laws `parts`, all with the same start; arithmetic, for expansions and for numbers.

    `brought`: the symbols that `combine` brings in.
    """

    parts: tuple[Law, ...]
    combine: Callable
    brought: frozenset = frozenset()

    kind = "rates"

    def parameters(self, linear) -> set:
        """The symbols of the parts, and those of their combination."""
        return set(self.brought).union(*(part.parameters for part in self.parts))

    def steps(self, law: Law) -> tuple[Step, ...]:
        """Those of the first part."""
        return self.parts[0].steps[:-1]

    def require_second(self, linear) -> None:
        """D is that of the first part."""
        self.parts[0].coordinate.require_second(self.parts[0].linear)

    def routes(self, digits: int, depth: int | None = None) -> list[Route]:
        """Two precisions."""
        return [Route(0, digits), Route(0, digits + APART)]

    def to_layer(self, start: Expr, depth: int, route: Route, crossing: None) -> tuple:
        """The combination of what the parts say of a depth."""
        values = [part._value(start, depth, route.digits) for part in self.parts]
        with mp.workdps(route.digits):
            return (self.combine(*values),)

    def crossing(self, start: Expr, route: Route) -> "OfFirst":
        """Where the constants of the first part come from."""
        return OfFirst(self.parts[0], start, route.digits)


@dataclass(frozen=True)
class OfFirst:
    """The constants of a combination: those of its first part."""

    law: Law
    start: Expr
    digits: int

    lost = 0

    def constants(self, second: bool) -> tuple:
        """(C, D)."""
        return self.law._constants(self.start, self.digits, second)


@dataclass(frozen=True)
class Angle(Abel):
    """Abel's coordinate of the angle."""

    kind = "rates"


@dataclass(frozen=True)
class ExactRates(Identity):
    """A quantity of an MLP that is known at every depth; `variance`: the diagonal kernel K_d."""

    variance: Expr = S.One

    kind = "rates"

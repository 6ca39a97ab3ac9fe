"""The laws of an MLP that are more than one expansion along one flow: components, and what is computed from others.

    ComponentLaw    a component of kernel or NTK in the class K* = 0, or a ratio of two       start: variance
    CombinedLaw     a function of other laws from the same start (robustness, variance)       start: that of the parts

and the coordinates of those that are one:

    Angle           along the flow of the angle, scale-invariant class                        start: correlation or gap
    ExactRates      known at every depth

All are of the kind 'rates', which is how `evidence.rates` finds them.
"""

from collections.abc import Callable
from dataclasses import dataclass

from mpmath import mp
from sympy import Expr, S

from asympt.architectures.exact_law import Identity
from asympt.architectures.perceptron.components import NAMES, ORDERS, Components
from asympt.numbers import check_digits
from asympt.recursions import evaluation, steps
from asympt.recursions.agreement import agreed
from asympt.recursions.coordinates.abel_numeric import Abel
from asympt.recursions.law import Law
from asympt.recursions.protocol import Step

PLAIN = {
    "kernel 00": "K_00^(L)", "kernel 1": "dK_[1]^(L)/dK_[1]^(1)", "kernel 2": "ddK_[2]^(L)/ddK_[2]^(1)",
    "ntk 00": "Theta_00^(L)", "ntk 1": "dTheta_[1]^(L)/dK_[1]^(1)", "ntk 2": "ddTheta_[2]^(L)/ddK_[2]^(1)",
    "robustness": "Theta_-+/Theta_++ - 1", "prediction variance": "Cov[z_-, z_-]", "zeta": "cos zeta^(L)",
    "angle": "psi^(l)", "ntk diagonal": "Theta_d^(L)",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class ComponentLaw(Law):
    """`combine` of the components `parts` (names of `mlp_components.NAMES`) at depth L.

    `combine` is arithmetic, so that it takes expansions as well as numbers.
    """

    parts: tuple[str, ...]
    combine: Callable

    @property
    def components(self) -> Components:
        """The components along the variance."""
        return self.coordinate.components

    def _steps(self) -> tuple[Step, ...]:
        """K_00 = u as its own flow, and the components as series in u."""
        found, abel = self.components, self.components.abel(ORDERS)
        ratio = steps.series(found.moments(ORDERS)[0])
        components = {name: self.renamed(found.in_variance(name)) for name in self.parts}
        return (
            Step("map", {"ratio": ratio, "multiplier": ratio.coefficient(0)}),
            Step("uniformiser", {"growth": ratio - 1, "root": S.One}), steps.abel_step(abel),
            steps.depth_of(self, abel), Step("linear", components), steps.quantity(self),
        )  # fmt: skip

    def constants(self, digits: int = 30, **start) -> dict:
        """C, delta^2, epsilon, D, E and F of the formulas, for ddK_[2] = dK_[1] = 1 in layer 1."""
        found = evaluation.constants(self.coordinate, self._start(start), check_digits(digits))
        return dict(zip(("C", "delta^2", "epsilon", "D", "E", "F"), found, strict=True))

    def second_constant(self, digits: int = 30, **start):
        """D, the weight of the homogeneous solution in Theta_00."""
        return self.constants(digits, **start)["D"]

    def _value(self, start: Expr, depth: int, digits: int):
        return evaluation.certified(self.coordinate, start, depth, digits, self._combined)

    def _combined(self, state: tuple):
        values = dict(zip(NAMES, state, strict=True))
        return self.combine(*(values[name] for name in self.parts))


@dataclass(frozen=True, kw_only=True)
class CombinedLaw(Law):
    """`combine` of the laws `parts`, all with the same start; arithmetic, for expansions and for numbers."""

    parts: tuple[Law, ...]
    combine: Callable

    @property
    def kind(self) -> str:
        """That of its parts."""
        return "rates"

    @property
    def parameters(self) -> set:
        """The symbols of the parts, and those that `combine` brings in."""
        own = self.to_sympy().free_symbols - self.parts[0].to_sympy().free_symbols - {self.depth_variable}
        return set().union(own, *(part.parameters for part in self.parts))

    def _steps(self) -> tuple[Step, ...]:
        """Those of the first part, with the quantity of the combination."""
        return (*self.parts[0].steps[:-1], steps.quantity(self))

    def _value(self, start: Expr, depth: int, digits: int):
        def pair(extra: int) -> list:
            wanted = [digits + 6 + extra, digits + 12 + extra]
            return [self._at(start, depth, many) for many in wanted]

        return agreed(pair, digits)

    def _at(self, start: Expr, depth: int, digits: int):
        values = [part._value(start, depth, digits) for part in self.parts]
        with mp.workdps(digits):
            return self.combine(*values)

    def _constants(self, start: Expr, digits: int, second: bool = False) -> tuple:
        return self.parts[0]._constants(start, digits, second)

    def second_constant(self, digits: int = 30, **start):
        """D of the first part."""
        return self.parts[0].second_constant(digits, **start)


@dataclass(frozen=True)
class Angle(Abel):
    """Abel's coordinate of the angle."""

    kind = "rates"


@dataclass(frozen=True)
class ExactRates(Identity):
    """A quantity of an MLP that is known at every depth; `variance`: the diagonal kernel K_d."""

    variance: Expr = S.One

    kind = "rates"

"""The law of a driven recursion."""

from dataclasses import dataclass

from sympy import Expr

from asympt.recursions import evaluation, steps
from asympt.recursions.coordinates.flow_time.coordinate import FlowTime
from asympt.recursions.coordinates.flow_time.orbit import DrivenDynamics
from asympt.recursions.law import Law
from asympt.recursions.protocol import Step


@dataclass(frozen=True, kw_only=True)
class DrivenLaw(Law):
    """x_l -> 0, T(x_l) = (sum of the step sizes) + C + small.

    time:     the flow time T, an expansion in t = x^(1/root) without a constant term;
    dynamics: the original recursion.

    `evaluate` takes the layer as `depth`; `connection_constant` is C.
    """

    time: object
    dynamics: DrivenDynamics

    kind = "driven"

    @property
    def coordinate(self) -> FlowTime:
        """The coordinate in numbers."""
        return FlowTime(self.dynamics)

    @property
    def parameters(self) -> set:
        """The symbols in h and in the step size."""
        return self.dynamics.parameters

    @property
    def plain(self) -> str:
        """The quantity as text."""
        return f"x_{self.depth_variable}"

    def _steps(self) -> tuple[Step, ...]:
        return steps.flowing(self)

    def _value(self, start: Expr, depth: int, digits: int):
        return evaluation.certified(self.coordinate, start, depth, digits)

    def _constants(self, start: Expr, digits: int) -> tuple:
        return evaluation.constants(self.coordinate, start, digits)

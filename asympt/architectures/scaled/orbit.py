"""The recursion of a scaled residual network as the solvers see it: flow, steps and the layer itself."""

from dataclasses import dataclass
from functools import cached_property, lru_cache

from sympy import Expr

from asympt.architectures.scaled.flow import drift_of, drift_slope
from asympt.architectures.scaled.steps import mixing_steps
from asympt.meanfield.statement import Statement
from asympt.numbers import to_mpf
from asympt.precise.scaled import ScaledStep
from asympt.recursions.coordinates.flow_time.drift import Drift
from asympt.recursions.coordinates.flow_time.orbit import DrivenDynamics
from asympt.recursions.coordinates.flow_time.step_sizes import Steps


@dataclass(frozen=True)
class Orbit:
    """gamma_l and k_l of one network; two orbits of the same statement are equal.

    >>> from sympy import Integer
    >>> from asympt.meanfield.activations import activation
    >>> from asympt.meanfield.layer import Layer
    >>> Orbit(Statement.scaled_residual(Layer(activation("relu"), Integer(2), Integer(0)), Integer(1))).steps
    Steps(weight=1, exponent=1, shift=1)
    """

    statement: Statement

    @property
    def alpha(self) -> Expr:
        """sigma_w^2 (a+^2 + a-^2)/2."""
        return self.statement.layer.gain

    @property
    def kappa(self) -> Expr:
        """The branch has the variance l^(-kappa)."""
        return self.statement.decay

    @cached_property
    def dynamics(self) -> DrivenDynamics:
        """gamma_l = gamma_(l-1) - delta_l h(gamma_(l-1)) from layer 1 on."""
        return _dynamics(self.statement)

    @property
    def drift(self) -> Drift:
        """h."""
        return self.dynamics.drift

    @property
    def steps(self) -> Steps:
        """delta."""
        return self.dynamics.steps

    def slope(self, gap):
        """h'(gamma)."""
        return drift_slope(self.statement.layer.activation.asymmetry, gap)

    def iterate(self, start: Expr, layer: int) -> tuple:
        """(gamma, k) at a layer by the original recursion."""
        return ScaledStep(self.statement).iterate(to_mpf(start), layer)


@lru_cache(maxsize=64)
def _dynamics(statement: Statement) -> DrivenDynamics:
    layer = statement.layer
    return DrivenDynamics(drift_of(layer.fold, layer.unfolded), mixing_steps(layer.gain, statement.decay), 1)

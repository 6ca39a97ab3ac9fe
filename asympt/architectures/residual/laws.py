"""The laws of a layer with a skip connection and the same branch at every depth, chosen by how phi behaves far from 0.

Problem.  y^l = y^(l-1) + F(y^(l-1)): the variance never settles, so every layer sees phi at another scale.

Rule.  What phi does at +oo and -oo decides (`tails`):

    phi                              q_l                  1 - c^l         K^L/(q_L L)   laws
    ReLU-like, no bias               q_1 (1+alpha)^(l-1)  l^(-2)          r delta/4     `relu_like`
    phi(x)/x -> a+, a-, not equal    (1+alpha)^l          l^(-2)          r delta/4     `growing`
    bounded, with limits             l                    1 - c*, l^(-p)  r c*/(p L)    `bounded`

The phase is the Edge of Chaos whatever sigma_w is: one layer moves the correlation by a share that depth sums to a
power law (HDR, after Theorem 2).

Tiny case.  ReLU, sigma_w = 1: K^L(x, x)/q_L = (L + 2)/3.

Known limits.  Other growth (x^2, exp, sin, x/log x) is refused.
"""

from dataclasses import dataclass

from sympy import Integer, sqrt

from asympt.architectures import relu_like
from asympt.architectures.fixed_point_laws import diagonal_law
from asympt.architectures.residual import bounded as residual_bounded
from asympt.architectures.residual import growing as residual_growing
from asympt.architectures.residual.tails import tails
from asympt.architectures.residual.variance import variance_law
from asympt.architectures.settled import require_nonlinear
from asympt.architectures.variance_law import affine_variance_law
from asympt.errors import UnsupportedError
from asympt.meanfield.correlation import CorrelationMap
from asympt.meanfield.statement import Statement
from asympt.recursions.law import Law

REASONS = {
    "line": "phi acts like one straight line far from 0, where the variance goes, so the correlation stops moving at a "
    "limit that depends on the start and has no power law; take an activation with two slopes",
    "other": "phi has neither straight lines nor limits at infinity that SymPy finds, so it is not known what the "
    "growing variance sees of it; take a ReLU-like activation, or one such as elu, gelu, tanh",
}
BY_TAILS = {"growing": residual_growing, "bounded": residual_bounded}


@dataclass(frozen=True)
class ResidualLaws:
    """The laws of `statement`."""

    statement: Statement

    @property
    def phase(self) -> str:
        """'edge of chaos' for every sigma_w."""
        require_nonlinear(self.statement.activation)
        if not self.statement.is_scale_free:
            self._require_far()
        return "edge of chaos"

    @property
    def correlation_map(self) -> CorrelationMap:
        """f_delta of one layer, for a ReLU-like phi without bias."""
        self.require_scale_free()
        return relu_like.map_of(self.statement.normal_form)

    def correlation_law(self, terms: int) -> Law:
        """The law of 1 - c^l."""
        require_nonlinear(self.statement.activation)
        if self.statement.is_scale_free:
            return relu_like.correlation_law(self.statement.normal_form, terms, self.statement)
        return self._far_laws.correlation_law(self.statement, terms)

    def ntk_law(self, terms: int) -> Law:
        """The law of K^L(x, x')/(q_L L); of K^L/q_L for a bounded phi, where it stays finite."""
        require_nonlinear(self.statement.activation)
        if self.statement.is_scale_free:
            return relu_like.ntk_law(self.statement.normal_form, terms, self.statement, relu_like.GROWING)
        return self._far_laws.ntk_law(self.statement, terms)

    def ntk_diagonal_law(self) -> Law:
        """The law of K^L(x, x)/q_L."""
        self.require_scale_free()
        return diagonal_law(self.statement.normal_form, self.statement, Integer(1), r"\frac{K^{L}(x,x)}{q_{L}}")

    def variance_law(self, terms: int) -> Law:
        """The law of q^l."""
        if self.statement.activation.is_relu_like:
            return affine_variance_law(self.statement)
        self._require_far()
        return variance_law(self.statement, terms)

    # ---- which of them ----------------------------------------------------------------------------

    @property
    def _far_laws(self):
        """The module with the laws of a phi that is seen from ever further away."""
        return BY_TAILS[self._require_far()]

    def _require_far(self) -> str:
        """What phi does far from 0; `UnsupportedError` where no laws follow from it."""
        require_nonlinear(self.statement.activation)
        kind = tails(self.statement.activation).kind
        if kind in BY_TAILS:
            return kind
        raise UnsupportedError(f"with {self._what} {REASONS[kind]}")

    @property
    def _what(self) -> str:
        phi, bias = self.statement.activation, self.statement.layer.bias_variance
        return f"activation {phi.name!r}" + (f" and sigma_b = {sqrt(bias)}" if bias != 0 else "")

    def require_scale_free(self) -> None:
        """`UnsupportedError` unless one map serves every layer: a nonlinear ReLU-like phi, no bias."""
        require_nonlinear(self.statement.activation)
        if not self.statement.is_scale_free:
            raise UnsupportedError(
                f"with {self._what} every layer has maps of its own, because the variance grows with depth; take a "
                "ReLU-like activation without bias"
            )

"""What all residual networks of constant branch share: the laws, chosen by how phi behaves far from 0.

Problem.  y^l = y^(l-1) + F(y^(l-1)): the variance never settles, so every layer sees phi at another scale.

Rule.  What phi does at +oo and -oo decides (`tails`):

    phi                              q_l                  1 - c^l         K^L/(q_L L)   laws
    ReLU-like, no bias               q_1 (1+alpha)^(l-1)  l^(-2)          r delta/4     `relu_like`
    phi(x)/x -> a+, a-, not equal    (1+alpha)^l          l^(-2)          r delta/4     `growing`
    bounded, with limits             l                    1 - c*, l^(-p)  r c*/(p L)    `bounded`

The phase is the Edge of Chaos whatever sigma_w is: one layer moves the correlation by a share that depth sums to a
power law (HDR, after Theorem 2).

Known limits.  Other growth (x^2, exp, sin, x/log x) is refused.
"""

from dataclasses import dataclass
from functools import cached_property

from sympy import Expr, sqrt

from asympt.architectures.residual import bounded as residual_bounded
from asympt.architectures.residual import exact as residual_exact
from asympt.architectures.residual import growing as residual_growing
from asympt.architectures.residual import relu_like as residual_relu_like
from asympt.architectures.residual.input import require_nonlinear
from asympt.architectures.residual.relu_like import mixed_map
from asympt.architectures.residual.tails import tails
from asympt.errors import UnsupportedError
from asympt.meanfield.activations import Activation
from asympt.meanfield.correlation import CorrelationMap
from asympt.meanfield.statement import Statement
from asympt.numbers import check_terms
from asympt.recursions.law import Law

REASONS = {
    "line": "phi acts like one straight line far from 0, where the variance goes, so the correlation stops moving at a "
    "limit that depends on the start and has no power law; take an activation with two slopes",
    "other": "phi has neither straight lines nor limits at infinity that SymPy finds, so it is not known what the "
    "growing variance sees of it; take a ReLU-like activation, or one such as elu, gelu, tanh",
}


@dataclass(frozen=True, init=False)
class ResidualNetwork:
    """A residual network; `statement` is its layer."""

    statement: Statement

    @property
    def stability(self) -> None:
        """None: the variance settles nowhere, and every input has the laws."""
        return self.statement.stability

    @property
    def activation(self) -> Activation:
        """phi."""
        return self.statement.layer.activation

    @property
    def sigma_w(self) -> Expr:
        """The standard deviation of the weights, exact."""
        return sqrt(self.statement.first.weight)

    @property
    def phase(self) -> str:
        """'edge of chaos' for every sigma_w; raises `UnsupportedError` where there is no law."""
        self._laws()
        return "edge of chaos"

    @property
    def correlation_map(self) -> CorrelationMap:
        """f_delta of one layer, for a ReLU-like phi without bias; `UnsupportedError` for any other."""
        self.require_scale_free()
        return mixed_map(self.statement)

    # ---- the laws -------------------------------------------------------------------------------

    def correlation_law(self, terms: int = 4) -> Law:
        """The law of 1 - c^l."""
        return self._laws().correlation_law(self.statement, check_terms(terms))

    def ntk_law(self, terms: int = 4) -> Law:
        """The law of K^L(x, x')/(q_L L) for two inputs of the same variance, q_L = q_1 (1 + alpha)^(L-1) without bias.

        For inputs of different length q_L is the geometric mean of their variances (a ReLU-like phi without bias).
        For a bounded phi the quantity is K^L/q_L, which stays finite.
        """
        self._require_ntk()
        return self._laws().ntk_law(self.statement, check_terms(terms))

    def ntk_diagonal_law(self) -> Law:
        """The law of K^L(x, x)/q_L for one input, exact at every depth."""
        self._require_ntk()
        self.require_scale_free()
        return residual_exact.diagonal_law(self.statement)

    def variance_law(self, terms: int = 4) -> Law:
        """The law of the variance q^l of one input; the start is variance=q^1."""
        terms = check_terms(terms)
        if self.activation.is_relu_like:
            return residual_exact.variance_law(self.statement)
        return self._laws().variance_law(self.statement, terms)

    # ---- which of them ----------------------------------------------------------------------------

    def _laws(self):
        """The module with the laws of this network."""
        require_nonlinear(self.activation)
        if self.statement.is_scale_free:
            return residual_relu_like
        return self._other_laws

    @cached_property
    def _other_laws(self):
        kind = tails(self.activation).kind
        if kind in ("growing", "bounded"):
            return residual_growing if kind == "growing" else residual_bounded
        raise UnsupportedError(f"with {self._what} {REASONS[kind]}")

    @property
    def _what(self) -> str:
        phi, bias = self.activation, self.statement.layer.bias_variance
        return f"activation {phi.name!r}" + (f" and sigma_b = {sqrt(bias)}" if bias != 0 else "")

    def require_scale_free(self) -> None:
        """`UnsupportedError` unless one map serves every layer: a nonlinear ReLU-like phi, no bias."""
        require_nonlinear(self.activation)
        if not self.statement.is_scale_free:
            raise UnsupportedError(
                f"with {self._what} every layer has maps of its own, because the variance grows with depth; take a "
                "ReLU-like activation without bias"
            )

    def _require_ntk(self) -> None:
        if not self.activation.has_ntk:
            raise UnsupportedError(f"{self.activation.ntk_obstacle}; take a continuous activation")

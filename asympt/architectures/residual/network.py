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

from sympy import Expr, Integer, sqrt

from asympt.architectures import relu_like
from asympt.architectures.fixed_point_laws import diagonal_law
from asympt.architectures.residual import bounded as residual_bounded
from asympt.architectures.residual import growing as residual_growing
from asympt.architectures.residual.input import require_nonlinear
from asympt.architectures.residual.tails import tails
from asympt.architectures.variance_law import affine_variance_law
from asympt.deadline import in_budget
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
        return relu_like.map_of(self.statement.normal_form)

    # ---- the laws -------------------------------------------------------------------------------

    @in_budget("deriving the law of the correlation of a {0}")
    def correlation_law(self, terms: int = 4) -> Law:
        """The law of 1 - c^l."""
        laws, terms = self._laws(), check_terms(terms)
        if laws is None:
            return relu_like.correlation_law(self.statement.normal_form, terms, self.statement)
        return laws.correlation_law(self.statement, terms)

    @in_budget("deriving the law of the NTK of a {0}")
    def ntk_law(self, terms: int = 4) -> Law:
        """The law of K^L(x, x')/(q_L L) for two inputs of the same variance, q_L = q_1 (1 + alpha)^(L-1) without bias.

        For inputs of different length q_L is the geometric mean of their variances (a ReLU-like phi without bias).
        For a bounded phi the quantity is K^L/q_L, which stays finite.
        """
        self._require_ntk()
        laws, terms = self._laws(), check_terms(terms)
        if laws is None:
            return relu_like.ntk_law(self.statement.normal_form, terms, self.statement, relu_like.GROWING)
        return laws.ntk_law(self.statement, terms)

    @in_budget("deriving the law of the diagonal of the NTK of a {0}")
    def ntk_diagonal_law(self) -> Law:
        """The law of K^L(x, x)/q_L for one input, exact at every depth."""
        self._require_ntk()
        self.require_scale_free()
        return diagonal_law(self.statement.normal_form, self.statement, Integer(1), r"\frac{K^{L}(x,x)}{q_{L}}")

    @in_budget("deriving the law of the variance of a {0}")
    def variance_law(self, terms: int = 4) -> Law:
        """The law of the variance q^l of one input; the start is variance=q^1."""
        terms = check_terms(terms)
        if self.activation.is_relu_like:
            return affine_variance_law(self.statement, self.statement)
        return self._laws().variance_law(self.statement, terms)

    # ---- which of them ----------------------------------------------------------------------------

    def _laws(self):
        """The module with the laws of a network whose layers differ; None where they are alike."""
        require_nonlinear(self.activation)
        return None if self.statement.is_scale_free else self._other_laws

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

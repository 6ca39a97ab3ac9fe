"""The laws of a plain layer where its variance has settled: any activation, every phase.

Problem.  HDR Theorem 1 and Proposition 1: how fast do the correlation c^L and the NTK K^L(x, x') of a deep network
reach their limits, on the Edge of Chaos and off it?

Rule.  At the fixed point q of the variance, in units of q,

    c -> f(c),     k -> f'(c) k + f(c),     k = K/q,  k^1 = c^1.

    chi = f'(1)                                  1 - c^l              K/q
    1, ReLU-like phi without bias                l^(-2)               L/4           `relu_like`
    1, any other phi                             l^(-1) or l^(-2)     L/3 or L/4    `fixed_point_laws`
    < 1                                          chi^l                constant      `fixed_point_laws`
    > 1                                          1 - c*               constant      `fixed_point_laws`

The diagonal K(x, x) is exact at every depth; the variance has a law of its own (`variance_law`).

Tiny case.  ReLU on the Edge of Chaos: K^L(x, x) = q L.

Known limits.  Laws of c and K need a variance that has settled at q > 0, or one of which f does not depend on.
"""

from dataclasses import dataclass, replace
from functools import cached_property

from sympy import Expr, Integer, sqrt

from asympt.architectures import fixed_point_laws, relu_like
from asympt.architectures.map_series import named_chi
from asympt.architectures.variance_law import variance_law
from asympt.errors import UnsupportedError
from asympt.meanfield.activations import Activation
from asympt.meanfield.correlation import CorrelationMap
from asympt.meanfield.layer import Layer
from asympt.meanfield.normal_form import NormalForm
from asympt.meanfield.phases import phase_of
from asympt.meanfield.statement import Statement
from asympt.recursions.law import Law


@dataclass(frozen=True)
class SettledLaws:
    """The laws of `statement`, which has no skip connection."""

    statement: Statement

    @property
    def layer(self) -> Layer:
        """The layer as it was given."""
        return self.statement.layer

    @cached_property
    def phase(self) -> str:
        """'ordered', 'edge of chaos' or 'chaotic': chi = sigma_w^2 E[phi'(sqrt(q) Z)^2] below, at or above 1."""
        return phase_of(self.layer)

    @property
    def correlation_map(self) -> CorrelationMap:
        """f, normalised to f(1) = 1."""
        return CorrelationMap.of(self.layer)

    def correlation_law(self, terms: int) -> Law:
        """The law of 1 - c^l."""
        if self._is_scale_free():
            return relu_like.correlation_law(_form(self.statement), terms, self.statement)
        settled = self._settled()
        return fixed_point_laws.correlation_law(_form(settled), settled, self.phase, terms)

    def ntk_law(self, terms: int) -> Law:
        """The law of K^L/(q_L L) on the Edge of Chaos, of K^L/q elsewhere."""
        if self._is_scale_free():
            return relu_like.ntk_law(_form(self.statement), terms, self.statement)
        settled = self._settled()
        return fixed_point_laws.ntk_law(_form(settled), settled, self.phase, terms)

    def ntk_diagonal_law(self) -> Law:
        """K^L(x, x)/q for one input: L, or a geometric sum in chi."""
        if self._is_scale_free() or self.phase == "edge of chaos":
            return fixed_point_laws.diagonal_law(_form(self.statement), self.statement, Integer(1))
        settled = self._settled()
        return fixed_point_laws.diagonal_law(_form(settled), settled, named_chi(settled.layer))

    def variance_law(self, terms: int) -> Law:
        """The law of q^l."""
        return variance_law(self.statement, terms)

    # ---- what has no law ------------------------------------------------------------------------

    def _is_scale_free(self) -> bool:
        """Whether the law is that of all ReLU-like networks without bias; an error where nothing moves."""
        require_nonlinear(self.layer.activation)
        return self.layer.is_scale_free

    def _settled(self) -> Statement:
        """The same with the layer at its fixed point q > 0, an error where there is none."""
        layer, phi = self.layer, self.layer.activation
        if phi.is_relu_like and not layer.chi < 1:
            raise UnsupportedError(
                f"sigma_b = {sqrt(layer.bias_variance)}: with biases the variance of a ReLU-like network has a fixed "
                f"point for chi < 1 only, and chi = {layer.chi}; the laws need sigma_b = 0 or a smaller sigma_w"
            )
        if layer.fixed_variance == 0:
            raise UnsupportedError(
                f"with sigma_b = 0 and sigma_w = {sqrt(layer.weight_variance)} the variance of {phi.name!r} tends to "
                "0, and the correlation keeps moving with it towards a limit that depends on the start; take sigma_b > "
                "0 or a larger sigma_w, or ask for variance_law()"
            )
        is_critical = self.phase == "edge of chaos"
        return self.statement.with_layer(replace(layer, variance=layer.fixed_variance, critical=is_critical))


def _form(statement: Statement) -> NormalForm:
    return NormalForm(CorrelationMap.of(statement.layer))


def require_nonlinear(phi: Activation) -> None:
    """`UnsupportedError` for a phi with which the correlation does not move."""
    if phi.is_linear:
        what = "constant" if phi.is_constant else f"linear (both slopes are {_slope(phi)})"
        raise UnsupportedError(
            f"activation {phi.name!r} is {what}, so the correlation has no depth law; take a nonlinear activation"
        )


def _slope(phi: Activation) -> Expr:
    return phi.piecewise.pieces[0].diff(phi.symbol)

"""The laws of a layer with a skip connection and a branch whose variance falls like l^(-kappa).

Problem.  HDR Proposition 3 and Appendix Lemma 8: how fast do correlation and NTK reach their limits?

Rule.  With alpha = sigma_w^2 (a+^2 + a-^2)/2 and delta_l = alpha/(l^kappa + alpha), for a ReLU-like phi without bias,

    q_l = (1 + alpha l^(-kappa)) q_(l-1),
    c_l = (1 - delta_l) c_(l-1) + delta_l f(c_(l-1)),
    k_l = (1 - delta_l + delta_l f'(c_(l-1))) k_(l-1) + delta_l f(c_(l-1)),      k = K/q,  k_1 = c_1.

    kappa            1 - c^l               q_l                 K^L(x, x)/q_L      K^L(x, x')/K^L(x, x)
    1 (HDR)          log(l)^(-2)           l^alpha             alpha log L        1/4 + O(1/log L)
    0 < kappa < 1    l^(-2 (1 - kappa))    exp(l^(1 - kappa))  L^(1 - kappa)      1/4 + O(L^(-(1-kappa)))
    kappa > 1        does not tend to 0    bounded             bounded            depends on the start

Tiny case.  sigma_w^2 = 2, kappa = 1, ReLU: q_l = q_1 (l + 1)/2 and K^L(x, x)/q_L = 1 + 1/3 + ... + 1/(L+1).

Known limits.  Laws need a ReLU-like phi and sigma_b = 0: otherwise the variance drifts and moves the correlation map.
"""

from dataclasses import dataclass

from sympy import sqrt

from asympt.architectures.scaled import law as scaled_law
from asympt.architectures.scaled import single as scaled_single
from asympt.architectures.scaled.steps import is_summable
from asympt.architectures.settled import require_nonlinear
from asympt.errors import UnsupportedError
from asympt.meanfield.correlation import CorrelationMap
from asympt.meanfield.statement import Statement
from asympt.recursions.law import Law

DIAGONAL_TERMS = 4


@dataclass(frozen=True)
class ScaledLaws:
    """The laws of `statement`."""

    statement: Statement

    @property
    def phase(self) -> str:
        """'edge of chaos': c = 1 neither attracts nor repels exponentially, since delta_l tends to 0 and f'(1) = 1."""
        self.require_scale_free()
        return "edge of chaos"

    @property
    def correlation_map(self) -> CorrelationMap:
        """f of the branch: layer l moves c by delta_l (f(c) - c)."""
        self.require_scale_free()
        return CorrelationMap.of(self.statement.layer)

    def correlation_law(self, terms: int) -> Law:
        """The law of 1 - c^l."""
        self._require_flow()
        return scaled_law.correlation_law(self.statement, terms)

    def ntk_law(self, terms: int) -> Law:
        """The law of K^L(x, x')/K^L(x, x) for two inputs of the same norm, with C and, from log(L)^(-4) on, D.

        K^L(x, x) = q_L s_L is known exactly: for kappa = 1 it grows like L^alpha log L, alpha = sigma_w^2/2 for ReLU.
        """
        self._require_flow()
        return scaled_law.ntk_law(self.statement, terms)

    def ntk_diagonal_law(self) -> Law:
        """K^L(x, x)/q_L = 1 + sum of delta_k, exact at every depth."""
        self.require_scale_free()
        return scaled_single.diagonal_law(self.statement, DIAGONAL_TERMS)

    def variance_law(self, terms: int) -> Law:
        """The law of q^l for kappa = 1, otherwise of log(q^l/q^1)."""
        self.require_scale_free()
        return scaled_single.variance_law(self.statement, terms)

    # ---- what has no law ------------------------------------------------------------------------

    def require_scale_free(self) -> None:
        """`UnsupportedError` unless the branch has the same map at every variance."""
        phi, layer = self.statement.activation, self.statement.layer
        if not layer.is_scale_free:
            what = f"sigma_b = {sqrt(layer.bias_variance)}" if phi.is_relu_like else f"activation {phi.name!r}"
            raise UnsupportedError(
                f"{what}: the variance of a scaled residual network drifts with depth and moves the correlation map, "
                "unless phi is ReLU-like and sigma_b = 0; take these"
            )

    def _require_flow(self) -> None:
        self.require_scale_free()
        require_nonlinear(self.statement.activation)
        if is_summable(self.statement.decay):
            raise UnsupportedError(
                f"kappa = {self.statement.decay}: the branches add up to a finite step, so 1 - c^l tends to a positive "
                "number that depends on c^1 and there is no universal law; take kappa <= 1"
            )

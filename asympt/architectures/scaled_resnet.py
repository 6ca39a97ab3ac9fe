"""The scaled residual network: branches whose variance falls like l^(-kappa), and the laws of its kernels.

Problem.  HDR Proposition 3 and Appendix Lemma 8: y^l = y^(l-1) + l^(-kappa/2) F(y^(l-1)) for l >= 2, layer 1 plain.
How fast do the correlation and the NTK of a deep one reach their limits?

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

from sympy import Expr, sqrt

from asympt.architectures.finite_width import deviations
from asympt.architectures.scaled import law as scaled_law
from asympt.architectures.scaled import single as scaled_single
from asympt.architectures.scaled.steps import is_summable
from asympt.deadline import in_budget
from asympt.depth.finite import ScaledResidual
from asympt.errors import InputError, UnsupportedError
from asympt.meanfield.activations import Activation, activation
from asympt.meanfield.correlation import CorrelationMap
from asympt.meanfield.layer import Layer
from asympt.meanfield.statement import ConvStatement, Statement
from asympt.numbers import check_terms, exact
from asympt.recursions.law import Law

DIAGONAL_TERMS = 4


@dataclass(frozen=True, init=False)
class ScaledResNet:
    """y^l = y^(l-1) + l^(-kappa/2) F(y^(l-1)) at infinite width, F a layer of HDR eq. 10 (HDR Proposition 3).

    Parameters: `phi`, a catalogue name or an `Activation`; `sigma_w` > 0 and `sigma_b` >= 0, standard deviations;
    `kappa` > 0 (1 is HDR's; 0 would be a ResNet).  Raises `InputError` for bad values.

    >>> net = ScaledResNet("relu", sigma_w=sqrt(2))
    >>> print(net.correlation_law(terms=2))
    9*pi^2/(2*log(l)^2) - 9*pi^2*C/log(l)^3 + O(1/log(l)^4)
    >>> print(net.ntk_law(terms=2))
    1/4 + ((2*C - 2*EulerGamma + 1)/8)/log(L) + O(1/log(L)^2)
    """

    statement: Statement

    def __init__(self, phi: str | Activation, sigma_w=1, sigma_b=0, kappa=1, **options):
        phi = activation(phi, **options)
        weight, bias, power = exact(sigma_w, "sigma_w"), exact(sigma_b, "sigma_b"), exact(kappa, "kappa")
        if weight.is_number and not weight > 0:
            raise InputError(f"sigma_w = {weight} is not positive; give the standard deviation of the weights")
        if bias.is_number and not bias >= 0:
            raise InputError(f"sigma_b = {bias} is negative; give the standard deviation of the biases")
        if not (power.is_number and power > 0):
            raise InputError(f"kappa = {power} is not a positive number; for kappa = 0 take ResNet")
        layer = Layer(phi, weight**2, bias**2)
        object.__setattr__(self, "statement", Statement.scaled_residual(layer, power))

    @classmethod
    def of_statement(cls, statement: Statement | ConvStatement) -> "ScaledResNet | None":
        """The network of a residual layer with a falling branch; None for any other statement."""
        if not isinstance(statement, Statement) or not statement.skip or statement.decay == 0:
            return None
        return cls(*deviations(statement), statement.decay)

    def finite(self) -> ScaledResidual:
        """Its random network of finite width."""
        return ScaledResidual(*deviations(self.statement), kappa=float(self.kappa))

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
        """sigma_w of the branch."""
        return sqrt(self.statement.layer.weight_variance)

    @property
    def kappa(self) -> Expr:
        """The variance of the branch of layer l is multiplied by l^(-kappa)."""
        return self.statement.decay

    @property
    def phase(self) -> str:
        """'edge of chaos': c = 1 neither attracts nor repels exponentially, since delta_l tends to 0 and f'(1) = 1."""
        self._require_scale_free()
        return "edge of chaos"

    @property
    def correlation_map(self) -> CorrelationMap:
        """f of the branch, normalised to f(1) = 1: layer l moves c by delta_l (f(c) - c)."""
        self._require_scale_free()
        return CorrelationMap.of(self.statement.layer)

    # ---- the laws -------------------------------------------------------------------------------

    @in_budget("deriving the law of the correlation of a {0}")
    def correlation_law(self, terms: int = 4) -> Law:
        """The law of 1 - c^l, with the connection constant C(c^1).

        >>> print(ScaledResNet("relu", kappa="2/3").correlation_law(terms=2))
        2*pi^2/l^(2/3) - 8*pi^2*C/(3*l) + O(1/l^(4/3))
        """
        terms = check_terms(terms)
        self._require_flow()
        return scaled_law.correlation_law(self.statement, terms)

    @in_budget("deriving the law of the NTK of a {0}")
    def ntk_law(self, terms: int = 4) -> Law:
        """The law of K^L(x, x')/K^L(x, x) for two inputs of the same norm, with C and, from log(L)^(-4) on, D.

        K^L(x, x) = q_L s_L is known exactly (`variance_law`, `ntk_diagonal_law`): for kappa = 1 it grows like
        L^alpha log L, alpha = sigma_w^2/2 for ReLU.
        """
        terms = check_terms(terms)
        self._require_flow()
        return scaled_law.ntk_law(self.statement, terms)

    @in_budget("deriving the law of the diagonal of the NTK of a {0}")
    def ntk_diagonal_law(self) -> Law:
        """K^L(x, x)/q_L = 1 + sum of delta_k, exact at every depth.

        >>> print(ScaledResNet("relu", sigma_w=sqrt(2)).ntk_diagonal_law())
        log(L) - 1/2 + EulerGamma + 3/(2*L) - 13/(12*L^2) + O(1/L^3)
        """
        self._require_scale_free()
        return scaled_single.diagonal_law(self.statement, DIAGONAL_TERMS)

    @in_budget("deriving the law of the variance of a {0}")
    def variance_law(self, terms: int = 4) -> Law:
        """The law of the variance q^l for kappa = 1 (the start is variance=q^1), otherwise of log(q^l/q^1).

        >>> print(ScaledResNet("relu", sigma_w=2).variance_law(terms=2))
        C*l^2 + 3*C*l + O(1)
        """
        terms = check_terms(terms)
        self._require_scale_free()
        return scaled_single.variance_law(self.statement, terms)

    # ---- what has no law ------------------------------------------------------------------------

    def _require_scale_free(self) -> None:
        phi, layer = self.activation, self.statement.layer
        if not layer.is_scale_free:
            what = f"sigma_b = {sqrt(layer.bias_variance)}" if phi.is_relu_like else f"activation {phi.name!r}"
            raise UnsupportedError(
                f"{what}: the variance of a scaled residual network drifts with depth and moves the correlation map, "
                "unless phi is ReLU-like and sigma_b = 0; take these"
            )

    def _require_flow(self) -> None:
        self._require_scale_free()
        phi = self.activation
        if phi.is_linear:
            raise UnsupportedError(
                f"activation {phi.name!r} is linear, so the correlation has no depth law; take a nonlinear activation"
            )
        if not phi.has_ntk:
            raise UnsupportedError(f"{phi.ntk_obstacle}; take a continuous activation")
        if is_summable(self.kappa):
            raise UnsupportedError(
                f"kappa = {self.kappa}: the branches add up to a finite step, so 1 - c^l tends to a positive number "
                "that depends on c^1 and there is no universal law; take kappa <= 1"
            )

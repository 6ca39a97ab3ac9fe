"""The scaled residual network of HDR Proposition 3: branches whose variance falls like l^(-kappa).

Problem.  y^l = y^(l-1) + l^(-kappa/2) F(y^(l-1)) for l >= 2, layer 1 plain: what are its kernels at great depth?

Rule.  The laws are those of a layer with a skip connection and a falling branch (`laws`).

Tiny case.  sigma_w^2 = 2, kappa = 1, ReLU: q_l = q_1 (l + 1)/2 and K^L(x, x)/q_L = 1 + 1/3 + ... + 1/(L+1).

tanh: 1 - c^l = 1 - D log(l)^(-1 + 2/pi) + ...

Known limits.  Those of `laws`.  With biases, or a phi that is not ReLU-like, the variance moves the correlation map:
then numbers come from the layers, one by one (20,000 at most), and C and D have no digits.
"""

from dataclasses import dataclass

from sympy import Expr

from asympt.architectures.network import Preset, activation_node
from asympt.blocks import LAYER, dense, residual
from asympt.depth.finite import ScaledResidual
from asympt.errors import InputError
from asympt.meanfield.activations import Activation
from asympt.meanfield.statement import ConvStatement, Statement
from asympt.numbers import exact


@dataclass(frozen=True, init=False, repr=False)
class ScaledResNet(Preset):
    """y^l = y^(l-1) + l^(-kappa/2) F(y^(l-1)) at infinite width, F a layer of HDR eq. 10 (HDR Proposition 3).

    Parameters: `phi`, a catalogue name or an `Activation`; `sigma_w` > 0 and `sigma_b` >= 0, standard deviations;
    `kappa` > 0 (1 is HDR's; 0 would be a ResNet).  Raises `InputError` for bad values.

    >>> net = ScaledResNet("relu", sigma_w="sqrt(2)")
    >>> print(net.correlation_law(terms=2))
    9*pi^2/(2*log(l)^2) - 9*pi^2*C/log(l)^3 + O(1/log(l)^4)
    >>> print(net.ntk_law(terms=2))
    1/4 + ((2*C - 2*EulerGamma + 1)/8)/log(L) + O(1/log(L)^2)
    >>> print(ScaledResNet("erf", sigma_b=1).correlation_law(terms=2))
    1 - c_* - D/log(l)^p + O(1/sqrt(log(l)))
    >>> print(ScaledResNet("gelu").ntk_law(terms=2))
    log(L)/8 + C/4 + O(1/log(L))
    """

    def __init__(self, phi: str | Activation, sigma_w=1, sigma_b=0, kappa=1, **options):
        node, drawn, power = activation_node(phi, options), dense(sigma_w, sigma_b), exact(kappa, "kappa")
        if not (power.is_number and power > 0):
            raise InputError(f"kappa = {power} is not a positive number; for kappa = 0 take ResNet")
        self._compose(residual(node, drawn, scale=LAYER ** (-power / 2)), drawn)

    @classmethod
    def of_statement(cls, statement: Statement | ConvStatement) -> "ScaledResNet | None":
        """The network of a residual layer with a falling branch; None for any other statement."""
        if not statement.is_dense or not statement.skip or statement.decay == 0:
            return None
        return cls(*statement.layer.deviations, statement.decay)

    def finite(self) -> ScaledResidual:
        """Its random network of finite width."""
        return ScaledResidual(*self.statement.layer.deviations, kappa=float(self.kappa))

    @property
    def kappa(self) -> Expr:
        """The variance of the branch of layer l is multiplied by l^(-kappa)."""
        return self.statement.decay

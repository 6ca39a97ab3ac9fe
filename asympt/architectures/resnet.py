"""The residual networks of HDR: y^l = y^(l-1) + F(y^(l-1)), with branches alike or falling; layer 1 is not residual."""

from dataclasses import dataclass

from sympy import Expr

from asympt.architectures.network import Preset, activation_node
from asympt.blocks import LAYER, dense, residual
from asympt.depth.finite import Residual, ScaledResidual
from asympt.errors import InputError
from asympt.meanfield.activations import Activation
from asympt.meanfield.statement import ConvStatement, Statement
from asympt.numbers import exact


@dataclass(frozen=True, init=False, repr=False)
class ResNet(Preset):
    """A dense residual network in the NTK parametrisation, at infinite width (HDR eq. 12, Lemma 3).

    y^1 = sigma_w/sqrt(d) w x + sigma_b b,  y^l = y^(l-1) + sigma_w/sqrt(n) w phi(y^(l-1)) + sigma_b b,
    all w, b ~ N(0, 1) and trained.  Depth L means layer L, and K^1 = Sigma^1.

    Parameters: `phi`, a catalogue name or an `Activation`; `sigma_w` > 0 and `sigma_b` >= 0, standard deviations.
    Raises `InputError` for bad values; a law that does not exist raises `UnsupportedError` with the reason.

    >>> net = ResNet("relu", sigma_w=1)
    >>> print(net.ntk_law(terms=2))
    1/12 + log(L)/(8*L) + O(1/L)
    >>> print(net.ntk_diagonal_law())
    L/3 + 2/3
    """

    def __init__(self, phi: str | Activation, sigma_w=1, sigma_b=0, **options):
        drawn = dense(sigma_w, sigma_b)
        self._compose(residual(activation_node(phi, options), drawn), drawn)

    @classmethod
    def of_statement(cls, statement: Statement | ConvStatement) -> "ResNet | None":
        """The network of a residual layer with the whole branch; None for any other statement."""
        if not statement.is_dense or not statement.skip or statement.decay != 0:
            return None
        return cls(*statement.layer.deviations)

    def finite(self) -> Residual:
        """Its random network of finite width."""
        return Residual(*self.statement.layer.deviations)

    def normalised_limits(self) -> tuple[Expr, Expr]:
        """lim K^L/(q_1 alpha_L), alpha_L = L (1 + sigma_w^2/2)^(L-1) (HDR Theorem 2), for x = x' and for x != x'.

        >>> ResNet("relu", sigma_w=1).normalised_limits()
        (1/3, 1/12)
        """
        self._laws.require_scale_free()
        own = self._laws.composed.form.own
        return own, own / 4


# ---- the scaled residual network of HDR Proposition 3 --------------------------------------------------


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

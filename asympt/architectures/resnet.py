"""The dense residual network of HDR: y^l = y^(l-1) + F(y^(l-1)), the first layer without a residual.

Problem.  HDR Lemma 3, Appendix Lemma 7 and Theorem 2: how fast do correlation and NTK reach their limits?

Rule.  `meanfield.statement` has the layer, `laws` says which laws follow.  HDR's normaliser is
alpha_L = L (1 + sigma_w^2/2)^(L-1); with q_1 = sigma_w^2 |x|^2/d and delta = (sigma_w^2/2)/(1 + sigma_w^2/2)

    K^L(x, x)/alpha_L -> delta q_1,      K^L(x, x')/alpha_L -> delta q_1/4.

Tiny case (ReLU, sigma_w = 1, c^1 = 1/10).  1 - c^1000 = 3.79017451042611687e-4.
"""

from dataclasses import dataclass

from sympy import Expr

from asympt.architectures.network import Preset, activation_node
from asympt.blocks import dense, residual
from asympt.depth.finite import Residual
from asympt.meanfield.activations import Activation
from asympt.meanfield.statement import ConvStatement, Statement


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

"""The fully connected network: its layer, its phase, and the laws of its correlation and of its NTK.

Problem.  HDR Theorem 1, part 1: how fast do the correlation c^L and the NTK K^L(x, x') of a ReLU-like network
reach their limits on the Edge of Chaos?

Rule.  With sigma_b = 0 the variance is q_L = chi^(L-1) q_1 and, in units of q_L, whatever sigma_w is,

    c -> f(c),     k -> f'(c) k + f(c),     k = K/q,  k^1 = c^1,

a parabolic recursion and a linear one along it; `relu_like` derives their laws.

Known limits.  Laws need sigma_b = 0: with sigma_b > 0 the variance has no fixed point on the Edge of Chaos.
"""

from dataclasses import dataclass

from sympy import Expr, sqrt

from asympt.errors import InputError, UnsupportedError
from asympt.meanfield.activations import Activation, activation
from asympt.meanfield.correlation import CorrelationMap
from asympt.meanfield.layer import Layer
from asympt.meanfield.phases import edge_of_chaos, phase_of
from asympt.networks.relu_like import correlation_law, ntk_law
from asympt.numbers import check_terms, exact
from asympt.recursions.law import Law


@dataclass(frozen=True, init=False)
class FeedForward:
    """A fully connected network in the NTK parametrisation, at infinite width (HDR eq. 10).

    y^1 = sigma_w/sqrt(d) w x + sigma_b b,  y^l = sigma_w/sqrt(n) w phi(y^(l-1)) + sigma_b b, all w, b ~ N(0, 1).

    Parameters: `phi`, a catalogue name or an `Activation` (ReLU-like); `sigma_w` > 0 and `sigma_b` >= 0, standard
    deviations (default: the Edge of Chaos).  Raises `InputError` for bad values.

    >>> net = FeedForward("relu", sigma_w=sqrt(2), sigma_b=0)
    >>> net.phase
    'edge of chaos'
    >>> print(net.ntk_law(terms=2))
    1/4 + 3*log(L)/(8*L) + O(1/L)
    """

    layer: Layer

    def __init__(self, phi: str | Activation, sigma_w=None, sigma_b=0, **options):
        phi = activation(phi, **options)
        critical = sqrt(1 / phi.second_moment)
        sigma_w = critical if sigma_w is None else _snapped(sigma_w, critical)
        sigma_b = exact(sigma_b, "sigma_b")
        if sigma_w.is_number and not sigma_w > 0:
            raise InputError(f"sigma_w = {sigma_w} is not positive; give the standard deviation of the weights")
        if sigma_b.is_number and not sigma_b >= 0:
            raise InputError(f"sigma_b = {sigma_b} is negative; give the standard deviation of the biases")
        object.__setattr__(self, "layer", Layer(phi, sigma_w**2, sigma_b**2))

    @classmethod
    def on_edge_of_chaos(cls, phi: str | Activation, sigma_b=0, **options) -> "FeedForward":
        """The network on the Edge of Chaos for the given sigma_b."""
        phi = activation(phi, **options)
        point = edge_of_chaos(phi, sigma_b=sigma_b)
        return cls(phi, sigma_w=point.exact_sigma_w, sigma_b=sigma_b)

    @property
    def activation(self) -> Activation:
        """phi."""
        return self.layer.activation

    @property
    def phase(self) -> str:
        """'ordered', 'edge of chaos' or 'chaotic': chi = sigma_w^2 E[phi'^2] below, at or above 1."""
        return phase_of(self.layer)

    @property
    def correlation_map(self) -> CorrelationMap:
        """f, normalised to f(1) = f'(1) = 1."""
        return CorrelationMap.of(self.activation)

    def correlation_law(self, terms: int = 4) -> Law:
        """The law of 1 - c^l, a log-power series in l with the connection constant C(c^1).

        >>> print(FeedForward("relu").correlation_law(terms=2))
        9*pi^2/(2*l^2) - 27*pi^2*log(l)/(2*l^3) + O(1/l^3)
        """
        self._require_law()
        return correlation_law(self.layer.fold, self.layer.unfolded, check_terms(terms), self.layer)

    def ntk_law(self, terms: int = 4) -> Law:
        """The law of K^L(x, x')/(q_L L), q_L the variance at layer L (q, constant, on the Edge of Chaos)."""
        self._require_law()
        return ntk_law(self.layer.fold, self.layer.unfolded, check_terms(terms), self.layer)

    def _require_law(self) -> None:
        if self.layer.bias_variance != 0:
            raise UnsupportedError(
                f"sigma_b = {sqrt(self.layer.bias_variance)}: with biases the variance of a ReLU-like network has no "
                "fixed point on the Edge of Chaos; the laws need sigma_b = 0"
            )
        if self.activation.is_linear:
            raise UnsupportedError(
                f"activation {self.activation.name!r} is linear (both slopes are {self.activation.slopes[0]}), so the "
                "correlation never moves; take two different slopes"
            )


def _snapped(sigma_w, critical: Expr) -> Expr:
    """sigma_w, exact; a float within rounding of the Edge of Chaos is taken to lie on it."""
    value = exact(sigma_w, "sigma_w")
    if isinstance(sigma_w, float) and critical.is_number and abs(sigma_w - float(critical)) <= 4e-16 * sigma_w:
        return critical
    return value

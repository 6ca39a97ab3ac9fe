"""The fully connected network: its layer, its phase, and the laws of its correlation, its NTK and its variance.

Problem.  HDR Theorem 1 and Proposition 1: how fast do the correlation c^L and the NTK K^L(x, x') of a deep network
reach their limits, on the Edge of Chaos and off it, for any activation?

Rule.  At the fixed point q of the variance, in units of q,

    c -> f(c),     k -> f'(c) k + f(c),     k = K/q,  k^1 = c^1.

    chi = f'(1)                                  1 - c^l              K/q
    1, ReLU-like phi without bias                l^(-2)               L/4           `relu_like`
    1, any other phi                             l^(-1) or l^(-2)     L/3 or L/4    `fixed_point_laws`
    < 1                                          chi^l                constant      `fixed_point_laws`
    > 1                                          1 - c*               constant      `fixed_point_laws`

The diagonal K(x, x) is exact at every depth; the variance has a law of its own (`variance_law`).

Known limits.  Laws of c and K need a variance that has settled at q > 0, or one of which f does not depend on.
"""

from dataclasses import dataclass, replace
from functools import cached_property

from sympy import Expr, sqrt

from asympt.architectures import fixed_point_laws, relu_like
from asympt.architectures.finite_width import deviations
from asympt.architectures.map_series import named_chi
from asympt.architectures.variance_law import variance_law
from asympt.deadline import in_budget
from asympt.depth.finite import Dense
from asympt.errors import InputError, UnsupportedError
from asympt.meanfield.activations import Activation, activation
from asympt.meanfield.correlation import CorrelationMap
from asympt.meanfield.layer import Layer
from asympt.meanfield.normal_form import NormalForm
from asympt.meanfield.phases import edge_of_chaos, phase_of
from asympt.meanfield.stability import Stability
from asympt.meanfield.statement import ConvStatement, Statement
from asympt.numbers import check_terms, exact
from asympt.recursions.law import Law


@dataclass(frozen=True, init=False)
class FeedForward:
    """A fully connected network in the NTK parametrisation, at infinite width (HDR eq. 10).

    y^1 = sigma_w/sqrt(d) w x + sigma_b b,  y^l = sigma_w/sqrt(n) w phi(y^(l-1)) + sigma_b b, all w, b ~ N(0, 1).

    Parameters: `phi`, a catalogue name or an `Activation`; `sigma_w` > 0 and `sigma_b` >= 0, standard deviations
    (sigma_w left out: the Edge of Chaos).  Raises `InputError` for bad values, `UnsupportedError` where there is no
    Edge of Chaos.

    >>> net = FeedForward("relu", sigma_w=sqrt(2), sigma_b=0)
    >>> net.phase
    'edge of chaos'
    >>> print(net.ntk_law(terms=2))
    1/4 + 3*log(L)/(8*L) + O(1/L)
    """

    layer: Layer

    def __init__(self, phi: str | Activation, sigma_w=None, sigma_b=0, **options):
        phi = activation(phi, **options)
        weight, bias = _deviations(phi, sigma_w, sigma_b)
        layer = _critical_layer(phi, bias) if weight is None else Layer(phi, weight**2, bias**2)
        object.__setattr__(self, "layer", layer)

    @classmethod
    def on_edge_of_chaos(cls, phi: str | Activation, sigma_b=0, **options) -> "FeedForward":
        """The network on the Edge of Chaos for the given sigma_b: sigma_w and q are solved for."""
        phi = activation(phi, **options)
        if phi.is_relu_like:  # sigma_w is known beforehand, whether there is an Edge of Chaos depends on sigma_b
            edge_of_chaos(phi, sigma_b=sigma_b)
        return cls(phi, sigma_b=sigma_b)

    @classmethod
    def of_layer(cls, layer: Layer) -> "FeedForward | None":
        """The network of a layer; None when standard deviations do not give it back."""
        phi = layer.activation
        if layer.is_scale_free:
            return cls(phi)
        bias = sqrt(layer.bias_variance)
        if not layer.critical:
            return cls(phi, sigma_w=sqrt(layer.weight_variance), sigma_b=bias)
        net = cls.on_edge_of_chaos(phi, sigma_b=bias)
        return net if net.layer == layer else None

    @classmethod
    def of_statement(cls, statement: Statement | ConvStatement) -> "FeedForward | None":
        """The network of a plain layer; None for any other statement."""
        plain = isinstance(statement, Statement) and not statement.skip
        return cls.of_layer(statement.layer) if plain else None

    def finite(self) -> Dense:
        """Its random network of finite width."""
        return Dense(*deviations(self.statement))

    @property
    def activation(self) -> Activation:
        """phi."""
        return self.layer.activation

    @property
    def statement(self) -> Statement:
        """The layer recursion as data, in the form that every architecture has."""
        return Statement.plain(self.layer)

    @property
    def sigma_w(self) -> Expr:
        """sigma_w, exact or known to any number of digits."""
        return sqrt(self.layer.weight_variance)

    @property
    def variance(self) -> Expr:
        """q, the variance at which a layer is looked at; raises `UnsupportedError` where there is none."""
        return self.layer.fixed_variance

    @property
    def stability(self) -> Stability:
        """What becomes of an input whose variance is not q: whether it comes to q, grows, or goes elsewhere."""
        return self.statement.stability

    @cached_property
    def phase(self) -> str:
        """'ordered', 'edge of chaos' or 'chaotic': chi = sigma_w^2 E[phi'(sqrt(q) Z)^2] below, at or above 1."""
        return phase_of(self.layer)

    @property
    def correlation_map(self) -> CorrelationMap:
        """f, normalised to f(1) = 1."""
        return CorrelationMap.of(self.layer)

    # ---- the laws -------------------------------------------------------------------------------

    @in_budget("deriving the law of the correlation of a {0}")
    def correlation_law(self, terms: int = 4) -> Law:
        """The law of 1 - c^l, with the connection constant C(c^1).

        >>> print(FeedForward("relu").correlation_law(terms=2))
        9*pi^2/(2*l^2) - 27*pi^2*log(l)/(2*l^3) + O(1/l^3)
        """
        terms = check_terms(terms)
        if self._is_universal():
            return relu_like.correlation_law(self._normal_form(self.layer), terms, self.layer)
        layer = self._settled_layer()
        return fixed_point_laws.correlation_law(self._normal_form(layer), layer, self.phase, terms)

    @in_budget("deriving the law of the NTK of a {0}")
    def ntk_law(self, terms: int = 4) -> Law:
        """The law of K^L(x, x') for two inputs: of K^L/(q_L L) on the Edge of Chaos, of K^L/q elsewhere.

        q_L is the variance at layer L: for a ReLU-like phi without bias any, otherwise the fixed point q.
        """
        terms = check_terms(terms)
        self._require_ntk()
        if self._is_universal():
            return relu_like.ntk_law(self._normal_form(self.layer), terms, self.layer)
        layer = self._settled_layer()
        return fixed_point_laws.ntk_law(self._normal_form(layer), layer, self.phase, terms)

    @in_budget("deriving the law of the diagonal of the NTK of a {0}")
    def ntk_diagonal_law(self) -> Law:
        """K^L(x, x)/q for one input, exact at every depth: L, or a geometric sum in chi.

        >>> from sympy import Rational
        >>> print(FeedForward("relu", sigma_w=1, sigma_b=1).ntk_diagonal_law())
        2 - 2/2^L
        """
        self._require_ntk()
        is_critical = self._is_universal() or self.phase == "edge of chaos"
        layer = self.layer if is_critical else self._settled_layer()
        return fixed_point_laws.diagonal_law(
            self._normal_form(layer), layer, exact(1) if is_critical else named_chi(layer)
        )

    @in_budget("deriving the law of the variance of a {0}")
    def variance_law(self, terms: int = 4) -> Law:
        """The law of the variance q^l of one input; the start is variance=q^1.

        >>> from sympy import Symbol, tanh
        >>> x = Symbol("x", real=True)
        >>> print(FeedForward(Activation(tanh(x), x), sigma_w=1).variance_law(terms=1))
        1/(2*l) + O(log(l)/l^2)
        """
        return variance_law(self.layer, check_terms(terms))

    @staticmethod
    def _normal_form(layer: Layer) -> NormalForm:
        return NormalForm(CorrelationMap.of(layer))

    # ---- what has no law ------------------------------------------------------------------------

    def _is_universal(self) -> bool:
        """Whether the law is that of all ReLU-like networks without bias; an error where nothing moves."""
        phi = self.activation
        if phi.is_linear:
            what = "constant" if phi.is_constant else f"linear (both slopes are {_slope(phi)})"
            raise UnsupportedError(
                f"activation {phi.name!r} is {what}, so the correlation has no depth law; take a nonlinear activation"
            )
        return self.layer.is_scale_free

    def _settled_layer(self) -> Layer:
        """The layer at its fixed point q > 0, an error where there is none."""
        layer, phi = self.layer, self.activation
        if phi.is_relu_like and not layer.gain < 1:
            raise UnsupportedError(
                f"sigma_b = {sqrt(layer.bias_variance)}: with biases the variance of a ReLU-like network has a fixed "
                f"point for chi < 1 only, and chi = {layer.gain}; the laws need sigma_b = 0 or a smaller sigma_w"
            )
        if layer.fixed_variance == 0:
            raise UnsupportedError(
                f"with sigma_b = 0 and sigma_w = {self.sigma_w} the variance of {phi.name!r} tends to 0, and the "
                "correlation keeps moving with it towards a limit that depends on the start; take sigma_b > 0 or a "
                "larger sigma_w, or ask for variance_law()"
            )
        is_critical = self.phase == "edge of chaos"
        return replace(layer, variance=layer.fixed_variance, critical=is_critical)

    def _require_ntk(self) -> None:
        if not self.activation.has_ntk:
            raise UnsupportedError(f"{self.activation.ntk_obstacle}; take a continuous activation")


def _slope(phi: Activation) -> Expr:
    return phi.piecewise.pieces[0].diff(phi.symbol)


def _deviations(phi: Activation, sigma_w, sigma_b) -> tuple:
    """sigma_w (None for the Edge of Chaos of an activation that needs solving) and sigma_b, exact."""
    known = sqrt(1 / phi.second_moment) if phi.is_relu_like else None
    weight = known if sigma_w is None else _snapped(sigma_w, known)
    bias = exact(sigma_b, "sigma_b")
    if weight is not None and weight.is_number and not weight > 0:
        raise InputError(f"sigma_w = {weight} is not positive; give the standard deviation of the weights")
    if bias.is_number and not bias >= 0:
        raise InputError(f"sigma_b = {bias} is negative; give the standard deviation of the biases")
    return weight, bias


def _critical_layer(phi: Activation, bias: Expr) -> Layer:
    """The layer on the Edge of Chaos."""
    point = edge_of_chaos(phi, sigma_b=bias)
    return Layer(phi, point.exact_sigma_w**2, bias**2, point.exact_q, True)


def _snapped(sigma_w, critical: Expr | None) -> Expr:
    """sigma_w, exact; a float within rounding of a known Edge of Chaos is taken to lie on it."""
    value = exact(sigma_w, "sigma_w")
    if critical is None or not isinstance(sigma_w, float) or not critical.is_number:
        return value
    return critical if abs(sigma_w - float(critical)) <= 4e-16 * sigma_w else value

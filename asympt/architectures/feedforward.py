"""The fully connected network in the NTK parametrisation (HDR eq. 10); without sigma_w on the Edge of Chaos."""

from dataclasses import dataclass, replace
from inspect import signature

from sympy import Expr, Integer, oo, sqrt

from asympt.architectures.composition import Preset
from asympt.architectures.fluctuations import HasFluctuations
from asympt.architectures.law_parts import read_start
from asympt.architectures.norms import SAME, Settling, read_pair, read_variances, settled
from asympt.architectures.tails import tails
from asympt.blocks import primitives, serial
from asympt.blocks.nodes import DenseNode
from asympt.errors import InputError
from asympt.meanfield.activations import Activation, activation
from asympt.meanfield.edge import edge_of_chaos
from asympt.meanfield.layer import Layer
from asympt.numbers import exact, not_negative, positive, to_mpf
from asympt.recursions.law import Law
from asympt.spelling import named
from asympt.width.classes import NetworkClass, class_of
from asympt.width.inputs import QUANTITIES, StartingPair


@dataclass(frozen=True, init=False, repr=False)
class FeedForward(HasFluctuations, Preset):
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

    def __init__(self, phi: str | Activation, sigma_w=None, sigma_b=0, **options):
        node = primitives.activation(phi, **options)
        weight, bias = _deviations(node.phi, sigma_w, sigma_b)
        point = edge_of_chaos(node.phi, sigma_b=bias) if weight is None else None
        drawn = DenseNode(weight if point is None else point.exact_sigma_w, bias)
        self._compose(serial(node, drawn), drawn)
        if point is not None:
            layer = replace(self.statement.layer, variance=point.exact_q, critical=True)
            object.__setattr__(self, "statement", self.statement.with_layer(layer))

    @classmethod
    def on_edge_of_chaos(cls, phi: str | Activation, sigma_b=0, **options) -> "FeedForward":
        """The network on the Edge of Chaos for the given sigma_b: sigma_w and q are solved for."""
        phi = activation(phi, **options)
        if phi.is_relu_like:  # sigma_w is known beforehand, whether there is an Edge of Chaos depends on sigma_b
            edge_of_chaos(phi, sigma_b=sigma_b)
        return cls(phi, sigma_b=sigma_b)

    @classmethod
    def of_layer(cls, layer: Layer) -> "FeedForward | None":
        """The network with this layer; None where no standard deviations describe it."""
        phi = layer.activation
        if layer.is_scale_free:
            return cls(phi)
        bias = sqrt(layer.bias_variance)
        if not layer.critical:
            return cls(phi, sigma_w=sqrt(layer.weight_variance), sigma_b=bias)
        net = cls.on_edge_of_chaos(phi, sigma_b=bias)
        return net if net.layer == layer else None

    @property
    def layer(self) -> Layer:
        """The layer, with the variance at which it is evaluated."""
        return self.statement.layer

    @property
    def variance(self) -> Expr:
        """q, the variance at which a layer is evaluated; raises `UnsupportedError` where there is none."""
        return self.layer.fixed_variance

    def _width_class(self) -> NetworkClass:
        return class_of(self.layer)

    def _quantity(self, of: str | None) -> str:
        of = named("gap" if of is None else of, QUANTITIES, "of")
        if of.startswith("ntk"):
            self._require_ntk()
        return of

    def inputs(self, of: str, correlation=None, gap=None, variances=None) -> StartingPair:
        """The start of a fluctuation; one input needs neither `correlation` nor `gap`."""
        alone = self._quantity(of).endswith("diagonal") and correlation is None and gap is None
        start = Integer(0) if alone else read_start(correlation, gap)
        return StartingPair(self.layer, start, self._variances(variances))

    def _variances(self, variances) -> tuple[Expr, Expr]:
        if variances is not None:
            return read_variances(variances)
        q = Integer(1) if self.layer.is_scale_free else self.layer.fixed_variance
        if q == 0:
            raise InputError("the fixed variance is 0, so there is no q to start from; give variances=(q^1, q'^1)")
        return q, q

    def settles(self, variances) -> Settling:
        """Where the variance map takes variances such as ("1", "2"): the fixed point, its phase, its network.

        Raises `InputError` for variances that are not positive.

        >>> net = FeedForward.on_edge_of_chaos("gelu", sigma_b="1/5")
        >>> net.settles(("3/10", "1/2")).phase
        'ordered'
        >>> escaping = net.settles(("1", "2"))
        >>> print(escaping.attractor, escaping.network.ntk_law(terms=1))
        oo 1/4 + O(log(L)/L)
        """
        found = settled(self.layer, variances)
        return replace(found, network=self if self.layer.is_scale_free else self._at(found))

    def _at(self, found: Settling) -> "FeedForward | None":
        """The same layers at another fixed point, phi's lines for variances that grow; None without a phase there."""
        if found.phase is None:
            return None
        there = replace(self.layer, variance=found.attractor, critical=None)
        if found.attractor == oo:
            return OfLines(there)
        if self.layer.critical and abs(to_mpf(found.attractor - self.variance)) <= SAME * to_mpf(self.variance):
            return self if self.stability.attracts else None
        net = FeedForward(self.activation, self.sigma_w, sqrt(self.layer.bias_variance))
        object.__setattr__(net, "statement", net.statement.with_layer(there))
        return net


@dataclass(frozen=True, init=False, repr=False)
class OfLines(FeedForward):
    """The ReLU-like network of phi's slopes at +-oo, which inputs of a network see whose variances grow.

    With `variances` its laws follow a pair through the layers of that network, `origin`; without, they are those of
    inputs that have grown already.
    """

    origin: Layer

    def __init__(self, origin: Layer):
        right, left = tails(origin.activation).slopes
        super().__init__(activation("relu_like", right=right, left=left))
        object.__setattr__(self, "origin", origin)

    def _counted(self, law: Law) -> Law:
        pairs = "correlation" in signature(law.reader).parameters
        return replace(law, reader=read_pair(law.reader, self.origin)) if pairs else law


def _deviations(phi: Activation, sigma_w, sigma_b) -> tuple:
    """sigma_w (None for the Edge of Chaos of an activation that needs solving) and sigma_b, exact."""
    known = sqrt(1 / phi.second_moment) if phi.is_relu_like else None
    weight = known if sigma_w is None else _snapped(sigma_w, known)
    if weight is not None:
        positive(weight, "sigma_w", "the standard deviation of the weights")
    return weight, not_negative(sigma_b, "sigma_b", "the standard deviation of the biases")


def _snapped(sigma_w, critical: Expr | None) -> Expr:
    """sigma_w, exact; a float within rounding of a known Edge of Chaos is taken to lie on it."""
    value = exact(sigma_w, "sigma_w")
    if critical is None or not isinstance(sigma_w, float) or not critical.is_number:
        return value
    return critical if abs(sigma_w - float(critical)) <= 4e-16 * sigma_w else value

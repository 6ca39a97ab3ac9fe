"""The law of the variance q^l of one input, where it is not constant.

Problem.  q^(l+1) = V(q^l).  The laws of correlation and NTK suppose that q has settled; how fast does it?

Rule.  Look at V from its attracting fixed point q*:

    q* > 0               V'(q*) < 1:    q^l = q* + C V'(q*)^l + ...                     hyperbolic
    q* = 0, V'(0) < 1    sigma_b = 0, sigma_w |phi'(0)| < 1:  q^l = C V'(0)^l + ...     hyperbolic, exact coefficients
    q* = 0, V'(0) = 1    PDLT's class K* = 0:  q^l = -1/(a_1 l) + ...                   parabolic, exact coefficients
    ReLU-like phi        V(q) = sigma_b^2 + chi q: solved for every l

Tiny case.  tanh with sigma_w = 1, sigma_b = 0: V = q - 2 q^2 + ..., q^l = 1/(2 l) + ...

Known limits.  The variance must have an attracting fixed point.
"""

from dataclasses import dataclass, replace
from functools import lru_cache

from sympy import Expr, sqrt

from asympt.architectures.exact_law import ExactLaw
from asympt.architectures.relu_like import LAYER
from asympt.architectures.starts import read_variance
from asympt.architectures.variance_series import SeriesAtFixedPoint, SeriesAtZero
from asympt.errors import UnsupportedError
from asympt.expansions import Expansion, Monomial, Scale
from asympt.expansions.scale import Exponential
from asympt.meanfield.layer import Layer
from asympt.precise import VarianceStep
from asympt.recursions.coordinates.abel_inversion import CONNECTION
from asympt.recursions.hyperbolic_law import hyperbolic_law
from asympt.recursions.law import Law
from asympt.recursions.parabolic_law import parabolic_law
from asympt.recursions.place import Place
from asympt.recursions.protocol import Dynamics

QUANTITY = "q^{l}"


@dataclass(frozen=True)
class VariancePlace(Place):
    """The fixed point of the variance, read as q^l."""

    quantity = QUANTITY
    plain = "q^l"


def variance_law(layer: Layer, terms: int) -> Law:
    """The law of q^l."""
    if layer.activation.is_relu_like:
        return _of_relu_like(layer)
    q = layer.fixed_variance
    place, dynamics = VariancePlace(q), _dynamics(layer, q)
    reader = read_variance if q == 0 else lambda variance=None: read_variance(variance) - q
    derive = parabolic_law if dynamics.ratio(1)[0] == 1 else hyperbolic_law
    return replace(derive(dynamics, place, terms, reader, LAYER), name="variance", layer=layer)


@lru_cache(maxsize=256)
def _dynamics(layer: Layer, q: Expr) -> Dynamics:
    series = SeriesAtZero(layer) if q == 0 else SeriesAtFixedPoint(layer, q)
    return Dynamics(series.ratio, VarianceStep(layer, q), root=series.root, first=1, costly=q != 0)


def _of_relu_like(layer: Layer) -> ExactLaw:
    """q^l = q* + chi^(l-1) (q^1 - q*), or q^1 + (l - 1) sigma_b^2."""
    chi, bias = layer.gain, layer.bias_variance
    if chi == 1 and bias == 0:
        raise UnsupportedError(
            f"activation {layer.activation.name!r} with sigma_w = {sqrt(layer.weight_variance)} and no bias keeps the "
            "variance of every input, q^l = q^1; there is no law of its approach"
        )
    if chi == 1:
        expansion = Expansion.build(Scale.at_infinity(LAYER), {(-1, 0): bias, (0, 0): CONNECTION})
        return _exact(layer, expansion, lambda start: start - bias)
    fixed = bias / (1 - chi)
    base, order = (chi, 1) if chi < 1 else (1 / chi, -1)
    terms = sorted([(Monomial(0), fixed), (Monomial(order), CONNECTION)], key=lambda term: term[0], reverse=True)
    kept = tuple(term for term in terms if term[1] != 0)
    return _exact(layer, Expansion(Exponential(LAYER, base=base), kept), lambda start: (start - fixed) / chi)


def _exact(layer: Layer, expansion: Expansion, constant) -> ExactLaw:
    return ExactLaw(QUANTITY, expansion, read_variance, "variance", constant=constant, layer=layer)

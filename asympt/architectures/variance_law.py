"""The law of the variance q^l of one input, where it is not constant.

Problem.  q^(l+1) = V(q^l).  The laws of correlation and NTK suppose that q has settled; how fast does it?

Rule.  Look at V from its attracting fixed point q*:

    q* > 0               V'(q*) < 1:    q^l = q* + C V'(q*)^l + ...                     hyperbolic
    q* = 0, V'(0) < 1    sigma_b = 0, sigma_w |phi'(0)| < 1:  q^l = C V'(0)^l + ...     hyperbolic, exact coefficients
    q* = 0, V'(0) = 1    PDLT's class K* = 0:  q^l = -1/(a_1 l) + ...                   parabolic, exact coefficients
    ReLU-like phi        q' = g q + sigma_b^2 with g = chi, or 1 + alpha with a skip connection: solved for every l

Tiny case.  tanh with sigma_w = 1, sigma_b = 0: V = q - 2 q^2 + ..., q^l = 1/(2 l) + ...

Known limits.  The variance must have an attracting fixed point, or phi be ReLU-like.
"""

from dataclasses import replace
from functools import lru_cache

from sympy import Expr, sqrt

from asympt.architectures.exact_law import exact_law
from asympt.architectures.map_series import VarianceAtFixedPoint, VarianceAtZero
from asympt.architectures.parsing import read_variance
from asympt.architectures.relu_like import LAYER
from asympt.errors import UnsupportedError
from asympt.expansions import Expansion, Monomial, Scale
from asympt.expansions.scale import Exponential
from asympt.meanfield.layer import Layer
from asympt.meanfield.statement import Statement
from asympt.precise import VarianceStep
from asympt.recursions.autonomous import hyperbolic_law, parabolic_law
from asympt.recursions.coordinates.abel_inversion import CONNECTION
from asympt.recursions.fixed_point import FixedPoint
from asympt.recursions.law import Law
from asympt.recursions.protocol import Dynamics

QUANTITY = "q^{l}"


class VarianceFixedPoint(FixedPoint):
    """The fixed point of the variance, read as q^l."""

    quantity, shapes = QUANTITY, ("q^{{{}}}", "q^{}")


def variance_law(statement: Statement, terms: int) -> Law:
    """The law of q^l, no skip connection."""
    layer = statement.layer
    if layer.activation.is_relu_like:
        return affine_variance_law(statement)
    q = layer.fixed_variance
    fixed, dynamics = VarianceFixedPoint(q), _dynamics(layer, q)
    reader = read_variance if q == 0 else lambda variance=None: read_variance(variance) - q
    derive = parabolic_law if dynamics.ratio(1)[0] == 1 else hyperbolic_law
    return replace(derive(dynamics, fixed, terms, reader, LAYER), name="variance", layer=statement)


@lru_cache(maxsize=256)
def _dynamics(layer: Layer, q: Expr) -> Dynamics:
    series = VarianceAtZero(layer) if q == 0 else VarianceAtFixedPoint(layer, q)
    return Dynamics(series.ratio, VarianceStep(layer, q), root=series.root, first=1, costly=q != 0)


def affine_variance_law(statement: Statement) -> Law:
    """q' = g q + sigma_b^2 of a ReLU-like phi: q* + g^(l-1) (q^1 - q*), or q^1 + (l - 1) sigma_b^2 for g = 1."""
    growth, bias = statement.growth.factor(), statement.layer.bias_variance
    if growth == 1 and bias == 0:
        raise UnsupportedError(
            f"activation {statement.activation.name!r} with sigma_w = {sqrt(statement.layer.weight_variance)} and no "
            "bias keeps the variance of every input, q^l = q^1; there is no law of its approach"
        )
    if growth == 1:
        expansion = Expansion.build(Scale.at_infinity(LAYER), {(-1, 0): bias, (0, 0): CONNECTION})
        return _exact(statement, expansion, lambda start: start - bias)
    is_growing = statement.skip or growth > 1
    fixed = -bias / (growth - 1) if is_growing else bias / (1 - growth)
    moving, resting = (Monomial(-1 if is_growing else 1), CONNECTION), (Monomial(0), fixed)
    terms = (moving, resting) if is_growing else (resting, moving)
    scale, kept = Exponential(LAYER, base=1 / growth if is_growing else growth), tuple(t for t in terms if t[1] != 0)
    return _exact(statement, Expansion(scale, kept), lambda start: (start - fixed) / growth)


def _exact(statement: Statement, expansion: Expansion, constant) -> Law:
    return exact_law(QUANTITY, expansion, read_variance, "variance", constant=constant, layer=statement)

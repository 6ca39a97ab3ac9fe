"""The float64 constants of a layer: each from its exact value to 40 digits, rounded once.

Differences (1 - kappa, chi - 1, log chi) are evaluated as such: careless rounding is a bias in every layer.
"""

from dataclasses import dataclass, replace
from functools import lru_cache

import mpmath
from sympy import Expr

from asympt.errors import InputError
from asympt.meanfield.layer import Layer
from asympt.numbers import exact, to_mpf

DIGITS = 40


@dataclass(frozen=True)
class LayerConstants:
    """Everything the NumPy engine knows of a layer.

    `kink_weight` is kappa and `linear_weight` 1 - kappa; `chi_excess` is chi - 1 and `log_chi` log chi;
    `weight` is sigma_w^2 and `bias` sigma_b^2.
    """

    kink_weight: float
    linear_weight: float
    chi: float
    chi_excess: float
    log_chi: float
    weight: float
    bias: float


def layer_of(net) -> Layer:
    """The layer of a network, or the layer itself, with numbers in it; `InputError` for anything else."""
    layer = getattr(net, "layer", net)
    if not isinstance(layer, Layer):
        raise InputError(f"net = {net!r} has no dense layer; give a FeedForward network or its Layer")
    weight, bias = exact(layer.weight_variance, "sigma_w^2"), exact(layer.bias_variance, "sigma_b^2")
    phi = layer.activation
    for name, value, known in (("activation", phi.expression, {phi.symbol}), ("sigma_w^2", weight, set()),
                               ("sigma_b^2", bias, set())):  # fmt: skip
        if value.free_symbols - known:
            raise InputError(
                f"the layer's {name} = {value} holds a symbol; give numbers, float64 iterates nothing else"
            )
    if not weight > 0 or not bias >= 0:
        raise InputError(
            f"sigma_w^2 = {weight}, sigma_b^2 = {bias} are no variances; give sigma_w^2 > 0, sigma_b^2 >= 0"
        )
    return replace(layer, weight_variance=weight, bias_variance=bias)


def precise(value: Expr, digits: int = DIGITS) -> mpmath.mpf:
    """The exact SymPy number `value` as an mpf of the given digits."""
    with mpmath.workdps(digits):
        return to_mpf(value)


@lru_cache(maxsize=256)
def constants(layer: Layer) -> LayerConstants:
    excess = 0.0 if layer.is_critical else float(precise(layer.chi - 1))
    with mpmath.workdps(DIGITS):
        log = 0.0 if excess == 0 else float(mpmath.log1p(precise(layer.chi - 1)))
    exact = (layer.kink_weight, layer.linear_weight, layer.chi)
    kink_weight, linear_weight, chi = (float(precise(value)) for value in exact)
    weight, bias = (float(precise(value)) for value in (layer.weight_variance, layer.bias_variance))
    return LayerConstants(kink_weight, linear_weight, chi, excess, log, weight, bias)

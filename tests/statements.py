"""Layers as data, for tests of what reads them: those of residual networks, and with learning rates of their own."""

from sympy import Expr, Integer

from asympt.meanfield.layer import Layer
from asympt.meanfield.statement import LAYER, First, Statement


def residual(layer: Layer) -> Statement:
    """y^l = y^(l-1) + F(y^(l-1)) for l >= 2, layer 1 plain (HDR Lemma 3)."""
    return scaled_residual(layer, Integer(0))


def scaled_residual(layer: Layer, kappa: Expr) -> Statement:
    """y^l = y^(l-1) + l^(-kappa/2) F(y^(l-1)) (HDR Proposition 3: kappa = 1)."""
    weight, bias, branch = layer.weight_variance, layer.bias_variance, LAYER**-kappa
    return Statement(layer, True, branch, branch * weight, branch * bias, first=First(weight, bias, weight, bias))


def with_rates(layer: Layer, weight_rate: Expr, bias_rate: Expr) -> Statement:
    """A plain network whose weights and biases learn at rates of their own (PDLT 10.45); functions of `LAYER`."""
    at_first = [rate.subs(LAYER, 1) for rate in (weight_rate, bias_rate)]
    first = First(layer.weight_variance, layer.bias_variance, *at_first)
    return Statement(layer, False, Integer(1), weight_rate, bias_rate, first=first)

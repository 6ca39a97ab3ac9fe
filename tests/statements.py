"""Layers as data, for tests of what reads them: those of residual networks, and with learning rates of their own."""

from sympy import Expr, Integer

from asympt.meanfield.layer import LAYER, First, Layer, Statement


def residual(layer: Layer) -> Statement:
    """y^l = y^(l-1) + F(y^(l-1)) for l >= 2, layer 1 plain (HDR Lemma 3)."""
    return scaled_residual(layer, Integer(0))


def scaled_residual(layer: Layer, kappa: Expr) -> Statement:
    """y^l = y^(l-1) + l^(-kappa/2) F(y^(l-1)) (HDR Proposition 3: kappa = 1)."""
    weight, bias, branch = layer.weight_variance, layer.bias_variance, LAYER**-kappa
    return Statement(layer, True, branch, branch * weight, branch * bias, first=First(weight, bias, weight, bias))


def block_residual(layer: Layer, weight: Expr) -> Statement:
    """x' = x + alpha V phi(W x), all trained: `layer` has alpha^2 sigma_v^2 sigma_w^2, `weight` is sigma_w^2 (TBG)."""
    first = First(weight, Integer(0), 2 * weight, Integer(0))
    return Statement(layer, True, Integer(1), 2 * layer.weight_variance, Integer(0), first=first)


def with_rates(layer: Layer, weight_rate: Expr, bias_rate: Expr) -> Statement:
    """A plain network whose weights and biases learn at rates of their own (PDLT 10.45); functions of `LAYER`."""
    at_first = [rate.subs(LAYER, 1) for rate in (weight_rate, bias_rate)]
    first = First(layer.weight_variance, layer.bias_variance, *at_first)
    return Statement(layer, False, Integer(1), weight_rate, bias_rate, first=first)

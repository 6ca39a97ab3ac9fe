"""Random networks of every architecture and of compositions against the layer recursion, at fixed seeds.

Compositions: the rules of the primitives (`tests.depth.composed.rules`); the others: the NumPy engines, which have
tests of their own.  All entries of Sigma^1, ..., Sigma^L and of K^L; the bound is what the largest deviation of that
many normal variables exceeds as rarely as one of them exceeds 3.
"""

import numpy as np
import pytest
from scipy.stats import norm
from sympy import Rational, sqrt

import asympt as asy
from asympt.depth import gram
from asympt.depth.convolution import conv_gram
from asympt.depth.finite import Composition, empirical_kernels
from tests.depth.composed.rules import limit, network

X = np.array([[1.0, 0.2, -0.5], [0.3, 1.6, 0.8], [-0.9, 0.4, 0.6]])
SIGNALS = np.random.default_rng(0).normal(size=(2, 2, 3))
SCALES = {"sigma_w": Rational(13, 10), "sigma_b": Rational(2, 5)}
BLOCK = {"alpha": "7/10", "sigma_v": "4/5", "sigma_w": "13/10"}
NETS = {
    "plain relu": asy.FeedForward("relu", **SCALES),
    "plain tanh": asy.FeedForward("tanh", **SCALES),
    "residual relu": asy.ResNet("relu", sigma_w=1, sigma_b="2/5"),
    "residual tanh": asy.ResNet("tanh", **SCALES),
    "scaled relu": asy.ScaledResNet("relu", sigma_w=sqrt(2)),
    "scaled erf": asy.ScaledResNet("erf", **SCALES, kappa="1/2"),
    "block relu": asy.BlockResNet("relu", **BLOCK),
    "block erf": asy.BlockResNet("erf", **BLOCK),
    "convolution relu": asy.ConvNet("relu", 3, 1, **SCALES),
    "convolution erf": asy.ConvNet("erf", 3, 1, **SCALES),
    "residual convolution relu": asy.ConvResNet("relu", 3, 1, sigma_w=1),
    "residual convolution tanh": asy.ConvResNet("tanh", 3, 1, **SCALES),
}
DEEPER = "plain relu", "scaled relu", "block erf"
BLOCKS = {
    "pre-norm": ["residual(layer_norm, relu, dense(sqrt(2)))"],
    "pre-norm, gain and bias, then dense": ["residual(layer_norm(affine=True), dense(1, 0.2), gelu, dense(1.1))"],
    "post-norm, gain and bias": ["serial(residual(dense(1, 0.3), tanh, dense(1.2)), layer_norm(affine=True))"],
    "scale of the depth": ["residual(relu, dense(1.4, 0.2), scale=1/sqrt(DEPTH))"],
    "norm with gain after an activation": ["serial(gelu, layer_norm(affine=True), dense(1.1))"],
    "gates, gain and bias": ["residual(layer_norm(affine=True), gated(dense(1), serial(dense(1), relu)), dense(1))"],
    "dropout": ["residual(layer_norm, relu, dropout(4/5), dense(1.3))"],
    "concatenation, gain and bias": ["dense_connection(1/2, layer_norm(affine=True), relu, dense(1.2))"],
    "two blocks in turn": ["residual(relu, dense(1))", "serial(gelu, layer_norm, dense(1.2, 0.3))"],
}


def require_agreement(found, sigma, kernel, most: float) -> None:
    """Sigma^1, ..., Sigma^L (or as many of the last) and K^L within 3 standard errors; those of K relatively small."""
    distinct, root = len(kernel) * (len(kernel) + 1) // 2, np.sqrt(np.diag(kernel))
    for name, expected, entries in (("nngp", sigma, distinct * len(sigma)), ("ntk", kernel, distinct)):
        seen = found.quantities[name]
        seen = seen.part(slice(-len(sigma), None)) if name == "nngp" else seen
        assert seen.deviation(expected).max() < norm.isf(norm.sf(3) / entries)
    assert (found.ntk_error / np.outer(root, root)).max() < most


def by_pixels(kernels):
    return kernels.transpose(0, 2, 1, 3).reshape([kernels.shape[0] * kernels.shape[2]] * 2)


@pytest.mark.parametrize("name", NETS)
def test_every_architecture(name):
    net = NETS[name]
    if "convolution" in name:
        found = empirical_kernels(net.finite(), SIGNALS, 4, widths=(64, 256), most_seeds=150, outputs=1)
        layers = [[by_pixels(kernel) for kernel in conv_gram(net, SIGNALS, depth)]
                  for depth in range(1, 5)]  # fmt: skip
        require_agreement(found, [sigma for sigma, _ in layers], layers[-1][1], 0.05)
    else:
        depth = 5 if name in DEEPER else 4
        found = empirical_kernels(net.finite(), X, depth, widths=(128, 512), most_seeds=300, outputs=2)
        sigma, kernel = gram(net, X, depth=list(range(1, depth + 1)))
        require_agreement(found, sigma, kernel[-1], 0.015)


@pytest.mark.parametrize("name", BLOCKS)
def test_compositions(name):
    net = network(*BLOCKS[name], first="dense(1.2, 0.3)")
    sigma, kernel = limit(net, X[:2], 4)
    found = empirical_kernels(Composition(net.blocks, net.first), X[:2], 4, widths=(128, 256), most_seeds=150, seed=1)
    require_agreement(found, [sigma], kernel, 0.05)


def test_rates_that_are_functions_of_the_layer():
    """PDLT's rates of the equivalence principle, l^(1 - p) and l^-p for p = 1."""
    net = asy.MLP("tanh", weight_rate=Rational(3, 2), bias_rate=Rational(1, 3), schedule="equivalence")
    sigma, kernel = gram(net, X, depth=[1, 2, 3, 4])
    found = empirical_kernels(net.finite(), X, 4, widths=(128, 512), most_seeds=300, outputs=2)
    require_agreement(found, sigma, kernel[-1], 0.015)


def test_different_outputs_share_no_gradient():
    """K_ii' = delta_ii' K (HDR Lemma 2): zero in the mean at every width."""
    found = empirical_kernels(asy.FeedForward("erf", **SCALES).finite(), X, 4, width=256, most_seeds=500)
    assert found.quantities["between"].deviation(0.0).max() < 3
    assert found.quantities["between"].error.max() < 0.02 * found.ntk.max()

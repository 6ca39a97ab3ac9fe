"""Random networks against the layer recursion of every architecture, at depth 4 and 5 and fixed seeds.

All entries of Sigma^1, ..., Sigma^L and of K^L; the bound is what the largest deviation of that many normal variables
exceeds as rarely as one of them exceeds 3.
"""

import numpy as np
import pytest
from scipy.stats import norm
from sympy import Integer, Rational, sqrt

from asympt.depth.finite import (
    Block,
    Convolution,
    Dense,
    Residual,
    ResidualConvolution,
    ScaledResidual,
    empirical_kernels,
)
from asympt.meanfield.activations import activation
from asympt.meanfield.layer import Layer
from asympt.meanfield.statement import LAYER, ConvStatement, Statement
from tests import statements
from tests.depth.finite.limits import convolution_limit, dense_limit

X = np.array([[1.0, 0.2, -0.5], [0.3, 1.6, 0.8], [-0.9, 0.4, 0.6]])
SIGNALS = np.random.default_rng(0).normal(size=(2, 2, 3))
WEIGHT, BIAS = Rational(13, 10), Rational(2, 5)


def layer(name, sigma_w=WEIGHT, sigma_b=BIAS) -> Layer:
    return Layer(activation(name), sigma_w**2, sigma_b**2)


def block_layer(name) -> Layer:
    return Layer(activation(name), (Rational(7, 10) * Rational(4, 5) * WEIGHT) ** 2, Integer(0))


def rates(layer_number: int) -> float:
    return 0.5 + 1 / layer_number


SCALES = {"sigma_w": WEIGHT, "sigma_b": BIAS}
BLOCK = {"alpha": "7/10", "sigma_v": "4/5", "sigma_w": WEIGHT}
DENSE = {
    "plain relu": (Dense("relu", **SCALES), Statement.plain(layer("relu")), 5),
    "plain tanh": (Dense("tanh", **SCALES), Statement.plain(layer("tanh")), 4),
    "rates erf": (
        Dense("erf", **SCALES, weight_rates=rates, bias_rates="1/3"),
        statements.with_rates(layer("erf"), Rational(1, 2) + 1 / LAYER, Rational(1, 3)),
        4,
    ),
    "rates relu, no bias drawn": (
        Dense("relu", sigma_w=sqrt(2), weight_rates=2, bias_rates=1),
        statements.with_rates(layer("relu", sqrt(2), Integer(0)), Integer(2), Integer(1)),
        4,
    ),
    "residual relu": (Residual("relu", sigma_w=1, sigma_b=BIAS), statements.residual(layer("relu", Integer(1))), 4),
    "residual tanh": (Residual("tanh", **SCALES), statements.residual(layer("tanh")), 4),
    "scaled relu": (
        ScaledResidual("relu", sigma_w=sqrt(2)),
        statements.scaled_residual(layer("relu", sqrt(2), Integer(0)), Integer(1)),
        5,
    ),
    "scaled erf": (
        ScaledResidual("erf", **SCALES, kappa="1/2"),
        statements.scaled_residual(layer("erf"), Rational(1, 2)),
        4,
    ),
    "block relu": (Block("relu", **BLOCK), Statement.block_residual(block_layer("relu"), WEIGHT**2), 4),
    "block erf": (Block("erf", **BLOCK), Statement.block_residual(block_layer("erf"), WEIGHT**2), 5),
}
CONVOLUTIONS = {
    "plain relu": (Convolution("relu", **SCALES), Statement.plain(layer("relu"))),
    "plain erf": (Convolution("erf", **SCALES), Statement.plain(layer("erf"))),
    "residual relu": (ResidualConvolution("relu", sigma_w=1), statements.residual(layer("relu", Integer(1), 0 * BIAS))),
    "residual tanh": (ResidualConvolution("tanh", **SCALES), statements.residual(layer("tanh"))),
}


def allowed(entries: int) -> float:
    """3 for one number; for more, what their largest exceeds with the same probability (at most)."""
    return norm.isf(norm.sf(3) / entries)


def agrees(found, limits):
    """Sigma^1, ..., Sigma^L and K^L within 3 standard errors; returns the largest relative error of K."""
    covariances, kernel = limits
    distinct = len(kernel) * (len(kernel) + 1) // 2
    assert found.quantities["nngp"].deviation(covariances).max() < allowed(distinct * len(covariances))
    assert found.quantities["ntk"].deviation(kernel).max() < allowed(distinct)
    root = np.sqrt(np.diag(kernel))
    return (found.ntk_error / np.outer(root, root)).max()


@pytest.mark.parametrize("name", DENSE)
def test_dense(name):
    network, statement, depth = DENSE[name]
    found = empirical_kernels(network, X, depth, widths=(128, 512), most_seeds=300, outputs=2)
    assert agrees(found, dense_limit(statement, X, depth)) < 0.015


@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_convolutions(name):
    network, dense = CONVOLUTIONS[name]
    found = empirical_kernels(network, SIGNALS, 4, widths=(64, 256), most_seeds=150, outputs=1)
    assert agrees(found, convolution_limit(ConvStatement(dense, 3, 1), SIGNALS, 4)) < 0.05


def test_different_outputs_share_no_gradient():
    """K_ii' = delta_ii' K (HDR Lemma 2): zero in the mean at every width."""
    found = empirical_kernels(Dense("erf", **SCALES), X, 4, width=256, most_seeds=500)
    assert found.quantities["between"].deviation(0.0).max() < 3
    assert found.quantities["between"].error.max() < 0.02 * found.ntk.max()

"""The random networks that decide claims about layer recursions: drawn once, shared by all of them.

Inputs are three vectors of different norms, no two parallel, one pair at an obtuse angle; sigma_w is not 1 where a
source has a sigma_w, so that a missing factor is seen.  Means over 400 networks of each of two widths, fixed seed.
"""

from functools import lru_cache

import numpy as np

from asympt.depth.finite import (
    Block,
    Convolution,
    Dense,
    EmpiricalKernels,
    Residual,
    ResidualConvolution,
    ScaledResidual,
    empirical_kernels,
)

X = np.array([[1.0, 0.2, -0.5], [0.3, 1.6, 0.8], [-0.9, 0.4, 0.6]])
SIGNALS = np.array([[[1.0, -0.4, 0.3, 0.9], [0.2, 1.1, -0.6, 0.5]], [[-0.3, 0.8, 1.2, -0.7], [0.9, 0.1, -0.5, 1.3]]])
DEPTH, WIDTHS, NETWORKS, SEED = 4, (512, 2048), 400, 2020
CHANNELS, SIGNAL_NETWORKS = (64, 256), 400
SIGMA_W, SIGMA_B, ALPHA, SIGMA_V = 1.5, 0.4, 0.7, 0.8
WIDE = np.array([[2.0, 0.4, -1.0], [0.6, 3.2, 1.6], [-1.8, 0.8, 1.2]])  # 2 X: variances that fall from layer to layer
PRODUCT = X @ X.T / X.shape[1]


def weight_rate(layer: int) -> float:
    """lambda_W of a layer in the networks with learning rates of their own."""
    return 0.5 + 1 / layer


def bias_rate(layer: int) -> float:
    """lambda_b of a layer in them."""
    return 1 / layer


def _network(kind: str, phi: str):
    scales = {"sigma_w": SIGMA_W, "sigma_b": SIGMA_B}
    return {
        "plain": lambda: Dense(phi, **scales),
        "no bias": lambda: Dense(phi, sigma_w=SIGMA_W),
        "unit weights": lambda: Dense(phi, sigma_w=1, sigma_b=SIGMA_B),
        "unit weights, no bias": lambda: Dense(phi, sigma_w=1),
        "rates": lambda: Dense(phi, **scales, weight_rates=weight_rate, bias_rates=bias_rate),
        "residual": lambda: Residual(phi, **scales),
        "scaled": lambda: ScaledResidual(phi, sigma_w=SIGMA_W),
        "block": lambda: Block(phi, alpha=ALPHA, sigma_v=SIGMA_V, sigma_w=SIGMA_W),
        "convolution": lambda: Convolution(phi, **scales),
        "residual convolution": lambda: ResidualConvolution(phi, **scales),
    }[kind]()


@lru_cache(maxsize=32)
def run(kind: str, phi: str, wide: bool = False) -> EmpiricalKernels:
    """Means over the networks of a kind; with `wide` the inputs are twice as long."""
    asked = {"seed": SEED}
    if kind.endswith("convolution"):
        asked |= {"X": SIGNALS, "widths": CHANNELS, "most_seeds": SIGNAL_NETWORKS, "outputs": 1}
    else:
        asked |= {"X": WIDE if wide else X, "widths": WIDTHS, "most_seeds": NETWORKS, "outputs": 2}
    return empirical_kernels(_network(kind, phi), depth=DEPTH, **asked)

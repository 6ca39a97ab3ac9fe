"""The random networks that decide claims about layer recursions: drawn once, fixed seed, shared by all of them.

Three inputs of different norms, no two parallel, one pair at an obtuse angle; sigma_w is not 1 where a source has one.
"""

from functools import lru_cache

import numpy as np

from asympt.depth.finite import Block, Dense, EmpiricalKernels, Residual, ScaledResidual, empirical_kernels

X = np.array([[1.0, 0.2, -0.5], [0.3, 1.6, 0.8], [-0.9, 0.4, 0.6]])
DEPTH, WIDTHS, NETWORKS, SEED = 4, (512, 2048), 400, 2020
SIGMA_W, SIGMA_B, ALPHA, SIGMA_V = 1.5, 0.4, 0.7, 0.8
WIDE = np.array([[2.0, 0.4, -1.0], [0.6, 3.2, 1.6], [-1.8, 0.8, 1.2]])  # 2 X: variances that fall from layer to layer


def _network(kind: str, phi: str):
    scales = {"sigma_w": SIGMA_W, "sigma_b": SIGMA_B}
    return {
        "plain": lambda: Dense(phi, **scales),
        "no bias": lambda: Dense(phi, sigma_w=SIGMA_W),
        "unit weights": lambda: Dense(phi, sigma_w=1, sigma_b=SIGMA_B),
        "unit weights, no bias": lambda: Dense(phi, sigma_w=1),
        "residual": lambda: Residual(phi, **scales),
        "scaled": lambda: ScaledResidual(phi, sigma_w=SIGMA_W),
        "block": lambda: Block(phi, alpha=ALPHA, sigma_v=SIGMA_V, sigma_w=SIGMA_W),
    }[kind]()


@lru_cache(maxsize=32)
def run(kind: str, phi: str, wide: bool = False) -> EmpiricalKernels:
    """Means over the networks of a kind; with `wide` the inputs are twice as long."""
    asked = {"widths": WIDTHS, "most_seeds": NETWORKS, "outputs": 2, "seed": SEED}
    return empirical_kernels(_network(kind, phi), X=WIDE if wide else X, depth=DEPTH, **asked)

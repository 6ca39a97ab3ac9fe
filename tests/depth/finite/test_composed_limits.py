"""Random networks of compositions against the rules of the primitives: 3 standard errors at depth 4.

Bounds as in `test_limits`.  Where layers put new neurons beside old ones, both kernels are those of the new ones.
"""

import numpy as np
import pytest
from scipy.stats import norm

from asympt.depth.finite import Composition, empirical_kernels
from tests.depth.composed.rules import Net, limit

X = np.array([[1.0, 0.2, -0.5], [0.3, 1.6, 0.8]])
COMPOSITIONS = {
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


def largest(blocks: list, depth: int, **options) -> tuple[float, float]:
    """The largest deviation of an entry of Sigma^L and K^L in standard errors, and the largest relative error of K."""
    net = Net(*blocks, first="dense(1.2, 0.3)")
    sigma, kernel = limit(net, X, depth)
    found = empirical_kernels(Composition(net.blocks, net.first), X, depth, outputs=4, **options)
    root = np.sqrt(np.diag(kernel))
    error = (found.ntk_error / np.outer(root, root)).max()
    return max(np.max(np.abs(found.nngp - sigma) / found.nngp_error),
               np.max(np.abs(found.ntk - kernel) / found.ntk_error)), error  # fmt: skip


BOUND = norm.isf(norm.sf(3) / 6)  # what the largest of six numbers exceeds as rarely as one of them exceeds 3


@pytest.mark.parametrize("name", COMPOSITIONS)
def test_compositions(name):
    deviation, error = largest(COMPOSITIONS[name], 4, widths=(128, 256), most_seeds=150)
    assert deviation < BOUND
    assert error < 0.05

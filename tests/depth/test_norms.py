"""Inputs of any norms in layers of smooth activations: near duplicates of different norm keep their digits.

Reference: the layer recursion in mpmath with Williams' kernels (1997) of erf.
"""

import mpmath
import numpy as np
import pytest
from mpmath import mpf

from asympt.depth import gram
from tests import statements
from tests.depth.layers import CLOSED, dense
from tests.depth.recursions import assert_close, direct_gram
from tests.fuzz.sharp import erf_step, kernels_of


def test_near_duplicates_of_different_norm_through_layers():
    """erf, ten layers in mpmath from the inputs themselves."""
    random, layer = np.random.default_rng(5), dense("erf", "3/2", "1/5")
    x = random.normal(size=6)
    inputs = np.array([x, 1.001 * x + 1e-9 * random.normal(size=6), 0.5 * random.normal(size=6)])
    sigma, kernel = gram(layer, inputs, depth=10)
    s, k = direct_gram(layer, CLOSED["erf"], inputs, 10, 60)
    for i in range(3):
        for j in range(3):
            assert abs(sigma[i, j] - s[i][j]) < 1e-13 * s[0][0] and abs(kernel[i, j] - k[i][j]) < 1e-12 * k[0][0]


@pytest.mark.parametrize("bias", [0, "1/2"])
def test_unlike_norms_lose_no_digits(bias):
    """Norms whose ratio is up to 1e4: what cancels is not larger than the answer."""
    layer, sizes = dense("erf", "6/5", bias), np.array([1, 0.07, 1.7e-3, 1e-4, -1 - 1e-7])
    inputs = sizes[:, None] * (1 + 1e-3 * np.random.default_rng(2).normal(size=(5, 4)))
    sigma, kernel = gram(layer, inputs, depth=3)
    s, k = direct_gram(layer, CLOSED["erf"], inputs, 3, 60)
    assert_close(sigma, s, 2e-14)
    for i, j in np.ndindex(5, 5):
        assert abs(kernel[i, j] - k[i][j]) < 1e-13 * mpmath.sqrt(k[i][i] * k[j][j])


def test_a_row_of_zeros_among_others():
    """Without bias erf keeps it at 0; GELU has phi(0) = 0 too; with a bias it is an input like others."""
    inputs = np.array([[0.0, 0.0], [1.0, 2.0], [2.0, -1.0]])
    for name in ("erf", "gelu"):
        sigma, kernel = gram(dense(name, 2, 0), inputs, depth=4)
        np.testing.assert_array_equal(sigma[0], 0.0)
        np.testing.assert_array_equal(kernel[0], 0.0)
        alone = gram(dense(name, 2, 0), inputs[1:], depth=4)
        np.testing.assert_allclose(sigma[1:, 1:], alone[0], rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(kernel[1:, 1:], alone[1], rtol=1e-12, atol=1e-13)


def test_a_variance_that_overflows_names_its_layer():
    from asympt.errors import UnsupportedError

    net = statements.residual(dense("gelu", 10**60, 0))
    with pytest.raises(UnsupportedError, match=r"the variance of layer \d+ exceeds the float64 range"):
        gram(net, [[1.0, 2.0], [3.0, -1.0]], depth=9)


@pytest.mark.parametrize("norms", [1, 3])
def test_opposite_inputs_of_an_odd_phi_keep_their_digits(norms):
    """erf at sigma_w = 100 against the recursion in mpmath: K(x, y) = -K(x, -y); taken as they are, 5e-11 went."""
    random, layer = np.random.default_rng(1), dense("erf", "100", "0")
    x = random.normal(size=(3, 5))
    y = -norms * x * (1 + 1e-9 * random.normal(size=x.shape))
    sigma, kernel = gram(layer, x, y, depth=3)
    both = gram(layer, np.vstack([x, y]), depth=3)
    for found, square in zip((sigma, kernel), both, strict=True):
        assert np.allclose(square[:3, 3:], found, rtol=1e-14, atol=0) and np.array_equal(square, square.T)
    with mpmath.workdps(60):
        for i, j in np.ndindex(sigma.shape):
            s, k, unit = kernels_of(x[i], y[j], mpf(10) ** 4, mpf(0), erf_step, 3)
            assert abs(sigma[i, j] - s) < 1e-14 * unit and abs(kernel[i, j] - k) < 1e-14 * max(unit, abs(k))

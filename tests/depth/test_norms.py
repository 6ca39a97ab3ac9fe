"""Inputs of any norms in layers of smooth activations: near duplicates of different norm keep their digits.

References: Williams (1997) for erf; for GELU a formula (P, y as in `norms.products`) that the first test
holds against brute quadrature in mpmath; for others the quadrature over the plane.
"""

import mpmath
import numpy as np
import pytest
from mpmath import mpf

from asympt.depth import gram
from asympt.depth.moving import Moving, Pairs, cells
from asympt.depth.norms.products import SmoothSides
from asympt.depth.norms.tiles import Tile, move
from asympt.meanfield.activations import activation
from tests import statements
from tests.depth.layers import CLOSED, dense
from tests.depth.recursions import direct_gram
from tests.fuzz.sharp import erf_step, kernels_of


def gelu_value(q, other, c):
    product = (1 + q) * (1 + other)
    r, top = mpmath.sqrt(q * other), mpmath.sqrt(q * other / product)
    y = top * c
    second = mpmath.sqrt(1 - y * y)
    inner = r * c * mpmath.asin(y) + y * y / (mpmath.sqrt(product) * second) + mpmath.sqrt(product) * top**2 * second
    return r * c / 4 + inner / (2 * mpmath.pi)


def gelu_slope(q, other, c):
    """E[phi' phi'] = (dE/dc)/sqrt(q q')."""
    return mpmath.diff(lambda x: gelu_value(q, other, x), c, h=mpf(10) ** -25) / mpmath.sqrt(q * other)


KERNELS = {**CLOSED, "gelu": (gelu_value, gelu_slope)}


def test_the_formula_of_gelu():
    def phi(x):
        return x * mpmath.ncdf(x)

    with mpmath.workdps(15):
        q, other, c = mpf(2), mpf("0.5"), mpf("-0.4")
        brute = mpmath.quad(
            lambda x, y: phi(mpmath.sqrt(q) * x) * phi(mpmath.sqrt(other) * (c * x + mpmath.sqrt(1 - c * c) * y))
            * mpmath.exp(-(x * x + y * y) / 2) / (2 * mpmath.pi), [-7, 7], [-7, 7], maxdegree=4,
        )  # fmt: skip
        assert abs(brute - gelu_value(q, other, c)) < 1e-7


def true_layer(name, weight, bias, skip, q, other, gap):
    """(1 - c', k') for k = 1 - gap, from the definition, with 60 digits."""
    value, slope = KERNELS[name]
    with mpmath.workdps(60):
        q, other, c = mpf(q), mpf(other), 1 - mpf(gap)
        weight, bias = mpf(weight), mpf(bias)
        after = [skip * v + bias + weight * value(v, v, mpf(1)) for v in (q, other)]
        norm, r = mpmath.sqrt(after[0] * after[1]), mpmath.sqrt(q * other)
        s = skip * r * c + bias + weight * value(q, other, c)
        return 1 - s / norm, ((skip + weight * slope(q, other, c)) * r * c + bias + weight * value(q, other, c)) / norm


VARIANCES = [0.7, 0.7 * (1 + 1e-4), 0.7 * (1 + 1e-7), 1.1, 2.9]
GAPS = [1e-15, 1e-10, 1e-5, 0.009, 0.3, 1.0, 1.4, 1.95]


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize(("bias", "skip"), [(0.0, 0), (0.25, 0), (0.25, 1)])
def test_one_layer_of_a_tile(name, bias, skip):
    """Relative errors of the gap below 1e-9 for norms that agree to 1e-7, else below 1e-11; of k below 1e-12."""
    from asympt.depth.moving import Added

    phi, q = activation(name).piecewise, np.array(VARIANCES)
    layer = Moving(phi, 1.5, bias, Added(float(skip), 1.5, bias) if skip else None)
    for start in GAPS:
        gap, kernel = np.full((5, 5), start), np.full((5, 5), 1 - start)
        move(SmoothSides.of(layer, q, q), Tile(np.arange(5), np.arange(5)), gap, kernel)
        for i in range(5):
            for j in range(i):
                true_gap, true_kernel = true_layer(name, 1.5, bias, skip, q[i], q[j], start)
                assert abs(gap[i, j] / true_gap - 1) < (1e-9 if i == 2 and j == 0 else 3e-11), (i, j, start)
                assert abs(kernel[i, j] - true_kernel) < 1e-12 * (1 + abs(true_kernel))


def test_near_duplicates_of_different_norm_through_layers():
    """erf, ten layers in mpmath from the inputs themselves."""
    random, layer = np.random.default_rng(5), dense("erf", "3/2", "1/5")
    x = random.normal(size=6)
    inputs = np.array([x, 1.001 * x + 1e-9 * random.normal(size=6), 0.5 * random.normal(size=6)])
    sigma, kernel = gram(layer, inputs, depth=10)
    s, k = direct_gram(layer, KERNELS["erf"], inputs, 10, 60)
    for i in range(3):
        for j in range(3):
            assert abs(sigma[i, j] - s[i][j]) < 1e-13 * s[0][0] and abs(kernel[i, j] - k[i][j]) < 1e-12 * k[0][0]


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


def test_moments_that_are_kept_are_not_shared():
    """A caller that changes what it was given changes nobody else's."""
    found, q = cells(activation("erf").piecewise), np.array([0.5, 1.25])
    first = found.moments(q)
    kept = first.copy()
    first[:] = 7.0
    np.testing.assert_array_equal(found.moments(q), kept)
    np.testing.assert_allclose(kept[:, 0], 2 / np.pi * np.arcsin(2 * q / (1 + 2 * q)), rtol=1e-14)  # Williams (1997)


@pytest.mark.parametrize("name", ["erf", "gelu"])
@pytest.mark.parametrize("bias", [0.0, 0.25])
def test_unlike_norms_lose_no_digits(name, bias):
    """Norms whose ratio is up to 1e5, pair by pair and by tables: what cancels is not larger than the answer."""
    q = np.array([0.7, 3e-3, 2e-6, 5e-9])
    layer = Moving(activation(name).piecewise, 1.5, bias)
    i, j = np.triu_indices(len(q), 1)
    for start in (1e-9, 0.3, 1.7):
        pairs = Pairs(i, j, np.full(len(i), start), np.full(len(i), 1 - start))
        layer.layer(pairs, q, lambda done: None)
        gap, kernel = np.full((len(q), len(q)), start), np.full((len(q), len(q)), 1 - start)
        move(SmoothSides.of(layer, q, q), Tile(np.arange(len(q)), np.arange(len(q))), gap, kernel)
        for at, (one, two) in enumerate(zip(i, j, strict=True)):
            true_gap, true_kernel = true_layer(name, 1.5, bias, 0, q[one], q[two], start)
            found = pairs.gap[at], pairs.kernel[at], gap[one, two], kernel[one, two]
            assert np.allclose(found, 2 * (float(true_gap), float(true_kernel)), rtol=0, atol=2e-14), (q[one], q[two])


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

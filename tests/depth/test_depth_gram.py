"""asympt.depth.gram against mpmath, and on inputs that a float loop cannot tell apart."""

import mpmath
import numpy as np
import pytest
from sklearn.datasets import load_digits
from sympy import Integer, Rational

import asympt as asy
from asympt.depth import diagonal, gram
from asympt.depth.gaps import angular_gaps
from asympt.meanfield.activations import activation
from asympt.meanfield.layer import Layer
from tests.depth.layers import relu
from tests.depth.recursions import assert_close, direct_gram, relu_like

RANDOM = np.random.default_rng(7)


@pytest.mark.parametrize("slopes", [(1, 0), (1, "1/10"), (1, -1)])
@pytest.mark.parametrize(("weight", "bias"), [("2", "0"), ("3/2", "0"), ("2", "1/5"), ("1", "1/5"), ("3", "1/5")])
@pytest.mark.parametrize("depth", [1, 2, 12])
def test_random_inputs(slopes, weight, bias, depth):
    inputs = RANDOM.normal(size=(5, 3)) * np.array([1, 1, 5, 0.1, 1])[:, None]
    sigma, kernel = gram(relu(weight, bias, *slopes), inputs, depth=depth)
    true_sigma, true_kernel = naive_gram(slopes, weight, bias, inputs, depth)
    assert_close(sigma, true_sigma, 2e-15)
    assert_close(kernel, true_kernel, 2e-15)
    for matrix in (sigma, kernel):
        assert matrix.dtype == np.float64
        np.testing.assert_array_equal(matrix, matrix.T)


def naive_gram(slopes, weight, bias, inputs, depth, digits=50):
    return direct_gram(relu(weight, bias, *slopes), relu_like(*slopes), inputs, depth, digits)


def true_gap(x, y):
    with mpmath.workdps(120):
        x, y = ([mpmath.mpf(float(v)) for v in row] for row in (x, y))
        return 1 - mpmath.fdot(x, y) / mpmath.sqrt(mpmath.fdot(x, x) * mpmath.fdot(y, y))


@pytest.mark.parametrize("distance", [0.3, 1e-2, 1e-3, 1e-5, 1e-8, 1e-12, 1e-15])
@pytest.mark.parametrize("factor", [1.0, -1.0, 1e-3, 1e150])
def test_gaps_of_near_duplicates(distance, factor):
    x = RANDOM.normal(size=30)
    y = factor * (x + distance * RANDOM.normal(size=30))
    gap, true = angular_gaps(np.array([x, y]))[0, 1], true_gap(x, y)
    if factor > 0:
        assert abs(gap / true - 1) < 2e-14
    else:
        assert abs(gap - true) < 5e-16


@pytest.mark.parametrize("bias", [0, "1/4"])
def test_near_duplicates_through_the_layers(bias):
    """With a bias the difference of the norms counts as much as the angle."""
    x = RANDOM.normal(size=10)
    inputs = np.array([x, x * (1 + 1e-9), x + 1e-10 * RANDOM.normal(size=10)])
    _, kernel = gram(relu(2, bias), inputs, depth=30)
    true_sigma, true_kernel = naive_gram((1, 0), 2, bias, inputs, 30, digits=80)
    assert_close(kernel, true_kernel, 2e-15)
    assert float(abs(true_sigma[0][1] / mpmath.sqrt(true_sigma[0][0] * true_sigma[1][1]) - 1)) < 1e-15


@pytest.mark.parametrize(("bias", "expected"), [(0, 0.0), (1, None)])
def test_an_input_of_zeros(bias, expected):
    inputs = np.array([[0.0, 0.0], [1.0, 2.0], [0.0, 0.0]])
    sigma, kernel = gram(relu(2, bias), inputs, depth=9)
    if bias == 0:
        for matrix in (sigma, kernel):
            np.testing.assert_array_equal(matrix[[0, 2]], expected)
            assert matrix[1, 1] > 0
    else:
        true_sigma, true_kernel = naive_gram((1, 0), 2, bias, inputs, 9)
        assert_close(sigma, true_sigma, 2e-15)
        assert_close(kernel, true_kernel, 2e-15)


def test_one_input():
    """q^1 = sigma_w^2 |x|^2/d = 2 * 25/2, K^L = L q."""
    sigma, kernel = gram(relu(), [[3.0, 4.0]], depth=7)
    assert sigma.tolist() == [[25.0]] and kernel.tolist() == [[175.0]]


@pytest.mark.parametrize("weight", ["2", "1999/1000", "20001/10000", "2000000000000000000001/1000000000000000000000"])
@pytest.mark.parametrize("bias", [0, "1/10"])
def test_the_diagonal_is_exact_at_any_depth(weight, bias):
    """K' = chi K + q', q' = sigma_b^2 + chi q, iterated in mpmath from q_1 = sigma_b^2 + sigma_w^2 (9 + 16)/2."""
    depth = 20_000
    sigma, kernel = gram(relu(weight, bias), [[3.0, 4.0]], depth=depth)
    with mpmath.workdps(40):
        chi = mpmath.mpf(Rational(weight).p) / Rational(weight).q / 2
        b = mpmath.mpf(Rational(bias).p) / Rational(bias).q
        q = k = b + chi * 25
        for _ in range(depth - 1):
            q = b + chi * q
            k = chi * k + q
        assert abs(sigma[0, 0] / q - 1) < 1e-15
        assert abs(kernel[0, 0] / k - 1) < 1e-15


def test_the_diagonal_of_blocks_is_squared():
    """Two dense layers with chi = 1 add sigma_b^2 = 1/25 and 1/100 to q, which begins with (9 + 16)/2."""
    net = asy.Network("relu, dense(sqrt(2), 1/5), relu, dense(sqrt(2), 1/10)", first="dense(1)")
    assert diagonal(net, [[3.0, 4.0]], depth=10**15 + 1)[0] == pytest.approx([5e13 + 12.5], rel=1e-15)


def test_real_inputs():
    """Handwritten digits: symmetric, positive definite, the diagonal L q_1."""
    inputs = load_digits().data[:60]
    sigma, kernel = gram(Layer(activation("relu"), Integer(2), Integer(0)), inputs, depth=20)
    variance = 2 * np.einsum("nd,nd->n", inputs, inputs) / 64
    np.testing.assert_allclose(np.diag(sigma), variance, rtol=1e-15)
    np.testing.assert_allclose(np.diag(kernel), 20 * variance, rtol=1e-15)
    assert np.linalg.eigvalsh(kernel).min() > 0

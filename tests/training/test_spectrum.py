"""Spectra and condition numbers against eigenvalue solvers, mpmath recursions and limits of the theory."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from mpmath import mp
from scipy.linalg import hilbert, invhilbert
from sympy import Rational, symbols

from asympt import MLP, FeedForward, ResNet
from asympt.depth import gram
from asympt.errors import InputError, UnsupportedError
from asympt.numbers import to_mpf
from asympt.training.spectrum import (
    condition_law,
    condition_number,
    condition_numbers,
    equal_kernels,
    equal_spectrum,
    spectrum,
)
from tests.depth.recursions import MAPS, direct_gram


def equal_inputs(count: int, gap: float) -> np.ndarray:
    """`count` inputs of norm sqrt(count) with correlation 1 - gap: rows of a root of the correlation matrix."""
    matrix = (1 - gap) * np.ones((count, count)) + gap * np.eye(count)
    return np.sqrt(count) * np.linalg.cholesky(matrix)


def test_equal_correlations_in_symbols():
    """XPS: lambda_0 = q((n-1)c + 1) and lambda_bulk = q(1 - c)."""
    q, c, n = symbols("q c n")
    top, bulk = equal_spectrum(q, q * c, n)
    assert (top - q * ((n - 1) * c + 1)).expand() == 0
    assert (bulk - q * (1 - c)).expand() == 0


@pytest.mark.parametrize("count", [2, 3, 7])
def test_equal_correlations_against_the_eigenvalue_solver(count):
    kernel = 0.3 * np.ones((count, count)) + 0.9 * np.eye(count)
    top, bulk = equal_spectrum(1.2, 0.3, count)
    np.testing.assert_allclose(spectrum(kernel), [top, *[bulk] * (count - 1)], rtol=1e-12)
    assert condition_number(kernel) == pytest.approx(top / bulk, rel=1e-12)


@pytest.mark.parametrize("count", [2, 5])
def test_relu_against_its_gram_matrices(count):
    depths = [1, 2, 7, 40]
    found = condition_numbers(FeedForward("relu"), depths, gap=0.6, inputs=count)
    same = condition_numbers(FeedForward("relu"), depths, X=equal_inputs(count, 0.6))
    np.testing.assert_allclose(found, same, rtol=1e-9)


def test_the_edge_of_chaos_tends_to_a_third_of_n_plus_three():
    """K^L/(qL) -> 1/4 off the diagonal (HDR Theorem 1), so kappa -> (1 + (n-1)/4)/(3/4) = (n + 3)/3, like log(L)/L."""
    _, ntk = condition_numbers(FeedForward("relu"), [10**3, 10**4, 10**5], gap=[0.5, 1.2], inputs=4)
    off = np.abs(ntk - 7 / 3)
    assert off.shape == (3, 2) and (off[2] < 1e-3).all() and (np.diff(off, axis=0) < 0).all()


def test_the_ordered_phase_of_relu_beyond_float64():
    """The NTK itself in mpmath with 200 digits, differences by subtraction."""
    net, depths = FeedForward("relu", sigma_w=1, sigma_b=1), [3, 50, 150]
    found = equal_kernels(net.statement, 0.7, None, depths)
    with mp.workdps(200):
        chi, gap, same = to_mpf(net.layer.chi), mpmath.mpf(0.7), mpmath.mpf(1)
        other = 1 - gap
        for layer in range(1, 151):
            if layer in found:
                figures = [one / two - 1 for one, two in zip(found[layer], (gap, other, same - other), strict=True)]
                assert max(map(abs, figures)) < 1e-14
            slope, gap = net.correlation_map.gap_slope(gap), net.correlation_map.gap(gap)
            same, other = 1 + chi * same, 1 - gap + slope * other
    nngp, ntk = condition_numbers(net, depths, gap=0.7, inputs=3)
    assert nngp[2] > 1e40 and ntk[2] > 1e20
    np.testing.assert_allclose(nngp, [3 / found[depth][0] - 2 for depth in depths], rtol=1e-14)


def test_the_ordered_phase_of_a_smooth_activation_against_gram_matrices():
    net = FeedForward("erf", sigma_w=1, sigma_b=Rational(1, 5))
    inputs = equal_inputs(3, 0.9) * np.sqrt(float((net.variance - Rational(1, 25)).evalf(20)))
    start = 0.9 * float(((net.variance - Rational(1, 25)) / net.variance).evalf(20))  # biases raise the correlation
    found = condition_numbers(net, [1, 5, 20], gap=start, inputs=3)
    same = condition_numbers(net, [1, 5, 20], X=inputs)
    np.testing.assert_allclose(found, same, rtol=1e-5)


def test_a_variance_beside_the_fixed_one_by_the_table_there():
    net = FeedForward.on_edge_of_chaos("tanh", sigma_b="1/5")
    beside = [condition_numbers(net, [30], gap=1e-12, inputs=2, variance=q) for q in (None, float(net.variance))]
    np.testing.assert_allclose(*beside, rtol=1e-12)


def test_the_chaotic_phase_tends_to_one():
    nngp, ntk = condition_numbers(
        FeedForward("erf", sigma_w=3, sigma_b=Rational(1, 5)), [10, 100, 3000], gap=0.9, inputs=5
    )
    assert ntk[0] > ntk[1] >= ntk[2] == 1.0
    assert 1 < nngp[2] < 10


@pytest.mark.parametrize(("net", "depth"), [(FeedForward("relu", sigma_w=1, sigma_b=1), 60), (FeedForward("erf"), 5)])
def test_kernels_of_inputs_that_float64_cannot_resolve(net, depth):
    """Two inputs of unequal norms, from closed forms of the 2 x 2 eigenvalues and covariances, layer by layer."""
    inputs = np.array([[1.0, 2.0], [1.0, 2.0 + 2.0**-30]])
    found = np.ravel(condition_numbers(net, [depth], X=inputs))
    with mp.workdps(150):
        kernels = direct_gram(net.layer, MAPS[net.activation.name], inputs, depth, 150)
        expected = [float(condition_of_two(matrix)) for matrix in kernels]
    assert min(expected) > 1e15
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def condition_of_two(matrix):
    (a, b), (_, d) = matrix
    spread = mp.sqrt((a - d) ** 2 + 4 * b * b)
    return (a + d + spread) / (a + d - spread)


def test_singular_kernels_of_inputs_are_infinitely_ill_conditioned():
    relu_net, twice = FeedForward("relu"), np.array([[1.0, 2.0], [3.0, 1.0], [1.0, 2.0]])
    more, parallel = np.array([[1.0, 2.0], [3.0, 1.0], [1.0, 1.0]]), np.array([[1.0, 2.0], [3.0, 6.0]])
    zeros, opposite = np.array([[1.0, 2.0], [0.0, 0.0]]), np.array([[1.0, 2.0], [-1.0, -2.0]])
    for net, inputs, depth in ((relu_net, twice, 4), (relu_net, more, 1), (relu_net, parallel, 3), (relu_net, zeros, 2),
                               (FeedForward("erf"), opposite, 2)):  # fmt: skip
        assert (np.ravel(condition_numbers(net, [depth], X=inputs)) == np.inf).all()
    assert np.isfinite(condition_numbers(relu_net, [2], X=more)).all()


@pytest.mark.parametrize("size", [5, 12, 20])
def test_hilbert_matrices_of_fractions(size):
    """kappa = lambda_1 of the matrix times lambda_1 of its inverse, whose entries are integers (scipy's invhilbert)."""
    top = np.linalg.eigvalsh(hilbert(size))[-1]
    kernel = [[Fraction(1, i + j + 1) for i in range(size)] for j in range(size)]
    other = mp.matrix([[int(v) for v in row] for row in invhilbert(size, exact=True)])
    with mp.workdps(60):
        expected = float(top * max(mp.eigsy(other, eigvals_only=True)))
    assert condition_number(kernel) == pytest.approx(expected, rel=1e-11)
    assert (condition_number(hilbert(size)) == np.inf) == (size > 5)


def test_a_kernel_of_zeros_has_an_infinite_condition_number():
    assert condition_number(np.zeros((2, 2))) == condition_number(np.ones((2, 2), dtype=object)) == np.inf


def test_real_inputs_of_any_norms():
    inputs = np.random.default_rng(1).normal(size=(6, 8)) * np.arange(1, 7)[:, None]
    nngp, ntk = condition_numbers(FeedForward("relu"), [1, 4], X=inputs)
    for index, depth in enumerate((1, 4)):
        sigma, kernel = gram(FeedForward("relu"), inputs, depth=depth)
        assert nngp[index] == pytest.approx(np.linalg.cond(sigma), rel=1e-8)
        assert ntk[index] == pytest.approx(np.linalg.cond(kernel), rel=1e-8)


def test_tiny_gaps_keep_their_digits():
    """Two inputs at gap 1e-12 in layer 1: kappa = 2/gap - 1 of both kernels; at depth the law's digits."""
    nngp, ntk = condition_numbers(FeedForward("relu"), [1, 10], gap=[1e-12, 1e-4], inputs=2)
    np.testing.assert_allclose(ntk[0], [2e12 - 1, 19999], rtol=1e-13)
    np.testing.assert_allclose(nngp[0], ntk[0], rtol=1e-13)
    law = condition_law(FeedForward("relu"), 2)
    expected = [float(law.evaluate(10, digits=14, gap=gap)) for gap in ("1e-12", "1e-4")]
    np.testing.assert_allclose(ntk[1], expected, rtol=1e-12)


def test_networks_whose_variance_matters():
    """PDLT's MLP: the NNGP kernel is the plain network's, the NTK has rates of its own."""
    with pytest.raises(InputError, match="give variance"):
        condition_numbers(MLP("relu"), [5], gap=0.7, inputs=3)
    nngp, ntk = condition_numbers(MLP("relu"), [5], gap=0.7, inputs=3, variance=1.0)
    plain, _ = condition_numbers(FeedForward("relu"), [5], gap=0.7, inputs=3)
    assert nngp == pytest.approx(plain, rel=1e-12) and ntk > 1
    with pytest.raises(UnsupportedError, match="tends to 0"):
        condition_numbers(FeedForward("tanh", sigma_w="1/2"), [5], gap=0.7, inputs=3)


def test_the_digits_of_a_biased_residual_network():
    """Two layers of a ResNet with ReLU and sigma_b = 1 in covariances (Cho and Saul 2009), 100 digits."""
    found = condition_numbers(ResNet("relu", sigma_w=1, sigma_b=1), [2], gap=2.0**-60, inputs=2, variance=2.0)
    with mp.workdps(100):
        s = [mp.mpf(2), 2 * (1 - mp.mpf(2) ** -60)]
        moments = [[mean(mp.mpf(2), mp.mpf(2), v / 2) for mean in MAPS["relu"]] for v in s]
        after = [v + 1 + value for v, (value, _) in zip(s, moments, strict=True)]
        kernel = [(1 + slope) * v + 1 + value for v, (value, slope) in zip(s, moments, strict=True)]
        expected = [float((d + o) / (d - o)) for d, o in (after, kernel)]
    np.testing.assert_allclose(np.ravel(found), expected, rtol=1e-13)


def test_one_variance_only():
    with pytest.raises(InputError, match="give one number"):
        condition_numbers(ResNet("relu"), [2], gap=0.5, inputs=2, variance=(1.0, 2.0))


@pytest.mark.parametrize("options", [{"gap": 0.5, "inputs": 2}, {"X": np.eye(3)}])
def test_progress_is_reported(options):
    seen, net = [], FeedForward("relu")
    condition_numbers(net, [1, 2, 3], progress=lambda done, total: seen.append((done, total)), **options)
    assert seen == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize(("options", "words"), [
    ({}, "either gap and inputs"), ({"gap": 0.5, "inputs": 2, "X": np.eye(2)}, "either gap and inputs"),
    ({"gap": 0.5}, "inputs = None"), ({"gap": 0.5, "inputs": 1}, "inputs = 1"),
    ({"gap": 0.0, "inputs": 2}, "gap holds 0.0"),
    ({"gap": 1.6, "inputs": 3}, r"gap holds 1.6; 3 different inputs .* \(0, 1.5\]"),
    ({"X": np.ones(3)}, "X has shape"), ({"gap": 0.5, "inputs": 2, "depths": [0]}, "depths are not"),
    ({"gap": 0.5, "inputs": 2, "depths": 3}, "depths are not"),
])  # fmt: skip
def test_bad_input(options, words):
    with pytest.raises(InputError, match=words):
        condition_numbers(FeedForward("relu"), **({"depths": [1]} | options))

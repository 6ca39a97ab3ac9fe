"""Eigenvalues of the averaging against matrices that are written down, and the rates of products of modes."""

import numpy as np
import pytest
from sympy import Rational, sqrt

from asympt.architectures.convolution.network import ConvNet
from asympt.architectures.convolution.spectrum import Spectrum, spectrum
from asympt.depth.convolution import conv_gram
from asympt.errors import InputError

CIRCLES = [(1, 0), (3, 1), (4, 1), (5, 1), (6, 1), (7, 2), (8, 1), (9, 4), (12, 3)]


def circle(positions, reach):
    """The mean over the filter as a matrix."""
    matrix = np.zeros((positions, positions))
    for alpha in range(positions):
        for b in range(-reach, reach + 1):
            matrix[alpha, (alpha + b) % positions] += 1 / (2 * reach + 1)
    return matrix


def on_pairs(positions, reach):
    """C_(alpha, alpha') -> mean of C_(alpha+b, alpha'+b), on all pairs."""
    matrix = np.zeros((positions**2, positions**2))
    for alpha in range(positions):
        for other in range(positions):
            for b in range(-reach, reach + 1):
                column = (alpha + b) % positions * positions + (other + b) % positions
                matrix[alpha * positions + other, column] += 1 / (2 * reach + 1)
    return matrix


@pytest.mark.parametrize(("positions", "reach"), CIRCLES)
def test_eigenvalues_of_the_matrix(positions, reach):
    found = np.sort(np.linalg.eigvalsh(circle(positions, reach)))
    assert np.allclose(found, np.sort(spectrum(positions, reach).numbers), atol=1e-13)


@pytest.mark.parametrize(("positions", "reach"), [(3, 1), (4, 1), (5, 2), (6, 1)])
def test_multiplicities_on_pairs(positions, reach):
    found = np.linalg.eigvalsh(on_pairs(positions, reach))
    stated = spectrum(positions, reach).on_pairs
    assert sum(stated.values()) == positions**2
    for value, count in stated.items():
        assert np.sum(np.abs(found - float(value)) < 1e-10) == count
    assert stated[1] == positions


@pytest.mark.parametrize(("positions", "reach"), [(3, 1), (5, 1), (6, 2)])
def test_averaging_many_times(positions, reach):
    values = np.arange(positions) ** 2 % 7 + 1.0
    for times in (0, 1, 7):
        expected = np.linalg.matrix_power(circle(positions, reach), times) @ values
        assert np.allclose([float(v) for v in spectrum(positions, reach).averaged(values, times)], expected, rtol=1e-14)
    late = spectrum(positions, reach).averaged(values, 10**9)
    assert max(late) - min(late) < 1e-30
    with pytest.raises(InputError, match="one for each"):
        spectrum(positions, reach).averaged(values[:-1], 3)


def test_variances_of_a_network_without_bias():
    """The diagonal of Sigma of a ReLU network, sigma_w^2 = 3, against (3/2)^(L-1) times the averaged variances."""
    inputs = np.random.default_rng(2).normal(size=(1, 2, 6))
    first, last = (np.diag(conv_gram(ConvNet("relu", 6, 1, "sqrt(3)"), inputs, depth)[0][0, 0]) for depth in (1, 12))
    expected = [float(v) * 1.5**11 for v in spectrum(6, 1).averaged(first, 11)]
    assert np.allclose(last, expected, rtol=1e-13)


def test_exact_values():
    assert [mode.eigenvalue for mode in spectrum(6, 1).modes] == [1, Rational(2, 3), 0, -Rational(1, 3)]
    assert spectrum(8, 1).gap == Rational(2, 3) - sqrt(2) / 3
    assert [mode.multiplicity for mode in spectrum(6, 1).modes] == [1, 2, 2, 1]


def test_which_are_invertible():
    singular = {n for n in range(3, 13) if not spectrum(n, 1).is_invertible}
    assert singular == {3, 6, 9, 12}
    assert not spectrum(10, 2).is_invertible
    assert spectrum(8, 2).is_invertible


def test_rates_are_closed_under_products():
    found = spectrum(16, 1)
    for i in range(1, 16):
        for j in range(1, 16):
            if (i + j) % 16:
                assert found.rates[(i + j) % 16] >= found.rates[i] * found.rates[j] - 1e-15
    assert found.is_own(1)
    assert not found.is_own(2)  # lambda_1^2 = 0.90 exceeds lambda_2 = 0.80
    assert found.numbers[1] ** 2 > found.numbers[2]


def test_skip_connections_mix_less():
    found = Spectrum(4, 1, keep=Rational(2))  # alpha = 1/2
    assert [mode.eigenvalue for mode in found.modes] == [1, Rational(7, 9), Rational(5, 9)]


@pytest.mark.parametrize(
    ("positions", "reach", "said"),
    [(2, 1, "less than 2 reach"), (0, 0, "positions"), (4, -1, "reach"), (4.5, 1, "positions"), (4, True, "reach")],
)
def test_bad_circles(positions, reach, said):
    with pytest.raises(InputError, match=said):
        spectrum(positions, reach)

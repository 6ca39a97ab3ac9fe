"""Eigenvalues of the averaging against matrices that are written down, and how fast its modes fade."""

import numpy as np
import pytest
from sympy import Rational, sqrt

from asympt.architectures.convolution import ConvNet, ConvResNet, spectrum, waves
from asympt.errors import InputError, UnsupportedError

CIRCLES = [(1, 0), (3, 1), (4, 1), (5, 1), (6, 1), (7, 2), (8, 1), (9, 4), (12, 3)]


def circle(positions, reach):
    """The mean over the filter as a matrix."""
    matrix = np.zeros((positions, positions))
    for alpha in range(positions):
        for b in range(-reach, reach + 1):
            matrix[alpha, (alpha + b) % positions] += 1 / (2 * reach + 1)
    return matrix


@pytest.mark.parametrize(("positions", "reach"), CIRCLES)
def test_eigenvalues_of_the_matrix(positions, reach):
    found = np.sort(np.linalg.eigvalsh(circle(positions, reach)))
    assert np.allclose(found, np.sort(spectrum(positions, reach).numbers), atol=1e-13)


def test_exact_values():
    assert [mode.eigenvalue for mode in spectrum(6, 1).modes] == [1, Rational(2, 3), 0, -Rational(1, 3)]
    assert spectrum(8, 1).gap == Rational(2, 3) - sqrt(2) / 3
    assert [mode.multiplicity for mode in spectrum(6, 1).modes] == [1, 2, 2, 1]


def test_which_are_invertible():
    """Those without an eigenvalue 0: M and 2k+1 have no common factor."""
    sizes = [(n, k) for k in (1, 2) for n in range(2 * k + 1, 13)]
    singular = {size for size in sizes if any(mode.eigenvalue == 0 for mode in spectrum(*size).modes)}
    assert singular == {(3, 1), (6, 1), (9, 1), (12, 1), (5, 2), (10, 2)}


@pytest.mark.parametrize(
    ("positions", "reach", "said"),
    [(2, 1, "less than 2 reach"), (0, 0, "positions"), (4, -1, "reach"), (4.5, 1, "positions"), (4, True, "reach")],
)
def test_bad_circles(positions, reach, said):
    with pytest.raises(InputError, match=said):
        spectrum(positions, reach)


# ---- the powers with which the differences between positions fade --------------------------------


def test_powers():
    """f' = 1 - 3/l for ReLU, 1 - 2/l for a smooth phi; with skip connections a power of each mode's own."""
    assert [wave.power for wave in waves(ConvNet("relu", 4, 1).correlation_law(1))] == [3, 3]
    assert waves(ConvNet("erf", 4, 1, sigma_b="1/5").correlation_law(1))[0].power == 2
    residual = waves(ConvResNet("relu", 4, 1).correlation_law(1))
    assert [(wave.eigenvalue, wave.power) for wave in residual] == [(Rational(7, 9), Rational(9, 7))]


def test_what_has_no_amplitude(refused):
    net = ConvNet("relu", 8, 1)
    assert [wave.mode.index for wave in waves(net.correlation_law(1))] == [1]
    refused(lambda: waves(net.ntk_law(1)), "correlation_law", InputError)
    with pytest.raises(UnsupportedError, match="Edge of Chaos"):
        waves(ConvNet("relu", 4, 1, sigma_w=1, sigma_b=1).correlation_law(1))

"""Verdicts on HDR's convolutional networks, and the numbers behind them from other routes."""

import numpy as np
import pytest

from asympt import claims
from asympt.architectures.convolution.network import ConvNet
from asympt.claims.hdr import convolution
from asympt.claims.hdr.convolution.matrix import circle_matrix, offset_means, pair_matrix
from asympt.claims.hdr.convolution.nets import on_the_edge, state, term
from asympt.depth.convolution import conv_pairs
from asympt.expansions import Monomial

EXPECTED = {
    "HDR.P1": "checked",
    "HDR.CNN.corr": "checked",
    "HDR.AL2.1": "refuted",
    "HDR.AL2.2": "refuted",
    "HDR.AL2.U": "refuted",
    "HDR.AL2.power": "refuted",
    "HDR.AL2.inv": "refuted",
    "HDR.AL3.1": "refuted",
    "HDR.AL3.2": "refuted",
    "HDR.T1.cnn-relu": "refuted",
    "HDR.T1.cnn-smooth": "refuted",
    "HDR.T1.cnn-diag": "refuted",
    "HDR.AL7.cnnvar": "checked",
}
SLOW = {"HDR.AL2.1", "HDR.AL2.2", "HDR.AL3.1", "HDR.T1.cnn-smooth", "HDR.T1.cnn-relu"}
CLAIMS = {claim.id: claims.find(claim.id) for claim in convolution.CLAIMS}


def test_every_record_is_expected_here():
    assert set(CLAIMS) == set(EXPECTED)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in EXPECTED]
)
def test_verdict(name):
    result = CLAIMS[name].check(digits=25, depth=20_000)
    assert result.verdict == EXPECTED[name], result.report()
    if result.verdict == "refuted":
        assert result.corrected.verdict in ("proved", "checked"), result.report()


def test_the_eigenspace_of_the_largest_eigenvalue():
    """N = 5: one vector for every offset, found by NumPy."""
    values = np.linalg.eigvalsh(pair_matrix(5, 1).astype(float))
    assert np.sum(np.abs(values - 3) < 1e-12) == 5
    assert np.sum(np.abs(np.linalg.eigvalsh(circle_matrix(5, 1).astype(float)) - 3) < 1e-12) == 1


def test_powers_tend_to_the_means_of_offsets():
    matrix = np.linalg.matrix_power(pair_matrix(5, 2) / 5, 2)
    assert np.allclose(matrix, offset_means(5))  # all other eigenvalues vanish for N = 2k+1


def test_a_translate_keeps_its_correlation():
    """Chaotic: along the offset of the translation all gaps are 0, and stay 0."""
    gap, _ = conv_pairs(ConvNet("relu", 4, 1), np.zeros(4), 500)
    assert not gap.any()


def test_constants_by_a_plain_loop():
    """l^2 (1 - c) -> 9 pi^2/2 and K/(qL) -> 1/4 for ReLU: ten thousand layers of the averaged arccosine map."""
    c = np.array([0.1, 0.5, 0.0, -0.5])
    kernel = c.copy()
    for _ in range(9_999):
        theta = np.arccos(np.clip(c, -1, 1))
        f = c + (np.sqrt(1 - c * c) - c * theta) / np.pi
        learned = (1 - theta / np.pi) * kernel + f
        c, kernel = ((v + np.roll(v, 1) + np.roll(v, -1)) / 3 for v in (f, learned))
    assert abs(1e8 * (1 - c[0]) / (4.5 * np.pi**2) - 1) < 0.01
    assert abs(kernel[0] / 1e4 - 0.25) < 0.001


@pytest.mark.slow
@pytest.mark.parametrize(("name", "sign"), [("tanh", 1), ("silu", -1)])
def test_sign_of_the_log_term(name, sign):
    """l (l (1 - c^l) - kappa) grows or falls with log l as the law says: float64 at two depths."""
    kappa = float(term(on_the_edge(name).correlation_law(3), 1).evalf(15))
    values = [layer * (layer * state(on_the_edge(name), layer)[0].mean() - kappa) for layer in (10_000, 20_000)]
    assert np.sign(values[1] - values[0]) == sign
    assert Monomial(2, 1) in on_the_edge(name).correlation_law(3).expansion.coefficients

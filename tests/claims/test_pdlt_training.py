"""Verdicts on PDLT's statements about training, and that wrong statements of the same shape are refuted."""

import numpy as np
import pytest
from sympy import Matrix, Symbol, symbols

from asympt.claims.forms import vanishes
from asympt.claims.pdlt import training
from asympt.claims.pdlt.training.ensemble import mean_of
from asympt.claims.pdlt.training.prediction import blocks, general, symmetric, trained, vector

EXPECTED = {
    "PDLT.10.7": "proved",
    "PDLT.10.20": "proved",
    "PDLT.10.23": "proved",
    "PDLT.10.28": "proved",
    "PDLT.10.31": "proved",
    "PDLT.10.35": "proved",
    "PDLT.10.2.3-shift": "proved",
    "PDLT.10.40": "proved",
    "PDLT.10.41": "proved",
    "PDLT.10.52": "proved",
    "PDLT.10.55": "proved",
    "PDLT.10.123": "proved",
    "PDLT.10.127": "proved",
    "PDLT.10.131": "refuted",
    "PDLT.10.133": "proved",
}
RECORDS = {claim.id: claim for claim in training.CLAIMS}


def test_every_record_is_expected_here():
    assert set(RECORDS) == set(EXPECTED) and len(RECORDS) == len(training.CLAIMS)


@pytest.mark.parametrize("name", EXPECTED)
def test_verdict(name):
    result = RECORDS[name].check()
    assert result.verdict == EXPECTED[name], result.report()
    if result.verdict == "refuted":
        assert result.corrected.verdict == "proved", result.report()


def test_an_identity_that_is_none_is_refuted():
    gram, cross, _ = blocks("Theta")
    z, y, f = vector("z", 2), vector("y", 2), vector("f", 2)
    assert vanishes("sign", trained(cross, gram, f, z - y) - trained(cross, gram, f, z + y)).verdict == "refuted"
    first, second = general("A", 2, 2), symmetric("S", 2)
    assert vanishes("order", first * second - second * first).verdict == "refuted"
    assert vanishes("symmetric", [second - second.T, Matrix([0])]).verdict == "proved"


def test_moments():
    a, b = symbols("a b")
    spread = symmetric("C", 2)
    assert mean_of(3 + a + 2 * a * b, [a, b], spread) == 3 + 2 * Symbol("C_01", real=True)
    with pytest.raises(ValueError, match="degree 3"):
        mean_of(a**3, [a, b], spread)


def test_the_covariance_by_drawing_outputs():
    """PDLT 10.41 against a Monte Carlo of Gaussian outputs, 5 standard errors."""
    random = np.random.default_rng(0)
    kernel, start = (m @ m.T for m in random.standard_normal((2, 3, 5)))
    weights = np.linalg.solve(kernel[:2, :2], kernel[:2, 2])
    z = np.linalg.cholesky(start) @ random.standard_normal((3, 200_000))
    ends = z[2] - weights @ z[:2]
    expected = start[2, 2] - 2 * weights @ start[:2, 2] + weights @ start[:2, :2] @ weights
    assert abs(ends.var() / expected - 1) < 5 * np.sqrt(2 / 200_000)

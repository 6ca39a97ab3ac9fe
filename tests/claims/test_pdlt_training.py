"""Verdicts on PDLT's statements about training, which their formulas decide, and one of them by drawing networks."""

import numpy as np
import pytest

from asympt import claims
from asympt.claims.pdlt import training

CHECKED = {f"PDLT.{n}" for n in ("10.7", "10.23", "10.2.3-shift", "10.52", "10.55", "10.127", "10.133")}


@pytest.mark.parametrize("name", [claim.id for claim in training.CLAIMS])
def test_verdict(name):
    claim = claims.find(name)
    result = claim.check()
    expected = "refuted" if name == "PDLT.10.131" else "checked" if name in CHECKED else "proved"
    assert claim.decide is None and result.verdict == expected, result.report()
    if expected == "refuted":
        assert result.corrected.verdict == "checked", result.report()


def test_the_covariance_by_drawing_outputs():
    """PDLT 10.41 against a Monte Carlo of Gaussian outputs, 5 standard errors."""
    random = np.random.default_rng(0)
    kernel, start = (m @ m.T for m in random.standard_normal((2, 3, 5)))
    weights = np.linalg.solve(kernel[:2, :2], kernel[:2, 2])
    z = np.linalg.cholesky(start) @ random.standard_normal((3, 200_000))
    ends = z[2] - weights @ z[:2]
    expected = start[2, 2] - 2 * weights @ start[:2, 2] + weights @ start[:2, :2] @ weights
    assert abs(ends.var() / expected - 1) < 5 * np.sqrt(2 / 200_000)


def test_the_dual_form_where_the_penalty_goes_to_zero():
    """PDLT 10.130, 3 points: phi (2a + M)^-1 phi^T tends to k k~^-1, though M of 5 features has no inverse."""
    random = np.random.default_rng(3)
    for features in (5, 3):
        train, test = random.standard_normal((3, features)), random.standard_normal((2, features))
        dual = test @ train.T @ np.linalg.inv(train @ train.T)
        primal = [test @ np.linalg.inv(2 * a * np.eye(features) + train.T @ train) @ train.T for a in (1e-3, 1e-6)]
        assert np.abs(primal[1] - dual).max() < 1e-2 * np.abs(primal[0] - dual).max() + 1e-12
        assert np.linalg.matrix_rank(train.T @ train) == 3
    train, test = random.standard_normal((3, 2)), random.standard_normal((1, 2))
    assert np.linalg.matrix_rank(train @ train.T) == 2  # fewer features than points: 10.128 has no inverse

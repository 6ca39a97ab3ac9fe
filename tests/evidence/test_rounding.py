"""Right laws about c* < 1 are not refuted by the rounding of float64, however slowly they approach."""

import pytest
from sympy import Rational

import asympt as asy
from asympt.evidence.network import transient_checks

NEAR_ONE = [("erf", Rational(13, 10), Rational(1, 10)), ("sin", Rational(6, 5), Rational(1, 10))]


@pytest.mark.parametrize(("phi", "sigma_w", "sigma_b"), NEAR_ONE)
@pytest.mark.parametrize("terms", [2])
def test_rounding_is_seen_as_such(phi, sigma_w, sigma_b, terms):
    [check] = transient_checks(asy.FeedForward(phi, sigma_w=sigma_w, sigma_b=sigma_b).correlation_law(terms), 10**6)
    assert check.verdict == "checked"
    assert check.figure < 0.7 * check.bound

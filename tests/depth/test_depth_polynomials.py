"""The polynomials of a layer against their closed forms in mpmath, at every level."""

import mpmath
import pytest

from asympt.depth.step import FIRST, LAST, angle, bend


@pytest.mark.parametrize("at", [1, 2, 3, 5, 8, 13, 22, 23, 24, 40, 60])
def test_full_relative_accuracy_on_the_whole_interval(at):
    """F = sin t - t cos t and t, at 60 digits; 2^-53 of truncation and 2^-53 for rounded coefficients are allowed."""
    with mpmath.workdps(60):
        for part in range(1, 41):
            w = mpmath.ldexp(mpmath.mpf(part) / 40, -at)
            s = mpmath.sqrt(w)
            t = 2 * mpmath.asin(s)
            bent = mpmath.sin(t) - t * mpmath.cos(t)
            assert abs(mpmath.polyval(bend(at), w) * s**3 / bent - 1) < 2.5e-16
            assert abs(mpmath.polyval(angle(at), w) * s / t - 1) < 2.5e-16


def test_at_zero():
    """F = 8/3 s^3 + ..., t = 2 s + ..."""
    for at in range(FIRST, LAST + 1):
        assert bend(at)[-1] == pytest.approx(8 / 3, rel=2.3e-16)
        assert angle(at)[-1] == pytest.approx(2, rel=2.3e-16)

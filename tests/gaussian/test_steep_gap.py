"""Gaps of steep activations at c = 0: there E[phi(U) phi(V)] of an odd phi is 0, whatever the steepness."""

import pytest
from mpmath import mp
from sympy import Symbol, tanh

from asympt.gaussian.kernel import kernel_of
from asympt.gaussian.piecewise import PiecewiseSmooth

X = Symbol("x", real=True)


@pytest.mark.parametrize("exponent", [10, 12, 16])
@pytest.mark.parametrize("digits", [15, 25])
def test_no_rule_steps_over_the_centre(exponent, digits):
    """E[tanh^2] = 1 - 2/sqrt(2 pi q) + O(q^(-3/2)): the integral of sech^2 is 2."""
    with mp.workdps(digits):
        q = mp.mpf(10) ** exponent
        missing = 1 - kernel_of(PiecewiseSmooth.of(tanh(X), X)).gap(q, 1)
        assert abs(missing * mp.sqrt(2 * mp.pi * q) / 2 - 1) < 100 / q + mp.mpf(10) ** (3 - digits) * mp.sqrt(q)

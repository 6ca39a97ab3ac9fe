"""Distances that keep their digits, and the variance map, in mpmath against formulas written out by hand."""

import mpmath
import pytest
from mpmath import mp
from sympy import Rational

from asympt.architectures.feedforward import FeedForward
from asympt.errors import InputError
from asympt.meanfield.activations import activation
from asympt.meanfield.layer import Layer
from asympt.precise.dense import StepAbout, VarianceDerivatives, VarianceStep

RELU = FeedForward("relu", sigma_w=1, sigma_b=1)  # chi = 1/2, q = 2
STEP = RELU._laws.composed.form.step


def test_a_distance_keeps_its_digits_however_small_it_is():
    # about the gap 0, where the step is known: y' = chi y + ...
    with mp.workdps(30):
        y = mpmath.mpf(10) ** -20
        (following,) = StepAbout(STEP, Rational(0))((y,))
        assert abs(following / RELU.correlation_map.gap(y) - 1) < 1e-28
    with pytest.raises(InputError, match="lands on the fixed point"):
        StepAbout(STEP, Rational(0))((mpmath.mpf(0),))


def test_the_variance_of_sin():
    # V = sigma_b^2 + (1 - exp(-2q))/2: V^(n)(q)/n! = -(-2)^n exp(-2q)/(2 n!)
    layer = Layer(activation("sin"), Rational(1), Rational(1, 4), Rational(1, 2), False)
    derivatives = VarianceDerivatives(layer, Rational(1, 2))
    with mp.workdps(20):
        for n in (1, 2, 5):
            truth = -((-2) ** n) * mp.exp(-1) / (2 * mp.factorial(n))
            assert abs(derivatives(n) / truth - 1) < 1e-18
        q = mpmath.mpf("0.3")
        image = mpmath.mpf(1) / 4 + (1 - mp.exp(-2 * q)) / 2
        (y,) = VarianceStep(layer, Rational(1, 2))((q - mpmath.mpf(1) / 2,))
        assert abs(y - (image - mpmath.mpf(1) / 2)) < 1e-18

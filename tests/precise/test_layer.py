"""One layer of any network in mpmath against formulas written out by hand (ReLU with a bias, erf)."""

import mpmath
import pytest
from mpmath import mp
from sympy import Rational

from asympt.architectures.composed.form import FormAtOne
from asympt.architectures.feedforward import FeedForward
from asympt.errors import InputError
from asympt.meanfield.activations import activation
from asympt.meanfield.layer import Layer
from asympt.numbers import to_mpf
from asympt.precise.layer import StepAbout, VarianceDerivatives, VarianceStep
from tests.architectures.plain import relu_gap

RELU = FeedForward("relu", sigma_w=1, sigma_b=1)  # chi = 1/2, q = 2
STEP = RELU._laws.composed.form.step


@pytest.mark.parametrize("gap", ["1e-12", "0.3", "1.7"])
def test_a_step_of_relu_with_a_bias(gap):
    with mp.workdps(70):
        start = mpmath.mpf(gap)
        image, slope = (value / 2 for value in relu_gap(start))
        (alone,), (together, kernel) = STEP((start,)), STEP((start, mpmath.mpf(3)))
        truth = slope * 3 + 1 - image
        assert alone == together
        assert abs(alone / image - 1) < 1e-40
        assert abs(kernel - truth) < 1e-40


def test_the_fixed_point_is_exact():
    assert STEP((mpmath.mpf(0),)) == (0,)
    assert STEP((mpmath.mpf(0), mpmath.mpf(4))) == (0, 3)


def test_a_distance_keeps_its_digits_however_small_it_is():
    # about the gap 0, where the step is known: y' = chi y + ...
    with mp.workdps(30):
        y = mpmath.mpf(10) ** -20
        (following,) = StepAbout(STEP, Rational(0))((y,))
        assert abs(following / RELU.correlation_map.gap(y) - 1) < 1e-28
    with pytest.raises(InputError, match="lands on the fixed point"):
        StepAbout(STEP, Rational(0))((mpmath.mpf(0),))


def test_the_coefficients_of_relu():
    series = FormAtOne(RELU._laws.composed.form, 5)
    assert series.lost(2) == Rational(1, 2) and series.lost(4) == 0
    with mp.workdps(30):
        for power, value in ((3, -mp.sqrt(2) / (3 * mp.pi)), (5, -mp.sqrt(2) / (60 * mp.pi))):
            assert abs(to_mpf(series.lost(power)) - value) < 1e-28


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

"""One layer of any network in mpmath against formulas written out by hand (ReLU with a bias, erf)."""

import mpmath
import pytest
from mpmath import mp
from sympy import Rational

from asympt.architectures.map_series import EdgeNumbers
from asympt.errors import InputError
from asympt.meanfield.activations import activation
from asympt.meanfield.correlation import CorrelationMap
from asympt.meanfield.layer import Layer
from asympt.meanfield.normal_form import NormalForm
from asympt.precise import LayerStep, StepAbout, VarianceDerivatives, VarianceStep
from tests.architectures.plain import relu_gap

RELU = Layer(activation("relu"), Rational(1), Rational(1))  # chi = 1/2, q = 2
MAP = CorrelationMap.of(RELU)
FORM = NormalForm(MAP)


@pytest.mark.parametrize("gap", ["1e-12", "0.3", "1.7"])
def test_a_step_of_relu_with_a_bias(gap):
    with mp.workdps(70):
        start = mpmath.mpf(gap)
        image, slope = (value / 2 for value in relu_gap(start))
        (alone,), (together, kernel) = LayerStep(FORM)((start,)), LayerStep(FORM)((start, mpmath.mpf(3)))
        truth = slope * 3 + 1 - image
        assert alone == together
        assert abs(alone / image - 1) < 1e-40
        assert abs(kernel - truth) < 1e-40


def test_the_fixed_point_is_exact():
    assert LayerStep(FORM)((mpmath.mpf(0),)) == (0,)
    assert LayerStep(FORM)((mpmath.mpf(0), mpmath.mpf(4))) == (0, 3)


def test_a_distance_keeps_its_digits_however_small_it_is():
    # about the gap 0, where the step is known: y' = chi y + ...
    with mp.workdps(30):
        y = mpmath.mpf(10) ** -20
        (following,) = StepAbout(LayerStep(FORM), Rational(0))((y,))
        assert abs(following / MAP.gap(y) - 1) < 1e-28
    with pytest.raises(InputError, match="lands on the fixed point"):
        StepAbout(LayerStep(FORM), Rational(0))((mpmath.mpf(0),))


def test_the_coefficients_of_relu():
    numbers = EdgeNumbers(RELU)
    with mp.workdps(30):
        truth = {0: 1, 2: mpmath.mpf(-1) / 2, 3: mp.sqrt(2) / (3 * mp.pi), 4: 0, 5: mp.sqrt(2) / (60 * mp.pi)}
        for power, value in truth.items():
            assert abs(numbers(power) - value) < 1e-28


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

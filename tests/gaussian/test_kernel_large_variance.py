"""Kernels at large variances, where terms like exp(2 q) cancel and phi is a step: never 0 for what is not 0."""

import pytest
from mpmath import mp, mpf

from asympt.errors import PrecisionError
from asympt.gaussian.kernel import Kernel, kernel_of
from asympt.meanfield.activations import activation


def second_moment(q):
    """E[ELU(sqrt(q) Z)^2] by quadrature on both half lines."""
    root = mp.sqrt(q)
    left = mp.quad(lambda x: mp.expm1(-x) ** 2 * mp.npdf(x / root) / root, [0, 1, 10, root, 8 * root])
    return q / 2 + left


@pytest.mark.parametrize("q", [100, 500, 1000])
def test_the_second_moment_of_elu(q):
    kernel = kernel_of(activation("elu").piecewise)
    with mp.workdps(20):
        assert abs(kernel.value(mpf(q), mpf(q), mpf(1)) / second_moment(mpf(q)) - 1) < mpf(10) ** -12


def test_the_gap_of_elu_is_not_lost():
    """Closed form against the plane quadrature of the same kernel."""
    phi = activation("elu").piecewise
    with mp.workdps(15):
        q, gap = mpf(500), mpf(1) / 2
        assert abs(kernel_of(phi).gap(q, gap) / Kernel(phi, use_closed_form=False).gap(q, gap) - 1) < mpf(10) ** -11


def test_beyond_the_closed_form_the_quadrature_answers():
    kernel = kernel_of(activation("elu").piecewise)
    with mp.workdps(15):
        with pytest.raises(PrecisionError, match="difference of terms"):
            kernel.closed.evaluate(mpf(5000), mpf(5000), mpf(1))
        # far out ELU is ReLU but for a bounded part: q/2 f(c) + O(sqrt(q)), f(1/2) = 1/4 + (sqrt(3)/2 + pi/6)/pi
        shape = mpf(1) / 4 + (mp.sqrt(3) / 2 + mp.pi / 12) / mp.pi
        found = kernel.value(mpf(5000), mpf(5000), mpf(1) / 2) / 2500
        assert abs(found - shape) < 0.03


def test_true_zeros_stay_zero():
    relu, odd = kernel_of(activation("relu").piecewise), kernel_of(activation("erf").piecewise)
    assert relu.value(1000, 1000, -1) == 0 and odd.value(10**4, 10**4, 0) == 0


@pytest.mark.parametrize("exponent", [10, 12, 16])
@pytest.mark.parametrize("digits", [15, 25])
def test_no_rule_steps_over_the_centre(exponent, digits):
    """At c = 0 an odd phi has E[phi phi] = 0; E[tanh^2] = 1 - 2/sqrt(2 pi q) + O(q^(-3/2)), the integral of sech^2."""
    with mp.workdps(digits):
        q = mp.mpf(10) ** exponent
        missing = 1 - kernel_of(activation("tanh").piecewise).gap(q, 1)
        assert abs(missing * mp.sqrt(2 * mp.pi * q) / 2 - 1) < 100 / q + mp.mpf(10) ** (3 - digits) * mp.sqrt(q)

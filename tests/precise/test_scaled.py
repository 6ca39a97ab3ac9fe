"""The layer of a scaled residual network in mpmath, against covariances moved one by one."""

import pytest
from mpmath import mp, mpf
from sympy import Integer, Rational, sqrt

from asympt.networks.scaled_resnet import ScaledResNet
from asympt.precise.scaled import ScaledStep


@pytest.mark.parametrize("kappa", [Integer(1), Rational(1, 2), Rational(5, 3)])
def test_ten_layers_in_covariances(kappa):
    """s + l^(-kappa) sigma_w^2 E[phi phi] and K with the branch's own kernel, ReLU: E by the arc-cosine formulas."""
    net = ScaledResNet("relu", sigma_w=sqrt(3), kappa=kappa)
    with mp.workdps(40):
        q, s, kernel = mpf(1), mpf(1) / 10, mpf(1) / 10
        for layer in range(2, 12):
            size = 3 * mpf(layer) ** -(mpf(int(kappa.p)) / int(kappa.q))
            theta = mp.acos(s / q)
            product = q * (mp.sin(theta) + (mp.pi - theta) * mp.cos(theta)) / (2 * mp.pi)
            kernel = kernel * (1 + size * (mp.pi - theta) / (2 * mp.pi)) + size * product
            s, q = s + size * product, q * (1 + size / 2)
        gap, k = ScaledStep(net.statement).iterate(mpf(9) / 10, 11)
        assert abs(gap - (1 - s / q)) < mpf(10) ** -38
        assert abs(k - kernel / q) < mpf(10) ** -38


def test_equal_inputs_stay_equal_and_keep_their_kernel():
    step = ScaledStep(ScaledResNet("relu", sigma_w=sqrt(2)).statement)
    gap, kernel = step.iterate(mpf(0), 4)
    assert gap == 0
    assert kernel == pytest.approx(1 + 1 / 3 + 1 / 4 + 1 / 5)


def test_a_gap_of_ten_to_the_minus_sixty_keeps_its_digits():
    """gamma - delta_2 h, h = (2 sqrt(2)/(3 pi)) gamma^(3/2) (1 + O(gamma)), seen with digits for the difference."""
    step = ScaledStep(ScaledResNet("relu").statement)
    with mp.workdps(80):
        tiny = mpf(10) ** -60
        moved = (tiny - step((1, tiny))[1]) / step.share(2)
        assert abs(moved / (2 * mp.sqrt(2) / (3 * mp.pi) * tiny ** mpf("1.5")) - 1) < mpf(10) ** -40
    with mp.workdps(20):
        assert abs(step((1, tiny))[1] / tiny - 1) < mpf(10) ** -19

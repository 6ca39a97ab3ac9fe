"""C, D and s_0 of the scaled ResNet, read in another way than by the evaluation."""

from itertools import pairwise

import pytest
from mpmath import mp, mpf
from sympy import EulerGamma, Rational, sqrt

from asympt.architectures.resnet import ScaledResNet
from asympt.numbers import to_mpf

LAYERS = (1000, 2000, 4000, 8000)


def drift(gap):
    theta = 2 * mp.asin(mp.sqrt(gap / 2))
    return (mp.sin(theta) - theta * mp.cos(theta)) / mp.pi, theta / mp.pi


@pytest.fixture(scope="module")
def orbit():
    """(gamma_l, k_l) at `LAYERS`, ReLU, sigma_w^2 = 2, c^1 = 1/10, by a plain loop."""
    with mp.workdps(25):
        gap, kernel, found = mpf(9) / 10, mpf(1) / 10, []
        for layer in range(2, LAYERS[-1] + 1):
            h, slope = drift(gap)
            kernel += (1 - gap + h - slope * kernel) / (layer + 1)
            gap -= h / (layer + 1)
            if layer in LAYERS:
                found.append((gap, kernel))
    return found


def extrapolated(values):
    """The limit of a sequence that is one in 1/l, at layers that double."""
    while len(values) > 1:
        step = 2 ** (len(LAYERS) - len(values) + 1)
        values = [(step * b - a) / (step - 1) for a, b in pairwise(values)]
    return values[0]


def test_c_by_richardson_extrapolation(orbit):
    """T - log l has an expansion in 1/l whose coefficients hardly change (they depend on log l)."""
    law = ScaledResNet("relu", sigma_w=sqrt(2)).correlation_law()
    with mp.workdps(25):
        small = mpf(1) / 10**4

        def time(gap):  # the series of T to O(t^5) at a small gap, and the integral from there
            t = mp.sqrt(small)
            head = 3 * mp.sqrt(2) * mp.pi * (1 / (2 * t) + t / 40 + 31 * t**3 / 33600)
            return head - mp.quad(lambda u: mp.exp(u) / drift(mp.exp(u))[0], mp.linspace(mp.log(small), mp.log(gap), 5))

        read = extrapolated([time(gap) - mp.log(layer) for (gap, _), layer in zip(orbit, LAYERS, strict=True)])
        assert abs(read - law.connection_constant(correlation="1/10", digits=15)) < 2e-6


def test_d_by_richardson_extrapolation(orbit):
    law = ScaledResNet("relu", sigma_w=sqrt(2)).ntk_law()
    with mp.workdps(25):
        read = []
        for gap, kernel in orbit:
            t = mp.sqrt(gap)
            particular, wave = (
                sum(to_mpf(c) * t ** int(m.order) * mp.log(t) ** m.logs for m, c in e.terms)
                for e in (law.linear.particular, law.linear.homogeneous)
            )
            read.append((kernel - particular) / wave)
        assert abs(extrapolated(read) / law.second_constant(correlation="1/10", digits=10) - 1) < 5e-5


def test_s_0():
    """1 - alpha psi(2 + alpha) for kappa = 1; for kappa = 1/2 against the sum of 30,000 layers and its next term."""
    assert ScaledResNet("relu", sigma_w=sqrt(2)).ntk_law().coordinate.diagonal == EulerGamma - Rational(1, 2)
    shift = ScaledResNet("relu", sigma_w=sqrt(2), kappa="1/2").ntk_law().coordinate.diagonal
    depth = 30_000
    with mp.workdps(20):
        total = 1 + mp.fsum(1 / (mp.sqrt(k) + 1) for k in range(2, depth + 1))
        left = total - (2 * mp.sqrt(depth) - mp.log(depth) - 3 / (2 * mp.sqrt(depth)))
        assert abs(left - to_mpf(shift)) < 1 / mpf(depth)

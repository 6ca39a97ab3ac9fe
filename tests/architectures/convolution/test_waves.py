"""Amplitudes of the differences between positions against plain iteration of the averaged arccosine map."""

import pytest
from mpmath import mp, mpf
from sympy import Rational

from asympt.architectures.convolution.network import ConvNet, ConvResNet
from asympt.architectures.convolution.waves import waves
from asympt.errors import InputError, UnsupportedError
from asympt.numbers import to_mpf

FOUR = ("1/10", "1/2", 0, "-1/2")


def relu(c):
    """f of ReLU, written out."""
    return c + (mp.sqrt(1 - c * c) - c * mp.acos(c)) / mp.pi


def differences(depths, index, share=1, f=relu):
    """d_j at some layers: c -> (1-share) c + share * mean(f(c)) from FOUR, at 400 digits."""
    with mp.workdps(400):
        c, found = [mpf(1) / 10, mpf(1) / 2, mpf(0), -mpf(1) / 2], {}
        share = mpf(share.p) / share.q if isinstance(share, Rational) else mpf(share)
        for layer in range(1, max(depths) + 1):
            if layer in depths:
                gaps = [1 - x for x in c]
                turn = [mp.expjpi(-mpf(2 * index * place) / 4) for place in range(4)]
                found[layer] = mp.fsum(g * t for g, t in zip(gaps, turn, strict=True)) / 4
            image = [f(x) for x in c]
            mean = [(image[i - 1] + image[i] + image[(i + 1) % 4]) / 3 for i in range(4)]
            c = [(1 - share) * x + share * y for x, y in zip(c, mean, strict=True)]
    return found


def extrapolated(depths, values):
    """The limit of D (1 + (a log l + b)/l + (c log^2 l + d log l + e)/l^2) from six layers, by a linear system."""
    basis = [lambda x: 1, lambda x: mp.log(x) / x, lambda x: 1 / x,
             lambda x: (mp.log(x) / x) ** 2, lambda x: mp.log(x) / x**2, lambda x: 1 / x**2]  # fmt: skip
    matrix = mp.matrix([[b(mpf(d)) for b in basis] for d in depths])
    return mp.lu_solve(matrix, mp.matrix(values))[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("net", "share"),
    [(ConvNet("relu", 4, 1), 1), (ConvResNet("relu", 4, 1), Rational(1, 3))],
    ids=["plain", "residual"],
)
def test_amplitude_of_the_slowest_mode(net, share):
    wave = net.waves()[0]
    found = wave.amplitude(correlation=FOUR, digits=20)
    depths = [100, 150, 220, 320, 450, 600]
    raw = differences(depths, 1, share)
    with mp.workdps(60):
        rate, power = mpf(wave.eigenvalue.p) / wave.eigenvalue.q, mpf(wave.power.p) / wave.power.q
        limit = extrapolated(depths, [raw[d] / rate**d * mpf(d) ** power for d in depths])
    assert abs(limit / found - 1) < 2e-3


@pytest.mark.slow
def test_amplitude_of_a_smooth_network():
    """erf, whose map is an arcsine (Williams 1997); q and sigma_w of the Edge of Chaos to 400 digits."""
    net = ConvNet("erf", 4, 1, sigma_b="1/5")
    with mp.workdps(400):
        q, weight, bias = to_mpf(net.variance), to_mpf(net.dense.layer.weight_variance), mpf(1) / 25
    wave = waves(net.correlation_law(1))[0]
    found, depths = wave.amplitude(correlation=FOUR, digits=15), [100, 150, 220, 320, 450, 600]

    def f(c):
        return (bias + weight * 2 / mp.pi * mp.asin(2 * q * c / (1 + 2 * q))) / q

    raw = differences(depths, 1, f=f)
    with mp.workdps(60):
        limit = extrapolated(depths, [raw[d] * mpf(3) ** d * mpf(d) ** 2 for d in depths])
    assert abs(limit / found - 1) < 2e-3


def test_powers():
    """f' = 1 - 3/l for ReLU, 1 - 2/l for a smooth phi; with skip connections a power of each mode's own."""
    assert [wave.power for wave in waves(ConvNet("relu", 4, 1).correlation_law(1))] == [3, 3]
    assert waves(ConvNet("erf", 4, 1, sigma_b="1/5").correlation_law(1))[0].power == 2
    residual = waves(ConvResNet("relu", 4, 1).correlation_law(1))
    assert [(wave.eigenvalue, wave.power) for wave in residual] == [(Rational(7, 9), Rational(9, 7))]


def test_a_shift_of_the_circle_turns_the_phase():
    """The start moved by one position: the amplitude of mode 1 is multiplied by -i on a circle of four."""
    wave = waves(ConvNet("relu", 4, 1).correlation_law(1))[0]
    one = wave.amplitude(correlation=FOUR, digits=20)
    two = wave.amplitude(correlation=(FOUR[-1], *FOUR[:-1]), digits=20)
    assert abs(two / one + 1j) < 1e-18


def test_what_has_no_amplitude():
    net = ConvNet("relu", 8, 1)
    assert [wave.mode.index for wave in waves(net.correlation_law(1))] == [1]
    with pytest.raises(InputError, match="correlation_law"):
        waves(net.ntk_law(1))
    with pytest.raises(UnsupportedError, match="Edge of Chaos"):
        waves(ConvNet("relu", 4, 1, sigma_w=1, sigma_b=1).correlation_law(1))
    wave = waves(ConvNet("relu", 4, 1).correlation_law(1))[0]
    with pytest.raises(UnsupportedError, match="leave variance out"):
        wave.amplitude(correlation=FOUR, variance=(1, 2, 3, 4))

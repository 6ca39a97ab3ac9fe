"""The powers with which the differences between positions fade."""

import pytest
from sympy import Rational

from asympt.architectures.convolution import ConvNet, ConvResNet, waves
from asympt.errors import InputError, UnsupportedError


def test_powers():
    """f' = 1 - 3/l for ReLU, 1 - 2/l for a smooth phi; with skip connections a power of each mode's own."""
    assert [wave.power for wave in waves(ConvNet("relu", 4, 1).correlation_law(1))] == [3, 3]
    assert waves(ConvNet("erf", 4, 1, sigma_b="1/5").correlation_law(1))[0].power == 2
    residual = waves(ConvResNet("relu", 4, 1).correlation_law(1))
    assert [(wave.eigenvalue, wave.power) for wave in residual] == [(Rational(7, 9), Rational(9, 7))]


def test_what_has_no_amplitude():
    net = ConvNet("relu", 8, 1)
    assert [wave.mode.index for wave in waves(net.correlation_law(1))] == [1]
    with pytest.raises(InputError, match="correlation_law"):
        waves(net.ntk_law(1))
    with pytest.raises(UnsupportedError, match="Edge of Chaos"):
        waves(ConvNet("relu", 4, 1, sigma_w=1, sigma_b=1).correlation_law(1))

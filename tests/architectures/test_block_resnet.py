"""The two-matrix residual network: the sum over its parameter groups is the recursion its laws come from."""

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy.special import erf

from asympt.architectures.resnet import BlockResNet, ResNet
from asympt.errors import InputError


def test_the_groups_add_up_to_the_law():
    net = BlockResNet("leaky_relu", alpha="1/2", sigma_w=2, sigma_v="3/2", slope="1/10")
    found = net.groups(depth=40, correlation="1/3", variance="7/5", digits=30)
    with mp.workdps(40):
        a = mpf(9) / 4
        gain = a * (1 + mpf(1) / 100) / 2
        variance = mpf(7) / 5 * (1 + gain) ** 39
        law = net.ntk_law(2).evaluate(depth=40, correlation="1/3", digits=30) * 40 * variance
        assert abs(found.total / law - 1) < mpf(10) ** -28


def test_it_is_twice_the_residual_network_of_weight_variance_a():
    block, plain = BlockResNet("relu", alpha="1/2", sigma_w=3, sigma_v=2), ResNet("relu", sigma_w=3)
    one = block.ntk_law(2).evaluate(depth=12345, correlation="1/10", digits=25)
    other = plain.ntk_law(2).evaluate(depth=12345, correlation="1/10", digits=25)
    with mp.workdps(30):
        assert abs(one / other - 2) < mpf(10) ** -24
    assert block.ntk_diagonal_law().evaluate(depth=9) == pytest.approx(2 * plain.ntk_diagonal_law().evaluate(depth=9))
    assert str(block.correlation_law(3)) == str(plain.correlation_law(3))


def test_the_groups_of_a_smooth_activation():
    """erf, two blocks, by quadrature over the plane."""
    net = BlockResNet("erf", alpha="1/2")
    found = net.groups(depth=3, correlation="1/3", variance=1, digits=15)

    def moments(q, s):
        """E[erf erf] and E[erf' erf'] at covariance [[q, s], [s, q]], E[erf^2]."""
        x, w = np.polynomial.hermite_e.hermegauss(120)
        w = w / w.sum()
        u = np.sqrt(q) * x[:, None] + 0 * x
        v = s / q * u + np.sqrt(q - s * s / q) * x[None, :]
        weight = w[:, None] * w[None, :]
        slopes = 4 / np.pi * np.exp(-(u**2) - v**2)
        square = (w * erf(np.sqrt(q) * x) ** 2).sum()
        return (weight * erf(u) * erf(v)).sum(), (weight * slopes).sum(), square

    q, s = 1.0, 1 / 3
    kernel = 2 * s
    for _ in range(2):
        value, slope, square = moments(q, s)
        kernel = (1 + slope / 4) * kernel + value / 2
        q, s = q + square / 4, s + value / 4
    assert float(found.total) == pytest.approx(kernel, rel=1e-12)
    assert float(found.readout) == pytest.approx(s, rel=1e-12)


def test_pi_ends_at_one_and_starts_with_the_whole_product():
    net = BlockResNet("relu")
    assert net.pi(3, depth=4, correlation="1/2") == 1
    assert net.pi(0, depth=4, gap=0) == mpf(27) / 8
    found = net.groups(depth=4, correlation="1/2", digits=20)
    assert found.input == pytest.approx(float(net.pi(0, depth=4, correlation="1/2") / 2), rel=1e-15)


@pytest.mark.parametrize(
    ("options", "words"),
    [({"alpha": 0}, "alpha = 0"), ({"alpha": -1}, "alpha = -1"), ({"sigma_v": 0}, "sigma_v"), ({"sigma_w": -2}, "_w")],
)
def test_bad_input(options, words):
    with pytest.raises(InputError, match=words):
        BlockResNet("relu", **options)


def test_pi_wants_a_block_of_the_network():
    with pytest.raises(InputError, match="block = 4"):
        BlockResNet("relu").pi(4, depth=4, gap=0)

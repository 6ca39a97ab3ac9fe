"""The two-matrix residual network: the sum over its parameter groups is the recursion its laws come from."""

import pytest
from mpmath import mpf

import asympt as asy
from asympt.architectures.resnet import BlockResNet
from asympt.errors import InputError


@pytest.mark.parametrize(("phi", "depth"), [("leaky_relu", 40), ("erf", 3)])
def test_the_groups_add_up_to_the_kernel_of_the_primitives(phi, depth):
    net = BlockResNet(phi, alpha="1/2", sigma_w=2, sigma_v="3/2")
    found = net.groups(depth=depth, correlation="1/3", variance="7/5", digits=15)
    parts = net.composition
    typed = asy.Network(parts.block, first=parts.first, readout=parts.readout, variance="7/5")
    _, kernel, variance = typed.pair(depth, correlation="1/3", digits=20)
    assert abs(found.total / (kernel * variance) - 1) < 1e-14


def test_pi_ends_at_one_and_starts_with_the_whole_product():
    net = BlockResNet("relu")
    assert net.pi(3, depth=4, correlation="1/2") == 1
    assert net.pi(0, depth=4, gap=0) == mpf(27) / 8
    found = net.groups(depth=4, correlation="1/2", digits=20)
    assert found.input == pytest.approx(float(net.pi(0, depth=4, correlation="1/2") / 2), rel=1e-15)


@pytest.mark.parametrize(("options", "words"), [
    ({"alpha": 0}, "alpha = 0"), ({"alpha": -1}, "alpha = -1"), ({"sigma_v": 0}, "sigma_v"), ({"sigma_w": -2}, "_w"),
])  # fmt: skip
def test_bad_input(options, words):
    with pytest.raises(InputError, match=words):
        BlockResNet("relu", **options)


def test_pi_wants_a_block_of_the_network():
    with pytest.raises(InputError, match="block = 4"):
        BlockResNet("relu").pi(4, depth=4, gap=0)


def test_inputs_at_right_angles_have_no_ntk_in_layer_1():
    assert BlockResNet("relu", alpha="sqrt(3/2)").groups(depth=1, gap=1).total == 0

"""The referee of composed networks: random networks against the NumPy engine, which share nothing but the blocks."""

from asympt.evidence.referee import referee
from tests.depth.composed.rules import Net


def test_pre_norm_network():
    net = Net("residual(layer_norm(affine=True), relu, dense(sqrt(2)))", first="dense(1, 1/2)")
    assert referee(net, depth=4, widths=(64, 128), standard_error=0.03).verdict == "checked"

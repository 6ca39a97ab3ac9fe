"""The referee of composed networks: random networks against the NumPy engine, which share nothing but the blocks."""

import asympt as asy
from asympt.evidence.referee import referee


def test_pre_norm_network():
    net = asy.Network("residual(layer_norm(affine=True), relu, dense(sqrt(2)))", first="dense(1, 1/2)")
    assert referee(net, depth=4, widths=(64, 128), standard_error=0.03).verdict == "checked"

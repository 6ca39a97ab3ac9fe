"""
Branches scaled by 1/sqrt(l)
============================

Laws in log L: the ratio of the kernel to its diagonal.
"""

import asympt as asy
from asympt.plots import scaled_data, scaled_figure

net = asy.ScaledResNet("relu", sigma_w="sqrt(2)")
figure = scaled_figure(scaled_data(net, "ntk", depth=10**8))

"""
Correlations in log time
========================

(log l)^2 (1 - c^l) of a scaled residual network.
"""

import asympt as asy
from asympt.plots import scaled_data, scaled_figure

net = asy.ScaledResNet("relu", sigma_w="sqrt(2)")
figure = scaled_figure(scaled_data(net, "correlation", depth=10**8))

"""
The kernel of a GELU network
============================

The variance of GELU on its Edge of Chaos is unstable, which the headline says.
"""

import asympt as asy
from asympt.plots import ntk_figure

net = asy.FeedForward.on_edge_of_chaos("gelu", sigma_b="1/5")
figure = ntk_figure(net, depth=10**4)

"""
The kernel of a tanh network
============================

Smooth activations tend to 1/3 instead of 1/4.
"""

import asympt as asy
from asympt.plots import ntk_figure

net = asy.FeedForward.on_edge_of_chaos("tanh", sigma_b="1/5")
figure = ntk_figure(net, depth=10**4)

"""
The correlation of a tanh network
=================================

1/l for smooth activations, where kinks give 1/l^2.
"""

import asympt as asy
from asympt.plots import correlation_figure

net = asy.FeedForward.on_edge_of_chaos("tanh", sigma_b="1/5")
figure = correlation_figure(net, depth=10**4)

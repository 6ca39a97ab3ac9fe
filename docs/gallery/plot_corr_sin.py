"""
The correlation of a sine network
=================================

Its map has a closed form in sinh.
"""

import asympt as asy
from asympt.plots import correlation_figure

net = asy.FeedForward.on_edge_of_chaos("sin", sigma_b="1/5")
figure = correlation_figure(net, depth=10**4)

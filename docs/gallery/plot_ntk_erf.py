"""
The kernel of an erf network
============================

Its correlation map has a closed form; the law is the smooth one.
"""

import asympt as asy
from asympt.plots import ntk_figure

net = asy.FeedForward.on_edge_of_chaos("erf", sigma_b="1/5")
figure = ntk_figure(net, depth=10**4)

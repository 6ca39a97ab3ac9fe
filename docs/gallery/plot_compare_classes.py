"""
A kink against a smooth activation
==================================

1/4 and 1/3: the first derivative that jumps decides.
"""

import asympt as asy
from asympt.plots import compare_figure

nets = [asy.FeedForward("relu"), asy.FeedForward.on_edge_of_chaos("erf", sigma_b="1/5")]
figure = compare_figure(nets, depth=10**4)

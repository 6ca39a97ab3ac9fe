"""
Four slopes of leaky ReLU
=========================

All have the coefficient 3/8 of log(L)/L.
"""

import asympt as asy
from asympt.plots import compare_figure

nets = [asy.FeedForward("leaky_relu", slope=s) for s in (0, "1/10", "1/4", "1/2")]
figure = compare_figure(nets, depth=10**5)

"""
Width against depth
===================

Fluctuations of order 1/n, a band around 1 - c, and how far off a width is.
"""

import asympt as asy
from asympt.plots import width_figure

figure = width_figure(asy.FeedForward("relu"), neurons=64, depth=8, networks=40)

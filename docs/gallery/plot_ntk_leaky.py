"""
The kernel of leaky ReLU
========================

A smaller kink has the same coefficient 3/8 and a later start.
"""

import asympt as asy
from asympt.plots import ntk_figure

figure = ntk_figure(asy.FeedForward("leaky_relu", slope="1/10"), depth=10**6)

"""
The kernel of a ReLU network
============================

The slope over log L is the coefficient 3/8 of log(L)/L; a rate of 1/L would be flat (dashed).
"""

import asympt as asy
from asympt.plots import ntk_figure

figure = ntk_figure(asy.FeedForward("relu"), depth=10**6)

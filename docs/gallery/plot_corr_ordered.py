"""
The correlation in the ordered phase
====================================

Exponential, with a constant that is exact.
"""

import asympt as asy
from asympt.plots import correlation_figure

figure = correlation_figure(asy.FeedForward("erf", sigma_w=1, sigma_b="1/2"))

"""
The kernel in the chaotic phase
===============================

Exponentially again, towards the value at c* below 1.
"""

import asympt as asy
from asympt.plots import ntk_figure

figure = ntk_figure(asy.FeedForward("erf", sigma_w=3, sigma_b="1/5"))

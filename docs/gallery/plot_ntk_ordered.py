"""
The kernel in the ordered phase
===============================

It forgets its inputs exponentially.
"""

import asympt as asy
from asympt.plots import ntk_figure

figure = ntk_figure(asy.FeedForward("erf", sigma_w=1, sigma_b="1/2"))

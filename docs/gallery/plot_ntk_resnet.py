"""
The kernel of a residual network
================================

The average kernel of a ResNet tends to 1/12 with a log as well.
"""

import asympt as asy
from asympt.plots import ntk_figure

figure = ntk_figure(asy.ResNet("relu", sigma_w=1), depth=10**6)

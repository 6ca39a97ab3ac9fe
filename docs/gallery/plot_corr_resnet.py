"""
The correlation of a residual network
=====================================

The same power as without skip connection, and another constant.
"""

import asympt as asy
from asympt.plots import correlation_figure

figure = correlation_figure(asy.ResNet("relu", sigma_w=1), depth=10**6)

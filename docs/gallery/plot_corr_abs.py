"""
The correlation of the absolute value
=====================================

The strongest kink of all ReLU-like activations.
"""

import asympt as asy
from asympt.plots import correlation_figure

figure = correlation_figure(asy.FeedForward("abs"), depth=10**6)

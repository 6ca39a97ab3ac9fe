"""
The correlation of a ReLU network
=================================

How the term with the log closes the gap to the limit 9 pi^2/2.
"""

import asympt as asy
from asympt.plots import correlation_figure

figure = correlation_figure(asy.FeedForward("relu"), depth=10**6)

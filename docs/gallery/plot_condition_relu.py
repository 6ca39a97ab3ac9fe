"""
Condition numbers of a ReLU network
===================================

How depth makes the NTK well conditioned and the NNGP kernel singular.
"""

import asympt as asy
from asympt.plots import condition_data, condition_figure

data = condition_data([asy.FeedForward("relu")], inputs=10, depth=100)
figure = condition_figure(data)

"""
Condition numbers around the Edge of Chaos
==========================================

Ordered, critical and chaotic networks of the same activation.
"""

from asympt.plots import around_the_edge, condition_data, condition_figure

data = condition_data(around_the_edge("erf"), inputs=10, depth=60)
figure = condition_figure(data)

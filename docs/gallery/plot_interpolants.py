"""
What the kernels interpolate
============================

Fits on a line by the kernels of a plain and of a residual network.
"""

from asympt.plots import interpolant_figure

figure = interpolant_figure(depths=(3, 6))

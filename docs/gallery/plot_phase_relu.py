"""
The phases of ReLU
==================

Without bias everything above sqrt(2) explodes.
"""

import asympt as asy
from asympt.plots import phase_figure

figure = phase_figure(asy.activation("relu"))

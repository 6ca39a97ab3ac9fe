"""
The phases of tanh
==================

The Edge of Chaos between order and chaos, and the correlation depth around it.
"""

import asympt as asy
from asympt.plots import phase_figure

figure = phase_figure(asy.activation("tanh"))

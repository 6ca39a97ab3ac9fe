"""
The phases of GELU
==================

No bias, no edge: where the variance has a fixed point at all.
"""

import asympt as asy
from asympt.plots import phase_figure

figure = phase_figure(asy.activation("gelu"))

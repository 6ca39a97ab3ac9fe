"""
The phases of erf
=================

Like those of tanh, in closed form.
"""

import asympt as asy
from asympt.plots import phase_figure

figure = phase_figure(asy.activation("erf"))

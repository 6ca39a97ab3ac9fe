"""
A residual network with small branches
======================================

With a small sigma_w layers are nearly the identity, and the law begins later.
"""

import asympt as asy
from asympt.plots import ntk_figure

figure = ntk_figure(asy.ResNet("relu", sigma_w="1/2"), depth=10**6)

"""
Two matrices in a block
=======================

Every matrix of the block is trained, which doubles what it adds to the kernel.
"""

import asympt as asy
from asympt.plots import ntk_figure

figure = ntk_figure(asy.BlockResNet("relu", alpha=1), depth=10**6)

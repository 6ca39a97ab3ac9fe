"""
Correlation maps
================

How far f lies above c near c = 1 decides the rate.
"""

import matplotlib.pyplot as plt
import numpy as np

import asympt as asy

gap = np.linspace(0, 2, 201)
figure, axes = plt.subplots()
for name in ("relu", "erf", "sin", "gelu"):
    net = asy.FeedForward.on_edge_of_chaos(name, sigma_b=0 if name == "relu" else "1/5")
    after, _ = asy.depth.pairs(net, gap=gap, depth=2)
    axes.plot(1 - gap, 1 - after, label=name)
axes.plot([-1, 1], [-1, 1], "k--", linewidth=0.8)
axes.set(xlabel="c", ylabel="f(c)")
axes.legend()

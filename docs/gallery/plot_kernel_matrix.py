"""
The kernel matrix of points on a circle
=======================================

K/q over the angle, at four depths.
"""

import matplotlib.pyplot as plt
import numpy as np

import asympt as asy

angle = np.linspace(1e-3, np.pi, 300)
gap = 1 - np.cos(angle)
figure, axes = plt.subplots()
for depth in (2, 10, 100, 1000):
    _, kernel = asy.depth.pairs(asy.FeedForward("relu"), gap=gap, depth=depth)
    axes.plot(angle, kernel / depth, label=f"L = {depth}")
axes.set(xlabel="angle between the inputs", ylabel="K/(q L)")
axes.legend()

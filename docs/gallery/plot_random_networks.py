"""
Random networks against the theory
==================================

Kernels of networks of width 64 scatter about the limit.
"""

import matplotlib.pyplot as plt
import numpy as np

import asympt as asy
from asympt.depth import finite

X = np.random.default_rng(0).normal(size=(6, 8))
net = asy.FeedForward("relu")
_, kernel = asy.depth.gram(net, X, depth=3)
seen = finite.empirical_kernels(net.finite(), X, 3, width=64, most_seeds=40)
figure, axes = plt.subplots()
axes.errorbar(kernel.ravel(), seen.ntk.ravel(), seen.ntk_error.ravel(), fmt=".")
axes.plot([0, kernel.max()], [0, kernel.max()], "k--", linewidth=0.8)
axes.set(xlabel="NTK at infinite width", ylabel="mean over 40 networks")

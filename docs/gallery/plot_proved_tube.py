"""
A law with its proved tube
==========================

No orbit leaves the tube, at any depth.
"""

import matplotlib.pyplot as plt
import numpy as np

import asympt as asy

net = asy.FeedForward("relu")
bound = float(net.ntk_law(terms=2).certificate(correlation="1/10").constant)
depth = np.unique(np.geomspace(2, 10**4, 60).astype(int))
kernel = np.array([asy.depth.pairs(net, gap=0.9, depth=int(L))[1] for L in depth])
law = 1 / 4 + 3 * np.log(depth) / (8 * depth)
figure, axes = plt.subplots()
axes.fill_between(depth, law - bound / depth, law + bound / depth, alpha=0.3)
axes.semilogx(depth, law, depth, kernel / depth, ".")
axes.set(xlabel="L", ylabel="K/(q L)")

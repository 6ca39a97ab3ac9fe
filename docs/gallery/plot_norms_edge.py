"""
Inputs of any norms: on the Edge of Chaos
=========================================

Settled inputs (solid), two norms (dashed), one direction with two norms (dotted) in an erf network: the floor that
different norms keep is forgotten, and every pair ends on one law.
"""

import matplotlib.pyplot as plt
import numpy as np

import asympt as asy

net = asy.FeedForward.on_edge_of_chaos("erf", sigma_b="1/5")
q, depths = float(net.variance), np.unique(np.geomspace(1, 3000, 40).astype(int))
figure, axis = plt.subplots(figsize=(5, 3), layout="constrained")
for gap, one, two, line in ((0.9, q, q, "-"), (0.9, 4 * q, q / 4, "--"), (0.0, 4 * q, q / 4, ":")):
    gaps = np.array([float(asy.depth.pairs(net, gap, depth=int(depth), variance=(one, two))[0]) for depth in depths])
    label = f"$c^1={1 - gap:.1g}$, ${one / q:g}q$, ${two / q:g}q$"
    axis.loglog(depths, np.where(gaps > 0, gaps, np.nan), line, label=label)
axis.set(xlabel="depth $l$", ylabel="$1-c^l$")
axis.legend()

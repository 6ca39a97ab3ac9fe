"""
Inputs of any norms
===================

Settled inputs (solid), two norms (dashed), one direction with two norms (dotted) in a GELU network below its Edge of
Chaos: inputs of different norms fall like V'(q)^(2l), more slowly than chi^l.
"""

import matplotlib.pyplot as plt
import numpy as np

import asympt as asy

edge = asy.FeedForward.on_edge_of_chaos("gelu", sigma_b="19/50")
net = asy.FeedForward("gelu", sigma_w=edge.sigma_w, sigma_b="19/50")
q, depths = float(net.variance), np.unique(np.geomspace(1, 200, 60).astype(int))
figure, axis = plt.subplots(figsize=(5, 3), layout="constrained")
for gap, one, two, line in ((0.9, q, q, "-"), (0.9, 2 * q, q / 2, "--"), (0.0, 2 * q, q / 2, ":")):
    gaps = np.array([float(asy.depth.pairs(net, gap, depth=int(depth), variance=(one, two))[0]) for depth in depths])
    label = f"$c^1={1 - gap:.1g}$, ${one / q:g}q$, ${two / q:g}q$"
    axis.loglog(depths, np.where(gaps > 0, gaps, np.nan), line, label=label)
axis.set(xlabel="depth $l$", ylabel="$1-c^l$")
axis.legend()

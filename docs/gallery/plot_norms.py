"""
Inputs of any norms, in three phases
====================================

Settled inputs (solid), two norms (dashed), one direction with two norms (dotted): on the Edge of Chaos and above it
only the constant differs; in a GELU network below its edge inputs of different norms fall like V'(q)^(2l), more slowly
than chi^l.
"""

import matplotlib.pyplot as plt
import numpy as np

import asympt as asy

edge = asy.FeedForward.on_edge_of_chaos("gelu", sigma_b="19/50")
networks = {
    "erf, Edge of Chaos": (asy.FeedForward.on_edge_of_chaos("erf", sigma_b="1/5"), 3000),
    "GELU, ordered": (asy.FeedForward("gelu", sigma_w=edge.sigma_w, sigma_b="19/50"), 200),
    "erf, chaotic": (asy.FeedForward("erf", sigma_w=2, sigma_b="1/5"), 30),
}
figure, axes = plt.subplots(1, 3, figsize=(9, 2.8), layout="constrained")
for axis, (title, (net, last)) in zip(axes, networks.items(), strict=True):
    q = float(net.variance)
    depths = np.unique(np.geomspace(1, last, 60).astype(int))
    for gap, (one, two), line in ((0.9, (q, q), "-"), (0.9, (2 * q, q / 2), "--"), (0.0, (2 * q, q / 2), ":")):
        gaps = [asy.depth.pairs(net, gap, depth=int(depth), variance=(one, two))[0] for depth in depths]
        seen = np.where(np.array(gaps) > 0, gaps, np.nan)
        axis.plot(depths, seen, line, label=f"$c^1={1 - gap:.1g}$, $q^1={one / q:g}q$, ${two / q:g}q$")
    axis.set(title=title, xlabel="depth $l$", xscale="log", yscale="log")
axes[0].set_ylabel("$1-c^l$")
axes[0].legend(fontsize=7)

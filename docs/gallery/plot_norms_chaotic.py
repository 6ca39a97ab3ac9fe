"""
Inputs of any norms: in the chaotic phase
=========================================

Settled inputs (solid), two norms (dashed), one direction with two norms (dotted) in an erf network: all fall like
f'(c*)^l, because V'(q) is smaller.
"""

import matplotlib.pyplot as plt
import numpy as np

import asympt as asy

net = asy.FeedForward("erf", sigma_w=2, sigma_b="1/5")
q, limit, depths = float(net.variance), float(net.correlation_law(1).limit), range(1, 41)
figure, axis = plt.subplots(figsize=(5, 3), layout="constrained")
for gap, one, two, line in ((0.9, q, q, "-"), (0.9, 4 * q, q / 4, "--"), (0.0, 4 * q, q / 4, ":")):
    gaps = np.array([float(asy.depth.pairs(net, gap, depth=depth, variance=(one, two))[0]) for depth in depths])
    label = f"$c^1={1 - gap:.1g}$, ${one / q:g}q$, ${two / q:g}q$"
    axis.semilogy(depths, np.abs(gaps - limit), line, label=label)
axis.set(xlabel="depth $l$", ylabel="$|c^l-c^*|$")
axis.legend()

"""Expected kernels of networks of blocks: the rules of the primitives on covariances, in mpmath (`precise.blocks`).

They share no code with the NumPy engines and with random networks, which they are held against.
"""

import numpy as np
from mpmath import mp, mpf

import asympt as asy
from asympt.numbers import to_mpf
from asympt.precise.blocks import Group, PairState, PairStep, newest


def network(*texts: str, first: str = "dense(1)") -> asy.Network:
    """Blocks in turn behind a layer 1, for inputs of variance 1 where nothing else is said."""
    return asy.Network(period=texts, first=first, variance=1)


def limit(net: asy.Network, X, depth: int) -> tuple[np.ndarray, np.ndarray]:
    """(Sigma^L, K^L) of the rows of X at mpmath's precision, layer 1 by its dense."""
    bias, weight = to_mpf(net.first.sigma_b) ** 2, to_mpf(net.first.sigma_w) ** 2
    rows, step = mp.matrix(X.tolist()), PairStep(net.at_depth(depth).blocks)
    products = bias + weight * rows * rows.T / X.shape[1]
    found = np.empty((2, len(X), len(X)))
    for i, j in np.ndindex(len(X), len(X)):
        first = Group(mpf(1), products[i, i], products[j, j], products[i, j], products[i, j])
        state = PairState((first,), same=i == j)
        for layer in range(2, depth + 1):
            state = step(state, layer)
        found[:, i, j] = float(newest(state).s), float(newest(state).k)
    return found[0], found[1]

"""What the parameters of a network add to its NTK, summed up as the backward pass meets them.

Problem.  The NTK is a sum over every parameter theta of d f_i(a)/d theta d f_i(b)/d theta, and weights are too many to
be written out.

Rule.  Signals are arrays (networks, n, N, P), n neurons of N inputs at P positions (P = 1 without convolutions), their
derivatives d of output i at output position p arrays (networks, n, outputs, N, Q, P).  A matrix W with z = W h at every
position has d f/d W = sum_P d h^T, whose products need Gram matrices only,

    sum_(P, P') (d_a,P . d_b,P')(h_a,P . h_b,P'),

while gains and biases, few enough, are written out.  The sum is that of the mean over outputs.

Tiny case.  z = W x, one output: K = x.x'.

Known limits.  None.
"""

import numpy as np

from asympt.depth.finite.matrices import Array


class Tally:
    """The NTK so far, shape (networks, N Q, N Q)."""

    def __init__(self):
        self.total: Array | float = 0.0

    def matrix(self, d: Array, h: Array, factor: float) -> None:
        """The weights of z = W h, `factor` their learning rate; h has shape (networks, m, N, P)."""
        inner = np.einsum("cmax,cmby->caxby", h, h, optimize=True)
        self._add(factor * np.einsum("cnoaqx,cnobry,caxby->caqbr", d, d, inner, optimize=True), d)

    def vector(self, gradient: Array, factor: float = 1.0) -> None:
        """One parameter a neuron; `gradient` has shape (networks, n, outputs, N, Q)."""
        self._add(factor * np.einsum("cnoaq,cnobr->caqbr", gradient, gradient, optimize=True), gradient)

    def _add(self, share: Array, d: Array) -> None:
        pixels = d.shape[3] * d.shape[4]
        self.total = self.total + share.reshape(len(share), pixels, pixels) / d.shape[2]

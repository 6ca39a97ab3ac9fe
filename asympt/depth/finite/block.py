"""The residual network of Tirer, Bruna and Giryes, with two weight matrices a block and every one of them trained:

    x^(0) = U x/sqrt(d),     g^(l) = sigma_w/sqrt(n) W^(l) x^(l-1),
    x^(l) = x^(l-1) + alpha sigma_v/sqrt(n) V^(l) phi(g^(l))

and the output sigma_w/sqrt(n) w.x^(L).  Entries of U, V, W, w are N(0, 1).

Problem.  The kernels of the output, and the share that each group of parameters has in the NTK.

Rule.  With delta^(l) = d f/d x^(l), so that delta^(L) = sigma_w/sqrt(n) w,

    gamma^(l)     = alpha sigma_v/sqrt(n) phi'(g^(l)) * V^(l)T delta^(l)         (d f/d g^(l))
    delta^(l-1)   = delta^(l) + sigma_w/sqrt(n) W^(l)T gamma^(l)
    d f/d V^(l)   = alpha sigma_v/sqrt(n) delta^(l) phi(g^(l))^T,    d f/d W^(l) = sigma_w/sqrt(n) gamma^(l) x^(l-1)T
    d f/d U       = delta^(0) x^T/sqrt(d),                           d f/d w     = sigma_w/sqrt(n) x^(L).

Layer l of this network is g^(l), and its output behind L blocks is one more g^(L+1) (w is a row of W^(L+1)).  `depth`
counts these: depth = L + 1, and depth 1 is the linear network sigma_w/sqrt(n d) w^T U x.

Tiny case.  depth 1: the NTK is sigma_w^2 (|w|^2/n x.x'/d + x^(0).x'^(0)/n), 2 sigma_w^2 x.x'/d in the limit.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from asympt.depth.finite.matrices import Array, pairings
from asympt.depth.finite.parsing import nonlinear, scale
from asympt.meanfield.activations import Activation


@dataclass(frozen=True)
class Block:
    """A network of blocks with two matrices.

    >>> Block("relu", alpha="1/2", sigma_v=2).step
    1.0
    """

    activation: Activation | str
    alpha: float = 1.0
    sigma_w: float = 1.0
    sigma_v: float = 1.0
    spatial: ClassVar[int] = 0

    def __post_init__(self):
        for name in ("alpha", "sigma_w", "sigma_v"):
            object.__setattr__(self, name, scale(getattr(self, name), name))
        nonlinear(self.activation)

    @property
    def step(self) -> float:
        """alpha sigma_v."""
        return self.alpha * self.sigma_v

    def columns(self, X: Array, outputs: int) -> int:
        """How many columns a weight matrix is applied to in both passes."""
        return len(X) * (1 + outputs)

    def draw(self, random, X: Array, depth: int, width: int, networks: int, matrix) -> dict:
        """U, the W^(1), ..., W^(depth), whose last has the readouts as rows, and V^(1), ..., V^(depth - 1)."""
        square = (random, networks, width, width)
        return {
            "U": matrix.new(random, networks, width, X.shape[1]),
            "W": [matrix.new(*square) for _ in range(depth)],
            "V": [matrix.new(*square) for _ in range(depth - 1)],
        }

    def forward(self, weights: dict, X: Array, networks: int = 1) -> tuple[list, list]:
        """[x^(0), ..., x^(L)] and [g^(1), ..., g^(L+1)], each (networks, n, N)."""
        phi = nonlinear(self.activation)
        inputs = np.broadcast_to(X.T / np.sqrt(X.shape[1]), (networks, *X.T.shape))
        x, g = [weights["U"].times(inputs)], []
        for layer, inner in enumerate(weights["W"]):
            width = x[-1].shape[1]
            g.append(self.sigma_w / np.sqrt(width) * inner.times(x[-1]))
            if layer < len(weights["V"]):
                x.append(x[-1] + self.step / np.sqrt(width) * weights["V"][layer].times(phi.value(g[-1])))
        return x, g

    def sample(self, random, X: Array, depth: int, width: int, networks: int, outputs: int, matrix) -> dict:
        """One array (networks, ...) per quantity: see `kernels.empirical_kernels`."""
        weights = self.draw(random, X, depth, width, networks, matrix)
        x, g = self.forward(weights, X, networks)
        shares = self.shares(weights, X, x, g, outputs)
        ntk = sum(shares[name].sum(axis=1) for name in ("U", "V", "W", "readout"))
        nngp = np.stack([np.swapaxes(z, 1, 2) @ z / width for z in g], axis=1)
        return {"nngp": nngp, "ntk": ntk, **shares}

    def shares(self, weights: dict, X: Array, x: list, g: list, outputs: int) -> dict[str, Array]:
        """Shares in the NTK by group, (networks, blocks, N, N), and "delta", delta^(l).delta^(l)' for l = 0, ..., L.

        Means over the first `outputs` readouts.
        """
        phi, (networks, width, inputs) = nonlinear(self.activation), x[0].shape
        unit = np.zeros((networks, width, outputs, inputs))
        for i in range(outputs):
            unit[:, i, i] = 1.0
        found = {"V": [], "W": [], "delta": []}
        delta = self._pulled(weights["W"][-1], self.sigma_w, unit)
        found["delta"].append(_products(delta))
        for layer in range(len(weights["V"]) - 1, -1, -1):
            values, slopes = phi.value(g[layer]), phi.slope(g[layer])[:, :, None]
            gamma = slopes * self._pulled(weights["V"][layer], self.step, delta)
            found["V"].append(self.step**2 / width * _products(delta) * pairings(values))
            found["W"].append(self.sigma_w**2 / width * _products(gamma) * pairings(x[layer]))
            delta = delta + self._pulled(weights["W"][layer], self.sigma_w, gamma)
            found["delta"].append(_products(delta))
        stacked = {name: _stack(parts[::-1], networks, inputs) for name, parts in found.items()}
        first = _products(delta) * (X @ X.T / X.shape[1])
        readout = self.sigma_w**2 / width * pairings(x[-1])
        return {**stacked, "U": first[:, None], "readout": readout[:, None]}

    def _pulled(self, matrix, factor: float, columns: Array) -> Array:
        """factor/sqrt(n) M^T applied to (networks, n, outputs, N)."""
        flat = columns.reshape(*columns.shape[:2], -1)
        return factor / np.sqrt(columns.shape[1]) * matrix.transposed(flat).reshape(columns.shape)


def _products(delta: Array) -> Array:
    """delta.delta' of every pair of inputs, the mean over readouts."""
    return np.einsum("cnia,cnib->cab", delta, delta, optimize=True) / delta.shape[2]


def _stack(parts: list, networks: int, inputs: int) -> Array:
    return np.stack(parts, axis=1) if parts else np.zeros((networks, 0, inputs, inputs))

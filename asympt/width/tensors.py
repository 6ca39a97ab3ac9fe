"""Fluctuations and mean shifts of order 1/n of the kernel and of the NTK, layer by layer.

G^l_ab, the covariance of layer l given layer l - 1, is a Markov chain, G^(l+1) = sigma_b^2 + sigma_w^2/n sum_j phi_a
phi_b over neurons y_j ~ N(0, G^l), with the small-noise expansion E G = K + M/n, Cov G = V/n.  By `moments`

    V+ = J V J^T + S                 M+ = J M + F'':V/2                  T+_k = F_k + g_k T_k
    F^k+ = X^a F^k (X^b)^T + R_k T_k      (n E[y_c y'_e Theta_k] of two neurons)
    C_jk = [J (D g + V dg T)]_jk + P_jk T_k                              D+ = V+ + C        (D_jk = n Cov(G_j, Theta_k))
    m+_k = M+_k + g_k m_k + T_k (dg_k.M + d^2g_k:V/2) + dg_k.D_k + 2 sum_j dg_k,j F^k_j
    B1+ = g_aa g_bb B1 + W_k T_k^2,  B2+ = g_ab^2 B2 + W_k T_k^2         (two neurons, same and crossed inputs)
    A+ = V+_kk + 2 C_kk + (W_k - g_k^2) T_k^2 + T_k^2 dg V dg + 2 g_k T_k dg.D_k + g_k^2 A

and n Var Theta_k = A + B1 + B2, n (E Theta_k - T_k) = m.  Layer 1 is Gaussian, and everything but K and T is 0 there.
In the coordinates (p, d, Delta), and F on half sum and half difference, nothing cancels at correlation 1.

Sources: Roberts, Yaida, Hanin, The Principles of Deep Learning Theory (2022), chapters 4 and 8; Hanin and Nica,
Finite depth and width corrections to the NTK (2020).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from asympt.width.moments import ONE, TWO, Coordinates, LayerMoments, one_input, two_inputs
from asympt.width.rules import Rules

MERGED = 1e-140  # Delta/p below which float64 has no squares of Delta, and nothing else knows of it
LEVEL = 1e-17  # d^2/(p Delta) of which no digit of the gap knows
STRAIGHT = 1e-6  # d/p below which a slope tells more of the next d than a difference


@dataclass(frozen=True)
class Tensors:
    """One layer, in the letters of this module; arrays over coordinates j, entries k and inputs."""

    of: Coordinates
    kernel: Any  # K_j
    ntk: Any  # T_k
    V: Any
    M: Any
    F: Any
    D: Any
    m: Any
    A: Any
    B1: Any
    B2: Any

    @property
    def merged(self) -> bool:
        """Whether two inputs are followed as one."""
        return self.of is TWO and isinstance(self.kernel[2], float) and self.kernel[2] <= MERGED * self.kernel[0]

    # ---- what is read off, n times ---------------------------------------------------------------

    def variance(self, of: str):
        """n Var of a quantity."""
        if of.startswith("ntk"):
            return (self.A + self.B1 + self.B2)[_entry(of)]
        along = self._gradient(of)
        return along @ self.V @ along

    def shift(self, of: str):
        """n (E - limit) of a quantity."""
        if of.startswith("ntk"):
            return self.m[_entry(of)]
        bent = 0 if of.startswith("kernel") else (_gap_hessian(*self.kernel) * self.V).sum() / 2
        return self._gradient(of) @ self.M + (-bent if of == "correlation" else bent)

    def limit(self, of: str):
        """The quantity at infinite width."""
        if of.startswith("ntk"):
            return self.ntk[_entry(of)]
        if of.startswith("kernel"):
            return (self.of.entries @ self.kernel)[_entry(of)]
        p, d, gap = self.kernel
        root = ((p - d) * (p + d)) ** 0.5
        found = (gap - d * d / (root + p)) / root
        return found if of == "gap" else 1 - found

    def _gradient(self, of: str):
        if of.startswith("kernel"):
            return self.of.entries[_entry(of)]
        p, d, gap = self.kernel
        square = (p - d) * (p + d)
        root = square**0.5
        found = np.array([(d * d - p * gap) / (square * root), -(p - gap) * d / (square * root), 1 / root])
        return found if of == "gap" else -found


def _entry(of: str) -> int:
    return 0 if of.endswith("diagonal") else -1


def _gap_hessian(p, d, gap):
    """Second derivatives of 1 - (p - Delta)/sqrt(p^2 - d^2)."""
    square = (p - d) * (p + d)
    cube = square * square**0.5
    low = d * d - p * gap
    pp, pd = (-gap - 3 * p * low / square) / cube, (2 * d + 3 * d * low / square) / cube
    dd = -(p - gap) * (1 + 3 * d * d / square) / cube
    return np.array([[pp, pd, -p / cube], [pd, dd, d / cube], [-p / cube, d / cube, 0 * p]])


def after(state: Tensors, layer: LayerMoments, bias) -> Tensors:
    """The next layer."""
    down, inputs = state.of.entries, state.of.inputs
    g, T, dg = layer.slopes, state.ntk, layer.slopes_in
    kernel = np.array([layer.image[0] + bias, *layer.image[1:]])
    V = layer.jacobian @ state.V @ layer.jacobian.T + layer.noise
    M = layer.jacobian @ state.M + np.tensordot(layer.hessian, state.V) / 2
    C = layer.jacobian @ (state.D * g + state.V @ dg.T * T) + layer.mixed * T
    crossed, joint = (dg * state.D.T).sum(axis=1), np.tensordot(state.F, state.of.joined, ((1, 2), (1, 2)))
    m = down @ M + g * state.m + T * (dg @ state.M + np.tensordot(layer.slopes_twice, state.V) / 2) + crossed
    own = ((down @ V @ down.T) + 2 * (down @ C)).diagonal() + T * T * (dg @ state.V @ dg.T).diagonal()
    same = np.array([g[a] * g[b] for a, b in inputs])
    fourth = layer.fourth * T * T
    F = [layer.transfer[a] @ state.F[k] @ layer.transfer[b].T + layer.products[k] * T[k]
         for k, (a, b) in enumerate(inputs)]  # fmt: skip
    return Tensors(
        state.of, kernel, down @ kernel + g * T, V, M, np.stack(F), V @ down.T + C, m + 2 * (dg * joint).sum(axis=1),
        own + fourth - g * g * T * T + 2 * g * T * crossed + g * g * state.A,
        same * state.B1 + fourth, g * g * state.B2 + fourth,
    )  # fmt: skip


def chain(rules: Rules, weight, bias, kernel) -> Iterator[Tensors]:
    """Layers 1, 2, ... from the coordinates of G^1; `weight` and `bias` are sigma_w^2 and sigma_b^2.

    >>> from asympt import activation
    >>> from asympt.width.rules import FloatNumbers
    >>> relu = chain(Rules(activation("relu").piecewise, FloatNumbers()), 2.0, 0.0, np.array([1.0]))
    >>> [round(float(layer.variance("kernel")), 12) for layer, _ in zip(relu, range(3))]
    [0.0, 5.0, 10.0]
    """
    of, none = ONE if len(kernel) == 1 else TWO, 0 * kernel
    matrix = np.multiply.outer(none, none)
    state = Tensors(of, kernel, of.entries @ kernel, matrix, none, 0 * of.split, matrix, none, none, none, none)
    moments = one_input if of is ONE else two_inputs
    while True:
        yield state
        layer = moments(rules, weight, *state.kernel)
        before, state = state.kernel, after(state, layer, bias)
        if of is TWO and rules.arithmetic.dtype is float:
            state = replace(state, kernel=_rounded(before, layer, *state.kernel))


def _rounded(before, layer: LayerMoments, p, d, gap):
    """The kernel without what is but rounding in float64."""
    if abs(d) < STRAIGHT * p:
        d = layer.jacobian[1, 1] * before[1]
    return np.array([p, d if d * d > LEVEL * p * gap else 0.0, max(gap, MERGED * p)])

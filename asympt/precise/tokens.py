"""Tokens of one input in mpmath: what mixing does to them; the rest is as for two inputs (`precise.blocks`).

    mix, attention with 1/d     Sigma <- A Sigma A^T; of tokens all alike q - p <- lambda^2 (q - p), and q by the mean
    attention with 1/sqrt(d)    q <- p + (q - p) D_1,   p <- p + (q - p) D_c, by `overlap` at c = p/q and
                                tau^2 = s^2 q (q - p); of float64, so good for 12 digits

Tokens that are all alike are two of them, q = Sigma_ii and p = Sigma_ij; others are arrays, Sigma_ii as a column and as
a row beside all of Sigma.
"""
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from mpmath import mp, mpf
from sympy import Expr

from asympt.blocks import nodes
from asympt.blocks.nodes import MixNode, Node, every_node
from asympt.errors import UnsupportedError
from asympt.numbers import to_mpf
from asympt.precise.blocks import Group, PairState, PairStep, followed, refined

# ---- softmax attention at initialisation: what two rows of its weights have in common ------------
#
# A_k = e^(tau X_k)/sum_l e^(tau X_l), k = 1, ..., T, with independent X_k from N(0, 1); B of Y_k, corr(X_k, Y_k) = rho:
#
#     D(tau, rho, T) = E sum_k A_k B_k = T iint psi_uv psi^(T-1) du dv,   psi(u, v) = E exp(-u e^(tau X) - v e^(tau Y)),
#
# D(tau, 1, T) = T int u phi'' phi^(T-1) du, phi(u) = psi(u, 0).  The trapezoidal rule in log u, log v and Gaussians
# converges exponentially.  Where rho is near 1, D(tau, 1, T) - D(tau, rho, T) keeps its digits: with E = e^(tau X) and
# X = sqrt(rho) Z + sqrt(1 - rho) W, psi_1 - psi_rho = E_Z Cov_W(e^(-u E), e^(-v E)), in which expm1 cancels nothing.


Array = np.ndarray

STEP = 0.25  # of the grids
WIDEST = 4.0  # tau; a wider spread of logits needs more nodes than fit
WIDE = 1.0  # largest deviation of a grid for which e^x - 1 needs no care
REACH, LEAST = 8.3, 36.0  # of a Gaussian, in standard deviations; -log of the least u that counts


@lru_cache(maxsize=4096)
def overlap(tau: float, gap: float, tokens: int, step: float = STEP) -> tuple[float, float]:
    """(D(tau, 1, T), D(tau, 1, T) - D(tau, rho, T)), rho = 1 - gap, in float64 to 12 digits.

    `step` of the grids: two of them tell how many digits there are.  Raises `UnsupportedError` for tau > 4.

    >>> same, apart = overlap(1.0, 0.5, 4)
    >>> print(f"{same:.12f} {same - apart:.12f}")
    0.391971443576 0.315818080069
    """
    if tau > WIDEST:
        raise UnsupportedError(
            f"logits of standard deviation {tau:.6g} between tokens: integrals over softmax weights are computed up to "
            f"{WIDEST:g}; take a smaller logit_variance"
        )
    u = np.exp(np.arange(-LEAST - tau**2, 4 + REACH * tau, step))
    x, density = _gaussian(tau, step)
    plain = _values(u, x)
    same, same_uv = ((part * density) @ part.T for part in plain)
    (_, near_uv), (apart, apart_uv) = _correlated(u, tau, gap, step, (same, same_uv))
    share = np.minimum(np.divide(apart, same, out=np.zeros_like(same), where=same > 0), 1)
    with np.errstate(divide="ignore"):  # share 1: nothing is left
        power = -np.expm1((tokens - 1) * np.log1p(-share))  # 1 - (psi_rho/psi_1)^(T-1)
    difference = np.sum(same ** (tokens - 1) * (apart_uv + near_uv * power))
    phi, second = plain[0] @ density, (u[:, None] * np.exp(x) * plain[1]) @ density
    return tokens * step * float(np.sum(second * phi ** (tokens - 1))), tokens * step**2 * float(difference)


def _correlated(u: Array, tau: float, gap: float, step: float, same: tuple) -> tuple[list, list]:
    """psi and u v psi_uv at rho = 1 - gap, and what they lack to those at 1, `same`."""
    own = min(gap, 2 - gap)
    (z, at_z), (w, at_w) = (_gaussian(tau * np.sqrt(part), step) for part in (1 - own, own))
    moved = _deviations(u, z, w)
    means = [part @ at_w for part in moved]
    whole = [start + mean for start, mean in zip(_values(u, z), means, strict=True)]
    sign = -1 if gap > 1 else 1  # Y = -sqrt(|rho|) Z + ..., on a symmetric grid
    near = [(part * at_z) @ part[:, ::sign].T for part in whole]
    if gap >= 1:
        return near, [one - two for one, two in zip(same, near, strict=True)]
    weights = (at_z[:, None] * at_w).ravel()
    spread = [(part - mean[:, :, None]).reshape(len(u), -1) for part, mean in zip(moved, means, strict=True)]
    return near, [(part * weights) @ part.T for part in spread]


def _gaussian(deviation: float, step: float) -> tuple[Array, Array]:
    """Nodes of N(0, deviation^2), symmetric, and their weights."""
    h = min(2 * step, step / deviation) if deviation else 1.0
    count = int(REACH / h) if deviation else 0
    x = h * np.arange(-count, count + 1)
    weights = np.exp(-(x**2) / 2)
    return deviation * x, weights / weights.sum()


def _values(u: Array, x: Array) -> tuple[Array, Array]:
    """e^(-u E) and u E e^(-u E), E = e^x: shape (u, x)."""
    y = u[:, None] * np.exp(x)
    return np.exp(-y), y * np.exp(-y)


def _deviations(u: Array, z: Array, w: Array) -> tuple[Array, Array]:
    """The same at x = z + w, less those at z: shape (u, z, w)."""
    y = (u[:, None] * np.exp(z))[:, :, None]
    start = np.exp(-y)
    near = np.minimum(-y * np.expm1(w), 700)  # beyond e^700 `start` is 0
    moved = np.exp(-y * np.exp(w)) - start if w[-1] > WIDE else start * np.expm1(near)
    return moved, y * (np.exp(w) * moved + start * np.expm1(w))


MOST_FOLLOWED = 64  # tokens of which every two are followed
GRIDS = 0.27, 0.24  # steps of two grids for softmax weights: how far their numbers agree tells their digits


def mixing_nodes(blocks: Sequence[Node]) -> list[MixNode]:
    """The means over tokens in blocks, those of attention among them."""
    return [node for node in every_node(blocks) if node.is_mixing]


def random_weights(blocks: Sequence[Node]) -> list[nodes.AttentionNode]:
    """The attention whose softmax weights stay random."""
    return [node for node in every_node(blocks) if getattr(node, "logit_variance", None) is not None]


@dataclass(frozen=True)
class TokenStep(PairStep):
    """The layers of a network of tokens, from layer 2 on, without NTK; `grid`: of softmax weights, its step."""

    grid: float = GRIDS[0]

    def _through(self, node: Node, state: PairState, layer: int) -> PairState:
        match node:
            case nodes.MixNode():
                return PairState((_mixed(node, state.whole),))
            case nodes.AttentionNode(logit_variance=None):
                return self.through(nodes.SerialNode(node.parts), state, layer)
            case nodes.AttentionNode(parts=(_, drawn)):
                return self._through(drawn, PairState((_attended(node, state.whole, self.grid),)), layer)
        return super()._through(node, state, layer).each(lambda group: replace(group, k=mpf(0)))


def _tokens(q, p) -> Group:
    return Group(mpf(1), q, q, p, mpf(0))


def _apart(s: np.ndarray) -> Group:
    q = np.diagonal(s)
    return Group(mpf(1), q[:, None], q, s, mpf(0))


def _mixed(node: MixNode, group: Group) -> Group:
    """A Sigma A^T."""
    q, p = group.q, group.s
    if isinstance(p, np.ndarray):
        rows = np.array([[to_mpf(value) for value in row] for row in node.matrix])
        return _apart(rows @ np.where(np.eye(len(p), dtype=bool), q, p) @ rows.T)
    apart = to_mpf(node.eigenvalue) ** 2 * (q - p)
    q = p + (q - p - apart) / node.tokens + apart
    return _tokens(q, q - apart)


def _attended(node: nodes.AttentionNode, group: Group, step: float) -> Group:
    """Softmax weights with 1/sqrt(d), on a grid of this step."""
    q, p = group.q, group.s
    if isinstance(p, np.ndarray):  # an expectation over the logits of all tokens for every two rows
        raise UnsupportedError(
            f"{node!r}: random softmax weights are followed for tokens that are all alike, without masks and matrices; "
            "take scaling='1/d' with them"
        )
    tau = mp.sqrt(to_mpf(node.logit_variance) * q * (q - p))
    same, apart = overlap(float(tau), float((q - p) / q), node.tokens, step)
    return _tokens(p + (q - p) * same, p + (q - p) * same - (q - p) * apart)


@dataclass(frozen=True)
class Tokens:
    """The tokens of a network of `blocks`, from a first layer in which all have `variance` and the gap 1 - c^1."""

    blocks: tuple[Node, ...]
    variance: Expr

    @cached_property
    def count(self) -> int:
        """T."""
        return mixing_nodes(self.blocks)[0].tokens

    @cached_property
    def are_alike(self) -> bool:
        """Whether nothing tells one token from another."""
        return all(node.eigenvalue is not None for node in mixing_nodes(self.blocks))

    @cached_property
    def has_logits(self) -> bool:
        """Whether softmax weights stay random."""
        return bool(random_weights(self.blocks))

    def gap(self, gap, depth: int, pair: tuple[int, int] = (0, 1), grid: int = 0):
        """1 - c_ij in a layer, at mpmath's precision (that of float64 with softmax weights, on either of two grids).

        >>> from asympt.blocks import read_block
        >>> from sympy import Integer
        >>> net = Tokens((read_block("serial(residual(attention(8)), rms_norm)"),), Integer(1))
        >>> print(mp.nstr(net.gap(mpf("0.9"), 3), 10))
        0.5496183206
        """
        step = TokenStep(self.blocks, GRIDS[grid])

        def follow() -> list[tuple]:
            found = followed(step, PairState((self._begun(gap),)), [depth])[0][0]
            return [(found if self.are_alike else found[pair],)]

        return +refined(follow, gap)[0][0]

    def _begun(self, gap) -> Group:
        q = to_mpf(self.variance)
        if self.are_alike:
            return _tokens(q, q * (1 - gap))
        if self.count > MOST_FOLLOWED:
            raise UnsupportedError(
                f"{self.count} tokens that are not alike: every two of at most {MOST_FOLLOWED} are followed; take fewer"
            )
        return _apart(q * (1 - gap) + q * gap * np.eye(self.count, dtype=int))

"""The rules of the primitives iterated as they stand, on covariances of two inputs, in mpmath: an independent route.

E[phi phi] and E[phi' phi'] of two normal variables of covariance [[q, s], [s, p]]: ReLU (Cho and Saul 2009), erf
(Williams 1997), every other phi by a product of two Gauss-Hermite rules of 100 points.
"""

from dataclasses import dataclass, replace

import numpy as np
from mpmath import mp, mpf
from sympy import Expr

from asympt.blocks import nodes
from asympt.blocks.nodes import DEPTH, LAYER, parts_of
from asympt.numbers import to_mpf

NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(100)
WEIGHTS = WEIGHTS / WEIGHTS.sum()


class Net:
    """What the engine reads of a network of blocks."""

    def __init__(self, *texts, first="dense(1)", variance=1):
        from sympy import Rational

        from asympt.blocks import read_block

        self.blocks, self.first = tuple(map(read_block, texts)), read_block(first)
        self.variance = Rational(variance)

    def finite(self):
        from asympt.depth.finite import Composition

        return Composition(self.blocks, self.first)


@dataclass(frozen=True)
class Cell:
    """Neurons of one distribution: width, q, p, s, K; the means straight after phi; straight after a norm with gain."""

    width: object
    q: object
    p: object
    s: object
    k: object
    means: tuple = (0, 0)
    gain: bool = False


def limit(net, X, depth: int) -> tuple[np.ndarray, np.ndarray]:
    """(Sigma^L, K^L) of the rows of X, layer 1 by its dense."""
    bias, weight = to_mpf(net.first.sigma_b) ** 2, to_mpf(net.first.sigma_w) ** 2
    rows = mp.matrix(X.tolist())
    products = bias + weight * rows * rows.T / X.shape[1]
    found = np.empty((2, len(X), len(X)))
    for i, j in np.ndindex(len(X), len(X)):
        cell = Cell(mpf(1), products[i, i], products[j, j], products[i, j], products[i, j])
        last = iterated(net.blocks, cell, depth, i == j)[-1]
        found[:, i, j] = float(last.s), float(last.k)
    return found[0], found[1]


def pair(net, gap, variance, depth: int, other=None) -> tuple:
    """(1 - c^L, K^L/sqrt(q p)) from those of layer 1."""
    q, p = mpf(variance), mpf(variance if other is None else other)
    s = (1 - mpf(gap)) * mp.sqrt(q * p)
    last = iterated(net.blocks, Cell(mpf(1), q, p, s, s), depth, gap == 0)[-1]
    root = mp.sqrt(last.q * last.p)
    return 1 - last.s / root, last.k / root


def iterated(blocks, first: Cell, depth: int, same: bool) -> list[Cell]:
    """The groups of neurons of layer `depth`."""
    cells = [first]
    for layer in range(2, depth + 1):
        cells = through(blocks[(layer - 2) % len(blocks)], cells, layer, depth, same)
    return [counted(cell) for cell in cells]


def through(node, cells: list[Cell], layer: int, depth: int, same: bool) -> list[Cell]:
    for part in parts_of(node):
        cells = one_part(part, cells, layer, depth, same)
    return cells


def one_part(node, cells: list[Cell], layer: int, depth: int, same: bool) -> list[Cell]:
    def square(factor: Expr):
        return to_mpf(factor.subs({LAYER: layer, DEPTH: depth})) ** 2

    def branch(of):
        return through(of, cells, layer, depth, same)

    plain = [counted(cell) for cell in cells]
    match node:
        case nodes.DenseNode():
            w, b, x = to_mpf(node.sigma_w) ** 2, to_mpf(node.sigma_b) ** 2, mean(cells)
            s = b + w * x.s
            return [Cell(mpf(1), b + w * x.q, b + w * x.p, s, s + w * x.k)]
        case nodes.ActivationNode():
            return [activated(node.phi, cell) for cell in cells]
        case nodes.LayerNormNode() | nodes.RMSNormNode():
            x = mean(cells)
            m, n = x.means if isinstance(node, nodes.LayerNormNode) and len(cells) == 1 else (0, 0)
            q, p = x.q - m * m, x.p - n * n
            root = mp.sqrt(q * p)
            return [Cell(c.width, (c.q - m * m) / q, (c.p - n * n) / p, (c.s - m * n) / root, c.k / root,
                         gain=node.affine) for c in plain]  # fmt: skip
        case nodes.DropoutNode():
            keep = to_mpf(node.keep)
            again = 1 / keep if same else 1
            return [Cell(c.width, c.q / keep, c.p / keep, c.s * again, c.k * again) for c in plain]
        case nodes.ScaleNode():
            f = square(node.factor)
            return [Cell(c.width, f * c.q, f * c.p, f * c.s, f * c.k) for c in plain]
        case nodes.ResidualNode():
            x, a, b = mean(branch(node.branch)), square(node.skip), square(node.scale)
            return [Cell(c.width, a * c.q + b * x.q, a * c.p + b * x.p, a * c.s + b * x.s, a * c.k + b * x.k) for c in
                    plain]  # fmt: skip
        case nodes.GatedNode():
            x, y = mean(branch(node.one)), mean(branch(node.two))
            return [Cell(mpf(1), x.q * y.q, x.p * y.p, x.s * y.s, x.k * y.s + x.s * y.k)]
        case nodes.DenseConnectionNode():
            return plain + [replace(counted(c), width=to_mpf(node.growth)) for c in branch(node.branch)]
    raise AssertionError(node)


def counted(cell: Cell) -> Cell:
    """With gain and bias, c + 1 in the mean over neurons."""
    return replace(cell, k=cell.k + cell.s + 1, gain=False) if cell.gain else cell


def mean(cells: list[Cell]) -> Cell:
    if len(cells) == 1:
        return replace(counted(cells[0]), means=cells[0].means)
    cells, total = [counted(c) for c in cells], sum(c.width for c in cells)
    return Cell(total, *(sum(c.width * getattr(c, n) for c in cells) / total for n in ("q", "p", "s", "k")))


def activated(phi, x: Cell) -> Cell:
    values = expectations(phi, x.q, x.p, x.s)
    squares = [expectations(phi, v, v, v)[0] for v in (x.q, x.p)]
    k = x.k * values[1] + (values[1] + values[2] if x.gain else 0)
    return Cell(x.width, *squares, values[0], k, tuple(expectations(phi, v, v, v)[3] for v in (x.q, x.p)))


def expectations(phi, q, p, s) -> tuple:
    """E[phi phi'], E[phi' phi''], E[x phi' x' phi''] of (u, v), and E[phi(u)]."""
    root = mp.sqrt(q * p)
    if phi.name == "relu":
        angle = mp.acos(max(min(s / root, mpf(1)), mpf(-1)))
        value = root * (mp.sin(angle) + (mp.pi - angle) * mp.cos(angle)) / (2 * mp.pi)
        return value, (mp.pi - angle) / (2 * mp.pi), value, mp.sqrt(q / (2 * mp.pi))
    if phi.name == "erf":
        whole = (1 + 2 * q) * (1 + 2 * p)
        slope = 4 / mp.pi / mp.sqrt(whole - 4 * s * s)
        # x erf'(x) = 2 x exp(-x^2)/sqrt(pi): a Gaussian integral with covariance (Sigma^-1 + 2)^-1
        radial = slope * s / (whole - 4 * s * s)
        return 2 / mp.pi * mp.asin(2 * s / mp.sqrt(whole)), slope, radial, mpf(0)
    u, v = np.sqrt(float(q)) * NODES[:, None], float(s) / np.sqrt(float(q)) * NODES[:, None]
    v = v + np.sqrt(max(float(p - s * s / q), 0.0)) * NODES
    f, d = phi.piecewise.vectorised, phi.piecewise.derivative().vectorised
    w = WEIGHTS[:, None] * WEIGHTS
    u = np.broadcast_to(u, v.shape)
    sums = (f(u) * f(v), d(u) * d(v), u * d(u) * v * d(v), f(u))
    return tuple(mpf(float((w * values).sum())) for values in sums)

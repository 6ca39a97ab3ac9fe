"""What an activation does to pairs of inputs: the image of the gap and the slope, by how far they are from a number.

Problem.  phi takes the variance q to E phi^2 and the gap gamma to E[phi^2 - phi phi']/E phi^2; layers are composed a
million times, so both must be known by how little they change.

Rule.  With chi = q E phi'^2/E phi^2 an `Image` is (`excess`, `drop`, `turn`) with

    gamma' = (1 + excess - drop) gamma,        dc'/dc = 1 + excess - turn,        excess = chi - 1.

    a line and a kink         chi = 1, whatever q is                                    `squaring.HomogeneousLayer`
    one variance, for ever    drop = t^p A, turn = t^p D                                `tables`
    any variances             E phi^2 and E[phi' phi'] of every pair, and what q and q' `moving`, `norms`
                              alone take from the correlation, `lift`

Tiny case.  ReLU, gamma = 1: drop = 1/pi, turn = 1/2.

Known limits.  With variances that move, drop is a difference: it has errors of 1e-16.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from sympy import Integer

from asympt.depth.cells import SMALLEST, cells
from asympt.depth.composed.signals import Track, roots
from asympt.depth.constants import LayerConstants, constants, precise
from asympt.depth.loops.general import far_curves, looked_up, near_curves
from asympt.depth.moving import Added, Moving, Pairs
from asympt.depth.norms import move_pairs
from asympt.depth.norms.pairing import Paired
from asympt.depth.plane import product
from asympt.depth.psi import FloatPsi, line
from asympt.depth.smoothing import Smoothed
from asympt.depth.squaring import HomogeneousLayer
from asympt.depth.tables import TURN, ChebyshevPieces, Tables, panels_of, tables_at
from asympt.errors import UnsupportedError
from asympt.gaussian.piecewise import PiecewiseSmooth
from asympt.meanfield.activations import Activation
from asympt.meanfield.layer import Layer

Array = np.ndarray


class Image(NamedTuple):
    """E phi^2 of every input, and what becomes of the gap; `lift`: what is added to it besides."""

    second: Array
    excess: Array | float
    drop: Array
    turn: Array
    lift: Array | None = None


def image(phi: Activation, q: Array, pairs: Paired, gap: Array, rest: Array, settled: bool) -> Image:
    """The image of gaps of pairs of inputs of the variances q; `settled`: q will come again."""
    if phi.is_relu_like:
        return _kinked(phi, q, gap, rest)
    if ((q < SMALLEST) & ((q > 0) | (len(q) == 1))).any():
        raise UnsupportedError(
            f"activation {phi.name} reads neurons of variance {q.min():.3g}, below {SMALLEST:.0e}, where float64 no "
            "longer tells phi from its value at 0: the variance tends to 0; give a smaller depth or larger deviations"
        )
    if len(q) == 1 and settled:
        return _tabulated(phi.piecewise, q, gap, rest)
    return _moved(phi.piecewise, q, pairs, gap, rest)


# ---- a line and a kink ----------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def kink(phi: Activation) -> tuple[LayerConstants, float]:
    """The constants of phi, and E phi^2 at q = 1."""
    return constants(Layer(phi, 1 / phi.second_moment, Integer(0))), float(precise(phi.second_moment))


def _kinked(phi: Activation, q: Array, gap: Array, rest: Array) -> Image:
    numbers, second = kink(phi)
    found = HomogeneousLayer(numbers)(gap, rest)
    return Image(second * q, 0.0, found.shrink.rest, found.slope.rest)


# ---- one variance ---------------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def curve(phi: PiecewiseSmooth, q: float) -> tuple[Tables, float]:
    """The tables of phi at the variance q, normalised by E phi^2, and E phi^2."""
    return tables_at(phi, q)


def _tabulated(phi: PiecewiseSmooth, q: Array, gap: Array, rest: Array) -> Image:
    tables, second = curve(phi, float(q[0]))
    drop, turn = near_curves(tables, np.minimum(gap, TURN))
    far = gap > TURN
    if far.any():
        after, steep = far_curves(tables, rest[far])
        drop[far], turn[far] = tables.chi - after / gap[far], tables.chi - steep
    return Image(np.array([second]), tables.excess, drop, turn)


# ---- any variances --------------------------------------------------------------------------------------------


def _moved(phi: PiecewiseSmooth, q: Array, pairs: Paired, gap: Array, rest: Array) -> Image:
    layer = Moving(phi, 1.0, 0.0, Added(0.0, 0.0, 0.0))
    i, j = (np.broadcast_to(places, gap.shape).copy() for places in (pairs.rows, pairs.columns))
    state = Pairs(i, j, gap.copy(), np.ones_like(gap), rest)
    second, _, _ = move_pairs(layer, state, q, lambda done: None)
    if len(q) == 1:
        slopes = q * cells(phi).moments(q)[:, 1] / second
        factor = np.divide(state.gap, gap, out=np.broadcast_to(slopes, gap.shape).copy(), where=gap > 0)
        return Image(second, slopes - 1, slopes - factor, slopes - state.kernel)
    return Image(second, state.kernel - 1, np.zeros_like(gap), np.zeros_like(gap), state.gap - state.kernel * gap)


def mean_of(phi: Activation, q: Array) -> Array:
    """E phi(sqrt(q) Z) of every input."""
    if phi.is_relu_like:
        right, left = (float(precise(slope)) for slope in phi.slopes)
        return (right - left) * np.sqrt(q / (2 * np.pi))
    values, places = np.unique(q, return_inverse=True)
    return np.array([_mean(phi.piecewise, float(value)) for value in values])[places]


@lru_cache(maxsize=1024)
def _mean(phi: PiecewiseSmooth, q: float) -> float:
    psi = FloatPsi(phi, q)
    x, w = line(psi)
    return float(np.sum(w * psi(x)))


# ---- behind a norm with gain ------------------------------------------------------------------------------------


def radial(phi: Activation, q: Array, pairs: Paired, track: Track) -> Array:
    """E[phi'(u) phi'(u') u u'] of pairs of inputs: what a gain in front of phi adds to the NTK."""
    gap = track.gap
    if phi.is_relu_like:  # x phi' = phi
        numbers, second = kink(phi)
        return second * roots(q, pairs) * (1 - gap * HomogeneousLayer(numbers)(gap, track.rest).shrink.value)
    if len(q) > 1 and np.ptp(q) > 0:
        raise UnsupportedError(
            f"activation {phi.name} reads neurons of several layers behind one norm with affine=True, for inputs of "
            "different norms; take inputs of one norm, or affine=False"
        )
    near, far = _radial_table(phi.piecewise, float(q[0]))
    beyond = gap > TURN
    found = looked_up(near[0], np.sqrt(np.minimum(gap, TURN)), *near[1])[0]
    return np.where(beyond, looked_up(far[0], np.sqrt(np.where(beyond, track.rest, 0.0)), *far[1])[0], found)


@lru_cache(maxsize=16)
def _radial_table(phi: PiecewiseSmooth, q: float) -> tuple:
    """Panels of t = sqrt(gap) and of sqrt(2 - gap)."""
    slope = phi.derivative()
    psi = FloatPsi(PiecewiseSmooth(slope.symbol, slope.breaks, tuple(slope.symbol * p for p in slope.pieces)), q)
    first, mirror = min(1.0, 1 / psi.steepness), psi.reflected()
    smoothed = None if phi.breaks else Smoothed(psi, 0)

    def mean(c: float, t: float) -> float:
        """At the correlation c, t^2 = 1 - |c|."""
        return product(psi, mirror if c < 0 else psi, t / np.sqrt(2), 0) if phi.breaks else smoothed.product(c, t)

    def near(t: float) -> float:
        return mean(1 - t * t, np.sqrt(2 - t * t) if t > 1 else t)

    ends, root = (np.sqrt(TURN), np.sqrt(2 - TURN)), 1 if phi.breaks else 2
    curves = (near, lambda u: mean(u * u - 1, u))
    return tuple(panels_of((ChebyshevPieces.of(curve, end, root, first),), end)
                 for curve, end in zip(curves, ends, strict=True))  # fmt: skip

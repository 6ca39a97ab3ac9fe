"""Many layers at once: the map composed with itself 2^k times, kept as an interpolant.

Problem.  Nearly equal slopes make a nearly linear network: it needs about alpha = 3/(sqrt(2) rho) layers to forget
its input, a hundred thousand for slopes 1 and 0.99, before the Abel series is accurate.  Iterating them in
mpmath takes minutes.

Rule.  For t up to the interpolation radius, where the map is analytic with room to spare, 2^k layers take (x, a) to
(x r_k(t), lambda_k(t) a + b_k(t)).  With r_k, lambda_k and b_k known at Chebyshev points,

    r_(k+1)(t) = r_k(t) r_k(t_k),   lambda_(k+1) = lambda_k(t_k) lambda_k,   b_(k+1) = lambda_k(t_k) b_k + b_k(t_k),

t_k being where t has gone after 2^k layers; values between the points come from barycentric interpolation.  Any
number of layers is a sum of powers of two.

Tiny case.  t' = t/(1 + t): r_k = 1/(1 + 2^k t), found from r_0 alone.

Known limits.  Interpolation converges geometrically, at a rate that falls as 2^k grows beyond alpha; the number of
points is generous for the layers up to a matching layer, and whoever uses iterates compares two numbers of points.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import mpmath
from mpmath import mp

from asympt.numbers import to_mpf
from asympt.recursions.protocol import Dynamics

POINTS_PER_DIGIT = 3


@dataclass(frozen=True, eq=False)
class Nodes:
    """Chebyshev points of (0, end) with their barycentric weights."""

    points: tuple
    weights: tuple

    @classmethod
    def on(cls, end, count: int) -> "Nodes":
        """`count` points of the first kind."""
        angles = [(2 * j + 1) * mp.pi / (2 * count) for j in range(count)]
        points = tuple(end * (1 - mp.cos(angle)) / 2 for angle in angles)
        return cls(points, tuple((-1) ** j * mp.sin(angle) for j, angle in enumerate(angles)))

    def interpolate(self, t, columns: Sequence[Sequence]) -> list:
        """The value at t of every column of values at the points.

        >>> grid = Nodes.on(mpmath.mpf(1), 5)
        >>> [mpmath.nstr(v, 8) for v in grid.interpolate(mpmath.mpf(1) / 3, [[t**4 for t in grid.points]])]
        ['0.012345679']
        """
        if t in self.points:
            return [column[self.points.index(t)] for column in columns]
        shares = [weight / (t - point) for point, weight in zip(self.points, self.weights, strict=True)]
        total = mp.fsum(shares)
        return [mp.fdot(shares, column) / total for column in columns]


@dataclass(frozen=True, eq=False)
class Iterate:
    """2^k layers: the columns r, and with a linear part lambda and b, at the points of the grid."""

    grid: Nodes
    columns: tuple
    root: int

    @classmethod
    def one_layer(cls, dynamics: Dynamics, grid: Nodes) -> "Iterate":
        """The original step at the points."""
        rows = [_measure(dynamics, t) for t in grid.points]
        return cls(grid, tuple(zip(*rows, strict=True)), dynamics.root)

    def at(self, t) -> list:
        """[r] or [r, lambda, b] at t."""
        return self.grid.interpolate(t, self.columns)

    def doubled(self) -> "Iterate":
        """Twice as many layers."""
        rows = []
        for t, first in zip(self.grid.points, zip(*self.columns, strict=True), strict=True):
            second = self.at(t * first[0] ** (mpmath.mpf(1) / self.root))
            rows.append(_then(first, second))
        return Iterate(self.grid, tuple(zip(*rows, strict=True)), self.root)

    def apply(self, state: tuple) -> tuple:
        """The state after 2^k layers."""
        moved = self.at(state[0] ** (mpmath.mpf(1) / self.root))
        if len(state) == 1:
            return (state[0] * moved[0],)
        return state[0] * moved[0], moved[1] * state[1] + moved[2]


def _measure(dynamics: Dynamics, t) -> tuple:
    """One layer at t: (x'/x,) or (x'/x, lambda, b), from the original step alone."""
    x = t**dynamics.root
    if dynamics.linear is None:
        return (dynamics.step((x,))[0] / x,)
    following, source = dynamics.step((x, mpmath.mpf(0)))
    return following / x, dynamics.step((x, mpmath.mpf(1)))[1] - source, source


def _then(first: Sequence, second: Sequence) -> tuple:
    """First one iterate, then another."""
    if len(first) == 1:
        return (first[0] * second[0],)
    return first[0] * second[0], second[1] * first[1], second[1] * first[2] + second[2]


class Iterates:
    """The iterates of 1, 2, 4, ... layers of one recursion at one precision, built when first needed."""

    def __init__(self, dynamics: Dynamics, digits: int):
        self.end, self.digits = to_mpf(dynamics.interpolation_radius), digits
        grid = Nodes.on(self.end, POINTS_PER_DIGIT * digits + 20)
        self.iterates = [Iterate.one_layer(dynamics, grid)]

    def iterate(self, k: int) -> Iterate:
        """2^k layers."""
        while len(self.iterates) <= k:
            self.iterates.append(self.iterates[-1].doubled())
        return self.iterates[k]

    def advance(self, state: tuple, layers: int) -> tuple:
        """The state after any number of layers, from a start within the grid."""
        for k in reversed(range(layers.bit_length())):
            if layers >> k & 1:
                state = self.iterate(k).apply(state)
        return state

    def descend(self, state: tuple, edge, most: int) -> tuple[tuple, int]:
        """The last state, within `most` layers, whose x still exceeds `edge`, and how many layers away it is."""
        layers = 0
        for k in reversed(range(most.bit_length())):
            further = self.iterate(k).apply(state)
            if further[0] > edge:
                state, layers = further, layers + 2**k
        return state, layers


@lru_cache(maxsize=16)
def iterates_of(dynamics: Dynamics, digits: int) -> Iterates:
    """The iterates of a recursion for `digits` digits; call it at that working precision."""
    return Iterates(dynamics, digits)

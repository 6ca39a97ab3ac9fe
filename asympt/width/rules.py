"""Rules for means over one or two normal variables, as arrays of nodes and weights, in float64 or in mpmath numbers.

One variable: equal steps, or Gauss-Legendre panels, cut where phi has a breakpoint, else near 0 where steps would be
too many.  Two variables of covariance G stand in

    U, V = m +- w,    w = s_w z_2,   m = s_m z_1 + r z_2,    s_w^2 = Delta/2,   s_w r = d/2,   s_w s_m = sqrt(det G)/2,

p = (G11 + G22)/2, d = (G11 - G22)/2, Delta = p - G12 and z standard normal.  Panels in z_2 are cut where two
breakpoints meet, those in z_1 where U or V meets one.  A ReLU-like phi is a polynomial in each of the four sectors of
the plane between U = 0 and V = 0: Gauss-Laguerre in the radius and Gauss-Legendre in the angle are exact there.

phi(U) - phi(V) for a small w within one piece is the integral of phi' from V to U: its digits are those of w.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from flint import arb
from mpmath import mp
from sympy import Expr

from asympt.balls.arithmetic import midpoint, working
from asympt.errors import PrecisionError
from asympt.gaussian.piecewise import PiecewiseSmooth
from asympt.gaussian.quadrature.profile import legendre_rule
from asympt.meanfield.activations import slopes
from asympt.numbers import to_mpf

PANELS = [6 / 2**k for k in range(8)]
STEPS = [1 / 2 ** (k / 2) for k in range(13)]
NEAR = 1 / 32  # |w| in units of the scale of phi below which, in float64, phi(U) - phi(V) is an integral of phi'
REMEMBERED = 1000
LEAST = 1e-150  # of a variance, whose square float64 has
BENDS = sorted([0, *(sign * 2**k for k in range(6) for sign in (-1, 1))])  # between which a smooth phi bends little
LARGEST, RADIAL = 40, 4  # reach of z, nodes in the radius: exact to degree 14 in (U, V) and scores together


class FloatNumbers:
    """float64."""

    dtype, digits, near, least, lost, pi = float, 18, NEAR, 1e-3, 1e-6, np.pi
    sqrt, exp, cos, sin, angle = (staticmethod(f) for f in (np.sqrt, np.exp, np.cos, np.sin, np.arctan2))

    @staticmethod
    def number(value) -> float:
        return float(MpmathNumbers.number(value))

    @staticmethod
    def function(f: PiecewiseSmooth) -> Callable:
        return f.vectorised

    @staticmethod
    def legendre() -> tuple:
        return np.polynomial.legendre.leggauss(16)


class MpmathNumbers:
    """mpmath numbers at its current precision, in arrays of objects."""

    dtype, least, lost = object, 1e-6, 0
    sqrt, angle = staticmethod(mp.sqrt), staticmethod(mp.atan2)
    exp, cos, sin = (staticmethod(np.frompyfunc(f, 1, 1)) for f in (mp.exp, mp.cos, mp.sin))

    def __init__(self):
        self.digits, self.pi = mp.dps + 2, +mp.pi
        self.near = NEAR * mp.mpf(10) ** (-mp.dps / 8)  # its eighth power is below the digits: four nodes are enough

    @staticmethod
    def number(value):
        return to_mpf(value) if isinstance(value, Expr) else mp.convert(value)

    @staticmethod
    def function(f: PiecewiseSmooth) -> Callable:
        return np.frompyfunc(f.numeric, 1, 1)

    @staticmethod
    def legendre() -> tuple:
        return tuple(np.array(legendre_rule(mp.dps), dtype=object).T)


class Spacing(NamedTuple):
    """How far z reaches, the step or length of panels, and where phi has panels cut; no cuts: equal steps."""

    reach: int
    length: float
    cuts: Any


class Plane(NamedTuple):
    """Nodes (z_1, z_2) with weights; U, V there, their half difference w, below which it is small, and s_m, s_w, r."""

    one: Any
    two: Any
    weights: Any
    first: Any
    second: Any
    half: Any
    near: Any
    scales: tuple


@dataclass(frozen=True)
class Rules:
    """Rules for one activation in one `arithmetic`.

    >>> from sympy import Max, Symbol
    >>> x = Symbol("x", real=True)
    >>> relu = Rules(PiecewiseSmooth.of(Max(x, 0), x), FloatNumbers())
    >>> plane = relu.plane(1.0, 0.0, 0.5)  # correlation 1/2
    >>> phi, *_ = relu.functions
    >>> round(float(phi(plane.first) * phi(plane.second) @ plane.weights), 12)  # (sqrt(3) + 2 pi/3)/(4 pi)
    0.304498890522
    """

    activation: PiecewiseSmooth
    arithmetic: Any

    @cached_property
    def functions(self) -> list[Callable]:
        """phi, phi' and phi'' between breakpoints."""
        return [self.arithmetic.function(self.activation.derivative(n) if n else self.activation) for n in range(3)]

    def array(self, values):
        """Numbers of mpmath or SymPy in an array of this arithmetic."""
        return np.array([self.arithmetic.number(value) for value in values], dtype=self.arithmetic.dtype)

    @cached_property
    def breaks(self):
        return self.array(self.activation.breaks)

    @cached_property
    def legendre(self) -> tuple:
        return self.arithmetic.legendre()

    @cached_property
    def radial(self) -> tuple:
        """Radii and weights of r exp(-r^2/2), by Gauss-Laguerre."""
        halves = mp.polyroots([(-1) ** k * mp.binomial(RADIAL, k) / mp.factorial(k) for k in range(RADIAL, -1, -1)])
        weights = [t / ((RADIAL + 1) * mp.laguerre(RADIAL + 1, 0, t)) ** 2 for t in halves]
        return self.array(mp.sqrt(2 * t) for t in halves), self.array(weights)

    @cached_property
    def short(self) -> tuple:
        """Gauss-Legendre with four nodes."""
        with working(mp.prec):
            pairs = [arb.legendre_p_root(4, k, weight=True) for k in range(4)]
            return tuple(self.array(midpoint(x) for x in part) for part in zip(*pairs, strict=True))

    @cached_property
    def is_sectored(self) -> bool:
        """Whether phi is a line on either side of 0."""
        return slopes(self.activation) is not None

    # ---- one variable ----------------------------------------------------------------------------

    def line(self, q) -> tuple:
        """(z, weights) of a standard normal z, for functions of sqrt(q) z."""
        fine = self._fine(q)
        return self._on(fine, fine.cuts / self.arithmetic.sqrt(q))

    def _on(self, fine: Spacing, cuts) -> tuple:
        """Nodes with normal weights, in rows as `cuts` has: equal steps, or panels between cuts."""
        arithmetic, reach = self.arithmetic, fine.reach
        count = int(np.ceil(2 * reach / fine.length))
        step = arithmetic.number(2 * reach) / count
        grid = step * np.arange(count + 1).astype(arithmetic.dtype) - reach
        if len(fine.cuts) == 0:
            z, lengths = grid, step
        else:
            z, lengths = self._panels(grid, np.minimum(np.maximum(cuts, -reach), reach))
        weights = lengths * arithmetic.exp(-z * z / 2) / arithmetic.sqrt(2 * arithmetic.pi)
        shape = (*cuts.shape[:-1], z.shape[-1])
        return np.broadcast_to(z, shape), np.broadcast_to(weights, shape)

    def _panels(self, grid, cuts) -> tuple:
        nodes, weights = self.legendre
        grid = np.broadcast_to(grid, (*cuts.shape[:-1], len(grid)))
        edges = np.sort(np.concatenate([grid, cuts], axis=-1), axis=-1)
        low, high = edges[..., :-1, None], edges[..., 1:, None]
        shape = (*cuts.shape[:-1], -1)
        return ((low + high) / 2 + (high - low) / 2 * nodes).reshape(shape), ((high - low) / 2 * weights).reshape(shape)

    def _fine(self, q) -> Spacing:
        """What is fine enough at the variance q."""
        near = 1.0 if self.is_sectored else float(f"{float(q):.1e}")
        if not LEAST < q < 1 / LEAST:
            raise PrecisionError(f"a variance of {float(q):.4g} is beyond float64; ask for a smaller depth")
        return _settled(self, near)

    # ---- two variables ---------------------------------------------------------------------------

    def pair(self, one, other, c) -> tuple:
        """(z, w, weights) of standard normals of correlation c < 1, for sqrt(one) z and sqrt(other) w; rows have one z.

        Given z, w moves by sqrt(1 - c^2) alone, and its steps may be as much longer.
        """
        sqrt, fine = self.arithmetic.sqrt, self._fine(other)
        rest, (z, outer) = sqrt(1 - c * c), self.line(one)
        longer = max(fine.length, min(fine.length / float(rest), STEPS[1]))
        more, inner = self._on(fine._replace(length=longer), (fine.cuts / sqrt(other) - c * z[:, None]) / rest)
        return z, c * z[:, None] + rest * more, outer[:, None] * inner

    def plane(self, p, d, gap) -> Plane:
        """Of the coordinates p, d and Delta = `gap`; det G > 0."""
        sqrt, fine = self.arithmetic.sqrt, self._fine(p + abs(d))
        width = sqrt(gap / 2)
        lean = d / (2 * width)
        spread = (gap * (2 * p - gap) - d * d) / (2 * gap)  # s_m^2, of which a share is lost
        if not (spread > self.arithmetic.least * p and abs(d) * self.arithmetic.lost < gap):
            raise PrecisionError(
                f"inputs with the variances {float(p + d):.6g}, {float(p - d):.6g} and the correlation "
                f"{float((p - gap) / sqrt((p + d) * (p - d))):.10g} are so nearly collinear that digits are lost; "
                "give them one variance, or a correlation further from 1 and -1"
            )
        middle = sqrt(spread)
        scales = (middle, width, lean)
        near = self.arithmetic.near
        if not self.is_sectored:
            near = near * sqrt(p + abs(d)) * min(fine.length * (1 if len(fine.cuts) else 8), 1)
            near = near if len(fine.cuts) == len(self.breaks) else min(near, self.arithmetic.near)
        one, two, weights = self._sectors(scales) if self.is_sectored else self._strips(fine, scales)
        m, w = middle * one + lean * two, width * two
        return Plane(one, two, weights, m + w, m - w, w, near, scales)

    def _strips(self, fine: Spacing, scales: tuple) -> tuple:
        middle, width, lean = scales
        meetings = np.unique(np.subtract.outer(fine.cuts, fine.cuts)) / (2 * width)
        two, outer = self._on(fine, meetings)
        cuts = [(fine.cuts - (lean + sign * width) * two[:, None]) / middle for sign in (-1, 1)]
        one, inner = self._on(fine, np.concatenate(cuts, axis=-1))
        two = np.broadcast_to(two[:, None], one.shape)
        kept = one * one + two * two < (fine.reach - 1) ** 2  # `_reach` goes one further
        return one[kept], two[kept], (outer[:, None] * inner)[kept]

    def _sectors(self, scales: tuple) -> tuple:
        (middle, width, lean), (angle, pi) = scales, (self.arithmetic.angle, self.arithmetic.pi)
        start = angle(middle, width - lean)
        opening = angle(2 * width * middle, lean * lean - width * width + middle * middle)
        angles, shares = self._panels(np.array([start, start + 2 * pi]), start + np.array([opening, pi, opening + pi]))
        radius, radial = self.radial
        around = (np.outer(radius, f(angles)).ravel() for f in (self.arithmetic.cos, self.arithmetic.sin))
        return *around, np.outer(radial, shares / (2 * pi)).ravel()

    def apart(self, first, second, slope: Callable, plane: Plane):
        """f(U) - f(V) without cancellation from both values; `slope` is f' between breakpoints."""
        found = first - second
        near = abs(plane.half) < plane.near
        for edge in self.breaks:
            near = near & ((plane.first >= edge) == (plane.second >= edge))
        if near.any():
            middle, half = ((plane.first + plane.second) / 2)[near], plane.half[near]
            nodes, weights = self.short
            found[near] = half * (weights @ slope(middle + np.multiply.outer(nodes, half)))
        return found


@lru_cache(maxsize=REMEMBERED)
def _settled(rules: Rules, q: float) -> Spacing:
    """Steps (panels) are made smaller until the digits agree that the next change leaves right."""
    digits, root = rules.arithmetic.digits, rules.arithmetic.sqrt(rules.arithmetic.number(q))
    reach, even = _reach(rules.activation, q, digits), len(rules.breaks) == 0
    ways = [(rules.array(BENDS) if even else rules.breaks, PANELS, 2 - digits / 2)]
    for cuts, lengths, agreed in [(rules.breaks, STEPS, -1 - digits / sqrt(2)), *ways] if even else ways:
        before = None
        for length in lengths:
            fine = Spacing(reach, length, cuts)
            z, weights = rules._on(fine, cuts / root)
            squares = np.stack([f(root * z) ** 2 for f in rules.functions[:2]])
            rows = np.concatenate([squares, squares * z**4, squares**2])
            found, size = rows @ weights, abs(rows) @ weights
            if before is not None and all(abs(found - before) <= rules.arithmetic.number(10.0) ** agreed * size):
                return fine
            before = found
    raise PrecisionError(
        f"the means of phi at variance {q:.6g} do not settle on steps of {PANELS[-1]}: phi is too steep there; take a "
        "smaller variance, or fewer layers where it grows"
    )


def _reach(phi: PiecewiseSmooth, q: float, digits: int) -> int:
    """Beyond which |phi|^4, |phi'|^4 and polynomials add nothing."""
    z = np.arange(-LARGEST, LARGEST + 1).astype(float)
    with np.errstate(all="ignore"):
        x = np.sqrt(q) * z
        size = (1 + phi.vectorised(x) ** 4 + phi.derivative().vectorised(x) ** 4) * (1 + z**8) * np.exp(-z * z / 2)
    if not np.isfinite(size).all():
        raise PrecisionError(f"at variance {q:.6g} the fourth power of phi is beyond float64; take fewer layers")
    seen = np.abs(z[size > 10.0**-digits * size.max()])
    return min(LARGEST, int(seen.max()) + 2)

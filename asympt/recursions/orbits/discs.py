"""How near the fixed point a map and the first terms of its series are the same function.

x - x^2 (1 + exp(-10^8 (x - 1/500)^2)/10) has the same first hundred coefficients as x - x^2, to 100 digits, and yet
another orbit.  If f is analytic in |t| < R and |f| <= M |c_p R^p| there, c_p t^p being its first term, then N terms are
right to M (t/R)^N of it: the matching layer may lie where this is below 10^-digits, for some R.  R and M are read off
circles (`circle`), a power of two apart: evidence, no proof.  Where no disc is found, the answer is an error.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import mpmath
from mpmath import mp
from sympy import Expr, Symbol

from asympt.errors import PrecisionError
from asympt.expansions.circle import NotAnalytic, circle_values
from asympt.numbers import to_mpf
from asympt.recursions.protocol import Dynamics, T

LOWEST = -400  # the smallest disc looked at, as a power of two
SPARE = 120  # bits
NAME = Symbol("t")
BETWEEN = 2  # how much larger the values may be between two points of a circle


@dataclass(frozen=True, eq=False)
class Disc:
    """f(t) = c_p t^p + ...: the formula in T, p and c_p; sizes by circle, as far as they are known."""

    formula: Expr
    order: int
    lead: Expr
    sizes: dict = field(default_factory=dict)

    @classmethod
    def of(cls, formula: Expr, source: Callable[[int], Sequence[Expr]], shift: int, scale: Expr) -> "Disc | None":
        """`source` gives the coefficients of f/t^shift in t/scale; None for a constant or a function that is 0."""
        if T not in formula.free_symbols:
            return None
        for count in (1, 4, 12):
            for k, c in enumerate(source(count)):
                if c != 0:
                    return cls(formula, shift + k, c * scale**-k)
        return None

    def size(self, k: int):
        """M for the disc |t| < 2^k; None when the formula cannot be seen to be analytic there."""
        if k not in self.sizes:
            with mp.workprec(SPARE + 3 * (self.order + 2) * max(0, -k)):
                self.sizes[k] = self._measured(mpmath.ldexp(1, k))
        return self.sizes[k]

    def _measured(self, radius):
        try:
            values = circle_values(self.formula, T, radius)
        except NotAnalytic:
            return None
        first = abs(to_mpf(self.lead)) * radius**self.order
        return BETWEEN * max(1, max(map(abs, values)) / first)

    def accuracy_radius(self, count: int, digits: int, wanted):
        """The largest t up to `wanted` where `count` terms are seen to give the function to `digits` digits."""
        goal, part, best = mpmath.mpf(10) ** -digits, mpmath.mpf(1) / count, mpmath.mpf(0)
        k = mpmath.mag(wanted / goal**part) + 1
        while best < wanted and k >= LOWEST and mpmath.ldexp(1, k) * goal**part > best:
            size = self.size(k)
            if size is not None:
                best = max(best, mpmath.ldexp(1, k) * (goal / size) ** part)
            k -= 1
        if not best:
            raise PrecisionError(
                f"no neighbourhood of the fixed point is found in which {self.formula.subs(T, NAME)} is one analytic "
                "function, so its series cannot be trusted with numbers; write the map in another form"
            )
        return min(best, wanted)


@lru_cache(maxsize=256)
def discs(dynamics: Dynamics) -> tuple[Disc, ...]:
    """Of the map, and of lambda and b, where nothing but formulas is known (no `interpolation_radius`)."""
    if dynamics.formula is None or dynamics.interpolation_radius is not None:
        return ()
    scale, linear = dynamics.scale, dynamics.linear
    seen = [(dynamics.formula, dynamics.beyond, dynamics.ratio, dynamics.root)]
    if linear is not None and linear.formulas is not None:
        sources = (linear.multiplier, linear.forcing)
        seen += [(*both, 0) for both in zip(linear.formulas, linear.beyond, sources, strict=True)]
    found = [
        Disc.of(formula, source, shift, scale)
        for here, there, source, shift in seen for formula in ((here, there) if _comes_from_both(dynamics) else (here,))
        if formula is not None
    ]  # fmt: skip
    return tuple(disc for disc in found if disc is not None)


def _comes_from_both(dynamics: Dynamics) -> bool:
    """Whether orbits cross into the coordinate on either side of the fixed point: those that do not creep."""
    return dynamics.ratio(1)[0] != 1


def within(dynamics: Dynamics, count: int, digits: int, radius):
    """A radius in t, cut down to where series of `count` terms are seen to be the functions of the recursion."""
    for disc in discs(dynamics):
        radius = disc.accuracy_radius(count, digits, radius)
    return radius

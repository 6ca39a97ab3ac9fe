"""The hyperbolic theorem: t' = t u(t), 0 < |u(0)| < 1, its Koenigs function, and linear recursions along it.

One lemma serves three times (docs/bounds.md): where k < 1 bounds |u| and f_N solves f(t u) - lambda f = b up to d, |d|
<= M |t|^(N+1), |lambda| >= lambda_low > k^(N+1), the one solution f = f_N + O(t^(N+1)) has

    |f - f_N| <= M |t|^(N+1)/(lambda_low - k^(N+1)).

    U    lambda = mu, b = 0, U = t + ...
    h    lambda(t)/lambda(0) for lambda, b = 0, h = 1 + ...;     then lambda(0)^l h(t_l) solves a' = lambda a
    P    its own lambda and b.  If lambda(0) = mu^j (an exact fact), H = U^j h and b - r lambda H for b:

a_l = P(t_l) + (E + r l) H(t_l),  or  P(t_l) + E lambda(0)^l h(t_l).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from flint import arb, arb_poly, arb_series

from asympt.balls.arithmetic import (
    Refused,
    coefficients,
    eliminated,
    magnitude,
    majorant,
    require_finite,
    smallest,
    working,
)
from asympt.balls.disc import FormulaMap, LocalBallMap, rooted
from asympt.balls.expression import named
from asympt.balls.orbit import LinearAlong

CIRCLES = tuple(16 * 0.8**k for k in range(80))  # on which a polynomial in z is bounded


@dataclass(frozen=True, eq=False)
class HyperbolicMap(FormulaMap, LocalBallMap):
    """F = chi t^root + ..., 0 < |chi| < 1; chi > 0 where root > 1.

    one_sided: whether the formula (or one of what runs along) is that of the map for t > 0 only; then chi > 0.  Roots
    of what vanishes at 0 make the series such a one too (`is_one_sided`).
    """

    one_sided: bool = field(default=False, kw_only=True)

    def rooted(self, x: arb) -> arb:
        """t; of any sign where root is 1 and the formula is that of the map on both sides."""
        return x if self.root == 1 and not self.one_sided else rooted(x, self.root)

    def is_one_sided(self, along: LinearAlong | None, bits: int, count: int) -> bool:
        """By the roots in their formulas (`Germ.is_one_sided`)."""
        programs = (self.program, *(along.programs if along else ()))
        return any(self.germ(program, bits, count).is_one_sided for program in programs)

    def require_nearer(self, before: arb, after: arb) -> None:
        """Orbits may come from anywhere in the basin."""


def steps_of(map_: LocalBallMap, bits: int, length: int) -> arb_series:
    """u to `length` coefficients."""
    found = map_.series(map_.program, bits, length + map_.root)
    for k in range(map_.root):
        if not found[k].contains(0):
            raise Refused(f"{named(map_)} does not vanish at the fixed point: {found[k].str(8)}")
    with working(bits, length):
        v = arb_series(found[map_.root :], prec=length)
        return v if map_.root == 1 else (v.log() / map_.root).exp()


@dataclass(frozen=True)
class BoundedSeries:
    """f_N and M/(lambda_low - k^(N+1)) as far as |t| <= `reach`: |f - f_N| <= error |t|^(N+1)."""

    terms: Sequence[arb]
    error: arb

    def at(self, t: arb) -> arb:
        """f of every t in the ball."""
        return arb_poly(self.terms)(t) + arb(0, (self.error * magnitude(t) ** len(self.terms)).upper())


class KoenigsTheorem:
    """U, and for a linear recursion h, P and r, with their bounds in a region.

    map_: the map;  last: N;  radius: of the disc, or T;  along: the linear recursion;
    power: j where lambda(0) = mu^j, an exact fact; None where it is no such power.
    """

    def __init__(
        self, map_: LocalBallMap, last: int, radius: arb, bits: int, along: LinearAlong | None = None,
        power: int | None = None,
    ):
        self.map, self.last, self.radius, self.bits, self.along, self.power = map_, last, radius, bits, along, power
        self.region = map_.region(radius, bits, last + 1)
        self.series = steps_of(map_, bits, last + 1)
        self.mu = self.series[0]
        self.one_sided = map_.is_one_sided(along, bits, last + 1 + map_.root)
        with working(bits, last + 2):
            if not (abs(self.mu) < 1 and abs(self.mu) > 0):
                raise Refused(f"the multiplier {self.mu.str(8)} cannot be shown to have a size between 0 and 1")
            if self.one_sided and not self.mu > 0:
                raise Refused(f"{named(map_)} is one series on one side of the fixed point, and orbits change sides")
            self.powers = [arb_series([1], prec=last + 1)]
            for _ in range(last):
                self.powers.append(self.powers[-1] * self.series)
            steps, known = [u for _, u in self.region.steps], coefficients(self.series, last)
            self.shrink, self.bend = self.region.sup(steps), self.region.bound([u - self.mu for u in steps], 1, 0)
            self.step_terms, self.step_bound = known, self.region.bound(steps, 0, last)
            self.terms, _ = self._solved([self.mu], [], 1, arb(1))
            self.defect = self._defect([horner(self.terms, t * u) - self.mu * horner(self.terms, t)
                                        for t, u in self.region.steps])  # fmt: skip
            if along is not None:
                self._solve_linear()

    def _solved(self, slope, source, free=None, seed=None, part=()) -> tuple[list[arb], arb]:
        """f_0, ..., f_N and r with f(t u) - lambda f = b - r lambda `part`; f_free = seed, where the pivot vanishes."""
        count, r = self.last + 1, arb(0)
        slope, defect = _padded(slope, count), [-b for b in _padded(source, count)]
        found = []
        for k in range(count):
            row = [c - s for c, s in zip(coefficients(self.powers[k], count - k), slope, strict=False)]
            if k == free:
                value = seed
                defect[k:] = [d + seed * c for d, c in zip(defect[k:], row, strict=True)]
                if part:
                    r = -defect[k] / (slope[0] * part[k])
                    whole = coefficients(arb_series(slope, prec=count) * arb_series(part, prec=count), count)
                    defect = [d + r * c for d, c in zip(defect, whole, strict=True)]
            else:
                pivot = self.mu**k - slope[0]
                if pivot.contains(0):
                    raise Refused(f"the power {k} of the multiplier may be that of the linear recursion, a resonance")
                value = eliminated(defect, k, row, 0, pivot)
            found.append(value)
        return found, r

    def _solve_linear(self) -> None:
        """h, P and r."""
        count, region, map_ = self.last + 1, self.region, self.map
        slope, source = (list(map_.series(p, self.bits, count)) for p in self.along.programs)
        if self.power is not None:
            if not slope[0].overlaps(self.mu**self.power):
                raise Refused(f"the linear recursion's multiplier is not the power {self.power} of the map's")
            slope[0] = self.mu**self.power
        self.slope = slope[0]
        on, forced = (region.values(program) for program in self.along.programs)
        self._look_at_slope(on)
        unit = [value / self.slope for value in slope]
        self.h_terms, _ = self._solved([arb(1), *unit[1:]], [], 0, arb(1))
        moved = (horner(self.h_terms, t * u) - horner(self.h_terms, t) * value * (1 / self.slope)
                 for (t, u), value in zip(region.steps, on, strict=True))  # fmt: skip
        self.h_defect = self._defect(list(moved))
        part = self._free_part() if self.power is not None else ()
        self.p_terms, self.resonance = self._solved(slope, source, self.power, arb(0), part)
        own = self._resonant_values(on)
        whole = (horner(self.p_terms, t * u) - horner(self.p_terms, t) * value - b + extra
                 for (t, u), value, b, extra in zip(region.steps, on, forced, own, strict=True))  # fmt: skip
        self.p_defect = self._defect(list(whole))

    def _free_part(self) -> list[arb]:
        """H = U^j h as a series."""
        count = self.last + 1
        series = arb_series(self.h_terms, prec=count)
        for _ in range(self.power):
            series = series * arb_series(self.terms, prec=count)
        return coefficients(series, count)

    def _resonant_values(self, on: Sequence) -> list:
        """r lambda H of the exact H, in the region."""
        if self.power is None or self.resonance.is_zero():
            return [arb(0)] * len(on)
        top = self.radius.upper()
        h, u = (self.region.lifted(k.terms, k.error) for k in (self.h(top), self.koenigs(top)))
        return [value * a * b**self.power * self.resonance for value, a, b in zip(on, h, u, strict=True)]

    def _look_at_slope(self, on: Sequence) -> None:
        """Bounds of lambda from below."""
        self.slope_bend = self.region.bound([value - self.slope for value in on], 1, 0)
        sign = 1 if self.slope > 0 else -1
        if not all((value * sign).real > 0 for value in on):
            raise Refused(f"{self.along.multiplier} may have a zero in {self.region}")
        self.slope_least = self.region.least(on)

    def _defect(self, values: list) -> arb:
        """M."""
        return self.region.bound(values, self.last + 1, 0)

    def rate(self, t: arb) -> arb:
        """k: a bound of |u| up to |t|, below 1: by its first coefficients where arcs are too wide to see that."""
        found = (abs(self.mu) + self.bend * t).upper().min(self.shrink)
        if t < self.radius:
            found = found.min(self.region.over(self.step_terms, self.step_bound, t))
        if not found < 1:
            raise Refused("the region cannot be shown to be mapped into itself as far as the orbit")
        return found

    def _known(self, terms: Sequence[arb], defect: arb, least: arb, t: arb) -> BoundedSeries:
        t = t.upper()
        if not t <= self.radius:
            raise Refused(f"the orbit has not entered {self.region}")
        room = least.lower() - self.rate(t) ** (self.last + 1)
        if not room > 0:
            raise Refused("the orbit is not yet near enough for the bounds of the formal series")
        return BoundedSeries(terms, require_finite(defect / room, "a bound").upper())

    def koenigs(self, t: arb) -> BoundedSeries:
        """U up to |t|."""
        return self._known(self.terms, self.defect, abs(self.mu), t)

    def _least_slope(self, t: arb) -> arb:
        return (abs(self.slope) - self.slope_bend * t).lower().max(self.slope_least)

    def h(self, t: arb) -> BoundedSeries:
        """h up to |t|."""
        return self._known(self.h_terms, self.h_defect, self._least_slope(t) / abs(self.slope).upper(), t)

    def particular(self, t: arb) -> BoundedSeries:
        """P up to |t|."""
        return self._known(self.p_terms, self.p_defect, self._least_slope(t), t)

    @cached_property
    def reversion(self) -> list[arb]:
        """Q."""
        with working(self.bits, self.last + 1):
            return coefficients(arb_series(self.terms, prec=self.last + 1).reversion(), self.last + 1)

    @cached_property
    def in_z(self) -> dict[str, "InZ"]:
        """U, t^root, and for a linear recursion h and P, as polynomials in z."""
        found = {"U": self.terms, "x": [arb(0)] * self.map.root + [arb(1)]}
        if self.along is not None:
            found |= {"h": self.h_terms, "P": self.p_terms}
        with working(self.bits, self.last + 1):
            q = arb_series(self.reversion, prec=self.last + 1)
            return {name: InZ.of(terms, q, self.last + 1) for name, terms in found.items()}


@dataclass(frozen=True)
class InZ:
    """A polynomial f in t after t = Q(z): f_0, ..., f_N, a majorant of f', and what begins with z^(N+1).

    circles: (r, the majorant of f(Q) at r, over r^(N+1)), for Cauchy's estimate.
    """

    terms: Sequence[arb]
    slope: arb_poly
    circles: Sequence[tuple[arb, arb]]

    @classmethod
    def of(cls, terms: Sequence[arb], q: arb_series, count: int) -> "InZ":
        within = arb_series(list(terms), prec=count)(q)
        slope = [abs(k * c) for k, c in enumerate(terms)][1:]
        outer, inner = (arb_poly([abs(c) for c in row]) for row in (terms, q.coeffs()))
        circles = [(r, (outer(inner(r)) / r**count).upper()) for r in (arb(s) for s in CIRCLES)]
        return cls(coefficients(within, count), arb_poly(slope), circles)

    def beyond(self, z: arb) -> arb:
        """A bound of what begins with z^(N+1), over z^(N+1)."""
        found = [bound / (1 - z / r) for r, bound in self.circles if z < r]
        if not found:
            raise Refused("the orbit is not yet near enough for the Koenigs function to be inverted")
        return smallest(found)


def horner(terms: Sequence[arb], t):
    """sum c_k t^k on an arc or as a Taylor model."""
    total = t * 0 + terms[-1]
    for c in reversed(terms[:-1]):
        total = total * t + c
    return total


def _padded(series: Sequence, count: int) -> list[arb]:
    return [*series[:count], *[arb(0)] * (count - len(series))]


class KoenigsInverse:
    """Polynomials in t_l as polynomials in z = mu^l c, for all l from a layer on: |t_l| <= t, |z| <= z there."""

    def __init__(self, theorem: KoenigsTheorem, t: arb, z: arb):
        self.theorem, self.t, self.z, self.count = theorem, t.upper(), z.upper(), theorem.last + 1
        self.reach = self.t.max(majorant(enumerate(theorem.reversion), self.z)).upper()
        own, koenigs = theorem.koenigs(self.t).error, theorem.in_z["U"]
        slope = 2 - koenigs.slope(self.reach)  # U_N' = 1 + 2 s_2 t + ...
        room = slope - own * self.t**theorem.last
        if not (slope > 0 and room > 0):
            raise Refused("the Koenigs function cannot be shown to be monotone as far as the orbit")
        self.growth = (1 / room).upper()  # |t| <= growth |z|
        self.error = ((own * self.growth**self.count + koenigs.beyond(self.z)) / slope).upper()

    def seen(self, name: str, error: arb | int = 0) -> tuple[Sequence[arb], arb]:
        """(f_0, ..., f_N; e) of a function within error |t|^(N+1) of f_N: |f - sum f_k z^k| <= e |z|^(N+1)."""
        found = self.theorem.in_z[name]
        rest = found.beyond(self.z) + found.slope(self.reach) * self.error + error * self.growth**self.count
        return found.terms, rest.upper()

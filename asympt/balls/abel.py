"""The parabolic theorem: A_N(t_l) = l + C up to a bound, with C enclosed (why: docs/bounds.md).

The defect d(t) = A_N(t u) - A_N(t) - 1 is analytic and starts at t^p, p = N + m + 1, so |d| <= M t^p in the disc, M
read off the circle; as t^-m grows by a' > 0 at least in a layer, its sum along the orbit bounds |A - A_N| by E(t), and
A(t_l) = l + C for ever.  The alpha_k are balls that contain the exact solution of the triangular system, so d_0, ...,
d_(p-1) vanish by construction; they are never replaced by midpoints.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from flint import arb, arb_series

from asympt.balls.arithmetic import Refused, coefficients, eliminated, working
from asympt.balls.disc import LocalBallMap
from asympt.balls.models import powers_of


@dataclass(frozen=True)
class AbelSeries:
    """The formal solution: alpha_k, rho, and the coefficients of the defect and of h."""

    order: int
    last: int
    alpha: Mapping[int, arb]
    residue: arb
    defect: tuple[arb, ...]
    rate: tuple[arb, ...]

    @property
    def first(self) -> int:
        """p: d starts at t^p."""
        return self.last + self.order + 1

    def at(self, t: arb) -> arb:
        """A_N(t)."""
        return sum((c * t**k for k, c in self.alpha.items()), arb(0)) + self.residue * t.log()

    def slope(self, t: arb) -> arb:
        """t^(m+1) A_N'(t)."""
        m = self.order
        return sum((k * c * t ** (k + m) for k, c in self.alpha.items()), self.residue * t**m)

    def slope_bound(self, t: arb) -> arb:
        """An upper bound of s^(m+1) A_N'(s) over 0 < s <= t."""
        return self.steepness(t) - 2 * self.order * self.alpha[-self.order]

    def steepness(self, t: arb) -> arb:
        """A bound of s^(m+1) |A_N'(s)| over 0 < s <= t."""
        m = self.order
        others = (abs(k * c) * t ** (k + m) for k, c in self.alpha.items() if k > -m)
        return m * self.alpha[-m] + sum(others, arb(0)) + abs(self.residue) * t**m


@lru_cache(maxsize=64)  # once for all circles
def solve(map_: LocalBallMap, last: int, bits: int, more: int) -> AbelSeries:
    """alpha_k for -m <= k <= last, by the triangular system over balls."""
    m, count = map_.order, last + 2 * map_.order + 1 + more
    log_u, powers = flow_powers(map_, last, bits, count)
    with working(bits, count):
        a = -log_u[m]
        logs = coefficients(log_u, count)
        powers = {k: coefficients(power - 1, count) for k, power in powers.items()}
        defect = [arb(-1)] + [arb(0)] * (count - m - 1)
        alpha, residue = {}, arb(0)
        for k in range(-m, last + 1):
            row = powers[k] if k else logs
            found = eliminated(defect, k, row, m, -(k * a if k else a))
            if k:
                alpha[k] = found
            else:
                residue = found
        first = last + m + 1
        return AbelSeries(m, last, alpha, residue, tuple(defect[first : first + more]), tuple(powers[-m][m : m + more]))


@lru_cache(maxsize=4)
def flow_powers(map_: LocalBallMap, last: int, bits: int, count: int) -> tuple[arb_series, dict[int, arb_series]]:
    """log u and u^k for -m <= k <= last to `count` coefficients, one product each."""
    log_u, m = map_.log_u(bits, count), map_.order
    with working(bits, count):
        u = log_u.exp()
        upside_down, found = u.inv(), {0: u * 0 + 1}
        for k in range(1, last + 1):
            found[k] = found[k - 1] * u
        for k in range(1, m + 1):
            found[-k] = found[1 - k] * upside_down
    return log_u, dict(sorted(found.items()))


class FallingCoordinate:
    """What the theorems about a coordinate that falls in t share; its beginning is an `AbelSeries`."""

    called: ClassVar[str]

    def inside(self, t: arb) -> arb:
        """The upper end of t, which must lie in the region."""
        t = t.upper()
        if not t < self.radius:
            raise Refused(f"t = {t.str(6, radius=False)} lies outside {self.region}")
        return t

    def require_falling(self, t: arb) -> None:
        """The beginning falls on (0, t], or an error."""
        if not self.series.slope_bound(t.upper()) < 0:
            raise Refused(f"{self.called} cannot be shown to fall up to t = {t.upper().str(6, radius=False)}")


class AbelTheorem(FallingCoordinate):
    """A_N with its bound: |A(t) - A_N(t)| <= `error`(t) for every t in (0, `reach`].

    map_: the map;  last: N;  radius: of the disc, or T;  bits: the precision.
    Raises `Refused` when a hypothesis cannot be proved.
    """

    figures: ClassVar[dict] = {}
    called = "the Abel function"

    def __init__(self, map_: LocalBallMap, last: int, radius: arb, bits: int):
        self.map, self.last, self.radius, self.bits = map_, last, radius, bits
        self.order, self.length = map_.order, last + 2 * map_.order + 1 + map_.more
        self.region = map_.region(radius, bits, self.length)
        self.series = solve(map_, last, bits, map_.more)
        self.first = self.series.first
        with working(bits, self.length):
            defects, rates = zip(*(self._at(t, w) for t, w in self.region.points), strict=True)
            self.defect_bound = self.region.bound(defects, self.first, map_.more)
            self.rate_bound = self.region.bound(rates, self.order, map_.more)

    def _at(self, t, log_u) -> tuple:
        """d and u^-m - 1, on one arc or as Taylor models."""
        powers, series = powers_of(log_u, self.series.alpha), self.series
        total = sum((c * t**k * powers[k] for k, c in series.alpha.items()), series.residue * log_u - 1)
        return total, powers[-self.order]

    def defect_over(self, t: arb) -> arb:
        """K(t): a bound of |d(s)|/s^p over 0 < s <= t."""
        return self.region.over(self.series.defect, self.defect_bound, self.inside(t))

    def rate(self, t: arb) -> arb:
        """a'(t): a lower bound of h over (0, t]; an error unless it is positive."""
        t, known = self.inside(t), self.series.rate
        falling = sum((c.lower().min(0) * t**j for j, c in enumerate(known) if j), arb(0))
        rate = (known[0] + falling - self.region.tail(known, self.rate_bound, t)).lower()
        if not rate > 0:
            raise Refused(f"orbits from t = {t.str(6, radius=False)} on cannot be shown to fall at a definite rate")
        return rate

    def fastest(self, t: arb) -> arb:
        """a''(t): an upper bound of h over (0, t]."""
        return self.region.over(self.series.rate, self.rate_bound, t)

    def share(self, power: int, t: arb) -> arb:
        """B with sum_j s_j^power <= B s^(power-m) for every start s <= t; needs power > m."""
        return t**self.order + 1 / (self.rate(t) * (arb(power) / self.order - 1))

    def error_factor(self, t: arb) -> arb:
        """A number B with E(s) <= B s^(p-m) for 0 < s <= t."""
        t = self.inside(t)
        return (self.defect_over(t) * self.share(self.first, t)).upper()

    def error(self, t: arb) -> arb:
        """E(t), which grows with t."""
        return (self.error_factor(t) * self.inside(t) ** (self.first - self.order)).upper()

    def position(self, t: arb) -> arb:
        """A(t) of every t in the ball."""
        return self.series.at(t) + arb(0, self.error(t))

    def constant(self, t: arb, layer: int) -> arb:
        """C of the orbit that is at t in that layer."""
        return self.position(t) - layer

    def refute(self) -> None:
        """Asks the bound where a series that is wrong somewhere breaks it; `Refused` when it is broken."""
        for bits, t, log_u in self.map.probes(self.radius, self.first, self.bits):
            again = self.series if bits == self.bits else solve(self.map, self.last, bits, more=1)
            with working(bits):
                d = sum((c * t**j * (log_u * j).expm1() for j, c in again.alpha.items()), again.residue * log_u - 1)
                if abs(d).lower() > self.defect_over(t) * t**self.first:
                    raise Refused("the series is not the map's: the bound of its defect fails near the fixed point")

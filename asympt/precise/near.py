r"""Two variances whose Hermite coefficients are known: the expectations of a smooth phi without quadrature.

Problem.  While two variances settle, every layer asks for E[phi(sqrt(q) U) phi(sqrt(q') W)] at new ones, and a table of
Hermite coefficients for each of them takes seconds where gaps are small.

Rule.  With a_n(q) = E[phi(sqrt(q) Z) He_n(Z)]/sqrt(n!) (Mehler 1866),

    E[phi phi] = sum_n a_n(q) a_n(q') c^n,       sqrt(q q') E[phi' phi'] = sum_n n a_n(q) a_n(q') c^(n-1),

and near one variance q_0 the heat equation has them all from its own table (`balls.moments.moved`).

Tiny case.  phi = x^2: a_0 = q and a_2 = sqrt(2) q, so E[phi phi] = q q' (1 + 2 c^2).

Known limits.  Smooth phi whose coefficients fade (`find_series`).  Near q_0: N |q - q_0| <= 2 q_0 `REACH` D for N
coefficients and D digits, so that terms grow to 10^(D/4) times a_n(q), where a_n is down to 10^(-D/2).
"""

from dataclasses import dataclass
from functools import lru_cache
from operator import mul

from flint import arb, arb_poly
from mpmath import mp, mpf

from asympt.balls.arithmetic import midpoint, of_mpf, working
from asympt.balls.moments import moved
from asympt.gaussian.piecewise import PiecewiseSmooth
from asympt.gaussian.quadrature.profile import profile
from asympt.gaussian.series import find_series

REACH = 0.5
GUARD, STEP = 5, 20  # digits of a table beyond those in use; and in steps, so that tables are shared
SPARE, PADDED = 16, 6  # bits; coefficients beyond those that matter, by digit


@dataclass(frozen=True, eq=False)
class NearTable:
    """a_n(q_0) to `digits` digits, of which the first `count` matter; `size`: E[phi^2]^(1/2)."""

    centre: mpf
    digits: int
    size: arb
    means: list[arb]
    count: int

    def reaches(self, q) -> bool:
        """Whether q is near enough to q_0."""
        return abs(q / self.centre - 1) * self.count <= 2 * REACH * self.digits


@dataclass(frozen=True)
class SeriesPair:
    """Expectations at two variances q and q'.

    `squares`: E[phi^2] at both; `terms`: sum_n a_n(q) a_n(q') x^n; `apart`: D at c = 1.
    """

    q: mpf
    other: mpf
    squares: tuple
    terms: arb_poly
    apart: mpf

    def drop_and_product(self, gap) -> tuple:
        """(D, E[phi phi]), D = E[(phi - phi')^2]/2 by differences of the terms, to the digits of the gap."""
        with working(mp.prec + SPARE + max(0, -mp.mag(gap))):
            product = self.terms(1 - of_mpf(gap))
            return self.apart + midpoint(self.terms(arb(1)) - product), midpoint(product)

    def slope(self, gap):
        """E[phi' phi']."""
        with working(mp.prec + SPARE):
            return midpoint(self.terms.derivative()(1 - of_mpf(gap))) / mp.sqrt(self.q * self.other)


def series_pair(phi: PiecewiseSmooth, centre, q, other, gap) -> SeriesPair | None:
    """By a table at `centre`, unless that is None, near it; else for q != q' by one at each; None without tables."""
    if phi.breaks:
        return None
    table = None if centre is None or not 0 < centre < mp.inf else _table(phi, float(centre), -(-mp.dps // STEP))
    near = bool(table) and table.reaches(q) and table.reaches(other)
    if not near and q == other:
        return None
    sides = [_near(table, v, mp.prec) if near else _far(phi, v, 1 - gap) for v in (q, other)]
    if None in sides:
        return None
    (square, first), (another, second) = sides
    with working(mp.prec + SPARE):
        terms = arb_poly([a * b for a, b in zip(first, second, strict=False)])
        if near:
            between = [a - b for a, b in zip(first, second, strict=True)]
            apart = midpoint(sum(map(mul, between, between), arb(0)) / 2)
        else:
            apart = (square + another) / 2 - midpoint(terms(arb(1)))
    return SeriesPair(q, other, (square, another), terms, apart)


@lru_cache(maxsize=8)
def _near(table: NearTable, q, precision: int) -> tuple:
    """E[phi^2] and a_n at q, at mpmath's current precision, which is part of the key."""
    with working(mp.prec + SPARE):
        means = moved(table.means, of_mpf(table.centre), of_mpf(q), table.count, table.size)
        return midpoint(sum((a * a for a in means), arb(0))), means


def _far(phi: PiecewiseSmooth, q, c) -> tuple | None:
    scaled = profile(phi, q, STEP * -(-(mp.dps + GUARD) // STEP))
    series = find_series(scaled, c, 1)
    return None if series is None else (+scaled.moments[0], series.table.balls)


@lru_cache(maxsize=32)
def _table(phi: PiecewiseSmooth, at: float, steps: int) -> NearTable | None:
    with mp.workdps((digits := STEP * steps) + GUARD):
        series = find_series(profile(phi, at, digits + GUARD), mp.one)
        if series is None:
            return None
        means, size = series.table.balls, of_mpf(series.table.norm)
        count = 1 + max(n for n, a in enumerate(means) if abs(a) > size * arb(10) ** (-digits / 2 - 3))
        more = max(0, count + PADDED * digits - len(means))  # coefficients that are nothing beside those known
        return NearTable(mpf(at), digits, size, [*means, *[arb(0)] * more], count)

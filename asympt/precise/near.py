r"""Two variances near one whose Hermite coefficients are known: the expectations of a smooth phi without quadrature.

Problem.  While the variances of two inputs settle, every layer asks for E[phi(sqrt(q) U) phi(sqrt(q') W)] at two new
variances, and a table of Hermite coefficients for each of them takes half a second.

Rule.  With b_n(q) = E[phi^(n)(sqrt(q) Z)], so that a_n(q) = q^(n/2) b_n(q)/sqrt(n!) (Mehler 1866), the heat equation
gives b_n' = b_(n+2)/2, hence from one table at q_0

    b_n(q_0 + u) = sum_j (u/2)^j/j! b_(n+2j)(q_0),      E[phi phi] = sum_n a_n(q) a_n(q') c^n,

and what E[phi phi] loses at the gap is a sum of positive terms.

Tiny case.  phi = x^2: b_0 = q and b_2 = 2, so b_0(q_0 + u) = q_0 + u.

Known limits.  Smooth phi whose coefficients fade (`KernelSeries.is_complete`), and N |u| <= 2 REACH q_0 for a table of
N coefficients: the sums over j grow to exp(REACH) times what they add up to, which the digits of the table cover.
"""

from dataclasses import dataclass
from functools import lru_cache

from mpmath import mp, mpf

from asympt.gaussian.piecewise import PiecewiseSmooth
from asympt.gaussian.quadrature.profile import profile
from asympt.gaussian.series import find_series

REACH = 25  # the sums over j are those of exp(REACH) at most
GUARD, STEP = 25, 10  # digits of the table beyond those in use; and in steps, so that tables are shared
LONGEST = 180  # terms of the sums over j


@dataclass(frozen=True, eq=False)
class NearTable:
    """b_n(q_0) and 1/n! for all n that count, and the b_n beyond them that the sums over j need."""

    centre: mpf
    derivatives: tuple
    inverse_factorials: tuple

    def reaches(self, q) -> bool:
        """Whether q is near enough to q_0 for the sums over j."""
        return abs(q / self.centre - 1) * len(self.inverse_factorials) <= 2 * REACH

    def coefficients(self, q) -> list:
        """b_n(q) for all n that count."""
        half, count = (q - self.centre) / 2, len(self.inverse_factorials)
        size, powers = abs(half / self.centre) * count, [mpf(1)]
        bound, term = mpf(10) ** -(mp.dps + GUARD), size
        while term > bound and len(powers) < LONGEST:
            powers.append(powers[-1] * half / len(powers))
            term = term * size / len(powers)
        return [mp.fdot(powers, self.derivatives[n : n + 2 * len(powers) : 2]) for n in range(count)]


@dataclass(frozen=True)
class NearPair:
    """Expectations at two variances near q_0."""

    table: NearTable
    q: mpf
    other: mpf

    def square(self, q):
        """E[phi(sqrt(q) Z)^2]."""
        return mp.fdot(self._terms(q, q), _powers(q, len(self.table.inverse_factorials)))

    def drop_and_product(self, gap) -> tuple:
        """(D, E[phi phi]), D = E[(phi - phi')^2]/2."""
        root, count = mp.sqrt(self.q * self.other), len(self.table.inverse_factorials)
        scale, own = _powers(root, count), _powers(1 - gap, count)
        terms = [a * b for a, b in zip(self._terms(self.q, self.other), scale, strict=True)]
        product = mp.fdot(terms, own)
        lost = mp.fsum(term * (1 - power) for term, power in zip(terms, own, strict=True))
        return (self.square(self.q) + self.square(self.other)) / 2 - mp.fsum(terms) + lost, product

    def slope(self, gap):
        """E[phi' phi']."""
        first, second = (_coefficients(self.table, q, mp.prec)[1:] for q in (self.q, self.other))
        powers = _powers(mp.sqrt(self.q * self.other) * (1 - gap), len(first))
        weights = self.table.inverse_factorials
        return mp.fsum(a * b * w * p for a, b, w, p in zip(first, second, weights, powers, strict=False))

    def _terms(self, q, other) -> list:
        """b_n(q) b_n(q')/n!."""
        first, second = (_coefficients(self.table, value, mp.prec) for value in (q, other))
        return [a * b * w for a, b, w in zip(first, second, self.table.inverse_factorials, strict=True)]


def near_pair(phi: PiecewiseSmooth, centre, q, other) -> NearPair | None:
    """The expectations at q and q', both near `centre`; None where they are not, or phi has no table."""
    if phi.breaks or not 0 < centre < mp.inf:
        return None
    found = _table(phi, +centre, STEP * -(-mp.dps // STEP))
    return NearPair(found, q, other) if found and found.reaches(q) and found.reaches(other) else None


def _powers(x, count: int) -> list:
    found = [mpf(1)]
    for _ in range(count - 1):
        found.append(found[-1] * x)
    return found


@lru_cache(maxsize=8)
def _coefficients(table: NearTable, q, precision: int) -> list:
    """At mpmath's current precision, which is part of the key."""
    return table.coefficients(q)


@lru_cache(maxsize=32)
def _table(phi: PiecewiseSmooth, centre, needed: int) -> NearTable | None:
    digits = needed + GUARD
    with mp.workdps(digits):
        series = find_series(profile(phi, centre, digits), mp.one)
        if series is None:
            return None
        known = [series.table.coefficient(n) for n in range(len(series.table.integers))]
        bound = series.table.norm * mpf(10) ** -(needed / 2 + 3)
        count = 1 + max(n for n, a in enumerate(known) if abs(a) > bound)
        factorial, root, found, inverse = mpf(1), mp.sqrt(centre), [], []
        for n, a in enumerate(known[: count + 2 * LONGEST]):
            factorial *= max(n, 1)
            found.append(a * mp.sqrt(factorial) / root**n)
            inverse.append(1 / factorial)
        found += [mpf(0)] * (count + 2 * LONGEST - len(found))
        return NearTable(centre, tuple(found), tuple(inverse[:count]))

"""F(c) = sum_k a_k^2 c^k and its gap, slope and derivatives, evaluated in fixed point with every tail bounded.

Rule.  With S_k = a_k^2 and T_m = S_m + S_{m+1} + ...,   F(1) - F(c) = (1 - c) sum_m T_{m+1} c^m,   positive terms.
For c < 0 odd k contribute S_k (1 + |c|^k) and even k the same sum with 1 - |c|.  What the first K terms miss is
known, not guessed: E[psi^2] - sum S_k and E[psi'^2] - sum k S_k come from one-dimensional quadrature (`profile`).
When the second is nothing, K terms are exact everywhere; else they are good for |c|^K small, with the missing
E[psi^2] added to the gap.

Tiny case.  psi = x: S_1 = 1, T_1 = 1, F(1) - F(c) = 1 - c.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate
from math import ceil, log

import mpmath
from mpmath import mp

from asympt.gaussian.quadrature.hermite import HermiteTable, hermite_table, predicted_count
from asympt.gaussian.quadrature.profile import Profile, profile

FIRST = 128
COARSE = 30  # digits of a first table, which says how fast the coefficients fall
MOST = 4096  # terms until the coefficients fade
MOST_BY_SIZE = 2048  # terms until |c|^K fades: for kinks, where other routes exist
TRUSTED = 1024  # terms from which a prediction of more than MOST is believed
CLOSE = 0.01  # below this gap a truncated series is not used: adding E[psi^2] would cancel digits


@dataclass(frozen=True)
class KernelSeries:
    """The first K terms for one profile."""

    scaled: Profile
    table: HermiteTable

    @cached_property
    def squares(self) -> tuple[int, ...]:
        """S_k / E[psi^2] in fixed point."""
        return tuple(a * a >> self.table.bits for a in self.table.integers)

    @cached_property
    def missing(self) -> tuple:
        """E[psi^2] - sum S_k and E[psi_reg'^2] - sum k S_k, both divided by E[psi^2]."""
        with mp.workprec(self.table.bits):
            total = self._real(sum(self.squares))
            weighted = self._real(sum(k * s for k, s in enumerate(self.squares)))
            return 1 - total, self.scaled.moments[1] / self.scaled.moments[0] - weighted

    @cached_property
    def is_complete(self) -> bool:
        """Whether nothing is missing even at c = 1: E[psi'^2] is reproduced."""
        weighted = self.scaled.moments[1] / self.scaled.moments[0]
        return abs(self.missing[1]) <= weighted * mp.mpf(10) ** (3 - self.scaled.digits)

    def reaches(self, c, order: int = 0) -> bool:
        """Whether the terms that are missing cannot change the `order`-th derivative at c."""
        if self.is_complete and (order < 2 or self._fades(c, order)):
            return True
        size, count, allowed = abs(float(c)), len(self.squares), -self.scaled.digits * log(10)
        if size >= 1 - CLOSE or count * -log(max(size, 1e-300)) < 2 * order + 1:
            return False
        missing = max(float(abs(self.missing[0])), 10.0 ** -min(self.scaled.digits, 300))
        return log(missing) + order * log(count) + (count - order) * log(max(size, 1e-300)) <= allowed

    def _fades(self, c, order: int) -> bool:
        """Whether the last eighth of the terms of the `order`-th derivative is nothing beside the largest term."""
        size = mp.mpf(abs(c))
        terms = [_falling(k, order) * s * size ** (k - order) for k, s in enumerate(self.squares) if k >= order]
        last = len(self.squares) // 8
        return len(terms) > 2 * last and max(terms[-last:]) * last <= max(terms) * mp.mpf(10) ** -self.scaled.digits

    # ---- values ---------------------------------------------------------------------------------------

    def value(self, c):
        """F(c)."""
        return self.scaled.moments[0] * self._real(self._horner(self.squares, c))

    def derivative(self, c, order: int):
        """The `order`-th derivative of F at c."""
        terms = tuple(_falling(k, order) * s for k, s in enumerate(self.squares))[order:]
        return self.scaled.moments[0] * self._real(self._horner(terms, c))

    def slope(self, c):
        """F'(c)."""
        return self.scaled.moments[0] * self._real(self._horner(self._weighted, c))

    def gap(self, gamma):
        """F(1) - F(1 - gamma) to full relative accuracy."""
        rest = mp.zero if self.is_complete else self.missing[0]
        if gamma <= 1:
            return self.scaled.moments[0] * (gamma * self._real(self._horner(self._tails, 1 - gamma)) + rest)
        mirror = 2 - gamma
        even = mirror * self._real(self._horner(self._even_tails, 1 - mirror))
        odd = self._real(self._odd_total + self._horner(self._odd_squares, 1 - mirror))
        return self.scaled.moments[0] * (even + odd + rest)

    @cached_property
    def _weighted(self) -> tuple[int, ...]:
        return tuple(k * s for k, s in enumerate(self.squares))[1:]

    @cached_property
    def _tails(self) -> tuple[int, ...]:
        return _suffix_sums(self.squares)[1:]

    @cached_property
    def _even_tails(self) -> tuple[int, ...]:
        return _suffix_sums([0 if k % 2 else s for k, s in enumerate(self.squares)])[1:]

    @cached_property
    def _odd_squares(self) -> tuple[int, ...]:
        return tuple(s if k % 2 else 0 for k, s in enumerate(self.squares))

    @cached_property
    def _odd_total(self) -> int:
        return sum(self._odd_squares)

    def _real(self, integer: int):
        return mp.ldexp(mp.mpf(integer), -self.table.bits)

    def _horner(self, terms: tuple[int, ...], c) -> int:
        bits, total = self.table.bits, 0
        point = int(mp.floor(mp.ldexp(c, bits)))
        for term in reversed(terms):
            total = term + (total * point >> bits)
        return total


def cross_value(first: KernelSeries, second: KernelSeries, c):
    """E[psi_1(U) psi_2(V)] = sum_k a_k b_k c^k, over the shorter of the two tables."""
    bits = min(first.table.bits, second.table.bits)
    shift = first.table.bits + second.table.bits - bits
    pairs = zip(first.table.integers, second.table.integers, strict=False)
    with mp.workprec(bits):
        point, total = int(mp.floor(mp.ldexp(mp.mpf(c), bits))), 0
        for product in reversed([a * b >> shift for a, b in pairs]):
            total = product + (total * point >> bits)
        return mp.ldexp(mp.mpf(total), -bits) * first.table.norm * second.table.norm


def find_series(scaled: Profile, c, order: int = 0) -> KernelSeries | None:
    """The shortest tabulated series that reaches the profile's digits for the `order`-th derivative at c, or None."""
    known = _known(scaled)
    for found in known:
        if found.reaches(c, order):
            return found
    by_size = _by_size(scaled, c, order)
    by_size = by_size if by_size <= (MOST_BY_SIZE if scaled.phi.breaks else MOST) else mpmath.inf
    if scaled.phi.breaks and by_size == mpmath.inf:
        return None
    count = FIRST if known else _expected(scaled, by_size, order)
    while True:
        if not known or len(known[-1].squares) < count:
            known.append(KernelSeries(scaled, hermite_table(scaled, count)))
            if known[-1].reaches(c, order):
                return known[-1]
        size, by_decay = len(known[-1].squares), _by_decay(known[-1], order)
        wanted = min(by_size, by_decay)
        if size >= MOST or (wanted > MOST and size >= TRUSTED):
            return None
        count = _next(by_size, by_decay, size)


def _expected(scaled: Profile, by_size: float, order: int) -> int:
    """How many terms a table is to have at first: those that |c|^K needs, or by the decay seen in one of few digits."""
    if by_size <= FIRST:
        return _rounded(by_size)
    if scaled.phi.breaks or scaled.digits < 2 * COARSE:
        return FIRST
    coarse = KernelSeries(scaled, hermite_table(profile(scaled.phi, scaled.q, COARSE), FIRST))
    return _next(by_size, _by_decay(coarse, order), FIRST)


def _next(by_size: float, by_decay: float, known: int) -> int:
    """The length of the next table; a decay is believed up to four times the terms in which it was seen.

    Where |c|^K decides, the next c of an orbit is closer to 1 and wants more: twice as many pay for a few of them.
    """
    wanted = max(by_size, 2 * known) if by_size <= by_decay else max(1.25 * known, min(by_decay, 4 * known))
    return min(MOST, _rounded(wanted))


@lru_cache(maxsize=128)
def _known(scaled: Profile) -> list[KernelSeries]:
    """The series made so far for a profile, shortest first."""
    return []


def _by_size(scaled: Profile, c, order: int) -> float:
    """Terms until |c|^K alone is small."""
    size = abs(float(c))
    if size >= 1 - CLOSE:
        return mpmath.inf
    return (scaled.digits + 4 * order) * log(10) / -log(max(size, 1e-3)) + order


def _by_decay(found: KernelSeries, order: int) -> float:
    """Terms until the coefficients themselves are small (some digits more: the prediction is rough)."""
    if found.scaled.phi.breaks:
        return mpmath.inf  # they fall like a power
    count = len(found.squares)
    sums = [float(found._real(sum(found.squares[k // 2 : k]))) for k in (count // 2, count)]
    if min(sums) < 1e-290:
        return 2 * count
    return 1.1 * predicted_count((sums[0], sums[1]), (count // 4, count // 2), found.scaled.digits + 5 + 4 * order)


def _rounded(count: float) -> int:
    """Up to the next multiple of an eighth of its power of two, so that few tables are made."""
    step = max(64, 2 ** (int(count).bit_length() - 3))
    return ceil(count / step) * step


def _suffix_sums(terms) -> tuple[int, ...]:
    return tuple(reversed(list(accumulate(reversed(terms)))))


def _falling(k: int, order: int) -> int:
    product = 1
    for j in range(order):
        product *= k - j
    return product

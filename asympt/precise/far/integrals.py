r"""The integrals over the part r of an activation near 0, at one variance q and one correlation c.

Rule.  With s^2 = 1 - c^2, v = q s^2, n_q the density of sqrt(q) Z and G(x) = E[h(sqrt(q) V) | sqrt(q) U = x], h the
straight lines,

    2 int r n_q h,    int r^2 n_q                                                            at c = 1
    2 int r n_q G,    E[rr] = (1/(2 pi q s)) sum_k (c/v)^k M_k^2/k!                          at c

with M_k = int r(x) x^k exp(-x^2/(2v)) dx (expand exp(c x y/v)), the last two with their derivatives in c.

Near and far.  The integrals run over nodes, until v is so large that every exponential in them may be expanded: then
they are sums over the moments int r x^k, which are known once and for all.  The expansions diverge; they are used where
their terms fall below the precision, and only there.

Tiny case.  r = exp(-x^2/2): M_0 = sqrt(2 pi v/(1 + v)).

Known limits.  The series of E[rr] is short when v is large or c not close to 1; refused beyond `MOST_TERMS` terms.
"""

from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import count
from math import factorial

from flint import arb
from mpmath import mp, mpf

from asympt.balls.arithmetic import midpoint, of_mpf, working
from asympt.errors import PrecisionError
from asympt.precise.far.lines import Lines
from asympt.precise.far.near_zero import SPARE, TooNear, whole_powers

MOST_TERMS = 600


class Integrals:
    """The integrals over r at one variance and one gap."""

    def __init__(self, source, q, gap, lines: Lines):
        self.source, self.q, self.gap, self.lines = source, q, gap, lines

    @cached_property
    def c(self):
        """The correlation."""
        return 1 - self.gap

    @cached_property
    def spread(self):
        """s."""
        return mp.sqrt(self.gap * (2 - self.gap))

    @cached_property
    def v(self):
        """q s^2."""
        return self.q * self.spread**2

    def all(self) -> tuple:
        """(2 int r n_q h, int r^2 n_q, 2 int r n_q G and its derivative in c, E[rr] and its derivative)."""
        return (*self.at_one(), *self.mixed(), *self.product(self.moments()))

    def product(self, moments: Iterator) -> tuple:
        """E[rr] and its derivative in c, from M_0, M_1, ...; M_k' = M_(k+2) (dv/dc)/(2 v^2)."""
        c, v, q, s = self.c, self.v, self.q, self.spread
        turn, widening = (v + 2 * q * c * c) / v**2, -q * c / v**2
        total = slope = largest = previous = mp.zero
        factor, (current, following, after) = mp.one, (next(moments), next(moments), next(moments))
        for k in range(MOST_TERMS):  # factor = (c/v)^k/k!, previous the one before
            total += factor * current**2
            slope += previous * turn * current**2 + 2 * factor * current * after * widening
            size = (abs(factor) + abs(previous)) * (current**2 + following**2 + abs(current * after))
            largest = max(largest, size)
            if k > 3 and size * (k + 1) * (1 + v) <= largest * mp.eps:
                break
            previous, factor = factor, factor * c / (v * (k + 1))
            current, following, after = following, after, next(moments)
        else:
            raise PrecisionError(
                f"the gap {mp.nstr(1 - c, 5)} at variance {mp.nstr(q, 5)} is too small for the expansion of the part "
                "of phi near 0; start further apart"
            )
        unit = 1 / (2 * mp.pi * q * s)
        return unit * total, unit * (slope + total * c / s**2)


class NearIntegrals(Integrals):
    """By `RestNodes`."""

    def at_one(self) -> tuple:
        """2 int r n_q h and int r^2 n_q."""
        first, second = self.source.at(self.q)
        return 2 * first, second

    @cached_property
    def _weighted(self) -> list[tuple]:
        unit = 1 / mp.sqrt(2 * mp.pi * self.q)
        return [(x, w, r, unit * mp.exp(-x * x / (2 * self.q))) for x, w, r in self.source]

    def mixed(self) -> tuple:
        """2 int r n_q G and its derivative in c."""
        seen = [(w * r * n, *self._seen(x)) for x, w, r, n in self._weighted]
        return 2 * mp.fsum(w * value for w, value, _ in seen), 2 * mp.fsum(w * slope for w, _, slope in seen)

    def _seen(self, x) -> tuple:
        """G(x), h averaged over N(c x, v), and dG/dc: d sqrt(v)/dc = -sqrt(q) c/s and d(c/s)/dc = 1/s^3."""
        h, m, width = self.lines, self.c * x, mp.sqrt(self.v)
        side = mp.erf(m / (width * mp.sqrt(2)))
        bell = mp.sqrt(2 / mp.pi) * mp.exp(-m * m / (2 * self.v))
        value = h.p * m + h.d * (m * side + width * bell) + h.beta + h.sigma * side
        root = mp.sqrt(self.q)
        kink = x * side - bell * root * self.c / self.spread
        return value, h.p * x + h.d * kink + h.sigma * bell * x / (root * self.spread**3)

    def moments(self) -> Iterator:
        """M_0, M_1, ...: one more factor x at every node each time.

        In powers of y = x/sqrt(v): exp(-y^2/2) y^k is small at first and matters later, hence the bits beyond the
        precision.
        """
        width = mp.sqrt(self.v)
        values = [w * r * mp.exp(-x * x / (2 * self.v)) for x, w, r in self.source]
        sums = whole_powers(values, [x / width for x, _, _ in self.source], mp.prec + MOST_TERMS)
        for k, value in enumerate(sums):
            yield value * width**k


class FarIntegrals(Integrals):
    """By the moments of r, r h and r^2, `RestMoments`; raises `TooNear` where they do not suffice."""

    def at_one(self) -> tuple:
        """2 int r n_q h and int r^2 n_q."""
        _, crossed, squared = self.source
        with working(mp.prec + SPARE):
            unit = (2 * arb.pi() * of_mpf(self.q)).rsqrt()
            return midpoint(2 * unit * crossed.in_arb(0, self.q)), midpoint(unit * squared.in_arb(0, self.q))

    def mixed(self) -> tuple:
        """2 int r n_q G and its derivative, G expanded in z = c x/sqrt(v)."""
        h, c, s, root = self.lines, self.c, self.spread, mp.sqrt(self.q)
        bell, width = mp.sqrt(2 / mp.pi), mp.sqrt(self.v)
        even, odd = self._series(bell_terms, 0), self._series(erf_terms, 1)
        mean = self._series(mean_terms, 0)
        first, zeroth = self._seen_moment(1), self._seen_moment(0)
        value = h.p * c * first + h.beta * zeroth + bell * (h.d * width * mean + h.sigma * odd)
        kink = self._series(erf_terms, 1, 1) - root * c / s * even
        step = self._series(bell_terms, 0, 1) / (root * s**3)
        slope = h.p * first + bell * (h.d * kink + h.sigma * step)
        unit = 2 / mp.sqrt(2 * mp.pi * self.q)
        return unit * value, unit * slope

    def _seen_moment(self, k: int):
        """int r x^k exp(-x^2/(2q))."""
        if k not in self._known:
            self._known[k] = self.source[0].damped(k, self.q)
        return self._known[k]

    @cached_property
    def _known(self) -> dict:
        return {}

    def _series(self, terms: Callable, first: int, shift: int = 0):
        """sum_j t_j (c/sqrt(v))^(2j+first) int r x^(2j+first+shift) exp(-x^2/(2q))."""
        ratio, total, largest = self.c / mp.sqrt(self.v), mp.zero, mp.zero
        for j in range(len(self.source[0])):
            k = 2 * j + first
            term = terms(j) * ratio**k * self._seen_moment(k + shift)
            total, largest = total + term, max(largest, abs(term))
            if abs(term) <= largest * mp.eps and (j or not term):
                return total
        raise TooNear

    def moments(self) -> Iterator:
        """M_0, M_1, ...."""
        for k in count():
            yield self.source[0].damped(k, self.v)


def bell_terms(j: int):
    """exp(-z^2/2) = sum t_j z^(2j)."""
    return mpf((-1) ** j) / (2**j * factorial(j))


def erf_terms(j: int):
    """sqrt(pi/2) erf(z/sqrt(2)) = sum t_j z^(2j+1)."""
    return bell_terms(j) / (2 * j + 1)


def mean_terms(j: int):
    """sqrt(pi/2) E|z + W| = sum t_j z^(2j): 1, and the integral of the series of erf."""
    return mp.one if j == 0 else erf_terms(j - 1) / (2 * j)

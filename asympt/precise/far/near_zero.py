"""Where the part r = phi - h of an activation near 0 lives: nodes for integrals over it, and its moments.

Rule.  Gauss-Legendre panels from 0 and the breakpoints of phi out to where r has fallen below the precision, halved
until int r and int r^2 stay, with fewer nodes where r is small already.  The moments int r x^k, int r h x^k and
int r^2 x^k are sums over the same nodes.

Tiny case.  ELU: r = exp(x) for x < 0, int r x^k = (-1)^k k!.

Known limits.  r must fall faster than any power.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, pairwise

from mpmath import mp, mpf
from sympy import Expr

from asympt.errors import PrecisionError
from asympt.gaussian.piecewise import PiecewiseSmooth
from asympt.gaussian.quadrature.rules import legendre_rule, mapped
from asympt.numbers import to_mpf
from asympt.precise.far.lines import Lines

MOST_MOMENTS = 160
FURTHEST, WIDEST = 4096, mpf(2)
FINEST = 8  # halvings of the panels
STEP = 10  # digits
SPARE = 8
NEEDED = 0.6  # nodes for a digit on so short a panel, of those of `legendre_rule`


@dataclass(frozen=True)
class Rest:
    """r = phi - h as a function of an mpmath number, computed with digits to spare for the difference.

    `slopes` and `offsets` of h are (right, left) pairs.
    """

    phi: PiecewiseSmooth
    slopes: tuple[Expr, Expr]
    offsets: tuple[Expr, Expr]

    @property
    def lines(self) -> Lines:
        """h."""
        return Lines.of(self.slopes, self.offsets)

    def __call__(self, x):
        with mp.workdps(mp.dps + SPARE):
            value = self.phi.numeric(x) - self.lines(x)
        return +value if abs(value) > mp.eps else mp.zero


@lru_cache(maxsize=32)
def nodes_of(rest: Rest, digits: int) -> list[tuple]:
    """[(x, weight, r(x))] over where r is above 10^-digits: panels halved until int r and int r^2 stay."""
    with mp.workdps(digits + SPARE):
        cuts = sorted({mp.zero, *(to_mpf(point) for point in rest.phi.breaks)})
        ends = [_reach(rest, cuts, sign, digits) for sign in (-1, 1)]
        cuts = sorted({*cuts, *ends})
        width, before, nodes = WIDEST, None, []
        for _ in range(FINEST):
            coarser, nodes = nodes, _panels(rest, cuts, width, digits)
            sums = mp.fsum(w * r for _, w, r in nodes), mp.fsum(w * r * r for _, w, r in nodes)
            if before and all(abs(a - b) <= mpf(10) ** -digits for a, b in zip(sums, before, strict=True)):
                return [node for node in coarser if node[2]]
            before, width = sums, width / 2
    raise PrecisionError("the part of phi near 0 is too rough for quadrature to these digits; ask for fewer digits")


@lru_cache(maxsize=32)
def moments_of(rest: Rest, digits: int, last: int = MOST_MOMENTS) -> tuple[list, list, list]:
    """int r x^k, int r h x^k and int r^2 x^k for k = 0, ..., last."""
    with mp.workdps(digits + SPARE):
        lines, nodes = rest.lines, nodes_of(rest, digits)
        points, plain = [x for x, _, _ in nodes], [w * r for _, w, r in nodes]
        crossed = [value * lines(x) for value, x in zip(plain, points, strict=True)]
        squared = [value * r for value, (_, _, r) in zip(plain, nodes, strict=True)]
        powers = (whole_powers(values, points, mp.prec + last) for values in (plain, crossed, squared))
        found = tuple(list(islice(sums, last + 1)) for sums in powers)
    return found


def _reach(rest: Rest, cuts: list, sign: int, digits: int):
    """Where r has fallen below 10^-digits on one side."""
    edge = cuts[-1] if sign > 0 else cuts[0]
    for k in range(FURTHEST // 4):
        x = edge + sign * 4 * mpf(k)
        if all(abs(rest(x + sign * shift)) < mpf(10) ** -digits for shift in (mpf(1) / 3, 3, 11)):
            return x + sign
    raise PrecisionError("phi approaches its straight lines too slowly; ask for fewer digits")


def _panels(rest: Rest, cuts: list, width, digits: int) -> list[tuple]:
    """Gauss-Legendre nodes on panels of about `width` between the cuts, fewer where r is small."""
    found = []
    for low, high in pairwise(cuts):
        parts = int(mp.ceil((high - low) / width))
        half = (high - low) / (2 * parts)
        for k in range(parts):
            middle = low + (2 * k + 1) * half
            size = max(abs(rest(middle + half * shift)) for shift in (-0.9, 0.1, 0.9))
            wanted = digits + int(mp.log10(size)) if size else 0
            found += mapped(middle - half, middle + half, legendre_rule(max(STEP, int(NEEDED * wanted))))
    return [(x, w, rest(x)) for x, w in found]


def whole_powers(values: list, points: list, bits: int) -> Iterator:
    """sum_i values_i points_i^k for k = 0, 1, ...: in whole numbers of 2^(-bits), five times as fast as in mpmath.

    >>> from itertools import islice
    >>> [mp.nstr(v, 5) for v in islice(whole_powers([mpf(1), mpf(2)], [mpf(3), mpf(1) / 2], 60), 3)]
    ['3.0', '4.0', '9.5']
    """
    with mp.workprec(bits + 60):
        steps = [int(mp.ldexp(x, bits)) for x in points]
        terms = [int(mp.ldexp(value, bits)) for value in values]
    while True:
        yield mp.ldexp(mp.one, -bits) * sum(terms)
        terms = [(term * step) >> bits for term, step in zip(terms, steps, strict=True)]

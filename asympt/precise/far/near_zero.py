"""Where the part r = phi - h of an activation near 0 lives: nodes for integrals over it, and its moments.

Rule.  Gauss-Legendre panels from 0 and the breakpoints of phi out to where r has fallen below the precision, halved
until int r and int r^2 stay, with fewer nodes where r is small already.  The moments int r x^k, int r h x^k and
int r^2 x^k are sums over the same nodes.

Tiny case.  ELU: r = exp(x) for x < 0, int r x^k = (-1)^k k!.

Known limits.  r must fall faster than any power.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice, pairwise
from math import factorial, inf

from flint import arb, arb_poly, fmpz
from mpmath import mp, mpf
from sympy import Expr

from asympt.balls.arithmetic import midpoint, of_mpf, working
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


class TooNear(Exception):
    """The terms of an expansion in 1/v do not fall below the precision."""


@dataclass(frozen=True)
class Rest:
    """r = phi - h as a function of an mpmath number, computed with digits to spare for the difference.

    `slopes` and `offsets` of h are (right, left) pairs.
    """

    phi: PiecewiseSmooth
    slopes: tuple[Expr, Expr]
    offsets: tuple[Expr, Expr]

    @cached_property
    def _lines(self) -> dict[int, Lines]:
        return {}

    @property
    def lines(self) -> Lines:
        """h, at mpmath's precision."""
        if mp.prec not in self._lines:
            self._lines[mp.prec] = Lines.of(self.slopes, self.offsets)
        return self._lines[mp.prec]

    @property
    def in_arb(self) -> dict:
        """Slope and offset of h where x has a sign, to mpmath's digits."""
        lines = self.lines
        return {side: [of_mpf(mp.mpf(part)) for part in lines.on(side)] for side in (-1, 0, 1)}

    def values(self, points: list) -> list:
        """r at mpmath numbers, in Arb."""
        with mp.workdps(mp.dps + SPARE), working(mp.prec):
            breaks, pieces, lines = [to_mpf(point) for point in self.phi.breaks], self.phi.ball_functions, self.in_arb
            found = []
            for x in points:
                slope, offset = lines[int(mp.sign(x))]
                z = of_mpf(x)
                found.append(midpoint(pieces[sum(x >= point for point in breaks)](z) - slope * z - offset))
        return [+value if abs(value) > mp.eps else mp.zero for value in found]

    def __call__(self, x):
        return self.values([x])[0]


@dataclass(frozen=True, eq=False)
class RestNodes:
    """(x, weight, r(x)) for integrals over r, to so many digits."""

    rest: Rest
    rows: list[tuple]
    digits: int

    def __iter__(self) -> Iterator[tuple]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def _densities(self) -> list[tuple[arb, arb, arb]]:
        """-x^2/2, weight r h and weight r^2."""
        found = []
        with mp.workdps(self.digits + SPARE), working(mp.prec + SPARE):
            lines = self.rest.in_arb
            for x, weight, value in self.rows:
                z, r = of_mpf(x), of_mpf(value)
                slope, offset = lines[int(mp.sign(x))]
                plain = of_mpf(weight) * r
                found.append((-z * z / 2, plain * (slope * z + offset), plain * r))
        return found

    def at(self, q) -> tuple:
        """int r h n_q and int r^2 n_q, n_q the density of sqrt(q) Z."""
        with working(mp.prec + SPARE):
            inverse, crossed, squared = 1 / of_mpf(q), arb(0), arb(0)
            for exponent, first, second in self._densities:
                bell = (exponent * inverse).exp()
                crossed, squared = crossed + first * bell, squared + second * bell
            unit = (inverse / (2 * arb.pi())).sqrt()
            return midpoint(crossed * unit), midpoint(squared * unit)


@lru_cache(maxsize=32)
def nodes_of(rest: Rest, digits: int) -> RestNodes:
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
                return RestNodes(rest, [node for node in coarser if node[2]], digits)
            before, width = sums, width / 2
    raise PrecisionError("the part of phi near 0 is too rough for quadrature to these digits; ask for fewer digits")


class RestMoments:
    """m_k = int f x^k for k = 0, 1, ....

    >>> mp.nstr(RestMoments([mpf(1), mpf(0), mpf(1), mpf(0), mpf(3), mpf(0), mpf(15)]).damped(0, mpf(10) ** 9), 12)
    '0.9999999995'
    """

    def __init__(self, values: list):
        self.values, self._kept = values, {}

    def __getitem__(self, k):
        return self.values[k]

    def __len__(self) -> int:
        return len(self.values)

    def damped(self, k: int, w):
        """int f x^k exp(-x^2/(2w)), the exponential expanded; `TooNear` when its terms do not fall far enough."""
        with working(mp.prec + SPARE):
            return midpoint(self.in_arb(k, w))

    def in_arb(self, k: int, w) -> arb:
        """The same in Arb: sum_j m_(k+2j) (-1/(2w))^j/j! up to the second of two terms below mpmath's precision."""
        sizes, (_, _, exponent, bits) = self._series(k)[0], w._mpf_
        step, largest, small = exponent + bits, -inf, 0  # at most log_2 of 2 w
        for j, size in enumerate(sizes):
            size, largest = size - j * step, max(largest, size - j * step)
            small = small + 1 if size <= largest - mp.prec else 0
            if small == 2:
                break
        else:
            raise TooNear
        return self._series(k, j + 1)[1](-1 / (2 * of_mpf(w)))

    def _series(self, k: int, count: int | None = None) -> tuple[list[float], arb_poly]:
        """log_2 of |m_(k+2j)|/j! and the polynomial of the first of them."""
        if (k, count) not in self._kept:
            chosen = self.values[k::2][:count]
            with working(SPARE + max((value._mpf_[3] for value in chosen), default=0)):
                known = [of_mpf(value) / factorial(j) for j, value in enumerate(chosen)]
            sizes = [float(mp.log(abs(value) / factorial(j), 2)) if value else -inf for j, value in enumerate(chosen)]
            self._kept[k, count] = sizes, arb_poly(known)
        return self._kept[k, count]


@lru_cache(maxsize=32)
def moments_of(rest: Rest, digits: int, last: int = MOST_MOMENTS) -> tuple[RestMoments, RestMoments, RestMoments]:
    """int r x^k, int r h x^k and int r^2 x^k for k = 0, ..., last."""
    with mp.workdps(digits + SPARE):
        lines, nodes = rest.lines, nodes_of(rest, digits)
        points, plain = [x for x, _, _ in nodes], [w * r for _, w, r in nodes]
        crossed = [value * lines(x) for value, x in zip(plain, points, strict=True)]
        squared = [value * r for value, (_, _, r) in zip(plain, nodes, strict=True)]
        powers = (whole_powers(values, points, mp.prec + last) for values in (plain, crossed, squared))
        return tuple(RestMoments(list(islice(sums, last + 1))) for sums in powers)


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
    found: list[tuple] = []
    for low, high in pairwise(cuts):
        parts = int(mp.ceil((high - low) / width))
        half = (high - low) / (2 * parts)
        for k in range(parts):
            middle = low + (2 * k + 1) * half
            size = max(map(abs, rest.values([middle + half * shift for shift in (-0.9, 0.1, 0.9)])))
            wanted = digits + int(mp.log10(size)) if size else 0
            found += mapped(middle - half, middle + half, legendre_rule(max(STEP, int(NEEDED * wanted))))
    points, weights = zip(*found, strict=True)
    return list(zip(points, weights, rest.values(points), strict=True))


def whole_powers(values: list, points: list, bits: int) -> Iterator:
    """sum_i values_i points_i^k for k = 0, 1, ...: in whole numbers of 2^(-bits), ten times as fast as in mpmath.

    >>> from itertools import islice
    >>> [mp.nstr(v, 5) for v in islice(whole_powers([mpf(1), mpf(2)], [mpf(3), mpf(1) / 2], 60), 3)]
    ['3.0', '4.0', '9.5']
    """
    with mp.workprec(bits + 60):
        steps = [fmpz(int(mp.ldexp(x, bits))) for x in points]
        terms = [fmpz(int(mp.ldexp(value, bits))) for value in values]
    while True:
        yield mp.ldexp(mp.one, -bits) * int(sum(terms, fmpz(0)))
        terms = [(term * step) >> bits for term, step in zip(terms, steps, strict=True)]

r"""Gaussian moments of an activation seen from far away: its straight lines in closed form, the rest by quadrature.

Rule.  In a residual network q grows like (1+alpha)^l, and phi(sqrt(q) Z) has all its structure within 1/sqrt(q) of Z =
0. phi = h + r with h(x) = a+ x + b+ (x > 0), a- x + b- (x < 0) and r falling faster than any power.  At correlation c =
1 - gamma, with n_q the density of sqrt(q) Z and G(x) = E[h(sqrt(q) V) | sqrt(q) U = x],

    E[phi phi] = E[hh] + 2 int r n_q G + E[rr],

the first by the arc-cosine, linear and arcsine kernels (`Lines`), the others by integrals over nodes in Arb.  At c = 1,
G = h and E[rr] = int r^2 n_q; what phi loses at the gap is the difference, and the slope (1/q) d/dc of the three.  Two
inputs which phi still sees as one, q (1 - c^2) < 1/4, are left to the general kernel while q is moderate, and refused
beyond.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from operator import mul

from flint import arb, fmpq
from mpmath import mp, mpf
from sympy import Expr

from asympt.balls.arithmetic import midpoint, of_mpf, working
from asympt.errors import PrecisionError
from asympt.gaussian.closed.arccosine import gap_map, gap_slope, half_angle
from asympt.gaussian.kernel import kernel_of
from asympt.gaussian.piecewise import PiecewiseSmooth
from asympt.gaussian.quadrature.profile import legendre_rule, mapped
from asympt.numbers import to_mpf
from asympt.precise.dense import Branch

# ---- two straight lines, h(x) = a+ x + b+ for x > 0 and a- x + b- for x < 0 ----------------------------
#
# h = p x + d |x| + beta + sigma sign(x) with p, d = (a+ +- a-)/2 and beta, sigma = (b+ +- b-)/2.  At variance q
# and correlation c = cos(theta), with f the correlation map of p x + d |x|,
#
#     E[hh] = q (p^2 + d^2) f(c) + 2 sqrt(2q/pi) (p sigma c + d beta) + beta^2 + sigma^2 (2/pi) arcsin(c).
#
# What is lost at the gap gamma = 1 - c cancels nothing.  The slope (1/q) d/dc E[hh] contains what the jump 2 sigma of h
# at 0 adds; in phi = h + r the jump of r takes it away again.


@dataclass(frozen=True)
class Lines:
    """h = p x + d |x| + beta + sigma sign(x) at mpmath's precision."""

    p: object
    d: object
    beta: object
    sigma: object

    @classmethod
    def of(cls, slopes: tuple[Expr, Expr], offsets: tuple[Expr, Expr]) -> "Lines":
        """From (a+, a-) and (b+, b-)."""
        right, left, up, down = (to_mpf(value) for value in (*slopes, *offsets))
        return cls((right + left) / 2, (right - left) / 2, (up + down) / 2, (up - down) / 2)

    def on(self, side: int) -> tuple:
        """Slope and offset of h where x has this sign."""
        return self.p + self.d * side, self.beta + self.sigma * side

    def __call__(self, x):
        slope, offset = self.on(mp.sign(x))
        return slope * x + offset

    @cached_property
    def _square(self) -> tuple:
        mean = mp.sqrt(2 / mp.pi) * (self.p * self.sigma + self.d * self.beta)
        return self.p**2 + self.d**2, 2 * mean, self.beta**2 + self.sigma**2

    def square(self, q):
        """E[h(sqrt(q) Z)^2]."""
        whole, root, rest = self._square
        return q * whole + mp.sqrt(q) * root + rest

    def lost(self, q, gap):
        """E[h(sqrt(q) Z)^2] - E[h h] at the gap."""
        kinked = q * gap_map(gap, self.d**2, self.p**2)
        mixed = 2 * mp.sqrt(2 * q / mp.pi) * self.p * self.sigma * gap
        return kinked + mixed + self.sigma**2 * 2 / mp.pi * half_angle(gap)

    def slope(self, q, gap):
        """(1/q) d/dc E[h h], without the infinite part of a jump at the gaps 0 and 2."""
        spread, kinked = mp.sqrt(gap * (2 - gap)), gap_slope(gap, self.d**2, self.p**2)
        step = self.sigma**2 * 2 / (mp.pi * q * spread) if self.sigma and spread else mp.zero
        return kinked + 2 * mp.sqrt(2 / (mp.pi * q)) * self.p * self.sigma + step


# ---- where the part r = phi - h of an activation near 0 lives ------------------------------------------


FURTHEST, WIDEST = 4096, mpf(2)
FINEST = 8  # halvings of the panels
FEWEST = 10  # nodes of a rule
SPARE = 8
MORE = 24  # Chebyshev points beyond two for a digit: exp(-x^2/2) and its like on [-1, 1], times powers of x
NEEDED = 0.6  # nodes for a digit on so short a panel, of those of `legendre_rule`


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


class RestNodes:
    """(x, weight, r(x)) for integrals over r, to so many digits; `far`: of functions that hardly bend where r is."""

    def __init__(self, rest: Rest, rows: list[tuple], digits: int):
        self.rest, self.rows, self.digits = rest, rows, digits

    def __len__(self) -> int:
        return len(self.rows)

    def seen_from(self, v) -> list[tuple]:
        """x, -x^2/2, weight r, weight r h and weight r^2, for functions of x/sqrt(v)."""
        return self.far if v > self._reach**2 else self.near

    @cached_property
    def _reach(self):
        return max(abs(x) for x, *_ in self.rows)

    @cached_property
    def near(self) -> list[tuple]:
        """At the nodes themselves."""
        found = []
        with mp.workdps(self.digits + SPARE), working(mp.prec + SPARE):
            lines = self.rest.in_arb
            for row in self.rows:
                x, weight, r = map(of_mpf, row)
                slope, offset = lines[int(mp.sign(row[0]))]
                plain = weight * r
                found.append((x, -x * x / 2, plain, plain * (slope * x + offset), plain * r))
        return found

    @cached_property
    def far(self) -> list[tuple]:
        """At n Chebyshev points t_i, that of the weight sum_j weight_j (1 + 2 sum_(k<n) T_k(t_i) T_k(x_j))/n."""
        count = 2 * self.digits + MORE
        with mp.workdps(self.digits + SPARE), working(mp.prec + SPARE):
            points, *weights = zip(*((x, *row) for x, _, *row in self.near), strict=True)
            ends = [of_mpf(end(x for x, *_ in self.rows)) for end in (min, max)]
            middle, half = (ends[0] + ends[1]) / 2, (ends[1] - ends[0]) / 2
            places = [(x - middle) / half for x in points]
            before, here, sums = places, [arb(1)] * len(places), []
            for _ in range(count):
                sums.append([sum(map(mul, column, here), arb(0)) for column in weights])
                before, here = here, [2 * x * b - a for x, a, b in zip(places, before, here, strict=True)]
            return [self._at(fmpq(2 * i + 1, 2 * count), middle, half, sums) for i in range(count)]

    @staticmethod
    def _at(turn: fmpq, middle: arb, half: arb, sums: list) -> tuple:
        shape = [arb.cos_pi_fmpq(k * turn) * (2 if k else 1) / len(sums) for k in range(len(sums))]
        x = middle + half * arb.cos_pi_fmpq(turn)
        return x, -x * x / 2, *(sum(map(mul, shape, column), arb(0)) for column in zip(*sums, strict=True))

    def at(self, q) -> tuple:
        """int r h n_q and int r^2 n_q, n_q the density of sqrt(q) Z."""
        with working(mp.prec + SPARE):
            inverse, crossed, squared = 1 / of_mpf(q), arb(0), arb(0)
            for _, exponent, _, first, second in self.seen_from(q):
                bell = (exponent * inverse).exp()
                crossed, squared = crossed + first * bell, squared + second * bell
            unit = (inverse / (2 * arb.pi())).sqrt()
            return midpoint(crossed * unit), midpoint(squared * unit)

    def excess(self):
        """int ((h + r)^2 - h^2)."""
        with working(mp.prec + SPARE):
            return midpoint(sum((2 * crossed + squared for *_, crossed, squared in self.near), arb(0)))


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


def _reach(rest: Rest, cuts: list, sign: int, digits: int):
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
            found += mapped(middle - half, middle + half, legendre_rule(max(FEWEST, int(NEEDED * wanted))))
    points, weights = zip(*found, strict=True)
    return list(zip(points, weights, rest.values(points), strict=True))


# ---- the integrals over the part r of an activation near 0, at one variance q and one correlation c ----
#
# With s^2 = 1 - c^2, v = q s^2, n_q the density of sqrt(q) Z and G(x) = E[h(sqrt(q) V) | sqrt(q) U = x], h the
# straight lines,
#
#     2 int r n_q h,    int r^2 n_q                                                            at c = 1
#     2 int r n_q G,    E[rr] = (1/(2 pi q s)) sum_k (c/v)^k M_k^2/k!                          at c
#
# with M_k = int r(x) x^k exp(-x^2/(2v)) dx (expand exp(c x y/v)), the last two with their derivatives in c.


MOST_TERMS = 600


class Integrals:
    """The integrals over r at one variance and one gap."""

    def __init__(self, nodes: RestNodes, q, gap):
        self.nodes, self.q, self.c, self.spread = nodes, q, 1 - gap, mp.sqrt(gap * (2 - gap))
        self.v = q * self.spread**2
        self.rows = nodes.seen_from(self.v)

    def all(self) -> tuple:
        """(2 int r n_q h, int r^2 n_q, 2 int r n_q G and its derivative in c, E[rr] and its derivative)."""
        crossed, squared = self.nodes.at(self.q)
        return (2 * crossed, squared, *self.mixed(), *self.product())

    def mixed(self) -> tuple:
        """2 int r n_q G and its derivative in c."""
        with working(mp.prec + SPARE):
            q, seen, value, slope = of_mpf(self.q), self._seen(), arb(0), arb(0)
            for x, exponent, plain, _, _ in self.rows:
                density, (mean, turn) = plain * (exponent / q).exp(), seen(x)
                value, slope = value + density * mean, slope + density * turn
            unit = 2 / (2 * arb.pi() * q).sqrt()
            return midpoint(unit * value), midpoint(unit * slope)

    def _seen(self) -> Callable:
        """x -> G(x), h averaged over N(c x, v), and dG/dc: d sqrt(v)/dc = -sqrt(q) c/s and d(c/s)/dc = 1/s^3."""
        h = self.nodes.rest.lines
        p, d, beta, sigma, q, c, s = map(of_mpf, (h.p, h.d, h.beta, h.sigma, self.q, self.c, self.spread))
        root, unit, half = q.sqrt(), (2 / arb.pi()).sqrt(), arb(2).sqrt()
        width, drift, step = root * s, root * c / s, sigma / (root * s**3)

        def seen(x: arb) -> tuple[arb, arb]:
            m = c * x
            z = m / width
            side, bell = (z / half).erf(), unit * (-z * z / 2).exp()
            value = p * m + d * (m * side + width * bell) + beta + sigma * side
            return value, p * x + d * (x * side - bell * drift) + step * bell * x

        return seen

    def product(self) -> tuple:
        """E[rr] and its derivative in c, from M_0, M_1, ...; M_k' = M_(k+2) (dv/dc)/(2 v^2)."""
        c, v, q, s, moments = self.c, self.v, self.q, self.spread, self.moments()
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

    def moments(self) -> Iterator:
        """M_0, M_1, ...: one more factor x at every node each time."""
        with working(mp.prec + SPARE):
            v, points = of_mpf(self.v), [x for x, *_ in self.rows]
            terms = [plain * (exponent / v).exp() for _, exponent, plain, _, _ in self.rows]
        while True:
            with working(mp.prec + SPARE):
                found = midpoint(sum(terms, arb(0)))
                terms = list(map(mul, terms, points))
            yield found


NEAREST = mpf(1) / 4  # v below which the part of phi near 0 is left to the general kernel
LARGEST = 100  # and q up to which that is asked
LOST = 6  # digits by which two ways to E[phi^2] may differ
STEP = 10  # digits are rounded up to a multiple of this, so that layers share their nodes


@dataclass(frozen=True)
class Split:
    """The moments of phi = h + r at mpmath's precision; `rest` is r, which knows phi and h."""

    rest: Rest

    @property
    def phi(self) -> PiecewiseSmooth:
        return self.rest.phi

    @property
    def lines(self) -> Lines:
        return self.rest.lines

    def at(self, q, gap) -> Branch:
        """E[phi^2], what it loses at the gap, and E[phi' phi']; the gap is above 0."""
        lines = self.lines
        if not self._nodes():
            return Branch(lines.square(q), lines.lost(q, gap), lines.slope(q, gap))
        has_formula = q <= LARGEST and kernel_of(self.phi).source == "closed form"
        if q * gap * (2 - gap) < NEAREST or (has_formula and self._agrees(q)):
            return self._by_kernel(q, gap)
        try:
            diagonal, square, mixed, mixed_slope, product, slope = Integrals(self._nodes(), q, gap).all()
        except PrecisionError:  # r falls slowly
            if q > LARGEST:
                raise
            return self._by_kernel(q, gap)
        return Branch(
            lines.square(q) + diagonal + square,
            lines.lost(q, gap) + diagonal + square - mixed - product,
            lines.slope(q, gap) + (mixed_slope + slope) / q,
        )

    def square(self, q):
        if not self._nodes():
            return self.lines.square(q)
        crossed, squared = self._nodes().at(q)
        return self.lines.square(q) + 2 * crossed + squared

    @cached_property
    def _known(self) -> dict:
        return {}

    def _nodes(self) -> RestNodes:
        """The nodes to the digits at hand; looking them up by r itself takes longer than a layer does."""
        digits = STEP * -(-mp.dps // STEP)
        if digits not in self._known:
            self._known[digits] = nodes_of(self.rest, digits)
        return self._known[digits]

    def _agrees(self, q) -> bool:
        """Whether the general kernel has E[phi^2] right: closed forms in exp(q) lose all their digits at some q."""
        return abs(kernel_of(self.phi).value(q, q, 1) / self.square(q) - 1) < mpf(10) ** (LOST - mp.dps)

    def _by_kernel(self, q, gap) -> Branch:
        if q > LARGEST or not self._agrees(q):
            raise PrecisionError(
                f"at the gap {mp.nstr(gap, 5)} and variance {mp.nstr(q, 5)} the inputs are so nearly parallel that phi "
                "sees only one of them; start further apart, or with a smaller variance"
            )
        kernel = kernel_of(self.phi)
        return Branch(kernel.value(q, q, 1), kernel.gap(q, gap), kernel.slope(q, gap))

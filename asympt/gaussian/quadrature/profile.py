"""psi(x) = phi(sqrt(q) x) prepared for quadrature: how far out it matters and how finely it must be cut.

The reach is where psi(x)^2 exp(-x^2/2), and the same for the increments of psi, have fallen below the wanted precision.
A panel is halved until the Gauss-Legendre rule on it agrees with the rule on its halves, for psi^2 and for psi'^2.
"""

from bisect import bisect, bisect_right
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate, pairwise
from math import ceil, lgamma, log, log2, perm, sqrt

import mpmath
import numpy as np
from flint import arb, fmpz
from mpmath import mp
from mpmath.libmp import prec_to_dps

from asympt.balls.arithmetic import midpoint, nearest, of_mpf, working
from asympt.errors import InputError, PrecisionError
from asympt.gaussian.piecewise import STEEP, PiecewiseSmooth, bends
from asympt.numbers import to_mpf

LONGEST = 6.0  # standard deviations; on a longer panel the Gaussian itself is not resolved
GUARD = 10  # bits
SLACK = 0.05  # of a panel's length: not worth another panel


@lru_cache(maxsize=64)
def _in_arb(degree: int, precision: int) -> tuple:
    count = 3 * 2 ** (degree - 1)
    with working(precision + GUARD):
        return tuple(arb.legendre_p_root(count, k, weight=True) for k in range(count))


@lru_cache(maxsize=64)
def _legendre(degree: int, precision: int) -> tuple:
    digits = prec_to_dps(precision) + 1
    return tuple((nearest(node, digits), nearest(weight, digits)) for node, weight in _in_arb(degree, precision))


def legendre_rule(digits: int) -> tuple:
    """Pairs (node, weight) on [-1, 1] at mpmath's current precision, as many as `digits` digits need.

    >>> with mp.workdps(20):
    ...     abs(sum(w * x**8 for x, w in legendre_rule(10)) - mp.mpf(2) / 9) < 1e-18
    True
    """
    return _legendre(_degree(digits), mp.prec)


def ball_rule(digits: int) -> tuple:
    return _in_arb(_degree(digits), mp.prec)


def _degree(digits: int) -> int:
    degree = 4  # 24 nodes
    while 0.92 * 3 * 2 ** (degree - 1) < digits:
        degree += 1
    return degree


def panels(low, high, spacing: Callable[[float], float]) -> list[tuple]:
    """[low, high] cut into panels none of which is longer than `spacing` allows at its ends and in its middle.

    >>> panels(0.0, 1.0, lambda x: 0.25)
    [(0.0, 0.25), (0.25, 0.5), (0.5, 0.75), (0.75, 1.0)]
    """
    start, end = float(low), float(high)
    count = max(1, ceil((end - start) / max(spacing(start), spacing((start + end) / 2), spacing(end)) - SLACK))
    inner = [start + (end - start) * index / count for index in range(1, count)]
    edges = [low, *(inner if isinstance(low, float) else map(mp.mpf, inner)), high]
    found: list[tuple] = []
    for left, right in pairwise(edges):
        if min(spacing(float(left)), spacing(float(right))) * (1 + SLACK) >= right - left:
            found.append((left, right))
        else:
            middle = (left + right) / 2
            found += panels(left, middle, spacing) + panels(middle, right, spacing)
    return found


def mapped(low, high, rule: Sequence[tuple]):
    """The rule carried to [low, high]: pairs (node, weight)."""
    centre, half = (low + high) / 2, (high - low) / 2
    return [(centre + half * node, half * weight) for node, weight in rule]


def lookup(edges: Sequence[float], lengths: Sequence[float]) -> Callable[[float], float]:
    """x -> the length given for the interval of `jumps` in which x lies; outside, the one at the end."""

    def length(x: float) -> float:
        return lengths[min(max(bisect_right(edges, x) - 1, 0), len(lengths) - 1)]

    return length


REACH_LIMIT = 200
SCAN_STEP = 0.25
SMALLEST_PANEL = 1e-9  # in x or in sqrt(q) x, whichever is finer
MOST_FINER = 3  # times the requested digits, that a known profile may have
KEPT = 64  # profiles of one activation


@dataclass(frozen=True)
class Psi:
    """psi, or one of its derivatives, or its mirror image, at mpmath's current precision."""

    breaks: tuple
    pieces: tuple[Callable, ...]
    spacing: Callable[[float], float]
    reach: float

    def at(self, x) -> Callable:
        """The piece that holds at x."""
        return self.pieces[sum(x >= point for point in self.breaks)]

    def mirrored(self) -> "Psi":
        pieces = tuple((lambda x, f=f: f(-x)) for f in reversed(self.pieces))
        return Psi(tuple(-x for x in reversed(self.breaks)), pieces, lambda x: self.spacing(-x), self.reach)


@dataclass(frozen=True)
class Profile:
    """phi at variance q to `digits` digits.

    `jumps` of panels, `lengths` that a panel may have between two of them, `moments` E[psi^2] and E[psi_reg'^2].
    """

    phi: PiecewiseSmooth
    q: mpmath.mpf
    digits: int
    reach: float
    edges: tuple[float, ...]
    lengths: tuple[float, ...]
    moments: tuple

    def side(self, order: int = 0) -> Psi:
        """psi^(order) between the breakpoints, at mpmath's current precision."""
        return scaled_side(self.phi, self.q, order, lookup(self.edges, self.lengths), self.reach)


def scaled_side(phi: PiecewiseSmooth, q, order: int = 0, spacing: Callable | None = None, reach: float = 0) -> Psi:
    """d^order/dx^order of phi(sqrt(q) x) at mpmath's current precision."""
    return _side(phi, q, order, _in_mpmath, spacing or (lambda x: LONGEST), reach)


def ball_side(phi: PiecewiseSmooth, q, order: int = 0) -> Psi:
    """The same with pieces in Arb's numbers, at its current precision."""
    return _side(phi, q, order, _in_balls, lambda x: LONGEST, 0)


def _side(phi: PiecewiseSmooth, q, order: int, scaled: Callable, spacing: Callable, reach: float) -> Psi:
    root = mp.sqrt(q)
    pieces = tuple(scaled(phi.derivative(order) if order else phi, root, root**order))
    return Psi(tuple(to_mpf(point) / root for point in phi.breaks), pieces, spacing, reach)


def _in_mpmath(phi: PiecewiseSmooth, root, factor) -> Iterator[Callable]:
    if factor == 1:
        return ((lambda x, f=f: mp.convert(f(root * x))) for f in phi.piece_functions)
    return ((lambda x, f=f: factor * f(root * x)) for f in phi.piece_functions)


def _in_balls(phi: PiecewiseSmooth, root, factor) -> Iterator[Callable]:
    scale, factor = of_mpf(root), of_mpf(factor)
    return ((lambda x, f=f: factor * f(scale * x)) for f in phi.ball_functions)


def density(x: arb, power: int = 2) -> arb:
    """exp(-x^2/power)/(2 pi)^(1/power): the normal density, its square root for `power` 4."""
    return (-x * x / power).exp() / (2 * arb.pi()).root(power)


def profile(phi: PiecewiseSmooth, q, digits: int) -> Profile:
    """The profile of phi at variance q > 0; raises `InputError` when q is not positive or E[phi^2] diverges.

    One of the same q that has more digits serves as well.
    """
    q = mp.convert(q)
    if not (mp.isfinite(q) and q > 0):
        raise InputError(f"the variance q = {mp.nstr(q, 8)} is not a positive number; give q > 0")
    known = _made(phi)
    for found in known:
        if digits <= found.digits <= MOST_FINER * digits and found.q == q:
            return found
    known.append(_fresh(phi, q, digits))
    return known[-1]


@lru_cache(maxsize=512)
def _made(phi: PiecewiseSmooth) -> deque[Profile]:
    """The last profiles of an activation."""
    return deque(maxlen=KEPT)


def _fresh(phi: PiecewiseSmooth, q, digits: int) -> Profile:
    with mp.workdps(20):
        reach = gaussian_reach(scaled_side(phi, q), digits, phi)
    with mp.workdps(digits + 8), working(mp.prec):
        side = ball_side(phi, q)
        edges, moments = _cut(side, ball_side(phi, q, 1), reach, digits, phi, mp.sqrt(q))
    breaks = {float(x) for x in side.breaks}  # a whole piece that needed no cut says nothing of how long a panel may be
    lengths = tuple(LONGEST if {low, high} <= breaks else high - low for low, high in pairwise(edges))
    return Profile(phi, q, digits, reach, edges, lengths, moments)


def gaussian_reach(side: Psi, digits: int, phi) -> float:
    """The radius of the disc outside which the pair (U, V) does not matter to `digits` digits.

    There sup |psi|^2 over [-x, x], times exp(-x^2/2), and the same for increments of psi, are below 10^-digits of the
    largest values of psi^2 p and of the increments' squares times p.
    """
    tops, sups, tail, before = [-mp.inf] * 2, [mp.zero] * 2, -digits * mp.log(10), [side.at(0)(mp.mpf(0))] * 2
    for step in range(1, int(REACH_LIMIT / SCAN_STEP)):
        x = mp.mpf(step) * SCAN_STEP
        after = [side.at(s * x)(s * x) for s in (-1, 1)]
        sizes = [max(map(abs, after)), max(abs(a - b) for a, b in zip(after, before, strict=True))]
        sups, before = [max(pair) for pair in zip(sups, sizes, strict=True)], after
        tops = [max(top, _level(size, x)) for top, size in zip(tops, sizes, strict=True)]
        if x > 4 and tops[0] > -mp.inf and all(_level(a, x) <= b + tail for a, b in zip(sups, tops, strict=True)):
            return float(x) + 2 * SCAN_STEP
    if tops[0] == -mp.inf:
        return 4.0
    raise InputError(f"E[phi(sqrt(q) Z)^2] diverges for phi = {_formula(phi)}; give one that grows more slowly")


def _level(size, x):
    """log(size^2 exp(-x^2/2))."""
    return 2 * mp.log(size) - x**2 / 2 if size else -mp.inf


def _cut(side: Psi, slope: Psi, reach: float, digits: int, phi, root) -> tuple:
    """Edges of panels on which the rule is exact to `digits` digits, and the two moments."""
    rule, ends = ball_rule(digits), [-reach, *(float(x) for x in side.breaks if abs(x) < reach), reach]
    exact = [mp.mpf(-reach), *(x for x in side.breaks if abs(x) < reach), mp.mpf(reach)]
    centres, spacing = _steep(phi, root)
    first = sorted({*exact, *(x for x in centres if abs(x) < reach)})
    todo = [panel for pair in pairwise(first) for panel in panels(*pair, spacing)]
    work = [(panel, _moments(panel, side, slope, rule)) for panel in todo]
    scale = [sum(value[i] for _, value in work) or mp.one for i in (0, 1)]
    edges, totals, smallest = set(ends), [mp.zero, mp.zero], SMALLEST_PANEL / max(root, 1)
    while work:
        (low, high), coarse = work.pop()
        if high - low < smallest:
            raise PrecisionError(f"{_formula(phi)} is not smooth near {mp.nstr(low, 8)}; give its breakpoints")
        middle = mp.mpf(float((low + high) / 2))
        halves = [(panel, _moments(panel, side, slope, rule)) for panel in ((low, middle), (middle, high))]
        fine = [halves[0][1][i] + halves[1][1][i] for i in (0, 1)]
        scale = [max(old, new) for old, new in zip(scale, fine, strict=True)]
        if all(abs(a - b) < s * mp.mpf(10) ** -digits for a, b, s in zip(coarse, fine, scale, strict=True)):
            edges |= {float(low), float(high)}
            totals = [total + value for total, value in zip(totals, fine, strict=True)]
        else:
            work += halves
    return tuple(sorted(edges)), tuple(totals)


def _steep(phi, root) -> tuple[list, Callable[[float], float]]:
    """The centres where psi is steep, and how long first panels may be: no rule sees a step between all its nodes."""
    found = [(to_mpf(place) / root, 8 / (slope * float(root))) for piece in phi.pieces
             for place, slope in bends(piece, phi.symbol) if slope * float(root) > STEEP]  # fmt: skip
    near = [(float(place), width) for place, width in found]

    def spacing(x: float) -> float:
        return min([LONGEST, *(2 * abs(x - place) + width for place, width in near)])

    return [place for place, _ in found], spacing


def _moments(panel, side: Psi, slope: Psi, rule) -> list:
    middle = (panel[0] + panel[1]) / 2
    value, rate, totals = side.at(middle), slope.at(middle), [arb(0), arb(0)]
    for x, weight in mapped(*map(of_mpf, panel), rule):
        share = weight * density(x)
        totals[0] += share * value(x) ** 2
        totals[1] += share * rate(x) ** 2
    return [midpoint(total) for total in totals]


def _formula(phi: PiecewiseSmooth) -> str:
    return " | ".join(map(str, phi.pieces))


# ---- the gap of a kernel in float64, in milliseconds ---------------------------------------------
#
# As in `kernel`; on each piece the trapezoidal rule after z = 1/(1 + exp(-pi sinh u)) (Takahasi and Mori 1974).


DIGITS = 17
_U = np.linspace(-3.4, 3.4, 137)
SHARES = 1 / (1 + np.exp(-np.pi * np.sinh(_U)))
WEIGHTS = 0.05 * np.pi * np.cosh(_U) / (2 + 2 * np.cosh(np.pi * np.sinh(_U)))


def gap_float(phi: PiecewiseSmooth, q: float, gamma: float) -> float:
    """M_0(q) - E[phi(sqrt(q) U) phi(sqrt(q) V)] at the correlation 1 - gamma, 0 < gamma <= 1.

    The relative error is about 1e-17/gamma^(1/2); more where phi is steep on the scale sqrt(gamma).

    >>> from sympy import Max, Symbol
    >>> x = Symbol("x", real=True)
    >>> round(gap_float(PiecewiseSmooth.of(Max(x, 0), x), 2.0, 1.0), 12)
    0.681690113816
    """
    a, b, root = sqrt(1 - gamma / 2), sqrt(gamma / 2), sqrt(q)
    with mp.workdps(20):
        reach = gaussian_reach(scaled_side(phi, mpmath.mpf(q)), DIGITS, phi)
    places = {*phi.breaks, *(place for piece in phi.pieces for place, _ in bends(piece, phi.symbol))}
    ends = sorted({float(place) / root for place in places})
    meetings = {(x - y) / (2 * b) for x in ends for y in ends}
    y, outer = _nodes([0.0, *sorted(m for m in meetings if 0 < m < reach), reach])
    rows = [_nodes(sorted({-reach, reach, *(c for c in _cuts(ends, a, b * height) if abs(c) < reach)})) for height in y]
    counts = [len(x) for x, _ in rows]
    x, inner = (np.concatenate(parts) for parts in zip(*rows, strict=True))
    heights = np.repeat(y, counts)
    apart = phi.vectorised(root * (a * x + b * heights)) - phi.vectorised(root * (a * x - b * heights))
    weights = np.repeat(outer, counts) * inner * np.exp(-(x**2 + heights**2) / 2)
    return float(np.sum(weights * apart**2)) / (2 * np.pi)


def _cuts(ends: list[float], a: float, shift: float) -> list[float]:
    return [(end + sign * shift) / a for end in ends for sign in (-1, 1)]


def _nodes(ends: list[float]) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights between all neighbours."""
    low, high = np.array(ends[:-1])[:, None], np.array(ends[1:])[:, None]
    nodes = np.where(SHARES < 0.5, low + (high - low) * SHARES, high - (high - low) * SHARES[::-1])
    return nodes.ravel(), ((high - low) * WEIGHTS).ravel()


# ---- the Hermite series on the panels of a profile ---------------------------------------------------
#
# F(c) = sum_k a_k^2 c^k and its gap, slope and derivatives, evaluated in fixed point with every tail bounded.
#
# With S_k = a_k^2 and T_m = S_m + S_{m+1} + ...,  F(1) - F(c) = (1 - c) sum_m T_{m+1} c^m,  positive terms.  For c < 0
# odd k contribute S_k (1 + |c|^k).  What the first K terms miss is known: E[psi^2] - sum S_k and E[psi'^2] - sum k S_k
# come from one-dimensional quadrature (`profile`).  When the second is nothing, K terms are exact everywhere.
#
# a_k = E[psi(Z) He_k(Z)]/sqrt(k!) (Mehler 1866) on the panels of `profile`, halved for the waves of h_k = He_k
# sqrt(p/k!).  He_{k+2} = (x^2 - 2k - 1) He_k - k (k - 1) He_{k-2} runs on arrays of FLINT's integers, with as many
# guard bits as exp(x^2/4) has.  Even k see psi(x) + psi(-x), odd k psi(x) - psi(-x), so half of the line is enough.


GUARD_BITS = 40
SLIVER = 1e-12  # of their distance from 0, by which edges on either side of 0 differ through rounding
WAVES = 0.8  # panel length times wave number that the rule still integrates, by node


@dataclass(frozen=True)
class HermiteTable:
    """Integers A_k with a_k = A_k 2^-bits norm, k < count; norm = sqrt(E[psi^2])."""

    integers: tuple[int, ...]
    bits: int
    norm: mpmath.mpf

    @cached_property
    def balls(self) -> list[arb]:
        """a_k, in Arb's numbers without their errors."""
        with working(self.bits):
            norm = of_mpf(self.norm)
            return [arb((a, -self.bits)) * norm for a in self.integers]


def hermite_table(scaled: Profile, count: int) -> HermiteTable:
    """The table of the first `count` coefficients, to the digits of the profile."""
    bits = int(scaled.digits * log2(10)) + GUARD_BITS
    with mp.workdps(20):
        reach = gaussian_reach(scaled_side(scaled.phi, scaled.q), 2 * scaled.digits, scaled.phi)
    with mp.workprec(bits), working(bits):
        norm = mp.sqrt(scaled.moments[0])
        nodes, even, odd = _samples(scaled, reach, count, of_mpf(norm or mp.one))
        integers = _project(nodes, even, odd, bits, int(reach**2 / 4 * log2(np.e)) + GUARD_BITS, count)
    return HermiteTable(tuple(integers), bits, norm)


def _samples(scaled: Profile, reach: float, count: int, norm: arb) -> tuple[list, list, list]:
    """Nodes x > 0 and there weight sqrt(p(x)) (psi(x) +- psi(-x)) / norm, in Arb's numbers."""
    side, rule = ball_side(scaled.phi, scaled.q), ball_rule(scaled.digits)
    nodes, even, odd = [], [], []
    for panel in _half_line(scaled, side.breaks, reach, WAVES * len(rule) / sqrt(count + 1)):
        middle = (panel[0] + panel[1]) / 2
        right, left = side.at(middle), side.at(-middle)
        for x, weight in mapped(*map(of_mpf, panel), rule):
            factor, here, there = weight * density(x, 4) / norm, right(x), left(-x)
            nodes.append(x)
            even.append(factor * (here + there))
            odd.append(factor * (here - there))
    return nodes, even, odd


def _half_line(scaled: Profile, breaks: tuple, reach: float, longest: float) -> list[tuple]:
    """Panels of [0, reach] that fit psi(x) and psi(-x): those of the profile, halved, no longer than `longest`."""
    exact = {float(abs(point)): abs(point) for point in breaks}
    edges = sorted({0.0, *(e for e in exact if e < reach), reach})
    for edge in sorted(abs(e) for e in scaled.edges if abs(e) < reach):
        place = bisect(edges, edge)
        if min(edge - edges[place - 1], edges[place] - edge) > SLIVER * edge:
            edges.insert(place, edge)
    found = []
    for low, high in pairwise(edges):
        parts = max(2, int((high - low) / longest) + 1)
        inner = [mp.mpf(low + (high - low) * i / parts) for i in range(1, parts)]
        found += pairwise([exact.get(low, mp.mpf(low)), *inner, exact.get(high, mp.mpf(high))])
    return found


def _project(nodes: list, even: list, odd: list, bits: int, growth: int, count: int) -> list[int]:
    """All the sums over the nodes, in fixed point with bits + growth binary places.

    y_k = He_k sqrt(p) 2^-e_k with 2^e_k about sqrt(k!): two long products a step,

        y_{k+2} = (x^2 - 2k - 1) y_k 2^(e_k - e_{k+2}) - k (k-1) y_{k-2} 2^(e_{k-2} - e_{k+2}).
    """
    places, scales, sums = bits + growth, _scales(count + 1), [0] * count
    with working(places + 20):
        squares = _fixed([node.mid() ** 2 for node in nodes], places)
        roots = [density(node.mid(), 4) for node in nodes]
        starts = _fixed(roots, places), _fixed([r * node.mid() for r, node in zip(roots, nodes, strict=True)], places)
    for first, part, now in zip((0, 1), (even, odd), starts, strict=True):
        weights = _fixed(part, bits)
        before = now * 0
        for k in range(first, count if weights.any() else 0, 2):
            sums[k] = int(np.dot(weights, now))
            up, down = (scales[k + 2] - scales[j] for j in (k, max(k - 2, 0)))
            ahead = (squares - (fmpz(2 * k + 1) << places)) * now >> (places + up)
            before, now = now, ahead - (k * (k - 1) * before >> down)
    return _normalised(sums, scales, places)


def _scales(count: int) -> list[int]:
    """e_k, the whole part of log2 sqrt(k!), for k = 0, ..., count."""
    return [int(lgamma(k + 1) / (2 * log(2))) for k in range(count + 1)]


def _normalised(sums: list[int], scales: list[int], places: int) -> list[int]:
    """The sums times 2^e_k / sqrt(k!), without the binary places."""
    root, found = arb(1), []
    with working(places + 20):
        for k, total in enumerate(sums):
            root *= arb(max(k, 1)).sqrt()
            found.append(int((arb((total, scales[k] - places)) / root).mid().floor().unique_fmpz()))
    return found


def _fixed(values: list[arb], places: int) -> np.ndarray:
    return np.array([(value.mid() * arb((1, places))).mid().floor().unique_fmpz() for value in values], dtype=object)


def predicted_count(tails: tuple[float, float], counts: tuple[int, int], digits: float) -> float:
    """How many coefficients until the tail is 10^-digits, if its logarithm goes on falling like sqrt(count).

    >>> round(predicted_count((1e-10, 1e-20), (100, 400), 30))
    900
    """
    falls = log(tails[0]) - log(tails[1])
    if falls <= 0:
        return float("inf")
    rate = falls / (sqrt(counts[1]) - sqrt(counts[0]))
    return (sqrt(counts[1]) + max(0.0, log(tails[1]) + digits * log(10)) / rate) ** 2


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
        terms = [perm(k, order) * s * size ** (k - order) for k, s in enumerate(self.squares) if k >= order]
        last = len(self.squares) // 8
        return len(terms) > 2 * last and max(terms[-last:]) * last <= max(terms) * mp.mpf(10) ** -self.scaled.digits

    def value(self, c):
        return self.scaled.moments[0] * self._real(self._horner(self.squares, c))

    def derivative(self, c, order: int):
        """The `order`-th derivative of F at c."""
        terms = tuple(perm(k, order) * s for k, s in enumerate(self.squares))[order:]
        return self.scaled.moments[0] * self._real(self._horner(terms, c))

    def slope(self, c):
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

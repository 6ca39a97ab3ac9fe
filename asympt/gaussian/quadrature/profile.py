"""psi(x) = phi(sqrt(q) x) prepared for quadrature: how far out it matters and how finely it must be cut.

The reach is where psi(x)^2 exp(-x^2/2), and the same for the increments of psi, have fallen below the wanted precision.
A panel is halved until the Gauss-Legendre rule on it agrees with the rule on its halves, for psi^2 and for psi'^2.
"""

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import ceil, sqrt

import mpmath
import numpy as np
from flint import arb
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
        fits = min(spacing(float(left)), spacing(float(right))) * (1 + SLACK) >= right - left
        found += [(left, right)] if fits else _halves(left, right, spacing)
    return found


def _halves(left, right, spacing) -> list[tuple]:
    middle = (left + right) / 2
    return panels(left, middle, spacing) + panels(middle, right, spacing)


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
        pieces = tuple(mirrored(piece) for piece in reversed(self.pieces))
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


def mirrored(piece: Callable) -> Callable:
    """x -> piece(-x)."""
    return lambda x: piece(-x)


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

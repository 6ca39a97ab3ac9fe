"""Certified Gaussian integrals of several functions at once: two trapezoidal rules without a common node.

On every interval the trapezoidal rule with nodes d + k h, and with d + h/2 + k h.  Their errors have opposite signs and
both fall exponentially in 1/h: when they agree, both are right; otherwise their mean is the first rule for h/2.  The
line is mapped to the interval by z(u) whose derivative decays doubly exponentially at a finite end (Takahasi and Mori):

    (-oo, oo)    z = u                                      the density itself decays
    [a, oo)      z = a + s exp(u - exp(-u))                 s the scale on which something happens at a
    [a, b]       z = a + (b - a)/(1 + exp(-pi sinh u))

Of even functions on (-oo, oo) half of the nodes are enough where d = 0.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise, product

from flint import arb
from mpmath import mp

from asympt.balls.arithmetic import midpoint, of_mpf, working
from asympt.errors import NoValueError, PrecisionError

# ---- changes of variable that make the trapezoidal rule converge exponentially on any interval -------------------


HALF_WAY = 2  # |u| from where on a finite end is near
MIRRORED = "mirrored"  # in the place of the left end: (-oo, oo), for even functions


@dataclass(frozen=True)
class Substitution:
    """Of one interval: `place` maps u to (z, dz/du), in Arb; `open_left`, `open_right` say where it has no end.

    `scale`: the length on which something happens at its ends;  `mirrored`: nodes u >= 0 stand for -u as well.
    """

    place: Callable
    open_left: bool
    open_right: bool
    scale: arb | int = 1
    mirrored: bool = False

    def ways(self, offset, step) -> list[tuple]:
        """(first node, step) of the walks over offset + k step."""
        return [(offset, step)] if self.mirrored else [(offset, step), (offset - step, -step)]

    def is_near_end(self, u, z, reach) -> bool:
        """Whether u is where the terms may become negligible for good."""
        is_open = self.open_right if u > 0 else self.open_left
        return abs(z) >= reach if is_open else abs(u) >= HALF_WAY


def substitution(low, high, scale=1) -> Substitution:
    """The interval from `low` to `high` (Arb's numbers; None where there is no end), or (`MIRRORED`, None)."""
    if low is MIRRORED:
        return Substitution(lambda u: (u, arb(2 if u > 0 else 1)), True, True, mirrored=True)
    if low is None and high is None:
        return Substitution(lambda u: (u, arb(1)), True, True)
    if high is None:
        return Substitution(lambda u: _half_line(low, u, scale), False, True, scale)
    if low is None:
        return Substitution(lambda u: _half_line(high, -u, -scale), True, False, scale)
    return Substitution(lambda u: _interval(low, high, u), False, False, scale)


def _half_line(end: arb, u: arb, scale) -> tuple:
    """The half-line to the right of its end for a positive scale, to the left for a negative one."""
    decay = (-u).exp()
    distance = scale * (u - decay).exp()
    return end + distance, abs(distance) * (1 + decay)


def _interval(low: arb, high: arb, u: arb) -> tuple:
    growth = u.exp()
    weight = (-arb.pi() * (growth - 1 / growth) / 2).exp()
    share = 1 / (1 + weight)
    slope = (high - low) * weight * share**2 * arb.pi() * (growth + 1 / growth) / 2
    return (high - (high - low) * share * weight if weight < 1 else low + (high - low) * share), slope


def cut(breaks: Sequence, reach, centres: Sequence[Sequence]) -> list[tuple]:
    """The intervals (low, high, number of the piece) between the breakpoints; one that 0 lies deep in is halved.

    `centres`: for each piece places where something happens on a small scale, which are ends too.

    >>> cut([], 10, [[mp.zero]])
    [(None, mpf('0.0'), 0), (mpf('0.0'), None, 0)]
    """
    found = []
    for index, (low, high) in enumerate(pairwise([None, *breaks, None])):
        inside = sorted(c for c in centres[index] if (low is None or low < c) and (high is None or c < high))
        is_deep = low is not None and high is not None and low < -reach / 2 and high > reach / 2
        inside = inside or ([mp.zero] if is_deep else [])
        found += [(*ends, index) for ends in pairwise([low, *inside, high])]
    return found


GUARD = 12
HALVINGS = 6
FINEST = mp.mpf(1) / 1000  # the smallest scale that is followed on a line without ends
TRIES = (1, 3, 6, 12)  # working precision in units of the requested digits: more where the formula itself loses digits
PLATEAU = 2  # halvings without progress that show rounding to be in the way
SETTLED = 3  # consecutive negligible terms after which a sum ends

# low, high (mpmath numbers, None: no end; or MIRRORED, None), values: z -> list of Arb's numbers; scale at an end, or 1
Interval = tuple


class Disagreement(PrecisionError):
    """The two rules do not agree at this working precision; nothing a user sees."""


def integrals(builds: Sequence[Callable], count: int, digits: int) -> tuple[list, list]:
    """(E[g_i(Z)], E|g_i(Z)|) for `count` functions, the first correct to 10^-digits times the second.

    `builds`: ways to cut the line, each giving intervals at mpmath's precision; the first is tried at rising working
    precision, then the others.  Raises `PrecisionError` when the two rules do not agree.

    >>> (square,), _ = integrals([lambda: [(None, None, lambda z: [z * z])]], 1, 20)
    >>> abs(square - 1) < 1e-20
    True
    """
    for build, times in [*product(builds[:1], TRIES), *product(builds[1:], TRIES[:1])]:
        with mp.workdps(times * digits + GUARD), working(mp.prec, max(count, 2)):
            try:
                return _agreed(build(), count, digits)
            except (Disagreement, NoValueError):  # 0/0 at a removable singularity, after rounding
                continue
    raise PrecisionError(
        f"a Gaussian integral could not be certified to {digits} digits; ask for fewer digits, or write the "
        "function so that it is smooth, without removable singularities, between its breakpoints"
    )


def _agreed(intervals: Sequence[Interval], count: int, digits: int) -> tuple[list, list]:
    """Halve the step until both rules agree; raises `Disagreement` when they do not get closer any more."""
    step, best, stuck = min(mp.mpf(10) / (digits + GUARD), _widest(intervals)), mp.inf, 0
    mirrored = any(low is MIRRORED for low, *_ in intervals)
    offset, cut = step * 0 if mirrored else step / 7, mp.mpf(10) ** -(digits + GUARD)
    first = _rule(intervals, count, step, offset, cut)
    for _ in range(HALVINGS):
        second = _rule(intervals, count, step, offset + step / 2, cut)
        means, sizes = ([(a + b) / 2 for a, b in zip(*both, strict=True)] for both in zip(first, second, strict=True))
        apart = (abs(one - two) for one, two in zip(first[0], second[0], strict=True))
        worst = max(off / size if size else mp.zero for off, size in zip(apart, sizes, strict=True))
        if worst <= mp.mpf(10) ** -digits:
            return means, sizes
        stuck = stuck + 1 if worst > best / 2 else 0
        if stuck == PLATEAU:
            break
        first, step, best = (means, sizes), step / 2, min(best, worst)
    raise Disagreement


def _widest(intervals: Sequence[Interval]):
    """The largest step on a line without ends that sees its scale: coarser grids take waves for others, and agree."""
    scales = [mp.mpf(scale) for low, high, _, *rest in intervals if (low is None or low is MIRRORED) and high is None
              for scale in rest]  # fmt: skip
    widest = min(scales, default=mp.one)
    if widest < FINEST:
        raise Disagreement
    return widest


def _rule(intervals: Sequence[Interval], count: int, step, offset, cut) -> tuple[list, list]:
    """The trapezoidal sums of all intervals: of the functions and of their absolute values."""
    scale, sums = step / mp.sqrt(2 * mp.pi), _NodeSums(count, of_mpf(cut), arb(float(reach_of(-mp.log10(cut)))))
    for low, high, values, *scales in intervals:
        ends = (end if end is None or end is MIRRORED else of_mpf(end) for end in (low, high))
        line = substitution(*ends, *map(of_mpf, scales))
        sums.begin()
        for first, way in line.ways(offset, step):
            _walk(line, values, sums, of_mpf(first), of_mpf(way))
    return tuple([scale * midpoint(total) for total in totals] for totals in (sums.plain, sums.sizes))


class _NodeSums:
    """The sums of some functions over all nodes, and the largest term of each in this interval.

    cut: the share of it that is negligible;  reach: where the density itself is.
    """

    def __init__(self, count: int, cut: arb, reach: arb):
        self.cut, self.reach = cut, reach
        self.plain, self.sizes = [arb(0)] * count, [arb(0)] * count
        self.begin()

    def begin(self) -> None:
        self.peaks = [arb(0)] * len(self.plain)

    def add(self, terms: Sequence[arb]) -> bool:
        """Add one node; whether all its terms are negligible."""
        negligible = True
        for index, term in enumerate(terms):
            size = abs(term)
            self.plain[index] += term
            self.sizes[index] += size
            if size > self.peaks[index]:
                self.peaks[index] = size
            negligible = negligible and size <= self.cut * self.peaks[index]
        return negligible


def _walk(line: Substitution, values: Callable, sums: _NodeSums, u: arb, step: arb) -> None:
    """Add the nodes u, u + step, ... until their terms have become negligible for good."""
    settled = 0
    while settled < SETTLED:
        z, slope = line.place(u)
        if slope <= sums.cut * line.scale:
            return  # a finite end, where the function is bounded, although its formula may lose its digits
        weight = slope * (-z * z / 2).exp()
        terms = [(weight * value).mid() for value in values(z)]
        if not all(term.is_finite() for term in terms):
            raise NoValueError(f"the integrand is not finite at {z.str(8, radius=False)}")
        settled = settled + 1 if sums.add(terms) and line.is_near_end(u, z, sums.reach) else 0
        u = (u + step).mid()


def reach_of(digits):
    """Where the normal density itself is 10^-digits: bounded functions end there."""
    return mp.sqrt(2 * digits * mp.log(10))

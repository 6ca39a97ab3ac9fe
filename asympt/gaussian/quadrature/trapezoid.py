"""Certified Gaussian integrals of several functions at once: two trapezoidal rules without a common node.

Problem.  E[g_i(Z)], i = 1, 2, ..., to a number of digits that can be relied on, each g_i smooth between breakpoints.

Rule.  On every interval the trapezoidal rule after a change of variable (`double_exponential`), with step h and nodes
d + k h; and again with nodes d + h/2 + k h.  Their errors have opposite signs and both fall exponentially in
1/h, and rounding enters both independently: when they agree, both are right.  Otherwise their mean is the first rule
for h/2.  The sums run in Arb, whose numbers are an order of magnitude faster than mpmath's; its radii are not used,
what is trusted is the agreement.

Tiny case.  E[Z^2], h = 1/4: the error of either rule is exp(-2 pi^2/h^2) = 10^-137, and they agree at once.

Known limits.  The integrand must be analytic inside each interval; the agreement is no proof for a function that is
invisible on both grids.
"""

from collections.abc import Callable, Sequence
from itertools import product

from flint import arb
from mpmath import mp

from asympt.balls.arithmetic import midpoint, of_mpf, working
from asympt.errors import NoValueError, PrecisionError
from asympt.gaussian.quadrature.double_exponential import Substitution, substitution

GUARD = 12
HALVINGS = 6
TRIES = (1, 3, 6, 12)  # working precision in units of the digits asked for: more where the formula itself loses digits
PLATEAU = 2  # halvings without progress that show rounding to be in the way
SETTLED = 3  # consecutive negligible terms after which a sum ends

Interval = tuple  # low, high (mpmath numbers, None: no end), values: z -> list, of Arb's numbers; scale at an end, or 1


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
    step, best, stuck = mp.mpf(10) / (digits + GUARD), mp.inf, 0
    offset, cut = step / 7, mp.mpf(10) ** -(digits + GUARD)
    first = _rule(intervals, count, step, offset, cut)
    for _ in range(HALVINGS):
        second = _rule(intervals, count, step, offset + step / 2, cut)
        means, sizes = (_means(one, two) for one, two in zip(first, second, strict=True))
        worst = max(_relative(*values) for values in zip(first[0], second[0], sizes, strict=True))
        if worst <= mp.mpf(10) ** -digits:
            return means, sizes
        stuck = stuck + 1 if worst > best / 2 else 0
        if stuck == PLATEAU:
            break
        first, step, best = (means, sizes), step / 2, min(best, worst)
    raise Disagreement


def _relative(one, two, size):
    return abs(one - two) / size if size else mp.zero


def _means(one: Sequence, two: Sequence) -> list:
    return [(a + b) / 2 for a, b in zip(one, two, strict=True)]


def _rule(intervals: Sequence[Interval], count: int, step, offset, cut) -> tuple[list, list]:
    """The trapezoidal sums of all intervals: of the functions and of their absolute values."""
    scale, sums = step / mp.sqrt(2 * mp.pi), _NodeSums(count, of_mpf(cut), arb(float(reach_of(-mp.log10(cut)))))
    for low, high, values, *scales in intervals:
        line = substitution(*(end if end is None else of_mpf(end) for end in (low, high)), *map(of_mpf, scales))
        sums.begin()
        for first, way in ((offset, step), (offset - step, -step)):
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
        """A new interval."""
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

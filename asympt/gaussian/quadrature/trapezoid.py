"""Certified Gaussian integrals of several functions at once: two trapezoidal rules without a common node.

Problem.  E[g_i(Z)], i = 1, 2, ..., to a number of digits that can be relied on, each g_i smooth between breakpoints.

Rule.  On every interval the trapezoidal rule after a change of variable (`double_exponential`), with step h and nodes
d + k h; and again with nodes d + h/2 + k h.  Their errors have opposite signs and both fall exponentially in
1/h, and rounding enters both independently: when they agree, both are right.  Otherwise their mean is the first rule
for h/2.

Tiny case.  E[Z^2], h = 1/4: the error of either rule is exp(-2 pi^2/h^2) = 10^-137, and they agree at once.

Known limits.  The integrand must be analytic inside each interval; the agreement is no proof for a function that is
invisible on both grids.
"""

from collections.abc import Callable, Sequence
from itertools import product

from mpmath import mp

from asympt.errors import InputError, PrecisionError
from asympt.gaussian.quadrature.double_exponential import Substitution, substitution

GUARD = 12
HALVINGS = 6
TRIES = (1, 3, 6, 12)  # working precision in units of the digits asked for: more where the formula itself loses digits
PLATEAU = 2  # halvings without progress that show rounding to be in the way
SETTLED = 3  # consecutive negligible terms after which a sum ends

Interval = tuple  # low, high (None: no end), values: z -> list of numbers


class Disagreement(ArithmeticError):
    """The two rules do not agree at this working precision; nothing a user sees."""


def integrals(builds: Sequence[Callable], count: int, digits: int) -> tuple[list, list]:
    """(E[g_i(Z)], E|g_i(Z)|) for `count` functions, the first correct to 10^-digits times the second.

    `builds`: ways to cut the line, each giving intervals at mpmath's precision; the first is tried at rising working
    precision, then the others.  Raises `PrecisionError` when the two rules do not agree, `InputError` when a value is
    not real.

    >>> (square,), _ = integrals([lambda: [(None, None, lambda z: [z**2])]], 1, 20)
    >>> abs(square - 1) < 1e-20
    True
    """
    for build, times in [*product(builds[:1], TRIES), *product(builds[1:], TRIES[:1])]:
        with mp.workdps(times * digits + GUARD):
            try:
                return _agreed(build(), count, digits)
            except (Disagreement, ZeroDivisionError):  # 0/0 at a removable singularity, after rounding
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
    scale = step / mp.sqrt(2 * mp.pi)
    sums = [_IntervalSums(count, cut) for _ in intervals]
    for (low, high, values), total in zip(intervals, sums, strict=True):
        line = substitution(low, high)
        _walk(line, values, total, offset, step)
        _walk(line, values, total, offset - step, -step)
    nothing = ([mp.zero] * count,) * 2
    plain, sizes = zip(nothing, *(total.results() for total in sums), strict=True)
    return tuple([scale * mp.fsum(column) for column in zip(*rows, strict=True)] for rows in (plain, sizes))


class _IntervalSums:
    """The terms of one interval, function by function, and the largest of each; `cut` says what is negligible."""

    def __init__(self, count: int, cut):
        self.cut = cut
        self.terms: list[list] = [[] for _ in range(count)]
        self.peaks = [mp.zero] * count

    def add(self, terms: Sequence) -> bool:
        """Add one node; whether all its terms are negligible."""
        negligible = True
        for index, term in enumerate(terms):
            self.terms[index].append(term)
            size = abs(term)
            if size > self.peaks[index]:
                self.peaks[index] = size
            negligible = negligible and size <= self.cut * self.peaks[index]
        return negligible

    def results(self) -> tuple[list, list]:
        return [mp.fsum(column) for column in self.terms], [mp.fsum(column, absolute=True) for column in self.terms]


def _walk(line: Substitution, values: Callable, total: _IntervalSums, u, step) -> None:
    """Add the nodes u, u + step, ... until their terms have become negligible for good."""
    reach, settled = reach_of(-mp.log10(total.cut)), 0
    while settled < SETTLED:
        z, slope = line.place(u)
        if slope <= total.cut:
            return  # a finite end, where the function is bounded, although its formula may lose its digits
        weight = slope * mp.exp(-z * z / 2)
        terms = [weight * value for value in values(z)]
        if any(isinstance(term, mp.mpc) for term in terms):
            raise InputError(f"the function is not real at sqrt(q) Z for Z = {mp.nstr(z, 5)}; give a real one")
        settled = settled + 1 if total.add(terms) and line.is_near_end(u, z, reach) else 0
        u += step


def reach_of(digits):
    """Where the normal density itself is 10^-digits: bounded functions end there."""
    return mp.sqrt(2 * digits * mp.log(10))

"""Gauss-Legendre rules from Arb, chosen by the wanted digits, and panels that fit the integrand."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise
from math import ceil

from flint import arb
from mpmath import mp
from mpmath.libmp import prec_to_dps

from asympt.balls.arithmetic import nearest, working

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

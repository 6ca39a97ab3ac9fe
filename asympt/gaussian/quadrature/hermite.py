"""Hermite coefficients a_k = E[phi(sqrt(q) Z) He_k(Z)] / sqrt(k!) of any piecewise smooth activation, by the thousand.

Rule.  F(c) = E[psi(U) psi(V)] = sum_k a_k^2 c^k (Mehler 1866), psi(x) = phi(sqrt(q) x).  With the Hermite functions
h_k = He_k sqrt(p/k!), p the normal density, a_k is the integral of psi sqrt(p) h_k, taken on the panels of `profile`,
halved and short enough for the waves of h_k (wave number sqrt(k)).  The recurrence

    He_{k+2} = (x^2 - 2k - 1) He_k - k (k - 1) He_{k-2}

runs, scaled by powers of two, on arrays of integers (fixed point; FLINT's, which are three times as fast).  Where
x^2 > 4k it grows, by exp(x^2/4) in all: that many guard bits.  Even k see psi(x) + psi(-x), odd k psi(x) - psi(-x), so
half of the line is enough, and of an even or odd phi half of the k.
"""

from bisect import bisect
from dataclasses import dataclass
from itertools import pairwise
from math import lgamma, log, log2, sqrt

import mpmath
import numpy as np
from flint import arb, fmpz
from mpmath import mp

from asympt.balls.arithmetic import of_mpf, working
from asympt.gaussian.quadrature.profile import Profile, ball_side, density, gaussian_reach, scaled_side
from asympt.gaussian.quadrature.rules import ball_rule, mapped

GUARD_BITS = 40
SLIVER = 1e-12  # of their distance from 0, by which edges on either side of 0 differ through rounding
WAVES = 0.8  # panel length times wave number that the rule still integrates, by node


@dataclass(frozen=True)
class HermiteTable:
    """Integers A_k with a_k = A_k 2^-bits norm, k < count; norm = sqrt(E[psi^2])."""

    integers: tuple[int, ...]
    bits: int
    norm: mpmath.mpf

    def coefficient(self, k: int):
        """a_k as an mpmath number."""
        return mp.ldexp(mp.mpf(self.integers[k]), -self.bits) * self.norm


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


# ---- prediction ---------------------------------------------------------------------------------------


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

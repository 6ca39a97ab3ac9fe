"""Changes of variable that make the trapezoidal rule converge exponentially on any interval.

Problem.  Integrate a function times the normal density over the line, a half-line or an interval, given that it is
smooth inside but not across the ends.

Rule.  The trapezoidal rule over the whole line converges exponentially for analytic integrands.  So map the line to
the interval by z(u) whose derivative decays doubly exponentially towards a finite end (Takahasi and Mori 1974):

    (-oo, oo)    z = u                                      the density itself decays
    [a, oo)      z = a + s exp(u - exp(-u))                 s the scale on which something happens at a
    [a, b]       z = a + (b - a)/(1 + exp(-pi sinh u))

Tiny case.  [0, oo): u = 0 is z = exp(-1), and u = -4 is z = 4 10^-26.

Known limits.  A steep place inside an interval, far from its ends, needs small steps.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from flint import arb
from mpmath import mp

HALF_WAY = 2  # |u| from where on a finite end is near


@dataclass(frozen=True)
class Substitution:
    """Of one interval: `place` maps u to (z, dz/du), in Arb; `open_left`, `open_right` say where it has no end.

    `scale`: the length on which something happens at its ends.
    """

    place: Callable
    open_left: bool
    open_right: bool
    scale: arb | int = 1

    def is_near_end(self, u, z, reach) -> bool:
        """Whether u is where the terms may become negligible for good."""
        is_open = self.open_right if u > 0 else self.open_left
        return abs(z) >= reach if is_open else abs(u) >= HALF_WAY


def substitution(low, high, scale=1) -> Substitution:
    """The interval from `low` to `high` (Arb's numbers; None where there is no end)."""
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
        inside = inside or ([mp.zero] if _is_deep(low, high, reach) else [])
        found += [(*ends, index) for ends in pairwise([low, *inside, high])]
    return found


def _is_deep(low, high, reach) -> bool:
    """Whether the ends are far from 0 on both sides."""
    return low is not None and high is not None and low < -reach / 2 and high > reach / 2

"""Starts of which more than one number moves, until all but one of them have settled.

Problem.  A law is that of one recursion x' = g(x), and of K along it; a start has more to it: two variances that are
not q yet, positions that differ.  What is more than x shrinks geometrically.

Rule.  The original layer is iterated until what is left of the rest can no longer be seen in the digits requested;
there, at layer n, the coordinate of g takes over with the x and the K found (K_n is not Sigma_n any more).  The law is
the same, its C and D are others.  Two entries, one of them ten digits further on, must agree.

Tiny case.  g(x) = x - x^2 and x' = g(x) + x u, u' = u/2: from (x, u) = (1/4, 1/8) for 30 digits the scalar law of
x - x^2 takes over after some 110 layers; C = A(x_n) - n.

Known limits.  As many layers are iterated as the rest needs: -digits/log10 |B| for the slowest multiplier B of the rest.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from mpmath import mp

from asympt.numbers import exact
from asympt.recursions.agreement import GUARD, agreed

FURTHER = (0, 10)  # digits more to which the rest has settled where the two routes enter
CONSTANTS, REMEDY = "two readings of the connection constants", "ask for fewer digits"


@dataclass(frozen=True)
class Entry:
    """Layer n of an orbit: the distance y from the fixed point of the law, what is seen of it there, and K (or None).

    `rest`: the other coordinates there.
    """

    layer: int
    distance: Any
    seen: Any
    kernel: Any
    rest: tuple = ()


class Unsettled:
    """A start that comes to the recursion of a law only after some layers."""

    why = "the start moves in more than one coordinate before the law's own recursion holds; two routes agree"

    def follow(self, law, digits: int, last: int | None) -> Entry:
        """The first layer at which the scalar recursion holds to `digits` digits, or `last`, if that comes before."""
        raise NotImplementedError

    def scalar(self, law):
        """The law whose recursion the orbit enters."""
        return law

    def value(self, law, depth: int, digits: int):
        """The quantity of the law at one depth."""

        def at(digits: int):
            entry = self.follow(law, digits, depth)
            if entry.layer < depth:
                found = entered(self.scalar(law), entry).evaluated_from(exact(entry.distance), depth, digits - GUARD // 2)
                return found.value
            with mp.workdps(digits):
                return +entry.seen if law.linear is None else entry.kernel / (depth if law.average else 1)

        return agreed(lambda extra: [at(digits + GUARD + extra + more) for more in FURTHER], digits)

    def constants(self, law, digits: int, second: bool = False) -> tuple:
        """(C, D) of the orbit."""

        def pair(extra: int) -> Sequence:
            found = [self.follow(law, digits + GUARD + extra + more, None) for more in FURTHER]
            dense = self.scalar(law)
            return [entered(dense, e).constants_from(exact(e.distance), digits, second).value for e in found]

        return agreed(pair, digits, CONSTANTS, REMEDY)


def entered(law, entry: Entry):
    """The law of an orbit that is at layer n of the scalar recursion, with the K found there."""
    dynamics = law.dynamics
    linear = dynamics.linear
    if linear is not None:
        linear = replace(linear, start=lambda distance: entry.kernel, exact_start=lambda distance: exact(entry.kernel))
    return law.changed(dynamics=replace(dynamics, first=entry.layer, linear=linear))

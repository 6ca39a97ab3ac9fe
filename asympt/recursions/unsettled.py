"""Starts of which more than one number moves, until all but one of them have settled.

Two variances that are not q yet, positions that differ: what is more than the x of x' = g(x) shrinks geometrically.
The original layer is iterated until the rest can no longer be seen in the digits requested; there, at layer n, the
coordinate of g takes over with the x and the K found (K_n is not Sigma_n any more).  The law is the same, its C and D
are others; from there g must lead to where the original layers are some layers further on.  That takes -digits/log10
|B| layers, B the slowest multiplier of the rest.
"""

from dataclasses import dataclass, replace
from typing import Any

from mpmath import mp

from asympt.errors import PrecisionError, UnsupportedError
from asympt.numbers import exact
from asympt.recursions.agreement import GUARD, agree
from asympt.recursions.coordinates.koenigs_linear import at_rest

FURTHER, AFTER = 10, 8  # digits more to which the rest has settled at the second layer, and layers after the first
EXTRA = (0, 25)


@dataclass(frozen=True)
class Arrival:
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

    why = "the start moves in more than one coordinate before the law's own recursion holds"
    unproved = "there is no theorem yet about a start that settles first; evaluate it"

    @property
    def distance(self):
        """The exact distance from the fixed point in layer 1, where a theorem starts."""
        raise UnsupportedError(self.unproved)

    def entering(self, law, asked):
        """The law as `asympt.balls` has it, for the orbits of this start."""
        raise UnsupportedError(self.unproved)

    def follow(self, law, digits: int, last: int | None, least: int = 1) -> Arrival:
        """The first layer from `least` on at which the scalar recursion holds to `digits` digits, at most `last`."""
        raise NotImplementedError

    def effective(self, law, digits: int):
        """The gap of the start with the same C of which nothing else moves; `law` takes variances."""
        raise NotImplementedError

    def scalar(self, law):
        """The law whose recursion the orbit enters."""
        return law

    def value(self, law, depth: int, digits: int):
        """The quantity of the law at one depth."""
        entry = self.entry(law, digits, depth)
        if entry.layer < depth and not entry.distance:
            with mp.workdps(digits + GUARD):
                moved = law.linear and at_rest(self.scalar(law).dynamics, entry.kernel, depth - entry.layer)
            entry = replace(entry, layer=depth, kernel=moved)
        if entry.layer < depth:
            return entered(self.scalar(law), entry).evaluated_from(exact(entry.distance), depth, digits).value
        with mp.workdps(digits + GUARD):
            return +entry.seen if law.linear is None else entry.kernel / (depth if law.average else 1)

    def constants(self, law, digits: int, second: bool = False) -> tuple:
        """(C, D) of the orbit."""
        entry = self.entry(law, digits, None)
        return entered(self.scalar(law), entry).constants_from(exact(entry.distance), digits, second).value

    def entry(self, law, digits: int, last: int | None) -> Arrival:
        """Where the orbit is on the scalar recursion to `digits` digits, or at `last`; `PrecisionError` if it is not.

        The scalar recursion from the layer where the rest has settled to the digits leads to the state that the
        original layers have further on, where it has settled to ten digits more.
        """
        for extra in EXTRA:
            wanted = digits + GUARD + extra
            early = self.follow(law, wanted, last)
            late = self.follow(law, wanted + FURTHER, last, early.layer + AFTER)
            with mp.workdps(wanted + FURTHER):
                if self._leads(self.scalar(law).dynamics, early, late, digits + len(str(late.layer))):
                    return late
        raise PrecisionError(
            f"the recursion of the law does not lead from layer {early.layer} of the orbit to layer {late.layer} to "
            f"{digits} digits; ask for fewer digits"
        )

    def _leads(self, dynamics, early: Arrival, late: Arrival, digits: int) -> bool:
        """Whether the recursion of the law takes the state at one layer to that at the other."""
        linear = getattr(dynamics, "linear", None) is not None
        state = (early.distance, early.kernel)[: 1 + linear]
        if linear and not early.distance:
            state = early.distance, at_rest(dynamics, early.kernel, late.layer - early.layer)
        for _ in range(late.layer - early.layer if early.distance else 0):
            state = dynamics.step(state)
        return all(agree(one, two, digits) for one, two in zip(state, (late.distance, late.kernel), strict=False))


def entered(law, entry: Arrival):
    """The law of an orbit that is at layer n of the scalar recursion, with the K found there."""
    dynamics = law.dynamics
    linear = dynamics.linear
    if linear is not None:
        linear = replace(linear, start=lambda distance: entry.kernel, exact_start=lambda distance: exact(entry.kernel))
    return law.changed(dynamics=replace(dynamics, first=entry.layer, linear=linear))

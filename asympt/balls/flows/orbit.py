"""The original recursion with falling steps in balls, from one start or from all starts of an interval.

As in `balls.orbit`: the mean value form for one start; the two ends of an interval as long as 1 - delta h' > 0 on it.
"""

from collections.abc import Mapping
from functools import cached_property

from flint import arb
from sympy import Expr, Symbol

from asympt.balls.arithmetic import Refused
from asympt.balls.disc import enclosed, rooted
from asympt.balls.expression import Program, program_of
from asympt.balls.flows.theorem import DriftMap
from asympt.balls.orbit import BallInterval, OrbitInBalls, image


class FlowOrbit(OrbitInBalls):
    """x_l, and the a_l = k_l of a kernel, of which `along` gives that of the start as a function of x."""

    map: DriftMap

    def x(self, layer: int) -> BallInterval:
        return self._at(layer)[0]

    def t(self, layer: int) -> BallInterval:
        x = self.x(layer)
        low = rooted(x.low, self.map.root)
        return BallInterval.thin(low) if x.is_thin else BallInterval(low, rooted(x.high, self.map.root))

    @cached_property
    def _programs(self) -> tuple[Program, Program, Program | None]:
        return tuple(None if f is None else program_of(f, self.map.variable, self.map.within) for f in self.map.plain)

    def _begun(self, x: Symbol) -> Expr:
        return self.along(x)

    def _following(
        self, x: BallInterval, k: BallInterval | None, known: Mapping[Symbol, arb]
    ) -> tuple[BallInterval, BallInterval | None]:
        drift, slope, own = self._programs
        delta = self.map.step(self.first + len(self._layers), known)
        if k is not None:
            fall, source = _range(slope, x, known), _range(own, x, known)
            k = _affine(fall, -delta, 1) * k + _affine(source, delta, 0)
        return self._moved(x, delta, drift, slope.value(x.ball, known), known), k

    def _moved(self, x: BallInterval, delta: arb, drift: Program, fall: arb, known) -> BallInterval:
        ends = [x.low] if x.is_thin else [x.low, x.high]
        if not x.is_thin and not (1 - delta * fall) > 0:
            raise Refused("the steps are so large that two orbits may change places; take a shorter interval of starts")
        after = [_after(end, delta, drift, fall, known) for end in ends]
        for before, value in zip(ends, after, strict=True):
            if not (value > 0 and value.upper() < before.upper()):
                raise Refused("the orbit cannot be shown to fall towards 0 at every layer; start nearer to 0")
        return BallInterval.thin(after[0]) if x.is_thin else BallInterval(*after)


def _after(x: arb, delta: arb, drift: Program, fall: arb, known) -> arb:
    """x - delta h(x), about the middle of the ball."""
    if x.rad().is_zero() or not fall.is_finite():
        return x - delta * enclosed(drift, x, known)
    middle = x.mid()
    return middle - delta * drift.value(middle, known) + (1 - delta * fall) * (x - middle)


def _range(program: Program, x: BallInterval, known) -> BallInterval:
    return BallInterval.thin(program.value(x.low, known)) if x.is_thin else image(program, x, known)


def _affine(values: BallInterval, factor: arb, constant: int) -> BallInterval:
    low, high = (constant + factor * end for end in (values.low, values.high))
    if values.is_thin:
        return BallInterval.thin(low)
    return BallInterval(low, high) if factor > 0 else BallInterval(high, low)

"""The original orbit in mpmath: layer by layer, or by leaps where the way is long.

Problem.  Reach a given layer, or the first layer whose tau is small enough, from the exact starting value.

Rule.  Step by step up to `LONG_WAY` layers; beyond that, where the map may be composed with itself (`squaring`), by
leaps.  An orbit that leaves its side of the fixed point, or does not come near it, is an error.

Known limits.  Where leaps are impossible, more than `MOST_STEPS` layers are refused.
"""

from dataclasses import dataclass

import mpmath
from mpmath import mp
from sympy import Expr

from asympt.errors import InputError, PrecisionError
from asympt.numbers import to_mpf
from asympt.recursions.coordinates.abel_numeric import Coordinate
from asympt.recursions.protocol import Dynamics
from asympt.recursions.squaring import tower

SHALLOW = 32  # this many steps are iterated outright, whether or not the expansion is within reach
MOST_STEPS = 300_000
LONG_WAY = 20_000
MOST_LEAPT = 2**40
FEW_STEPS = 20_000
CLOSER = "start closer to the fixed point"
LARGEST = 1_000_000  # an orbit this many times its start away is taken to escape


def initial(dynamics: Dynamics, start: Expr) -> tuple:
    """The first state, from the exact starting value of x."""
    x = to_mpf(start)
    return (x, dynamics.linear.start(x)) if dynamics.linear else (x,)


def descend(dynamics: Dynamics, start: Expr, chart: Coordinate, deeper, later: int) -> tuple[tuple, int]:
    """The state at the hand-over and its layer.

    The hand-over lies `later` layers after tau has come within the chart's reach, or beyond it as far as `deeper` times
    as many layers lead (from far away; A starts with tau^(-m)).
    """
    scale = to_mpf(dynamics.scale)
    edge = (scale * chart.reach / mpmath.mpf(deeper) ** (mpmath.mpf(1) / chart.multiplicity)) ** dynamics.root
    state, layer = initial(dynamics, start), dynamics.first
    way = _way(chart, dynamics.uniformiser(abs(state[0])) / scale, deeper)
    if way > LONG_WAY:
        state, layer = _leap_down(dynamics, state, edge, way)
    watch = Watch(LARGEST * (1 + abs(state[0])), edge, min(MOST_STEPS, max(FEW_STEPS, 20 * way)))
    while not 0 <= state[0] <= edge:
        state, layer = watch.step(dynamics, state), layer + 1
    return _onward(dynamics, state, layer, later)


def _onward(dynamics: Dynamics, state: tuple, layer: int, layers: int) -> tuple[tuple, int]:
    """So many layers more, except at the fixed point itself."""
    for _ in range(layers if state[0] else 0):
        state, layer = dynamics.step(state), layer + 1
    return state, layer


def iterate(dynamics: Dynamics, start: Expr, depth: int):
    """Layer by layer; at the fixed point itself a grows by the constant forcing there."""
    state = initial(dynamics, start)
    for layer in range(dynamics.first, depth):
        if state[0] == 0:
            return _at_fixed_point(dynamics, state, depth - layer)
        state = dynamics.step(state)
    return state[-1]


def leap_to(dynamics: Dynamics, start: Expr, depth: int):
    """x or a at a depth before the hand-over that is too far to go layer by layer."""
    state, layer = _into_calm(dynamics, initial(dynamics, start), dynamics.first, depth)
    return tower(dynamics, mp.dps).advance(state, depth - layer)[-1]


def _at_fixed_point(dynamics: Dynamics, state: tuple, layers: int):
    """lambda = 1 on the Edge of Chaos, so a grows by b(0) a layer; x stays 0."""
    if dynamics.linear is None:
        return state[0]
    return state[1] + layers * to_mpf(dynamics.linear.forcing(1)[0])


def _way(chart: Coordinate, tau, deeper) -> int:
    """About how many layers lie before the hand-over, by the leading term of A."""
    m = chart.multiplicity
    return int(chart.abel[0] * (deeper / chart.reach**m - (1 / tau**m if tau else 0)))


def _leap_down(dynamics: Dynamics, state: tuple, edge, way: int) -> tuple[tuple, int]:
    """Close to the hand-over in few leaps; a refusal where the map cannot be composed or is too slow all the same."""
    if dynamics.calm is None or way > MOST_LEAPT:
        if way > MOST_STEPS:
            raise _too_slow(way)
        return state, dynamics.first
    state, layer = _into_calm(dynamics, state, dynamics.first, None)
    state, leapt = tower(dynamics, mp.dps).descend(state, edge, 2 * way)
    return state, layer + leapt


def _into_calm(dynamics: Dynamics, state: tuple, layer: int, depth: int | None) -> tuple[tuple, int]:
    """Layer by layer until leaps are allowed, or to `depth`."""
    end = to_mpf(dynamics.calm) ** dynamics.root
    _refuse_long_way_to_calm(dynamics, state[0], end)
    while state[0] > end and layer != depth:
        state, layer = dynamics.step(state), layer + 1
    return state, layer


def _refuse_long_way_to_calm(dynamics: Dynamics, x, end) -> None:
    """What lies beyond the calm part is short unless the map is extremely slow: about scale (1/calm - 1/t) layers."""
    way = to_mpf(dynamics.scale) * (1 / dynamics.uniformiser(end) - 1 / dynamics.uniformiser(x))
    if way > MOST_STEPS:
        raise _too_slow(int(way))


class OtherSideError(InputError):
    """The orbit settles on the other side of the fixed point."""


@dataclass
class Watch:
    """Looks after an orbit that should come near its fixed point: an error, with the reason, if it does not.

    A sojourn on the other side (y < 0) is allowed unless the orbit settles there.
    """

    ceiling: object
    edge: object
    most: int
    taken: int = 0

    def step(self, dynamics: Dynamics, state: tuple) -> tuple:
        """The next state."""
        following = dynamics.step(state)
        self.taken += 1
        before, after = state[0], following[0]
        if after.imag or not abs(after) <= self.ceiling:
            raise InputError(f"the orbit escapes: {_distance(after)} after {self.taken} steps; {CLOSER}")
        if before < 0 and after < 0 and -after < -before <= self.edge:
            raise OtherSideError(
                f"the orbit does not approach the fixed point from this side but from the other one ({_distance(after)}"
                f" after {self.taken} steps); {_other_law(dynamics)}, or {CLOSER}"
            )
        self._require_progress(before, after)
        return following

    def _require_progress(self, before, after) -> None:
        if self.taken % 64 == 0 and abs(after - before) <= abs(after) * mpmath.mpf(10) ** (8 - mp.dps):
            raise InputError(f"the orbit settles at another point ({_distance(after)}); {CLOSER}")
        if self.taken > self.most:
            raise PrecisionError(
                f"after {self.taken} steps the orbit is still too far from the fixed point for the expansion to be "
                f"accurate ({_distance(after)}); ask for fewer digits, or {CLOSER}"
            )


def _other_law(dynamics: Dynamics) -> str:
    """Where the law of an orbit is that has settled on the other side."""
    place = getattr(dynamics.step, "place", None)
    if place is None:
        return "take the law of the other side"
    if place.at_infinity:
        return f"take fixed_point={-place.point}"
    return f"take side='{'below' if place.sign > 0 else 'above'}'"


def _distance(y) -> str:
    return f"distance {mpmath.nstr(y, 5)} from the fixed point"


def _too_slow(layers: int) -> PrecisionError:
    return PrecisionError(
        f"about {layers} layers would have to be iterated before the expansion is accurate, more than {MOST_STEPS}; "
        f"ask for fewer digits, {CLOSER}, or take a map (an activation) further from linear"
    )

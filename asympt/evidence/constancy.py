"""The original recursion in mpmath: C and D must not move, to as many digits as asked.

Problem.  Is A (or S) the right coordinate, every coefficient and the log included?

Rule.  Iterate the original recursion (no series anywhere) and read C_l = A(t_l) - l, or C_l = S(t_l)/chi^l, and
D_l = (a_l - P)/H at five layers, from the first at which the terms that the series leave out are too small to matter:

    a network           n, 1.5 n, ..., 5 n            n that first layer
    A                   1.5 times as old every time   the age being l + C, or the most layers allowed
    S                   10 times as close every time

A wrong coefficient of t^k makes C_l move by about t^k, a missing log by log 1.5 from each of them to the next.  The
whole orbit is computed at two precisions (at one where an evaluation of the map takes milliseconds: what rounding does
shows as a drift as well).  An orbit that changes sides is read on both of them.

Tiny case.  x' = x - x^2 from 1/2: 1/x + log x + ... - n stays at 1.76799378613615405...

What it shows: the law at this start, to these digits, on these layers.  What it cannot show: anything about layers
or coefficients below the digits asked.
"""

from collections.abc import Callable

from mpmath import mp, mpf, nstr
from sympy import Expr

from asympt.errors import InputError, PrecisionError
from asympt.evidence.accuracy import accurate_below, wave_order
from asympt.evidence.check import Check
from asympt.evidence.reading import coordinate_of, has_wave, is_network, uniformiser
from asympt.evidence.starts import LONG
from asympt.numbers import to_mpf

STAGES = 4
TWICE = (25, 40)  # digits beyond those asked, of two orbits
PRECISIONS = {1: "one precision", 2: "two precisions"}
FURTHEST = 3000  # layers from one reading to the next, where layers are no layers of a network
ESCAPED = 10**6  # an orbit this many times its start away is taken to escape


def constancy_checks(
    law, start: Expr, label: str, digits: int, progress=None, most: int = LONG, guards: tuple = TWICE,
    ready: Callable[[tuple], bool] = lambda state: True,
) -> list[Check]:
    """Constancy of C (and D) from one starting value, at one precision for each of the `guards`, the digits beyond.

    `ready`: whether C may be read off a state at all (the series must be accurate there as well).
    """
    precisions = [digits + guard + _cancelled(law, digits) for guard in guards]
    orbits = []
    for index, precision in enumerate(precisions):
        orbits.append(_constants_along(law, start, digits, precision, most, ready))
        if progress:
            progress(f"mpmath orbit from {label}", index + 1, len(precisions))
    checks = [_constancy("C", law, label, digits, orbits, 0)]
    if has_wave(law):
        checks.append(_constancy("D", law, label, digits, orbits, 1))
    return checks


def _cancelled(law, digits: int) -> int:
    """Digits that a_l - P loses along an exponential law, where D H is far smaller than P."""
    if law.koenigs is None or not has_wave(law):
        return 0
    return int(max(0, wave_order(law)) * (STAGES + 1 - mp.log10(accurate_below(law, digits + 3))))


def _constancy(name: str, law, label: str, digits: int, orbits: list, index: int) -> Check:
    layers, low = orbits[0]
    _, high = orbits[-1]
    with mp.workdps(digits + 25):
        values = [pair[index] for pair in low]
        drift = max(abs(value - values[-1]) for value in values)
        noise = max(abs(one[index] - two[index]) for one, two in zip(low, high, strict=True))
        unit = 0 if name == "C" and law.koenigs is not None else 1  # C of S is a factor, all others are summands
        figure = max(drift, noise) / max(unit, abs(values[-1]))
        bound = mpf(10) ** -digits
        formula = coordinate_of(law).names[index]
    detail = f"layers {', '.join(map(str, layers))}, {PRECISIONS[len(orbits)]}; {name} = {nstr(values[-1], 15)}"
    title = f"{name} = {formula} is constant from {label}"
    return Check(title, nstr(figure, 3), nstr(bound, 3), bool(figure <= bound), "checked", detail)


def _constants_along(law, start: Expr, digits: int, precision: int, most: int, ready: Callable) -> tuple[list, list]:
    """Layers and (C, D) at them, at one working precision."""
    with mp.workdps(precision):
        edge = accurate_below(law, digits + 3)
        coordinate = coordinate_of(law)
        state, layer = advance(law, begin(law, to_mpf(start)), edge, most, ready)
        layers, values = [], []
        for stage in range(STAGES + 1):
            layers.append(layer)
            values.append(coordinate.constants(uniformiser(law, state), layer, state))
            if stage < STAGES:
                further = _further(law, layer, values[-1][0])
                for _ in range(further):
                    state = law.dynamics.step(state)
                layer += further
    return layers, values


def begin(law, x) -> tuple:
    """The first state, from a starting value in mpmath."""
    return (x, law.dynamics.linear.start(x)) if law.linear else (x,)


def advance(law, state: tuple, edge, most: int, ready: Callable = lambda state: True) -> tuple[tuple, int]:
    """The first state with t below the edge that is `ready`, and its layer."""
    first = law.dynamics.first
    layer, farthest = max(first, 1), ESCAPED * (1 + abs(state[0]))
    if first < 1:
        state = law.dynamics.step(state)
    while True:
        require_on_its_way(law, state, farthest, layer)
        if abs(uniformiser(law, state)) <= edge and ready(state):
            return state, layer
        state, layer = law.dynamics.step(state), layer + 1
        if layer * 5 > most:
            raise PrecisionError(
                f"constancy needs more than {most} layers of mpmath before the series is accurate; "
                "ask for fewer digits"
            )


def require_on_its_way(law, state: tuple, farthest, layer: int) -> None:
    """An error for an orbit that escapes, or lands on the other side of a parabolic point."""
    if not abs(state[0]) < farthest or (state[0] < 0 and law.kind == "parabolic"):
        raise InputError(f"the orbit leaves its side of the fixed point at layer {layer}; give another start=...")


def _further(law, layer: int, constant) -> int:
    """How many layers to the next reading: an odd number where sides change, so that both are read."""
    if is_network(law):
        return (layer + 1) // 2
    if law.koenigs is not None:
        steps = int(mp.ceil(-1 / mp.log10(abs(to_mpf(law.koenigs.multiplier)))))
    else:
        steps = int(layer + constant) // 2
    steps = max(1, min(FURTHEST, steps))
    return steps + 1 - steps % 2 if law.kind == "flip" else steps

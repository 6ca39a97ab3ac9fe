"""The original recursion in mpmath: C and D must not move, to as many digits as asked.

Problem.  Is A the right coordinate, every coefficient and the log included?

Rule.  Iterate the original recursion (no series anywhere) and read C_l = A(t_l) - l and D_l = (a_l - P)/H at
geometrically spaced layers n, 1.5 n, ..., 5 n, where n is the first layer at which the terms that A leaves out are
too small to matter.  A wrong coefficient of t^k makes C_l move by about t^k, a missing log by log 1.5 from each of
them to the next.  The whole orbit is computed at two precisions.

Tiny case.  x' = x - x^2 from 1/2: 1/x + log x + ... - n stays at 1.76799378613615405...

What it shows: the law at this start, to these digits, on these layers.  What it cannot show: anything about layers
or coefficients below the digits asked.
"""

from mpmath import mp, mpf, nstr
from sympy import Expr

from asympt.errors import PrecisionError
from asympt.evidence.check import Check
from asympt.evidence.reading import Coordinate, accurate_below, uniformiser
from asympt.numbers import to_mpf

MOST_LAYERS = 400_000
STAGES = 4


def constancy_checks(law, start: Expr, label: str, digits: int, progress=None) -> list[Check]:
    """Constancy of C (and D) from one starting value, at two precisions."""
    precisions = (digits + 25, digits + 40)
    orbits = []
    for index, precision in enumerate(precisions):
        orbits.append(_constants_along(law, start, digits, precision))
        if progress:
            progress(f"mpmath orbit from {label}", index + 1, len(precisions))
    checks = [_constancy("C", law, label, digits, orbits, 0)]
    if law.linear:
        checks.append(_constancy("D", law, label, digits, orbits, 1))
    return checks


def _constancy(name: str, law, label: str, digits: int, orbits: list, index: int) -> Check:
    layers, low = orbits[0]
    _, high = orbits[1]
    with mp.workdps(digits + 25):
        values = [pair[index] for pair in low]
        drift = max(abs(value - values[-1]) for value in values)
        noise = max(abs(one[index] - two[index]) for one, two in zip(low, high, strict=True))
        figure = max(drift, noise) / max(1, abs(values[-1]))
        bound = mpf(10) ** -digits
    formula = "A(t_l) - l" if index == 0 else "(a_l - P(t_l))/H(t_l)"
    detail = f"layers {', '.join(map(str, layers))}, two precisions; {name} = {nstr(values[-1], 15)}"
    title = f"{name} = {formula} is constant from {label}"
    return Check(title, nstr(figure, 3), nstr(bound, 3), bool(figure <= bound), "checked", detail)


def _constants_along(law, start: Expr, digits: int, precision: int) -> tuple[list[int], list[tuple]]:
    """Layers and (C, D) at them, at one working precision."""
    with mp.workdps(precision):
        edge = accurate_below(law, digits + 3)
        coordinate, x = Coordinate.of(law), to_mpf(start)
        state = (x, law.dynamics.linear.start(x)) if law.linear else (x,)
        state, layer = _advance_to(law, state, edge)
        layers, values = [], []
        for stage in range(STAGES + 1):
            layers.append(layer)
            values.append(coordinate.constants(uniformiser(law, state), layer, state))
            if stage < STAGES:
                further = (layer + 1) // 2
                for _ in range(further):
                    state = law.dynamics.step(state)
                layer += further
    return layers, values


def _advance_to(law, state: tuple, edge) -> tuple[tuple, int]:
    layer = max(law.dynamics.first, 1)
    if law.dynamics.first < 1:
        state = law.dynamics.step(state)
    while uniformiser(law, state) > edge:
        state, layer = law.dynamics.step(state), layer + 1
        if layer * 5 > MOST_LAYERS:
            raise PrecisionError(
                f"constancy needs more than {MOST_LAYERS} layers of mpmath before the series is accurate; "
                "ask for fewer digits"
            )
    return state, layer

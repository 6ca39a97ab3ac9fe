"""The evidence for laws in the depth of networks that know it: networks of two depths, and the flow time put back.

The law comes from the flow time of one step or from shallow networks, the numbers from the layers of deeper ones.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np
from mpmath import mp, mpf

from asympt import depth as engine
from asympt.errors import UnsupportedError
from asympt.evidence.check import Check, Effort, Work, growth_check, order_check, shortfall
from asympt.evidence.law_terms import number, printed_at, rest_check
from asympt.evidence.theorem import ROUTE
from asympt.numbers import to_mpf

DEEPEST, APART, STATED = (2**12, 2**28), 16, 25  # of two depths, and their quotient
FIGURES = 9  # of float64 that are used
GROWN, SEEN = 2, mpf(1) / 10  # by which a rest may grow that is smaller than the last term by a logarithm; of that term
ORDER = 3  # T_0, T_1, T_2
FAR, VISIBLE = (5, 8, 11), 24  # decimal powers of depths; digits that what is left may be below the law
ITERATED = 100, 400, 1600  # layers, where there is no flow
SETTLING = mpf(3) / 4  # by which it moves less from one depth to the next; as much, where log(L) has a wrong factor


def numeric_checks(law, effort: Effort) -> Iterator[Work]:
    """The order of what the law leaves, and that of what T_h leaves in one step."""
    if law.coordinate.network is not None:
        compared = [two_depths] if law.expansion.scale.variable.is_Symbol else [layers_check, witness_check]
        yield "networks of two depths", lambda: [check(law) for check in compared]
    if law.coordinate.steps_of_depth.flows:
        yield "the flow time put back", lambda: [defect_check(law)]
    else:
        yield "the layers in mpmath", lambda: [witness_check(law)]


def two_depths(law) -> Check:
    """The quantity less the law at two depths, in units of the remainder: a wrong coefficient leaves its own power."""
    rest, last = law.remainder.monomial, law.expansion.terms[-1][0]
    most = DEEPEST[bool(law.coordinate.steps_of_depth.power < 1)]  # there powers of L^(1 - p) are compared
    deepest = min(most, int(mpf(10) ** (FIGURES / to_mpf(rest.order - law.expansion.leading[0].order))))
    depths = deepest // APART, deepest // APART * APART
    with mp.workdps(STATED):
        seen = {depth: _quantity(law, depth) for depth in depths}
        bound = mpf(APART) ** (to_mpf(rest.order - last.order) / 2) if rest.order > last.order else mpf(GROWN)
        if _is_beside(law):
            seen = {depths[0] // APART: _quantity(law, depths[0] // APART)} | seen
        return _less_the_law(law, "the quantity less the law", seen, f"float64, networks of {depths} layers", bound)


def _is_beside(law) -> bool:
    """Whether the last term is the remainder times a logarithm: what is left tends to a number times the remainder."""
    rest = law.remainder.monomial
    return rest.order == law.expansion.terms[-1][0].order and not rest.logs


def _less_the_law(law, name: str, seen: dict, where: str, *bound) -> Check:
    """The growth of what is left, or where it should tend to a number, which share of the last term it moves by."""
    if not _is_beside(law):
        return rest_check(name, law.expansion, seen, {}, where, *bound)
    rests = [(mp.log(at), (v - p) / size) for at, v in seen.items() for p, size in [printed_at(law.expansion, at, {})]]
    last = number(law.expansion.terms[-1][1])
    before, off = (abs((far - near) / (b - a) / last) for (a, near), (b, far) in pairwise(rests))
    if SEEN < off < before / 2:  # an error of the coefficient would stay
        raise UnsupportedError(f"networks of {max(seen)} layers do not tell the last term from the next; take one more")
    return Check.measured("error of the last coefficient, relative", off, SEEN, where)


def layers_check(law) -> Check:
    """The quantity over what the flow has at two depths, in units of h: a wrong length would leave a power of L."""
    depths, power = (DEEPEST[0] // APART**2, DEEPEST[0]), to_mpf(law.coordinate.steps_of_depth.power)
    left = [_quantity(law, depth) / _flowed(law, depth) - 1 for depth in depths]
    where = f"float64, networks of {depths} layers"
    return growth_check("the layers over the flow, less 1", left, [mpf(depth) ** -power for depth in depths], where)


def _quantity(law, depth: int):
    """What a network of that depth has, layer by layer."""
    start = np.array([float(to_mpf(law.reader()))])
    gap, kernel = engine.pairs(law.coordinate.network.at_depth(depth), start, depth, progress=False)
    return mpf(float(gap[0] if law.name == "correlation" else kernel[0] / (depth if law.average else 1)))


def defect_check(law) -> Check:
    """T_0 + h T_1 + h^2 T_2 after one step of length h, less h and what it was before: of order h^4."""
    steps = law.coordinate.steps_of_depth

    def defect(h):
        x = to_mpf(steps.gap)
        return steps.advance(x, x + h * steps.jets(x, 1)[0][0], h, ORDER) - h

    missing = shortfall(defect, ORDER + 1, mpf(10) ** -2, apart=mpf(10) ** -1)
    return order_check("$T_h(x + h F) - T_h(x) - h$", missing, "mpmath, at the start, h from 1/100 on")


def witness_check(law, start=None) -> Check:
    """What the flow time has at depths that nobody iterates, less the law: in units of the remainder it settles."""
    steps, rest = law.coordinate.steps_of_depth, to_mpf(law.remainder.monomial.order)
    if not steps.flows:
        with mp.workdps(STATED):
            depths = ITERATED if _is_beside(law) else ITERATED[::2]
            seen = {depth: steps.followed(depth)[law.name == "ntk"] for depth in depths}
            return replace(_less_the_law(law, "the layers less the law", seen, f"mpmath, {depths} layers"), route=ROUTE)
    span = rest - min(0, to_mpf(law.expansion.terms[0][0].order))
    powers = [min(1, VISIBLE / (FAR[-1] * span)) * power for power in FAR]
    with mp.workdps(int(powers[-1] * span) + FIGURES):
        depths = [mpf(int(mpf(10) ** power)) for power in powers]
        if not law.expansion.scale.variable.is_Symbol:
            depths = [mp.exp(depth) for depth in depths]
        left = []
        for depth in depths:
            printed, size = printed_at(law.expansion, depth, {})
            left.append((_flowed(law, depth) - printed) / size)
    before, after = (abs(far - near) for near, far in pairwise(left))
    shown = ", ".join(f"{mp.nstr(rest, 4)} at {mp.nstr(depth, 3)}" for rest, depth in zip(left, depths, strict=True))
    found = Check.measured("the flow time inverted less the law", after / before, SETTLING, f"in remainders: {shown}")
    return replace(found, route=ROUTE)


def _flowed(law, depth: int):
    """The quantity by the flow time, up to a power of h beyond the remainder."""
    steps = law.coordinate.steps_of_depth
    gap, kernel = steps.flowed(depth, int(law.remainder.monomial.order / steps.power) + 2)
    return gap if law.name == "correlation" else kernel / (depth if law.average else 1)

"""Checks of the law of a system: of the slowest coordinate s by its own recursion, and of what is seen along the orbit.

s obeys s' = g(s) on the slow manifold, to all orders, so its law is checked like any other: exact substitution, the
functional equation of A, C constant along an orbit of the original maps.  What the law prints is then held against
that orbit itself: |quantity - law| must not grow in units of the remainder.
"""

from collections.abc import Iterator
from dataclasses import replace

from mpmath import mp, mpf

from asympt.evidence.check import Check, Effort, Work
from asympt.evidence.law_terms import kept, rest_check, rest_of
from asympt.evidence.orbits.constancy import Start, from_first
from asympt.evidence.orbits.constancy import begin as begun
from asympt.evidence.orbits.printed import orbit_checks
from asympt.evidence.symbolic.checks import coordinate_checks
from asympt.numbers import to_mpf

LAYERS = (1000, 3000, 9000)
FAR, FURTHER = (10**6, 10**24), 2  # between them log n grows to four times its size: a wrong one shows
DECADES = (2, 4, 8)  # by which s has shrunk, where it shrinks exponentially
DIGITS = 30
ROUNDED = 10 ** mpf(10 - DIGITS)  # of a remainder, which counts as none: a law may be exact from some start


def symbolic_checks(law) -> list[Check]:
    """Those of s."""
    return coordinate_checks(_of_s(law))


def numeric_checks(law, effort: Effort) -> Iterator[Work]:
    """Those of s along an orbit, and the law itself along it."""
    for name, work in orbit_checks(_of_s(law), effort):
        if name != "printed law along an orbit":
            yield name, work
    for reading in (_printed,) if law.koenigs else (_printed, _far):
        yield "printed law along an orbit", lambda read=reading: from_first(
            law, effort.start, lambda start: [read(law, start)])


def _of_s(law):
    """The law of the slowest coordinate."""
    flow = law.coordinate.flow(law.depth_variable, law.expansion)
    return replace(law, quantity="s_{n}", expansion=flow, text="s_n", coordinate=law.coordinate.of_s)


def _printed(law, start: Start) -> Check:
    layers, digits = LAYERS, DIGITS  # where to look, and the digits that the remainder takes there
    if law.koenigs is not None:
        rest, chi = to_mpf(rest_of(law.expansion).order), abs(to_mpf(law.koenigs.multiplier))
        layers = tuple(int(-power / mp.log10(chi)) + 1 for power in DECADES)
        digits += int(-rest * (layers[-1] + 1) * mp.log10(chi))
    constants = {"C": law.constants_from(start.value, digits).value[0]}
    where = f"{', '.join(map(str, layers))} steps of the original maps, {start.label}"
    with mp.workdps(digits + 10):
        orbit = kept(law.dynamics.step, begun(law, start.value), layers, 0)
        seen = {layer: law.coordinate.read(state) for layer, state in orbit.items()}
        return rest_check("the quantity minus the printed law", law.expansion, seen, constants, where, nothing=ROUNDED)


def _far(law, start: Start) -> Check:
    """The same far out, where the coordinate gives the quantity."""
    span = to_mpf(rest_of(law.expansion).order - law.expansion.terms[0][0].order)
    digits = DIGITS + max(0, int(span * mp.log10(FAR[-1])))
    constants = {"C": law.constants_from(start.value, digits).value[0]}
    where = f"steps 10^6 and 10^24, {start.label}"
    with mp.workdps(digits + 10):
        seen = {depth: law.evaluated_from(start.value, depth, digits).value for depth in FAR}
        return rest_check("the quantity far out minus the printed law", law.expansion, seen, constants, where, FURTHER)

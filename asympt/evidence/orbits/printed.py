"""The printed law against the original recursion, in the quantity itself and in units of the printed remainder.

Iterate the original map and read Q_l; the coordinate, read at the end of the orbit, gives C (and D), the layers counted
so that C is small.  The defect (Q_l - E(l, C))/r(l) is taken on an orbit of 8000 layers (or until it is close), and on
two short orbits whose first layer is the 10^20th and the 10^40th (exponential: at y = 10^-20, 10^-40).  The largest far
over the largest near is about 1 where it is bounded; the bound is the root of the factor by which the next larger power
of l (of chi^l) would have grown.  Wrong terms larger by powers of log l only are left to the symbolic checks.

Where orbits change sides, `evaluate` and the branch of the parity are compared with the orbit of a start and of its
image at an even depth and at the odd one after it: which formula is which cannot be exchanged unseen.

Tiny case.  y = 1/4 at infinity: x = 4, and f = x^2 is 16.  -sin(x) from 1: x_400 = +0.0857..., x_401 = -0.0856...
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from mpmath import mp, mpf, nstr
from sympy import ilcm

from asympt.errors import PrecisionError
from asympt.evidence import law_terms
from asympt.evidence.check import Check, Effort, Work
from asympt.evidence.law_terms import CoordinateTerms, kept, number, printed_at, rest_of, terms_of, uniformiser, value
from asympt.evidence.orbits.constancy import (
    ESCAPED,
    ONCE,
    TWICE,
    Start,
    accurate_below,
    begin,
    constancy_checks,
    from_first,
    require_on_its_way,
)
from asympt.evidence.orbits.equations import functional_checks
from asympt.numbers import exact, to_mpf

NEAR, SHORT = 2**13, 8  # layers of the near orbit and of a far one
CLOSE = 8  # decimal power of y at which an exponential orbit is left
FAR = (20, 40)  # decimal powers of the far orbits
SPARE, SPARING = 40, 20  # digits beyond those that the remainder takes
DEAR = (3, 5)  # decimal powers of two orbits where every digit of the map is dear
FLOOR = mpf(10) ** -10  # of the leading coefficient: a defect that counts as none
DEPTH, DECADES = 400, 6  # steps, and decimal power of the distance where it shrinks exponentially
DIGITS, DOUBLE = 25, 53  # decimal digits, and bits
ROUNDED = mpf(10) ** -6  # of the distance: what double precision may lose on the way
CONSTANT = 15  # digits of C


def orbit_checks(law, effort: Effort, nearby: bool = False, dear: bool = False) -> Iterator[Work]:
    """The checks of the coordinate and of the printed law against the original map; `dear`: its digits are costly."""

    def along(work: Callable[[Start], list[Check]]) -> Callable[[], list[Check]]:
        return lambda: from_first(law, effort.start, work)

    guards = ONCE if dear else TWICE
    yield "functional equation", lambda: functional_checks(law, nearby)
    yield "constancy of C and D", along(
        lambda s: constancy_checks(law, s.value, s.label, effort.digits, effort.report, s.most, guards))
    yield "printed law along an orbit", along(lambda s: [short_check(law) if dear else printed_check(law, s)])
    if alternates(law) and not nearby:
        yield "even and odd depths", along(lambda s: alternation_checks(law, s))


class Measurement(NamedTuple):
    """The layer as counted for a small C, and the rescaled defect there."""

    layer: int
    defect: object


def printed_check(law, start: Start) -> Check:
    """The rescaled defect far out against near by."""
    with mp.workdps(_digits(law, CLOSE if law.koenigs else 4)):
        near = _measurements(law, _near_orbit(law, start))
    far = [reading for power in FAR for reading in _read_far(law, power)]
    end = f"layer $10^{FAR[-1]}$" if law.koenigs is None else f"a distance of $10^-{FAR[-1]}$"
    return _bounded(law, near, far, f"stays bounded from ${start.label}$ to {end}")


def short_check(law) -> Check:
    """The same between two far orbits that are near by, where every digit of the map is dear: C is about 1 on both."""
    near, far = (_read_far(law, power, SPARING) for power in DEAR)
    powers = " and ".join(f"$10^{-power if law.koenigs else power}$" for power in DEAR)
    return _bounded(law, near, far, f"is bounded at {'distances' if law.koenigs else 'layers'} of {powers}")


def _read_far(law, power: int, spare: int = SPARE) -> list["Measurement"]:
    with mp.workdps(_digits(law, power, spare)):
        return _measurements(law, _far_orbit(law, power))


def _bounded(law, near: list["Measurement"], far: list["Measurement"], said: str) -> Check:
    with mp.workdps(15):
        lead = law.expansion.terms[0][1]  # its size, symbols put to 1
        size = abs(number(lead, {str(symbol): mpf(1) for symbol in lead.free_symbols}))
        low = max([FLOOR * size, *(r.defect for r in near)])
        figure, bound = max(r.defect for r in far) / low, mp.sqrt(_growth(law, near, far))
    detail = f"{len(near)} readings up to layer {near[-1].layer}, at most {nstr(low, 3)}, and {len(far)} far out"
    return Check.measured(f"(quantity - printed law)/remainder {said}", figure, bound, detail)


# ---- orbits of the original map: [(index, state)] ---------------------------------------------------


def _near_orbit(law, start: Start) -> list[tuple]:
    """From the start, at depths that double, or whenever an exponential orbit has come ten times closer."""
    state, found = begin(law, start.value), []
    edge = accurate_below(law, int(_span(law) * (CLOSE if law.koenigs else 4)) + 3)
    mark, farthest = abs(state[0]), ESCAPED * (1 + abs(state[0]))
    for index in range(start.most):
        require_on_its_way(law, state, farthest, index)
        if _is_kept(law, index, state, mark):
            found.append((index, state))
            mark = abs(state[0]) / 10
        far = index >= NEAR or (law.koenigs is not None and abs(state[0]) < mpf(10) ** -CLOSE)
        if far and len(found) > 4 and abs(uniformiser(law, state)) <= edge:
            return [*found, (index, state)]
        state = law.dynamics.step(state)
    raise PrecisionError(f"the printed law cannot be compared with {start.most} layers from {start.label}")


def _is_kept(law, index: int, state: tuple, mark) -> bool:
    """Whether to read here: once y has come ten times closer, or at 0, 1, 2, 4, ..., and one layer after."""
    if law.koenigs is not None:
        return abs(state[0]) <= mark
    return (index & (index - 1)) * ((index - 1) & (index - 2)) == 0


def _far_orbit(law, power: int) -> list[tuple]:
    """A few layers from where the age is 10^power, or the distance 10^-power; with D = 1 for a linear law."""
    if law.koenigs is None:
        m, lead, _ = next((-p, c, j) for p, j, c in terms_of(law.abel.expansion))
        t = (lead / mpf(10) ** power) ** (1 / mpf(int(m)))
    else:
        t = mpf(10) ** (-mpf(power) / law.dynamics.root)
    state = (t**law.dynamics.root,)
    if law.linear is not None:
        coordinate = CoordinateTerms.of(law)
        free = value(coordinate.homogeneous, t) * coordinate.growth ** coordinate.age(t)
        state = (*state, value(coordinate.particular, t) + free)
    return list(kept(law.dynamics.step, state, range(SHORT + 1), 0).items())


def _measurements(law, orbit: list[tuple]) -> list[Measurement]:
    coordinate, (last, final) = CoordinateTerms.of(law), orbit[-1]
    t = uniformiser(law, final)
    age = coordinate.age(t)
    first, second = coordinate.constants(t, age, final)
    constants = {"C": first} if second is None else {"C": first, "D": second}
    found = []
    for index, state in orbit[:-1]:
        layer = age - last + index
        if layer > 1:
            total, unit = printed_at(law.branch(index), layer, constants)
            found.append(Measurement(layer, abs(quantity_at(law, state, layer) - total) / unit))
    if not found:
        raise PrecisionError("the orbit is too short for the law to apply")
    return found


def _span(law):
    """By how many powers of l (of chi^l) the remainder is smaller than the leading term."""
    return abs(to_mpf(rest_of(law.expansion).order - law.expansion.terms[0][0].order)) + 1


def _digits(law, power: int, spare: int = SPARE) -> int:
    """Working digits at layers about 10^power, or distances about 10^-power."""
    if law.koenigs is not None:
        power += int(-(SHORT + 1) * mp.log10(abs(to_mpf(law.koenigs.multiplier))))
    return int((3 * _span(law) + 6 if power > CLOSE else _span(law) + 2) * power) + spare


def _growth(law, near: list[Measurement], far: list[Measurement]):
    """The factor by which the next larger power grows, relative to the remainder, from near to far."""
    first, last = max(r.layer for r in near), max(r.layer for r in far)
    if law.koenigs is not None:
        return abs(to_mpf(law.koenigs.multiplier)) ** (mpf(first - last) / law.dynamics.root)
    orders = [rest_of(law.expansion).order, *(m.order for m, _ in law.expansion.terms)]
    q = ilcm(law.abel.multiplicity, *[order.q for order in orders])
    return (mpf(last) / first) ** (mpf(1) / int(q))


# ---- the quantity as a number -----------------------------------------------------------------------


def quantity_at(law, state: tuple, layer: int):
    """What the law describes, from the distance y (and a) that the original recursion has reached."""
    if law.linear is not None:
        return state[1] / layer if law.average else state[1]
    observable, y = law.observable, state[0]
    if observable is None:
        return y
    fixed = observable if observable.reads_x else observable.fixed
    x = fixed.sign / y if fixed.at_infinity else to_mpf(fixed.point) + fixed.sign * y
    return x if observable.reads_x else law_terms.function_of(observable.expression, observable.symbol)(x)


def alternation_checks(law, start: Start) -> list[Check]:
    """`evaluate` at both parities from the start and from its image, and the branches there."""
    depths = _depths(law)
    with mp.workdps(DIGITS):  # y_1 rounded to a number that is a start of its own
        image = exact(nstr(law.dynamics.step((to_mpf(start.value),))[0], 12))
    starts = (start.value, f"${start.label}$"), (image, f"the image of ${start.label}$")
    return [check for y, label in starts for check in _from(law, y, label, depths)]


def alternates(law) -> bool:
    """Whether the law is one of x_n whose orbits change sides at every step."""
    if law.koenigs is None:
        return law_terms.changes_sides(law)
    return law.linear is None and law.fixed is not None and not law_terms.is_network(law) and _multiplier(law) < 0


def _multiplier(law):
    return to_mpf(law.koenigs.multiplier)


def _depths(law) -> tuple[int, int]:
    if law.koenigs is None:
        return DEPTH, DEPTH + 1
    even = 2 * max(1, min(DEPTH, int(-DECADES / mp.log10(abs(_multiplier(law))))) // 2)
    return even, even + 1


def _from(law, y, label: str, depths: tuple[int, int]) -> list[Check]:
    given = law.fixed.outer(y)
    settled = law if law.start == given else law.for_start(given)
    with mp.workdps(DIGITS + 15):
        seen = _in_mpmath(law, to_mpf(y), depths)
        rounded = _in_double(law, to_mpf(y), depths)
        found = {n: settled.evaluate(n, digits=DIGITS + 5, start=given) for n in depths}
        size = {n: abs(seen[n] - _limit(law)) for n in depths}
        precise, rough = (max(abs(found[n] - orbit[n]) / size[n] for n in depths) for orbit in (seen, rounded))
    where = f"$n = {depths[0]}$ and {depths[1]} from {label}"
    checks = [
        Check.measured(f"evaluate agrees with the orbit in mpmath at {where}", precise, mpf(10) ** -DIGITS),
        Check.measured(f"evaluate agrees with the orbit in float64 at {where}", rough, ROUNDED),
    ]
    two = len({*settled.branches.values()}) > 1
    return [*checks, _branches(settled, given, seen, where)] if two else checks


def _in_mpmath(law, y, depths: tuple[int, int]) -> dict:
    """The quantity at the depths, from the distances of the orbit, with digits for how close it comes."""
    farthest, found = ESCAPED * (1 + abs(y)), {}
    with mp.workdps(mp.dps + 2 * DECADES):
        state = (y,)
        for n in range(1, depths[-1] + 1):
            state = law.dynamics.step(state)
            require_on_its_way(law, state, farthest, n)
            if n in depths:
                found[n] = quantity_at(law, state, n)
    return found


def _limit(law):
    """The finite limit that both branches share, 0 where there is none."""
    first = [branch.terms[0] for branch in law.branches.values()]
    same = all((m.order, m.logs) == (0, 0) and c == first[0][1] for m, c in first)
    return to_mpf(first[0][1]) if same else mpf(0)


def _in_double(law, y, depths: tuple[int, int]) -> dict:
    """The quantity at the depths, from an orbit of x itself in double precision."""
    fixed, function = law.fixed, law.dynamics.step.function
    with mp.workprec(DOUBLE):
        orbit = kept(function, fixed.numeric(y), depths, 0)
        return {n: quantity_at(law, (fixed.distance(x),), n) for n, x in orbit.items()}


def _branches(law, given, seen: dict, where: str) -> Check:
    """How much closer the printed branch is to the orbit than the other one, at worst: less than 1/2."""
    with mp.workdps(CONSTANT):
        known = {"C": law.connection_constant(CONSTANT, start=given)}
        here, there = ({n: abs(seen[n] - printed_at(law.branch(n + k), n, known)[0]) for n in seen} for k in (0, 1))
        worst = max(here[n] / there[n] for n in seen)
    detail = f"even n: {law.branch(0)}; odd n: {law.branch(1)}"
    name = f"the branch of its parity, and not the other, equals the orbit at {where}"
    return Check.measured(name, worst, mpf(1) / 2, detail)

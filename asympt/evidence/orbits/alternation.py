"""An orbit that changes sides, against the number and the branch that its law gives at even and at odd depths.

Problem.  A law with a branch for even and one for odd n may be right in both formulas and wrong in which is which; and
`evaluate` goes to an even depth first, so that a fault at odd ones would go unseen.  A law in powers of a negative
multiplier has one formula, but signs that alternate.

Rule.  Iterate the original map step by step, from a start and from its image, whose even steps come in on the other
side, and compare at an even and at the odd depth after it:

    evaluate      with the orbit in mpmath, to 25 digits of the distance from the limit, and with the orbit in double
                  precision, to as many digits as that keeps
    the branch    the partial sum that is printed for this parity, for this start, lies closer to the orbit than the
                  one for the other parity (not asked where both are the same)

The depths are 400 and 401, or, where the approach is exponential, those at which |chi|^n has come down to 10^-6.

Tiny case.  -sin(x) from 1: x_400 = +0.0857..., x_401 = -0.0856...

What it cannot show: coefficients of later terms; `printed` measures those, side by side.
"""

from mpmath import mp, mpf, nstr

from asympt.evidence.check import Check
from asympt.evidence.law_terms import changes_sides, is_network
from asympt.evidence.orbits.constancy import ESCAPED, require_on_its_way
from asympt.evidence.orbits.inputs import Start
from asympt.evidence.orbits.printed import printed_at, quantity_at
from asympt.numbers import exact, to_mpf

DEPTH, CLOSE = 400, 6  # steps, and decimal power of the distance where it shrinks exponentially
DIGITS, DOUBLE = 25, 53  # decimal digits, and bits
ROUNDED = mpf(10) ** -6  # of the distance: what double precision may lose on the way
CONSTANT = 15  # digits of C


def alternation_checks(law, start: Start) -> list[Check]:
    """`evaluate` at both parities from the start and from its image, and the branches there."""
    depths = _depths(law)
    here, there = (start.value, start.label), (_image(law, start.value), f"the image of {start.label}")
    return [check for y, label in (here, there) for check in _from(law, y, label, depths)]


def alternates(law) -> bool:
    """Whether the law is one of x_n whose orbits change sides at every step."""
    if law.koenigs is None:
        return changes_sides(law)
    return law.linear is None and law.fixed is not None and not is_network(law) and _multiplier(law) < 0


def _multiplier(law):
    return to_mpf(law.koenigs.multiplier)


def _depths(law) -> tuple[int, int]:
    """An even depth and the one after it."""
    if law.koenigs is None:
        return DEPTH, DEPTH + 1
    even = 2 * max(1, min(DEPTH, int(-CLOSE / mp.log10(abs(_multiplier(law))))) // 2)
    return even, even + 1


def _image(law, y):
    """y_1 rounded to a number that is a start of its own."""
    with mp.workdps(DIGITS):
        return exact(nstr(law.dynamics.step((to_mpf(y),))[0], 12))


def _from(law, y, label: str, depths: tuple[int, int]) -> list[Check]:
    given = law.fixed.outer(y)
    settled = law if getattr(law, "start", None) == given else law.for_start(given)
    with mp.workdps(DIGITS + 15):
        seen = _in_mpmath(law, to_mpf(y), depths)
        rounded = _in_double(law, to_mpf(y), depths)
        found = {n: settled.evaluate(n, digits=DIGITS + 5, start=given) for n in depths}
        size = {n: abs(seen[n] - _limit(law)) for n in depths}
        precise, rough = (max(abs(found[n] - orbit[n]) / size[n] for n in depths) for orbit in (seen, rounded))
    where = f"n = {depths[0]} and {depths[1]} from {label}"
    checks = [
        Check.measured(f"evaluate is the orbit in mpmath at {where}", precise, mpf(10) ** -DIGITS),
        Check.measured(f"evaluate is the orbit in double precision at {where}", rough, ROUNDED),
    ]
    two = len({*settled.branches.values()}) > 1
    return [*checks, _branches(settled, given, seen, where)] if two else checks


def _in_mpmath(law, y, depths: tuple[int, int]) -> dict:
    """The quantity at the depths, from the distances of the orbit, with digits for how close it comes."""
    farthest, found = ESCAPED * (1 + abs(y)), {}
    with mp.workdps(mp.dps + 2 * CLOSE):
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
        x, found = fixed.numeric(y), {}
        for n in range(1, depths[-1] + 1):
            x = function(x)
            if n in depths:
                found[n] = quantity_at(law, (fixed.distance(x),), n)
    return found


def _branches(law, given, seen: dict, where: str) -> Check:
    """How much closer the printed branch is to the orbit than the other one, at worst: less than 1/2."""
    with mp.workdps(CONSTANT):
        known = {"C": law.connection_constant(CONSTANT, start=given)}
        here, there = ({n: _misfit(law.branch(n + k), seen[n], n, known) for n in seen} for k in (0, 1))
        worst = max(here[n] / there[n] for n in seen)
    detail = f"even n: {law.branch(0)}; odd n: {law.branch(1)}"
    name = f"the branch of the parity, not the other one, is the orbit at {where}"
    return Check.measured(name, worst, mpf(1) / 2, detail)


def _misfit(expansion, value, n: int, known: dict):
    return abs(value - printed_at(expansion, n, known)[0])

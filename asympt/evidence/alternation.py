"""An orbit that changes sides, against the number and the branch that its law gives at even and at odd depths.

Problem.  A law with a branch for even and one for odd n may be right in both formulas and wrong in which is which; and
`evaluate` goes to an even depth first, so that a fault at odd ones would go unseen.

Rule.  Iterate the original map step by step, from a start and from its image, whose even steps come in on the other
side, and compare at an even and at the odd depth after it:

    evaluate      with the orbit in mpmath, to 25 digits of the distance from the limit, and with the orbit in double
                  precision, to as many digits as that keeps
    the branch    the partial sum that is printed for this parity, for this start, lies closer to the orbit than the
                  one for the other parity (not asked where both are the same)

Tiny case.  -sin(x) from 1: x_400 = +0.0857..., x_401 = -0.0856...

What it cannot show: coefficients of later terms; `residual` measures those, side by side.
"""

from mpmath import mp, mpf, nstr

from asympt.evidence.check import Check
from asympt.evidence.constancy import ESCAPED, require_on_its_way
from asympt.evidence.quantity import printed_at, quantity_at
from asympt.evidence.starts import Start
from asympt.numbers import exact, to_mpf

DEPTHS = (400, 401)
DIGITS, DOUBLE = 25, 53  # decimal digits, and bits
ROUNDED = mpf(10) ** -6  # of the distance: what double precision may lose on the way
CONSTANT = 15  # digits of C


def alternation_checks(law, start: Start) -> list[Check]:
    """`evaluate` at both parities from the start and from its image, and the branches there."""
    here, there = (start.value, start.label), (_image(law, start.value), f"the image of {start.label}")
    return [check for y, label in (here, there) for check in _from(law, y, label)]


def _image(law, y):
    """y_1 rounded to a number that is a start of its own."""
    with mp.workdps(DIGITS):
        return exact(nstr(law.dynamics.step((to_mpf(y),))[0], 12))


def _from(law, y, label: str) -> list[Check]:
    given = law.place.outer(y)
    settled = law if law.start == given else law.for_start(given)
    with mp.workdps(DIGITS + 15):
        exactly = _orbit(law, to_mpf(y))
        found = {n: settled.evaluate(n, digits=DIGITS + 5, start=given) for n in DEPTHS}
        seen = {n: _seen(law, exactly[n], n) for n in DEPTHS}
        limit = _limit(law)
        precise = max(abs(found[n] - seen[n]) / abs(seen[n] - limit) for n in DEPTHS)
        rough = max(abs(found[n] - r) / abs(seen[n] - limit) for n, r in _in_double(law, to_mpf(y)).items())
    where = f"n = {DEPTHS[0]} and {DEPTHS[1]} from {label}"
    checks = [
        Check.compare(f"evaluate is the orbit in mpmath at {where}", precise, mpf(10) ** -DIGITS),
        Check.compare(f"evaluate is the orbit in double precision at {where}", rough, ROUNDED),
    ]
    checks = [Check(c.name, nstr(c.figure, 3), nstr(c.bound, 3), c.passed) for c in checks]
    return checks if settled.coincide else [*checks, _branches(settled, given, seen, label)]


def _orbit(law, y) -> list:
    """The distances of the orbit at the present precision."""
    states, farthest = [(y,)], ESCAPED * (1 + abs(y))
    for index in range(DEPTHS[-1]):
        states.append(law.dynamics.step(states[-1]))
        require_on_its_way(law, states[-1], farthest, index)
    return states


def _seen(law, state: tuple, n: int):
    return quantity_at(law, state, n)


def _limit(law):
    """The finite limit that both branches share, 0 where there is none."""
    first = [branch.terms[0] for branch in law.branches.values()]
    same = all((m.order, m.logs) == (0, 0) and c == first[0][1] for m, c in first)
    return to_mpf(first[0][1]) if same else mpf(0)


def _in_double(law, y) -> dict:
    """The quantity at the depths, from an orbit of x itself in double precision."""
    place, function = law.place, law.map
    with mp.workprec(DOUBLE):
        x, found = place.numeric(y), {}
        for n in range(1, DEPTHS[-1] + 1):
            x = function(x)
            if n in DEPTHS:
                found[n] = _seen(law, (place.distance(x),), n)
    return found


def _branches(law, given, seen: dict, label: str) -> Check:
    """How much closer the printed branch is to the orbit than the other one, at worst: less than 1."""
    with mp.workdps(CONSTANT):
        known = {"C": law.connection_constant(CONSTANT, start=given)}
        worst = max(_misfit(law.branch(n), seen[n], n, known) / _misfit(law.branch(n + 1), seen[n], n, known)
                    for n in DEPTHS)  # fmt: skip
    name = f"the branch of the parity, not the other one, is the orbit at n = {DEPTHS[0]} and {DEPTHS[1]} from {label}"
    detail = f"even n: {law.branch(0)}; odd n: {law.branch(1)}"
    return Check(name, nstr(worst, 3), "0.5", bool(worst < mpf(1) / 2), "checked", detail)


def _misfit(expansion, value, n: int, known: dict):
    return abs(value - printed_at(expansion, n, known)[0])

"""The second witness of a refutation: the printed law against the recursion itself, at depths where the two part.

`evaluate` iterates the recursion until a coordinate that it solves in numbers takes over; nothing of what the law
prints enters.  At four depths, u = log l doubling each time, d = |quantity - law|/remainder is

    d = K + K_1/u + O(1/u^2) where the law is right, and more by e u^j, or a power of l, where a coefficient is not.

With the moves D(u) = d(2u) - d(u), D(2u) - D(u)/2 is free of K and K_1: it falls by 4 from one depth to the next, or
grows by 2^j, or by far more.  The bound of this factor is 5/4.

Tiny case.  4/n - 4 log(n)/n^2 with -2 for -4: d grows like 2 log n, and the factor is 2.
"""

from itertools import pairwise

from mpmath import mp, mpf, nstr

from asympt.evidence.check import Check
from asympt.evidence.law_terms import is_slow, rest_of
from asympt.evidence.orbits.printed import printed_at
from asympt.evidence.theorem import start_of
from asympt.numbers import to_mpf

DOUBLINGS, FAR, NEARER = 3, 80, 32  # of u; the largest decimal power of l, and where a value takes seconds
DIGITS, SPARE = 140, 20  # of a value at most, and of d
ROUNDED = mpf(10) ** -12  # of d, which counts as none
BOUND = mpf(5) / 4
ROUTE = "second witness"


def witness_check(law, start=None) -> Check:
    """Whether the deviation from the printed law, in units of its remainder, goes on growing."""
    given = start_of(law, start)
    law = law.for_start(**given)
    found = [_reading(law, depth, given) for depth in _depths(law)]
    factor = _factor([d for d, _ in found])
    name = "second witness, iteration at depth: growth of the deviation in units of the remainder"
    figure = f"{nstr(factor, 3)}; {found[-1][1]}"
    detail = f"the deviation is {', '.join(nstr(d, 5) for d, _ in found)} remainders; {given}"
    return Check(name, figure, nstr(BOUND, 3), factor <= BOUND, "checked", detail, route=ROUTE)


def _factor(deviations: list):
    """By what the moves, freed of 1/u, grow at last.

    >>> nstr(_factor([3 + 50 / mpf(u) for u in (1, 2, 4, 8)]), 3)
    '0.0'
    >>> nstr(_factor([3 + 50 / mpf(u) + u / mpf(100) for u in (1, 2, 4, 8)]), 3)
    '2.0'
    """
    moves = [after - before for before, after in pairwise(deviations)]
    one, two = (abs(after - before / 2) for before, after in pairwise(moves))
    unseen = ROUNDED * max(deviations[:-1])
    return two / max(one, unseen) if two > ROUNDED * max(deviations) else mpf(0)


def _depths(law) -> list[int]:
    """Even depths 10^p, p doubling; where the law is one of powers of chi^l, those where it has come down as far."""
    base, leading, rest = law.expansion.scale.base, law.expansion.leading[0].order, rest_of(law.expansion).order
    with mp.workdps(15):
        span = max(1, abs(to_mpf(rest - leading)))
        power = min(NEARER if is_slow(law) else FAR, (DIGITS - SPARE) / span)
        if law.expansion.scale.variable != law.depth_variable:  # powers of log l take few digits
            power = NEARER
        powers = [power / 2**k for k in range(DOUBLINGS, -1, -1)]
        if base is None:
            return [2 * int(mpf(10) ** p / 2) for p in powers]
        steps = max(1, int(powers[0] / abs(mp.log10(abs(to_mpf(base)))) / 2))
        return [2 * steps * 2**k for k in range(DOUBLINGS + 1)]


def _reading(law, depth: int, given: dict) -> tuple:
    """d at one depth, and the two numbers to the digits that tell them apart."""
    expansion = law.branch(depth)
    own = {kind: symbol for kind, symbol in law.constant_symbols.items() if symbol in expansion.to_sympy().free_symbols}
    with mp.workdps(SPARE):
        total, unit = printed_at(expansion, depth, dict.fromkeys(map(str, own.values()), mpf(1)))
        digits = SPARE + max(0, int(mp.log10((abs(total) + unit) / unit)))
    read = {"C": law.connection_constant, "D": law.second_constant}
    with mp.workdps(digits + SPARE):
        constants = {str(symbol): +read[kind](digits, **given) for kind, symbol in own.items()}
        value = +law.evaluate(depth=depth, digits=digits, **given)
        total, unit = printed_at(expansion, depth, constants)
        off = abs(value - total)
        apart = 3 + max(0, int(mp.log10(abs(value) / off))) if off and value else digits
        where = f"{law.depth_variable} = {nstr(mpf(depth), 3)}"
        told = f"{nstr(value, apart)} against {nstr(total, apart)} printed, at {where}"
    return off / unit, told

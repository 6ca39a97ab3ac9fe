"""How large a formal remainder is, in numbers: an estimate, labelled as one.

Problem.  A law says O(m(n)).  A reader wants to know whether the constant is 1 or 1000 for his start.

Rule.  Measure |x_n - law(n)|/m(n) at some depths, with C to many digits, and give the largest.

Tiny case.  x/(1+x) from 1: 1/n - 1/n^2 is off by 1/(n^2 (n+1)), so the figure tends to 1.

Known limits.  It is what was seen at these depths from this start, never a bound: the type is `Heuristic`.
"""

from collections.abc import Iterable

from mpmath import mp, mpf, nstr
from sympy import Float, Integer

from asympt.errors import InputError, UnsupportedError
from asympt.expansions import Heuristic
from asympt.numbers import check_depth, exact, to_mpf

DEPTHS = (10**3, 10**4, 10**6, 10**9)
LENGTHS = (4, 8, 16)  # depths of a hyperbolic law, in units of 1/|log|chi||
SPARE = 12
FIGURES = 3


def estimated(law, depths, start: dict) -> Heuristic:
    """The measured remainder of a law for one start."""
    if law.remainder is None:
        raise UnsupportedError("the law is an exact finite sum, so it has no remainder to estimate")
    law = law.for_start(**start)
    depths = _depths(law) if depths is None else _read(depths)
    figures = [_figure(law, depth, start) for depth in depths]
    return Heuristic(law.remainder.monomial, Float(nstr(max(figures), FIGURES)), Integer(min(depths)))


def _read(depths) -> tuple:
    """Several depths, each a whole number."""
    given = None if isinstance(depths, str) or not isinstance(depths, Iterable) else tuple(depths)
    if not given:
        raise InputError(f"depths = {depths!r} is no list of depths; give several, such as (1000, 10**6), or None")
    return tuple(map(check_depth, given))


def _depths(law) -> tuple:
    """Where to look: powers of ten, or a few correlation lengths where the approach is exponential."""
    if law.koenigs is None:
        return tuple(depth + r for depth in DEPTHS for r in law.branches)
    length = 1 / abs(mp.log(abs(to_mpf(law.koenigs.multiplier))))
    return tuple(int(times * length) + 1 for times in LENGTHS)


def _figure(law, depth: int, start: dict):
    """|quantity - law| in units of the monomial at one depth."""
    expansion = law.branch(depth)
    scale = expansion.scale
    size = _number(scale.to_sympy(law.remainder.monomial), {scale.depth: Integer(depth)}, 15)
    lead = _number(scale.to_sympy(expansion.leading[0]), {scale.depth: Integer(depth)}, 15)
    digits = min(200, SPARE + max(0, int(mp.log10(abs(lead / size)))))
    values = {law.constant_symbols["C"]: exact(law.connection_constant(digits=digits, **start))}
    if law.linear is not None:
        values[law.constant_symbols["D"]] = exact(law.second_constant(digits=digits, **start))
    values[scale.depth] = Integer(depth)
    with mp.workdps(digits + SPARE):
        printed = _number(expansion.to_sympy(), values, digits + SPARE)
        return abs(law.evaluate(depth=depth, digits=digits, **start) - printed) / abs(size)


def _number(expression, values: dict, digits: int) -> mpf:
    with mp.workdps(digits + SPARE):
        return to_mpf(expression.subs(values))

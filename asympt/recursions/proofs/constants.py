"""Balls for numbers without a closed form: a root of an equation, proved to lie between two numbers.

That it is the root that was meant (of several) rests on the digits.
"""

from collections.abc import Callable, Iterable, Mapping

from flint import arb
from mpmath import mp
from sympy import Expr

from asympt.balls.arithmetic import Refused, of_mpf, working
from asympt.balls.expression import program_of
from asympt.expansions.opaque import RealConstant
from asympt.symbols import Reserved

_X = Reserved("x", real=True)
SPARE = 32  # bits
TRIES = (4, 24, 64)  # bits given up


def constants_in(*formulas: Expr) -> set[RealConstant]:
    """The numbers known by a name only."""
    return set().union(*(formula.atoms(RealConstant) for formula in formulas))


def enclosures(
    constants: Iterable[RealConstant], given: Callable[[int], Mapping] | None = None
) -> Callable[[int], Mapping] | None:
    """A function of the precision that encloses them all, `given` knowing some; None where there are none."""
    wanted = sorted(constants, key=str)
    if not wanted:
        return None
    known: dict[int, dict] = {}

    def balls(bits: int) -> Mapping:
        if bits not in known:
            found = dict(given(bits)) if given is not None else {}
            for constant in wanted:
                _enclose(constant, bits, found)
            known[bits] = found
        return known[bits]

    return balls


def _enclose(constant: RealConstant, bits: int, found: dict) -> None:
    """Adds the constant, and those in its formula, to what is found."""
    if constant in found:
        return
    if constant.exact is not None:
        for other in constants_in(constant.exact):
            _enclose(other, bits, found)
        with working(bits):
            found[constant] = program_of(constant.exact, _X).value(arb(0), found)
    elif constant.equation is not None:
        found[constant] = root(constant, bits, found)
    else:
        raise Refused(f"the number {constant} is known by its digits only, so nothing is proved about it")


def root(constant: RealConstant, bits: int, found: dict) -> arb:
    """The root of the constant's equation near its digits."""
    (symbol,) = constant.equation.variables
    for other in constants_in(constant.equation.expr) - {constant}:
        _enclose(other, bits, found)
    program = program_of(constant.equation.expr, symbol)
    middle = mp.make_mpf(constant._as_mpf_val(bits + SPARE))
    with working(bits + 96):
        for given_up in TRIES:
            width = arb(2) ** (given_up - bits)
            low, high = of_mpf(middle) - width, of_mpf(middle) + width
            ends = program.value(low, found), program.value(high, found)
            slope = program.slope(low.union(high), found)
            if ends[0] * ends[1] < 0 and (slope > 0 or slope < 0):
                return low.union(high)
    raise Refused(f"the equation of {constant} is not seen to have one root at its digits")

"""Taylor coefficients of a formula at a number: its value and derivatives without differentiating symbolically.

The formula's program (`balls.expression`) is run on truncated power series about the number, whose radii nobody reads.
A function that Arb lacks is differentiated numerically by mpmath.  Close to a removable singularity digits are lost.
"""

from collections.abc import Callable
from functools import lru_cache

from flint import arb, ctx
from mpmath import mp
from sympy import Expr, Symbol

from asympt.balls.arithmetic import Refused, midpoint, of_mpf, working
from asympt.balls.expression import program_of
from asympt.balls.programs import CONSTANTS, Outside
from asympt.compiling import valued
from asympt.errors import NoValueError
from asympt.gaussian.stable import by_mpmath, in_mpmath
from asympt.numbers import to_mpf

GUARD, KEPT = 20, 4  # bits; precisions


def jet(expression: Expr, symbol: Symbol) -> Callable:
    """(x_0, count) -> Taylor coefficients of the expression at the mpmath number x_0, at the current precision.

    Raises `NoValueError` where the formula reads 0/0 or branches.
    """
    in_arb = _in_arb(expression, symbol)
    if in_arb is None:
        return _by_differences(expression, symbol)

    def coefficients(point, count: int) -> list:
        with working(mp.prec + GUARD, max(count, 2)):
            found = in_arb(of_mpf(mp.convert(point)), count)
        if not all(c.is_finite() for c in found):
            raise NoValueError(f"{expression} has no Taylor series at {mp.nstr(point, 8)}")
        return [midpoint(c) for c in found]

    return coefficients


def ball_jet(expression: Expr, symbol: Symbol) -> Callable:
    """The same in Arb, at its precision: (x_0, count) -> coefficients; by mpmath what Arb has no rule or no value for.

    >>> from sympy import exp
    >>> x = Symbol("x")
    >>> [c.str(3) for c in ball_jet(exp(x) ** 2, x)(arb(0), 3)]
    ['1.00', '2.00', '2.00']
    """
    slowly, in_arb = _by_differences(expression, symbol), _in_arb(expression, symbol)

    def coefficients(point: arb, count: int) -> list[arb]:
        found = [arb.nan()] if in_arb is None else in_arb(point, count)
        return found if all(c.is_finite() for c in found) else by_mpmath(lambda x: slowly(x, count))(point)

    return coefficients


def _by_differences(expression: Expr, symbol: Symbol) -> Callable:
    function = in_mpmath(expression, symbol, {})
    return valued(lambda point, count: mp.taylor(function, point, count - 1))


@lru_cache(maxsize=1024)
def _in_arb(expression: Expr, symbol: Symbol) -> Callable | None:
    """In Arb, NaN where a part cannot be shown to be real; None where Arb has no rule for a part."""
    try:
        program = program_of(expression, symbol)
    except Refused:
        return None
    named = [a for a in program.formula.atoms() if a.is_number and a.is_real and not a.is_Rational and not a.is_Float]
    named = [constant for constant in named if constant not in CONSTANTS]

    @lru_cache(maxsize=KEPT)
    def numbers(bits: int) -> dict[Expr, arb]:
        with mp.workprec(bits):
            return {constant: of_mpf(to_mpf(constant)) for constant in (*named, *program.parameters)}

    def coefficients(point: arb, count: int) -> list[arb]:
        try:
            return program.taylor(point, count, numbers(ctx.prec))
        except Outside:
            return [arb.nan()]

    return coefficients

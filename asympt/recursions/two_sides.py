"""Is a function one and the same power series on both sides of a fixed point?

Problem.  The solvers expand for y > 0.  An orbit with a negative multiplier visits y < 0 at every other step, and one
with a positive multiplier may come in there; with a kink (|x|) or a root at the fixed point the series is another one.

Rule.  A function made of functions that are analytic at the values they meet (a root or a logarithm of what is
positive at x*, |.| of what is not 0, sin of anything) is one series without looking.  For any other, expand at
x* + s y and at x* - s y for y > 0; the coefficients of y^k must be (-1)^k times each other and there must be no
fractional powers.

Tiny case.  x |x|: y^2 above 0 and -y^2 below; x^2 has +y^2 on both sides.  sqrt(1 + x) at 0 needs no look.

Known limits.  The first `LOOKED_AT` coefficients are compared.
"""

from collections.abc import Callable, Mapping
from functools import wraps
from itertools import combinations

from sympy import (
    Abs,
    Add,
    Ci,
    Expr,
    Heaviside,
    LambertW,
    Max,
    Min,
    Mul,
    Pow,
    Si,
    Symbol,
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atanh,
    cos,
    cosh,
    erf,
    erfc,
    exp,
    gamma,
    log,
    loggamma,
    sign,
    sin,
    sinh,
    tanh,
)

from asympt.errors import InputError, UnsupportedError
from asympt.expansions.formulas.puiseux import Y, puiseux
from asympt.recursions.coordinates.koenigs_numeric import Koenigs
from asympt.recursions.fixed_point import FixedPoint
from asympt.recursions.fixed_points import is_zero
from asympt.recursions.protocol import Dynamics

LOOKED_AT = 12
DIGITS = 5  # to which an orbit is followed to see on which side it comes in
_ENTIRE = (sin, cos, exp, sinh, cosh, tanh, atan, asinh, erf, erfc, Si)
_POSITIVE = {  # of a real argument: where the function is analytic
    log: lambda u: u, gamma: lambda u: u, loggamma: lambda u: u, Ci: lambda u: u, acosh: lambda u: u - 1,
    asin: lambda u: 1 - u**2, acos: lambda u: 1 - u**2, atanh: lambda u: 1 - u**2, LambertW: lambda u: 3 * u + 1,
}  # fmt: skip
_BY_SIGN = (Abs, sign, Heaviside)  # of a real argument: analytic where that is not 0
_NOTICED = 1e-15  # a value below it may be zero


def one_series(expression: Expr, symbol: Symbol, fixed: FixedPoint) -> bool:
    """Whether the expression in x is the same power (or Laurent) series above and below the fixed point.

    >>> from sympy import Abs
    >>> x = Symbol("x")
    >>> [one_series(e, x, FixedPoint(x * 0)) for e in (sin(x) / x, x * Abs(x), x**2 * Abs(x) ** 2)]
    [True, False, True]
    """
    if not fixed.at_infinity and _is_analytic(expression, symbol, fixed.point):
        return True
    try:
        here, there = (puiseux(expression.subs(symbol, p.outer(Y)), Y, LOOKED_AT) for p in (fixed, fixed.other))
    except UnsupportedError:
        return False
    if (here.root, there.root, here.valuation) != (1, 1, there.valuation):
        return False
    pairs = zip(here.coefficients, there.coefficients, strict=False)
    return all(_equal(b, (-1) ** (here.valuation + k) * a) for k, (a, b) in enumerate(pairs))


def _equal(a: Expr, b: Expr) -> bool:
    return a == b or is_zero(a - b)


def _is_analytic(expression: Expr, symbol: Symbol, point: Expr) -> bool:
    """Whether every function in the expression is analytic at the value that its argument has at the fixed point."""
    if expression == symbol or not expression.has(symbol):
        return True
    if not all(_is_analytic(part, symbol, point) for part in expression.args):
        return False
    if isinstance(expression, Pow):
        base, exponent = expression.args
        if exponent.is_Integer:
            return bool(exponent > 0) or _is_positive(base**2, symbol, point)
        return _is_positive(base, symbol, point)
    if isinstance(expression, _BY_SIGN):
        return _is_positive(expression.args[0] ** 2, symbol, point)
    if isinstance(expression, Max | Min):
        return all(_is_positive((a - b) ** 2, symbol, point) for a, b in combinations(expression.args, 2))
    if expression.func in _POSITIVE and len(expression.args) == 1:
        return _is_positive(_POSITIVE[expression.func](expression.args[0]), symbol, point)
    return isinstance(expression, (Add, Mul, *_ENTIRE))


def _is_positive(function: Expr, symbol: Symbol, point: Expr) -> bool:
    """Whether a number is seen to be positive; symbols are left to the expansions."""
    value = function.subs(symbol, point)
    if not value.is_number:
        return False
    value = value.evalf(20)
    return bool(value.is_Float and value > _NOTICED)


def require_one_series(functions: Mapping[str, Expr], symbol: Symbol, fixed: FixedPoint, multiplier: Expr) -> None:
    """An error for an orbit that changes sides where a function (by what it is called) has two series."""
    for name, function in functions.items():
        if not one_series(function, symbol, fixed):
            raise UnsupportedError(
                f"{name} {function} is not one power series on both sides of x = {fixed.point}, and with the "
                f"multiplier {multiplier} orbits change sides at every step; such a law is not derived"
            )


def one_sided(reader: Callable, dynamics: Dynamics, fixed: FixedPoint) -> Callable:
    """The reader of a start, for a law that holds on the side of `fixed` only: an error for an orbit of the other one.

    The orbit of a hyperbolic map with positive multiplier ends on one side, which is the sign of its Koenigs function.
    """

    @wraps(reader)
    def read(*given, **named):
        y = reader(*given, **named)
        coordinate = Koenigs(dynamics)
        if coordinate.crossing(y, coordinate.routes(DIGITS)[0]).position < 0:
            raise InputError(
                f"the orbit of this start does not come to {fixed.describe()} but from the other side, where another "
                "law holds; take the law of the other side"
            )
        return y

    return read

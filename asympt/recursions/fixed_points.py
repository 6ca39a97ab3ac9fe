"""The fixed points of a map: checked when given, found when not.

0 is taken when it is one and G is differentiable there.  Otherwise, of the real solutions of G(x) = x and infinity, the
one that attracts: exactly when the equation is polynomial, else by sign changes of G(x) - x on a grid between -1000 and
1000.  A double root (G tangent to the diagonal) is seen there only at whole numbers: give such a point yourself.
"""

from collections.abc import Callable
from itertools import pairwise

import mpmath
from mpmath import mp
from sympy import Expr, Float, Integer, Lambda, PoleError, Poly, Rational, Symbol, limit, nan, oo, real_roots, zoo
from sympy.polys.polyerrors import BasePolynomialError

from asympt.compiling import valued
from asympt.deadline import check_time
from asympt.errors import InputError, NoValueError
from asympt.expansions.opaque import RealConstant
from asympt.numbers import exact, symbol_names
from asympt.recursions.fixed_point import FixedPoint, numeric
from asympt.recursions.local import LocalMap

NEAR = mpmath.mpf(10) ** -6
TINY = mpmath.mpf(10) ** -9
VANISHING = mpmath.mpf(10) ** -30
WHOLE = range(-5, 6)
PROBE = Rational(2, 7)  # where a function that is not 0 hardly ever is
_GRID = [mpmath.mpf(k) / 16 + mpmath.mpf(1) / 97 for k in range(-160, 161)]
_FAR = [mpmath.mpf(s) * 10 * mpmath.mpf(5) ** (mpmath.mpf(k) / 8) for s in (-1, 1) for k in range(24)]


def checked(expression: Expr, symbol: Symbol, point) -> Expr:
    """The given fixed point as an exact number, if the map leaves it where it is; infinity is taken at its word."""
    if _is_infinite(point):
        return oo if not str(point).startswith("-") else -oo
    value = exact(point, "fixed_point")
    image = image_at(expression, symbol, value)
    if image.has(nan, zoo, oo, -oo):
        if LocalMap(expression, symbol, FixedPoint(value)).exponent > 0:  # a limit, as that of sin(x)^2/x at 0
            return value
    elif is_zero(image - value):
        return value
    near = _opaque_next_to(expression, symbol, value)
    if near is not None:
        return near
    raise InputError(f"x = {point} is not a fixed point: it is mapped to {image}; give one that is, or leave it out")


def is_zero(value: Expr) -> bool:
    """Exact zero: a clearly non-zero value decides against, SymPy's simplification decides for.

    What is known by its digits only has no other proof: there 50 zero digits decide.  No proof rests on either: the
    expansion there has no constant term by exact algebra, or there is no law.
    """
    if value.has(nan, zoo, oo, -oo):
        return False
    if value.is_number and value.is_finite:
        if abs(value.evalf(30)) > 1e-25:
            return False
        if value.has(RealConstant):
            return bool(abs(value.evalf(60, chop=False)) < Float("1e-50", 60))
    return value.simplify() == 0


def vanishes(function: Expr, symbol: Symbol) -> bool:
    """Whether a function is 0 everywhere, also where it does not look like it; SymPy simplifies it only if it may be.

    >>> x = Symbol("x")
    >>> [vanishes(f, x) for f in ((x + 1) ** 2 - x**2 - 2 * x - 1, x - 1, Integer(0))]
    [True, False, True]
    """
    return function == 0 or (is_zero(image_at(function, symbol, PROBE)) and function.simplify() == 0)


def finite_fixed_points(expression: Expr, symbol: Symbol) -> list[Expr]:
    """The real solutions of G(x) = x that can be found, smallest first."""
    others = expression.free_symbols - {symbol}
    if others:
        raise InputError(
            f"the fixed points of {expression} depend on {symbol_names(others)}; give fixed_point=..., or numbers"
        )
    try:
        numerator = (expression - symbol).together().as_numer_denom()[0]
        points = sorted(set(real_roots(Poly(numerator, symbol, extension=True))), key=lambda root: root.evalf(30))
    except (BasePolynomialError, NotImplementedError):  # SymPy's: no polynomial, or none whose roots it knows
        points = _by_sign_changes(expression, symbol)
    lowest = 0 if symbol.is_nonnegative else -oo
    return [point for point in points if point >= lowest and _stays(expression, symbol, point)]


def image_at(expression: Expr, symbol: Symbol, value: Expr) -> Expr:
    """The image of a number, nan where SymPy finds none (a maximum with an infinity, for example)."""
    try:
        return expression.subs(symbol, value)
    except (TypeError, ValueError):  # SymPy's own refusals to compare
        return nan


def tends_to_zero(expression: Expr, symbol: Symbol, sign: int) -> bool:
    """Whether a map without a value at 0 is real next to it, on the side `sign`, and tends to 0 there.

    >>> x = Symbol("x")
    >>> from sympy import log
    >>> [tends_to_zero(f, x, 1) for f in (x + x**2 * log(x), 1 + x * log(x), x**2)]
    [True, False, False]
    """
    if image_at(expression, symbol, Integer(0)).is_finite or _real(numeric(expression, symbol), sign * TINY) is None:
        return False
    try:
        return limit(expression, symbol, 0, "+" if sign > 0 else "-") == 0
    except (NotImplementedError, PoleError, ValueError):  # SymPy's: it finds none
        return False


def _is_infinite(point) -> bool:
    if isinstance(point, str):
        return point.strip().lstrip("+-") in ("oo", "inf", "infinity")
    return point in (oo, -oo) or (isinstance(point, float | mpmath.mpf) and bool(mpmath.isinf(point)))


def _opaque_next_to(expression: Expr, symbol: Symbol, value: Expr) -> Expr | None:
    """The fixed point without a closed form that the value names by its first digits, if there is one."""
    if not value.is_number or expression.free_symbols - {symbol}:
        return None
    opaque = [p for p in finite_fixed_points(expression, symbol) if isinstance(p, RealConstant)]
    return next((p for p in opaque if abs((p - value).evalf(20)) < NEAR * min(1, abs(p.evalf(20)))), None)


def _stays(expression: Expr, symbol: Symbol, point: Expr) -> bool:
    """Whether the map is finite at a solution of the cleared equation."""
    if isinstance(point, RealConstant):
        return True
    image = image_at(expression, symbol, point)
    if image.is_finite is False or image.has(oo, -oo, zoo, nan):
        return False
    distance = abs((image - point).evalf(20))
    return bool(distance.is_Float or distance.is_zero) and bool(distance < NEAR)


def _by_sign_changes(expression: Expr, symbol: Symbol) -> list[Expr]:
    excess = numeric(expression - symbol, symbol)
    points = sorted([*_GRID, *_FAR])
    if symbol.is_nonnegative:
        points = [p for p in points if p > 0]
    with mp.workdps(15):
        values = [_real(excess, p) for p in points]
    brackets = [
        (points[k], points[k + 1])
        for k, (u, v) in enumerate(pairwise(values))
        if u is not None and v is not None and u * v < 0
    ]
    found = [_refined(expression, symbol, excess, *bracket) for bracket in brackets]
    whole = [Integer(k) for k in WHOLE if _real(excess, mpmath.mpf(k)) == 0]  # these may be double roots
    return sorted({*whole, *(p for p in found if p is not None)}, key=lambda root: root.evalf(30))


def _real(function: Callable, x):
    """The value when it is a finite real number, else None."""
    check_time()
    try:
        value = function(x)
    except NoValueError:
        return None
    return value if isinstance(value, mpmath.mpf) and mpmath.isfinite(value) else None


def _algebraic(value) -> Expr | None:
    """The root of a polynomial of low degree with small coefficients that a number of 40 digits seems to be."""
    polynomial = mpmath.findpoly(value, 4, maxcoeff=200, tol=mpmath.mpf(10) ** -30)
    if polynomial is None:
        return None
    roots = real_roots(Poly(polynomial, Symbol("x")))
    return min(roots, key=lambda root: abs(root.evalf(40) - Float(value, 40)))


def _refined(expression: Expr, symbol: Symbol, excess: Callable, low, high) -> Expr | None:
    """The root in a bracket: a simple exact number when there is one, else known by its digits; None for a pole."""

    def root():
        return mpmath.findroot(excess, (low, high), solver="anderson", tol=8 * mp.eps, verify=False)

    with mp.workdps(40):
        try:
            value = valued(root)()
        except NoValueError:  # a pole, or a stretch where the map is not real
            return None
        left = _real(excess, value)
        if left is None or abs(left) > mpmath.mpf(10) ** -25:
            return None
        if abs(value) < VANISHING:  # 0, or a place next to 0 where the map is not defined
            return Integer(0) if is_zero(image_at(expression, symbol, Integer(0))) else None
        simple = _algebraic(value)
    if simple is not None and is_zero(expression.subs(symbol, simple) - simple):
        return simple
    bracket = tuple(tuple(map(int, end._mpf_)) for end in (low, high))
    return RealConstant("xi", root, key=("root of", expression - symbol, symbol, "in", bracket),
                        latex=r"\xi", equation=Lambda(symbol, expression - symbol))

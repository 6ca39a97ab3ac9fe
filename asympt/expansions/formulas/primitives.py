"""Inverse functions, erf, Si, LambertW, gamma of a truncated series a, and Taylor's formula for everything else.

    b = b_0 + integral of w(a) D a      w(a) = 1/sqrt(1 - a^2) for asin, 1/(1 + a^2) for atan, D = y d/dy,
                                        1/sqrt(a^2 - 1) for acosh, 2 exp(-a^2)/sqrt(pi) for erf, sin(a)/a for Si

as long as w(a) D a tends to 0: acos(1 - y) = sqrt(2 y) + ... at its branch point.  The start b_0 may belong to
a = infinity (atan: +-pi/2); asinh and acosh of something that grows, and atanh at +-1, are logarithms.
"""

from collections.abc import Callable
from fractions import Fraction
from math import ceil

import mpmath
import sympy
from sympy import Derivative, Dummy, Expr, Integer, Integral, Rational, S, Subs, Symbol, factorial, pi, sqrt
from sympy.core.function import AppliedUndef
from sympy.functions.special.bessel import AiryBase

from asympt.expansions.fields.numerics import number, taylor_coefficient
from asympt.expansions.formulas import differential, elementary
from asympt.expansions.formulas.algebra import Algebra
from asympt.expansions.formulas.elementary import INVERSE, exp, limit_and_rest, log, on_grid
from asympt.expansions.formulas.laurent import LOG, Laurent, Refusal, common
from asympt.expansions.opaque import RealConstant

HALF = Fraction(1, 2)


def _primitive(ring: Algebra, a: Laurent, name: Callable, weight: Callable[[], Laurent]) -> Laurent:
    """name(a_0) + integral of weight D a."""
    limit, _ = limit_and_rest(ring, a)
    value = name(limit)
    if value.is_infinite or limit.has(LOG):
        raise Refusal("it is not finite there")
    return _started(ring, a, value, weight)


def _started(ring: Algebra, a: Laurent, value: Expr, weight: Callable[[], Laurent]) -> Laurent:
    slope = ring.derivative(a)
    if slope.is_exact_zero:
        return ring.constant(value)
    return ring.add(ring.constant(value), ring.integral(ring.multiply(slope, weight())))


def _quadratic(ring: Algebra, a: Laurent, constant: int, square: int, exponent: Fraction) -> Laurent:
    """(constant + square a^2)^exponent."""
    squared = ring.power(a, Fraction(2))
    total = ring.add(ring.constant(Integer(constant)), squared if square > 0 else ring.negative(squared))
    return ring.power(total, exponent)


# ---- circular functions -----------------------------------------------------------------------------


def asin(ring: Algebra, a: Laurent) -> Laurent:
    """asin(a)."""
    return _primitive(ring, a, sympy.asin, lambda: _quadratic(ring, a, 1, -1, -HALF))


def acos(ring: Algebra, a: Laurent) -> Laurent:
    """acos(a)."""
    return _primitive(ring, a, sympy.acos, lambda: ring.negative(_quadratic(ring, a, 1, -1, -HALF)))


def atan(ring: Algebra, a: Laurent) -> Laurent:
    """atan(a)."""

    def weight() -> Laurent:
        return _quadratic(ring, a, 1, 1, INVERSE)

    if a.order < 0:
        return _started(ring, a, ring.sign(a) * pi / 2, weight)
    return _primitive(ring, a, sympy.atan, weight)


# ---- hyperbolic functions ---------------------------------------------------------------------------


def asinh(ring: Algebra, a: Laurent) -> Laurent:
    """asinh(a)."""
    if a.order >= 0:
        return _primitive(ring, a, sympy.asinh, lambda: _quadratic(ring, a, 1, 1, -HALF))
    if ring.sign(a) < 0:
        return ring.negative(asinh(ring, ring.negative(a)))
    return log(ring, ring.add(a, _quadratic(ring, a, 1, 1, HALF)))


def acosh(ring: Algebra, a: Laurent) -> Laurent:
    """acosh(a)."""
    if a.order >= 0:
        return _primitive(ring, a, sympy.acosh, lambda: _quadratic(ring, a, -1, 1, -HALF))
    return log(ring, ring.add(a, _quadratic(ring, a, -1, 1, HALF)))


def atanh(ring: Algebra, a: Laurent) -> Laurent:
    """atanh(a)."""
    limit, _ = limit_and_rest(ring, a)
    if limit not in (1, -1):
        return _primitive(ring, a, sympy.atanh, lambda: _quadratic(ring, a, 1, -1, INVERSE))
    one = ring.constant(S.One)
    up, down = log(ring, ring.add(one, a)), log(ring, ring.add(one, ring.negative(a)))
    return ring.multiply(ring.constant(S.Half), ring.add(up, ring.negative(down)))


# ---- erf ------------------------------------------------------------------------------------------------------


def _bell(ring: Algebra, a: Laurent, square: int) -> Laurent:
    """2 exp(square a^2)/sqrt(pi)."""
    squared = ring.power(a, Fraction(2))
    return ring.multiply(ring.constant(2 / sqrt(pi)), exp(ring, squared if square > 0 else ring.negative(squared)))


def erf(ring: Algebra, a: Laurent) -> Laurent:
    """erf(a)."""
    return _primitive(ring, a, sympy.erf, lambda: _bell(ring, a, -1))


def erfc(ring: Algebra, a: Laurent) -> Laurent:
    """erfc(a)."""
    return _primitive(ring, a, sympy.erfc, lambda: ring.negative(_bell(ring, a, -1)))


def erfi(ring: Algebra, a: Laurent) -> Laurent:
    """erfi(a)."""
    return _primitive(ring, a, sympy.erfi, lambda: _bell(ring, a, 1))


# ---- integrals of elementary functions --------------------------------------------------------------------


def _over(ring: Algebra, above: Laurent, a: Laurent) -> Laurent:
    return ring.multiply(above, ring.power(a, INVERSE))


def _integral(name: str, slope: Callable[[Algebra, Laurent], Laurent]) -> Callable:
    """The rule of a function that is known by its derivative."""
    return lambda ring, a: _primitive(ring, a, getattr(sympy, name), lambda: slope(ring, a))


def _fresnel(wave: Callable) -> Callable:
    """sin or cos of pi a^2/2."""

    def slope(ring: Algebra, a: Laurent) -> Laurent:
        return wave(ring, ring.multiply(ring.constant(pi / 2), ring.power(a, Fraction(2))))

    return slope


INTEGRALS = {
    name: _integral(name, slope)
    for name, slope in {
        "Si": lambda ring, a: _over(ring, elementary.sin(ring, a), a),
        "Ci": lambda ring, a: _over(ring, elementary.cos(ring, a), a),
        "Shi": lambda ring, a: _over(ring, elementary.sinh(ring, a), a),
        "Chi": lambda ring, a: _over(ring, elementary.cosh(ring, a), a),
        "Ei": lambda ring, a: _over(ring, exp(ring, a), a),
        "li": lambda ring, a: ring.power(log(ring, a), INVERSE),
        "fresnels": _fresnel(elementary.sin),
        "fresnelc": _fresnel(elementary.cos),
    }.items()
}


# ---- LambertW, gamma ----------------------------------------------------------------------------------------


def lambert(ring: Algebra, a: Laurent, branch: Laurent | None = None) -> Laurent:
    """LambertW(a), the main branch."""
    if branch is not None:
        raise Refusal("only the main branch of LambertW is expanded")
    limit, u = limit_and_rest(ring, a)
    start = sympy.LambertW(limit)
    if u.is_exact_zero:
        return ring.constant(start)
    value, decay = ring.number(start), ring.number(start / limit if limit != 0 else S.One)
    slowing = ring.inverse(ring.lead(ring.term(1 + value)))
    grid, count, values = on_grid(ring, u)
    values[0] = ring.number(limit)
    return ring.stripped(Laurent(Fraction(0), grid, differential.lambert(values, value, decay, slowing, count)))


def gamma(ring: Algebra, a: Laurent) -> Laurent:
    """gamma(a) by exp(loggamma(a)) for a_0 > 0 and gamma(a) = gamma(a + 1)/a below."""
    limit, _ = limit_and_rest(ring, a)
    if limit.is_positive:
        rest = ring.add(taylor(ring, sympy.loggamma, a), ring.constant(-sympy.loggamma(limit)))
        return ring.multiply(ring.constant(sympy.gamma(limit)), exp(ring, rest))
    if not limit.is_number:
        raise Refusal(f"the sign of {limit} is not known; declare its symbols positive")
    return ring.multiply(gamma(ring, ring.add(a, ring.constant(S.One))), ring.power(a, INVERSE))


# ---- everything else --------------------------------------------------------------------------------


def taylor(ring: Algebra, function: Callable, a: Laurent) -> Laurent:
    """function(a) by Taylor's formula at a_0, where the derivatives are known and finite."""
    limit, u = limit_and_rest(ring, a)
    if u.is_exact_zero:
        return ring.constant(function(limit))
    coefficients = _taylor_coefficients(function, limit, ceil(min(u.end, ring.width) / u.order))
    ring.numbers(coefficients)
    result = Laurent(Fraction(0), common(u.order, u.step), [])  # O(1), and u times it is O(u)
    for coefficient in reversed(coefficients):
        result = ring.add(ring.multiply(result, u), ring.constant(coefficient))
    return result


def _taylor_coefficients(function: Callable, limit: Expr, count: int) -> list[Expr]:
    z = Dummy("z")
    formula = function(z)
    if isinstance(formula, AppliedUndef):
        raise Refusal("nothing is known about this function")
    if isinstance(formula, sympy.zeta) and len(formula.args) == 1:
        return [_zeta(limit, k) for k in range(count)]
    try:
        return _derivatives(formula, z, limit, count)
    except Refusal:
        other = formula.rewrite(sympy.hyper)
        if limit != 0 or not other.has(sympy.hyper):
            raise
        return _derivatives(other, z, limit, count)


def _derivatives(formula: Expr, z: Symbol, limit: Expr, count: int) -> list[Expr]:
    """The first Taylor coefficients of a formula, as far as SymPy knows its derivatives."""
    found = []
    for k in range(count):
        value = _settled(formula.subs(z, limit)) * Rational(1, factorial(k))
        if not _is_known(value):
            raise Refusal(f"SymPy knows no finite derivative of order {k} where its argument tends")
        found.append(value)
        formula = formula.diff(z).expand()
    return found


def _settled(value: Expr) -> Expr:
    """A number in simpler functions, hypergeometric ones at 0 being 1."""
    value = value.replace(lambda e: isinstance(e, sympy.hyper) and e.args[2] == 0, lambda _: S.One)
    return value if value.has(AiryBase) else sympy.expand_func(value)  # SymPy expands an Airy function to None


def _is_known(value: Expr) -> bool:
    """Whether it is finite and real, with nothing left to be done."""
    if value.has(Derivative, Subs, Integral, LOG, sympy.hyper, sympy.meijerg, sympy.nan, sympy.zoo, sympy.oo):
        return False
    return value.is_finite is not False and (_is_real(value) if value.is_number else bool(value.is_finite))


def _is_real(value: Expr) -> bool:
    """Whether a number is real, by its assumptions or else by its digits."""
    if value.is_real is not None:
        return bool(value.is_real)
    return bool(value.evalf(20).is_Float)


def _zeta(limit: Expr, k: int) -> Expr:
    """The k-th derivative of zeta over k!; a constant of its own."""
    if not limit.is_number or limit == 1 or not _is_real(limit):
        raise Refusal("the derivatives of zeta are known at numbers other than 1 only")
    if k == 0:
        return sympy.zeta(limit)
    primes = "'" * k if k < 3 else f"^({k})"
    return RealConstant(
        f"zeta{primes}({limit})", lambda: mpmath.factorial(k) * taylor_coefficient(number(limit), k),
        key=("derivative of zeta", k, limit), latex=rf"\zeta^{{({k})}}({sympy.latex(limit)})",
    ) / factorial(k)

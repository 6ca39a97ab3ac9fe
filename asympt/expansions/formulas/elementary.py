"""exp, log and the circular and hyperbolic functions of a truncated series a = a_0 + u, u -> 0 (`differential`).

    exp(a_0 + u) = exp(a_0) exp(u)                              a_0 = q LOG gives the power y^q
    log(c y^o (1 + ...)) = log(c) + o LOG + log(1 + ...)
    sin(a_0 + u) = sin a_0 cos u + cos a_0 sin u, and so on     sin u has odd powers of u only, cos u even ones
    tan(a_0 + u) from its own equation b' = 1 + b^2             at a pole -1/tan(u)
"""

from collections.abc import Callable
from fractions import Fraction
from math import ceil

import sympy
from sympy import Expr, Rational, S, expand_log

from asympt.expansions.formulas import differential
from asympt.expansions.formulas.algebra import Algebra, fraction_free
from asympt.expansions.formulas.laurent import LOG, ZERO, Laurent, Refusal, common
from asympt.expansions.series import logarithm

INVERSE = Fraction(-1)


# ---- the argument -----------------------------------------------------------------------------------


def limit_and_rest(ring: Algebra, a: Laurent) -> tuple[Expr, Laurent]:
    """(a_0, u) with a = a_0 + u, u -> 0."""
    if a.is_exact_zero or a.order > 0:
        return S.Zero, a
    lead = ring.lead(a)
    if a.order < 0:
        raise Refusal("its argument is unbounded, so it is smaller or larger than every power, or oscillates")
    u = ring.stripped(Laurent(a.order + a.step, a.step, a.values[1:])) if a.step else ZERO
    return ring.field.leave(lead), u


def on_grid(ring: Algebra, u: Laurent) -> tuple[Fraction, int, list]:
    """(step, n, values): the first n coefficients of u in powers of y^step from y^0 on."""
    grid = common(u.order, u.step)
    count = ceil(min(u.end, ring.width) / grid)
    return grid, count, u.spread(grid, count, ring.zero, Fraction(0))


# ---- exp and log ------------------------------------------------------------------------------------


def exp(ring: Algebra, a: Laurent) -> Laurent:
    """exp(a); a multiple of log(y) in a_0 makes it a power of y."""
    limit, u = limit_and_rest(ring, a)
    order = limit.expand().coeff(LOG) if limit.has(LOG) else S.Zero
    constant = (limit - order * LOG).expand() if order else limit
    if not order.is_Rational or constant.has(LOG):
        raise Refusal("its argument grows like a logarithm, not like a rational multiple of one")
    head = Laurent(Fraction(int(order.p), int(order.q)), Fraction(0), [ring.number(sympy.exp(constant))])
    if u.is_exact_zero:
        return head
    grid, count, values = on_grid(ring, u)
    small = fraction_free(lambda series: differential.exponential(series, count), values)
    return ring.multiply(head, Laurent(Fraction(0), grid, small))


def log(ring: Algebra, a: Laurent) -> Laurent:
    """log(a) for a > 0."""
    lead = ring.positive(ring.lead(a), "the logarithm")
    head = ring.constant(expand_log(sympy.log(lead)) + Rational(a.order.numerator, a.order.denominator) * LOG)
    if not a.step:
        return head
    values = fraction_free(lambda series: logarithm(series, len(series)), ring.unit(a))
    return ring.add(head, ring.stripped(Laurent(Fraction(0), a.step, values)))


# ---- sine and cosine --------------------------------------------------------------------------------


def _odd_and_even(ring: Algebra, u: Laurent, square: int) -> list[Laurent]:
    """(sin u, cos u) for square = -1, (sinh u, cosh u) for +1, without the powers that cannot occur."""
    if u.is_exact_zero:
        return [ZERO, ring.monomial(0)]
    grid, count, values = on_grid(ring, u)
    stride = int(common(2 * u.order, u.step) / grid)
    result = []
    for which, order in enumerate((u.order, Fraction(0))):
        series = fraction_free(lambda s, which=which: differential.odd_and_even(s, count, square)[which], values)
        result.append(Laurent(order, stride * grid, series[int(order / grid) :: stride]))
    return result


def _sine(ring: Algebra, a: Laurent, names: tuple[Callable, Callable], square: int) -> Laurent:
    limit, u = limit_and_rest(ring, a)
    odd, even = _odd_and_even(ring, u, square)
    if limit == 0:
        return odd
    first, second = (ring.constant(name(limit)) for name in names)
    return ring.add(ring.multiply(first, even), ring.multiply(second, odd))


def _cosine(ring: Algebra, a: Laurent, names: tuple[Callable, Callable], square: int) -> Laurent:
    limit, u = limit_and_rest(ring, a)
    odd, even = _odd_and_even(ring, u, square)
    if limit == 0:
        return even
    first, second = (ring.constant(name(limit)) for name in names)
    crossed = ring.multiply(first, odd)
    return ring.add(ring.multiply(second, even), crossed if square > 0 else ring.negative(crossed))


def sin(ring: Algebra, a: Laurent) -> Laurent:
    """sin(a)."""
    return _sine(ring, a, (sympy.sin, sympy.cos), -1)


def cos(ring: Algebra, a: Laurent) -> Laurent:
    """cos(a)."""
    return _cosine(ring, a, (sympy.sin, sympy.cos), -1)


def sinh(ring: Algebra, a: Laurent) -> Laurent:
    """sinh(a)."""
    return _sine(ring, a, (sympy.sinh, sympy.cosh), 1)


def cosh(ring: Algebra, a: Laurent) -> Laurent:
    """cosh(a)."""
    return _cosine(ring, a, (sympy.sinh, sympy.cosh), 1)


# ---- tangents ---------------------------------------------------------------------------------------


def tan(ring: Algebra, a: Laurent) -> Laurent:
    """tan(a)."""
    return _tangent(ring, a, sympy.tan, 1, 1, lambda u: ring.negative(ring.power(tan(ring, u), INVERSE)))


def cot(ring: Algebra, a: Laurent) -> Laurent:
    """cot(a)."""
    return _tangent(ring, a, sympy.cot, -1, -1, lambda u: ring.power(tan(ring, u), INVERSE))


def tanh(ring: Algebra, a: Laurent) -> Laurent:
    """tanh(a)."""
    return _tangent(ring, a, sympy.tanh, 1, -1, lambda u: ring.power(tanh(ring, u), INVERSE))


def coth(ring: Algebra, a: Laurent) -> Laurent:
    """coth(a)."""
    return _tangent(ring, a, sympy.coth, 1, -1, lambda u: ring.power(tanh(ring, u), INVERSE))


def _tangent(ring: Algebra, a: Laurent, name: Callable, slope: int, square: int, at_pole: Callable) -> Laurent:
    limit, u = limit_and_rest(ring, a)
    value = name(limit)
    if value.is_infinite:
        return at_pole(u)
    if u.is_exact_zero:
        return ring.constant(value)
    grid, count, values = on_grid(ring, u)
    start = [ring.number(value)]
    series = fraction_free(lambda s, b: differential.tangent(s, b[0], count, slope, square), values, start)
    if value != 0:
        return Laurent(Fraction(0), grid, series)
    stride = int(common(2 * u.order, u.step) / grid)  # an odd function of u
    return Laurent(u.order, stride * grid, series[int(u.order / grid) :: stride])

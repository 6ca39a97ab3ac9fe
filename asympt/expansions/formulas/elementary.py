"""Elementary functions, their inverses, erf, Si, LambertW, gamma of a truncated series, and Taylor's formula.

With a = a_0 + u, u -> 0 (`algebra`), and D = y d/dy:

    exp(a_0 + u) = exp(a_0) exp(u)                              a_0 = q LOG gives the power y^q
    log(c y^o (1 + ...)) = log(c) + o LOG + log(1 + ...)
    sin(a_0 + u) = sin a_0 cos u + cos a_0 sin u, and so on     at a pole of tan: -1/tan(u)
    b = b_0 + integral of w(a) D a      w(a) = 1/sqrt(1 - a^2) for asin, ..., as long as w(a) D a tends to 0
"""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import ceil

import mpmath
import sympy
from sympy import Derivative, Dummy, Expr, Integer, Integral, Rational, S, Subs, Symbol, expand_log, factorial, pi, sqrt
from sympy.core.function import AppliedUndef
from sympy.functions.special.bessel import AiryBase

from asympt.expansions.fields.decisions import number, taylor_coefficient
from asympt.expansions.formulas import algebra
from asympt.expansions.formulas.algebra import LOG, Algebra, Laurent, Refusal, common, fraction_free, is_real_number
from asympt.expansions.opaque import RealConstant
from asympt.expansions.series import logarithm

INVERSE = Fraction(-1)


def limit_and_rest(ring: Algebra, a: Laurent) -> tuple[Expr, Laurent]:
    """(a_0, u) with a = a_0 + u, u -> 0."""
    if a.is_exact_zero or a.order > 0:
        return S.Zero, a
    lead = ring.lead(a)
    if a.order < 0:
        raise Refusal("its argument is unbounded, so it is smaller or larger than every power, or oscillates")
    u = ring.stripped(Laurent(a.order + a.step, a.step, a.values[1:])) if a.step else algebra.ZERO
    return ring.field.leave(lead), u


def on_grid(ring: Algebra, u: Laurent) -> tuple[Fraction, int, list]:
    """(step, n, values): the first n coefficients of u in powers of y^step from y^0 on."""
    grid = common(u.order, u.step)
    count = ceil(min(u.end, ring.width) / grid)
    return grid, count, u.spread(grid, count, ring.zero, Fraction(0))


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
    small = fraction_free(lambda series: algebra.exponential(series, count), values)
    return ring.multiply(head, Laurent(Fraction(0), grid, small))


def log(ring: Algebra, a: Laurent) -> Laurent:
    """log(a) for a > 0."""
    lead = ring.positive(ring.lead(a), "the logarithm")
    head = ring.constant(expand_log(sympy.log(lead)) + Rational(a.order.numerator, a.order.denominator) * LOG)
    if not a.step:
        return head
    values = fraction_free(lambda series: logarithm(series, len(series)), ring.unit(a))
    return ring.add(head, ring.stripped(Laurent(Fraction(0), a.step, values)))


def _odd_and_even(ring: Algebra, u: Laurent, square: int) -> list[Laurent]:
    """(sin u, cos u) for square = -1, (sinh u, cosh u) for +1, without the powers that cannot occur."""
    if u.is_exact_zero:
        return [algebra.ZERO, ring.monomial(0)]
    grid, count, values = on_grid(ring, u)
    stride = int(common(2 * u.order, u.step) / grid)
    result = []
    for which, order in enumerate((u.order, Fraction(0))):
        series = fraction_free(lambda s, which=which: algebra.odd_and_even(s, count, square)[which], values)
        result.append(Laurent(order, stride * grid, series[int(order / grid) :: stride]))
    return result


def _wave(ring: Algebra, a: Laurent, names: tuple[Callable, Callable], square: int, which: int) -> Laurent:
    """sin(a) or cos(a), sinh(a) or cosh(a), as the sine (0) or cosine (1) of these `names`."""
    limit, u = limit_and_rest(ring, a)
    odd, even = _odd_and_even(ring, u, square)
    if limit == 0:
        return even if which else odd
    first, second = (ring.constant(name(limit)) for name in names)
    if not which:
        return ring.add(ring.multiply(first, even), ring.multiply(second, odd))
    crossed = ring.multiply(first, odd)
    return ring.add(ring.multiply(second, even), crossed if square > 0 else ring.negative(crossed))


sin, cos = (partial(_wave, names=(sympy.sin, sympy.cos), square=-1, which=which) for which in (0, 1))
sinh, cosh = (partial(_wave, names=(sympy.sinh, sympy.cosh), square=1, which=which) for which in (0, 1))


def _tangent(ring: Algebra, a: Laurent, name: Callable, slope: int, square: int, at_pole: Callable) -> Laurent:
    limit, u = limit_and_rest(ring, a)
    value = name(limit)
    if value.is_infinite:
        return at_pole(ring, u)
    if u.is_exact_zero:
        return ring.constant(value)
    grid, count, values = on_grid(ring, u)
    start = [ring.number(value)]
    series = fraction_free(lambda s, b: algebra.tangent(s, b[0], count, slope, square), values, start)
    if value != 0:
        return Laurent(Fraction(0), grid, series)
    stride = int(common(2 * u.order, u.step) / grid)  # an odd function of u
    return Laurent(u.order, stride * grid, series[int(u.order / grid) :: stride])


def _over(rule: Callable, sign: int = 1) -> Callable:
    """sign/rule(u), which is what the function is at a pole."""
    return lambda ring, u: ring.scaled(ring.power(rule(ring, u), INVERSE), ring.one * sign)


tan = partial(_tangent, name=sympy.tan, slope=1, square=1, at_pole=_over(lambda ring, u: tan(ring, u), -1))
cot = partial(_tangent, name=sympy.cot, slope=-1, square=-1, at_pole=_over(tan))
tanh = partial(_tangent, name=sympy.tanh, slope=1, square=-1, at_pole=_over(lambda ring, u: tanh(ring, u)))
coth = partial(_tangent, name=sympy.coth, slope=1, square=-1, at_pole=_over(tanh))


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


def _known_slope(name: str, slope: Callable[[Algebra, Laurent], Laurent]) -> Callable:
    """The rule of a function that is known by its derivative."""
    return lambda ring, a: _primitive(ring, a, getattr(sympy, name), lambda: slope(ring, a))


def _bell(ring: Algebra, a: Laurent, square: int) -> Laurent:
    """2 exp(square a^2)/sqrt(pi)."""
    squared = ring.power(a, Fraction(2))
    return ring.multiply(ring.constant(2 / sqrt(pi)), exp(ring, squared if square > 0 else ring.negative(squared)))


asin = _known_slope("asin", lambda ring, a: _quadratic(ring, a, 1, -1, -HALF))
acos = _known_slope("acos", lambda ring, a: ring.negative(_quadratic(ring, a, 1, -1, -HALF)))
erf = _known_slope("erf", lambda ring, a: _bell(ring, a, -1))
erfc = _known_slope("erfc", lambda ring, a: ring.negative(_bell(ring, a, -1)))
erfi = _known_slope("erfi", lambda ring, a: _bell(ring, a, 1))


def atan(ring: Algebra, a: Laurent) -> Laurent:
    def weight() -> Laurent:
        return _quadratic(ring, a, 1, 1, INVERSE)

    if a.order < 0:
        return _started(ring, a, ring.sign(a) * pi / 2, weight)
    return _primitive(ring, a, sympy.atan, weight)


def asinh(ring: Algebra, a: Laurent) -> Laurent:
    if a.order >= 0:
        return _primitive(ring, a, sympy.asinh, lambda: _quadratic(ring, a, 1, 1, -HALF))
    if ring.sign(a) < 0:
        return ring.negative(asinh(ring, ring.negative(a)))
    return log(ring, ring.add(a, _quadratic(ring, a, 1, 1, HALF)))


def acosh(ring: Algebra, a: Laurent) -> Laurent:
    if a.order >= 0:
        return _primitive(ring, a, sympy.acosh, lambda: _quadratic(ring, a, -1, 1, -HALF))
    return log(ring, ring.add(a, _quadratic(ring, a, -1, 1, HALF)))


def atanh(ring: Algebra, a: Laurent) -> Laurent:
    limit, _ = limit_and_rest(ring, a)
    if limit not in (1, -1):
        return _primitive(ring, a, sympy.atanh, lambda: _quadratic(ring, a, 1, -1, INVERSE))
    one = ring.constant(S.One)
    up, down = log(ring, ring.add(one, a)), log(ring, ring.add(one, ring.negative(a)))
    return ring.multiply(ring.constant(S.Half), ring.add(up, ring.negative(down)))


def _quotient(ring: Algebra, above: Laurent, a: Laurent) -> Laurent:
    return ring.multiply(above, ring.power(a, INVERSE))


def _fresnel(wave: Callable) -> Callable:
    """sin or cos of pi a^2/2."""

    def slope(ring: Algebra, a: Laurent) -> Laurent:
        return wave(ring, ring.multiply(ring.constant(pi / 2), ring.power(a, Fraction(2))))

    return slope


INTEGRALS = {
    name: _known_slope(name, slope)
    for name, slope in {
        "Si": lambda ring, a: _quotient(ring, sin(ring, a), a),
        "Ci": lambda ring, a: _quotient(ring, cos(ring, a), a),
        "Shi": lambda ring, a: _quotient(ring, sinh(ring, a), a),
        "Chi": lambda ring, a: _quotient(ring, cosh(ring, a), a),
        "Ei": lambda ring, a: _quotient(ring, exp(ring, a), a),
        "li": lambda ring, a: ring.power(log(ring, a), INVERSE),
        "fresnels": _fresnel(sin),
        "fresnelc": _fresnel(cos),
    }.items()
}


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
    return ring.stripped(Laurent(Fraction(0), grid, algebra.lambert(values, value, decay, slowing, count)))


def gamma(ring: Algebra, a: Laurent) -> Laurent:
    """gamma(a) by exp(loggamma(a)) for a_0 > 0 and gamma(a) = gamma(a + 1)/a below."""
    limit, _ = limit_and_rest(ring, a)
    if limit.is_positive:
        rest = ring.add(taylor(ring, sympy.loggamma, a), ring.constant(-sympy.loggamma(limit)))
        return ring.multiply(ring.constant(sympy.gamma(limit)), exp(ring, rest))
    if not limit.is_number:
        raise Refusal(f"the sign of {limit} is not known; declare its symbols positive")
    return ring.multiply(gamma(ring, ring.add(a, ring.constant(S.One))), ring.power(a, INVERSE))


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
    return value.is_finite is not False and (is_real_number(value) if value.is_number else bool(value.is_finite))


def _zeta(limit: Expr, k: int) -> Expr:
    """The k-th derivative of zeta over k!; a constant of its own."""
    if not limit.is_number or limit == 1 or not is_real_number(limit):
        raise Refusal("the derivatives of zeta are known at numbers other than 1 only")
    if k == 0:
        return sympy.zeta(limit)
    primes = "'" * k if k < 3 else f"^({k})"
    return RealConstant(
        f"zeta{primes}({limit})", lambda: mpmath.factorial(k) * taylor_coefficient(number(limit), k),
        key=("derivative of zeta", k, limit), latex=rf"\zeta^{{({k})}}({sympy.latex(limit)})",
    ) / factorial(k)

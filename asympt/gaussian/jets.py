"""Taylor coefficients of a formula at a number: its value and derivatives without differentiating symbolically.

Rule.  Walk through the formula once, leaves first, and note its operations; then run them on truncated power series
over mpmath numbers (`expansions.series`, `formulas.differential`), starting from x_0 + h.  Functions are solutions of
differential equations in h: b = erf(u) has b' = (2/sqrt pi) exp(-u^2) u', b = atan(u) has b' = u'/(1 + u^2), ...

Known limits.  Quadratic time in the number of coefficients (cubic for a function without a rule, which mpmath
differentiates numerically).  At a removable singularity the division by zero is an error, and close to one digits are
lost: the rounding that this leaves is for the caller to see.
"""

from collections.abc import Callable
from functools import lru_cache
from itertools import zip_longest

import sympy
from flint import arb
from mpmath import mp
from sympy import Add, Expr, Mul, Pow, Symbol

from asympt.balls.arithmetic import Refused
from asympt.balls.expression import Program, program_of
from asympt.balls.programs.domains import Outside
from asympt.compiling import as_function, valued
from asympt.errors import UnsupportedError
from asympt.expansions.formulas import differential
from asympt.expansions.series import logarithm, power, product, trimmed
from asympt.gaussian.stable import by_mpmath
from asympt.numbers import to_mpf

Series = list


@lru_cache(maxsize=1024)
def jet(expression: Expr, symbol: Symbol) -> Callable:
    """(x_0, count) -> Taylor coefficients of the expression at the mpmath number x_0, at the current precision.

    >>> x = Symbol("x")
    >>> [str(c) for c in jet(sympy.exp(x) ** 2, x)(mp.mpf(0), 3)]
    ['1.0', '2.0', '2.0']
    """
    steps = _OrderedOperations(symbol)
    last = steps.place(expression)
    operations = tuple(steps.operations)

    @valued
    def coefficients(point, count: int) -> Series:
        known: list[Series] = []
        leaf = [mp.convert(point), mp.one]
        for operation, places in operations:
            known.append(operation([known[place] for place in places], count) if operation else leaf)
        found = known[last][:count]
        return found + [mp.zero] * (count - len(found))

    return coefficients


@lru_cache(maxsize=1024)
def ball_jet(expression: Expr, symbol: Symbol) -> Callable:
    """The same in Arb, at its precision: (x_0, count) -> coefficients; by `jet` what Arb has no rule or no value for.

    >>> x = Symbol("x")
    >>> [c.str(3) for c in ball_jet(sympy.exp(x) ** 2, x)(arb(0), 3)]
    ['1.00', '2.00', '2.00']
    """
    slowly, program = jet(expression, symbol), _program(expression, symbol)

    def coefficients(point: arb, count: int) -> list[arb]:
        found = [arb.nan()] if program is None else _taylor(program, point, count)
        return found if all(c.is_finite() for c in found) else by_mpmath(lambda x: slowly(x, count))(point)

    return coefficients


def _taylor(program: Program, point: arb, count: int) -> list[arb]:
    """NaN where a piece is not seen to be real: the numbers with a rule of their own are for `jet`."""
    try:
        return program.taylor(point, count)
    except Outside:
        return [arb.nan()]


def _program(expression: Expr, symbol: Symbol) -> Program | None:
    """None where Arb has no rule for a part of it, or where it has parameters."""
    try:
        found = program_of(expression, symbol)
    except Refused:
        return None
    return None if found.parameters else found


class _OrderedOperations:
    """The operations of a formula in an order in which each finds its arguments done: (operation, their places)."""

    def __init__(self, symbol: Symbol):
        self.symbol, self.places, self.operations = symbol, {}, []

    def place(self, node: Expr) -> int:
        """Where the series of this part of the formula will stand."""
        if node not in self.places:
            operation, parts = self._read(node)
            self.operations.append((operation, tuple(self.place(part) for part in parts)))
            self.places[node] = len(self.operations) - 1
        return self.places[node]

    def _read(self, node: Expr) -> tuple[Callable | None, tuple]:
        if node == self.symbol:
            return None, ()
        if self.symbol not in node.free_symbols:
            return (lambda parts, count: [to_mpf(node)]), ()
        if isinstance(node, Add):
            return _sum, node.args
        if isinstance(node, Mul):
            return _product, node.args
        if isinstance(node, Pow):
            return self._power(*node.args)
        if len(node.args) != 1 or not isinstance(node, sympy.Function):
            raise UnsupportedError(f"{node} is not a function of one variable; write the activation by such functions")
        return _function(node.func), node.args

    def _power(self, base: Expr, exponent: Expr) -> tuple[Callable, tuple]:
        if exponent.is_Integer:
            return (lambda parts, count: _whole(parts[0], int(exponent), count)), (base,)
        if self.symbol in exponent.free_symbols:
            return self._read(sympy.exp(exponent * sympy.log(base), evaluate=False))
        return (lambda parts, count: _real(parts[0], to_mpf(exponent), count)), (base,)


# ---- arithmetic -------------------------------------------------------------------------------------


def _sum(parts: list[Series], count: int) -> Series:
    return [mp.fsum(column) for column in zip_longest(*parts, fillvalue=mp.zero)]


def _product(parts: list[Series], count: int) -> Series:
    result = parts[0]
    for part in parts[1:]:
        result = _times(result, part, count)
    return result


def _times(a: Series, b: Series, count: int) -> Series:
    if len(a) == 1 or len(b) == 1:
        (scale,), series = (a, b) if len(a) == 1 else (b, a)
        return [scale * c for c in series]
    return product(a, b, min(count, len(a) + len(b) - 1))


def _whole(a: Series, exponent: int, count: int) -> Series:
    """A whole power: by squaring when it is positive, which asks nothing of a_0."""
    if exponent < 0:
        return _real(a, mp.mpf(exponent), count)
    result, square = [mp.one], a
    while exponent:
        if exponent & 1:
            result = _times(result, square, count)
        exponent >>= 1
        square = _times(square, square, count) if exponent else square
    return result


def _real(a: Series, exponent, count: int) -> Series:
    """a^exponent for a_0 that is not zero (positive unless the exponent is whole)."""
    head = a[0] ** exponent
    return [head * c for c in power([c / a[0] for c in a], exponent, count)]


def _integral(slope: Series, u: Series, start, count: int) -> Series:
    """The series b with b' = slope u' and b_0 = start."""
    derivative = [k * c for k, c in enumerate(u)][1:] or [mp.zero]
    return [start, *(c / k for k, c in enumerate(product(slope, derivative, count - 1), start=1))]


# ---- functions --------------------------------------------------------------------------------------


def _small(u: Series) -> Series:
    return [mp.zero, *trimmed(u)[1:]]


def _driven(u: Series, start, count: int, right: Callable) -> Series:
    """b with b_0 = start and b' = r u', `right` giving the next coefficient of r from the known ones of b.

    As in `formulas.differential`, with every convolution rounded once: half of the time of high derivatives is here.
    """
    weights, values, rights = [k * c for k, c in enumerate(u)], [start], []
    for k in range(1, count):
        rights.append(right(values))
        reach = min(k, len(weights) - 1)
        values.append(mp.fdot(weights[1 : reach + 1], rights[k - reach :][::-1]) / k)
    return values


def _exp(u: Series, count: int) -> Series:
    return _driven(u, mp.exp(u[0]), count, lambda values: values[-1])


def _log(u: Series, count: int) -> Series:
    return [mp.log(u[0]), *logarithm([c / u[0] for c in u], count)[1:]]


def _sine(value: Callable, other: Callable, square: int, second: int) -> Callable:
    """sin(u_0 + v) = sin u_0 cos v + cos u_0 sin v and its three companions; `second` is the sign of the second."""

    def rule(u: Series, count: int) -> Series:
        odd, even = differential.odd_and_even(_small(u), count, square)
        first, cross = value(u[0]), second * other(u[0])
        return [first * e + cross * o for e, o in zip(even, odd, strict=True)]

    return rule


def _tangent(value: Callable, slope: int, square: int) -> Callable:
    """The solution of b' = (slope + square b^2) u'."""

    def right(values: Series):
        return square * mp.fdot(values, values[::-1]) + (slope if len(values) == 1 else 0)

    return lambda u, count: _driven(u, value(u[0]), count, right)


def _by_slope(value: Callable, slope: Callable) -> Callable:
    """A function whose derivative is elementary: `slope` maps (u, count) to the series of the derivative at u."""
    return lambda u, count: _integral(slope(u, count), u, value(u[0]), count) if count > 1 else [value(u[0])]


def _bell(weight: int) -> Callable:
    """weight (2/sqrt pi) exp(-u^2)."""

    def slope(u: Series, count: int) -> Series:
        scale = 2 * weight / mp.sqrt(mp.pi)
        return [scale * c for c in _exp([-c for c in _times(u, u, count)], count)]

    return slope


def _algebraic(constant: int, square: int, exponent: float, weight: int = 1) -> Callable:
    """weight (constant + square u^2)^exponent."""

    def slope(u: Series, count: int) -> Series:
        inner = [square * c for c in _times(u, u, count)]
        inner[0] += constant
        return [weight * c for c in _real(inner, mp.mpf(exponent), count)]

    return slope


def _one_over(rule: Callable) -> Callable:
    return lambda u, count: _real(rule(u, count), mp.mpf(-1), count)


def _lambert(u: Series, count: int) -> Series:
    start = mp.lambertw(u[0]).real
    return differential.lambert(u, start, mp.exp(-start), 1 / (1 + start), count)


def _function(name: type) -> Callable:
    rule = RULES.get(name) or _numerically(name)
    return lambda parts, count: rule(parts[0], count)


def _numerically(name: type) -> Callable:
    """A function without a rule: its Taylor coefficients by mpmath's differentiation, put together by Horner's rule."""
    z = Symbol("z")
    outer = as_function(z, name(z), "mpmath")

    def rule(u: Series, count: int) -> Series:
        inner, result = _small(u), [mp.zero]
        for c in reversed(mp.taylor(outer, u[0], count - 1)):
            result = _sum([[c], _times(result, inner, count)], count)
        return result

    return rule


RULES: dict[type, Callable] = {
    sympy.exp: _exp,
    sympy.log: _log,
    sympy.sin: _sine(mp.sin, mp.cos, -1, 1),
    sympy.cos: _sine(mp.cos, mp.sin, -1, -1),
    sympy.sinh: _sine(mp.sinh, mp.cosh, 1, 1),
    sympy.cosh: _sine(mp.cosh, mp.sinh, 1, 1),
    sympy.tan: _tangent(mp.tan, 1, 1),
    sympy.cot: _tangent(mp.cot, -1, -1),
    sympy.tanh: _tangent(mp.tanh, 1, -1),
    sympy.coth: _tangent(mp.coth, 1, -1),
    sympy.erf: _by_slope(mp.erf, _bell(1)),
    sympy.erfc: _by_slope(mp.erfc, _bell(-1)),
    sympy.atan: _by_slope(mp.atan, _algebraic(1, 1, -1)),
    sympy.atanh: _by_slope(mp.atanh, _algebraic(1, -1, -1)),
    sympy.asinh: _by_slope(mp.asinh, _algebraic(1, 1, -0.5)),
    sympy.asin: _by_slope(mp.asin, _algebraic(1, -1, -0.5)),
    sympy.acos: _by_slope(mp.acos, _algebraic(1, -1, -0.5, weight=-1)),
    sympy.LambertW: _lambert,
}
_QUOTIENTS = {sympy.sec: sympy.cos, sympy.csc: sympy.sin, sympy.sech: sympy.cosh, sympy.csch: sympy.sinh}
RULES |= {name: _one_over(RULES[inverse]) for name, inverse in _QUOTIENTS.items()}

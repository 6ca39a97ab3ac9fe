"""A formula on a circle: is it analytic in the disc, and how large is it there?

One walk through the formula with its values at `POINTS` points around the circle, which is evidence and no proof.  1/f,
f^(p/q), log f, |f|, max need an f without zeros in the disc but at the origin: f turns around 0 once for every zero.
tan, gamma, ... are quotients of entire functions, asin, atan, ... logarithms; roots and logarithms are continued.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise

import mpmath
import sympy
from mpmath import mp
from sympy import Add, Expr, Mul, Piecewise, Pow, Symbol

from asympt.balls.expression import REWRITTEN, A
from asympt.compiling import as_function, valued
from asympt.errors import NoValueError, UnsupportedError
from asympt.expansions.fields.decisions import number
from asympt.expansions.formulas.puiseux import holds, order_at_zero

POINTS = (64, 256)
TURN = 1.3  # radians from one point to the next: more is not followed
HUGE = 64  # bits of an argument beyond which no function is evaluated
LARGE = 10  # the same for special functions, whose series would be long
WHOLE = mpmath.mpf(10) ** -6

_ENTIRE = (sympy.exp, sympy.sin, sympy.cos, sympy.sinh, sympy.cosh)
_ENTIRE_SPECIAL = (
    sympy.erf, sympy.erfc, sympy.erfi, sympy.airyai, sympy.airybi, sympy.airyaiprime, sympy.airybiprime,
    sympy.fresnels, sympy.fresnelc, sympy.Si, sympy.Shi, sympy.sinc,
)  # fmt: skip
_QUOTIENTS = {f: formula for f, formula in REWRITTEN.items() if f not in (*_ENTIRE, *_ENTIRE_SPECIAL)} | {
    sympy.acosh: sympy.log(A + sympy.sqrt(A**2 - 1)), sympy.acoth: sympy.atanh(1 / A),
    sympy.asec: sympy.acos(1 / A), sympy.acsc: sympy.asin(1 / A), sympy.asech: sympy.acosh(1 / A),
    sympy.acsch: sympy.asinh(1 / A),
}  # fmt: skip
_SINGULAR_WHERE = {  # functions of a, their last argument, that are analytic where this has no zero
    sympy.loggamma: 1 / sympy.gamma(A), sympy.polygamma: 1 / sympy.gamma(A), sympy.zeta: A - 1,
    sympy.LambertW: A + sympy.exp(-1), sympy.Ci: A, sympy.Chi: A, sympy.Ei: A, sympy.li: A * (A - 1),
    sympy.expint: A, sympy.besselj: A, sympy.bessely: A, sympy.besseli: A, sympy.besselk: A,
    sympy.harmonic: 1 / sympy.gamma(A + 1),
}  # fmt: skip
_OF_REALS = (
    sympy.re, sympy.im, sympy.arg, sympy.conjugate, sympy.atan2, sympy.floor, sympy.ceiling, sympy.frac, sympy.Mod,
)  # fmt: skip


class NotAnalytic(Exception):
    """The formula cannot be seen to be analytic in the disc."""


class Unresolved(NotAnalytic):
    """The points are too few to follow a node."""


def circle_values(expression: Expr, symbol: Symbol, radius, centre=0) -> list:
    """The values around the circle, first and last at centre + radius; `NotAnalytic` when something is wrong inside."""
    for count in POINTS:
        try:
            return _walked(_Circle(symbol, radius, centre, count), expression)
        except Unresolved as reason:
            last = reason
        except NoValueError as reason:
            raise NotAnalytic(str(reason)) from None
    raise last


@valued
def _walked(walk: "_Circle", expression: Expr) -> list:
    values = walk(expression)
    walk.require_closed(values, expression)
    return values


class _Circle:
    """One walk through a formula with the values of every node around one circle."""

    def __init__(self, symbol: Symbol, radius, centre, count: int):
        self.symbol, self.around_origin, self.count = symbol, centre == 0, count
        leaf = [centre + radius * mp.expjpi(mpmath.mpf(2 * j) / count) for j in range(count)]
        self.known: dict[Expr, list] = {symbol: [*leaf, leaf[0]]}

    def __call__(self, expression: Expr) -> list:
        if expression not in self.known:
            self.known[expression] = self._node(expression)
        return self.known[expression]

    def _node(self, expression: Expr) -> list:
        if self.symbol not in expression.free_symbols:
            return [number(expression)] * (self.count + 1)
        if isinstance(expression, Add):
            return [mp.fsum(parts) for parts in zip(*map(self, expression.args), strict=True)]
        if isinstance(expression, Mul):
            return [mp.fprod(parts) for parts in zip(*map(self, expression.args), strict=True)]
        if isinstance(expression, Pow):
            return self._power(*expression.args)
        rule = _RULES.get(expression.func)
        if rule is not None:
            return rule(self, expression)
        return self._function(expression)

    def _power(self, base: Expr, exponent: Expr) -> list:
        if self.symbol in exponent.free_symbols:
            return self(sympy.exp(exponent * sympy.log(base), evaluate=False))
        values = self(base)
        if exponent.is_Integer:
            if exponent < 0:
                self.require_no_zero(base)
            return [value ** int(exponent) for value in values]
        power = number(exponent)
        return [mp.exp(power * value) for value in self.logarithm(base)]

    def logarithm(self, base: Expr) -> list:
        """log of a node without zeros, continued around the circle."""
        self.require_no_zero(base)
        return self.continued(self(base))

    def continued(self, values: Sequence) -> list:
        """log of values, continued around the circle."""
        turns, angle = self._turns(values), mp.arg(values[0])
        angles = [angle]
        for turn in turns:
            angles.append(angles[-1] + turn)
        return [mpmath.mpc(mp.log(abs(value)), angle) for value, angle in zip(values, angles, strict=True)]

    def require_no_zero(self, expression: Expr) -> None:
        """`NotAnalytic` when the node has a zero in the disc other than the origin."""
        turned = mp.fsum(self._turns(self(expression))) / (2 * mp.pi)
        if abs(turned - self._order(expression)) > WHOLE:
            raise NotAnalytic(str(expression))

    def _turns(self, values: Sequence) -> list:
        """By how much the argument grows from each point to the next."""
        if not all(values):
            raise NotAnalytic("0")
        turns = [mp.arg(after / before) for before, after in pairwise(values)]
        if max(map(abs, turns)) > TURN:
            raise Unresolved("a node turns too fast")
        return turns

    def _order(self, expression: Expr):
        if not self.around_origin:
            return 0
        order = _order_of(expression, self.symbol)
        return mpmath.mpf(int(order.p)) / int(order.q)

    def _function(self, expression: Expr) -> list:
        """A function of one argument that depends on the symbol, point by point."""
        if not isinstance(expression, sympy.Function):
            raise NotAnalytic(f"{type(expression).__name__} has no values")
        places = [k for k, part in enumerate(expression.args) if self.symbol in part.free_symbols]
        if len(places) > 1:
            raise NotAnalytic(f"two arguments of {expression.func.__name__} depend on {self.symbol}")
        if expression.func in _OF_REALS:
            raise NotAnalytic(f"{expression} is not an analytic function")
        values = self(expression.args[places[0]])
        most = HUGE if expression.func in _ENTIRE else LARGE
        if max(mpmath.mag(value) for value in values) > most:
            raise NotAnalytic(f"an argument of {expression.func.__name__} is too large")
        parts = list(expression.args)
        parts[places[0]] = A
        function = _numeric(expression.func(*parts, evaluate=False))
        return [mpmath.mpc(function(value)) for value in values]

    def _rewritten(self, expression: Expr) -> list:
        return self(_QUOTIENTS[expression.func].xreplace({A: expression.args[0]}))

    def _singular(self, expression: Expr) -> list:
        whole = expression.func in (sympy.besselj, sympy.besseli) and expression.args[0].is_Integer
        if not whole:
            argument = expression.args[0] if expression.func is sympy.zeta else expression.args[-1]
            self.require_no_zero(_SINGULAR_WHERE[expression.func].xreplace({A: argument}))
        return self._function(expression)

    def _gamma(self, expression: Expr) -> list:
        values = self(expression.args[0])
        if max(mpmath.mag(value) for value in values) > LARGE:
            raise NotAnalytic("an argument of gamma is too large")
        upside_down = 1 / expression
        self.known[upside_down] = [mpmath.mpc(mp.rgamma(value)) for value in values]
        self.require_no_zero(upside_down)
        return [1 / value for value in self.known[upside_down]]

    def _asin(self, expression: Expr) -> list:
        (argument,) = expression.args
        root = self(sympy.sqrt(1 - argument**2))
        logs = self.continued([1j * a + r for a, r in zip(self(argument), root, strict=True)])
        return [-1j * value for value in logs]

    def _atan(self, expression: Expr) -> list:
        (argument,) = expression.args
        self.require_no_zero(1 + argument**2)
        values = self(argument)
        lower, upper = (self.continued([1 + s * a for a in values]) for s in (-1j, 1j))
        return [1j / 2 * (one - two) for one, two in zip(lower, upper, strict=True)]

    def sign(self, expression: Expr) -> int:
        """The sign that a real function has on the whole way from the rim to the origin; 0 for the constant 0."""
        values = self(expression)
        if not any(values) and expression.simplify() == 0:
            return 0
        self.require_no_zero(expression)
        return 1 if values[0].real > 0 else -1

    def _abs(self, expression: Expr) -> list:
        sign = self.sign(expression.args[0])
        return [sign * value for value in self(expression.args[0])]

    def _sign(self, expression: Expr) -> list:
        return [mpmath.mpc(self.sign(expression.args[0]))] * (self.count + 1)

    def _angle(self, expression: Expr) -> list:
        """atan2(0, g), the argument of a real g."""
        if expression.args[0] != 0:
            return self._function(expression)
        return [mp.pi * (self.sign(expression.args[1]) < 0)] * (self.count + 1)

    def _heaviside(self, expression: Expr) -> list:
        sign = self.sign(expression.args[0])
        value = number(expression.args[1]) if sign == 0 else mpmath.mpf(sign + 1) / 2
        return [mpmath.mpc(value)] * (self.count + 1)

    def _extreme(self, expression: Expr) -> list:
        order = 1 if expression.func is sympy.Max else -1
        best, *others = expression.args
        for other in others:
            if self.sign(other - best) == order:
                best = other
        return self(best)

    def _piecewise(self, expression: Expr) -> list:
        for value, condition in expression.args:
            if self._holds(condition):
                return self(value)
        raise NotAnalytic("no case applies")

    def _holds(self, condition) -> bool:
        """Whether a condition is true on the whole way from the rim to the origin; all its parts are decided."""
        found = holds(condition, self.sign)
        if found is None:
            raise NotAnalytic(f"{condition} cannot be decided")
        return found

    def require_closed(self, values: Sequence, expression: Expr) -> None:
        """`NotAnalytic` unless the values come back to where they began, and have no negative frequencies."""
        size = max(map(abs, values))
        if not mpmath.isfinite(size) or abs(values[-1] - values[0]) > WHOLE * size:
            raise NotAnalytic(str(expression))
        for k in (-1, -2, -3):
            if abs(fourier(values[:-1], k)) > WHOLE * size:
                raise Unresolved(str(expression))


def fourier(values: Sequence, k: int):
    """The k-th Fourier coefficient of values around a circle; for an analytic function about 0 it is c_k R^k."""
    count = len(values)
    return mp.fsum(v * mp.expjpi(-mpmath.mpf(2 * j * k) / count) for j, v in enumerate(values)) / count


@lru_cache(maxsize=1024)
def _numeric(expression: Expr) -> Callable:
    return as_function(A, expression)


@lru_cache(maxsize=4096)
def _order_of(expression: Expr, symbol: Symbol):
    """The power of the symbol with which the expression starts at 0."""
    try:
        return order_at_zero(expression, symbol)
    except UnsupportedError as reason:
        raise NotAnalytic(str(reason)) from None


_RULES: dict[type, Callable] = {
    **{function: _Circle._function for function in (*_ENTIRE, *_ENTIRE_SPECIAL)},
    **{function: _Circle._rewritten for function in _QUOTIENTS},
    **{function: _Circle._singular for function in _SINGULAR_WHERE}, sympy.gamma: _Circle._gamma,
    sympy.asin: _Circle._asin, sympy.atan: _Circle._atan, sympy.Abs: _Circle._abs,
    sympy.log: lambda walk, expression: walk.logarithm(expression.args[0]),
    sympy.sign: _Circle._sign, sympy.atan2: _Circle._angle, sympy.Heaviside: _Circle._heaviside,
    sympy.Max: _Circle._extreme, sympy.Min: _Circle._extreme, Piecewise: _Circle._piecewise,
}  # fmt: skip

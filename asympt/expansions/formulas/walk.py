"""From a formula to its series: one walk through the tree, leaves first, by `RULES` or else by Taylor's formula.

A Piecewise is the piece whose condition holds for all small y, by the sign of leading terms, and |a|, max and the like
are decided so: |y^2 - y| = y - y^2.
"""

from collections.abc import Callable
from fractions import Fraction

import sympy
from sympy import Add, Expr, Function, Integer, Mul, Piecewise, Pow, Rational, Symbol
from sympy.logic.boolalg import ITE, And, Boolean, Not, Or, false, true

from asympt.deadline import check_time
from asympt.errors import UnsupportedError
from asympt.expansions.formulas import elementary, primitives
from asympt.expansions.formulas.algebra import Algebra
from asympt.expansions.formulas.elementary import INVERSE, exp, log
from asympt.expansions.formulas.laurent import LOG, ZERO, Laurent, Refusal
from asympt.expansions.formulas.primitives import taylor
from asympt.symbols import Reserved

# ---- functions ------------------------------------------------------------------------------------


def absolute(ring: Algebra, a: Laurent) -> Laurent:
    """|a|."""
    return ring.negative(a) if ring.sign(a) < 0 else a


def sign(ring: Algebra, a: Laurent) -> Laurent:
    """The sign of a for small y."""
    return ring.constant(Integer(ring.sign(a)))


def step(ring: Algebra, a: Laurent, at_zero: Laurent) -> Laurent:
    """Heaviside's function; `at_zero` is its value at 0, where a is exactly that."""
    found = ring.sign(a)
    return at_zero if found == 0 else ring.constant(Rational(found + 1, 2))


def largest(ring: Algebra, *arguments: Laurent) -> Laurent:
    """The largest for small y."""
    return _first(ring, arguments, 1)


def smallest(ring: Algebra, *arguments: Laurent) -> Laurent:
    """The smallest for small y."""
    return _first(ring, arguments, -1)


def _first(ring: Algebra, arguments: tuple[Laurent, ...], order: int) -> Laurent:
    best = arguments[0]
    for candidate in arguments[1:]:
        if ring.sign(ring.add(candidate, ring.negative(best))) == order:
            best = candidate
    return best


def sinc(ring: Algebra, a: Laurent) -> Laurent:
    """sin(a)/a."""
    return ring.multiply(elementary.sin(ring, a), ring.power(a, INVERSE))


def _one_over(rule: Callable) -> Callable:
    return lambda ring, a: ring.power(rule(ring, a), INVERSE)


def _of_one_over(rule: Callable) -> Callable:
    return lambda ring, a: rule(ring, ring.power(a, INVERSE))


_ELEMENTARY = ("exp", "log", "sin", "cos", "sinh", "cosh", "tan", "cot", "tanh", "coth")
_PRIMITIVES = ("asin", "acos", "atan", "asinh", "acosh", "atanh", "erf", "erfc", "erfi", "gamma")
_QUOTIENTS = {"sec": elementary.cos, "csc": elementary.sin, "sech": elementary.cosh, "csch": elementary.sinh}
_OF_INVERSES = {
    "acot": primitives.atan, "acoth": primitives.atanh, "asec": primitives.acos,
    "acsc": primitives.asin, "asech": primitives.acosh, "acsch": primitives.asinh,
}  # fmt: skip

RULES: dict[type, Callable] = {
    **{getattr(sympy, name): getattr(elementary, name) for name in _ELEMENTARY},
    **{getattr(sympy, name): getattr(primitives, name) for name in _PRIMITIVES},
    **{getattr(sympy, name): _one_over(rule) for name, rule in _QUOTIENTS.items()},
    **{getattr(sympy, name): _of_one_over(rule) for name, rule in _OF_INVERSES.items()},
    **{getattr(sympy, name): rule for name, rule in primitives.INTEGRALS.items()},
    sympy.LambertW: primitives.lambert,
    sympy.Abs: absolute,
    sympy.sign: sign,
    sympy.Heaviside: step,
    sympy.Max: largest,
    sympy.Min: smallest,
    sympy.sinc: sinc,
}


Y = Reserved("y", positive=True)


class Walk:
    """expression -> its series, `symbol` having the series `leaf`; `where` completes the sentence of a refusal.

    >>> import sympy
    >>> from asympt.expansions.fields.field import Field
    >>> x, ring = Symbol("x"), Algebra(Field.of([]), width=Fraction(3))
    >>> found = Walk(ring, x, ring.monomial(1), "as x -> 0+")(x**2 * sympy.exp(x))
    >>> found.order, [float(value) for value in found.values]
    (Fraction(2, 1), [1.0, 1.0, 0.5])
    """

    def __init__(self, ring: Algebra, symbol: Symbol, leaf: Laurent, where: str):
        self.ring, self.symbol, self.where = ring, symbol, where
        self.known: dict[Expr, Laurent] = {symbol: leaf}

    def __call__(self, expression: Expr) -> Laurent:
        check_time()
        if expression not in self.known:
            try:
                self.known[expression] = self._node(expression)
            except Refusal as reason:
                sentence = f"{expression} has no power series {self.where}: {reason}"
                raise UnsupportedError(sentence.replace(str(LOG), f"log({Y})")) from None
        return self.known[expression]

    def _node(self, expression: Expr) -> Laurent:
        if self.symbol not in expression.free_symbols:
            return self.ring.constant(expression)
        if isinstance(expression, Add):
            return self._combined(self.ring.add, ZERO, expression.args)
        if isinstance(expression, Mul):
            return self._combined(self.ring.multiply, self.ring.monomial(0), expression.args)
        if isinstance(expression, Pow):
            return self._power(*expression.args)
        if isinstance(expression, Piecewise):
            return self._piece(expression)
        if expression.func in RULES:
            return RULES[expression.func](self.ring, *map(self, expression.args))
        if isinstance(expression, Function):
            return self._by_taylor(expression)
        raise Refusal(f"{type(expression).__name__} is not a function that can be expanded")

    def _combined(self, operation: Callable, start: Laurent, parts: tuple) -> Laurent:
        result = start
        for part in parts:
            result = operation(result, self(part))
        return result

    def _power(self, base: Expr, exponent: Expr) -> Laurent:
        if exponent.is_Rational:
            return self.ring.power(self(base), Fraction(int(exponent.p), int(exponent.q)))
        if self.symbol not in exponent.free_symbols:
            return self.ring.general_power(self(base), exponent)
        return exp(self.ring, self.ring.multiply(self(exponent), log(self.ring, self(base))))

    def _by_taylor(self, expression: Function) -> Laurent:
        places = [k for k, part in enumerate(expression.args) if self.symbol in part.free_symbols]
        if len(places) > 1:
            raise Refusal(f"two arguments of {expression.func.__name__} depend on {self.symbol}")
        before, after = expression.args[: places[0]], expression.args[places[0] + 1 :]
        return taylor(self.ring, lambda z: expression.func(*before, z, *after), self(expression.args[places[0]]))

    # ---- cases ----------------------------------------------------------------------------------

    def _piece(self, expression: Piecewise) -> Laurent:
        for value, condition in expression.args:
            if self._holds(condition):
                return self(value)
        raise Refusal("none of its cases applies")

    def _holds(self, condition: Boolean) -> bool:
        """Whether a condition is true for all small y."""
        if condition in (true, false):
            return bool(condition)
        if isinstance(condition, And | Or):
            return (all if isinstance(condition, And) else any)(self._holds(part) for part in condition.args)
        if isinstance(condition, Not):
            return not self._holds(condition.args[0])
        if isinstance(condition, ITE):
            return self._holds(condition.args[1 if self._holds(condition.args[0]) else 2])
        if not condition.is_Relational:
            raise Refusal(f"the condition {condition} cannot be decided")
        return bool(condition.func(Integer(self.ring.sign(self(condition.lhs - condition.rhs))), 0))

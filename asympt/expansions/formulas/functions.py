"""Which function of a formula has which rule; and the functions that a sign decides.

Problem.  A formula contains functions by SymPy's names.

Rule.  `RULES` maps SymPy's class to the rule: (algebra, series of the arguments) -> series.  sec, csc, acot, ... are
quotients of others or others of 1/a.  |a|, sign, max, min and Heaviside's step follow from the sign of a leading
term: for small y > 0 nothing else can be the case.

Tiny case.  |y^2 - y| = y - y^2, because the leading coefficient -1 is negative.

Known limits.  A sign that depends on parameters is refused.
"""

from collections.abc import Callable

import sympy
from sympy import Integer, Rational

from asympt.expansions.formulas import elementary, primitives
from asympt.expansions.formulas.algebra import Algebra
from asympt.expansions.formulas.elementary import INVERSE
from asympt.expansions.formulas.laurent import Laurent


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

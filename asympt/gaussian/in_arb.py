"""A formula as a function of Arb's numbers, an order of magnitude faster than mpmath; its radii are not used.

Problem.  A Gaussian moment to a hundred digits is thousands of values of phi, at 150 microseconds each in mpmath.

Rule.  The text that is compiled for mpmath is run on Arb's numbers, its functions being Arb's methods; numbers that
are known by a name are put in at the precision of the moment.  Where Arb lacks a function, or has no value (0/0, the
logarithm of a negative number), mpmath is asked at the midpoint.

Tiny case.  tanh(x)/3 + 1/2 at 1.

Known limits.  Nothing is enclosed: a formula that cancels loses its digits as it does in mpmath.
"""

from collections.abc import Callable
from functools import lru_cache
from operator import methodcaller

import flint
from flint import arb
from mpmath import mp
from sympy import Dummy, Expr, Symbol, default_sort_key

from asympt.balls.arithmetic import midpoint, of_mpf
from asympt.compiling import as_function
from asympt.errors import InputError, NoValueError
from asympt.gaussian.stable import stable
from asympt.numbers import to_mpf

_NAMES = (
    "exp", "log", "log1p", "sqrt", "sin", "cos", "tan", "cot", "sinh", "cosh", "tanh", "coth", "asin", "acos", "atan",
    "asinh", "acosh", "atanh", "erf", "erfc", "gamma",
)  # fmt: skip
_RULES = {name: methodcaller(name) for name in _NAMES} | {
    "sec": lambda x: 1 / x.cos(), "csc": lambda x: 1 / x.sin(), "sech": lambda x: 1 / x.cosh(),
    "csch": lambda x: 1 / x.sinh(), "stable_sech": lambda x: 1 / x.cosh(), "stable_erfc": methodcaller("erfc"),
    "stable_sigmoid": lambda x: 1 / (1 + (-x).exp()), "stable_expm1": methodcaller("expm1"),
    "stable_softplus": lambda x: (-abs(x)).exp().log1p() + x.max(arb(0)), "stable_log1p": methodcaller("log1p"),
}  # fmt: skip


def _of_integers_too(rule: Callable) -> Callable:
    """The rule for an integer in the formula as well: expm1(-1)."""
    return lambda x: rule(arb(x) if isinstance(x, int) else x)


_METHODS = {name: _of_integers_too(rule) for name, rule in _RULES.items()} | {"mpf": arb}
KEPT = 4  # precisions


def in_arb(formula: Expr, symbol: Symbol, exactly: Callable | None = None) -> Callable:
    """The formula as a function of one of Arb's numbers; `exactly`, the same in mpmath, where Arb has no value.

    >>> from sympy import Rational, tanh
    >>> x = Symbol("x", real=True)
    >>> in_arb(tanh(x) / 3 + Rational(1, 2), x)(arb(1)).str(10, radius=False)
    '0.7538647187'
    """
    shown = stable(formula)
    constants = sorted(shown.find(lambda part: part.is_number and not part.is_Rational), key=default_sort_key)
    names = [Dummy() for _ in constants]
    known = dict(zip(constants, names, strict=True))
    compiled = as_function([symbol, *names], shown.xreplace(known), [_METHODS, "mpmath"])

    @lru_cache(maxsize=KEPT)
    def numbers(bits: int) -> list[arb]:
        with mp.workprec(bits):
            return [of_mpf(to_mpf(constant)) for constant in constants]

    def value(x: arb) -> arb:
        try:
            found = arb(compiled(x, *numbers(flint.ctx.prec)))
        except NoValueError:  # 0/0
            found = arb.nan()
        except TypeError as error:  # of mpmath, for one of Arb's numbers: a function that Arb lacks
            if "cannot create mpf" not in str(error):
                raise
            found = arb.nan()
        return found if found.is_finite() or exactly is None else by_mpmath(lambda z: [exactly(z)])(x)[0]

    return value


def by_mpmath(function: Callable) -> Callable:
    """A function of one of Arb's numbers from one of an mpmath number, which gives a list; an error unless real."""

    def values(z: arb) -> list[arb]:
        with mp.workprec(flint.ctx.prec):
            x = midpoint(z)
            found = [mp.convert(value) for value in function(x)]
        if any(isinstance(value, mp.mpc) for value in found):
            raise InputError(f"the function is not real at x = {mp.nstr(x, 5)}; give a real one")
        return [of_mpf(value) if mp.isfinite(value) else arb.nan() for value in found]

    return values

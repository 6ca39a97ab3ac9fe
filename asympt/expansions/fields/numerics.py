"""The value of exact constants, and of elements of an exact ring with generic numbers for symbols, in mpmath."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from random import Random

import mpmath
import sympy
from flint import arb_series
from mpmath import mp
from mpmath.libmp import prec_to_dps
from sympy import Expr, Rational, Symbol

from asympt.balls.arithmetic import coefficients, midpoint, of_mpf, working

BLOCK = 8  # derivatives that are found together
SPARE = 40  # bits


def zeta(s, *more):
    """zeta(s), at mpmath's precision.

    >>> zeta(mpmath.mpf(2)) * 6 / mp.pi**2
    mpf('1.0')
    """
    if more or not isinstance(s := mp.convert(s), mpmath.mpf):
        return mpmath.zeta(s, *more)
    with working(mp.prec + SPARE):
        value = of_mpf(s).zeta() if mpmath.isfinite(s) else None
    return mpmath.zeta(s) if value is None or value.rel_accuracy_bits() < mp.prec else midpoint(value)


class Zeta(sympy.Function):
    """`sympy.zeta` whose digits are Arb's."""

    def _eval_evalf(self, prec: int) -> sympy.Expr | None:
        values = [argument.evalf(prec_to_dps(prec) + 2) for argument in self.args]
        if not all(value.is_Float or value.is_Integer for value in values):
            return None
        with mp.workprec(prec):
            value = zeta(*(mpmath.mpf(value) for value in values))
        return sympy.Float(value, precision=prec) if isinstance(value, mpmath.mpf) else None


def taylor_coefficient(s, k: int):
    """The k-th derivative of zeta over k!, at mpmath's precision.

    >>> mpmath.nstr(taylor_coefficient(mpmath.mpf(0), 1) / mpmath.log(2 * mp.pi), 15)
    '-0.5'
    """
    value = _block(s, k // BLOCK + 1, mp.prec)[k]
    return midpoint(value) if value.rel_accuracy_bits() >= mp.prec else mpmath.zeta(s, derivative=k) / mp.factorial(k)


@lru_cache(maxsize=64)
def _block(s, count: int, precision: int) -> list:
    """The first `count` blocks of Taylor coefficients."""
    with working(precision + SPARE + 8 * BLOCK * count, BLOCK * count):
        return coefficients(arb_series([of_mpf(s), 1], prec=BLOCK * count).zeta(), BLOCK * count)


def number(expression: Expr, values: dict | None = None):
    """The value of an expression at mpmath's precision, complex if need be, nan when it has none.

    >>> from sympy import sqrt
    >>> number(sqrt(2)), number(Symbol("x") - 1, {Symbol("x"): 3})
    (mpf('1.4142135623730951'), mpf('2.0'))
    """
    expression = expression.replace(sympy.zeta, Zeta) if expression.has(sympy.zeta) else expression
    value = expression.evalf(mp.dps + 10, subs=values, maxn=3 * mp.dps + 100)
    real, imaginary = (_to_mpf(part) for part in value.as_real_imag())
    return mpmath.mpc(real, imaginary) if imaginary else +real


def _to_mpf(part: Expr):
    return mpmath.mpf(part._mpf_) if part.is_Float else mpmath.mpf(int(part)) if part.is_Integer else mpmath.nan


def generic_values(symbols: Iterable[Symbol]) -> dict[Symbol, Rational]:
    """A number for each symbol, between 0.1 and 1 (below 0 or whole if the symbol must be), always the same ones.

    >>> 0 < generic_values([Symbol("a")])[Symbol("a")] < 1
    True
    """
    return {symbol: _generic(symbol) for symbol in symbols}


def _generic(symbol: Symbol) -> Rational:
    chosen = Random(symbol.name).randint(10**6, 10**7)
    size = Rational(chosen % 7 + 2) if symbol.is_integer else Rational(chosen, 10**7)
    return -size if symbol.is_nonpositive else size


class Evaluator:
    """element of the domain -> its value at mpmath's present precision, for given values of the symbols.

    >>> from sympy import pi, sqrt
    >>> from asympt.expansions.fields.field import Field
    >>> field = Field.of([pi, sqrt(2)])
    >>> value = Evaluator(field.domain, {})
    >>> [mpmath.nstr(f(field.enter([pi - sqrt(2)])[0]), 10) for f in (value, value.size)]
    ['1.727379091', '4.555806216']
    """

    def __init__(self, domain, values: dict):
        self.domain = domain
        symbols, self.ground = (domain.symbols, domain.domain) if domain.is_Composite else ((), domain)
        self.generators = [number(symbol.xreplace(values)) for symbol in symbols]
        self.root = number(self.ground.ext.as_expr()) if self.ground.is_Algebraic else None

    def __call__(self, element):
        if not self.generators:
            return self._ground(element)
        if self.domain.is_FractionField:
            return self.polynomial(element.numer) / self.polynomial(element.denom)
        return self.polynomial(element)

    def polynomial(self, polynomial):
        """The value of a polynomial in the generators."""
        return mpmath.fsum(self._term(*term) for term in polynomial.terms())

    def size(self, polynomial):
        """The sum of the sizes of its terms: what its value is small in comparison with."""
        return mpmath.fsum(abs(self._term(*term)) for term in polynomial.terms())

    def _term(self, exponents: Sequence[int], coefficient):
        factors = [g**e for g, e in zip(self.generators, exponents, strict=True) if e]
        return mpmath.fprod([self._ground(coefficient), *factors])

    def _ground(self, element):
        if self.root is not None:
            return mpmath.polyval([_fraction(c) for c in element.to_list()] or [0], self.root)
        return _fraction(element)


def generic_evaluator(domain) -> Evaluator:
    """At the present precision, with generic values of the symbols."""
    return _generic_evaluator(domain, mp.prec)


@lru_cache(maxsize=256)
def _generic_evaluator(domain, precision: int) -> Evaluator:
    symbols = domain.symbols if domain.is_Composite else ()
    return Evaluator(domain, generic_values(set().union(*(g.free_symbols for g in symbols))))


def _fraction(rational):
    return mpmath.mpf(int(rational.numerator)) / int(rational.denominator)

"""Decisions about elements of an exact ring: whether they vanish, and their sign.

In a ring with generators such as sin(1) and cos(1) an element can be zero although its normal form is not.  A value of
60 digits that is clearly not zero decides; else exact algebra must prove that it is zero, or nobody decides.  Symbols
stand for generic numbers: a - 1 counts as not zero.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from random import Random

import mpmath
import sympy
from flint import arb_series
from mpmath import mp
from mpmath.libmp import prec_to_dps
from sympy import EX, Dummy, Expr, Rational, Symbol, cos, cosh, cot, exp, expand, gcd, log, logcombine, sin, sinh, tan
from sympy.functions.elementary.hyperbolic import HyperbolicFunction
from sympy.functions.elementary.trigonometric import TrigonometricFunction
from sympy.polys.polyerrors import CoercionFailed

from asympt.balls.arithmetic import coefficients, midpoint, of_mpf, working
from asympt.errors import UnsupportedError
from asympt.expansions.fields.field import Field, factors

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


DIGITS = 60
LARGE = 10_000  # in exp, sinh, ...
TINY = mpmath.mpf(10) ** -45  # of the size of the terms: below it a value of 60 digits may be zero


def is_zero(field: Field, element, vanishing: Sequence[Expr] = ()) -> bool:
    """Whether an element is zero; `vanishing` are constants known to be 0, though no simplification shows it."""
    if not element:
        return True
    if not field.domain.is_Composite or _independent(field.domain.symbols) or not _may_vanish(field, element):
        return False
    if _reduces_to_zero(field, element, vanishing) or vanishes(_numerator(field, element).as_expr()):
        return True
    text = str(field.leave(element))
    shown = text if len(text) < 100 else f"{text[:97]}..."
    raise UnsupportedError(
        f"whether {shown} is zero cannot be decided: its first {DIGITS} digits vanish and no "
        "simplification shows that it does; write the map with other constants"
    )


def sign(field: Field, element) -> int | None:
    """+1 or -1, or None when it depends on parameters; the element is known not to be zero.

    >>> a, p = Symbol("a"), Symbol("p", positive=True)
    >>> field = Field.of([a, p])
    >>> [sign(field, e) for e in field.enter([a, 2 * p, -3])]
    [None, 1, -1]
    """
    expression = field.leave(element)
    if expression.free_symbols:
        return 1 if expression.is_positive else -1 if expression.is_negative else None
    with mp.workdps(DIGITS):
        value = generic_evaluator(field.domain)(element)
    return None if isinstance(value, mpmath.mpc) else 1 if value > 0 else -1


@lru_cache(maxsize=256)
def _independent(generators: tuple) -> bool:
    """Symbols, and at most one number that is known to be transcendental."""
    numbers = [factors(g)[0][0] for g in generators if not isinstance(g, Symbol)]
    return not numbers or (len(numbers) == 1 and numbers[0].is_number and numbers[0].is_transcendental is True)


def _may_vanish(field: Field, element) -> bool:
    top = _numerator(field, element)
    with mp.workdps(DIGITS):
        evaluate = generic_evaluator(field.domain)
        clear = all(abs(g) > TINY for g in evaluate.generators)  # not so for nan, where SymPy finds no value
        return not (clear and abs(evaluate.polynomial(top)) > TINY * evaluate.size(top))


def _numerator(field: Field, element):
    return element.numer if field.domain.is_FractionField else element


def _reduces_to_zero(field: Field, element, vanishing: Sequence[Expr]) -> bool:
    """Whether division by constants that vanish leaves nothing of the numerator."""
    top, circles, known = _numerator(field, element), _circles(field.domain), _relations(field, vanishing)
    return any(not top.rem(relations) for relations in (circles, known, [*circles, *known]) if relations)


def _circles(domain) -> list:
    """s^2 + c^2 - 1 for every pair of generators sin(a), cos(a), and s^2 - c^2 + 1 for sinh(a), cosh(a)."""
    own = domain.field.ring.gens if domain.is_FractionField else domain.gens
    generators = dict(zip(domain.symbols, own, strict=True))
    found = []
    for name, other, square in ((sin, cos, 1), (sinh, cosh, -1)):
        for symbol, s in generators.items():
            if isinstance(symbol, name) and other(*symbol.args) in generators:
                c = generators[other(*symbol.args)]
                found.append(s**2 + square * (c**2 - 1))
    return found


def _relations(field: Field, vanishing: Sequence[Expr]) -> list:
    """The numerators of constants that vanish, as far as the field can read them."""
    found = []
    for zero in vanishing:
        try:
            found.append(_numerator(field, field.enter([zero])[0]))
        except CoercionFailed:
            continue
    return [relation for relation in found if relation]


def vanishes(expression: Expr) -> bool:
    """Whether exact algebra shows that an expression is 0; False says that it does not, not that it is another number.

    >>> from sympy import log, sqrt
    >>> x = Symbol("x")
    >>> [vanishes(e) for e in (sqrt(3 + 2 * sqrt(2)) - 1 - sqrt(2), log(12) - log(3) - 2 * log(2), sin(2 * x) - sin(x))]
    [True, True, False]
    """
    return expand(expression) == 0 or any(map(_is_zero_in_its_field, _forms(expression)))


def _forms(expression: Expr) -> Iterator[Expr]:
    """The expression, and with one logarithm for several, in sines and cosines of single angles, in exponentials."""
    yield expression
    if expression.has(log):
        yield logcombine(expression).replace(log, lambda a: log(expand(a)))
    if expression.has(TrigonometricFunction):
        yield _in_one_angle(expression.replace(tan, lambda a: sin(a) / cos(a)).replace(cot, lambda a: cos(a) / sin(a)))
    if expression.has(HyperbolicFunction) and _is_moderate(expression):
        yield expression.rewrite(HyperbolicFunction, exp)


def _in_one_angle(expression: Expr) -> Expr:
    """Sines and cosines of sums and multiples taken apart; all rational angles are multiples of one."""
    waves, angle = expression.atoms(sin, cos), Dummy("angle")
    unit = gcd([wave.args[0] for wave in waves if wave.args[0].is_Rational] or [1])
    named = {wave: wave.func(wave.args[0] / unit * angle) for wave in waves if wave.args[0].is_Rational}
    return expand(expression.xreplace(named), trig=True).xreplace({angle: unit})


def _is_zero_in_its_field(expression: Expr) -> bool:
    """In the smallest field that holds it, up to sin^2 + cos^2 = 1."""
    field = Field.of([expression])
    if field.domain is EX:
        return False
    element = field.enter([expression])[0]
    return not element or (field.domain.is_Composite and _reduces_to_zero(field, element, ()))


def _is_moderate(expression: Expr) -> bool:
    """Whether SymPy may be given it: looking for a name of cosh(10^9), it writes down as many digits as that has."""
    sizes = [abs(f.args[0]) for f in expression.atoms(exp, HyperbolicFunction) if f.args[0].is_number]
    return all(bool(size < LARGE) for size in sizes)

"""Decisions about elements of an exact ring: whether they vanish, and their sign.

In a ring with generators such as sin(1) and cos(1) an element can be zero although its normal form is not.  A value of
60 digits, with generic numbers for the symbols, that is clearly not zero decides; else a division by constants that
vanish, or `vanishes`, exact algebra alone, must prove that it is zero, or nobody decides: `UnsupportedError`.

Known limits.  Symbols stand for generic numbers: a - 1 counts as not zero.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache

import mpmath
from mpmath import mp
from sympy import EX, Dummy, Expr, Symbol, cos, cosh, cot, exp, expand, gcd, log, logcombine, sin, sinh, tan
from sympy.functions.elementary.hyperbolic import HyperbolicFunction
from sympy.functions.elementary.trigonometric import TrigonometricFunction
from sympy.polys.polyerrors import CoercionFailed

from asympt.errors import UnsupportedError
from asympt.expansions.fields.field import Field, factors
from asympt.expansions.fields.numerics import generic_evaluator

DIGITS = 60
LARGE = 10_000  # in exp, sinh, ...
TINY = mpmath.mpf(10) ** -45  # of the size of the terms: below it a value of 60 digits may be zero


def is_zero(field: Field, element, vanishing: Sequence[Expr] = ()) -> bool:
    """Whether an element is zero; `vanishing` are constants known to be 0, though no simplification shows it.

    >>> from sympy import cos, sin
    >>> field = Field.of([sin(1), cos(1)])
    >>> [is_zero(field, e) for e in field.enter([sin(1)**2 + cos(1)**2 - 1, sin(1) - cos(1), 0])]
    [True, False, True]
    """
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

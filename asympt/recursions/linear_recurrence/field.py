"""Coefficients of layered recursions: exact ones with parameters and constants, or mpmath numbers.

Problem.  The elimination divides by pivots such as alpha + s and must know which numbers are zero.

Rule.  Rational numbers live in QQ, algebraic numbers in QQ(sqrt(2), ...), everything with parameters in the fraction
field QQ(alpha, c, pi, ...), in which every other constant or function of the parameters is a generator of its own.
Zero in such a field is zero; the converse fails when generators are related (sqrt(2)^2 = 2), so there an element
that is not zero is expanded and then evaluated, and one that cannot be told from zero is refused.

Tiny case.  1/(alpha + pi) lies in QQ(alpha, pi); sqrt(2) alone lies in QQ<sqrt(2)>.

Known limits.  Real coefficients only.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

import mpmath
from sympy import QQ, Dummy, Expr, Integer, Mul, Pow, Rational, expand
from sympy.polys.fields import FracElement
from sympy.polys.polyerrors import CoercionFailed

from asympt.errors import InputError, UnsupportedError
from asympt.numbers import to_mpf
from asympt.reading import as_sympy

FACTORED = 60  # polynomials with more terms are printed expanded: factoring them is slow and does not help a reader
DIGITS = 60


@dataclass(frozen=True, eq=False)
class ExactField:
    """A field of exact coefficients, and the way there and back.

    >>> from sympy import Symbol
    >>> field = ExactField.of([Symbol("a") + 1])
    >>> print(field.leave(field.enter(Symbol("a")) / field.enter(Symbol("a") + 1)))
    a/(a + 1)
    """

    domain: object
    names: dict = field(default_factory=dict)
    related: bool = False

    @classmethod
    def of(cls, expressions: Iterable[Expr]) -> "ExactField":
        """The smallest of these fields that holds every expression."""
        generators = sorted(set().union(*(_generators(as_sympy(e)) for e in expressions)), key=str)
        if not generators:
            return cls(QQ)
        if all(_is_algebraic(g) for g in generators):
            return cls(QQ.algebraic_field(*generators))
        names = {g: g if g.is_Symbol else Dummy(f"g{i}") for i, g in enumerate(generators)}
        return cls(QQ.frac_field(*names.values()), names, _related(generators))

    def polynomials(self, expressions: Iterable[Expr]) -> "ExactField":
        """The ring of polynomials in the same generators when it holds every expression, else the field itself.

        It divides by rational numbers only, and never needs a gcd: much faster where that is enough.
        """
        if not self.names:
            return self
        ring = ExactField(QQ[tuple(self.names.values())], self.names, self.related)
        try:
            for expression in expressions:
                ring.enter(expression)
        except CoercionFailed:
            return self
        return ring

    def enter(self, expression) -> object:
        """A SymPy expression as an element."""
        expression = as_sympy(expression)
        if self.names:
            expression = expression.xreplace(self.names)
        return self.domain.from_sympy(expression)

    def rational(self, number: Fraction) -> object:
        """A rational number, for sums and products with elements."""
        rational = QQ(number.numerator, number.denominator)
        return rational if self.names else self.domain.convert(rational, QQ)

    def scale(self, element, rational) -> object:
        """An element times a rational number; in a fraction field without looking for common factors."""
        if isinstance(element, FracElement):
            return element.raw_new(element.numer * rational, element.denom)
        return element * rational

    def leave(self, element) -> Expr:
        """An element as a SymPy expression, in factors when they are short."""
        if not self.names:
            return self.domain.to_sympy(element)
        if not isinstance(element, FracElement):
            return self._back(_factored(element))
        return self._back(_factored(element.numer) / _factored(element.denom))

    def is_zero(self, element) -> bool:
        """Whether an element is zero; `UnsupportedError` when numbers say yes and no proof is at hand."""
        if not element:
            return True
        return self.related and self._vanishes(element)

    def _back(self, expression: Expr) -> Expr:
        return expression.xreplace({name: generator for generator, name in self.names.items()})

    def _vanishes(self, element) -> bool:
        numerator = element.numer if isinstance(element, FracElement) else element
        value = expand(self._back(numerator.as_expr()))
        if value == 0:
            return True
        parameters = sorted(value.free_symbols, key=str)
        sample = {s: Rational(7919 + 104729 * i, 6007 + 4001 * i) for i, s in enumerate(parameters)}
        size = sum((abs(term.subs(sample).evalf(DIGITS)) for term in value.as_ordered_terms()), Integer(0))
        if abs(value.subs(sample).evalf(DIGITS)) > size * Rational(1, 10 ** (DIGITS // 2)):
            return False
        raise UnsupportedError(
            f"whether {value} is zero cannot be decided; write the coefficients with fewer different constants"
        )


class NumberField:
    """The same interface over mpmath numbers at the current precision; nothing but an exact 0 counts as zero."""

    def enter(self, expression):
        """A SymPy number as an mpmath number."""
        return to_mpf(as_sympy(expression))

    def rational(self, number: Fraction):
        """A rational number as an mpmath number."""
        return mpmath.mpf(number.numerator) / number.denominator

    def scale(self, element, rational):
        """An element times a rational number."""
        return element * rational

    def is_zero(self, element) -> bool:
        """Whether the number is exactly 0."""
        return not element


def _generators(expression: Expr) -> set[Expr]:
    """What the expression is a rational function of."""
    if expression.is_Rational:
        return set()
    if expression.is_Add or expression.is_Mul:
        return set().union(*(_generators(part) for part in expression.args))
    if isinstance(expression, Pow) and expression.exp.is_Integer:
        return _generators(expression.base)
    if expression.is_real is False or (expression.is_number and not expression.is_finite):
        raise InputError(f"the coefficient {expression} is not a finite real number; give real coefficients")
    return {expression}


def _is_algebraic(generator: Expr) -> bool:
    return generator.is_number and generator.is_algebraic is True


def _related(generators: list[Expr]) -> bool:
    """Whether a zero might not be seen as one: only symbols with one transcendental constant are surely unrelated."""
    others = [g for g in generators if not g.is_Symbol]
    return len(others) > 1 or any(g.free_symbols or g.is_transcendental is not True for g in others)


def _factored(polynomial) -> Expr:
    if len(polynomial) > FACTORED:
        return polynomial.as_expr()
    content, factors = polynomial.factor_list()
    ring = polynomial.ring
    return Mul(ring.domain.to_sympy(content), *(factor.as_expr() ** power for factor, power in factors))

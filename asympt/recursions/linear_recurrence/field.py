"""Coefficients of linear recurrences: exact ones with parameters and constants, or mpmath numbers.

Problem.  The elimination divides by pivots such as alpha + s and must know which numbers are zero.

Rule.  Exact coefficients are elements of a `Field`, in which `decisions` tells zeros; a `NumberField` has the same
interface over mpmath numbers.

Tiny case.  1/(alpha + pi) lies in QQ(alpha, pi); sqrt(2) alone lies in QQ<sqrt(2)>.

Known limits.  Real coefficients only.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import mpmath
from sympy import EX, QQ, Expr, Mul
from sympy.polys.fields import FracElement
from sympy.polys.rings import PolyElement

from asympt.errors import InputError, UnsupportedError
from asympt.expansions.fields.decisions import is_zero
from asympt.expansions.fields.field import Field
from asympt.numbers import to_mpf
from asympt.parsing import as_sympy

FACTORED = 60  # polynomials with more terms are printed expanded: factoring them is slow and does not help a reader


@dataclass(frozen=True, eq=False)
class ExactField:
    """A field of exact coefficients, and the way there and back.

    >>> from sympy import Symbol
    >>> field = ExactField.of([Symbol("a") + 1])
    >>> print(field.leave(field.enter(Symbol("a")) / field.enter(Symbol("a") + 1)))
    a/(a + 1)
    """

    field: Field

    @classmethod
    def of(cls, expressions: Iterable[Expr], divides: bool = True) -> "ExactField":
        """The smallest field that holds every expression; without `divides` a ring may do."""
        field = Field.of(map(_real, expressions), quick=True, divides=divides)
        if field.domain is EX:
            raise UnsupportedError("the coefficients generate too large a field; write them with fewer constants")
        return cls(field)

    def polynomials(self, expressions: Iterable[Expr]) -> "ExactField":
        """What holds these expressions without divisions, where rational numbers are all that is divided by.

        It never needs a gcd: much faster where that is enough.
        """
        return ExactField.of(expressions, divides=False)

    def enter(self, expression) -> object:
        """A SymPy expression as an element."""
        return self.field.enter([expression])[0]

    def rational(self, number: Fraction) -> object:
        """A rational number, for sums and products with elements."""
        rational = QQ(number.numerator, number.denominator)
        return rational if self.field.domain.is_Composite else self.field.domain.convert(rational, QQ)

    def scale(self, element, rational) -> object:
        """An element times a rational number; in a fraction field without looking for common factors."""
        if isinstance(element, FracElement):
            return element.raw_new(element.numer * rational, element.denom)
        return element * rational

    def leave(self, element) -> Expr:
        """An element as a SymPy expression, in factors when they are short."""
        if isinstance(element, FracElement):
            return _factored(element.numer) / _factored(element.denom)
        return _factored(element) if isinstance(element, PolyElement) else self.field.leave(element)

    def is_zero(self, element) -> bool:
        """Whether an element is zero; `UnsupportedError` when numbers say yes and no proof is at hand."""
        return is_zero(self.field, element)


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


def _real(expression: Expr) -> Expr:
    expression = as_sympy(expression)
    if expression.is_real is False or (expression.is_number and not expression.is_finite):
        raise InputError(f"the coefficient {expression} is not a finite real number; give real coefficients")
    return expression


def _factored(polynomial: PolyElement) -> Expr:
    if len(polynomial) > FACTORED:
        return polynomial.as_expr()
    content, factors = polynomial.factor_list()
    ring = polynomial.ring
    return Mul(ring.domain.to_sympy(content), *(factor.as_expr() ** power for factor, power in factors))

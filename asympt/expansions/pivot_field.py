"""Exact coefficients with symbols, where the only divisions are by pivots: fractions that never take a gcd.

Problem.  Koenigs coefficients are rational functions of the parameters whose denominators are products of pivots,
chi (1 - chi) (1 - chi^2) ...; in a field of fractions every addition would cancel common factors, which is slow
and, for many terms, beyond SymPy's heuristic gcd.

Rule.  A `Fraction` is a polynomial over a product of powers of known pivots.  Products add the exponents, sums take
the larger ones; what a division divides by is stripped of known pivots, and the rest becomes a new pivot.  Common
factors are cancelled once, on the way back to SymPy.  Numbers without symbols or transcendental constants stay in
QQ or an algebraic field.

Tiny case.  1/(1 - a) + 1/(1 - a^2):  pivots a - 1 and a + 1, and the sum is -(a + 2)/((a - 1)(a + 1)).

Known limits.  Constants such as sin(1) and cos(1) count as independent; a coefficient that vanishes by a relation
between them is found out on the way back when its value is 0 and SymPy simplifies it to 0.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from mpmath import mp
from sympy import Expr, Integer, Mul, simplify

from asympt.expansions.series import Field
from asympt.numbers import to_mpf

ZERO_DIGITS = 40
FACTORED = 12  # terms of a numerator that is worth factoring
LONG = 300  # terms of a numerator, in several generators, from which common factors are no longer taken out


class Pivots:
    """What was divided by so far: polynomials over one ring, none of them dividing another that came later."""

    def __init__(self, ring):
        self.ring = ring
        self.known = []
        self._split = {}

    def factors(self, polynomial) -> tuple[object, dict]:
        """(constant, {pivot: exponent}) of a polynomial; what is not yet known becomes a pivot."""
        exponents = {}
        for index, pivot in enumerate(self.known):
            while not polynomial.is_ground:
                quotient, rest = divmod(polynomial, pivot)
                if rest:
                    break
                polynomial, exponents[index] = quotient, exponents.get(index, 0) + 1
        constant = polynomial.LC
        if not polynomial.is_ground:
            self.known.append(polynomial.monic())
            exponents[len(self.known) - 1] = 1
        return constant, exponents

    def irreducible(self, index: int) -> tuple[object, list]:
        """(constant, the irreducible factors of a pivot with multiplicities); over algebraic numbers the pivot itself.

        A pivot is monic, its factors have whole coefficients: a - 3/2 is 1/2 times 2 a - 3.
        """
        if index not in self._split:
            pivot, domain = self.known[index], self.ring.domain
            self._split[index] = pivot.factor_list() if domain.is_QQ else (domain.one, [(pivot, 1)])
        return self._split[index]

    def product(self, exponents: Mapping):
        """The product of pivots to these powers."""
        result = self.ring.one
        for index, exponent in exponents.items():
            result = result * self.known[index] ** exponent
        return result


@dataclass(frozen=True, eq=False)
class Fraction:
    """numerator / product of pivots^exponents."""

    pivots: Pivots
    numerator: object
    exponents: dict = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.numerator)

    def __add__(self, other: "Fraction") -> "Fraction":
        other = self._coerce(other)
        if not other or not self:
            return self if self else other
        common = _larger(self.exponents, other.exponents)
        return Fraction(self.pivots, self._over(common) + other._over(common), common)

    def __mul__(self, other) -> "Fraction":
        if not isinstance(other, Fraction):
            return Fraction(self.pivots, self.numerator * other, self.exponents if other else {})
        if not self or not other:
            return Fraction(self.pivots, self.pivots.ring.zero)
        return Fraction(self.pivots, self.numerator * other.numerator, _summed(self.exponents, other.exponents))

    def __truediv__(self, other) -> "Fraction":
        if not isinstance(other, Fraction):
            return Fraction(self.pivots, self.numerator.quo_ground(self._constant(other)), self.exponents)
        if not other:
            raise ZeroDivisionError("a pivot vanishes")
        constant, exponents = self.pivots.factors(other.numerator)
        gained = self * Fraction(self.pivots, self.pivots.product(other.exponents))
        return Fraction(self.pivots, gained.numerator.quo_ground(constant), _summed(gained.exponents, exponents))

    def __neg__(self) -> "Fraction":
        return self * -1

    def __sub__(self, other) -> "Fraction":
        return self + (-self._coerce(other))

    def __rsub__(self, other) -> "Fraction":
        return self._coerce(other) - self

    def __rtruediv__(self, other) -> "Fraction":
        return self._coerce(other) / self

    __radd__ = __add__
    __rmul__ = __mul__

    def _coerce(self, other) -> "Fraction":
        return other if isinstance(other, Fraction) else Fraction(self.pivots, self.pivots.ring.one * other)

    def _constant(self, number):
        return self.pivots.ring.domain.convert(number)

    def _over(self, common: Mapping):
        """The numerator over a larger denominator."""
        missing = {i: e - self.exponents.get(i, 0) for i, e in common.items() if e > self.exponents.get(i, 0)}
        return self.numerator * self.pivots.product(missing)


def _larger(one: Mapping, two: Mapping) -> dict:
    return {i: max(one.get(i, 0), two.get(i, 0)) for i in {*one, *two}}


def _summed(one: Mapping, two: Mapping) -> dict:
    return {i: one.get(i, 0) + two.get(i, 0) for i in {*one, *two}}


class PivotField:
    """The field of given numbers, and the way there and back.

    >>> from sympy import Symbol
    >>> a = Symbol("a")
    >>> field = PivotField([a])
    >>> one, other = field.enter([a - 1, 1 - a**2])
    >>> field.leave(1 / one - 1 / other)
    (a + 2)/((a - 1)*(a + 1))
    """

    def __init__(self, coefficients: Sequence[Expr]):
        self.field = Field.of(coefficients)
        domain = self.field.domain
        self.pivots = Pivots(_ring(domain)) if domain.is_Composite else None

    def enter(self, series: Sequence[Expr]) -> list:
        """SymPy expressions as elements."""
        elements = self.field.enter(series)
        return elements if self.pivots is None else [self._fraction(element) for element in elements]

    def leave(self, element) -> Expr:
        """An element as a SymPy expression, in factors; 0 when a relation between constants makes it vanish."""
        if self.pivots is None:
            return self.field.leave(element)
        if self._vanishes(element.numerator):
            return Integer(0)
        numerator, below = element.numerator, Counter()
        for index, exponent in element.exponents.items():
            constant, factors = self.pivots.irreducible(index)
            numerator = numerator.quo_ground(constant**exponent)
            for factor, times in factors:
                below[factor] += exponent * times
        for factor in below if numerator.ring.ngens == 1 or len(numerator) <= LONG else ():
            while below[factor] and not (quotient := divmod(numerator, factor))[1]:
                numerator, below[factor] = quotient[0], below[factor] - 1
        return _written(numerator) / Mul(*(f.as_expr() ** e for f, e in below.items()))

    def _vanishes(self, numerator) -> bool:
        """Whether a relation between constants makes it 0: in value, and then after simplification."""
        if not numerator or numerator.ring.ngens == 1 or any(g.free_symbols for g in numerator.ring.symbols):
            return not numerator
        with mp.workdps(ZERO_DIGITS):
            terms = [self._size(*term) for term in numerator.terms()]
            small = abs(mp.fsum(terms)) < mp.mpf(10) ** (10 - ZERO_DIGITS) * mp.fsum(terms, absolute=True)
        return small and simplify(_factored(numerator)) == 0

    def _size(self, exponents: Sequence[int], coefficient):
        """The value of one term."""
        ring = self.pivots.ring
        powers = [to_mpf(symbol) ** e for symbol, e in zip(ring.symbols, exponents, strict=True) if e]
        return mp.fprod([to_mpf(ring.domain.to_sympy(coefficient)), *powers])

    def _fraction(self, element) -> Fraction:
        if not hasattr(element, "numer"):
            return Fraction(self.pivots, element)
        return Fraction(self.pivots, element.numer) / Fraction(self.pivots, element.denom)


def _written(numerator) -> Expr:
    """A polynomial in factors when it is short; factoring a long one is slow and does not help a reader."""
    if len(numerator) > FACTORED or not numerator.ring.domain.is_QQ:
        return numerator.as_expr()
    return _factored(numerator)


def _factored(numerator) -> Expr:
    constant, factors = numerator.factor_list()
    return numerator.ring.domain.to_sympy(constant) * Mul(*(f.as_expr() ** e for f, e in factors))


def _ring(domain):
    return domain.ring if domain.is_PolynomialRing else domain.field.ring

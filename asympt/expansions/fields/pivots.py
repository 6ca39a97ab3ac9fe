"""Exact coefficients with symbols, where the only divisions are by pivots: fractions that never take a gcd.

Koenigs coefficients have products of pivots, chi (1 - chi) (1 - chi^2) ..., below.  A `Fraction` is a polynomial over a
product of powers of known pivots; common factors are cancelled once, on the way back to SymPy.  Where a relation
between the generators is known (sin^2 + cos^2 = 1), high powers of a generator that no pivot needs are replaced by
lower ones.  A coefficient that vanishes by another relation is found out on the way back.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, reduce

from flint import fmpq, fmpq_mpoly, fmpq_mpoly_ctx
from flint.utils.flint_exceptions import DomainError
from mpmath import mp
from sympy import Expr, Function, Integer, Mul, cos, cosh, sin, sinh
from sympy.polys.polyerrors import CoercionFailed

from asympt.expansions.fields.decisions import vanishes
from asympt.expansions.fields.field import Field
from asympt.expansions.opaque import RealConstant
from asympt.numbers import to_mpf

PARTNERS = {sin: cos, cos: sin, sinh: cosh, cosh: sinh}


def identities(generators: Sequence[Expr]) -> Iterator[Expr]:
    """Expressions that vanish.

    >>> from sympy import Symbol
    >>> a = Symbol("a")
    >>> list(identities([sin(a), cos(a), a]))
    [sin(a)**2 + cos(a)**2 - 1]
    """
    bases = [generator.as_base_exp()[0] for generator in generators]
    known, seen = {**_solved(generators), **{base: base for base in bases}}, set()
    for base in bases:
        partner = PARTNERS[base.func](base.args[0]) if base.func in PARTNERS else None
        if partner in known and base not in seen:
            seen |= {base, partner}
            yield _pythagorean(base, known[partner])


def roots(generators: Sequence[Expr]) -> Iterator[tuple[int, int, Expr]]:
    """(index, q, base) of the generators that are the root base^(1/q) of a sum.

    >>> from sympy import Symbol, sqrt
    >>> a = Symbol("a")
    >>> list(roots([a, sqrt(1 + a)]))
    [(1, 2, a + 1)]
    """
    for index, generator in enumerate(generators):
        base, exponent = generator.as_base_exp()
        if base.is_Add and exponent.is_Rational and exponent.p == 1 and exponent.q > 1:
            yield index, int(exponent.q), base


def _pythagorean(base: Expr, partner: Expr) -> Expr:
    if base.func in (sin, cos):
        return base**2 + partner**2 - 1
    return (base**2 - partner**2) * (1 if base.func is cosh else -1) - 1


def _solved(generators: Sequence[Expr]) -> dict[Expr, Expr]:
    """{function of an opaque constant: what the equation of the constant makes of it}."""
    found = {}
    for constant in sorted(set().union(*(g.atoms(RealConstant) for g in generators)), key=str):
        if constant.equation is None:
            continue
        excess = constant.equation(constant).expand()
        for function in excess.atoms(Function):
            weight = excess.coeff(function)
            rest = (excess - weight * function).expand()
            if weight.is_Rational and not rest.has(function):
                found[function] = -rest / weight
    return found


ZERO_DIGITS = 40
FACTORED = 12  # terms of a numerator that is worth factoring
LONG = 300  # terms of a numerator, in several generators, from which common factors are no longer taken out
WORTH = 100  # products of coefficients, from which on FLINT is faster than SymPy


def product(one, two):
    """one * two.

    >>> from sympy import QQ, ring
    >>> R, x, y = ring("x,y", QQ)
    >>> p, q = (x + y / 3 + 1) ** 12, (x - 2 * y) ** 9
    >>> product(p, q) == p * q
    True
    """
    if len(one) * len(two) < WORTH or not one.ring.domain.is_QQ:
        return one * two
    return _from_flint(one.ring, _in_flint(one) * _in_flint(two))


def cancelled(numerator, divisor, most: int) -> tuple:
    """(numerator/divisor^times, times) with the largest times <= most for which it is a polynomial."""
    ring, whole = numerator.ring, numerator.ring.domain.is_QQ
    found, times = (_in_flint(numerator) if whole else numerator), 0
    divisor = _in_flint(divisor) if whole else divisor
    while times < most and (quotient := _quotient(found, divisor)) is not None:
        found, times = quotient, times + 1
    return (_from_flint(ring, found) if whole and times else numerator if not times else found), times


def _quotient(numerator, divisor):
    if not isinstance(numerator, fmpq_mpoly):
        found, rest = divmod(numerator, divisor)
        return None if rest else found
    try:
        return numerator / divisor
    except DomainError:
        return None


@lru_cache(maxsize=64)
def _context(count: int) -> fmpq_mpoly_ctx:
    return fmpq_mpoly_ctx.get([f"x{k}" for k in range(count)], "lex")


def _in_flint(polynomial) -> fmpq_mpoly:
    """A polynomial over the rationals (whose coefficients are FLINT's own, if SymPy computes with it)."""
    known = {m: fmpq(int(c.numerator), int(c.denominator)) for m, c in polynomial.iterterms()}
    return _context(polynomial.ring.ngens).from_dict(known)


def _from_flint(ring, polynomial: fmpq_mpoly):
    domain = ring.domain
    return ring.from_dict({tuple(map(int, m)): domain(int(c.p), int(c.q)) for m, c in polynomial.to_dict().items()})


@dataclass(frozen=True)
class Relation:
    """generator^degree = rest, in which lower powers of this generator may occur: a rule for reducing polynomials."""

    index: int
    degree: int
    rest: object

    @classmethod
    def of(cls, polynomial, kept: Collection[int]) -> "Relation | None":
        """A polynomial that vanishes, solved for the highest power of a generator.

        One of the `kept` is taken only when it disappears altogether, as xi does by sqrt(1 + xi)^2 = 1 + xi.
        """
        if polynomial.is_ground or len(polynomial.factor_list()[1]) > 1:
            return None
        for index in sorted(range(polynomial.ring.ngens), key=polynomial.degree):
            degree = polynomial.degree(index)
            leading = [(m, c) for m, c in polynomial.terms() if degree and m[index] == degree]
            if len(leading) == 1 and sum(leading[0][0]) == degree and (degree == 1 or index not in kept):
                lead, constant = leading[0]
                rest = polynomial - polynomial.ring.from_dict({lead: constant})
                return cls(index, degree, -rest.quo_ground(constant))
        return None

    def reduced(self, polynomial):
        """The polynomial with powers of the generator below the degree."""
        while any(m[self.index] >= self.degree for m in polynomial.itermonoms()):
            low, high = {}, {}
            for m, c in polynomial.iterterms():
                if m[self.index] < self.degree:
                    low[m] = c
                else:
                    high[(*m[: self.index], m[self.index] - self.degree, *m[self.index + 1 :])] = c
            ring = polynomial.ring
            polynomial = ring.from_dict(low) + product(ring.from_dict(high), self.rest)
        return polynomial


class Pivots:
    """What was divided by so far: polynomials over one ring, none of them dividing another that came later.

    `relations` hold between the generators of the ring.
    """

    def __init__(self, ring, relations: Sequence[Relation] = ()):
        self.ring, self.relations = ring, relations
        self.known = []
        self._split, self._products = {}, {(): ring.one}

    def multiplied(self, one, two):
        return self.reduced(product(one, two))

    def reduced(self, polynomial):
        """A polynomial by the relations."""
        for relation in self.relations:
            polynomial = relation.reduced(polynomial)
        return polynomial

    def factors(self, polynomial) -> tuple[object, dict]:
        """(constant, {pivot: exponent}) of a polynomial; what is not yet known becomes a pivot."""
        exponents = {}
        for index, pivot in enumerate(self.known):
            polynomial, times = cancelled(polynomial, pivot, sum(polynomial.degrees()))
            if times:
                exponents[index] = times
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
        key = tuple(sorted(exponents.items()))
        if key not in self._products:
            (index, exponent), others = key[-1], dict(key[:-1])
            last = self.known[index] ** exponent if not others else self.product({index: exponent})
            self._products[key] = self.multiplied(self.product(others), last)
        return self._products[key]


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
        numerator = self.pivots.multiplied(self.numerator, other.numerator)
        return Fraction(self.pivots, numerator, _summed(self.exponents, other.exponents))

    def summed_products(self, a: Sequence, b: Sequence) -> "Fraction":
        """This plus all a_i b_i: what has the same denominator is added first, and all is extended only once."""
        groups = {frozenset(self.exponents.items()): self.numerator}
        for one, two in zip(map(self._coerce, a), map(self._coerce, b), strict=True):
            if one and two:
                below = frozenset(_summed(one.exponents, two.exponents).items())
                part = product(one.numerator, two.numerator)
                groups[below] = groups[below] + part if below in groups else part
        parts = [Fraction(self.pivots, self.pivots.reduced(above), dict(below)) for below, above in groups.items()]
        parts = [part for part in parts if part] or parts[:1]
        common = reduce(_larger, (part.exponents for part in parts))
        above = sum((part._over(common) for part in parts), self.pivots.ring.zero)
        return Fraction(self.pivots, above, common)._without_monomials()

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

    def _without_monomials(self) -> "Fraction":
        """Common factors with pivots of one term are taken out at once: they cost nothing to find."""
        numerator, exponents = self.numerator, dict(self.exponents)
        for index, exponent in self.exponents.items():
            if numerator and len(self.pivots.known[index]) == 1:
                numerator, times = cancelled(numerator, self.pivots.known[index], exponent)
                exponents[index] = exponent - times
        return Fraction(self.pivots, numerator, {i: e for i, e in exponents.items() if e})

    def _over(self, common: Mapping):
        missing = {i: e - self.exponents.get(i, 0) for i, e in common.items() if e > self.exponents.get(i, 0)}
        return self.pivots.multiplied(self.numerator, self.pivots.product(missing)) if missing else self.numerator


def _larger(one: Mapping, two: Mapping) -> dict:
    return {i: max(one.get(i, 0), two.get(i, 0)) for i in {*one, *two}}


def _summed(one: Mapping, two: Mapping) -> dict:
    return {i: one.get(i, 0) + two.get(i, 0) for i in {*one, *two}}


class PivotField:
    """The field of given numbers, and the way there and back."""

    def __init__(self, coefficients: Sequence[Expr], pivotal: Sequence[Expr] = ()):
        """The field of these and of the `pivotal` numbers, from which the pivots are made."""
        self.field = Field.of([*coefficients, *pivotal])
        domain = self.field.domain
        self.pivots = Pivots(_ring(domain), list(self._relations(pivotal))) if domain.is_Composite else None

    def _relations(self, pivotal: Sequence[Expr]) -> Iterator[Relation]:
        """The identities between the generators that leave those of the `pivotal` numbers alone."""
        ring = _ring(self.field.domain)
        entered = self.field.enter(pivotal)
        parts = [part for e in entered for part in ((e.numer, e.denom) if hasattr(e, "numer") else (e,))]
        kept = {index for part in parts for m in part.itermonoms() for index, e in enumerate(m) if e}
        found = [(ring.zero, identity) for identity in identities(ring.symbols)]
        found += [(ring.gens[index] ** degree, -base) for index, degree, base in roots(ring.symbols)]
        for head, rest in found:
            try:
                [element] = self.field.enter([rest])
            except CoercionFailed:
                continue
            above, below = (element.numer, element.denom) if hasattr(element, "numer") else (element, ring.one)
            relation = Relation.of(head * below + above, kept)
            if relation is not None:
                kept.add(relation.index)
                yield relation

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
            numerator, times = cancelled(numerator, factor, below[factor])
            below[factor] -= times
        return _written(numerator) / Mul(*(f.as_expr() ** e for f, e in below.items()))

    def _vanishes(self, numerator) -> bool:
        """Whether a relation between constants makes it 0: in value, and then by exact algebra."""
        if not numerator or numerator.ring.ngens == 1 or any(g.free_symbols for g in numerator.ring.symbols):
            return not numerator
        with mp.workdps(ZERO_DIGITS):
            terms = [self._size(*term) for term in numerator.terms()]
            small = abs(mp.fsum(terms)) < mp.mpf(10) ** (10 - ZERO_DIGITS) * mp.fsum(terms, absolute=True)
        return small and vanishes(factored(numerator))

    def _size(self, exponents: Sequence[int], coefficient):
        ring = self.pivots.ring
        powers = [to_mpf(symbol) ** e for symbol, e in zip(ring.symbols, exponents, strict=True) if e]
        return mp.fprod([to_mpf(ring.domain.to_sympy(coefficient)), *powers])

    def _fraction(self, element) -> Fraction:
        if not hasattr(element, "numer"):
            return Fraction(self.pivots, self.pivots.reduced(element))
        above, below = (Fraction(self.pivots, self.pivots.reduced(part)) for part in (element.numer, element.denom))
        return above / below


def _written(numerator) -> Expr:
    """A polynomial in factors when it is short; factoring a long one is slow and does not help a reader."""
    if len(numerator) > FACTORED or not numerator.ring.domain.is_QQ:
        return numerator.as_expr()
    return factored(numerator)


def factored(numerator) -> Expr:
    """A polynomial over its ring's domain as the product of its factors."""
    constant, factors = numerator.factor_list()
    return numerator.ring.domain.to_sympy(constant) * Mul(*(f.as_expr() ** e for f, e in factors))


def _ring(domain):
    return domain.ring if domain.is_PolynomialRing else domain.field.ring

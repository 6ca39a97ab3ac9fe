"""Statements in letters that have definitions: identities and expansions with derivatives, means and free functions.

A side is the printed one; `where` holds the definitions of its letters, those that a definition uses after it.  Sides
may hold derivatives, integrals, and E over Gaussian letters of polynomials (`Expectation`).  A function without a
definition is any smooth one: algebra proves for all, numbers take one that is no special case.

>>> from sympy import symbols
>>> g, m, s = symbols("g m s")
>>> DefinedEquality(Expectation((m + g) ** 2, [g], [[s]]), m**2 + s).verify().verdict
'proved'
>>> Truncation(1 / (1 - s), 1 + s, s, 2).verify().verdict, Truncation(1 / (1 - s), 1 + s, s, 3).verify().verdict
('proved', 'refuted')
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise

import mpmath
from sympy import (
    Basic,
    Expr,
    Integer,
    Lambda,
    MatrixSymbol,
    Poly,
    Rational,
    Symbol,
    Tuple,
    expand,
    latex,
    log,
    sin,
    together,
)
from sympy.core.function import AppliedUndef

from asympt.claims.stated.equalities import Equality
from asympt.claims.stated.statement import StatedFormula, changes
from asympt.compiling import as_function
from asympt.evidence.check import Check

Where = tuple[tuple[Symbol, Expr], ...]
LONGEST = 200  # characters of a definition that is shown


# ---- letters ---------------------------------------------------------------------------------------------


class Letter(Symbol):
    """A letter with a LaTeX form of its own: Letter("ddT", r"\\delta\\delta\\Theta")."""

    __slots__ = ("spelled",)

    def __new__(cls, name: str, spelled: str, **assumptions):
        letter = Symbol.__xnew__(cls, name, **assumptions)
        letter.spelled = spelled
        return letter

    def __getnewargs_ex__(self):
        return ((self.name, self.spelled), self.assumptions0)

    def _hashable_content(self):
        return (*super()._hashable_content(), self.spelled)

    def _latex(self, printer) -> str:
        return self.spelled


class Expectation(Expr):
    """E of a polynomial in Gaussian letters of mean 0 with this covariance, carried out by `doit` (Isserlis).

    >>> from sympy import symbols
    >>> a, b = symbols("a b")
    >>> Expectation(a**2 * b**2, [a, b], [[1, 3], [3, 1]]).doit()
    19
    """

    def __new__(cls, inside: Expr, letters, covariance):
        return Expr.__new__(cls, inside, Tuple(*letters), Tuple(*(Tuple(*row) for row in covariance)))

    def doit(self, **hints) -> Expr:
        """The mean, every power of the letters by its moment."""
        inside, letters, covariance = self.args
        known: dict[tuple, Expr] = {(0,) * len(letters): Integer(1)}
        terms = Poly(expand(inside.doit()), *letters).terms()
        return expand(sum(factor * _moment(powers, covariance, known) for powers, factor in terms))

    def _latex(self, printer) -> str:
        return rf"\mathbb E\left[{printer.doprint(self.args[0])}\right]"

    def _sympystr(self, printer) -> str:
        return f"E[{printer.doprint(self.args[0])}]"


def _moment(powers: tuple, covariance, known: dict) -> Expr:
    """E of a product of powers: E[x r] = sum over the letters y of r of Cov(x, y) E[dr/dy]."""
    if powers not in known:
        first = next(k for k, power in enumerate(powers) if power)
        rest = tuple(power - (k == first) for k, power in enumerate(powers))
        lower = [(k, tuple(p - (j == k) for j, p in enumerate(rest))) for k, power in enumerate(rest) if power]
        known[powers] = sum((covariance[first][k] * rest[k] * _moment(left, covariance, known) for k, left in lower),
                            Integer(0))  # fmt: skip
    return known[powers]


def put(formula: Expr, where: Where) -> Expr:
    """The formula with the definitions of its letters, and carried out.

    >>> from sympy import Derivative, symbols
    >>> a, b, x = symbols("a b x")
    >>> put(Derivative(a, x), ((a, b**2), (b, x + 1)))
    2*x + 2
    """
    for letter, value in where:
        formula = formula.xreplace({letter: value})
    return formula.doit()


def _for_one_function(rest: Expr) -> Check:
    """A difference with a smooth function in the place of each that is free, at one point."""
    u, letters = Symbol("u"), sorted(rest.free_symbols, key=str)
    for k, function in enumerate(sorted({part.func for part in rest.atoms(AppliedUndef)}, key=str)):
        rest = rest.replace(function, Lambda(u, sin(u + k + 1) + u**2 / 3))
    point = [mpmath.mpf(7 * k % 10 + 1) / 8 for k in range(len(letters))]
    found = as_function(letters, rest.doit())(*point)
    return Check.measured("|left - right| at one point, sin(u + 1) + u^2/3 for the free function", abs(found), 1e-9)


def swapped(formula: Expr) -> Iterator[Expr]:
    """The formula with two neighbouring letters exchanged, where that makes another one: a wrong index.

    >>> from sympy import symbols
    >>> [str(changed) for changed in swapped(symbols("a") / symbols("b"))]
    ['b/a']
    """
    letters = sorted(formula.free_symbols, key=str)
    for one, two in list(pairwise(letters))[:3]:
        other = formula.xreplace({one: two, two: one})
        if expand(other - formula) != 0:
            yield other


def with_definitions(main: str, where: Where, *sides: Basic) -> str:
    """A formula in LaTeX and the definitions of the letters in its sides, those that fill a line of their own left out.

    >>> from sympy import symbols
    >>> a, b, c = symbols("a b c")
    >>> with_definitions("a=1", ((a, b), (b, c**2), (c, 3)), a)
    'a=1,\\\\ a=b,\\\\ b=c^{2},\\\\ c=3'
    >>> with_definitions("b=1", ((a, b), (b, 2)), b)
    'b=1,\\\\ b=2'
    """
    used, told = set().union(*(side.atoms(Symbol, MatrixSymbol) for side in sides)), []
    for letter, value in where:
        if letter in used:
            used |= Tuple(value).atoms(Symbol, MatrixSymbol)
            told.append(rf"{latex(letter)}={latex(value)}")
    return "".join((main, *(rf",\ {one}" for one in told if len(one) <= LONGEST)))


# ---- forms -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class DefinedEquality(StatedFormula):
    """left = right for all values of the letters; `ranges` and `true` as for an equality."""

    left: Expr
    right: Expr
    where: Where = ()
    ranges: dict[str, tuple[Expr, Expr]] = field(default_factory=dict)
    true: Expr | None = None

    @property
    def latex(self) -> str:
        return with_definitions(f"{latex(self.left)}={latex(self.right)}", self.where, self.left, self.right)

    @property
    def plain(self) -> str:
        return f"{self.left} = {self.right}"

    def checks(self) -> tuple[Check, ...]:
        one, two = put(self.left, self.where), put(self.right, self.where)
        rest = expand(one - two)
        if rest == 0:
            return (Check("left - right, expanded", 0, 0, True, "proved"),)
        if rest.has(AppliedUndef):
            return (_for_one_function(rest),)
        letters = tuple(sorted(one.free_symbols | two.free_symbols, key=str))
        return Equality(one, two, letters, self.ranges).checks()

    def corrected(self) -> "DefinedEquality | None":
        return None if self.true is None else replace(self, right=self.true)

    def mutated(self) -> Iterator["DefinedEquality"]:
        for side in (*changes(self.right), *swapped(self.right)):
            yield replace(self, right=side)


@dataclass(frozen=True)
class Truncation(StatedFormula):
    """left = right + O(variable^order) as the variable tends to 0; `true`, the statement put right."""

    left: Expr
    right: Expr
    variable: Symbol
    order: int
    where: Where = ()
    true: "Truncation | None" = None

    @property
    def latex(self) -> str:
        rest = latex(self.variable**self.order)
        main = rf"{latex(self.left)}={latex(self.right)}+O\left({rest}\right)"
        return with_definitions(main, self.where, self.left, self.right)

    @property
    def plain(self) -> str:
        return f"{self.left} = {self.right} + O({self.variable**self.order})"

    def checks(self) -> tuple[Check, ...]:
        first, size = self._first(together(put(self.left, self.where) - put(self.right, self.where)))
        small = first == 0 or size >= self.order
        shown = 0 if first == 0 else first * self.variable**size
        name = f"first term of left - right as {self.variable} -> 0"
        exact = Check(name, str(shown), f"O({self.variable**self.order})", small, "proved")
        return (exact,) if small else (exact, *self._numbers())

    def _numbers(self) -> tuple[Check, ...]:
        """The power of the variable in left - right from two of its values; none for free functions."""
        rest = put(self.left, self.where) - put(self.right, self.where)
        if rest.has(AppliedUndef):
            return ()
        letters = sorted(rest.free_symbols - {self.variable}, key=str)
        point = {letter: Rational(7 * k + 9, 8) for k, letter in enumerate(letters)}
        near, far = (abs(rest.subs({**point, self.variable: Rational(1, 10**k)}).evalf(60)) for k in (5, 10))
        power = log(near / far, 10).evalf(8) / 5
        name = f"power of {self.variable} in left - right, at 10^-5 and 10^-10"
        return (Check(name, f"{power:.4g}", f">= {self.order}", bool(power > self.order - Rational(1, 2))),)

    def _first(self, rest: Expr) -> tuple[Expr, int]:
        """(coefficient, power) of the first term of a quotient of polynomials, or of a Taylor series to `order`."""
        above, below = (expand(part) for part in rest.as_numer_denom())
        if above == 0:
            return Integer(0), 0
        if all(part.is_polynomial(self.variable) for part in (above, below)):
            (top, one), (bottom, two) = (_lowest(part, self.variable) for part in (above, below))
            return (one / two).factor(), top - bottom
        for power in range(self.order):
            value = expand(rest.diff(self.variable, power).subs(self.variable, 0).doit())
            if value != 0:
                return value, power
        return Integer(0), 0

    def corrected(self) -> "Truncation | None":
        return self.true

    def mutated(self) -> Iterator["Truncation"]:
        for side in (*changes(self.right), *swapped(self.right)):
            yield replace(self, right=side)


def _lowest(polynomial: Expr, variable: Symbol) -> tuple[int, Expr]:
    """The lowest power and its coefficient."""
    terms = Poly(polynomial, variable).terms()
    (power,), coefficient = min(terms, key=lambda term: term[0])
    return power, coefficient

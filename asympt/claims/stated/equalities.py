"""Statements with a sign of equality: identities, expansions, solutions of recursions and of differential equations.

Numbers first: both sides at `POINTS` points, to `DIGITS` digits; where they differ, and a ball of the difference there
says so too, or the exact difference, the statement is refuted.  Then algebra: a difference that simplifies to 0
(within `SIMPLIFYING` seconds) proves.  A solution is its first value and one step, or its derivative, as identities.

A side is the printed one; `where` holds the definitions of its letters, those that a definition uses after it.  Sides
may hold derivatives, integrals, and E over Gaussian letters of polynomials (`Expectation`).  A function without a
definition is any smooth one: algebra proves for all, numbers take one that is no special case.

>>> from sympy import cos, symbols
>>> x, (g, m, s) = Symbol("x", real=True), symbols("g m s")
>>> Equality(sin(2 * x), 2 * sin(x) * cos(x)).verify().verdict, Equality(sin(2 * x), sin(x) * cos(x)).verify().verdict
('proved', 'refuted')
>>> Equality(Expectation((m + g) ** 2, [g], [[s]]), m**2 + s).verify().verdict
'proved'
>>> Truncation(1 / (1 - s), 1 + s, s, 2).verify().verdict, Truncation(1 / (1 - s), 1 + s, s, 3).verify().verdict
('proved', 'refuted')
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import ClassVar

import mpmath
import sympy
from mpmath import mp
from sympy import Derivative, Expr, Integer, Matrix, Poly, Rational, Symbol, Tuple, expand, latex, simplify, sin
from sympy.core.function import AppliedUndef

from asympt.claims.stated import statement
from asympt.claims.stated.statement import CLOSE, DIGITS, NUMBERS, POINTS, StatedFormula, in_balls, vanish
from asympt.compiling import as_function
from asympt.deadline import limited
from asympt.errors import AsymptError, OverrunError
from asympt.evidence.check import Check, undecided
from asympt.numbers import to_mpf

SHOWING, WIDTH = 2.0, 90  # seconds for the difference that is shown, and its characters
Where = tuple[tuple[Symbol, Expr], ...]
LONGEST = 200  # characters of a definition that is shown


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
    """E of a polynomial in Gaussian letters of mean 0 with this covariance, carried out by `doit` (Isserlis)."""

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
        lower = [(k, tuple(p - (j == k) for j, p in enumerate(rest))) for k, power in enumerate(rest)
                 if power and covariance[first][k] != 0]  # fmt: skip
        known[powers] = sum((covariance[first][k] * rest[k] * _moment(left, covariance, known) for k, left in lower),
                            Integer(0))  # fmt: skip
    return known[powers]


def put(formula: Expr, where: Where) -> Expr:
    """The formula with the definitions of its letters, and carried out."""
    for letter, value in where:
        formula = formula.xreplace({letter: value})
    return formula.doit()


def _given_functions(rest: Expr) -> Expr:
    """A smooth function in the place of each that is free."""
    u = Symbol("u")
    for k, function in enumerate(sorted({part.func for part in rest.atoms(AppliedUndef)}, key=str)):
        rest = rest.replace(function, sympy.Lambda(u, sin(u + k + 1) + u**2 / 3))
    return rest.doit()


def _for_one_function(rest: Expr) -> tuple[Check, ...]:
    """A difference with a smooth function in the place of each that is free, at one point; where it is not 0 a ball."""
    rest = _given_functions(rest)
    letters = sorted(rest.free_symbols, key=str)
    point = [Rational(7 * k % 10 + 1, 8) for k in range(len(letters))]
    found = as_function(letters, rest)(*map(to_mpf, point))
    name = "|left - right| at one point, sin(u + 1) + u^2/3 for the free function"
    numbers = replace(Check.measured(name, abs(found), 1e-9), route=NUMBERS)
    there = rest.subs(dict(zip(letters, point, strict=True)))
    return (numbers,) if numbers.passed else (numbers, *in_balls("left minus right", [there]))


def with_definitions(main: str, where: Where, *sides: sympy.Basic) -> str:
    """A formula in LaTeX and the definitions of the letters in its sides, those that fill a line of their own left out.

    >>> from sympy import symbols
    >>> a, b, c = symbols("a b c")
    >>> with_definitions("a=1", ((a, b), (b, c**2), (c, 3)), a)
    'a=1,\\\\ a=b,\\\\ b=c^{2},\\\\ c=3'
    >>> with_definitions("b=1", ((a, b), (b, 2)), b)
    'b=1,\\\\ b=2'
    """
    used, told = set().union(*(side.atoms(Symbol, sympy.MatrixSymbol) for side in sides)), []
    for letter, value in where:
        if letter in used:
            used |= Tuple(value).atoms(Symbol, sympy.MatrixSymbol)
            told.append(rf"{latex(letter)}={latex(value)}")
    return "".join((main, *(rf",\ {one}" for one in told if len(one) <= LONGEST)))


OPEN = (Derivative, sympy.Integral, sympy.Determinant, Expectation, AppliedUndef)  # what is to be carried out


class TwoSides(StatedFormula):
    """left = right, with the definitions `where` of letters; `name`: the left side in LaTeX, where it is computed."""

    name = ""

    @property
    def latex(self) -> str:
        main = f"{self.name or latex(self.left)}={latex(self.right)}"
        return with_definitions(main, self.where, self.left, self.right)

    @property
    def plain(self) -> str:
        return f"{self.name or self.left} = {self.right}"


@dataclass(frozen=True)
class Equality(TwoSides):
    """left = right for all values of their letters; `ranges`, where each is taken (text of a symbol: two numbers).

    Both sides are expressions, or matrices of one shape.  `where`: definitions of letters; `true`: what stands on the
    right when it is put right; `name`: the left side in LaTeX, where it is computed and stands in no print; it is then
    what is true.
    """

    left: Expr | Matrix
    right: Expr | Matrix
    where: Where = ()
    ranges: dict[str, tuple[Expr, Expr]] = field(default_factory=dict)
    true: Expr | Matrix | None = None
    name: str = ""

    @property
    def is_open(self) -> bool:
        """Whether something is still to be put in or carried out."""
        return bool(self.where) or any(side.has(*OPEN) for side in (self.left, self.right))

    def checks(self) -> tuple[Check, ...]:
        if not self.is_open:
            return self._in_numbers()
        one, two = put(self.left, self.where), put(self.right, self.where)
        rest = expand(one - two)
        if rest == 0:
            return (Check("left minus right, expanded", 0, 0, True, "proved"),)
        if rest.has(AppliedUndef):
            return _for_one_function(rest)
        return replace(self, left=one, right=two)._in_numbers()

    def _in_numbers(self) -> tuple[Check, ...]:
        name = "largest |left - right| over |left| + |right|"
        try:
            with limited("the two sides in numbers", statement.SIMPLIFYING):
                worst, points = self._worst()
        except OverrunError as error:
            return (undecided(name, "no numbers in time", "-", str(error)),)
        name, where = name + (f" at {POINTS} points" if points[0] else ""), points[0]
        digits = f"{DIGITS} digits; largest at {statement.point_in_words(where)}" if where else f"{DIGITS} digits"
        if worst == mpmath.inf:
            return (undecided(name, "a side has no real value there; give ranges where both have one", "-", digits),)
        numbers = Check.measured(name, worst, CLOSE, digits)
        if numbers.passed and vanish(one - two for one, two in self._entries()):
            return (Check("left minus right, simplified", 0, 0, True, "proved"), replace(numbers, strength="proved"))
        seen = points if numbers.passed else points[:1]  # a ball sees a difference far below these digits
        gaps = ((one - two).xreplace(point) for point in seen for one, two in self._entries())
        against = in_balls("left minus right", gaps)
        if numbers.passed:
            return (*self._difference(), *against) if against else (numbers,)
        return (*self._difference(), replace(numbers, route=NUMBERS), *against)

    def _worst(self) -> tuple:
        """The largest deviation and its point, before other points; a number that balls can hold before no real one."""
        found, spread = [], statement.spread(self.left.free_symbols | self.right.free_symbols, self.ranges)
        with mp.workdps(DIGITS):
            for point in (*reversed(spread), *statement.special_points(spread, sum(self._entries(), ()), self.ranges)):
                apart = (_apart(statement.value_at(one, point), statement.value_at(two, point), point in spread)
                         for one, two in self._entries())  # x x^n at x = 0 and n = -1 has no value, by `subs` 1
                found.append((max(apart), point))
        worst, where = max(found, key=lambda pair: (CLOSE < pair[0] < mpmath.inf, pair[0]))
        return worst, [where, *spread]

    def _entries(self) -> list[tuple[Expr, Expr]]:
        """Both sides, entry by entry."""
        sides = [list(side) if isinstance(side, sympy.MatrixBase) else [side] for side in (self.left, self.right)]
        return list(zip(*sides, strict=True))

    def _difference(self) -> tuple[Check, ...]:
        """By what exactly the sides differ, where that is soon found and short; of matrices, the first such entry."""
        one, two = next(((one, two) for one, two in self._entries() if one != two), (Integer(0), Integer(0)))
        try:
            with limited("simplifying the difference of the two sides", SHOWING):
                rest = sympy.factor_terms(simplify(one - two))
        except AsymptError:
            return ()
        if rest == 0 or rest.has(sympy.oo, sympy.zoo, sympy.nan) or len(str(rest)) > WIDTH:
            return ()
        return (Check("left minus right, simplified", str(rest), 0, False, "proved", route=statement.ALGEBRA),)

    def corrected(self) -> "Equality | None":
        true = self.left if self.true is None and self.name else self.true
        return None if true is None else replace(self, right=true)


def _apart(one: mpmath.mpf | None, two: mpmath.mpf | None, both: bool):
    """The distance of two numbers over their sizes; infinite where one is not real, or `both` must be and are not."""
    if one is None or two is None:
        return mpmath.mpf(0) if one is two and not both else mpmath.inf
    return abs(one - two) / (abs(one) + abs(two)) if one != two else mpmath.mpf(0)


class InParts(StatedFormula):
    """A statement that is several identities (`parts`)."""

    def checks(self) -> tuple[Check, ...]:
        return tuple(check for part in self.parts() for check in part.checks())


@dataclass(frozen=True)
class Sequence(InParts):
    """x_l = value for l = 1, 2, ...: the solution of x_(l+1) = step with x_1 = start; `name`, x_l in LaTeX.

    `step` is a formula in `before`, which is x_l, and in the layer.
    """

    printed_side: ClassVar[str] = "value"
    name: str
    value: Expr
    layer: Symbol
    step: Expr
    before: Symbol
    start: Expr
    true: Expr | None = None

    @property
    def latex(self) -> str:
        return f"{self.name}={latex(self.value)}"

    @property
    def plain(self) -> str:
        return f"x_l = {self.value} solves x_(l+1) = {self.step}, x_1 = {self.start}"

    def parts(self) -> tuple[Equality, Equality]:
        """The first value, and one step, as identities."""
        after, told = self.value.subs(self.layer, self.layer + 1), self.step.subs(self.before, self.value)
        later = Equality(after, told, ranges={self.layer.name: (Integer(1), Integer(9))})
        return Equality(self.value.subs(self.layer, 1), self.start), later


@dataclass(frozen=True)
class Evolution(InParts):
    """Functions of time that solve d f_i/dt = slope_i with f_i(0) = start_i.

    `values`: formulas in `time` by the letters f_i, `true` where the printed ones are wrong; `slopes`: formulas in
    these letters; `names`, of f_i(t) in LaTeX; `ranges` as for equalities.
    """

    printed_side: ClassVar[str] = "values"
    values: dict[Symbol, Expr]
    slopes: dict[Symbol, Expr]
    starts: dict[Symbol, Expr]
    time: Symbol
    names: dict[Symbol, str]
    true: dict[Symbol, Expr] | None = None
    ranges: dict[str, tuple[Expr, Expr]] = field(default_factory=dict)

    @property
    def latex(self) -> str:
        return r",\quad ".join(f"{self.names[letter]}={latex(value)}" for letter, value in self.values.items())

    @property
    def plain(self) -> str:
        told = ", ".join(f"{letter} = {value}" for letter, value in self.values.items())
        return f"{told} solves {', '.join(f'd{letter}/dt = {slope}' for letter, slope in self.slopes.items())}"

    def parts(self) -> Iterator[Equality]:
        """Every start and every equation as an identity."""
        for letter, value in self.values.items():
            slope = self.slopes[letter].subs(self.values)
            yield Equality(value.subs(self.time, 0), self.starts[letter], ranges=self.ranges)
            yield Equality(value.diff(self.time), slope, ranges=self.ranges)


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
        first, size = self._first(sympy.together(put(self.left, self.where) - put(self.right, self.where)))
        small = first == 0 or size >= self.order
        shown = 0 if first == 0 else first * self.variable**size
        name = f"first term of left minus right as {self.variable} -> 0"
        exact = Check(name, str(shown), f"O({self.variable**self.order})", small, "proved", route=statement.ALGEBRA)
        return (exact,) if small else (exact, *self._numbers())

    def _numbers(self) -> tuple[Check, ...]:
        """The power of the variable in left minus right from two of its values."""
        rest = _given_functions(put(self.left, self.where) - put(self.right, self.where))
        point = statement.point_of(rest.free_symbols - {self.variable})
        near, far = (abs(rest.subs({**point, self.variable: Rational(1, 10**k)}).evalf(60)) for k in (5, 10))
        power = sympy.log(near / far, 10).evalf(8) / 5
        name = f"power of {self.variable} in left minus right, at 10^-5 and 10^-10"
        passed = bool(power > self.order - Rational(1, 2))
        return (Check(name, f"{power:.4g}", f">= {self.order}", passed, route=NUMBERS),)

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


def _lowest(polynomial: Expr, variable: Symbol) -> tuple[int, Expr]:
    terms = Poly(polynomial, variable).terms()
    (power,), coefficient = min(terms, key=lambda term: term[0])
    return power, coefficient

"""Statements with a sign of equality: identities, solutions of recursions, solutions of differential equations.

Numbers first: both sides at `POINTS` points, to `DIGITS` digits; where they differ, and a ball of the difference there
says so too, or the exact difference, the statement is refuted.  Then algebra: a difference that simplifies to 0
(within `SIMPLIFYING` seconds) proves.  A solution is its first value and one step, or its derivative, as identities.

>>> from sympy import cos, sin
>>> x = Symbol("x", real=True)
>>> Equality(sin(2 * x), 2 * sin(x) * cos(x), (x,)).verify().verdict
'proved'
>>> Equality(sin(2 * x), sin(x) * cos(x), (x,)).verify().verdict
'refuted'
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import mpmath
from mpmath import mp
from sympy import Expr, Integer, Matrix, MatrixBase, Symbol, factor_terms, latex, nan, oo, simplify, zoo

from asympt.claims.stated.statement import (
    ALGEBRA,
    DIGITS,
    NUMBERS,
    POINTS,
    SIMPLIFYING,
    StatedFormula,
    changes,
    in_balls,
    place_of,
    point_in_words,
)
from asympt.deadline import limited
from asympt.errors import AsymptError
from asympt.evidence.check import Check

SHOWING, WIDTH = 2.0, 90  # seconds for the difference that is shown, and its characters


@dataclass(frozen=True)
class Equality(StatedFormula):
    """left = right for all values of the symbols; `ranges`, where each is taken (text of a symbol: two numbers).

    Both sides are expressions, or matrices of one shape.  `true`: what stands on the right when it is put right, for a
    print that is known to be wrong; `name`: the left side in LaTeX, where it is computed and stands in no print; it is
    then what is true.
    """

    left: Expr | Matrix
    right: Expr | Matrix
    symbols: tuple[Symbol, ...] = ()
    ranges: dict[str, tuple[Expr, Expr]] = field(default_factory=dict)
    true: Expr | Matrix | None = None
    name: str = ""

    @property
    def latex(self) -> str:
        return f"{self.name or latex(self.left)}={latex(self.right)}"

    @property
    def plain(self) -> str:
        return f"{self.name or self.left} = {self.right}"

    def checks(self) -> tuple[Check, ...]:
        worst, where = self._worst()
        name = "largest |left - right| over |left| + |right|" + (f" at {POINTS} points" if where else "")
        digits = f"{DIGITS} digits; largest at {point_in_words(where)}" if where else f"{DIGITS} digits"
        numbers = Check.measured(name, worst, mpmath.mpf(10) ** (10 - DIGITS), digits)
        if not numbers.passed:
            return (*self._difference(), replace(numbers, route=NUMBERS), *self._enclosed(where))
        if not self._vanishes():
            return (numbers,)
        return (Check("left - right, simplified", 0, 0, True, "proved"), replace(numbers, strength="proved"))

    def _enclosed(self, where: dict) -> tuple[Check, ...]:
        """A ball of left - right at the point, which leaves out 0; of matrices, in the first such entry."""
        gaps = ((one - two).subs(where) for one, two in self._entries())
        rows = (in_balls("left - right", gap, "0", lambda ball: not ball.contains(0)) for gap in gaps)
        return next(filter(None, rows), ())

    def _worst(self) -> tuple:
        worst, where = mpmath.mpf(0), {}
        with mp.workdps(DIGITS):
            for k in range(1, POINTS + 1):
                point = {s: place_of(s, k + 7 * i, self.ranges) for i, s in enumerate(self.symbols)}
                off = max(_apart(one.subs(point), two.subs(point)) for one, two in self._entries())
                if off >= worst:
                    worst, where = off, point
        return worst, where

    def _entries(self) -> list[tuple[Expr, Expr]]:
        """Both sides, entry by entry."""
        sides = [list(side) if isinstance(side, MatrixBase) else [side] for side in (self.left, self.right)]
        return list(zip(*sides, strict=True))

    def _vanishes(self) -> bool:
        try:
            with limited("simplifying the difference of the two sides", SIMPLIFYING):
                return all(simplify(one - two) == 0 for one, two in self._entries())
        except AsymptError:
            return False

    def _difference(self) -> tuple[Check, ...]:
        """By what exactly the sides differ, where that is soon found and short; of matrices, the first such entry."""
        one, two = next(((one, two) for one, two in self._entries() if one != two), (Integer(0), Integer(0)))
        try:
            with limited("simplifying the difference of the two sides", SHOWING):
                rest = factor_terms(simplify(one - two))
        except AsymptError:
            return ()
        if rest == 0 or rest.has(oo, zoo, nan) or len(str(rest)) > WIDTH:
            return ()
        return (Check("left - right, simplified", str(rest), 0, False, "proved", route=ALGEBRA),)

    def corrected(self) -> "Equality | None":
        true = self.left if self.true is None and self.name else self.true
        return None if true is None else replace(self, right=true)

    def mutated(self) -> Iterator["Equality"]:
        if isinstance(self.right, MatrixBase):
            yield from self._entries_changed()
            return
        for side in changes(self.right):
            yield replace(self, right=side)

    def _entries_changed(self) -> Iterator["Equality"]:
        """Every change of the first entry that is not 0, and the first row and the last exchanged."""
        entries = list(self.right)
        place = next(k for k, entry in enumerate(entries) if entry != 0)
        for entry in changes(entries[place]):
            changed = [*entries[:place], entry, *entries[place + 1 :]]
            yield replace(self, right=type(self.right)(*self.right.shape, changed))
        rows = self.right.shape[0]
        if self.right.row(0) != self.right.row(rows - 1):
            yield replace(self, right=self.right.permute([[0, rows - 1]]))


def _apart(one: Expr, two: Expr):
    """The distance of two numbers over their sizes; infinite where one is not real."""
    one, two = (complex_of(side) for side in (one, two))
    if one.imag or two.imag or not (mpmath.isfinite(one) and mpmath.isfinite(two)):
        return mpmath.inf
    one, two = one.real, two.real
    return abs(one - two) / (abs(one) + abs(two)) if one != two else mpmath.mpf(0)


def complex_of(value: Expr):
    """An exact number, which may be complex, infinite or undefined, as a complex number of mpmath."""
    return mpmath.mpc(*(mpmath.mpmathify(part) for part in value.evalf(mp.dps).as_real_imag()))


@dataclass(frozen=True)
class Sequence(StatedFormula):
    """x_l = value for l = 1, 2, ...: the solution of x_(l+1) = step with x_1 = start; `name`, x_l in LaTeX.

    `step` is a formula in `before`, which is x_l, and in the layer.
    """

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
        letters = self.value.free_symbols | self.step.free_symbols | self.start.free_symbols
        symbols = sorted(letters - {self.layer, self.before}, key=str)
        first = Equality(self.value.subs(self.layer, 1), self.start, tuple(symbols))
        after, told = self.value.subs(self.layer, self.layer + 1), self.step.subs(self.before, self.value)
        return first, Equality(after, told, (*symbols, self.layer), {self.layer.name: (Integer(1), Integer(9))})

    def checks(self) -> tuple[Check, ...]:
        return tuple(check for part in self.parts() for check in part.checks())

    def corrected(self) -> "Sequence | None":
        return None if self.true is None else replace(self, value=self.true)

    def mutated(self) -> Iterator["Sequence"]:
        for value in changes(self.value):
            yield replace(self, value=value)


@dataclass(frozen=True)
class Evolution(StatedFormula):
    """Functions of time that solve d f_i/dt = slope_i with f_i(0) = start_i.

    `values`: formulas in `time` by the letters f_i, `true` where the printed ones are wrong; `slopes`: formulas in
    these letters; `names`, of f_i(t) in LaTeX; `ranges` as for equalities.
    """

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
            letters = value.free_symbols | slope.free_symbols | self.starts[letter].free_symbols
            symbols = sorted(letters | {self.time}, key=str)
            yield Equality(value.subs(self.time, 0), self.starts[letter], tuple(symbols), self.ranges)
            yield Equality(value.diff(self.time), slope, tuple(symbols), self.ranges)

    def checks(self) -> tuple[Check, ...]:
        return tuple(check for part in self.parts() for check in part.checks())

    def corrected(self) -> "Evolution | None":
        return None if self.true is None else replace(self, values=self.true)

    def mutated(self) -> Iterator["Evolution"]:
        for letter, value in self.values.items():
            for changed in changes(value):
                yield replace(self, values={**self.values, letter: changed})

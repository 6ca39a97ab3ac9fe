"""Inequalities: of one letter on an interval by balls, of several letters by the signs of terms and factors.

In one letter the interval is bisected until a ball of the difference is positive on each of at most `PIECES` pieces; in
several the assumptions of the letters tell the sign of the difference, expanded, factored or simplified.  A refutation
is a point: there the difference is computed once more, as a ball or, where it is 0, by algebra.

>>> from sympy import exp
>>> x, a, b = Symbol("x", real=True), *(Symbol(name, positive=True) for name in "ab")
>>> Inequality(exp(x), ">", 1 + x, x, Rational(1, 10), Rational(2)).verify().verdict
'proved'
>>> Comparison(2 * a * b, "<=", a**2 + b**2).verify().verdict
'proved'
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import mpmath
from flint import arb
from mpmath import mp
from sympy import Expr, Float, Rational, Symbol, expand, factor, latex, simplify

from asympt.balls.expression import number, program_of
from asympt.claims.stated import statement
from asympt.claims.stated.statement import DIGITS, NUMBERS, OPPOSITE, POINTS, StatedFormula, in_balls, point_in_words
from asympt.errors import AsymptError
from asympt.evidence.check import Check
from asympt.numbers import to_mpf

PIECES, BITS = 4096, 256


@dataclass(frozen=True)
class Inequality(StatedFormula):
    """left `sign` right for a symbol in [low, high]; `name`: the left side in LaTeX, where it is computed."""

    left: Expr
    sign: str
    right: Expr
    symbol: Symbol
    low: Expr
    high: Expr
    name: str = ""

    @property
    def latex(self) -> str:
        inside = rf"{latex(self.low)}\le {latex(self.symbol)}\le {latex(self.high)}"
        return f"{self.name or latex(self.left)}{statement.SIGNS[self.sign][1]} {latex(self.right)}\\quad({inside})"

    @property
    def plain(self) -> str:
        return f"{self.name or self.left} {self.sign} {self.right} for {self.symbol} from {self.low} to {self.high}"

    @property
    def gap(self) -> Expr:
        """What must be positive, or not negative."""
        return gap_of(self.left, self.sign, self.right)

    def checks(self) -> tuple[Check, ...]:
        least, where = self._least()
        passed = least > 0 if "=" not in self.sign else least >= -mpmath.mpf(10) ** (10 - DIGITS)
        name = f"smallest difference of the sides at {8 * POINTS + 1} points"
        bound = "> 0" if "=" not in self.sign else ">= 0"
        sample = Check(name, mpmath.nstr(least, 8), bound, bool(passed), "checked", f"at {self.symbol} = {where}")
        if not passed:
            return (replace(sample, route=NUMBERS), *negative(self.gap.subs(self.symbol, where), self.sign))
        pieces = self._proved()
        if pieces is None:
            return (sample,)
        title = "pieces of the interval on which balls prove it"
        return (Check(title, pieces, PIECES, True, "proved"), replace(sample, strength="proved"))

    def _least(self) -> tuple:
        count = 8 * POINTS
        places = [self.low + (self.high - self.low) * Rational(k, count) for k in range(count + 1)]
        with mp.workdps(DIGITS):
            values = {place: to_mpf(self.gap.subs(self.symbol, place)) for place in places}
        where = min(values, key=values.get)
        return values[where], where

    def _proved(self) -> int | None:
        """The number of pieces on which the difference is positive; None when the bisection does not end."""
        if self.gap.has(Float):
            return None
        try:
            program = program_of(self.gap, self.symbol)
            open_, done = [(self.low, self.high)], 0
            while open_:
                low, high = open_.pop()
                value = program.value(arb(number(low)).union(arb(number(high))))
                if value > 0:
                    done += 1
                    continue
                if done + len(open_) > PIECES or high - low < Rational(1, 10**6):
                    return None
                middle = (low + high) / 2
                open_ += [(low, middle), (middle, high)]
        except AsymptError:
            return None
        return done

    def mutated(self) -> Iterator["Inequality"]:
        yield replace(self, sign=OPPOSITE[self.sign])


def negative(gap: Expr, sign: str) -> tuple[Check, ...]:
    """The row of a ball of the difference at one point, where that has the wrong sign."""
    if "=" in sign:
        return in_balls("difference of the sides there", gap, ">= 0", lambda ball: ball < 0)
    return in_balls("difference of the sides there", gap, "> 0", lambda ball: ball <= 0)


def gap_of(left: Expr, sign: str, right: Expr) -> Expr:
    """What is positive, or not negative, where left `sign` right."""
    return right - left if sign.startswith("<") else left - right


@dataclass(frozen=True)
class Comparison(StatedFormula):
    """left `sign` right for all values of its letters; `ranges` as for an equality.

    `where`: letters that stand for expressions in the others, put in one after the other; `name`: the left side in
    LaTeX, where it is computed.
    Proved where the assumptions of the letters tell the sign of the difference, numbers at `POINTS` points otherwise.
    """

    left: Expr
    sign: str
    right: Expr
    ranges: dict[str, tuple[Expr, Expr]] = field(default_factory=dict)
    where: dict[Symbol, Expr] = field(default_factory=dict)
    name: str = ""

    @property
    def latex(self) -> str:
        told = r",\ ".join(f"{latex(letter)}={latex(value)}" for letter, value in self.where.items())
        given = rf"\quad({told})" if told else ""
        return f"{self.name or latex(self.left)}{statement.SIGNS[self.sign][1]} {latex(self.right)}{given}"

    @property
    def plain(self) -> str:
        return f"{self.name or self.left} {self.sign} {self.right}"

    def checks(self) -> tuple[Check, ...]:
        gap, strict = gap_of(self.left, self.sign, self.right), "=" not in self.sign
        for letter, value in self.where.items():
            gap = gap.subs(letter, value)
        least, where = self._least(gap)
        passed = least > 0 if strict else least >= -mpmath.mpf(10) ** (10 - DIGITS)
        shown = point_in_words(where)
        name = f"smallest difference of the sides at {POINTS} points" if where else "difference of the sides"
        sample = Check(name, mpmath.nstr(least, 8), "> 0" if strict else ">= 0", bool(passed), "checked", shown)
        if not passed:
            return (replace(sample, route=NUMBERS), *negative(gap.subs(where), self.sign))
        if not any(form.is_positive if strict else form.is_nonnegative for form in _forms(gap)):
            return (sample,)
        title = "sign of the difference of the sides, by the signs of its terms and factors"
        told = Check(title, str(simplify(gap)), sample.bound, True, "proved")
        return (told, replace(sample, strength="proved"))

    def _least(self, gap: Expr) -> tuple:
        letters = list(enumerate(sorted(gap.free_symbols, key=str)))
        points = [{s: statement.place_of(s, k + 7 * i, self.ranges) for i, s in letters} for k in range(1, POINTS + 1)]
        with mp.workdps(DIGITS):
            found = [(to_mpf(gap.subs(point)), k) for k, point in enumerate(points)]
        least, k = min(found)
        return least, points[k]

    def mutated(self) -> Iterator["Comparison"]:
        yield replace(self, sign=OPPOSITE[self.sign])


def _forms(gap: Expr) -> Iterator[Expr]:
    """Ways to write a difference, in one of which its sign may show."""
    yield gap
    for write in (expand, factor, simplify):
        yield write(gap)

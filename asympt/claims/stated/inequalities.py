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
from sympy import Expr, Float, Poly, Pow, Rational, Symbol, acos, asin, expand, factor, latex, simplify

from asympt.balls.expression import number, program_of
from asympt.claims.stated import statement
from asympt.claims.stated.statement import DIGITS, NUMBERS, POINTS, StatedFormula, in_balls, point_in_words
from asympt.errors import AsymptError
from asympt.evidence.check import Check
from asympt.numbers import to_mpf

PIECES, BITS = 4096, 256


class Ordered(StatedFormula):
    """left `sign` right; `name`: the left side in LaTeX, where it is computed."""

    @property
    def latex(self) -> str:
        return f"{self.name or latex(self.left)}{statement.SIGNS[self.sign][1]} {latex(self.right)}"

    @property
    def plain(self) -> str:
        return f"{self.name or self.left} {self.sign} {self.right}"

    @property
    def gap(self) -> Expr:
        """What must be positive, or not negative."""
        return self.right - self.left if self.sign.startswith("<") else self.left - self.right

    @property
    def bound(self) -> str:
        return ">= 0" if "=" in self.sign else "> 0"

    def sampled(self, name: str, least, detail: str) -> Check:
        """The smallest gap that was seen."""
        passed = least > 0 if self.bound == "> 0" else least >= -mpmath.mpf(10) ** (10 - DIGITS)
        return Check(name, mpmath.nstr(least, 8), self.bound, bool(passed), "checked", detail)

    def refuted(self, sample: Check, gap: Expr) -> tuple[Check, ...]:
        """The sample, and a ball of the gap at its point that has the wrong sign."""
        strict = self.bound == "> 0"
        balls = in_balls("difference of the sides there", [gap], self.bound, lambda b: b <= 0 if strict else b < 0)
        return (replace(sample, route=NUMBERS), *balls)


@dataclass(frozen=True)
class Inequality(Ordered):
    """left `sign` right for a symbol in [low, high]."""

    left: Expr
    sign: str
    right: Expr
    symbol: Symbol
    low: Expr
    high: Expr
    name: str = ""

    @property
    def latex(self) -> str:
        return rf"{super().latex}\quad({latex(self.low)}\le {latex(self.symbol)}\le {latex(self.high)})"

    @property
    def plain(self) -> str:
        return f"{super().plain} for {self.symbol} from {self.low} to {self.high}"

    def checks(self) -> tuple[Check, ...]:
        least, where = self._least()
        name = f"smallest difference of the sides at {8 * POINTS + 1} points"
        sample = self.sampled(name, least, f"at {self.symbol} = {where}")
        if not sample.passed:
            return self.refuted(sample, self.gap.subs(self.symbol, where))
        pieces = self._proved()
        if pieces is None:
            return (sample,)
        title = "pieces of the interval on which ball arithmetic proves it"
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
            program = program_of(self.gap, self.symbol, self._is_real())
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

    def _is_real(self) -> bool:
        """Whether roots, asin and acos are of polynomials that keep them real up to the ends, by Sturm's theorem."""
        bases = [power.base for power in self.gap.atoms(Pow) if not power.exp.is_Integer]
        bases += [1 - function.args[0] ** 2 for function in self.gap.atoms(asin, acos)]
        return all(self._is_not_negative(base) for base in bases if base.has(self.symbol))

    def _is_not_negative(self, base: Expr) -> bool:
        if not base.is_polynomial(self.symbol):
            return False
        polynomial = Poly(base, self.symbol)
        if not all(number.is_Rational for number in (self.low, self.high, *polynomial.all_coeffs())):
            return False
        ends = sum(polynomial(end) == 0 for end in {self.low, self.high})
        inside = polynomial.count_roots(self.low, self.high) - ends
        return bool(inside == 0 and polynomial((self.low + self.high) / 2) > 0)


@dataclass(frozen=True)
class Comparison(Ordered):
    """left `sign` right for all values of its letters; `ranges` as for an equality.

    `where`: letters that stand for expressions in the others, put in one after the other.
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
        return super().latex + (rf"\quad({told})" if told else "")

    def checks(self) -> tuple[Check, ...]:
        gap = self.gap
        for letter, value in self.where.items():
            gap = gap.subs(letter, value)
        least, where = self._least(gap)
        name = f"smallest difference of the sides at {POINTS} points" if where else "difference of the sides"
        sample = self.sampled(name, least, point_in_words(where))
        if not sample.passed:
            return self.refuted(sample, gap.subs(where))
        if not any(form.is_positive if self.bound == "> 0" else form.is_nonnegative for form in _forms(gap)):
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


def _forms(gap: Expr) -> Iterator[Expr]:
    """Ways to write a difference, in one of which its sign may show."""
    yield gap
    for write in (expand, factor, simplify):
        yield write(gap)

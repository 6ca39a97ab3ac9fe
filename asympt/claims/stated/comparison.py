"""Inequalities between formulas in several letters: by the signs of terms and factors.

Tiny case.

>>> from sympy import Symbol
>>> a, b = (Symbol(name, positive=True) for name in "ab")
>>> Comparison(2 * a * b, "<=", a**2 + b**2, (a, b)).verify().verdict
'proved'

Known limits.  A sign that its terms and factors do not show is checked at points.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import mpmath
from mpmath import mp
from sympy import Expr, Symbol, expand, factor, latex, simplify

from asympt.claims.stated.statement import (
    DIGITS,
    OPPOSITE,
    POINTS,
    SIGNS,
    StatedFormula,
    gap_of,
    place_of,
    point_in_words,
)
from asympt.evidence.check import Check
from asympt.numbers import to_mpf


@dataclass(frozen=True)
class Comparison(StatedFormula):
    """left `sign` right for all values of several letters; `ranges` as for an equality.

    `where`: letters that stand for expressions in the others, put in one after the other; `name`: the left side in
    LaTeX, where it is computed.
    Proved where the assumptions of the letters tell the sign of the difference, numbers at `POINTS` points otherwise.
    """

    left: Expr
    sign: str
    right: Expr
    symbols: tuple[Symbol, ...] = ()
    ranges: dict[str, tuple[Expr, Expr]] = field(default_factory=dict)
    where: dict[Symbol, Expr] = field(default_factory=dict)
    name: str = ""

    @property
    def latex(self) -> str:
        told = r",\ ".join(f"{latex(letter)}={latex(value)}" for letter, value in self.where.items())
        given = rf"\quad({told})" if told else ""
        return f"{self.name or latex(self.left)}{SIGNS[self.sign][1]} {latex(self.right)}{given}"

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
        if not passed or not any(form.is_positive if strict else form.is_nonnegative for form in _forms(gap)):
            return (sample,)
        title = "sign of the difference of the sides, by the signs of its terms and factors"
        told = Check(title, str(simplify(gap)), sample.bound, True, "proved")
        return (told, replace(sample, strength="proved"))

    def _least(self, gap: Expr) -> tuple:
        points = [{s: place_of(s, k + 7 * i, self.ranges) for i, s in enumerate(self.symbols)}
                  for k in range(1, POINTS + 1)]  # fmt: skip
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
